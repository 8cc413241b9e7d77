/* Unilateral constraints, cables that pull and contacts that push: how a motion begins, and continues after an event;
 * after settling.c.
 *
 * Gaps are seen to close when they are negative by 1e-11 m, and taken to be closed within 1e-8 m; constraint methods
 * that do not project violate them by more than either, so that a transition closes them.
 */

/* Impact without collision: it ends Painleve's paradox at a pair by stopping its slip. 1 if it does not. No finite
 * forces obey the laws of friction there; impulses do (P. Painleve, 1895; L. Lecornu): those of an impact of all that
 * touches, at which the pair approaches by ever so little. Pushes that keep it slipping would only press it on, so that its
 * slip ends, or turns round. */
static int shock(struct transitions *T, double *x, int64_t pair, const struct seen *seen, struct collision *made,
                 struct memory memory) {
    struct constrained *C = T->equations;
    const int64_t nv = C->nv;
    struct chosen some;
    int64_t own = 0;
    choose_none(T, &some, &memory);
    for (int64_t i = 0; i < T->k; i++)
        if (i == pair || goes_on_touching(T, x, i, seen)) {
            if (i == pair) own = some.n;
            choose(T, i, &some);
        }
    const int64_t n = some.n, count = some.count;
    double *right = take(&memory, C->m), *Z = take(&memory, n * nv), *v = take(&memory, nv),
           *W = take(&memory, n * n), *u = take(&memory, n), *b = take(&memory, n), *mu = take(&memory, n),
           *slip = take(&memory, n), *given = take(&memory, n), *P = take(&memory, n), *Wp = take(&memory, n),
           *d = take(&memory, n);
    int64_t *held = take_integers(&memory, C->m);
    const int64_t n_held = gather_held(T, x, T->rate, -1.0, held, right, memory);
    struct factors F;
    struct mass Q;
    struct solution begun;
    begun.p = take(&memory, n), begun.u = take(&memory, n), begun.modes = take_integers(&memory, n);
    if (mass_of(T, &Q)) return 1;
    take_rows(&F, &Q, held, n_held, &memory);
    spread(&some, T->rate, u);
    delassus(&F, &some, Z, W, memory);
    memcpy(b, u, doubles(n));
    const double across = T->rubs[pair] ? hypot(u[own + 1], u[own + 2]) : 0.0;
    b[own] -= NEARER * fmax(across, 1e-4 * largest_of(u, n));
    for (int64_t i = 0; i < n; i++) slip[i] = NAN;
    for (int64_t i = 0; i < count; i++) coefficients_of(T, some.block[i], mu + some.first[i]);
    struct blocks blocks = {count, n, some.law, some.first, W, b, mu, slip, given, 0, 0, 0};
    if (solve_blocks(&blocks, &begun, memory) != SOLVED) return 1;
    blocks.b = u;
    for (int64_t i = 0; i < count; i++) {
        const int64_t f = some.first[i];
        if (!has_tangents(&blocks, i)) continue;
        const double speed = fmax(hypot(begun.u[f + 1], begun.u[f + 2]), NOTHING);
        d[f + 1] = begun.u[f + 1] / speed, d[f + 2] = begun.u[f + 2] / speed;
    }
    linear(&blocks, begun.modes, begun.p, 0, d, P, memory);
    for (int64_t i = 0; i < count; i++) { /* where a slip has just jammed the impulse is the limit */
        const double *p = P + some.first[i];
        const double push = has_tangents(&blocks, i) ? hypot(p[1], p[2]) : 0.0;
        if (!(p[0] < 0.0) && !(push > (1.0 + LETS_GO) * mu[some.first[i]] * p[0])) continue;
        memcpy(P, begun.p, doubles(n));
        break;
    }
    multiply(W, n, n, P, Wp);
    const double lost = -(dot(P, u, n) + 0.5 * dot(P, Wp, n));
    if (!(lost > 0.0)) return 1;
    memcpy(v, x + C->nq, doubles(nv));
    respond(&F, Z, n, P, v, memory);
    made->lost += lost;
    gather(&some, P, made->impulses);
    answer(T, &Q, held, n_held, &some, P, made->impulses, memory);
    change_velocities(T, x + C->nq, v);
    return 0;
}

