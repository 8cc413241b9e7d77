/* Common parts of both versions of FMI: the same functions, with FMI(Name) for fmi2Name or fmi3Name.
 *
 * The file that includes this defines FMI and the types Handle, Status, Boolean, Real, State and Byte, `struct Instance`
 * with a member `model`, and `fail`.
 */
#define UNUSED(x) (void)(x)
#define MODEL(c) (&((Instance *)(c))->model)

static Status checked(Instance *i, int failed, const char *why) { return failed ? fail(i, why) : FMI(OK); }

static Status ready(Instance *i, int failed) {
    const char *const why = complaint(&i->model);
    return failed || why ? fail(i, why ? why : "the state cannot be made consistent") : FMI(OK);
}

void FMI(FreeInstance)(Handle c) { free(c); }

Status FMI(ExitInitializationMode)(Handle c) { return ready(c, begin(MODEL(c))); }

Status FMI(EnterEventMode)(Handle c) { return UNUSED(c), FMI(OK); }

Status FMI(Terminate)(Handle c) { return UNUSED(c), FMI(OK); }

Status FMI(Reset)(Handle c) { return start(MODEL(c)), FMI(OK); }

static Status read(Handle c, const unsigned r[], size_t n, Real value[]) {
    return checked(c, get(MODEL(c), r, n, value), "there is no variable of this value reference");
}

static Status write(Handle c, const unsigned r[], size_t n, const Real value[]) {
    return checked(c, set(MODEL(c), r, n, value), "a variable cannot be set to this value");
}

static Status save(Handle c, State *state) {
    if (!*state)
        *state = malloc(sizeof(Model));
    if (!*state)
        return fail(c, "out of memory");
    memcpy(*state, MODEL(c), sizeof(Model));
    return FMI(OK);
}

static Status restore(Handle c, State state) { return copy(MODEL(c), state), FMI(OK); }

static Status forget(Handle c, State *state) {
    UNUSED(c);
    free(*state);
    *state = 0;
    return FMI(OK);
}

static Status size_of(Handle c, State state, size_t *size) {
    UNUSED(c), UNUSED(state);
    *size = sizeof(Model);
    return FMI(OK);
}

static Status pack(Handle c, State state, Byte bytes[], size_t size) {
    if (size < sizeof(Model))
        return fail(c, "too little room for the state");
    memcpy(bytes, state, sizeof(Model));
    return FMI(OK);
}

static Status unpack(Handle c, const Byte bytes[], size_t size, State *state) {
    if (size != sizeof(Model))
        return fail(c, "these bytes are not a state of this model");
    if (!*state)
        *state = malloc(sizeof(Model));
    if (!*state)
        return fail(c, "out of memory");
    memcpy(*state, bytes, sizeof(Model));
    return FMI(OK);
}

/* Model exchange */

Status FMI(EnterContinuousTimeMode)(Handle c) { return UNUSED(c), FMI(OK); }

Status FMI(CompletedIntegratorStep)(Handle c, Boolean no_set, Boolean *event, Boolean *end) {
    UNUSED(no_set);
    *event = (Boolean)strays(MODEL(c));
    *end = (Boolean)0;
    return FMI(OK);
}

Status FMI(SetTime)(Handle c, Real t) { return set_time(MODEL(c), t), FMI(OK); }

Status FMI(SetContinuousStates)(Handle c, const Real x[], size_t n) {
    if (n != N_DERIVATIVES)
        return fail(c, "wrong number of states");
    set_states(MODEL(c), x);
    return FMI(OK);
}

Status FMI(GetContinuousStates)(Handle c, Real x[], size_t n) {
    if (n != N_DERIVATIVES)
        return fail(c, "wrong number of states");
    get_states(MODEL(c), x);
    return FMI(OK);
}

static Status derivatives(Handle c, Real rate[], size_t n) {
    if (n != N_DERIVATIVES)
        return fail(c, "wrong number of states");
    get_rates(MODEL(c), rate);
    return is_finite(rate, N_DERIVATIVES) ? FMI(OK) : FMI(Discard);
}

Status FMI(GetEventIndicators)(Handle c, Real g[], size_t n) {
    if (n != N_EVENTS)
        return fail(c, "wrong number of event indicators");
    evaluate(MODEL(c));
    memcpy(g, MODEL(c)->g, n * sizeof(double));
    return is_finite(g, N_EVENTS) ? FMI(OK) : FMI(Discard);
}

Status FMI(GetNominalsOfContinuousStates)(Handle c, Real x[], size_t n) {
    UNUSED(c);
    for (size_t i = 0; i < n; i++)
        x[i] = 1.0;
    return FMI(OK);
}

/* Co-simulation: `end` tells whether an event was reached at which the motion ends, before the end of the interval. */
static Status step_over(Handle c, Real t, Real interval, int *end) {
    Model *const m = MODEL(c);
    *end = 0;
    if (!(interval >= 0.0) || !isfinite(interval))
        return fail(c, "the communication interval must be a length of time");
    if (interval > 0.0 && advance(m, t, interval))
        return fail(c, complaint(m));
    *end = m->outcome == STOPPED;
    return FMI(OK);
}
