/* What acts one way only, cables that pull and contacts that push: their impacts, and how the motion goes on.
 *
 * loop/unilateral.py and loop/switching.py are the same in Python, with the reasons; keep the two alike. After
 * constrained.c, contact.c and contact_algebra.c: the terms of the equations come from the tapes of `struct constrained`.
 */
#include "transitions.h"

#define TOUCHES 1e-8
#define STILL 1e-4
#define BEYOND 0.999e-11
#define EDGE (1.0 - 1e-9)
#define SLIPS 1e-7
#define SLOWEST 1e-9
#define RESTS 1e-12
#define STRIKES 1e-10
#define PULLS 1e-9
#define AHEAD 10.0
#define NEARER 1e-6
#define LETS_GO 1e-6
#define CLOSED 1e-6
#define PENETRATES 1e-6
#define APART 1e-9

int64_t transitions_memory(int64_t nv, int64_t m, int64_t k) {
    int64_t most = least_constraint_memory(nv, m);
    if (minimum_norm_memory(nv, m) > most) most = minimum_norm_memory(nv, m);
    if (strike_memory(k) > most) most = strike_memory(k);
    return most + factors_memory(nv, m) + 3 * k * (3 * k + nv + 12) + 18 * (m + nv) + 19 * k + mass_memory(nv, m) + 128;
}

/* M, J, Phi and Phi' at a state. 0 = ok. */
static int geometry_at(struct transitions *T, double t, const double *x, const double *c, const double *p) {
    struct constrained *C = T->equations;
    const double *in[4] = {&t, x, c, p};
    if (evaluate_geometry(C, in)) return 1;
    for (int64_t i = 0; i < C->m; i++) {
        T->phi[i] = C->phi[i], T->rate[i] = C->phidot[i];
        for (int64_t j = 0; j < C->nv; j++) T->J[i * C->nv + j] = C->Jt[j * C->m + i];
    }
    memcpy(T->M, C->M, doubles(C->nv * C->nv));
    T->factored = 0;
    return 0;
}

/* The factors of M and J there, which all that follows shares. 0 = ok. */
static int mass_of(struct transitions *T, struct mass *Q) {
    Q->nv = T->equations->nv, Q->m = T->equations->m, Q->M = T->M, Q->J = T->J, Q->R = T->R, Q->Y = T->Y;
    if (!T->factored && factorise_mass(Q)) return 1;
    T->factored = 1;
    return 0;
}

/* Applied forces and the right side of J a = gamma at a state. The forces that pairs share are no part of them. */
static int forces_at(struct transitions *T, double t, const double *x, const double *c, const double *p) {
    struct constrained *C = T->equations;
    memcpy(T->x_bare, x, doubles(C->n));
    for (int64_t i = 0; i < C->m; i++)
        if (C->n_rubbing && C->shares[i] >= 0) T->x_bare[C->shares[i]] = 0.0;
    const double *in[4] = {&t, T->x_bare, c, p};
    if (C->n_rubbing) {
        double *outs[10] = {C->rates, C->f, C->Jt, C->phi, C->phidot, C->gamma, C->phi_t, C->M, C->drag, C->cone};
        C->t_seen = NAN;
        if (C->tape(in, outs, C->tape_work)) return 1;
    } else if (evaluate_tape(C, in)) return 1;
    C->t_seen = NAN;
    memcpy(T->f, C->f, doubles(C->nv));
    memcpy(T->gamma, C->gamma, doubles(C->m));
    return 0;
}

/* Whether a pair acts or could; what was cut does not. */
static int touches(const struct transitions *T, const double *x, int64_t i) {
    const double on = x[T->flags[i]];
    return on > 0.5 || (on > -0.5 && T->phi[T->rows[i]] > -TOUCHES);
}

/* Which rows take part in an instant, and which of all rows act one way only. */
static void taking_part(const struct transitions *T, const double *x, int64_t *part, int64_t *one_way) {
    for (int64_t i = 0; i < T->equations->m; i++) part[i] = acts(T->equations, x, i), one_way[i] = 0;
    for (int64_t i = 0; i < T->k; i++) {
        one_way[T->rows[i]] = 1;
        part[T->rows[i]] = touches(T, x, i) && !T->loose[i];
    }
}

/* Rows of constraints that act, all but those of pairs, with their right sides; returns their number. */
static int64_t gather_held(const struct transitions *T, const double *x, const double *values, double sign,
                           int64_t *held, double *right, struct memory memory) {
    const int64_t m = T->equations->m;
    int64_t count = 0, *of_pair = take_integers(&memory, m);
    for (int64_t i = 0; i < T->k; i++) {
        of_pair[T->rows[i]] = 1;
        for (int j = 0; j < 2; j++)
            if (T->tangents[2 * i + j] >= 0) of_pair[T->tangents[2 * i + j]] = 1;
    }
    for (int64_t i = 0; i < m; i++)
        if (acts(T->equations, x, i) && !of_pair[i]) held[count] = i, right[count++] = sign * values[i];
    return count;
}

/* Row of a pair's normal (0) or tangent (1, 2), -1 if it has none. */
static int64_t row_of(const struct transitions *T, int64_t i, int way) {
    return way ? T->tangents[2 * i + way - 1] : T->rows[i];
}

/* Numbers of the rows of the chosen pairs, three each (zero where there is none), turned round. */
static void spread(const struct transitions *T, const int64_t *chosen, int64_t count, const double *values, double *out) {
    for (int64_t i = 0; i < 3 * count; i++) {
        const int64_t row = row_of(T, chosen[i / 3], (int)(i % 3));
        out[i] = row >= 0 ? -values[row] : 0.0;
    }
}

