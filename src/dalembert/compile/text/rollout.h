/* One step of an explicit Runge-Kutta method in which each stage needs only the one before (Euler, Heun, the classical
 * one), for scalars, lanes and the threads of a GPU. The emitter defines N_STATES, N_QUATERNIONS, QUATERNIONS, STAGES
 * and the coefficients NODES, STEPS (the subdiagonal of the tableau) and WEIGHTS. */
TABLE int quaternion_at[] = {QUATERNIONS};
TABLE double node[] = {NODES}, inner[] = {STEPS}, weight[] = {WEIGHTS};

FUNCTION void rollout_step(double t, double h, const real *x, const real *c, const real *p, real *stage, real *rate,
                           real *next, real *w) {
    UNROLL
    for (int j = 0; j < N_STATES; j++) stage[j] = next[j] = x[j];
    ROLL
    for (int s = 0; s < STAGES; s++) {
        const real time = SPLAT(t + node[s] * h), a = SPLAT(h * inner[s]), b = SPLAT(h * weight[s]);
        const real *const in[] = {&time, stage, c, p};
        real *const out[] = {rate};
        CHUNKS(in, out, w)
        UNROLL
        for (int j = 0; j < N_STATES; j++) {
            next[j] += b * rate[j];
            stage[j] = x[j] + a * rate[j];
        }
    }
    UNROLL
    for (int q = 0; q < N_QUATERNIONS; q++) {
        real *const u = next + quaternion_at[q];
        const real r = K(1.0) / sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]);
        UNROLL
        for (int j = 0; j < 4; j++) u[j] = u[j] * r;
    }
}
