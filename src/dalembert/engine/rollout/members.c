/* Members of a rollout outside of their lanes, after loop.c and events.c: one by one through the time loop of single
 * runs, with its events and transitions.
 *
 * One structure serves all members that a thread has, one after the other: the data that a member keeps from one step to
 * the next are in `carried` and in `pace`. The motion of a member is therefore bitwise independent of the others. */
enum { ARMED_AT, ARMED_FOR, OUTCOME, CULPRIT, LACKS, PAIR, SOON, N_CARRIED };
enum { PACE_STEP, PACE_ERROR, PACE_REJECTED, PACE_TRIES, N_PACE };
#define AT_EVENT (-2) /* status at the first of the events that stop a member; at the next one it is one less */

struct members {
    struct watch *watch;
    /* State with which a run continues at its start, beside x: -1, or why there is none (transitions_begin); 0: not
     * needed. */
    int64_t (*begin)(void *transitions, double t, const double *x, double *made, const double *c, const double *p);
    void *transitions;
    /* where `transitions` has the coefficients of its pairs, and those of all members: restitution, then friction */
    const double **restitution, **friction;
    const double *coefficients;
    int64_t n_pairs;
    double *t_loose;
    const int64_t *lacks, *pair;
    const int64_t *stops; /* of each event its number among those that stop a member */
    int64_t every;           /* whether to come back after each step of an adaptive method */
    double *carried, *pace;  /* of all members */
    /* the log of `watch` and `transitions`: the member of each event and each transition; the function that empties it */
    int64_t keeps;
    int64_t *record_member, *change_member, n_signed, n_changes_signed;
    void (*drain)(void);
    double *x_before; /* room for a state */
    double *guess_at; /* implicit steps: time whose rates are known; 0: none */
    int64_t guess_of; /* the member they belong to, or -1 */
};

static double *of_member(const struct members *S, int64_t member) { return S->carried + member * N_CARRIED; }

/* New entries of the log are of this member. */
static void sign_log(struct members *S, int64_t member) {
    const struct watch *W = S->watch;
    for (; S->n_signed < W->n_records; S->n_signed++) S->record_member[S->n_signed] = member;
    for (; S->n_changes_signed < *W->n_changes; S->n_changes_signed++) S->change_member[S->n_changes_signed] = member;
}

static void empty(struct members *S, int64_t member) {
    sign_log(S, member);
    if (S->keeps) S->drain();
    S->watch->n_records = *S->watch->n_changes = S->n_signed = S->n_changes_signed = 0;
}

static void enter(struct members *S, int64_t member, double t, const double *x, const double *c, const double *p) {
    struct watch *W = S->watch;
    struct loop *L = W->loop;
    const double *const own = of_member(S, member);
    memcpy(L->x, x, (size_t)L->n * sizeof(double));
    memcpy(L->c, c, (size_t)L->n_held * sizeof(double));
    L->p = p, L->t = L->anchor = t;
    L->k = L->fresh = L->pending = L->n_rows = 0;
    L->bad = -1, L->soon = own[SOON];
    W->armed_at = own[ARMED_AT], W->armed_for = own[ARMED_FOR];
    W->unsettled = W->n_stops = 0;
    if (L->adaptive) {
        const double *const pace = S->pace + member * N_PACE;
        L->h = pace[PACE_STEP], L->error_old = pace[PACE_ERROR];
        L->rejected_last = pace[PACE_REJECTED] > 0.0, L->n_steps = (int64_t)pace[PACE_TRIES];
    } else L->n_steps = 0;
    if (S->t_loose) *S->t_loose = NAN;
    if (S->guess_at && S->guess_of != member) *S->guess_at = NAN;
    if (S->n_pairs)
        *S->restitution = S->coefficients + member * 2 * S->n_pairs, *S->friction = *S->restitution + S->n_pairs;
    if (!S->keeps || !has_room(W)) empty(S, member);
}

/* Keep the state of the member between steps, and return its status: 0 if it continues, AT_EVENT and less at an event,
 * 1 + the state that is to blame, 1 + n for constraints and transitions, 2 + n for too many steps. */
static int64_t leave(struct members *S, int64_t member, int64_t outcome, double *x, double *signs) {
    const struct watch *W = S->watch;
    const struct loop *L = W->loop;
    double *const own = of_member(S, member);
    own[ARMED_AT] = W->armed_at, own[ARMED_FOR] = W->armed_for, own[SOON] = L->soon;
    if (L->adaptive) {
        double *const pace = S->pace + member * N_PACE;
        pace[PACE_STEP] = L->h, pace[PACE_ERROR] = L->error_old;
        pace[PACE_REJECTED] = (double)L->rejected_last, pace[PACE_TRIES] = (double)L->n_steps;
    }
    sign_log(S, member);
    memcpy(x, L->x, (size_t)L->n * sizeof(double));
    memcpy(signs, L->signs, (size_t)L->n_events * sizeof(double));
    if (outcome <= AT_EVENT) return outcome;
    own[OUTCOME] = (double)outcome;
    if (outcome == REACHED) return 0;
    own[CULPRIT] = (double)W->culprit;
    if (S->lacks) own[LACKS] = (double)*S->lacks, own[PAIR] = (double)*S->pair;
    if (outcome == EXHAUSTED) return 2 + L->n;
    return 1 + (outcome <= UNDERFLOW && L->bad >= 0 && L->bad < L->n ? L->bad : L->n);
}

