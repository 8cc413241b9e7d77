/* A predictive controller as a routine of the loop: (t, x, c, p, w) -> inputs, diagnostics, memory. */
enum { N_READ = NX + N_PAR + NU };

struct control_stage {
    struct control S;
    double read[N_READ];
};

#ifdef REAL_TIME /* in step with the clock (realtime.c) */
double realtime_clock(void);
double realtime_budget(void);
void realtime_late(void);
#endif

#define OWN_WORK ((long)((sizeof(struct control_stage) + 7) / 8))

static int routine(const double *const *in, double *const *out, double *own, double *work) {
    struct control_stage *const C = (struct control_stage *)(void *)own;
    const long from[5] = {0, 0, 0, 0, 0}, to[1] = {N_READ};
    double *const reads[1] = {C->read};
    if (READ_TAPE(1, in, from, reads, to, work))
        for (int i = 0; i < N_READ; i++) C->read[i] = NAN;
#ifdef REAL_TIME
    const double budget = realtime_budget();
    C->S.Q.clock = realtime_clock;
    C->S.budget = BUDGET > 0.0 && BUDGET < budget ? BUDGET : budget;
#else
    C->S.Q.clock = NULL, C->S.budget = 0.0;
#endif
    control_sample(&C->S, in[0][0], C->read, C->read + NX, C->read + NX + N_PAR, in[2] + MEMORY_AT, out[0] + N_ANSWER, out[0],
                   work);
#ifdef REAL_TIME
    if (out[0][NU] == IS_LATE) realtime_late();
#endif
    return 0;
}