/* What the rows of the chosen pairs make of velocities or accelerations w, the same way. */
static void spread_along(const struct transitions *T, const int64_t *chosen, int64_t count, const double *w, double *out) {
    const int64_t nv = T->equations->nv;
    for (int64_t i = 0; i < 3 * count; i++) {
        const int64_t row = row_of(T, chosen[i / 3], (int)(i % 3));
        out[i] = row >= 0 ? -dot(T->J + row * nv, w, nv) : 0.0;
    }
}

/* Add the forces of the chosen pairs to those of all rows. */
static void gather(const struct transitions *T, const int64_t *chosen, int64_t count, const double *p, double *rows) {
    for (int64_t i = 0; i < count; i++)
        for (int way = 0; way < 3; way++)
            if (row_of(T, chosen[i], way) >= 0) rows[row_of(T, chosen[i], way)] += p[3 * i + way];
}

static double kinetic(const struct transitions *T, const double *v, struct memory memory) {
    double *Mv = take(&memory, T->equations->nv);
    multiply(T->M, T->equations->nv, T->equations->nv, v, Mv);
    return 0.5 * dot(v, Mv, T->equations->nv);
}

/* Z (3 count x nv), rows of -R^-T J^T of the chosen pairs without what constraints that hold take up, and W = Z Z^T. */
static void delassus(const struct transitions *T, const struct factors *F, const int64_t *chosen, int64_t count,
                     double *Z, double *W) {
    const int64_t nv = F->mass->nv, n = 3 * count;
    for (int64_t i = 0; i < n; i++) {
        const int64_t row = row_of(T, chosen[i / 3], (int)(i % 3));
        double *z = Z + i * nv;
        if (row < 0) continue;
        column_of(F->mass, row, z);
        without_reactions(F, z);
        for (int64_t j = 0; j < nv; j++) z[j] = -z[j];
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) W[i * n + j] = W[j * n + i] = dot(Z + i * nv, Z + j * nv, nv);
}

/* v += R^-1 Z^T p */
static void respond(const struct factors *F, const double *Z, int64_t n, const double *p, double *v,
                    struct memory memory) {
    const int64_t nv = F->mass->nv;
    double *f = take(&memory, nv);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < nv; j++) f[j] += Z[i * nv + j] * p[i];
    solve_upper(F->mass->R, nv, f);
    for (int64_t j = 0; j < nv; j++) v[j] += f[j];
}

/* Add the impulses with which constraints that hold answer those of the chosen pairs. */
static void answer(const struct transitions *T, const struct mass *Q, const int64_t *held, int64_t n_held,
                   const int64_t *chosen, int64_t count, const double *p, double *impulses, struct memory memory) {
    const int64_t nv = Q->nv;
    if (!n_held) return;
    double *f = take(&memory, nv), *none = take(&memory, n_held), *a = take(&memory, nv), *lambda = take(&memory, n_held);
    for (int64_t i = 0; i < 3 * count; i++) {
        const int64_t row = row_of(T, chosen[i / 3], (int)(i % 3));
        for (int64_t j = 0; row >= 0 && j < nv; j++) f[j] -= T->J[row * nv + j] * p[i];
    }
    minimum_norm(Q, f, held, n_held, none, a, lambda, memory);
    for (int64_t j = 0; j < n_held; j++) impulses[held[j]] += lambda[j];
}

/* Velocities change: so do the rates of the rows. */
static void change_velocities(struct transitions *T, double *v, const double *after) {
    const int64_t nv = T->equations->nv;
    for (int64_t i = 0; i < T->equations->m; i++)
        for (int64_t j = 0; j < nv; j++) T->rate[i] += T->J[i * nv + j] * (after[j] - v[j]);
    memcpy(v, after, doubles(nv));
}

/* What is seen of the pairs at an instant: slips that end, and what opens. */
struct seen {
    int64_t *ends, *opens;
};

/* What an impact did: impulses of all rows, the energy that they took, -(u- + u+) p / 2 of each, and by how much restitution
 * had to be lowered. */
struct collision {
    double *impulses, lost, factor;
};

/* Impact with restitution and friction of the pairs that touch, under the constraints that act. */
static int64_t strike_pairs(struct transitions *T, double *x, const int64_t *chosen, int64_t count,
                            struct collision *made, struct memory memory) {
    struct constrained *C = T->equations;
    const int64_t nv = C->nv, n = 3 * count;
    double *right = take(&memory, C->m), *Z = take(&memory, n * nv), *u = take(&memory, n), *change = take(&memory, n),
           *W = take(&memory, n * n), *e = take(&memory, count), *mu = take(&memory, count), *p = take(&memory, n),
           *v = take(&memory, nv), *dv = take(&memory, nv), *none = take(&memory, nv), *lambda = take(&memory, C->m),
           *before = x + C->nq, factor = 1.0, lost = 0.0;
    int64_t *held = take_integers(&memory, C->m), *poisson = take_integers(&memory, count), strikes = 0;
    const int64_t n_held = gather_held(T, x, T->rate, -1.0, held, right, memory);
    struct mass Q;
    if (mass_of(T, &Q)) return NO_TERMS;
    const int moves = largest_of(right, n_held) > RESTS; /* constraints that begin to act, or drift */
    if (moves) minimum_norm(&Q, none, held, n_held, right, dv, lambda, memory);
    for (int64_t j = 0; moves && j < n_held; j++) {
        made->impulses[held[j]] += lambda[j];
        made->lost += (0.5 * dot(T->J + held[j] * nv, dv, nv) - right[j]) * lambda[j];
    }
    for (int64_t j = 0; j < nv; j++) v[j] = before[j] + dv[j];
    spread(T, chosen, count, T->rate, u);
    spread_along(T, chosen, count, dv, change);
    for (int64_t i = 0; i < n; i++) u[i] += change[i];
    for (int64_t i = 0; i < count; i++) {
        e[i] = T->e[chosen[i]], mu[i] = T->mu[chosen[i]], poisson[i] = T->poisson[chosen[i]];
        strikes |= u[3 * i] < -STRIKES;
    }
    if (strikes) {
        struct factors F;
        take_rows(&F, &Q, held, n_held, &memory);
        delassus(T, &F, chosen, count, Z, W);
        const int64_t bad = strike(W, count, u, e, mu, poisson, p, &factor, &lost, memory);
        if (bad != SOLVED) {
            T->pair = chosen[bad], T->lacks = OF_IMPULSES;
            return chosen[bad];
        }
        respond(&F, Z, n, p, v, memory);
        gather(T, chosen, count, p, made->impulses);
        answer(T, &Q, held, n_held, chosen, count, p, made->impulses, memory);
        made->lost += lost, made->factor = fmin(made->factor, factor);
    }
    change_velocities(T, before, v);
    return LANDED;
}

