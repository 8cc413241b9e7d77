/* Events of a time loop, after loop.c: located inside the step in which their function changes sign, simultaneous ones
 * together, and followed by the action of their kind (`kinds`).
 *
 * Events that are `positive` must never be negative (see EventSpec): a negative one fires at once. Steps may be
 * those of loop.c, or those that a solver elsewhere has made and offers (`watch_offer`).
 */
#define PROBE 1e-6
#define SIMULTANEOUS 1e-9
#define LOCATED 1e-13 /* part of a step to which an event is located */
#define TOUCHING 1e-3 /* part of an event function below which it has only just left zero */
#define SECANTS 6 /* guesses that follow the last secant, before bisection has its turn */
#define SECANT 1e-5 /* part of a bracket over which a slope is taken, at least */
#define ROUNDED 1e-7 /* part of a step within which a crossing that does not come nearer has been found */
#define NODES 4 /* places of a step at which state and slope are known, for a polynomial through them */
#define FAITHFUL 0.1 /* part of the tolerances of a step by which such a polynomial may be off */
#define BEYOND_RETURN 1.05 /* length of a step after which a bounce is expected, by the time up to it */
#define SHORTEST 1e-6 /* of such steps, relative to the step of the method */
#define CROWD 500
#define CROWDED 1e-6
#define ROOM 4 /* rows that may be recorded beyond the capacity */

static double sign_of(double g) { return (double)((g > 0.0) - (g < 0.0)); }

static double step_to_come(const struct loop *L) {
    return L->pending ? L->h_used : L->adaptive ? L->h : L->step;
}

/* Event functions at t + s, into g_part; NaN where they cannot be evaluated. */
static void evaluate_part(struct watch *W, double s) {
    struct loop *L = W->loop;
    if (loop_partial(L, s, W->x_part, W->g_part))
        for (int64_t i = 0; i < L->n_events; i++) W->g_part[i] = NAN;
}

/* Take the signs that the fired events have just after the present time; functions that must not be negative are
 * evaluated anew in any case, so soon that Euler's step is enough: one that is zero now may be negative then. A function
 * that must not be negative and passes zero before that, having been clearly positive (g_kept), has still to be located. */
static void arm_events(struct watch *W) {
    struct loop *L = W->loop;
    const double s = PROBE * fmin(step_to_come(L), W->run_end - L->t);
    W->armed_at = L->t, W->armed_for = 0.0;
    if (!(s > 0.0)) return;
    int whole = L->custom != 0; /* it has no derivative */
    for (int64_t i = 0; i < L->n_events; i++) whole |= W->fired[i] && !W->positive[i] && W->kinds[i] != CUTS;
    if (whole) evaluate_part(W, s);
    else {
        if (!L->fresh && loop_derivative(L, L->t, L->x, L->stage)) return;
        L->fresh = 1;
        for (int64_t i = 0; i < L->n; i++) W->x_part[i] = L->x[i] + s * L->stage[i];
        if (settle(L, L->t + s, W->x_part) || evaluate(L->events, L, L->t + s, W->x_part, W->g_part, L->events_work)) return;
    }
    for (int64_t i = 0; i < L->n_events; i++) {
        const int takes = W->fired[i] || (W->positive[i] && L->signs[i] == 0.0);
        if (takes && !(W->positive[i] && W->g_part[i] < 0.0 && W->g_kept[i] > -TOUCHING * W->g_part[i]))
            L->signs[i] = sign_of(W->g_part[i]);
    }
    W->armed_for = s;
}

/* The polynomial at s, into x_part. Every node counts twice: state and slope. */
static void interpolate(struct watch *W, double s) {
    const int64_t n = W->loop->n;
    double *restrict x = W->x_part;
    memset(x, 0, (size_t)n * sizeof(double));
    for (int64_t k = 2 * W->n_nodes - 1; k >= 0; k--) {
        const double away = s - W->nodes[k / 2], *restrict c = W->newton + k * n;
        for (int64_t i = 0; i < n; i++) x[i] = c[i] + away * x[i];
    }
}

