/* Compiled loops around one call per state, for kernels and for MuJoCo. */

#include <string.h>

#define MOST 8

typedef int (*kernel_function)(const double *const *in, double *const *out, double *work);
typedef void (*mujoco_function)(const void *model, void *data);

/* One call of a kernel for each of n states; from one state to the next, input k moves on by in_step[k] numbers and
   output k by out_step[k]. */
int loop_kernel(void *function, long n, long n_in, const double *const *in, const long *in_step, long n_out,
                double *const *out, const long *out_step, double *work) {
    const kernel_function kernel = (kernel_function)function;
    const double *from[MOST];
    double *to[MOST];
    if (n_in > MOST || n_out > MOST) return -1;
    for (long i = 0; i < n; i++) {
        for (long k = 0; k < n_in; k++) from[k] = in[k] + i * in_step[k];
        for (long k = 0; k < n_out; k++) to[k] = out[k] + i * out_step[k];
        const int status = kernel(from, to, work);
        if (status) return status;
    }
    return 0;
}

/* mj_forward or mj_inverse for each of n states; the pointers after data are the fields of data that the function reads
   (position, velocity, force or acceleration) and writes. */
int loop_mujoco(void *function, const void *model, void *data, double *qpos, double *qvel, double *given,
                const double *found, long n, long nq, long nv, const double *q, const double *v, const double *x,
                double *y) {
    const mujoco_function evaluate = (mujoco_function)function;
    for (long i = 0; i < n; i++) {
        memcpy(qpos, q + i * nq, (size_t)nq * sizeof(double));
        memcpy(qvel, v + i * nv, (size_t)nv * sizeof(double));
        memcpy(given, x + i * nv, (size_t)nv * sizeof(double));
        evaluate(model, data);
        memcpy(y + i * nv, found, (size_t)nv * sizeof(double));
    }
    return 0;
}
