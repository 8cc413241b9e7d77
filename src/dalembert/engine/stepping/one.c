/* The texts of time-stepping with one member: `real` is a double, a mask a condition, and sizes come from memory. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "moreau.h"

typedef double real;
typedef int MASK;
typedef int64_t INDEX;
typedef struct moreau stepper;
#define K(c) (c)
#define SPLAT(a) (a)
#define SELECT(m, a, b) ((m) ? (a) : (b))
#define NO(m) (!(m))
#define SOME(m) (m)
#define ROLL
#define FUNCTION static inline
#define STEPPING 1
#define FAILED (-1)

#define N_STATES C->n
#define N_COORDINATES C->nq
#define N_VELOCITIES C->nv
#define N_INNER C->nz
#define N_PARAMETERS C->n_p
#define N_BLOCKS C->n_blocks
#define N_HELD_ROWS C->n_held
#define FIRST_BENT C->first_bent
#define N_BENT C->n_bent
#define N_L C->L_start[C->nv]
#define MOST_ROWS 16 /* of a block */
#define ROPES 1
#define RESISTANCES 1 /* resistance.c */
#define BELTS 1       /* surfaces that move on their bodies */
#define MOST_TESTED 48
#define MANY (C->pair != 0)
#define BY_PAIR(a) (C->pair != 0 && (a) < C->n_fixed)
#define THETA C->theta
#define MARGIN C->margin
#define CONE_TOLERANCE C->tolerance
#define MAX_SWEEPS C->max_sweeps
#define RESIDUAL C->residual_at
#define SWEEPS C->sweeps_at
#define UNDETERMINED C->undetermined_at
#define FOUND(m) C->undetermined
#define LOWERED C->lowered_at
#define BY_FACTOR(m) C->lowered
#define WORK_INPUT C->work_input
#define WORK_LOSS C->work_loss

#define FACTOR(k) C->L_start[k]
#define COLUMN(i) C->L_column[i]
#define LAW(a) (int)C->law[a]
#define SIZE(a) C->size[a]
#define COUNT(a) C->count[a]
#define AT(a) (C->support + C->support_start[a])
#define ROW(a) C->row_start[a]
#define MU(a) (C->mu + C->mu_start[a])
#define VALUES(a) C->value_start[a]
#define BLOCK(a) (C->w + C->block_start[a])
#define FEATURE(a) C->feature[a]
#define FORCE(a) C->force[a]
#define KEEP_BEND(a, rows) C->turns[a] = (double)(rows);
#define COLLIDES(a) ((a) >= C->n_fixed)          /* contacts of colliders */
#define PUSHED(a) (C->known && C->known[a] == 3) /* of these */
#define LAST_FORCE(a, i) ((a) < C->n_fixed ? x[FORCE(a) + (i)] : C->last[ROW(a) + (i)])
#define LOSS(a) C->loss[a]
#define LOADS 1
#define LOAD(a) (C->load ? C->load[a] : -1)
#define LOAD_COUNT(a) C->load_count[a]
#define TUG_START(a) (C->tug_start ? C->tug_start[a] : 0)
#define TUG(i) C->tug[i]
#define GATHER_AT(a) C->gather_start[a]
#define GATHERED(i) C->gather[i]
#define COPY(to, from, n) memcpy(to, from, (size_t)(n) * sizeof(double));
#define ON(a) 1
#define TURN_ON(a, m)
#define NEAR(a, is) C->near[a] = is;
#define FORCED(a) (C->forced[a] != 0)
#define IMPACT(h) (!((h) > 0.0))
#define KEEP_IMPULSE(a, i, m, value) C->total[ROW(a) + i] += value;
#define KEEP_MULTIPLIER(i, value) C->held_total[i] += value;

#define CALL(name, in, out) \
    if (CALLED(C, name)(in, out, C->name##_work)) return FAILED;
#define TERMS(in, out, w) CALL(terms, in, out)
#define BIAS(in, out, w)                                                                               \
    if (C->first) memcpy(C->first, C->x, (size_t)C->row_start[C->n_fixed] * sizeof(double));           \
    CALL(bias, in, out)
#define MOVE(in, out, w) CALL(move, in, out)
#define FINISH(in, out, w) CALL(finish, in, out)
#define LIFT(in, out, w) CALL(lift, in, out)
#define HELD(in, out, w) CALL(held, in, out)
#define PAIR_ROWS(a, in, out, w) \
    if (C->pair[a](in, out, C->pair_work + C->pair_at[a])) return FAILED;

/* Compliance of contacts, in searches for forces that are not unique (unique.c). */
#define SOFTEN(a, B)                                      \
    if (C->soft > 0.0) soften(SIZE(a), C->soft, B);       \
    if (COMPLIANT(a)) B[0] += C->give[a];
#define YIELD(a, x, b)                                                                                  \
    if (C->soft > 0.0)                                                                                  \
        for (int64_t i = 0; i < SIZE(a); i++) b[i] += C->soft * ((x)[i] - C->ref[ROW(a) + i]);          \
    if (COMPLIANT(a)) b[0] += C->give[a] * (x)[0] + C->rest[a];
/* Those that are compliant themselves (compliance.c). */
#define COMPLIANT(a) (C->compliance && C->compliance[a] > 0.0)
#define GIVE(a) (COMPLIANT(a) ? C->give[a] : 0.0)
#define SPRUNG(a, x) (COMPLIANT(a) ? C->give[a] * (x)[0] + C->rest[a] : 0.0)
#define IS_DEEP(a, h, before) (COMPLIANT(a) && C->g[a] < (1.0 - C->theta) * (h) * (before))
#define COMPLY(a, h, before, after) (!COMPLIANT(a) || comply(C, a, h, before, after))
#define STORE(a, h, before, u, next) \
    if (COMPLIANT(a)) loss += store(C, a, h, before, u, next + C->stored_at);
#define DEPTH(a) C->depth[a]
#define EMPTY(next, h) \
    if (C->compliance && !IMPACT(h)) next[C->stored_at] = 0.0;
/* Contacts that adhere (adhesion.c). */
#define HOLD(a) (C->hold ? C->hold[a] : 0.0)
#define ADHERES(a) (HOLD(a) > 0.0)
#define PULL_TOGETHER(C) \
    if (C->hold) pull_together(C);
#define SHIFT_IMPULSES(C, part) \
    if (C->hold) shift_impulses(C, part);
#define SOLVE(C, open, sweeps) \
    (C->apart ? island_impulses(C, sweeps) : C->depends ? unique_impulses(C, sweeps, C->direct) : block_sweeps(C, open, sweeps))
#define IMPULSES(C, open, sweeps) (memcpy(C->start, C->s, (size_t)C->nv * sizeof(double)), SOLVE(C, open, sweeps))
#define RESTRAIN(C, m, sweeps) restrain(C, sweeps)
#define CLOSE_GAPS(C, open) (C->apart ? close_island_gaps(C) : close_gaps(C, open))
#define DEPENDS(m, x) \
    C->undetermined = C->lowered = 0.0, C->depends = !C->apart && depends(C, m, x, C->were_undetermined);

/* Add to the diagonal of a symmetric matrix, of which B is the upper triangle. */
static inline void soften(int64_t n, double soft, double *B) {
    for (int64_t i = 0; i < n; B += n - i, i++) *B += soft;
}

#define START_SWEEPS struct history H = history_start(C);
#define BEFORE_SWEEP(number) \
    if (number >= H.slow) gather(C, H.before);
#define AFTER_SWEEP(number) use_history(C, &H, number, change);
