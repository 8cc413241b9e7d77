/* Compiled loops around one call per state, for kernels and for MuJoCo. */

#include <string.h>

typedef int (*kernel_function)(const double *const *in, double *const *out, double *work);
typedef void (*forward_function)(const void *model, void *data);

/* One call of a kernel (q, v, tau) -> a for each of n states. */
int loop_kernel(void *function, long n, long nq, long nv, const double *q, const double *v, const double *tau,
                double *a, double *work) {
    const kernel_function kernel = (kernel_function)function;
    for (long i = 0; i < n; i++) {
        const double *in[] = {q + i * nq, v + i * nv, tau + i * nv};
        double *out[] = {a + i * nv};
        const int status = kernel(in, out, work);
        if (status) return status;
    }
    return 0;
}

/* mj_forward for each of n states; the pointers after data are the fields of data. */
int loop_mujoco(void *function, const void *model, void *data, double *qpos, double *qvel, double *force,
                const double *qacc, long n, long nq, long nv, const double *q, const double *v, const double *tau,
                double *a) {
    const forward_function forward = (forward_function)function;
    for (long i = 0; i < n; i++) {
        memcpy(qpos, q + i * nq, (size_t)nq * sizeof(double));
        memcpy(qvel, v + i * nv, (size_t)nv * sizeof(double));
        memcpy(force, tau + i * nv, (size_t)nv * sizeof(double));
        forward(model, data);
        memcpy(a + i * nv, qacc, (size_t)nv * sizeof(double));
    }
    return 0;
}