/* State i of the polynomial at s, by Horner's rule; its slope there is in `slope`. */
static double value_at(const struct watch *W, double s, int64_t i, double *slope) {
    double value = 0.0;
    *slope = 0.0;
    for (int64_t k = 2 * W->n_nodes - 1; k >= 0; k--) {
        const double away = s - W->nodes[k / 2];
        *slope = value + away * *slope, value = W->newton[k * W->loop->n + i] + away * value;
    }
    return value;
}

/* An error of state i, relative to the allowed one, a part of the tolerances of a step. Fixed steps allow none. */
static double relative_error(const struct loop *L, int64_t i, double off) {
    if (!L->adaptive) return INFINITY;
    const double size = fmax(fabs(L->x[i]), fabs(L->x_next[i]));
    return L->counted[i] * fabs(off) / (FAITHFUL * (L->atol[i] + L->rtol * size));
}

/* Take in the state x at s and the slope there (`slope`). Returns by how much the polynomial was off before. */
static double add_node(struct watch *W, double s, const double *x) {
    const struct loop *L = W->loop;
    const int64_t n = L->n, used = 2 * W->n_nodes;
    double *restrict first = W->newton + used * n, *restrict second = first + n;
    double weight = 1.0, weight_slope = 0.0, most = 0.0;
    for (int64_t k = 0; k < used; k++) {
        const double away = s - W->nodes[k / 2];
        weight_slope = weight + away * weight_slope, weight *= away;
    }
    for (int64_t i = 0; i < n; i++) {
        double slope;
        const double off = x[i] - value_at(W, s, i, &slope);
        first[i] = off / weight;
        second[i] = (W->slope[i] - slope - first[i] * weight_slope) / weight;
        most = fmax(most, relative_error(L, i, off));
    }
    W->nodes[W->n_nodes++] = s;
    return most;
}

/* By how much the polynomial is off in the middle, by its defect p' - f where that is largest if both ends are right:
 * an error c s^2 (h - s)^2 has there the slope 3^-1.5 c h^3, in the middle it is c h^4 / 16. */
static double defect(struct watch *W) {
    struct loop *L = W->loop;
    const double h = L->h_used, s = (0.5 - 0.5 / sqrt(3.0)) * h;
    double most = 0.0;
    if (!L->adaptive) return INFINITY;
    interpolate(W, s);
    if (loop_derivative(L, L->t + s, W->x_part, W->slope)) return INFINITY;
    for (int64_t i = 0; i < L->n; i++) {
        double slope;
        value_at(W, s, i, &slope);
        most = fmax(most, relative_error(L, i, h * sqrt(27.0) / 16.0 * (W->slope[i] - slope)));
    }
    return most;
}

/* Know the pending step by its ends: a cubic. Returns by how much it is off in the middle. */
static double interpolate_ends(struct watch *W) {
    struct loop *L = W->loop;
    const size_t size = (size_t)L->n * sizeof(double);
    W->n_nodes = 1, W->nodes[0] = 0.0, W->inside = 0;
    memcpy(W->newton, L->x, size);
    memcpy(W->newton + L->n, L->stage, size);
    if (loop_derivative(L, L->t_next, L->x_next, W->slope)) return INFINITY;
    if (L->n_further) memcpy(L->stage + (L->stages - 1) * L->n, W->slope, size); /* after a projection it is another one */
    add_node(W, L->h_used, L->x_next);
    return defect(W);
}

/* Know it by the method's own polynomial too, if it has one: state and slope at two places more. The error is then again
 * one that both ends are free of. Returns whether it could be evaluated. */
static int interpolate_inside(struct watch *W) {
    struct loop *L = W->loop;
    const int64_t n = L->n, stages = L->stages, total = stages + L->n_further;
    const double *k[MOST_STAGES], h = L->h_used;
    W->inside = -1;
    if (!L->n_further || W->n_nodes != 2) return 0;
    for (int64_t j = 0; j < stages; j++) k[j] = L->stage + j * n;
    for (int64_t j = 0; j < L->n_further; j++) {
        double *const further = L->stage_partial + j * n;
        combine(L->x, h, L->further_a + j * total, (int)(stages + j), k, L->x_stage, (int)n);
        if (loop_derivative(L, L->t + L->further_nodes[j] * h, L->x_stage, further)) return 0;
        k[stages + j] = further;
    }
    for (int place = 0; place < 2; place++) {
        combine(L->x, h, L->inner + 2 * place * total, (int)total, k, W->x_part, (int)n);
        combine(0, 1.0, L->inner + (2 * place + 1) * total, (int)total, k, W->slope, (int)n);
        add_node(W, (place + 1) * h / 3.0, W->x_part);
    }
    W->inside = 1, W->off = defect(W);
    return 1;
}

