/* FMI 2.0: co-simulation with the solver inside, and model exchange. */
#include "core.h"
#include "fmi2Functions.h"

#define UNUSED(x) (void)(x)

typedef struct {
    Model model;
    fmi2CallbackFunctions callbacks;
    fmi2String name;
    int exchange;
} Instance;

static fmi2Status fail(Instance *i, const char *message) {
    if (i->callbacks.logger)
        i->callbacks.logger(i->callbacks.componentEnvironment, i->name, fmi2Error, "logStatusError", "%s", message);
    return fmi2Error;
}

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }

const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]) {
    UNUSED(c), UNUSED(on), UNUSED(n), UNUSED(categories);
    return fmi2OK;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    UNUSED(resources), UNUSED(visible), UNUSED(logging);
    if (!guid || strcmp(guid, GUID))
        return 0;
    Instance *const i = calloc(1, sizeof *i);
    if (!i)
        return 0;
    if (callbacks)
        i->callbacks = *callbacks;
    i->name = MODEL_NAME;
    UNUSED(name);
    i->exchange = type == fmi2ModelExchange;
    start(&i->model);
    return i;
}

void fmi2FreeInstance(fmi2Component c) { free(c); }

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real t0,
                               fmi2Boolean has_end, fmi2Real end) {
    UNUSED(has_tolerance), UNUSED(tolerance), UNUSED(has_end), UNUSED(end);
    ((Instance *)c)->model.t = t0;
    ((Instance *)c)->model.stale = 1;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return UNUSED(c), fmi2OK; }

fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return UNUSED(c), fmi2OK; }

fmi2Status fmi2Terminate(fmi2Component c) { return UNUSED(c), fmi2OK; }

fmi2Status fmi2Reset(fmi2Component c) {
    start(&((Instance *)c)->model);
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Real value[]) {
    return get(&((Instance *)c)->model, r, n, value) ? fail(c, "there is no variable of this value reference") : fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Real value[]) {
    return set(&((Instance *)c)->model, r, n, value) ? fail(c, "a variable cannot be set to this value") : fmi2OK;
}

#define NONE(NAME, TYPE)                                                                                              \
    fmi2Status fmi2Get##NAME(fmi2Component c, const fmi2ValueReference r[], size_t n, TYPE value[]) {                  \
        UNUSED(r), UNUSED(value);                                                                                      \
        return n ? fail(c, "all variables are real") : fmi2OK;                                                         \
    }                                                                                                                  \
    fmi2Status fmi2Set##NAME(fmi2Component c, const fmi2ValueReference r[], size_t n, const TYPE value[]) {            \
        UNUSED(r), UNUSED(value);                                                                                      \
        return n ? fail(c, "all variables are real") : fmi2OK;                                                         \
    }
NONE(Integer, fmi2Integer)
NONE(Boolean, fmi2Boolean)
NONE(String, fmi2String)

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
    if (!*state)
        *state = malloc(sizeof(Model));
    if (!*state)
        return fail(c, "out of memory");
    memcpy(*state, &((Instance *)c)->model, sizeof(Model));
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
    memcpy(&((Instance *)c)->model, state, sizeof(Model));
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
    UNUSED(c);
    free(*state);
    *state = 0;
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
    UNUSED(c), UNUSED(state);
    *size = sizeof(Model);
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
    if (size < sizeof(Model))
        return fail(c, "too little room for the state");
    memcpy(bytes, state, sizeof(Model));
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state) {
    if (size != sizeof(Model))
        return fail(c, "these bytes are not a state of this model");
    if (!*state)
        *state = malloc(sizeof(Model));
    if (!*state)
        return fail(c, "out of memory");
    memcpy(*state, bytes, sizeof(Model));
    return fmi2OK;
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t n_unknown,
                                        const fmi2ValueReference known[], size_t n_known, const fmi2Real seed[],
                                        fmi2Real result[]) {
    UNUSED(unknown), UNUSED(n_unknown), UNUSED(known), UNUSED(n_known), UNUSED(seed), UNUSED(result);
    return fail(c, "directional derivatives are not provided");
}

/* Model exchange */

fmi2Status fmi2EnterEventMode(fmi2Component c) { return UNUSED(c), fmi2OK; }

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
    UNUSED(c);
    memset(info, 0, sizeof *info);
    return fmi2OK;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) { return UNUSED(c), fmi2OK; }

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_set, fmi2Boolean *event, fmi2Boolean *end) {
    UNUSED(c), UNUSED(no_set);
    *event = *end = fmi2False;
    return fmi2OK;
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t) {
    ((Instance *)c)->model.t = t;
    ((Instance *)c)->model.stale = 1;
    return fmi2OK;
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n) {
    if (n != N_STATES)
        return fail(c, "wrong number of states");
    memcpy(((Instance *)c)->model.x, x, sizeof ((Instance *)c)->model.x);
    ((Instance *)c)->model.stale = 1;
    return fmi2OK;
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real rate[], size_t n) {
    Model *const m = &((Instance *)c)->model;
    if (n != N_STATES)
        return fail(c, "wrong number of states");
    evaluate(m);
    memcpy(rate, m->rate, sizeof m->rate);
    return is_finite(rate, N_STATES) ? fmi2OK : fmi2Discard;
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real g[], size_t n) {
    UNUSED(g);
    return n ? fail(c, "there are no event indicators") : fmi2OK;
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
    if (n != N_STATES)
        return fail(c, "wrong number of states");
    memcpy(x, ((Instance *)c)->model.x, sizeof ((Instance *)c)->model.x);
    return fmi2OK;
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
    UNUSED(c);
    for (size_t i = 0; i < n; i++)
        x[i] = 1.0;
    return fmi2OK;
}

/* Co-simulation */

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real interval, fmi2Boolean no_set) {
    Model *const m = &((Instance *)c)->model;
    UNUSED(no_set);
    if (!(interval >= 0.0) || !isfinite(interval))
        return fail(c, "the communication interval must be a length of time");
    m->t = t;
    if (interval > 0.0 && advance(m, interval))
        return fail(c, "the state stopped being finite");
    return fmi2OK;
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference r[], size_t n,
                                       const fmi2Integer order[], const fmi2Real value[]) {
    UNUSED(r), UNUSED(n), UNUSED(order), UNUSED(value);
    return fail(c, "inputs are held over a step");
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference r[], size_t n,
                                        const fmi2Integer order[], fmi2Real value[]) {
    UNUSED(r), UNUSED(n), UNUSED(order), UNUSED(value);
    return fail(c, "derivatives of outputs are not provided");
}

fmi2Status fmi2CancelStep(fmi2Component c) { return fail(c, "a step is never pending"); }

#define STATUS(NAME, TYPE)                                                                                             \
    fmi2Status fmi2Get##NAME(fmi2Component c, const fmi2StatusKind kind, TYPE *value) {                                \
        UNUSED(kind), UNUSED(value);                                                                                   \
        return fail(c, "a step is never pending");                                                                     \
    }
STATUS(Status, fmi2Status)
STATUS(RealStatus, fmi2Real)
STATUS(IntegerStatus, fmi2Integer)
STATUS(BooleanStatus, fmi2Boolean)
STATUS(StringStatus, fmi2String)