/* Stop a gear or bearing that jams: no finite forces let it slip on, so that its slip ends at once, by an impulse within
 * its friction. 1 if there is none. */
static int stop_loaded(struct transitions *T, double *x, int64_t joint, struct collision *made, struct memory memory) {
    struct constrained *C = T->equations;
    const int64_t nv = C->nv, load = joint - T->k;
    struct chosen some;
    choose_none(T, &some, &memory);
    choose(T, joint, &some);
    double *right = take(&memory, C->m), *Z = take(&memory, nv), *v = take(&memory, nv), *reaction = take(&memory, C->m), u, W, P;
    int64_t *held = take_integers(&memory, C->m);
    const int64_t n_held = gather_held(T, x, T->rate, -1.0, held, right, memory);
    struct factors F;
    struct mass Q;
    if (mass_of(T, &Q) || !C->load_count[load]) return 1;
    take_rows(&F, &Q, held, n_held, &memory);
    spread(&some, T->rate, &u);
    delassus(&F, &some, Z, &W, memory);
    if (!(W > 0.0)) return 1;
    P = -u / W;
    answer(T, &Q, held, n_held, &some, &P, reaction, memory);
    if (fabs(P) > (1.0 + LETS_GO) * limit_of(T, joint) * norm(reaction + C->load_first[load], C->load_count[load])) return 1;
    memcpy(v, x + C->nq, doubles(nv));
    respond(&F, Z, 1, &P, v, memory);
    made->lost += 0.5 * u * u / W;
    gather(&some, &P, made->impulses);
    for (int64_t i = 0; i < C->m; i++) made->impulses[i] += reaction[i];
    change_velocities(T, x + C->nq, v);
    return 0;
}

/* Coordinates moved onto the constraints and closed gaps, so that nothing that touches is beyond, contacts that do not act
 * by `most`. 0 = ok. */
static int close_gaps(struct transitions *T, double t, double *x, const double *c, const double *p, double most,
                      struct memory memory) {
    struct constrained *C = T->equations;
    const int64_t nv = C->nv, m = C->m;
    int64_t *part = take_integers(&memory, m), *one_way = take_integers(&memory, m), *pulls = take_integers(&memory, m),
            *rows = take_integers(&memory, m);
    double *room = take(&memory, m), *right = take(&memory, m), *lambda = take(&memory, m), *opening = take(&memory, m),
           *moved = take(&memory, nv), *none = take(&memory, nv);
    struct mass Q;
    for (int round = 0; round < 4; round++) {
        double beyond = 0.0, off = 0.0;
        int64_t n = 0;
        if (round && geometry_at(T, t, x, c, p)) return 1;
        taking_part(T, x, part, one_way);
        for (int64_t i = 0; i < m; i++) one_way[i] = one_way[i] && !acts(T->equations, x, i), room[i] = 0.0;
        for (int64_t i = 0; i < T->k; i++)
            if (T->is_contact[i] && one_way[normal_of(T, i)]) room[normal_of(T, i)] = most;
        for (int64_t i = 0; i < m; i++) {
            if (!part[i]) continue;
            if (one_way[i]) beyond = fmax(beyond, T->phi[i] - room[i]);
            else off = fmax(off, fabs(T->phi[i]));
            pulls[n] = one_way[i], rows[n] = i, right[n++] = room[i] - T->phi[i];
        }
        if (beyond <= 1e-15 && off <= 1e-12) return 0;
        if (mass_of(T, &Q)) return 1;
        least_constraint(&Q, none, rows, n, right, pulls, 1e-11, moved, lambda, opening, memory);
        const double *in[3] = {x, moved, p};
        double *out[1] = {C->q_moved};
        if (C->move(in, out, C->move_work)) return 1;
        memcpy(x, C->q_moved, doubles(C->nq));
    }
    return 0;
}

/* State after the impacts of an instant, with the pairs that continue to act: LANDED, NO_TERMS, or the pair (see
 * `lacks`) at which no impulses or forces obey the laws. Entry `n_log` of the log has their effects. */