/* Forget it, where it is not good enough. */
static void discard_inside(struct watch *W) { W->n_nodes = 2, W->inside = -1, W->off = INFINITY; }

/* Result of a kernel for the pending step at t + s by the polynomial, into g_part. */
static void evaluate_polynomial_by(struct watch *W, kernel some, double s) {
    struct loop *L = W->loop;
    interpolate(W, s);
    if (evaluate(some, L, L->t + s, W->x_part, W->g_part, L->events_work))
        for (int64_t i = 0; i < L->n_events; i++) W->g_part[i] = NAN;
}

/* All event functions, or gaps alone. */
static void evaluate_polynomial(struct watch *W, double s) { evaluate_polynomial_by(W, W->loop->events, s); }
static void evaluate_polynomial_gaps(struct watch *W, double s) { evaluate_polynomial_by(W, W->loop->gaps, s); }

/* A bracket (a, b] of the crossing of event i, with a guess of it (NaN: none) and the slope there. With
 * `deflated`, the function is divided by the time since `zero`, at which it has left zero: a ball that bounces. */
struct bracket {
    double a, g_a, b, g_b, tolerance, guess, slope, zero;
    int deflated;
};

static double deflated_value(const struct bracket *B, double x, double g) { return B->deflated ? g / (x - B->zero) : g; }

/* Where event i has just crossed, to the tolerance; g_found and x_found are the functions and the state there.
 *
 * Inverse quadratic interpolation where it can be trusted, else bisection (T. R. Chandrupatla, "A new hybrid
 * quadratic/bisection algorithm for finding the zero of a nonlinear function without using derivatives", Adv. Eng.
 * Software 28 (1997) 145-149), but done as soon as a point beyond the root is as near to it as its own secant says: a
 * step of the loop is looked into a few times only. */
static double find_crossing(struct watch *W, void (*probe)(struct watch *, double), int64_t i, struct bracket *B) {
    const size_t size = (size_t)W->loop->n_events * sizeof(double), state = (size_t)W->loop->n * sizeof(double);
    double x1 = B->b, g1 = deflated_value(B, x1, B->g_b), x2 = B->a, g2 = deflated_value(B, x2, B->g_a), x3, g3;
    double part = B->deflated ? g1 / (g1 - g2) : 0.5;
    for (int round = 0; round < 200; round++) {
        const double most = fmax(fabs(x1), fabs(x2)), low = fmin(x1, x2), high = fmax(x1, x2);
        const double width = fmax(B->tolerance, 4.0 * (nextafter(most, INFINITY) - most));
        if (g1 == 0.0 || high - low <= width) break;
        const double least = 0.5 * width / fabs(x2 - x1);
        part = fmin(fmax(part, least), 1.0 - least);
        double x = x1 + part * (x2 - x1);
        if (round == 0 && B->guess > low && B->guess < high) x = B->guess;
        const double secant = x1 - g1 / B->slope;
        if (round && round < SECANTS && secant > low && secant < high) x = secant;
        if (round && x + 0.25 * width < high) x += 0.25 * width; /* rather beyond the root than before it */
        probe(W, x);
        const double g = deflated_value(B, x, W->g_part[i]);
        const int far = (g > 0.0) == (B->g_b > 0.0) || g == 0.0;
        if (far) memcpy(W->g_found, W->g_part, size), memcpy(W->x_found, W->x_part, state);
        const int apart = fabs(x - x1) > SECANT * (B->b - B->a); /* else their difference is rounding */
        if ((round || probe != evaluate_part || B->slope == 0.0) && apart && g != g1) B->slope = (g - g1) / (x - x1);
        if ((g > 0.0) == (g1 > 0.0)) x3 = x1, g3 = g1;
        else x3 = x2, g3 = g2, x2 = x1, g2 = g1;
        x1 = x, g1 = g;
        if (far && fabs(g) <= 0.5 * width * fabs(B->slope)) return x1;
        const double xi = (x1 - x2) / (x3 - x2), phi = (g1 - g2) / (g3 - g2);
        part = 0.5;
        if (phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi) {
            part = (g1 / (g2 - g1)) * (g3 / (g2 - g3));
            part += (x3 - x1) / (x2 - x1) * (g1 / (g3 - g1)) * (g2 / (g3 - g2));
        }
    }
    return (g1 > 0.0) == (B->g_b > 0.0) || g1 == 0.0 ? x1 : x2;
}