/* Velocities after the least change that stops the rows that take part, those that act one way only where they would go on. */
static int64_t stop_rows(struct transitions *T, double *x, const int64_t *part, const int64_t *one_way,
                         struct collision *made, struct memory memory) {
    struct constrained *C = T->equations;
    const int64_t nv = C->nv, m = C->m;
    int64_t *pulls = take_integers(&memory, m), *rows = take_integers(&memory, m), n = 0;
    double *right = take(&memory, m), *lambda = take(&memory, m), *opening = take(&memory, m), *dv = take(&memory, nv),
           *none = take(&memory, nv), *v = take(&memory, nv);
    struct mass Q;
    for (int64_t i = 0; i < m; i++)
        if (part[i]) pulls[n] = one_way[i], rows[n] = i, right[n++] = -T->rate[i];
    if (mass_of(T, &Q)) return NO_TERMS;
    least_constraint(&Q, none, rows, n, right, pulls, 1e-11, dv, lambda, opening, memory);
    for (int64_t j = 0; j < nv; j++) v[j] = x[C->nq + j] + dv[j];
    change_velocities(T, x + C->nq, v);
    for (int64_t j = 0; j < n; j++) {
        made->impulses[rows[j]] += lambda[j];
        made->lost += 0.5 * (T->rate[rows[j]] - right[j]) * lambda[j];
    }
    return LANDED;
}

/* Velocities after the impact of all constraints that act and all that touches; once it is settled what goes on to act,
 * that keeps its gap closed. */
static int64_t hit(struct transitions *T, double *x, int settled, struct collision *made, struct memory memory) {
    struct constrained *C = T->equations;
    const int64_t m = C->m;
    int64_t *chosen = take_integers(&memory, T->k), count = 0, bounces = 0;
    for (int64_t i = 0; i < T->k; i++)
        if (touches(T, x, i) && !T->loose[i]) {
            chosen[count++] = i;
            bounces |= T->e[i] > 0.0 || T->mu[i] > 0.0;
        }
    if (!settled && bounces) return strike_pairs(T, x, chosen, count, made, memory);
    int64_t *part = take_integers(&memory, m), *one_way = take_integers(&memory, m);
    taking_part(T, x, part, one_way);
    for (int64_t i = 0; i < m; i++) one_way[i] = one_way[i] && !(settled && acts(C, x, i));
    double fastest = 0.0;
    for (int64_t i = 0; i < m; i++)
        if (part[i]) fastest = fmax(fastest, one_way[i] ? T->rate[i] : fabs(T->rate[i]));
    if (fastest <= RESTS) return LANDED;
    return stop_rows(T, x, part, one_way, made, memory);
}

/* Whether a pair may go on to act: it touches and does not open. */
static int goes_on_touching(const struct transitions *T, const double *x, int64_t i, const struct seen *seen) {
    if (seen->opens[i] || !touches(T, x, i)) return 0;
    return !(T->loose[i] && !T->is_contact[i]) && T->rate[T->rows[i]] > -STILL;
}

/* Velocities after what slips no more has come to rest, all of it together, and slips that end. */
static int64_t rest(struct transitions *T, double *x, const struct seen *seen, struct collision *made,
                    struct memory memory) {
    struct constrained *C = T->equations;
    const int64_t m = C->m;
    int64_t *part = take_integers(&memory, m), *one_way = take_integers(&memory, m),
            *close = take_integers(&memory, T->k), *still = take_integers(&memory, T->k);
    for (int64_t i = 0; i < m; i++) part[i] = acts(C, x, i);
    for (int64_t i = 0; i < T->k; i++) {
        close[i] = goes_on_touching(T, x, i, seen);
        one_way[T->rows[i]] = !(x[T->flags[i]] > 0.5), part[T->rows[i]] = close[i];
        for (int j = 1; j < 3; j++)
            if (row_of(T, i, j) >= 0) part[row_of(T, i, j)] = 0;
    }
    for (;;) {
        double fastest = 0.0;
        for (int64_t i = 0; i < T->k; i++) {
            if (!close[i] || still[i] || !(T->mu[i] > 0.0)) continue;
            double u[2] = {0.0, 0.0};
            for (int j = 0; j < 2; j++)
                if (row_of(T, i, j + 1) >= 0) u[j] = T->rate[row_of(T, i, j + 1)];
            const double speed = hypot(u[0], u[1]);
            if (!(speed <= SLIPS || seen->ends[i])) continue;
            still[i] = 1, fastest = fmax(fastest, speed);
            for (int j = 1; j < 3; j++)
                if (row_of(T, i, j) >= 0) part[row_of(T, i, j)] = 1;
        }
        if (!(fastest > RESTS)) return LANDED;
        const int64_t outcome = stop_rows(T, x, part, one_way, made, memory);
        if (outcome != LANDED) return outcome;
    }
}