int64_t transitions_land(struct transitions *T, double t, double *x, const double *c, const double *p) {
    struct constrained *C = T->equations;
    struct memory memory;
    struct collision made;
    struct seen seen;
    int64_t shocks = 0, outcome, again = T->n_blocks;
    memory.next = T->work;
    seen.ends = take_integers(&memory, T->n_blocks), seen.opens = take_integers(&memory, T->n_blocks);
    made.impulses = T->log_impulses + T->n_log * C->m, made.lost = 0.0, made.factor = 1.0;
    for (int64_t i = 0; i < C->m; i++) made.impulses[i] = 0.0;
    int varies = 0;
    for (int64_t i = 0; i < T->k; i++) varies |= T->varies[i] >= 0 || is_rope(T, i);
    if (varies && forces_at(T, t, x, c, p)) return NO_TERMS;
    if (geometry_at(T, t, x, c, p)) return NO_TERMS;
    double *before = take(&memory, C->m);
    memcpy(before, T->rate, doubles(C->m));
    for (;;) {
        outcome = hit(T, x, 0, &made, memory);
        if (outcome == LANDED) outcome = rest(T, x, &seen, &made, memory);
        if (outcome != LANDED) return outcome;
        if (forces_at(T, t, x, c, p)) return NO_TERMS;
        outcome = settle_pairs(T, t, x, c, p, &seen, memory);
        if (outcome == NO_TERMS) return outcome;
        if (outcome == LANDED) {
            outcome = hit_settled(T, x, &made, memory);
            if (outcome == MOVED && again-- > 0) continue; /* modes are those of other slips */
            if (outcome != LANDED && outcome != MOVED) return outcome;
            break;
        }
        if (outcome == ENDING) continue;
        if (is_limit(T, outcome)) {
            if (!is_loaded(T, outcome) || ++shocks > T->n_blocks || stop_loaded(T, x, outcome, &made, memory)) return outcome;
            continue;
        }
        if (T->rate[normal_of(T, outcome)] < -STRIKES && !seen.opens[outcome]) { /* it opens, and may do so */
            seen.opens[outcome] = 1;
            continue;
        }
        if (is_rope(T, outcome)) return outcome;
        if (++shocks > T->k || shock(T, x, outcome, &seen, &made, memory)) return outcome;
    }
    for (int64_t i = 0; i < C->m; i++) x[C->work_input] += C->phi_t[i] * made.impulses[i]; /* work of prescribed motion */
    for (int64_t i = 0; i < C->m; i++)
        if (C->losses[i] >= 0) x[C->losses[i]] += 0.5 * (before[i] + T->rate[i]) * made.impulses[i];
    give_leeway(T, x);
    if (close_gaps(T, t, x, c, p, BEYOND, memory)) return NO_TERMS;
    x[C->work_loss] -= made.lost;
    T->log_t[T->n_log] = t, T->log_lost[T->n_log] = made.lost, T->log_factor[T->n_log] = made.factor;
    T->log_shocks[T->n_log] = shocks, T->log_speed[T->n_log] = largest_of(x + C->nq, C->nv);
    C->t_seen = NAN;
    return LANDED;
}

/* Clear the records of blocks that have just released or slipped. */
static void release_all(struct transitions *T) {
    for (int64_t i = 0; i < T->n_blocks; i++) T->loose[i] = 0;
    for (int64_t r = 0; r < T->equations->n_rubbing; r++) T->slipping[r] = 0;
}

/* Latches of the switches among the events of an instant: first removals, then additions; then those that count. */
static void set_switches(struct transitions *T, double *x, const int64_t *fired) {
    for (int adds = 0; adds < 2; adds++)
        for (int64_t s = 0; s < T->n_switches; s++)
            for (int64_t j = T->switch_first[s]; fired[T->switch_event[s]] && j < T->switch_first[s + 1]; j++) {
                if ((T->switch_value[j] > 0.5) != adds) continue;
                x[T->switch_latch[j]] = T->switch_value[j];
                for (int64_t i = 0; i < T->k; i++)
                    if (T->flags[i] == T->switch_latch[j]) T->loose[i] = !adds;
            }
    for (int64_t j = 0; j < T->n_counts; j++)
        if (fired[T->count_event[j]]) x[T->count_latch[j]] += T->count_step[j];
}

static int begins(const double *x, const double *before, int64_t flag) {
    return flag >= 0 && x[flag] > 0.5 && !(before[flag] > 0.5);
}

