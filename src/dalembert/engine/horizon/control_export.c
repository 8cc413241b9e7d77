/* The controller for a target: one instance in static memory, no allocation. */
static struct control controller;
static double plan[2][N_MEMORY], tape_work[TAPE_WORK], past[NU], state[NX], fallback[NU];
static int current;

void CONTROLLER_DEADLINE(double (*clock)(void), double seconds) {
    controller.Q.clock = clock;
    controller.budget = seconds;
}

void CONTROLLER_RESET(void) {
    USE_TABLES
    current = 0;
    memset(plan, 0, sizeof plan);
    memset(past, 0, sizeof past);
}

int CONTROLLER_STEP(double t, const double *x, const double *parameters, double *u, double *info) {
    double answer[N_ANSWER];
    const double *const in[3] = {x, parameters, &t};
    const long from[3] = {0, 0, 0}, to[1] = {NU};
    double *const out[1] = {fallback};
    memcpy(state, x, N_MEASURED * sizeof(double));
    memcpy(state + N_MEASURED, past, (NX - N_MEASURED) * sizeof(double));
    if (FALLBACK_TAPE(1, in, from, out, to, tape_work)) memset(fallback, 0, sizeof fallback);
    control_sample(&controller, t, state, parameters, fallback, plan[current], plan[1 - current], answer, tape_work);
    current = 1 - current;
    memcpy(u, answer, NU * sizeof(double));
    memcpy(past, answer, NU * sizeof(double));
    memcpy(info, answer + NU, 8 * sizeof(double));
    return (int)answer[NU];
}
