/* Implicit midpoint steps of many members: those of implicit/midpoint.c, for lanes and the threads of a GPU. The tape of the
 * time loop is (t, x, c, p, y, (h, damping)) -> y. Each member iterates until its own rates are found, whatever the others
 * need. Between steps `rate` keeps the rates in the middle of the last step, `stage` the state and the number after the
 * rates the time at its end. */
#if IMPLICIT
#define N_RATE (2 * N_STATES + 1)
#define NEAR 1e-12 /* as in midpoint.c */

/* The first step of a member in this call begins without rates. */
FUNCTION void forget_rates(real *rate) { rate[2 * N_STATES] = K(NAN); }

/* One step; returns the members whose iteration has converged. */
FUNCTION MASK midpoint_step(instant t, instant h, const real *x, const real *c, const real *p, real *stage, real *rate,
                            real *next, real *w, MASK alive) {
    real *const y = rate, *const y_next = rate + N_STATES, *const t_known = rate + 2 * N_STATES;
    const real now = REAL(t), settings[2] = {REAL(h), K(NUMERICAL_DAMPING)};
    const real *const in[] = {&now, x, c, p, y, settings};
    real *const out[] = {y_next};
    MASK continues = fabs(now - *t_known) <= K(NEAR) * (K(1.0) + fabs(now));
    for (int j = 0; j < N_STATES; j++) continues = continues & (fabs(x[j] - stage[j]) <= K(NEAR) * (K(1.0) + fabs(x[j])));
    for (int j = 0; j < N_STATES; j++) y[j] = SELECT(continues, y[j], K(0.0));
    MASK going = alive, found = alive & NO(alive);
    real before = K(INFINITY), grows = K(0.0);
    ROLL
    for (int k = 0; k < MAX_ITERATIONS && SOME(going); k++) {
        CHUNKS(in, out, w)
        real change = K(0.0), off = K(0.0);
        for (int j = 0; j < N_ITERATED; j++) {
            const real d = fabs(settings[0] * (y_next[j] - y[j])) / (K(ITERATION_TOLERANCE) * (K(1.0) + fabs(x[j])));
            change = SELECT(d > change, d, change);
            off += d - d; /* not a number, if one is not finite */
        }
        for (int j = 0; j < N_STATES; j++) y[j] = SELECT(going, y_next[j], y[j]);
        going = going & (off == K(0.0));
        /* An iteration follows the one that changed nothing that counts: quadratures are those of its state. */
        const MASK done = going & (change <= K(k > 0 ? 1.0 : -1.0));
        found = found | done, going = going & NO(done);
        grows = SELECT(change > before, grows + K(1.0), K(0.0));
        going = going & (grows < K(4.0));
        before = change;
    }
    for (int j = 0; j < N_STATES; j++) next[j] = x[j] + settings[0] * y[j];
    for (int j = 0; j < N_STATES; j++) stage[j] = next[j];
    *t_known = SELECT(found, REAL(t + h), K(NAN));
    normalise(next);
    return found;
}
#else
#define forget_rates(rate)
#endif