/* Error of the polynomial at s, `off` being that of the cubic in the middle, or where the last node came in. */
static double error_at(const struct watch *W, double s) {
    const double h = W->loop->h_used, z = 4.0 * s * (h - s) / (h * h);
    if (W->n_nodes == 2 || W->inside > 0) return W->off * z * z;
    const int64_t last = W->n_nodes - 1;
    const double at = W->nodes[last];
    double part = (s - at) / W->loop->h_used;
    for (int64_t k = 0; k < last; k++) part *= (s - W->nodes[k]) / (at - W->nodes[k]);
    return W->off * part * part;
}

/* Settle the polynomial's state at s, where event i crosses on it, and follow the event as that moves it; x_found and
 * g_found are the state and the functions there. NaN: this does not succeed. */
static double settled_crossing(struct watch *W, int64_t i, const struct bracket *B, double s) {
    struct loop *L = W->loop;
    double before = INFINITY;
    for (int round = 0; round < 6; round++) {
        interpolate(W, s);
        memcpy(W->x_found, W->x_part, (size_t)L->n * sizeof(double));
        if (settle(L, L->t + s, W->x_found)) return NAN;
        if (evaluate(L->events, L, L->t + s, W->x_found, W->g_found, L->events_work)) return NAN;
        const double beyond = deflated_value(B, s, W->g_found[i]) / B->slope;
        const int rounded = fabs(beyond) > 0.5 * before && fabs(beyond) <= ROUNDED * L->h_used;
        if (fabs(beyond) <= B->tolerance || rounded) {
            if (W->g_found[i] * B->g_b < 0.0) W->g_found[i] = 0.0; /* it crosses here, by less than the resolution */
            return s;
        }
        s -= beyond, before = fabs(beyond);
        if (!(s > B->a && s < B->b)) return NAN;
    }
    return NAN;
}

/* Where event i has just crossed in (a, b], by evaluations within the step and a polynomial through them: it is
 * refined until it is as accurate as an evaluation at the crossing. */
static double crossing_of(struct watch *W, int64_t i, double a, double g_a, double b, double g_b, double tolerance) {
    struct loop *L = W->loop;
    const size_t size = (size_t)L->n_events * sizeof(double), state = (size_t)L->n * sizeof(double);
    struct bracket B = {a, g_a, b, g_b, fmax(tolerance, 1e-3 * (b - a)), NAN, 0.0, a, 0};
    const int is_gap = L->gaps && i >= L->first_gap && i < L->first_gap + L->n_gaps;
    void (*const probe)(struct watch *, double) = is_gap ? evaluate_polynomial_gaps : evaluate_polynomial;
    if (!L->custom && !W->kinks[i]) {
        memcpy(W->g_kept, W->g_found, size), memcpy(W->x_kept, W->x_found, state); /* at the far end, not guessed */
        if (fabs(g_a) <= TOUCHING * fabs(g_b)) {
            probe(W, a + TOUCHING * (b - a));
            if (W->g_part[i] * g_a > 0.0) B.deflated = 1, B.a = a + TOUCHING * (b - a), B.g_a = W->g_part[i];
        }
        for (;;) {
            const double s = find_crossing(W, probe, i, &B);
            if (s >= B.b) break;
            B.guess = isfinite(B.slope) && B.slope != 0.0 ? s - deflated_value(&B, s, W->g_found[i]) / B.slope : NAN;
            if (error_at(W, s) <= 1.0) {
                if (B.tolerance > tolerance) { /* good enough to find it there */
                    B.tolerance = tolerance;
                    continue;
                }
                const double at = settled_crossing(W, i, &B, s);
                if (isnan(at)) break;
                return at;
            }
            if (!W->inside && interpolate_inside(W)) continue;
            if (W->inside > 0) discard_inside(W);
            if (W->n_nodes == (L->adaptive ? NODES : 3)) break; /* looks from here on, the first one at the guess */
            evaluate_part(W, s);
            const double g = W->g_part[i];
            if (isnan(g) || loop_derivative(L, L->t + s, W->x_part, W->slope)) break;
            W->off = add_node(W, s, W->x_part);
            if (g * g_b >= 0.0) {
                B.b = s, B.g_b = g;
                memcpy(W->g_kept, W->g_part, size), memcpy(W->x_kept, W->x_part, state);
            } else B.a = s, B.g_a = g;
            B.tolerance = tolerance;
            B.guess = isfinite(B.slope) && B.slope != 0.0 ? s - deflated_value(&B, s, g) / B.slope : NAN;
        }
        memcpy(W->g_found, W->g_kept, size), memcpy(W->x_found, W->x_kept, state);
    }
    B.tolerance = tolerance;
    return find_crossing(W, evaluate_part, i, &B);
}