/* Indices in x of the latches of a pair with friction: stick, toward (2), share (3), leeway. */
static const int64_t *latches_of(const struct transitions *T, int64_t i) { return T->friction + 7 * i; }

/* Write what a pair with friction does into its latches. */
static void set_friction(const struct transitions *T, double *x, int64_t i, int64_t mode, const double *force,
                         const double *toward) {
    const int64_t *place = latches_of(T, i);
    const double values[6] = {mode == STICK,
                              mode == SLIP ? toward[0] : 0.0,
                              mode == SLIP ? toward[1] : 0.0,
                              mode == OPEN ? 0.0 : force[0],
                              mode == OPEN ? 0.0 : force[1],
                              mode == OPEN ? 0.0 : force[2]};
    for (int j = 0; j < 6; j++)
        if (place[j] >= 0) x[place[j]] = values[j];
}

/* Whether a pair with friction slips. */
static int slides(const struct transitions *T, const double *x, int64_t i) {
    const int64_t *place = latches_of(T, i);
    return T->rubs[i] && x[T->flags[i]] > 0.5 && (x[place[1]] != 0.0 || x[place[2]] != 0.0);
}

/* The impact of what goes on to act; MOVED if it has changed slips. */
static int64_t hit_settled(struct transitions *T, double *x, struct collision *made, struct memory memory) {
    double *before = take(&memory, T->equations->m);
    memcpy(before, T->rate, doubles(T->equations->m));
    int64_t outcome = hit(T, x, 1, made, memory);
    for (int64_t i = 0; i < T->k && outcome == LANDED; i++)
        for (int j = 1; j < 3 && slides(T, x, i); j++) {
            const int64_t row = row_of(T, i, j);
            if (row >= 0 && fabs(T->rate[row] - before[row]) > SLOWEST) outcome = MOVED;
        }
    return outcome;
}

/* Rates by which slips may turn before they end: what all but depends on others does not rest to the last digit. What slips
 * at a speed that counts ends before it has turned, when it has become too slow to have a direction. */
static void give_leeway(const struct transitions *T, double *x) {
    for (int64_t i = 0; i < T->k; i++) {
        const int64_t *place = latches_of(T, i);
        double along = 0.0, squared = 0.0;
        if (!T->rubs[i]) continue;
        for (int j = 0; j < 2; j++) {
            const int64_t row = row_of(T, i, j + 1);
            if (row < 0) continue;
            along -= T->rate[row] * x[place[1 + j]], squared += T->rate[row] * T->rate[row];
        }
        const double turned = 0.5 * sqrt(squared) - along;
        x[place[6]] = squared > SLIPS * SLIPS && turned < 0.0 ? -T->slowest : SLOWEST + 1.5 * fmax(0.0, turned);
    }
}

/* Rows that go on to act, without friction, into `goes_on` (m). */
static int64_t settle_plain(struct transitions *T, const double *x, int64_t *goes_on, struct memory memory) {
    struct constrained *C = T->equations;
    const int64_t nv = C->nv, m = C->m;
    int64_t *part = take_integers(&memory, m), *one_way = take_integers(&memory, m), *pulls = take_integers(&memory, m),
            *needed = take_integers(&memory, m), *rows = take_integers(&memory, m), n = 0, open = 0;
    double *right = take(&memory, m), *lambda = take(&memory, m), *opening = take(&memory, m), *a = take(&memory, nv),
           *force = take(&memory, m), *share = take(&memory, m);
    struct mass Q;
    if (mass_of(T, &Q)) return NO_TERMS;
    taking_part(T, x, part, one_way);
    for (int64_t i = 0; i < m; i++) {
        part[i] = part[i] && (!one_way[i] || T->rate[i] > -STILL);
        if (part[i]) pulls[n] = one_way[i], rows[n] = i, right[n++] = T->gamma[i];
    }
    least_constraint(&Q, T->f, rows, n, right, pulls, 1e-11, a, lambda, opening, memory);
    for (int64_t i = 0, j = 0; i < m; i++)
        if (part[i]) force[i] = lambda[j], share[i] = opening[j++];
    const double small = PULLS * fmax(largest_of(force, m), 1e-6), fastest = largest_of(a, nv);
    for (int64_t i = 0; i < m; i++) {
        needed[i] = part[i] && (!one_way[i] || force[i] > small);
        const double size = norm(T->J + i * nv, nv) * fastest;
        goes_on[i] = needed[i] || (part[i] && share[i] >= -1e-9 * (1.0 + size));
        open |= goes_on[i] && !needed[i];
    }
    while (open) {
        int64_t spare = -1, pushes = 0;
        n = 0, open = 0;
        for (int64_t i = 0; i < m; i++)
            if (goes_on[i]) rows[n] = i, right[n++] = T->gamma[i];
        minimum_norm(&Q, T->f, rows, n, right, a, lambda, memory);
        for (int64_t i = 0, j = 0; i < m; i++) {
            if (!goes_on[i]) continue;
            share[i] = lambda[j++];
            if (!needed[i] && share[i] <= small && (spare < 0 || share[i] < share[spare])) spare = i;
            pushes |= one_way[i] && share[i] <= small;
        }
        if (spare >= 0) goes_on[spare] = 0;
        else if (pushes) memcpy(goes_on, needed, (size_t)m * sizeof(int64_t));
        else break;
        for (int64_t i = 0; i < m; i++) open |= goes_on[i] && !needed[i];
    }
    return LANDED;
}

/* Modes of pairs of which some rub. Of pairs that slip slowly `ways` has the time by which their friction is ahead of them, and
 * what it is against there (of each pair 3; NaN: against its slip). ENDING: slips end within that time. */
