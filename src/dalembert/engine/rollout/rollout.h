/* One step of an explicit Runge-Kutta method, for scalars, lanes and the threads of a GPU. The emitter defines N_STATES,
 * N_QUATERNIONS, QUATERNIONS, STAGES and the coefficients NODES and WEIGHTS; of methods in which each stage needs only the
 * one before (Euler, Heun, the classical one) STEPS, the subdiagonal of the tableau; of those that are ADAPTIVE, whose last
 * stage is the derivative at the new point, the whole tableau as MATRIX. */
TABLE int quaternion_at[] = {QUATERNIONS};
#if !STEPPING && !ALONE && !IMPLICIT
TABLE double node[] = {NODES}, weight[] = {WEIGHTS};
#endif

FUNCTION void normalise(real *x) {
    UNROLL
    for (int q = 0; q < N_QUATERNIONS; q++) {
        real *const u = x + quaternion_at[q];
        const real r = K(1.0) / sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]);
        UNROLL
        for (int j = 0; j < 4; j++) u[j] = u[j] * r;
    }
}

#if ALONE /* members are advanced outside of their lanes */
#define N_RATE 0
#elif ADAPTIVE
#define N_RATE ((STAGES + 1) * N_STATES) /* and the derivative at the state */
TABLE double matrix[] = {MATRIX};

FUNCTION void derivative(real t, const real *x, const real *c, const real *p, real *rate, real *w,
                         const struct beside *B) {
    const real *const in[] = {&t, x, c, p};
#if CONSTRAINED
    real share;
    real *const out[] = {rate, &share};
    CHUNKS(in, out, w)
    const MASK sick = NO(share >= K(SHARE));
    if (SOME(sick)) rates_again(B, sick, t, x, c, p, rate);
#else
    (void)B;
    real *const out[] = {rate};
    CHUNKS(in, out, w)
#endif
}

/* The stages after the first one, which is known, and the new point before quaternions are normalised. */
FUNCTION void later_stages(instant t, instant h, const real *x, const real *c, const real *p, real *rate, real *next,
                           real *w, const struct beside *B) {
    const real *slopes[STAGES];
    UNROLL
    for (int s = 0; s < STAGES; s++) slopes[s] = rate + s * N_STATES;
    ROLL
    for (int s = 1; s < STAGES; s++) {
        combine(x, h, matrix + s * STAGES, s, slopes, next, N_STATES);
        derivative(REAL(t + h * node[s]), next, c, p, rate + s * N_STATES, w, B);
    }
}

FUNCTION void rollout_step(instant t, instant h, const real *x, const real *c, const real *p, real *stage, real *rate,
                           real *next, real *w, MASK alive, const struct beside *B) {
    (void)stage, (void)alive;
    derivative(REAL(t), x, c, p, rate, w, B);
    later_stages(t, h, x, c, p, rate, next, w, B);
    normalise(next);
}
#elif !STEPPING && !IMPLICIT /* contact_steps.h and midpoint_steps.h define other steps */
#define N_RATE N_STATES
TABLE double inner[] = {STEPS};

FUNCTION void rollout_step(instant t, instant h, const real *x, const real *c, const real *p, real *stage, real *rate,
                           real *next, real *w, MASK alive, const struct beside *B) {
    (void)alive, (void)B;
    UNROLL
    for (int j = 0; j < N_STATES; j++) stage[j] = next[j] = x[j];
    ROLL
    for (int s = 0; s < STAGES; s++) {
        const real time = REAL(t + h * node[s]), a = REAL(h * inner[s]), b = REAL(h * weight[s]);
        const real *const in[] = {&time, stage, c, p};
#if CONSTRAINED
        real share;
        real *const out[] = {rate, &share};
        CHUNKS(in, out, w)
        const MASK sick = alive & NO(share >= K(SHARE));
        if (SOME(sick)) rates_again(B, sick, time, stage, c, p, rate);
#else
        real *const out[] = {rate};
        CHUNKS(in, out, w)
#endif
        UNROLL
        for (int j = 0; j < N_STATES; j++) {
            next[j] += b * rate[j];
            stage[j] = x[j] + a * rate[j];
        }
    }
    normalise(next);
}
#endif