static int crossed(const struct watch *W, int64_t i, double g) {
    const struct loop *L = W->loop;
    return !W->passed[i] && L->signs[i] != 0.0 && g * L->signs[i] <= 0.0 && (double)L->directions[i] * L->signs[i] <= 0.0;
}

/* Event functions at s, into g_part, from those just before, at `first` (g_found): their change is small, and so
 * is the error of a polynomial that is accurate to a part of the tolerances. */
static void evaluate_beyond(struct watch *W, double first, double s) {
    const int64_t n = W->loop->n_events;
    if (!W->loop->adaptive || W->loop->custom || W->n_nodes < 2) {
        evaluate_part(W, s);
        return;
    }
    evaluate_polynomial(W, first);
    memcpy(W->g_kept, W->g_part, (size_t)n * sizeof(double));
    evaluate_polynomial(W, s);
    for (int64_t i = 0; i < n; i++) W->g_part[i] += W->g_found[i] - W->g_kept[i];
}

/* Time since the start of the pending step of its first events, which are then `fired`; -1 if there are none. */
static double locate(struct watch *W) {
    struct loop *L = W->loop;
    const size_t size = (size_t)L->n_events * sizeof(double);
    const double h = L->h_used, end = L->t + h;
    const double tolerance = fmax(LOCATED * h, 16.0 * (nextafter(end, INFINITY) - end));
    double first = INFINITY;
    int64_t located = -1; /* the event that is the first, wherever it cannot be located again */
    int any = 0;
    for (int64_t i = 0; i < L->n_events; i++) any |= crossed(W, i, L->g_next[i]);
    if (!any) return -1.0; /* all that have crossed have passed */
    if (!L->custom) W->off = interpolate_ends(W);
    evaluate_part(W, 0.0);
    memcpy(W->g_start, W->g_part, size);
    memcpy(W->g_found, L->g_next, size);
    memcpy(W->x_found, L->x_next, (size_t)L->n * sizeof(double));
    for (int64_t i = 0; i < L->n_events; i++) {
        double a = 0.0, g_a = W->g_start[i];
        W->fired[i] = 0;
        if (!crossed(W, i, L->g_next[i])) continue;
        if (g_a * L->signs[i] <= 0.0 && L->t == W->armed_at) {
            a = W->armed_for, g_a = 0.0;
            if (a < h) evaluate_part(W, a), g_a = W->g_part[i];
            if (g_a * L->signs[i] <= 0.0 && !(W->positive[i] && g_a < 0.0)) continue;
        }
        W->fired[i] = 1;
        if (g_a * L->signs[i] <= 0.0) { /* the function jumped with a held value, at the start of the step */
            memcpy(W->g_found, W->g_start, size);
            memcpy(W->x_found, L->x, (size_t)L->n * sizeof(double));
            first = 0.0, located = i;
            continue;
        }
        if (first == INFINITY) first = crossing_of(W, i, a, g_a, h, L->g_next[i], tolerance), located = i;
        else if (first > a && crossed(W, i, W->g_found[i])) /* else it comes later */
            first = crossing_of(W, i, a, g_a, first, W->g_found[i], tolerance), located = i;
    }
    if (first == INFINITY) return -1.0;
    if (h - first <= tolerance) { /* the end of the step, which is known */
        memcpy(W->g_found, L->g_next, size);
        memcpy(W->x_found, L->x_next, (size_t)L->n * sizeof(double));
        first = h;
    }
    /* events that have crossed there but are back at the end of the step came before */
    for (int64_t i = 0; i < L->n_events; i++) {
        if (crossed(W, i, L->g_next[i]) || !crossed(W, i, W->g_found[i]) || W->g_start[i] * L->signs[i] <= 0.0) continue;
        W->fired[i] = 1, located = i;
        first = crossing_of(W, i, 0.0, W->g_start[i], first, W->g_found[i], tolerance);
    }
    /* crossings within this part of a step are one instant, that of the first: no gap exceeds its bound */
    int others = 0;
    for (int64_t i = 0; i < L->n_events; i++) others |= W->fired[i] && !crossed(W, i, W->g_found[i]);
    if (!others) return first;
    evaluate_beyond(W, first, fmin(first + fmax(SIMULTANEOUS * h, 2.0 * tolerance), h));
    for (int64_t i = 0; i < L->n_events; i++)
        W->fired[i] = W->fired[i] && (i == located || crossed(W, i, W->g_found[i]) || crossed(W, i, W->g_part[i]));
    return first;
}