/* Measurements of the constraints that begin to act, unlike `before`; without that, of all. */
static int64_t measure_anew(struct transitions *T, double t, double *x, const double *before, const double *c,
                            const double *p) {
    int any = 0;
    for (int64_t i = 0; i < T->n_measures; i++) any |= !before || begins(x, before, T->measure_flag[i]);
    if (!any) return LANDED;
    const double *in[4] = {&t, x, c, p};
    double *out[1] = {T->measured};
    if (T->measure(in, out, T->measure_work)) return NO_TERMS;
    for (int64_t i = 0; i < T->n_measures; i++)
        for (int64_t j = T->measure_first[i]; j < T->measure_first[i + 1]; j++)
            if (!before || begins(x, before, T->measure_flag[i])) x[T->measure_latch[j]] = T->measured[j];
    return LANDED;
}

/* Latches with which a run may start: constraints that hold a pose have measured it, cables longer than their path
 * are slack, no contact acts yet; contacts must not overlap. The caller then projects the state onto the constraints and
 * lands it. */
int64_t transitions_start(struct transitions *T, double t, double *x, const double *c, const double *p) {
    if (measure_anew(T, t, x, 0, c, p) != LANDED || geometry_at(T, t, x, c, p)) return NO_TERMS;
    for (int64_t i = T->k; i < T->n_blocks; i++) open_friction(T, x, i);
    release_all(T);
    for (int64_t i = 0; i < T->k; i++) {
        if (T->is_contact[i] && T->phi[normal_of(T, i)] > PENETRATES) return T->pair = normal_of(T, i), NOT_CLOSED;
        if (x[T->flags[i]] > -0.5) x[T->flags[i]] = !T->is_contact[i] && T->phi[normal_of(T, i)] >= -APART ? 1.0 : 0.0;
        open_friction(T, x, i);
    }
    return LANDED;
}

/* Constraints that begin to act, unlike `before`, measure themselves; the gaps of those that act both ways must be closed. */
static int64_t begin_to_act(struct transitions *T, double t, double *x, const double *before, const double *c,
                            const double *p) {
    struct constrained *C = T->equations;
    int any = 0;
    if (measure_anew(T, t, x, before, c, p) != LANDED) return NO_TERMS;
    for (int64_t i = 0; i < C->m; i++) any |= begins(x, before, C->flags[i]);
    if (!any) return LANDED;
    if (geometry_at(T, t, x, c, p)) return NO_TERMS;
    for (int64_t i = 0; i < C->m; i++) {
        int one_way = 0;
        for (int64_t j = 0; j < T->k; j++) one_way |= normal_of(T, j) == i;
        if (one_way || !begins(x, before, C->flags[i]) || fabs(T->phi[i]) <= CLOSED) continue;
        T->pair = i;
        return NOT_CLOSED;
    }
    return LANDED;
}

/* Forces of joints that stick and tensions of ropes, of which redundant ones continue from their last values. 0 = ok. */
static int keep_last(struct transitions *T, double t, double *x, const double *c, const double *p) {
    struct constrained *C = T->equations;
    const double *in[4] = {&t, x, c, p};
    int sticks = any_taut(C, x);
    for (int64_t i = T->k; i < T->n_blocks; i++) sticks |= x[*latches_of(T, i)] > 0.5;
    if (!sticks) return 0;
    if (contact_evaluate(C, in)) return 1;
    for (int64_t i = T->k; i < T->n_blocks; i++)
        if (x[*latches_of(T, i)] > 0.5) x[latches_of(T, i)[4]] = C->lambda[row_of(T, i, 1)];
    keep_tensions(C, x);
    C->t_seen = NAN;
    return 0;
}

/* Whether something is switched at an event. */
static int triggers(const struct transitions *T, int64_t event) {
    for (int64_t s = 0; s < T->n_switches; s++)
        if (T->switch_event[s] == event) return 1;
    return 0;
}

/* Write the changes of the cables into `fired`: those that went slack or taut, for any cause. A crossing of zero without
 * effect is no event. One that is jerked and goes slack at once has been taut before. The switch
 * reports its effect on a cable. */
