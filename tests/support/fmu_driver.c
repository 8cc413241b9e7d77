/* Steps an FMU of FMI 2.0 and prints its states at the end, after which tapes it has run: 1 wide, 0 plain, -1 unknown. */
#include <stdio.h>
#include <stdlib.h>

#include "config.h"
#include "fmi2Functions.h"
#include "tapes.h"

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 0;
    double x[N_STATES];
    unsigned references[N_STATES];
    fmi2Component c = fmi2Instantiate("it", fmi2CoSimulation, GUID, "", 0, fmi2False, fmi2False);
    int failed = !c || fmi2SetupExperiment(c, fmi2False, 0.0, 0.0, fmi2False, 0.0) != fmi2OK;
    failed = failed || fmi2EnterInitializationMode(c) != fmi2OK || fmi2ExitInitializationMode(c) != fmi2OK;
    for (int k = 0; k < n && !failed; k++)
        failed = fmi2DoStep(c, 0.01 * k, 0.01, fmi2True) != fmi2OK;
    for (int i = 0; i < N_STATES; i++)
        references[i] = 1 + i;
    if (failed || fmi2GetReal(c, references, N_STATES, x) != fmi2OK)
        return 1;
#if defined(WIDE_TAPES) && defined(WITH_SOURCES)
    printf("%d\n", wide_processor);
#else
    printf("-1\n");
#endif
    for (int i = 0; i < N_STATES; i++)
        printf("%.17g\n", x[i]);
    fmi2FreeInstance(c);
    return 0;
}