/* Accept the part of length s of the pending step, at which events were found, and record it. */
static void commit(struct watch *W, double s) {
    struct loop *L = W->loop;
    if (s < L->h_used && L->t + s < L->t_next) {
        memcpy(L->x_next, W->x_found, (size_t)L->n * sizeof(double));
        memcpy(L->g_next, W->g_found, (size_t)L->n_events * sizeof(double));
        L->t_next = L->t + s, L->whole = 0;
    }
    const int64_t rows = L->n_rows;
    loop_accept(L);
    if (L->n_rows == rows) loop_push(L);
}

static void record_one(struct watch *W, int64_t i, double sign, double t, const double *x) {
    const int64_t n = W->loop->n, k = W->n_records++;
    W->record_event[k] = i, W->record_sign[k] = (int64_t)sign, W->record_t[k] = t;
    memcpy(W->record_x + k * n, x, (size_t)n * sizeof(double));
}

/* Record the fired events at time t and state x; `signs` are those that they had. */
static void record(struct watch *W, double t, const double *x, const double *signs) {
    for (int64_t order = HAPPENS; order <= HAPPENS_LAST; order++)
        for (int64_t i = 0; i < W->loop->n_events; i++)
            if (W->fired[i] == order && W->kinds[i] != CUTS) record_one(W, i, signs ? -signs[i] : -1.0, t, x);
}

/* Handle the events that have jumped over zero at a transition from the state x, with the signs `before`. */
static void record_jumps(struct watch *W, double t, const double *x, const double *before) {
    const struct loop *L = W->loop;
    for (int64_t i = 0; i < L->n_events; i++) {
        if (!W->jumps[i] || W->fired[i] || !(before[i] * L->signs[i] < 0.0) || (double)L->directions[i] * before[i] > 0.0) continue;
        W->fired[i] = W->kinds[i] == SWITCHES ? FOLLOWS : HAPPENS;
        if (W->fired[i] == HAPPENS) record_one(W, i, L->signs[i], t, x);
    }
}

/* Largest kind among the fired events. */
static int64_t demand(const struct watch *W) {
    int64_t most = PASSES;
    for (int64_t i = 0; i < W->loop->n_events; i++)
        if (W->fired[i] && W->kinds[i] > most) most = W->kinds[i];
    return most;
}

/* The first of the fired events. */
static int64_t first_fired(const struct watch *W) {
    int64_t i = 0;
    while (i < W->loop->n_events - 1 && !W->fired[i]) i++;
    return i;
}