static int64_t settle_friction(struct transitions *T, double *x, const double *ways, struct seen *seen,
                               struct memory memory) {
    struct constrained *C = T->equations;
    const int64_t nv = C->nv;
    int64_t *chosen = take_integers(&memory, T->k), count = 0;
    for (int64_t i = 0; i < T->k; i++)
        if (goes_on_touching(T, x, i, seen)) chosen[count++] = i;
    const int64_t n = 3 * count;
    double *right = take(&memory, C->m), *Z = take(&memory, n * nv), *b = take(&memory, n), *change = take(&memory, n),
           *u = take(&memory, n), *W = take(&memory, n * n), *mu = take(&memory, count), *slip = take(&memory, 2 * count),
           *toward = take(&memory, 2 * count), *given = take(&memory, count), *a = take(&memory, nv);
    int64_t *held = take_integers(&memory, C->m);
    int64_t *slips = take_integers(&memory, count), *turns = take_integers(&memory, count), ending = 0;
    int64_t *yields = take_integers(&memory, count);
    struct solution found;
    struct factors F;
    struct mass Q;
    found.p = take(&memory, n), found.u = take(&memory, n), found.modes = take_integers(&memory, count);
    const int64_t n_held = gather_held(T, x, T->gamma, 1.0, held, right, memory);
    const double nothing[3] = {0.0, 0.0, 0.0};
    if (mass_of(T, &Q)) return NO_TERMS;
    minimum_norm(&Q, T->f, held, n_held, right, a, 0, memory);
    take_rows(&F, &Q, held, n_held, &memory);
    spread(T, chosen, count, T->gamma, b);
    spread(T, chosen, count, T->rate, u);
    spread_along(T, chosen, count, a, change);
    delassus(T, &F, chosen, count, Z, W);
    for (int64_t i = 0; i < n; i++) b[i] = change[i] - b[i];
    const double fastest = largest_of(b, n);
    int known = 0;
    for (int64_t i = 0; i < count; i++) {
        const double speed = hypot(u[3 * i + 1], u[3 * i + 2]), *way = ways + 3 * chosen[i];
        mu[i] = T->mu[chosen[i]], yields[i] = T->slipping[chosen[i]], known |= !isnan(way[1]);
        slips[i] = mu[i] > 0.0 && speed > SLIPS;
        /* friction of a slow slip is against u + T u', where that is: the law of a pair at rest, with u / T to begin with */
        turns[i] = slips[i] && !isnan(way[0]) && speed <= AHEAD * fastest * way[0];
        for (int j = 0; j < 2; j++) {
            toward[2 * i + j] = slips[i] ? u[3 * i + 1 + j] / speed : NAN;
            slip[2 * i + j] = turns[i] ? NAN : slips[i] && !isnan(way[1 + j]) ? way[1 + j] : toward[2 * i + j];
            if (turns[i]) b[3 * i + 1 + j] += u[3 * i + 1 + j] / way[0];
        }
    }
    struct cones cones;
    cones.k = count, cones.W = W, cones.b = b, cones.mu = mu, cones.slip = slip, cones.given = given;
    cones.yields = yields;
    const int64_t bad = solve_cones(&cones, &found, memory);
    if (bad != SOLVED && known && !is_jammed(&cones, bad)) return LANDED; /* none were found with friction turned */
    if (bad != SOLVED) {
        T->pair = chosen[bad], T->lacks = OF_FORCES;
        return chosen[bad];
    }
    for (int64_t i = 0; i < count; i++)
        if (turns[i] && found.modes[i] == STICK && !seen->ends[chosen[i]]) seen->ends[chosen[i]] = ending = 1;
    if (ending) return ENDING;
    const double most = fmax(largest_of(found.p, n), 1e-6), motion = 2.0 * kinetic(T, a, memory);
    for (int64_t i = 0; i < T->k; i++) {
        if (x[T->flags[i]] > -0.5) x[T->flags[i]] = 0.0;
        if (T->rubs[i]) set_friction(T, x, i, OPEN, nothing, nothing);
    }
    for (int64_t n = 0; n < count; n++) {
        const int64_t i = chosen[n];
        const double *p = found.p + 3 * n, push = hypot(p[1], p[2]);
        /* what it would have to hold, if all the motion were along it: the rounding of that is no force */
        const double natural = sqrt(motion / fmax(diagonal(&cones, 3 * n), NOTHING));
        const int carries = found.modes[n] == STICK && found.u[3 * n] == 0.0 && !T->slipping[i] && !T->loose[i];
        if (p[0] <= (T->loose[i] ? LETS_GO : PULLS) * fmax(natural, most) && !carries) continue;
        x[T->flags[i]] = 1.0;
        if (!T->rubs[i]) continue;
        if (slips[n]) set_friction(T, x, i, SLIP, p, toward + 2 * n);
        else if (push > 0.0 && push >= (T->slipping[i] ? 1.0 - LETS_GO : EDGE) * T->mu[i] * p[0]) { /* it slips against the friction at its limit */
            const double toward[2] = {-p[1] / push, -p[2] / push};
            set_friction(T, x, i, SLIP, p, toward);
        } else set_friction(T, x, i, STICK, p, nothing);
    }
    return LANDED;
}

/* Rate of the slip along a tangential row, as the equations of motion have it. */
static double change_of(const struct constrained *C, int64_t row) {
    double change = C->gamma[row];
    for (int64_t l = 0; l < C->nv; l++) change -= C->Jt[l * C->m + row] * C->a[l];
    return change;
}

/* The same, friction of slow slips being as it is in the equations of motion, turned to where they are going, if
 * otherwise what these say of the forces would contradict it. */
