/* FMI 3.0: co-simulation with the solver inside, and model exchange. Missing functions return an error: see refusals.h. */
#include "core.h"
#include "fmi3Functions.h"

#define FMI(name) fmi3##name
typedef fmi3Status Status;
typedef fmi3Instance Handle;
typedef fmi3Boolean Boolean;
typedef fmi3Float64 Real;
typedef fmi3FMUState State;
typedef fmi3Byte Byte;

typedef struct {
    Model model;
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
} Instance;

static Status fail(Instance *i, const char *message) {
    if (i && i->log)
        i->log(i->environment, fmi3Error, "logStatusError", message);
    return fmi3Error;
}

#include "fmi.h"
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
    return HAS_ODE ? made(token, environment, log) : 0;
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early,
                                         const fmi3ValueReference required[], size_t n_required,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update_) {
    UNUSED(name), UNUSED(resources), UNUSED(visible), UNUSED(logging), UNUSED(event_mode), UNUSED(early);
    UNUSED(required), UNUSED(n_required), UNUSED(update_);
    return made(token, environment, log);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance, fmi3Float64 tolerance, fmi3Float64 t0,
                                       fmi3Boolean has_end, fmi3Float64 end) {
    UNUSED(has_tolerance), UNUSED(tolerance), UNUSED(has_end), UNUSED(end);
    set_time(MODEL(c), t0);
    return fmi3OK;
}

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Float64 value[], size_t n_value) {
    UNUSED(n_value);
    return read(c, r, n, value);
}

fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference r[], size_t n, const fmi3Float64 value[],
                          size_t n_value) {
    UNUSED(n_value);
    return write(c, r, n, value);
}

fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state) { return save(c, state); }

fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) { return restore(c, state); }

fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state) { return forget(c, state); }

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size) {
    return size_of(c, state, size);
}

fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
    return pack(c, state, bytes, size);
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state) {
    return unpack(c, bytes, size, state);
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *needed, fmi3Boolean *end, fmi3Boolean *nominals,
                                    fmi3Boolean *values, fmi3Boolean *has_next, fmi3Float64 *next) {
    int changed, ended;
    *needed = *end = *nominals = *values = *has_next = fmi3False;
    if (update(MODEL(c), &changed, &ended, next))
        return fail(c, complaint(MODEL(c)));
    *has_next = isfinite(*next) != 0;
    *values = changed != 0, *end = ended != 0;
    return fmi3OK;
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 rate[], size_t n) {
    return derivatives(c, rate, n);
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *n) {
    UNUSED(c);
    *n = N_EVENTS;
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *n) {
    UNUSED(c);
    *n = N_DERIVATIVES;
    return fmi3OK;
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 interval, fmi3Boolean no_set, fmi3Boolean *event,
                      fmi3Boolean *end, fmi3Boolean *early, fmi3Float64 *last) {
    int ended;
    UNUSED(no_set);
    const fmi3Status status = step_over(c, t, interval, &ended);
    *event = *early = fmi3False;
    *end = ended != 0;
    *last = loop_of(MODEL(c))->t;
    return status;
}