static void tell_cables(const struct transitions *T, const double *x, int64_t *fired) {
    const struct constrained *C = T->equations;
    const double *impulses = T->log_impulses + T->n_log * C->m, least = JERKS * largest_of(impulses, C->m);
    for (int64_t i = 0; i < T->k; i++) {
        const int64_t lets_go = C->n_tape_events + i, takes_hold = lets_go + T->k;
        if (T->is_contact[i] || x[T->flags[i]] < -0.5) continue;
        const int acts = x[T->flags[i]] > 0.5, switches = fired[lets_go] && triggers(T, lets_go);
        const int jerked = impulses[normal_of(T, i)] > least || (fired[takes_hold] && triggers(T, takes_hold));
        int64_t slack = acts ? switches : T->acted[i] || fired[lets_go], taut = acts ? !T->acted[i] || fired[takes_hold] : 0;
        if (acts && switches) taut = HAPPENS_LAST;
        if (!acts && !T->acted[i] && jerked) taut = HAPPENS, slack = HAPPENS_LAST;
        if (slack && !fired[lets_go] && triggers(T, lets_go)) slack = FOLLOWS;
        if (taut && !fired[takes_hold] && triggers(T, takes_hold)) taut = FOLLOWS, slack = 0;
        fired[lets_go] = slack, fired[takes_hold] = taut;
    }
}

/* Report the sheaves of ropes that continue to pull: which begin to slip, or slip the other way, and which begin to
 * stick. One that was only seen to pass a limit did neither. */
static void tell_sheaves(const struct transitions *T, const double *x, int64_t *fired) {
    const struct constrained *C = T->equations;
    const int64_t slip = C->n_tape_events + 2 * T->k, stick = slip + C->n_rubbing;
    for (int64_t i = 0; i < T->k; i++)
        for (int64_t r = T->entry[i]; is_rope(T, i) && r < T->entry[i + 1]; r++) {
            const int64_t *place = T->friction + 7 * r;
            const int pulls = x[T->flags[i]] > 0.5 && T->acted[i];
            const int slips = pulls && x[place[1]] != 0.0 && x[place[1]] != T->toward[r];
            const int sticks = pulls && x[place[0]] > 0.5 && !isnan(T->toward[r]);
            fired[slip + r] = slips ? fired[slip + r] || !triggers(T, slip + r) ? HAPPENS : FOLLOWS : 0;
            fired[stick + r] = sticks ? fired[stick + r] || !triggers(T, stick + r) ? HAPPENS : FOLLOWS : 0;
        }
}

/* Coordinates beyond the kinks among the events of an instant, as far as they were before them. 0 = ok. */
static int pass_kinks(struct transitions *T, double *x, const double *p, const int64_t *fired) {
    struct constrained *C = T->equations;
    int any = 0;
    for (int64_t i = 0; i < T->n_kinks; i++) any |= fired[T->kink_event[i]] != 0;
    if (!any) return 0;
    const double *in[3] = {x, C->moved, p};
    double *out[1] = {C->q_moved};
    for (int64_t i = 0; i < C->nv; i++) C->moved[i] = 2.0 * T->kink_time * x[C->nq + i];
    if (C->move(in, out, C->move_work)) return 1;
    memcpy(x, C->q_moved, doubles(C->nq));
    C->t_seen = NAN;
    return 0;
}

