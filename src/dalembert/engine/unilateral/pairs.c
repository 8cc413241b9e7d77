/* Unilateral pairs at an instant: the terms of the equations, the active pairs, the effects of forces along their rows.
 * First of the files of transitions, after constrained.c, sliding.c and forces.c: the terms of the equations come from
 * the tapes of `struct constrained`.
 *
 * A pair can act if it touches: it does, or its gap has closed. All touching pairs are solved together, so that any
 * number may take hold or let go at once, redundant or not. Impacts may follow each other ever faster and ever weaker:
 * a ball that bounces, a body on several cables. Below the rates named here they are taken to rest; motion
 * within the gap of an event (1e-11 m) lies well below.
 */
#include "transitions.h"

#define TOUCHES 1e-8
#define STILL 1e-4
#define BEYOND 0.999e-11
#define EDGE (1.0 - 1e-9)
#define SLIPS 1e-7
#define SLOWEST 1e-9
#define TURNS_BACK 1e-10
#define RESTS 1e-12
#define STRIKES 1e-10
#define PULLS 1e-9
#define JERKS 1e-9 /* part of the largest impulse that counts as one */
#define AHEAD 10.0
#define NEARER 1e-6
#define LETS_GO 1e-6
#define CLOSED 1e-6
#define PENETRATES 1e-6
#define APART 1e-9
#define ROUNDED 1e-13 /* part of a row that is rounding */

/* Scratch of a machine with nv velocities, m rows, and n rows of blocks. */
int64_t transitions_memory(int64_t nv, int64_t m, int64_t n) {
    int64_t most = least_constraint_memory(nv, m);
    if (minimum_norm_memory(nv, m) > most) most = minimum_norm_memory(nv, m);
    if (strike_memory(n, n) > most) most = strike_memory(n, n);
    return most + factors_memory(nv, m) + n * (n + nv + 56) + 24 * (m + nv) + mass_memory(nv, m) + 128;
}

/* Whether a block is a joint that sticks: it always touches. */
static int is_limit(const struct transitions *T, int64_t i) { return T->law[i] == LIMIT; }

static int is_rope(const struct transitions *T, int64_t i) { return T->law[i] == ROPE; }

/* Row of the normal of a block that has one: of a rope that of the whole rope, behind those of its sheaves. */
static int64_t normal_of(const struct transitions *T, int64_t i) {
    return T->row[is_rope(T, i) ? T->first[i + 1] - 1 : T->first[i]];
}

/* A normal and the tangents of a block: the ways from 0 on; of a joint that sticks from 1 on, it has no normal. Those of a
 * rope are its sheaves. */
static int64_t ways_of(const struct transitions *T, int64_t i) { return T->first[i + 1] - T->first[i] + is_limit(T, i); }

/* Row of a block's normal (0) or tangent (1, 2, ...), -1 if it has none. */
static int64_t row_of(const struct transitions *T, int64_t i, int64_t way) {
    const int64_t at = way - (is_limit(T, i) || is_rope(T, i));
    if (is_rope(T, i) && !way) return normal_of(T, i);
    return at >= 0 && way < ways_of(T, i) ? T->row[T->first[i] + at] : -1;
}

/* Blocks of a problem, and their rows, one after the other. A span of a rope is the row that ends there
 * less that of the sheave before it. */
struct chosen {
    int64_t count, n;
    /* block in T, law, first row here; row in J, and the row that is subtracted from it (-1: none) */
    int64_t *block, *law, *first, *row, *less;
};

static void choose_none(const struct transitions *T, struct chosen *some, struct memory *memory) {
    const int64_t k = T->n_blocks, n = T->first[k];
    some->count = some->n = 0;
    some->block = take_integers(memory, k), some->law = take_integers(memory, k);
    some->first = take_integers(memory, k + 1), some->row = take_integers(memory, n), some->less = take_integers(memory, n);
}

static void choose(const struct transitions *T, int64_t i, struct chosen *some) {
    some->block[some->count] = i, some->law[some->count++] = T->law[i];
    for (int64_t j = T->first[i]; j < T->first[i + 1]; j++, some->n++)
        some->row[some->n] = T->row[j], some->less[some->n] = is_rope(T, i) && j > T->first[i] ? T->row[j - 1] : -1;
    some->first[some->count] = some->n;
}