static int64_t settle_slips(struct transitions *T, double t, double *x, const double *c, const double *p,
                            struct seen *seen, struct memory memory) {
    struct constrained *C = T->equations;
    const double *in[4] = {&t, x, c, p};
    double *ways = take(&memory, 3 * T->k);
    for (int64_t i = 0; i < 3 * T->k; i++) ways[i] = NAN;
    for (int round = 0;; round++) {
        int fits = 1, slips = 0;
        double most = 0.0;
        const int64_t outcome = settle_friction(T, x, ways, seen, memory);
        for (int64_t i = 0; i < T->k; i++) slips |= slides(T, x, i);
        if (outcome != LANDED || !slips || round == TURNS) return outcome;
        C->t_seen = NAN;
        if (contact_evaluate(C, in)) return NO_TERMS;
        for (int64_t i = 0, r = 0; i < T->k; r += T->rubs[i], i++) {
            const int64_t rows[3] = {row_of(T, i, 0), row_of(T, i, 1), row_of(T, i, 2)};
            if (!(x[T->flags[i]] > 0.5)) continue;
            double push = 0.0, speed = 0.0, forward = 0.0, *way = ways + 3 * i;
            const int slips = slides(T, x, i);
            for (int j = 1; j < 3; j++) {
                if (rows[j] < 0) continue;
                push = hypot(push, C->lambda[rows[j]]), speed = hypot(speed, T->rate[rows[j]]);
                if (slips) forward += change_of(C, rows[j]) * x[latches_of(T, i)[j]];
            }
            /* what was seen to pass zero is not to pass it again at once */
            fits &= C->lambda[rows[0]] >= (T->loose[i] ? LETS_GO * largest_of(C->lambda, C->m) : 0.0);
            fits &= !T->rubs[i] || slips || push <= (T->slipping[i] ? 1.0 - LETS_GO : 1.0) * T->mu[i] * C->lambda[rows[0]];
            fits &= !(slips && speed <= SLIPS && forward < 0.0);
            if (!slips) continue;
            way[0] = C->lead[r];
            for (int j = 1; j < 3; j++) {
                const double turned = rows[j] >= 0 ? -C->drag[rows[j]] / T->mu[i] : 0.0;
                most = fmax(most, fabs(turned - (isnan(way[j]) ? x[latches_of(T, i)[j]] : way[j]))), way[j] = turned;
            }
        }
        if (fits || !(most > TURNED)) return LANDED;
    }
}

/* Latches with which the motion goes on: what touches and pulls (pushes) acts, all else is open. */
static int64_t settle_pairs(struct transitions *T, double t, double *x, const double *c, const double *p,
                            struct seen *seen, struct memory memory) {
    const double nothing[3] = {0.0, 0.0, 0.0};
    int64_t *goes_on = take_integers(&memory, T->equations->m);
    for (int64_t i = 0; i < T->k; i++)
        if (T->rubs[i] && touches(T, x, i)) return settle_slips(T, t, x, c, p, seen, memory);
    const int64_t outcome = settle_plain(T, x, goes_on, memory);
    if (outcome != LANDED) return outcome;
    for (int64_t i = 0; i < T->k; i++) {
        if (x[T->flags[i]] > -0.5) x[T->flags[i]] = goes_on[T->rows[i]] ? 1.0 : 0.0;
        if (T->rubs[i]) set_friction(T, x, i, OPEN, nothing, nothing);
    }
    return LANDED;
}

/* Impact without collision: what Painleve's paradox at a pair ends in, its slip stopped at once. 1 if it does not. */
static int shock(struct transitions *T, double *x, int64_t pair, const struct seen *seen, struct collision *made,
                 struct memory memory) {
    struct constrained *C = T->equations;
    const int64_t nv = C->nv;
    int64_t *chosen = take_integers(&memory, T->k), count = 0, own = 0;
    for (int64_t i = 0; i < T->k; i++)
        if (i == pair || goes_on_touching(T, x, i, seen)) {
            if (i == pair) own = 3 * count;
            chosen[count++] = i;
        }
    const int64_t n = 3 * count;
    double *right = take(&memory, C->m), *Z = take(&memory, n * nv), *v = take(&memory, nv),
           *W = take(&memory, n * n), *u = take(&memory, n), *b = take(&memory, n), *mu = take(&memory, count),
           *slip = take(&memory, 2 * count), *given = take(&memory, count), *P = take(&memory, n), *Wp = take(&memory, n),
           *ones = take(&memory, n), *d = take(&memory, 2 * count);
    int64_t *held = take_integers(&memory, C->m);
    const int64_t n_held = gather_held(T, x, T->rate, -1.0, held, right, memory);
    struct factors F;
    struct mass Q;
    struct cones cones;
    struct solution begun;
    begun.p = take(&memory, n), begun.u = take(&memory, n), begun.modes = take_integers(&memory, count);
    if (mass_of(T, &Q)) return 1;
    take_rows(&F, &Q, held, n_held, &memory);
    spread(T, chosen, count, T->rate, u);
    delassus(T, &F, chosen, count, Z, W);
    memcpy(b, u, doubles(n));
    b[own] -= NEARER * fmax(hypot(u[own + 1], u[own + 2]), 1e-4 * largest_of(u, n));
    for (int64_t i = 0; i < count; i++) mu[i] = T->mu[chosen[i]], slip[2 * i] = slip[2 * i + 1] = NAN;
    cones.k = count, cones.W = W, cones.b = b, cones.mu = mu, cones.slip = slip, cones.given = given;
    cones.yields = 0;
    if (solve_cones(&cones, &begun, memory) != SOLVED) return 1;
    cones.b = u;
    for (int64_t i = 0; i < count; i++) {
        const double *after = begun.u + 3 * i, speed = fmax(hypot(after[1], after[2]), NOTHING);
        d[2 * i] = after[1] / speed, d[2 * i + 1] = after[2] / speed;
    }
    for (int64_t i = 0; i < n; i++) ones[i] = 1.0;
    linear(&cones, begun.modes, begun.p, ones, d, P, memory);
    for (int64_t i = 0; i < count; i++) /* where a slip has just jammed the impulse is the limit */
        if (P[3 * i] < 0.0 || hypot(P[3 * i + 1], P[3 * i + 2]) > (1.0 + LETS_GO) * mu[i] * P[3 * i]) {
            memcpy(P, begun.p, doubles(n));
            break;
        }
    multiply(W, n, n, P, Wp);
    const double lost = -(dot(P, u, n) + 0.5 * dot(P, Wp, n));
    if (!(lost > 0.0)) return 1;
    memcpy(v, x + C->nq, doubles(nv));
    respond(&F, Z, n, P, v, memory);
    made->lost += lost;
    gather(T, chosen, count, P, made->impulses);
    answer(T, &Q, held, n_held, chosen, count, P, made->impulses, memory);
    change_velocities(T, x + C->nq, v);
    return 0;
}

