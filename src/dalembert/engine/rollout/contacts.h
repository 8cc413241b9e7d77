/* Time-stepping in the time loops of many members: the macros that its texts (engine/stepping) need, with sizes and tables that
 * are known at compile time. CHUNKS are the terms of a step, BIAS, MOVE, FINISH, LIFT and HELD have the meaning they have
 * there, PAIRS the rows of one block where machines have many of them.
 *
 * Members that need to look ahead leave the lane for the step, which moreau.c then takes: a pair that moves by more
 * than its own size (swept there), and sweeps that are slow (extrapolated there). A thread of a GPU gives up on the
 * former, so that its member is simulated elsewhere, and continues to sweep in the latter case. */
#if STEPPING
TABLE int L_start[] = {L_START}, L_column[] = {L_COLUMN};
TABLE int law_of[] = {LAWS}, size_of[] = {SIZES}, count_of[] = {COUNTS};
TABLE int support_start[] = {SUPPORT_START}, support_of[] = {SUPPORT};
TABLE int row_start[] = {ROW_START}, mu_start[] = {MU_START}, value_start[] = {VALUE_START}, block_start[] = {BLOCK_START};
TABLE int force_of[] = {FORCES}, loss_of[] = {LOSSES}, load_of[] = {LOAD_FIRST}, load_count_of[] = {LOAD_COUNTS};
TABLE int tug_start[] = {TUG_STARTS}, tug_of[] = {TUGS};
TABLE double feature_of[] = {FEATURES}; /* length below which nothing passes unseen */
TABLE int gather_start[] = {GATHER_START}, gather_of[] = {GATHER}, pair_of[] = {PAIR_KINDS};

typedef int INDEX;
#define RESISTANCES 0 /* members with such contacts run alone */
#define BELTS 0
#define SLOW 10 /* sweeps after which they are slow, as in history.c */
#define FACTOR(k) L_start[k]
#define COLUMN(i) L_column[i]
#define LAW(a) law_of[a]
#define SIZE(a) size_of[a]
#define COUNT(a) count_of[a]
#define AT(a) (support_of + support_start[a])
#define ROW(a) row_start[a]
#define MU(a) (C->mu + mu_start[a])
#define VALUES(a) value_start[a]
#define BLOCK(a) (C->w + block_start[a])
#define FEATURE(a) feature_of[a]
#define FORCE(a) force_of[a]
#define LAST_FORCE(a, i) x[FORCE(a) + (i)]
#define BY_PAIR(a) MANY
#define LOSS(a) loss_of[a]
#define LOAD(a) load_of[a]
#define LOAD_COUNT(a) load_count_of[a]
#define TUG_START(a) tug_start[a]
#define TUG(i) tug_of[i]
#define GATHER_AT(a) gather_start[a]
#define GATHERED(i) gather_of[i]
#define COPY(to, from, n) \
    for (INDEX copied = 0; copied < (n); copied++) (to)[copied] = (from)[copied];
#define NEAR(a, is)
#define FORCED(a) (alive & NO(alive))
#define IMPACT(h) 0
#define KEEP_IMPULSE(a, i, m, value) next[FORCE(a) + i] = SELECT(m, (value) / h, K(0.0));
#define KEEP_MULTIPLIER(i, value) next[MULTIPLIERS + i] = (value) / h;
#define TERMS(in, out, w) CHUNKS(in, out, w)
#define PAIR_ROWS(a, in, out, w) PAIRS(pair_of[a], in, out, w)
#define SOFTEN(a, B)
#define YIELD(a, x, b)
#define COMPLIANT(a) 0 /* members with colliders run alone */
#define GIVE(a) K(0.0)
#define SPRUNG(a, x) K(0.0)
#define IS_DEEP(a, h, before) (alive & NO(alive))
#define COMPLY(a, h, before, after) 1
#define STORE(a, h, before, u, next)
#define DEPTH(a) K(0.0)
#define EMPTY(next, h)
#define HOLD(a) K(0.0)
#define ADHERES(a) (alive & NO(alive))
#define PULL_TOGETHER(C)
#define SHIFT_IMPULSES(C, part)
#define FOUND(m) K(0.0)
#define BY_FACTOR(m) K(0.0)
#define RESTRAIN(C, m, sweeps) (m) /* by one member alone */
#define DEPENDS(m, x) leaves = leaves | depends(C, m, x, x[UNDETERMINED]); /* one member alone finds forces that are not unique */
#define IMPULSES(C, open, sweeps) block_sweeps(C, open, sweeps)
#define START_SWEEPS
#define BEFORE_SWEEP(number)
#if defined(LANES)
#define ON(a) (C->on[a] > K(0.5))
#define TURN_ON(a, m) C->on[a] = SELECT(m, K(1.0), K(0.0));
#define AFTER_SWEEP(number)                       \
    if (number == SLOW && number < MAX_SWEEPS) {  \
        slow = open;                              \
        break;                                    \
    }
#else
#define ON(a) true
#define TURN_ON(a, m)
#define AFTER_SWEEP(number)
#endif

/* As `struct moreau`. */
struct contacts {
    real L[N_L + 1], d[N_VELOCITIES], s0[N_VELOCITIES], g[N_BLOCKS + 1], e[N_BLOCKS + 1], mu[N_MU + 1], b[N_VELOCITIES], bent[N_BENT + 1];
    real Y[N_VALUES + 1], u0[N_ROWS + 1], zdot[N_INNER + 1], work[2];
    real w[N_NUMBERS + 1], bounce[N_BLOCKS + 1], x[N_ROWS + 1], s[N_VELOCITIES], dv[N_VELOCITIES], r[N_VELOCITIES];
    real gap[N_BLOCKS + 1], stays[N_BLOCKS + 1], lambda[N_BLOCKS + 1], jammed, rank;
    real pace[MANY ? N_BLOCKS : 1], values[N_GIVEN], gathered[MOST_GATHERED];
    real Q[N_HELD_ROWS * N_VELOCITIES + 1], T[N_HELD_ROWS * N_HELD_ROWS + 1];
    real held_u0[N_HELD_ROWS + 1], held_t[N_HELD_ROWS + 1], held_phi[N_HELD_ROWS + 1], held_rate[N_HELD_ROWS + 1];
    real zeta[N_HELD_ROWS + 1], held_x[N_HELD_ROWS + 1], P[N_HELD_ROWS * N_ROWS + 1], before[N_HELD_ROWS + N_BENT ? N_ROWS : 1];
#if defined(LANES)
    real on[N_BLOCKS + 1]; /* 1 or 0 */
#endif
    real gram[MOST_GRAM];
    int n_active, active[N_BLOCKS + 1];
};
typedef struct contacts stepper;
#define N_RATE ((int)(sizeof(struct contacts) / sizeof(real)))
#endif
