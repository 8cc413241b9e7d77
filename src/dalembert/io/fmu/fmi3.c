/* FMI 3.0: co-simulation with the solver inside, and model exchange. What is not here refuses: see refusals.h. */
#include "core.h"
#include "fmi3Functions.h"

#define UNUSED(x) (void)(x)

typedef struct {
    Model model;
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
} Instance;

static fmi3Status fail(Instance *i, const char *message) {
    if (i && i->log)
        i->log(i->environment, fmi3Error, "logStatusError", message);
    return fmi3Error;
}

#include "refusals.h"

const char *fmi3GetVersion(void) { return fmi3Version; }

fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String categories[]) {
    UNUSED(c), UNUSED(on), UNUSED(n), UNUSED(categories);
    return fmi3OK;
}

static Instance *made(fmi3String token, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log) {
    if (!token || strcmp(token, GUID))
        return 0;
    Instance *const i = calloc(1, sizeof *i);
    if (!i)
        return 0;
    i->environment = environment;
    i->log = log;
    start(&i->model);
    return i;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log) {
    UNUSED(name), UNUSED(resources), UNUSED(visible), UNUSED(logging);
    return made(token, environment, log);
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early,
                                         const fmi3ValueReference required[], size_t n_required,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update) {
    UNUSED(name), UNUSED(resources), UNUSED(visible), UNUSED(logging), UNUSED(event_mode), UNUSED(early);
    UNUSED(required), UNUSED(n_required), UNUSED(update);
    return made(token, environment, log);
}

void fmi3FreeInstance(fmi3Instance c) { free(c); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance, fmi3Float64 tolerance, fmi3Float64 t0,
                                       fmi3Boolean has_end, fmi3Float64 end) {
    UNUSED(has_tolerance), UNUSED(tolerance), UNUSED(has_end), UNUSED(end);
    ((Instance *)c)->model.t = t0;
    ((Instance *)c)->model.stale = 1;
    return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c) { return UNUSED(c), fmi3OK; }

fmi3Status fmi3EnterEventMode(fmi3Instance c) { return UNUSED(c), fmi3OK; }

fmi3Status fmi3Terminate(fmi3Instance c) { return UNUSED(c), fmi3OK; }

fmi3Status fmi3Reset(fmi3Instance c) {
    start(&((Instance *)c)->model);
    return fmi3OK;
}

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Float64 value[], size_t n_value) {
    UNUSED(n_value);
    return get(&((Instance *)c)->model, r, n, value) ? fail(c, "there is no variable of this value reference") : fmi3OK;
}

fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference r[], size_t n, const fmi3Float64 value[],
                          size_t n_value) {
    UNUSED(n_value);
    return set(&((Instance *)c)->model, r, n, value) ? fail(c, "a variable cannot be set to this value") : fmi3OK;
}

fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state) {
    if (!*state)
        *state = malloc(sizeof(Model));
    if (!*state)
        return fail(c, "out of memory");
    memcpy(*state, &((Instance *)c)->model, sizeof(Model));
    return fmi3OK;
}

fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) {
    memcpy(&((Instance *)c)->model, state, sizeof(Model));
    return fmi3OK;
}

fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state) {
    UNUSED(c);
    free(*state);
    *state = 0;
    return fmi3OK;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size) {
    UNUSED(c), UNUSED(state);
    *size = sizeof(Model);
    return fmi3OK;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
    if (size < sizeof(Model))
        return fail(c, "too little room for the state");
    memcpy(bytes, state, sizeof(Model));
    return fmi3OK;
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state) {
    if (size != sizeof(Model))
        return fail(c, "these bytes are not a state of this model");
    if (!*state)
        *state = malloc(sizeof(Model));
    if (!*state)
        return fail(c, "out of memory");
    memcpy(*state, bytes, sizeof(Model));
    return fmi3OK;
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *needed, fmi3Boolean *end, fmi3Boolean *nominals,
                                    fmi3Boolean *values, fmi3Boolean *has_next, fmi3Float64 *next) {
    UNUSED(c);
    *needed = *end = *nominals = *values = *has_next = fmi3False;
    *next = 0.0;
    return fmi3OK;
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) { return UNUSED(c), fmi3OK; }

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean no_set, fmi3Boolean *event, fmi3Boolean *end) {
    UNUSED(c), UNUSED(no_set);
    *event = *end = fmi3False;
    return fmi3OK;
}

fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 t) {
    ((Instance *)c)->model.t = t;
    ((Instance *)c)->model.stale = 1;
    return fmi3OK;
}

fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 x[], size_t n) {
    if (n != N_STATES)
        return fail(c, "wrong number of states");
    memcpy(((Instance *)c)->model.x, x, sizeof ((Instance *)c)->model.x);
    ((Instance *)c)->model.stale = 1;
    return fmi3OK;
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 rate[], size_t n) {
    Model *const m = &((Instance *)c)->model;
    if (n != N_STATES)
        return fail(c, "wrong number of states");
    evaluate(m);
    memcpy(rate, m->rate, sizeof m->rate);
    return is_finite(rate, N_STATES) ? fmi3OK : fmi3Discard;
}

fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 g[], size_t n) {
    UNUSED(g);
    return n ? fail(c, "there are no event indicators") : fmi3OK;
}

fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n) {
    if (n != N_STATES)
        return fail(c, "wrong number of states");
    memcpy(x, ((Instance *)c)->model.x, sizeof ((Instance *)c)->model.x);
    return fmi3OK;
}

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n) {
    UNUSED(c);
    for (size_t i = 0; i < n; i++)
        x[i] = 1.0;
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *n) {
    UNUSED(c);
    *n = 0;
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *n) {
    UNUSED(c);
    *n = N_STATES;
    return fmi3OK;
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 interval, fmi3Boolean no_set, fmi3Boolean *event,
                      fmi3Boolean *end, fmi3Boolean *early, fmi3Float64 *last) {
    Model *const m = &((Instance *)c)->model;
    UNUSED(no_set);
    *event = *end = *early = fmi3False;
    if (!(interval >= 0.0) || !isfinite(interval))
        return fail(c, "the communication interval must be a length of time");
    m->t = t;
    if (interval > 0.0 && advance(m, interval))
        return fail(c, "the state stopped being finite");
    *last = m->t;
    return fmi3OK;
}