/* State after the events of an instant, `fired` (as of `constrained_events`); these are then those that have happened. */
int64_t transitions_switch(void *context, double t, double *x, const double *c, const double *p, int64_t *fired) {
    struct transitions *T = context;
    struct constrained *C = T->equations;
    double *before = T->x_bare;
    if (keep_last(T, t, x, c, p) || pass_kinks(T, x, p, fired)) return NO_TERMS;
    memcpy(before, x, doubles(C->n));
    const int64_t *lets_go = fired + C->n_tape_events, *takes_hold = lets_go + T->k, *slips = takes_hold + T->k;
    if (T->t_loose != t)
        release_all(T);
    T->t_loose = t;
    for (int64_t r = 0; r < C->n_rubbing; r++)
        if (slips[r]) T->slipping[r] = 1;
    for (int64_t i = 0; i < T->k; i++) {
        if (takes_hold[i]) T->loose[i] = 0;
        else if (lets_go[i]) T->loose[i] = 1;
        /* whether contacts act is for their forces to say */
        if (!T->is_contact[i] && (takes_hold[i] || lets_go[i])) x[T->flags[i]] = takes_hold[i] ? 1.0 : 0.0;
    }
    if (T->n_measures) {
        /* A constraint that begins to act holds its measurement: a contact that is found beyond its gap would stay
         * there, and be found again at once. */
        int touched = 0;
        struct memory memory;
        memory.next = T->work;
        for (int64_t i = 0; i < T->k; i++) touched |= T->is_contact[i] && takes_hold[i];
        if (touched && (geometry_at(T, t, x, c, p) || close_gaps(T, t, x, c, p, 0.0, memory))) return NO_TERMS;
    }
    set_switches(T, x, fired);
    const int64_t begun = begin_to_act(T, t, x, before, c, p);
    if (begun != LANDED) return begun;
    set_switches(T, before, fired);
    for (int64_t i = 0; i < T->k; i++) T->acted[i] = before[T->flags[i]] > 0.5;
    for (int64_t r = 0; r < C->n_rubbing; r++) {
        const int64_t *place = T->friction + 7 * r;
        T->toward[r] = before[place[0]] > 0.5 ? NAN : before[place[1]];
    }
    const int64_t outcome = transitions_land(T, t, x, c, p);
    if (outcome == LANDED) tell_cables(T, x, fired), tell_sheaves(T, x, fired);
    return outcome;
}

/* Time after which a contact that has opened at the last transition touches again, if it continues to fall as it does
 * at x, where the accelerations have just been found; INFINITY if none does. */
double transitions_return(void *context, const double *x) {
    const struct transitions *T = context;
    const struct constrained *C = T->equations;
    double first = INFINITY;
    for (int64_t i = 0; i < T->k; i++) {
        const int64_t row = normal_of(T, i);
        if (!T->is_contact[i] || !touches(T, x, i) || x[T->flags[i]] > 0.5 || !(T->rate[row] < 0.0)) continue;
        const double fall = dot(T->J + row * C->nv, C->a, C->nv) - T->gamma[row];
        if (fall > 0.0) first = fmin(first, -2.0 * T->rate[row] / fall);
    }
    return first;
}

/* State `made` with which a run begins at x: impacts of contacts, and active unilateral constraints. Where values are held,
 * a state in which the same pairs act is left as it is. */
int64_t transitions_begin(struct transitions *T, double t, const double *x, double *made, const double *c,
                          const double *p) {
    struct constrained *C = T->equations;
    struct memory memory;
    int64_t outcome, contacts = 0;
    int differs = C->nc == 0;
    memory.next = T->work;
    memcpy(made, x, doubles(C->n));
    release_all(T);
    for (int64_t i = 0; i < T->n_blocks; i++) contacts |= T->is_contact[i] || is_rope(T, i);
    T->t_loose = NAN;
    if (contacts || T->n_blocks > T->k) outcome = transitions_land(T, t, made, c, p);
    else if (geometry_at(T, t, made, c, p) || forces_at(T, t, made, c, p)) outcome = NO_TERMS;
    else {
        struct seen seen;
        seen.ends = take_integers(&memory, T->n_blocks), seen.opens = take_integers(&memory, T->n_blocks);
        outcome = settle_pairs(T, t, made, c, p, &seen, memory);
    }
    if (outcome != LANDED) return outcome;
    for (int64_t i = 0; i < T->k; i++) {
        differs |= (made[T->flags[i]] > 0.5) != (x[T->flags[i]] > 0.5);
        for (int64_t j = 0; j < T->rubs[i]; j++) {
            const int64_t *place = sheave_latches(T, i, j);
            differs |= (made[*place] > 0.5) != (x[*place] > 0.5) || (is_rope(T, i) && made[place[1]] != x[place[1]]);
        }
    }
    for (int64_t i = T->k; i < T->n_blocks; i++)
        for (int j = 0; j < 2; j++) differs |= made[latches_of(T, i)[j]] != x[latches_of(T, i)[j]];
    if (!differs && !memcmp(made, x, doubles(C->nq + C->nv))) memcpy(made, x, doubles(C->n));
    C->t_seen = NAN;
    return LANDED;
}