/* Whether so many transitions have come so close to each other that they will never end; `event` has caused the last. */
static int accumulated(struct watch *W, int64_t event) {
    const struct loop *L = W->loop;
    if (W->n_stops == CROWD) memmove(W->stops, W->stops + 1, (CROWD - 1) * sizeof(double));
    else W->n_stops++;
    W->stops[W->n_stops - 1] = L->t;
    if (W->n_stops < CROWD || L->t - W->stops[0] > CROWDED * (W->run_end - W->run_start)) return 0;
    W->culprit = event;
    return 1;
}

/* Continue from the state x at the present time, in place of the current one. */
static void restart(struct watch *W, const double *x) {
    struct loop *L = W->loop;
    memcpy(L->x, x, (size_t)L->n * sizeof(double));
    L->fresh = 0;
    loop_push(L);
    evaluate_part(W, 0.0);
    memcpy(W->g_kept, W->g_part, (size_t)L->n_events * sizeof(double));
    for (int64_t i = 0; i < L->n_events; i++) L->signs[i] = sign_of(W->g_part[i]);
}

/* Expect a bounce soon, if the code that makes transitions does. */
static void expect_return(struct watch *W) {
    struct loop *L = W->loop;
    if (!W->returns || !L->adaptive) return;
    const double soon = fmax(BEYOND_RETURN * W->returns(W->context, L->x), SHORTEST * L->h);
    L->soon = soon < L->h ? soon : 0.0;
}

/* Make the transition of the fired events, record them and its consequences, and arm them again; `signs` are their earlier signs.
 * Returns REACHED, or the reason why not. */
static int64_t make_transition(struct watch *W, const double *signs) {
    struct loop *L = W->loop;
    const int64_t event = first_fired(W);
    double finite = 0.0, *const before = W->g_found;
    memcpy(W->x_part, L->x, (size_t)L->n * sizeof(double));
    memcpy(W->x_found, L->x, (size_t)L->n * sizeof(double));
    memcpy(before, L->signs, (size_t)L->n_events * sizeof(double));
    W->change_first[*W->n_changes] = W->n_records;
    W->culprit = W->transition(W->context, L->t, W->x_part, L->c, L->p, W->fired);
    record(W, L->t, L->x, signs);
    if (W->culprit != -1) return ILL_POSED;
    for (int64_t i = 0; i < L->n; i++) finite += 0.0 * W->x_part[i];
    if (finite != 0.0) return NOT_FINITE;
    ++*W->n_changes;
    memcpy(W->x_kept, W->x_part, (size_t)L->n * sizeof(double));
    restart(W, W->x_kept);
    record_jumps(W, L->t, W->x_found, before);
    expect_return(W);
    arm_events(W);
    return accumulated(W, event) ? ACCUMULATED : REACHED;
}

/* Carry out the actions of the fired events, at which the step has ended; `signs` are their earlier signs. Returns
 * REACHED, ASKED where the caller may change the state, or the reason why the run ends. */
static int64_t respond_to_events(struct watch *W, const double *signs) {
    const struct loop *L = W->loop;
    const int64_t most = demand(W);
    if (most == SWITCHES && W->transition) {
        const int64_t outcome = make_transition(W, signs);
        if (outcome != REACHED) return outcome;
        W->unsettled = 1;
    } else {
        record(W, L->t, L->x, signs);
        if (most == ENDS) return STOPPED;
        arm_events(W);
        if (accumulated(W, first_fired(W))) return ACCUMULATED;
    }
    return W->asks && most > CUTS ? ASKED : REACHED;
}

static int has_room(const struct watch *W) {
    return *W->n_changes < W->changes_capacity && W->n_records + W->loop->n_events <= W->records_capacity;
}

/* Handle the functions that must not be negative and are, and events that follow from the last transition, at this very
 * instant. */
static int64_t settle_negative(struct watch *W) {
    struct loop *L = W->loop;
    for (;;) {
        int any = 0;
        for (int64_t i = 0; i < L->n_events; i++) any |= W->fired[i] = W->fired[i] == FOLLOWS || (W->positive[i] && L->signs[i] < 0.0);
        if (!any) break;
        if (!has_room(W)) return LOG_FULL;
        if (L->n_rows >= L->capacity + ROOM) return FULL;
        const int64_t outcome = respond_to_events(W, 0);
        if (outcome != REACHED) return outcome;
    }
    W->unsettled = 0;
    return REACHED;
}

