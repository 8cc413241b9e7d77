/* Constraints in the time loops of many members. The tape of the rates solves for accelerations without pivoting and
 * returns its share beside them, PROJECT the projected coordinates and velocities, the largest violation and its share
 * (core/constraint_tape.py). Where a share is too small rows depend on each other: members in lanes are then solved
 * again one by one, by the rank-revealing routines of constrained.c; a thread of a GPU gives up and reports it. */
#if defined(LANES)
struct beside {
    int (*dynamics)(const double *const *in, double *const *out, double *context);
    int (*project)(void *context, double t, double *x, const double *c, const double *p);
    int (*step)(void *context, double t, double h, const double *x, const double *c, const double *p, double *out);
    void *context;
    double *member; /* room for x, x', c and p of one */
};
#else
struct beside {
    bool *sick;
};
#endif

#if defined(LANES)
#define NO(m) (~(m))
#define SOME(m) any(m)
#else
#define NO(m) (!(m))
#define SOME(m) (m)
#endif
#if defined(LANES)
/* One member out of its lane. */
static inline void take_out(const struct beside *B, int i, const real *x, const real *c, const real *p) {
    double *const one = B->member;
    for (int j = 0; j < N_STATES; j++) one[j] = x[j][i];
    for (int j = 0; j < N_HELD; j++) one[2 * N_STATES + j] = c[j][i];
    for (int j = 0; j < N_PARAMETERS; j++) one[2 * N_STATES + N_HELD + j] = p[j][i];
}

#endif
#if STEPPING && defined(LANES)
/* Steps of members that leave their lane, each as a single run takes it. */
__attribute__((noinline, cold)) static void step_again(const struct beside *B, integer leaves, real t, real h,
                                                       const real *x, const real *c, const real *p, real *next) {
    double *const one = B->member, *const out = one + N_STATES;
    for (int i = 0; i < LANES; i++) {
        if (!leaves[i]) continue;
        take_out(B, i, x, c, p);
        const int failed =
            B->step(B->context, t[i], h[i], one, one + 2 * N_STATES, one + 2 * N_STATES + N_HELD, out);
        for (int j = 0; j < N_STATES; j++) next[j][i] = failed ? NAN : out[j];
    }
}
#elif STEPPING
#define step_again(B, leaves, t, h, x, c, p, next) (*(B)->sick = true)
#endif
#if CONSTRAINED && defined(LANES)
__attribute__((noinline, cold)) static void rates_again(const struct beside *B, integer sick, real t, const real *x,
                                                        const real *c, const real *p, real *rate) {
    double *const one = B->member;
    for (int i = 0; i < LANES; i++) {
        if (!sick[i]) continue;
        const double time = t[i];
        const double *const in[] = {&time, one, one + 2 * N_STATES, one + 2 * N_STATES + N_HELD};
        double *const out[] = {one + N_STATES};
        take_out(B, i, x, c, p);
        const int failed = B->dynamics(in, out, (double *)B->context);
        for (int j = 0; j < N_STATES; j++) rate[j][i] = failed ? NAN : one[N_STATES + j];
    }
}

/* Returns the lanes that could not be projected. */
__attribute__((noinline, cold)) static integer project_again(const struct beside *B, integer sick, real t, real *x,
                                                             const real *c, const real *p) {
    double *const one = B->member;
    integer lost = J(0);
    for (int i = 0; i < LANES; i++) {
        if (!sick[i]) continue;
        take_out(B, i, x, c, p);
        if (B->project(B->context, t[i], one, one + 2 * N_STATES, one + 2 * N_STATES + N_HELD)) lost[i] = -1;
        for (int j = 0; j < N_STATES; j++) x[j][i] = one[j];
    }
    return lost;
}
#elif CONSTRAINED
#define rates_again(B, mask, t, x, c, p, rate) (*(B)->sick = true)
#define project_again(B, mask, t, x, c, p) (*(B)->sick = true)
#endif

#if PROJECTS
/* Newton's method onto Phi = 0, masked: a converged member takes the velocities that belong to its place and is done,
 * the others take the coordinates and continue. Returns whose violation was within reach. */
FUNCTION MASK rollout_project(instant t, MASK open, real *next, const real *c, const real *p, real *moved, real *w,
                              const struct beside *B) {
    const real time = REAL(t);
    real error = K(0.0), share = K(0.0), before = K(1e300);
    MASK good = open | NO(open);
    ROLL
    for (int k = 0; k < MOST_CORRECTIONS; k++) {
        const real *const in[] = {&time, next, c, p};
        real *const out[] = {moved, &error, &share};
        PROJECT(in, out, w)
        const MASK sick = open & NO(share >= K(SHARE));
        if (SOME(sick)) {
            good = good & NO(project_again(B, sick, t, next, c, p));
            open = open & NO(sick);
        }
        const MASK near_ = error <= K(DRIFT);
        good = good & (near_ | NO(open));
        open = open & near_;
        const MASK there = SETTLED(error, before, K(TOLERANCE));
        const MASK last = k + 1 == MOST_CORRECTIONS ? open : (MASK)(open & there), more = open & NO(last);
        UNROLL
        for (int j = 0; j < N_COORDINATES; j++) next[j] = SELECT(more, moved[j], next[j]);
        UNROLL
        for (int j = N_COORDINATES; j < N_POSE; j++) next[j] = SELECT(last, moved[j], next[j]);
        before = error;
        open = more;
        if (!SOME(open)) break;
    }
    return good;
}
#endif
