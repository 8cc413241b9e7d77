/* A step of many members by the texts of time-stepping. */
#if STEPPING
FUNCTION void rollout_step(instant t, instant h, const real *x, const real *c, const real *p, real *xm, real *rate,
                           real *next, real *w, MASK alive, const struct beside *B) {
    struct contacts *const C = (struct contacts *)rate;
    const real length = REAL(h), now = REAL(t), tm = REAL(t + h * (1.0 - THETA));
    MASK leaves = step_begin(C, now, tm, length, x, c, p, xm, next, w, alive);
    for (int j = FIRST_FORCE; j < FIRST_FORCE + N_FORCES; j++) next[j] = K(0.0);
    next[RESIDUAL] = next[SWEEPS] = next[UNDETERMINED] = next[LOWERED] = K(0.0);
    leaves = leaves | step_end(C, now, tm, length, x, c, p, xm, next, w, alive, leaves);
    if (SOME(leaves)) step_again(B, leaves, t, h, x, c, p, next);
    /* Decaying values would become denormal, and every operation on them a hundred times as slow. */
    for (int j = 0; j < N_STATES; j++) next[j] = SELECT(fabs(next[j]) < K(1e-150), K(0.0), next[j]);
    normalise(next);
}
#endif