/* Arm all events at the present state, where the caller has put it. */
void watch_begin(struct watch *W) {
    struct loop *L = W->loop;
    evaluate_part(W, 0.0);
    for (int64_t i = 0; i < L->n_events; i++) L->signs[i] = sign_of(W->g_part[i]), W->fired[i] = 1;
    for (int64_t i = 0; i < L->n_events; i++) W->g_kept[i] = 0.0; /* all take the sign that they have just after */
    arm_events(W);
    W->unsettled = W->n_positive > 0;
}

/* Handle the events that have crossed at the present state, which the caller has reached by another method. */
int64_t watch_here(struct watch *W) {
    struct loop *L = W->loop;
    int any = 0;
    if (W->unsettled) return settle_negative(W);
    if (!has_room(W)) return LOG_FULL;
    L->fresh = 0;
    if (evaluate(L->events, L, L->t, L->x, W->g_part, L->events_work)) return DIVERGED;
    for (int64_t i = 0; i < L->n_events; i++) any |= W->fired[i] = crossed(W, i, W->g_part[i]);
    memcpy(W->g_start, L->signs, (size_t)L->n_events * sizeof(double));
    for (int64_t i = 0; i < L->n_events; i++) L->signs[i] = sign_of(W->g_part[i]);
    if (!any || demand(W) <= CUTS) return REACHED;
    const int64_t outcome = respond_to_events(W, W->g_start);
    return outcome == REACHED && W->unsettled ? settle_negative(W) : outcome;
}

/* The caller's answer where it was ASKED: the state x to continue with, or 0 if it stays; `landed`: a transition has
 * made it so. */
int64_t watch_answer(struct watch *W, const double *x, int64_t landed) {
    if (!x) return REACHED;
    restart(W, x);
    if (landed) expect_return(W);
    arm_events(W);
    W->unsettled = W->n_positive > 0;
    return accumulated(W, first_fired(W)) ? ACCUMULATED : REACHED;
}

/* Deal with the pending step, in which event functions have changed their signs. REACHED: continue. */
static int64_t take_events(struct watch *W) {
    struct loop *L = W->loop;
    const size_t size = (size_t)L->n_events * sizeof(double);
    int64_t outcome = REACHED;
    for (int first = 1;; first = 0) {
        const double s = locate(W);
        if (first && s > 0.0 && s < L->h_used && refused(L, L->t + s, W->x_found)) return REACHED;
        if (s < 0.0) {
            loop_accept(L);
            break;
        }
        if (demand(W) == PASSES) { /* the step stays as it is */
            record(W, L->t + s, W->x_found, L->signs);
            for (int64_t i = 0; i < L->n_events; i++) W->passed[i] |= W->fired[i];
            if (has_room(W)) continue;
            loop_accept(L); /* further crossings in it are no longer resolved */
            break;
        }
        memcpy(W->g_start, L->signs, size);
        commit(W, s);
        outcome = respond_to_events(W, W->g_start);
        break;
    }
    memset(W->passed, 0, (size_t)L->n_events * sizeof(int64_t));
    return outcome;
}

/* Advance as `loop_advance` does, through the events. */
int64_t watch_advance(struct watch *W) {
    for (;;) {
        int64_t outcome;
        if (W->unsettled && (outcome = settle_negative(W)) != REACHED) return outcome;
        if (!has_room(W)) return LOG_FULL;
        outcome = loop_advance(W->loop);
        if (outcome == CROSSING) outcome = take_events(W);
        else return outcome;
        if (outcome != REACHED) return outcome;
    }
}

/* Handle the pending events where the last event, or answer, has left the state. */
int64_t watch_settle(struct watch *W) { return W->unsettled ? settle_negative(W) : REACHED; }

/* Take a step that a solver elsewhere has made from the present state, which is settled: x_next at t_next = t + h_used. */
int64_t watch_offer(struct watch *W) {
    if (!has_room(W)) return LOG_FULL;
    const int64_t outcome = loop_offer(W->loop);
    if (outcome == CROSSING) return take_events(W);
    if (outcome == REACHED) loop_accept(W->loop);
    return outcome;
}