/* Coordinates moved onto the constraints and closed gaps, so that nothing that touches is beyond. 0 = ok. */
static int close_gaps(struct transitions *T, double t, double *x, const double *c, const double *p,
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
            if (T->is_contact[i] && one_way[T->rows[i]]) room[T->rows[i]] = BEYOND;
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

/* State after the impacts of an instant, with what goes on to act: LANDED, NO_TERMS, or the pair (see `lacks`) at which
 * no impulses or forces obey the laws. What they did is entry `n_log` of the log. */
int64_t transitions_land(struct transitions *T, double t, double *x, const double *c, const double *p) {
    struct constrained *C = T->equations;
    struct memory memory;
    struct collision made;
    struct seen seen;
    int64_t shocks = 0, outcome, again = T->k;
    memory.next = T->work;
    seen.ends = take_integers(&memory, T->k), seen.opens = take_integers(&memory, T->k);
    made.impulses = T->log_impulses + T->n_log * C->m, made.lost = 0.0, made.factor = 1.0;
    for (int64_t i = 0; i < C->m; i++) made.impulses[i] = 0.0;
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
        if (T->rate[T->rows[outcome]] < -STRIKES && !seen.opens[outcome]) { /* it opens, and may do so */
            seen.opens[outcome] = 1;
            continue;
        }
        if (++shocks > T->k || shock(T, x, outcome, &seen, &made, memory)) return outcome;
    }
    for (int64_t i = 0; i < C->m; i++) x[C->work_input] += C->phi_t[i] * made.impulses[i]; /* of what is driven */
    for (int64_t i = 0; i < C->m; i++)
        if (C->losses[i] >= 0) x[C->losses[i]] += 0.5 * (before[i] + T->rate[i]) * made.impulses[i];
    give_leeway(T, x);
    if (close_gaps(T, t, x, c, p, memory)) return NO_TERMS;
    x[C->work_loss] -= made.lost;
    T->log_t[T->n_log] = t, T->log_lost[T->n_log] = made.lost, T->log_factor[T->n_log] = made.factor;
    T->log_shocks[T->n_log] = shocks, T->log_speed[T->n_log] = largest_of(x + C->nq, C->nv);
    C->t_seen = NAN;
    return LANDED;
}

/* Latches of the switches among the events of an instant: first what they take away, then what they add. */
static void set_switches(struct transitions *T, double *x, const int64_t *fired) {
    for (int adds = 0; adds < 2; adds++)
        for (int64_t s = 0; s < T->n_switches; s++)
            for (int64_t j = T->switch_first[s]; fired[T->switch_event[s]] && j < T->switch_first[s + 1]; j++) {
                if ((T->switch_value[j] > 0.5) != adds) continue;
                x[T->switch_latch[j]] = T->switch_value[j];
                for (int64_t i = 0; i < T->k; i++)
                    if (T->flags[i] == T->switch_latch[j]) T->loose[i] = !adds;
            }
}

static int begins(const double *x, const double *before, int64_t flag) {
    return flag >= 0 && x[flag] > 0.5 && !(before[flag] > 0.5);
}

/* What constraints measure that begin to act, unlike `before`; without that, of all. */
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

/* Latches with which a run may start: what measures itself does, cables that are longer than their way are slack, no
 * contact acts yet; contacts must not overlap. Constraints are then to be kept, and the state to be landed. */
int64_t transitions_start(struct transitions *T, double t, double *x, const double *c, const double *p) {
    const double nothing[3] = {0.0, 0.0, 0.0};
    if (measure_anew(T, t, x, 0, c, p) != LANDED || geometry_at(T, t, x, c, p)) return NO_TERMS;
    for (int64_t i = 0; i < T->k; i++) {
        T->loose[i] = T->slipping[i] = 0;
        if (T->is_contact[i] && T->phi[T->rows[i]] > PENETRATES) return T->pair = T->rows[i], NOT_CLOSED;
        if (x[T->flags[i]] > -0.5) x[T->flags[i]] = !T->is_contact[i] && T->phi[T->rows[i]] >= -APART ? 1.0 : 0.0;
        if (T->rubs[i]) set_friction(T, x, i, OPEN, nothing, nothing);
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
        for (int64_t j = 0; j < T->k; j++) one_way |= T->rows[j] == i;
        if (one_way || !begins(x, before, C->flags[i]) || fabs(T->phi[i]) <= CLOSED) continue;
        T->pair = i;
        return NOT_CLOSED;
    }
    return LANDED;
}

