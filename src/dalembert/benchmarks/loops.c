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

/* Functions of MuJoCo, one after the other, for each of n states. The pointers after data are the fields of data that
   they read (position, velocity, force or acceleration) and write; nx and ny are the lengths of the last two. */
int loop_mujoco(void *const *functions, long n_functions, const void *model, void *data, double *qpos, double *qvel,
                double *given, const double *found, long n, long nq, long nv, long nx, long ny, const double *q,
                const double *v, const double *x, double *y) {
    for (long i = 0; i < n; i++) {
        memcpy(qpos, q + i * nq, (size_t)nq * sizeof(double));
        memcpy(qvel, v + i * nv, (size_t)nv * sizeof(double));
        memcpy(given, x + i * nx, (size_t)nx * sizeof(double));
        for (long k = 0; k < n_functions; k++) ((mujoco_function)functions[k])(model, data);
        memcpy(y + i * ny, found, (size_t)ny * sizeof(double));
    }
    return 0;
}

/* Steps an FMU of FMI 2.0 as another tool does: `n` times over `h` seconds. 0 = ok. */
typedef int do_step(void *component, double t, double h, int keep);

int loop_fmu(do_step *f, void *component, long n, double h) {
    for (long k = 0; k < n; k++)
        if (f(component, k * h, h, 1)) return 1;
    return 0;
}