/* Indices in x of the latches of a pair with friction: stick, toward (2), share (3), leeway; of a rope those of a sheave
 * (0, 1, ...), whose shares are the tensions of the last span and of the span before it. */
static const int64_t *sheave_latches(const struct transitions *T, int64_t i, int64_t sheave) {
    return T->friction + 7 * (T->entry[i] + sheave);
}
static const int64_t *latches_of(const struct transitions *T, int64_t i) { return sheave_latches(T, i, 0); }

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
    for (int64_t i = T->k; i < T->n_blocks; i++) T->x_bare[latches_of(T, i)[1]] = 0.0; /* nor is the friction of slips */
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

/* Whether a pair acts or could; a cut cable does not. */
static int touches(const struct transitions *T, const double *x, int64_t i) {
    const double on = x[T->flags[i]];
    return on > 0.5 || (on > -0.5 && T->phi[normal_of(T, i)] > -TOUCHES);
}

/* Friction of a joint while it moves, at the state of the last `forces_at`. */
static double kinetic_of(const struct transitions *T, int64_t i) {
    const struct constrained *C = T->equations;
    return C->cone[3 * C->n_rubbing + n_sheaves(C) + C->n_ropes + i - T->k];
}

/* Largest force of a joint that sticks, at the state of the last `forces_at`. */
static double limit_of(const struct transitions *T, int64_t i) {
    const struct constrained *C = T->equations;
    return C->cone[3 * (C->n_rubbing - (T->n_blocks - i))]; /* they are the last that rub */
}

/* Coefficient of friction of a pair; one that depends on the state is that of the last `forces_at`. */
static double friction_of(const struct transitions *T, int64_t i) {
    return T->varies[i] >= 0 ? T->equations->cone[3 * T->varies[i]] : T->mu[i];
}

/* Coefficients of a block, by rows from its first one on; those of sheaves are of the last `forces_at`. */
static void coefficients_of(const struct transitions *T, int64_t i, double *mu) {
    mu[0] = is_limit(T, i) ? limit_of(T, i) : friction_of(T, i);
    for (int64_t j = 0; is_rope(T, i) && j < T->rubs[i]; j++) mu[1 + j] = T->equations->cone[3 * (T->entry[i] + j)];
}

/* Whether the limit of a joint that sticks is proportional to a load. */
static int is_loaded(const struct transitions *T, int64_t i) { return is_limit(T, i) && has_load(T->equations, i - T->k); }

/* Sum of the tensions beside the sheave of a joint, with the forces p of the chosen blocks. */
static double tugs_of(const struct transitions *T, int64_t i, const struct chosen *some, const double *p) {
    const struct constrained *C = T->equations;
    double sum = 0.0;
    for (int64_t j = C->tug_first[i - T->k]; j < C->tug_first[i - T->k + 1]; j++)
        for (int64_t row = 0; row < some->n; row++)
            if (some->row[row] == C->tugs[j]) sum += fmax(0.0, p[row]);
    return sum;
}

/* Whether friction of a pair has just reached its limit. */
static int gives_way(const struct transitions *T, int64_t i) { return T->rubs[i] && T->slipping[T->entry[i]]; }

/* Rate at which the gap of a chosen block closes (-) or opens, of the velocities of its rows. */
static double opening_of(const struct chosen *some, int64_t i, const double *u) {
    double sum = u[some->first[i]];
    for (int64_t row = some->first[i] + 1; some->law[i] == ROPE && row < some->first[i + 1]; row++) sum += u[row];
    return sum;
}

/* Which rows are active in an instant, and which of all rows are unilateral. */
static void taking_part(const struct transitions *T, const double *x, int64_t *part, int64_t *one_way) {
    for (int64_t i = 0; i < T->equations->m; i++) part[i] = acts(T->equations, x, i), one_way[i] = 0;
    for (int64_t i = 0; i < T->k; i++) {
        one_way[normal_of(T, i)] = 1;
        part[normal_of(T, i)] = touches(T, x, i) && !T->loose[i];
    }
}