/* Start a member at *t with steps of length h: settle the active unilateral constraints, and give events the signs that they
 * have just after. Its status; x and signs are then those with which it continues. */
int64_t members_begin(struct members *S, int64_t member, double *t, double h, double *x, const double *c, const double *p,
                      double *signs) {
    struct watch *W = S->watch;
    struct loop *L = W->loop;
    int64_t outcome = REACHED;
    enter(S, member, *t, x, c, p);
    L->step = h;
    if (L->adaptive) L->h = loop_first_step(L, W->run_end - *t);
    if (S->begin) {
        W->culprit = S->begin(S->transitions, *t, L->x, W->x_part, L->c, L->p);
        if (W->culprit == -1) memcpy(L->x, W->x_part, (size_t)L->n * sizeof(double));
        else outcome = ILL_POSED;
    }
    W->armed_at = L->t, W->armed_for = 0.0;
    for (int64_t i = 0; i < L->n_events; i++) L->signs[i] = 0.0, W->fired[i] = 0;
    const double s = PROBE * fmin(step_to_come(L), W->run_end - L->t);
    if (outcome == REACHED && L->n_events && s > 0.0) {
        evaluate_part(W, s);
        for (int64_t i = 0; i < L->n_events; i++) L->signs[i] = sign_of(W->g_part[i]);
        W->armed_for = s;
        while ((outcome = settle_negative(W)) != REACHED) {
            if (outcome == FULL) L->n_rows = 0;
            else if (outcome == LOG_FULL) empty(S, member);
            else break;
        }
    }
    return leave(S, member, outcome, x, signs);
}

/* Handle at t the effects of new held values, such as a law that lifts a body from the floor: with these the
 * next step, of length h towards `end`, would begin. x and signs are then those after it, and 1 is returned; 0 if nothing
 * happens. A member that cannot continue, or stops, is left to that step. */
int64_t members_sampled(struct members *S, int64_t member, double t, double h, double end, double *x, const double *c,
                        const double *p, double *signs) {
    struct watch *W = S->watch;
    struct loop *L = W->loop;
    const int64_t capacity = L->capacity;
    int64_t outcome = REACHED;
    int any = 0;
    enter(S, member, t, x, c, p);
    const int64_t n_records = W->n_records, n_changes = *W->n_changes;
    memcpy(L->signs, signs, (size_t)L->n_events * sizeof(double));
    if (evaluate(L->events, L, t, L->x, W->g_part, L->events_work)) return 0;
    for (int64_t i = 0; i < L->n_events; i++) any |= W->kinds[i] == SWITCHES && crossed(W, i, W->g_part[i]);
    if (!any) return 0;
    L->step = h, L->t_end = end, L->capacity = 1; /* so that the loop comes back after the transition, before it steps */
    for (;;) {
        outcome = watch_advance(W);
        if (L->t != t) break;
        if (outcome == LOG_FULL) empty(S, member);
        else if (outcome == FULL && W->unsettled) L->n_rows = 1;
        else break;
    }
    L->capacity = capacity;
    if (L->t == t && outcome == FULL) return leave(S, member, REACHED, x, signs), 1;
    L->pending = 0; /* it was not for these values: the step is to be taken as a whole */
    if (W->n_records > n_records) W->n_records = n_records;
    if (*W->n_changes > n_changes) *W->n_changes = n_changes;
    return 0;
}

/* Status at the first of the fired events at which a member stops. */
static int64_t stopped_at(const struct members *S) {
    const struct watch *W = S->watch;
    for (int64_t i = 0; i < W->loop->n_events; i++)
        if (W->fired[i] && W->kinds[i] == ENDS) return AT_EVENT - S->stops[i];
    return AT_EVENT;
}

/* Advance a member from *t by a step of length h that ends at `end`, with an adaptive method by steps of its own towards it.
 * Its status; x, signs and *t are then those where it is. */