/* State after the events of an instant, `fired` (of each event 0 or 1, as of `constrained_events`). */
int64_t transitions_switch(void *context, double t, double *x, const double *c, const double *p, const int64_t *fired) {
    struct transitions *T = context;
    struct constrained *C = T->equations;
    double *before = T->x_bare;
    memcpy(before, x, doubles(C->n));
    const int64_t *lets_go = fired + C->n_tape_events, *takes_hold = lets_go + T->k, *slips = takes_hold + T->k;
    if (T->t_loose != t)
        for (int64_t i = 0; i < T->k; i++) T->loose[i] = T->slipping[i] = 0;
    T->t_loose = t;
    for (int64_t i = 0, r = 0; i < T->k; i++) /* pairs with friction are in the order of the pairs */
        if (T->rubs[i] && slips[r++]) T->slipping[i] = 1;
    for (int64_t i = 0; i < T->k; i++) {
        if (takes_hold[i]) T->loose[i] = 0;
        else if (lets_go[i]) T->loose[i] = 1;
        /* whether contacts act is for their forces to say */
        if (!T->is_contact[i] && (takes_hold[i] || lets_go[i])) x[T->flags[i]] = takes_hold[i] ? 1.0 : 0.0;
    }
    set_switches(T, x, fired);
    const int64_t begun = begin_to_act(T, t, x, before, c, p);
    if (begun != LANDED) return begun;
    return transitions_land(T, t, x, c, p);
}

/* Time after which a contact that has opened at the last transition touches again, if it goes on to fall as it does at x,
 * where the accelerations have just been found; INFINITY if none does. */
double transitions_return(void *context, const double *x) {
    const struct transitions *T = context;
    const struct constrained *C = T->equations;
    double first = INFINITY;
    for (int64_t i = 0; i < T->k; i++) {
        const int64_t row = T->rows[i];
        if (!T->is_contact[i] || !touches(T, x, i) || x[T->flags[i]] > 0.5 || !(T->rate[row] < 0.0)) continue;
        const double fall = dot(T->J + row * C->nv, C->a, C->nv) - T->gamma[row];
        if (fall > 0.0) first = fmin(first, -2.0 * T->rate[row] / fall);
    }
    return first;
}

/* State `made` with which a run begins at x: impacts of contacts, and what pulls or pushes. Where values are held, a state in
 * which the same pairs act is left as it is. */
int64_t transitions_begin(struct transitions *T, double t, const double *x, double *made, const double *c,
                          const double *p) {
    struct constrained *C = T->equations;
    struct memory memory;
    int64_t outcome, contacts = 0;
    int differs = C->nc == 0;
    memory.next = T->work;
    memcpy(made, x, doubles(C->n));
    for (int64_t i = 0; i < T->k; i++) T->loose[i] = T->slipping[i] = 0, contacts |= T->is_contact[i];
    T->t_loose = NAN;
    if (contacts) outcome = transitions_land(T, t, made, c, p);
    else if (geometry_at(T, t, made, c, p) || forces_at(T, t, made, c, p)) outcome = NO_TERMS;
    else {
        struct seen seen;
        seen.ends = take_integers(&memory, T->k), seen.opens = take_integers(&memory, T->k);
        outcome = settle_pairs(T, t, made, c, p, &seen, memory);
    }
    if (outcome != LANDED) return outcome;
    for (int64_t i = 0; i < T->k; i++) {
        differs |= (made[T->flags[i]] > 0.5) != (x[T->flags[i]] > 0.5);
        if (T->rubs[i]) differs |= (made[*latches_of(T, i)] > 0.5) != (x[*latches_of(T, i)] > 0.5);
    }
    if (!differs && !memcmp(made, x, doubles(C->nq + C->nv))) memcpy(made, x, doubles(C->n));
    C->t_seen = NAN;
    return LANDED;
}

/* -- the algebra by itself ------------------------------------------------------------------------------------------ */

int64_t algebra_solve_cones(int64_t k, const double *W, const double *b, const double *mu, const double *slip,
                            const double *given, double *p, double *u, int64_t *modes, double *work) {
    const struct cones c = {k, W, b, mu, slip, given, 0};
    const struct solution s = {p, u, modes};
    struct memory memory;
    memory.next = work;
    return solve_cones(&c, &s, memory);
}

int64_t algebra_strike(int64_t k, const double *W, const double *u, const double *e, const double *mu,
                       const int64_t *poisson, double *p, double *factor, double *lost, double *work) {
    struct memory memory;
    memory.next = work;
    return strike(W, k, u, e, mu, poisson, p, factor, lost, memory);
}

/* All of m rows, with factors in the memory given. 0 = ok. */
static int mass_with(struct mass *Q, int64_t **rows, int64_t nv, int64_t m, const double *M, const double *J,
                     struct memory *memory) {
    Q->nv = nv, Q->m = m, Q->M = M, Q->J = J, Q->R = take(memory, nv * nv), Q->Y = take(memory, nv * m);
    *rows = take_integers(memory, m);
    for (int64_t i = 0; i < m; i++) (*rows)[i] = i;
    return factorise_mass(Q);
}

int64_t algebra_least_constraint(int64_t nv, int64_t m, const double *M, const double *force, const double *J,
                                 const double *gamma, const int64_t *pulls, double tolerance, double *a,
                                 double *multipliers, double *opening, int64_t *feasible, double *work) {
    struct memory memory = {work};
    struct mass Q;
    int64_t *rows;
    if (mass_with(&Q, &rows, nv, m, M, J, &memory)) return 1;
    *feasible = least_constraint(&Q, force, rows, m, gamma, pulls, tolerance, a, multipliers, opening, memory);
    return 0;
}

int64_t algebra_minimum_norm(int64_t nv, int64_t m, const double *M, const double *force, const double *J,
                             const double *gamma, double *a, double *multipliers, double *work) {
    struct memory memory = {work};
    struct mass Q;
    int64_t *rows;
    if (mass_with(&Q, &rows, nv, m, M, J, &memory)) return 1;
    minimum_norm(&Q, force, rows, m, gamma, a, multipliers, memory);
    return 0;
}
