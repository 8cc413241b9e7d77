/* Tapes on CasADi's virtual machine as kernels: the time loop calls these where there is no compiler for the tapes.
 *
 * The work array of such a kernel is a `struct virtual_tape`. CasADi evaluates between fixed arrays (`FunctionBuffer`);
 * numbers are copied there and back. No two threads may share one. */
#include <string.h>

#include "kernel.h"

struct virtual_tape {
    void (*evaluate)(void *buffer);
    void *buffer;
    int64_t n_in, n_out;
    const int64_t *in_size, *out_size;
    double *in, *out; /* all inputs, one after the other, and all outputs */
};

int virtual_kernel(const double *const *in, double *const *out, double *work) {
    const struct virtual_tape *const V = (const struct virtual_tape *)(const void *)work;
    double *to = V->in;
    const double *from = V->out;
    for (int64_t k = 0; k < V->n_in; to += V->in_size[k++])
        if (V->in_size[k]) memcpy(to, in[k], (size_t)V->in_size[k] * sizeof(double));
    V->evaluate(V->buffer);
    for (int64_t k = 0; k < V->n_out; from += V->out_size[k++])
        if (V->out_size[k] && out[k]) memcpy(out[k], from, (size_t)V->out_size[k] * sizeof(double));
    return 0;
}
