/* FMI 2.0: co-simulation with the solver inside, and model exchange. */
#include "core.h"
#include "fmi2Functions.h"

#define FMI(name) fmi2##name
typedef fmi2Status Status;
typedef fmi2Component Handle;
typedef fmi2Boolean Boolean;
typedef fmi2Real Real;
typedef fmi2FMUstate State;
typedef fmi2Byte Byte;

typedef struct {
    Model model;
    fmi2CallbackFunctions callbacks;
    fmi2String name;
} Instance;

static Status fail(Instance *i, const char *message) {
    if (i->callbacks.logger)
        i->callbacks.logger(i->callbacks.componentEnvironment, i->name, fmi2Error, "logStatusError", "%s", message);
    return fmi2Error;
}

#include "fmi.h"

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }

const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]) {
    UNUSED(c), UNUSED(on), UNUSED(n), UNUSED(categories);
    return fmi2OK;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    UNUSED(name), UNUSED(resources), UNUSED(visible), UNUSED(logging);
    if (!guid || strcmp(guid, GUID) || (type == fmi2ModelExchange && !HAS_ODE))
        return 0;
    Instance *const i = calloc(1, sizeof *i);
    if (!i)
        return 0;
    if (callbacks)
        i->callbacks = *callbacks;
    i->name = MODEL_NAME;
    start(&i->model);
    return i;
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real t0,
                               fmi2Boolean has_end, fmi2Real end) {
    UNUSED(has_tolerance), UNUSED(tolerance), UNUSED(has_end), UNUSED(end);
    set_time(MODEL(c), t0);
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return UNUSED(c), fmi2OK; }

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Real value[]) {
    return read(c, r, n, value);
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Real value[]) {
    return write(c, r, n, value);
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

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) { return save(c, state); }

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) { return restore(c, state); }

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) { return forget(c, state); }

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
    return size_of(c, state, size);
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
    return pack(c, state, bytes, size);
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state) {
    return unpack(c, bytes, size, state);
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t n_unknown,
                                        const fmi2ValueReference known[], size_t n_known, const fmi2Real seed[],
                                        fmi2Real result[]) {
    UNUSED(unknown), UNUSED(n_unknown), UNUSED(known), UNUSED(n_known), UNUSED(seed), UNUSED(result);
    return fail(c, "directional derivatives are not provided");
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
    int changed, ended;
    double next;
    memset(info, 0, sizeof *info);
    if (update(MODEL(c), &changed, &ended, &next))
        return fail(c, complaint(MODEL(c)));
    info->nextEventTimeDefined = isfinite(next) != 0;
    info->nextEventTime = isfinite(next) ? next : 0.0;
    info->valuesOfContinuousStatesChanged = changed;
    info->terminateSimulation = ended;
    return fmi2OK;
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real rate[], size_t n) { return derivatives(c, rate, n); }

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real interval, fmi2Boolean no_set) {
    int end;
    UNUSED(no_set);
    const fmi2Status status = step_over(c, t, interval, &end);
    return status == fmi2OK && end ? fmi2Discard : status;
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

/* Where and how a step ended that was cut short by an event at which the motion ends. */
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
    if (kind != fmi2LastSuccessfulTime)
        return fail(c, "a step is never pending");
    *value = loop_of(MODEL(c))->t;
    return fmi2OK;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
    if (kind != fmi2Terminated)
        return fail(c, "a step is never pending");
    *value = MODEL(c)->outcome == STOPPED;
    return fmi2OK;
}

#define STATUS(NAME, TYPE)                                                                                             \
    fmi2Status fmi2Get##NAME(fmi2Component c, const fmi2StatusKind kind, TYPE *value) {                                \
        UNUSED(kind), UNUSED(value);                                                                                   \
        return fail(c, "a step is never pending");                                                                     \
    }
STATUS(Status, fmi2Status)
STATUS(IntegerStatus, fmi2Integer)
STATUS(StringStatus, fmi2String)