int64_t members_step(struct members *S, int64_t member, double *t, double h, double end, double *x, const double *c,
                     const double *p, double *signs) {
    struct watch *W = S->watch;
    struct loop *L = W->loop;
    int64_t outcome;
    enter(S, member, *t, x, c, p);
    memcpy(L->signs, signs, (size_t)L->n_events * sizeof(double));
    L->step = h, L->t_end = end;
    for (;;) {
        outcome = watch_advance(W);
        if (outcome == REACHED) break;
        if (outcome == STOPPED) {
            outcome = stopped_at(S);
        } else if (outcome == FULL) {
            L->n_rows = 0;
            outcome = REACHED;
            if (S->every && L->adaptive && !W->unsettled && L->soon == 0.0 && L->t > *t) break;
        } else if (outcome == LOG_FULL) {
            empty(S, member);
            outcome = REACHED;
        }
        if (outcome != REACHED && outcome != YIELD) break;
    }
    *t = L->t;
    return leave(S, member, outcome, x, signs);
}

/* Members that have left the threads of a GPU, a row of a desk each: numbers as in cuda_rollout.cu, then state, signs, held
 * values and pace. `modes` are states of which none may be 1 where a thread takes the steps: members continue here as
 * long as one is. */
enum { DESK_CLOCK, DESK_T, DESK_LENGTH, DESK_STEP, DESK_STATUS, DESK_STATE };

struct desk {
    int64_t n, size;
    double *rows;
    const int64_t *member; /* number of each */
    const double *parameters; /* of all members; stride 0: the same for all */
    int64_t p_stride;
    double anchor, h, rest; /* the segment, as in lanes_rollout.c */
    int64_t first, count;
    int64_t n_modes;
    const int64_t *modes;
    int64_t threads, thread; /* this one takes the members whose number leaves that remainder */
};

static int stays(const struct desk *D, const double *x) {
    for (int64_t i = 0; i < D->n_modes; i++)
        if (x[D->modes[i]] > 0.5) return 1;
    return 0;
}

/* Over a step from *row's time, or with fixed steps over that of its number. The status. */
static int64_t one_step(struct members *S, const struct desk *D, int64_t member, double *row, const double *p) {
    const struct loop *L = S->watch->loop;
    const size_t size = (size_t)L->n * sizeof(double);
    double *const x = row + DESK_STATE, *const signs = x + L->n, *const c = signs + L->n_events;
    double h = 0.0, end = D->h;
    if (!L->adaptive) {
        const int64_t k = (int64_t)row[DESK_STEP];
        h = k < D->count ? D->h : D->rest;
        row[DESK_T] = row[DESK_CLOCK] + (D->anchor + (double)(D->first + k) * D->h);
        end = row[DESK_T] + h;
    }
    const double start = row[DESK_T];
    memcpy(S->x_before, x, size);
    const int64_t status = members_step(S, member, row + DESK_T, h, end, x, c, p, signs);
    if (status > 0) memcpy(x, S->x_before, size); /* where it was last good */
    row[DESK_LENGTH] = L->adaptive || status ? row[DESK_T] - start : h;
    return status;
}

enum { DESK_STEPS = 0, DESK_BEGINS = 1, DESK_SAMPLES = 2 }; /* tasks of a desk */

/* Make the transitions that sampled values cause at once. */
static void one_sampled(struct members *S, const struct desk *D, int64_t member, double *row, const double *p) {
    const struct loop *L = S->watch->loop;
    double *const x = row + DESK_STATE, *const signs = x + L->n, *const c = signs + L->n_events;
    const double h = L->adaptive ? 0.0 : D->count ? D->h : D->rest, end = L->adaptive ? D->h : row[DESK_T] + h;
    members_sampled(S, member, row[DESK_T], h, end, x, c, p, signs);
}

/* Start members, handle the effects of samples, or take them over a step with events. */
void members_at_desk(struct members *S, const struct desk *D, int64_t task) {
    const struct loop *L = S->watch->loop;
    const int64_t steps = D->count + (D->rest > 0.0);
    for (int64_t k = 0; k < D->n; k++) {
        const int64_t member = D->member[k];
        double *const row = D->rows + k * D->size, *const x = row + DESK_STATE, *const signs = x + L->n;
        double *const c = signs + L->n_events, *const pace = c + L->n_held;
        const double *const p = D->parameters + member * D->p_stride;
        int64_t status;
        if (member % D->threads != D->thread) continue;
        if (task == DESK_SAMPLES) {
            one_sampled(S, D, member, row, p);
            continue;
        }
        if (L->adaptive && task != DESK_BEGINS) memcpy(S->pace + member * N_PACE, pace, N_PACE * sizeof(double));
        if (task == DESK_BEGINS) status = members_begin(S, member, row + DESK_T, D->h, x, c, p, signs);
        else
            while (!(status = one_step(S, D, member, row, p)) && stays(D, x)) {
                if (L->adaptive ? row[DESK_T] >= D->h : row[DESK_STEP] + 1.0 >= (double)steps) break;
                row[DESK_STEP] += 1.0;
            }
        row[DESK_STATUS] = (double)status;
        if (L->adaptive) memcpy(pace, S->pace + member * N_PACE, N_PACE * sizeof(double));
    }
}