/* Rows of constraints that act, all but those of pairs, with their right sides; returns their number. */
static int64_t gather_held(const struct transitions *T, const double *x, const double *values, double sign,
                           int64_t *held, double *right, struct memory memory) {
    const int64_t m = T->equations->m;
    int64_t count = 0, *of_pair = take_integers(&memory, m);
    for (int64_t i = 0; i < T->first[T->n_blocks]; i++)
        if (T->row[i] >= 0) of_pair[T->row[i]] = 1;
    for (int64_t i = 0; i < m; i++)
        if (acts(T->equations, x, i) && !of_pair[i]) held[count] = i, right[count++] = sign * values[i];
    return count;
}

/* Numbers of the rows of the chosen blocks (zero where there is none), turned round. */
static void spread(const struct chosen *some, const double *values, double *out) {
    for (int64_t i = 0; i < some->n; i++) {
        out[i] = some->row[i] >= 0 ? -values[some->row[i]] : 0.0;
        if (some->less[i] >= 0) out[i] += values[some->less[i]];
    }
}

/* Products of the rows of the chosen blocks with velocities or accelerations w, the same way. */
static void spread_along(const struct transitions *T, const struct chosen *some, const double *w, double *out) {
    const int64_t nv = T->equations->nv;
    for (int64_t i = 0; i < some->n; i++) {
        out[i] = some->row[i] >= 0 ? -dot(T->J + some->row[i] * nv, w, nv) : 0.0;
        if (some->less[i] >= 0) out[i] += dot(T->J + some->less[i] * nv, w, nv);
    }
}

/* Add the forces of the chosen blocks to those of all rows. */
static void gather(const struct chosen *some, const double *p, double *rows) {
    for (int64_t i = 0; i < some->n; i++) {
        if (some->row[i] >= 0) rows[some->row[i]] += p[i];
        if (some->less[i] >= 0) rows[some->less[i]] -= p[i];
    }
}

static double kinetic(const struct transitions *T, const double *v, struct memory memory) {
    double *Mv = take(&memory, T->equations->nv);
    multiply(T->M, T->equations->nv, T->equations->nv, v, Mv);
    return 0.5 * dot(v, Mv, T->equations->nv);
}

/* Z (n x nv), rows of -R^-T J^T of the chosen blocks without the part that holding constraints carry, and W = Z Z^T. A span
 * of a rope of which only rounding is left never changes its length. */
static void delassus(const struct factors *F, const struct chosen *some, double *Z, double *W, struct memory memory) {
    const int64_t nv = F->mass->nv, n = some->n;
    double *before = take(&memory, nv);
    for (int64_t i = 0; i < n; i++) {
        double *z = Z + i * nv;
        if (some->row[i] < 0) continue;
        column_of(F->mass, some->row[i], z);
        double size = norm(z, nv);
        if (some->less[i] >= 0) {
            column_of(F->mass, some->less[i], before);
            size = fmax(size, norm(before, nv));
            for (int64_t j = 0; j < nv; j++) z[j] -= before[j];
        }
        without_reactions(F, z);
        if (some->less[i] >= 0 && norm(z, nv) <= ROUNDED * size) memset(z, 0, doubles(nv));
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

/* Add the impulses with which constraints that hold answer those of the chosen blocks. */
static void answer(const struct transitions *T, const struct mass *Q, const int64_t *held, int64_t n_held,
                   const struct chosen *some, const double *p, double *impulses, struct memory memory) {
    const int64_t nv = Q->nv;
    if (!n_held) return;
    double *f = take(&memory, nv), *none = take(&memory, n_held), *a = take(&memory, nv), *lambda = take(&memory, n_held);
    for (int64_t i = 0; i < some->n; i++) {
        for (int64_t j = 0; some->row[i] >= 0 && j < nv; j++) f[j] -= T->J[some->row[i] * nv + j] * p[i];
        for (int64_t j = 0; some->less[i] >= 0 && j < nv; j++) f[j] += T->J[some->less[i] * nv + j] * p[i];
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
