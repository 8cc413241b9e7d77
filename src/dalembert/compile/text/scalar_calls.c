/* Calls of scalar kernels from Python: with checks, with inputs in one array, row by row. One library for all kernels. */
struct called {
    int (*function)(const double *const *in, double *const *out, double *work);
    long n_in, n_out;
    const long *in_size, *out_size;
};

struct frame {
    const double *const *in;
    double *const *out;
    double *work;
    const struct called *called;
};

static int finite_all(const double *x, long n) {
    int bad = 0;
    for (long i = 0; i < n; i++) bad |= !(x[i] - x[i] == 0.0);
    return !bad;
}

/* Evaluate the bound inputs. Returns 0, or 1 + k if input k is not finite. */
EXPORT int call_frame(const struct frame *frame) {
    const struct called *c = frame->called;
    for (long k = 0; k < c->n_in; k++)
        if (!finite_all(frame->in[k], c->in_size[k])) return (int)(1 + k);
    return c->function(frame->in, frame->out, frame->work);
}

/* The inputs lie one after the other in `in`. Returns -1 if a result is not finite. */
EXPORT int call_packed(const struct frame *frame, const double *in) {
    const struct called *c = frame->called;
    const double *x[c->n_in + 1];
    for (long k = 0; k < c->n_in; k++) {
        if (!finite_all(in, c->in_size[k])) return (int)(1 + k);
        x[k] = in;
        in += c->in_size[k];
    }
    c->function(x, frame->out, frame->work);
    for (long k = 0; k < c->n_out; k++)
        if (!finite_all(frame->out[k], c->out_size[k])) return -1;
    return 0;
}

/* Evaluate n rows; strides in doubles, 0 for an input that all rows share. */
EXPORT int call_rows(const struct called *c, long n, const double *const *in, const long *in_stride,
                     double *const *out, const long *out_stride, double *work) {
    const double *x[c->n_in + 1];
    double *y[c->n_out + 1];
    for (long k = 0; k < c->n_in; k++) {
        const long rows = in_stride[k] == 0 && n > 0 ? 1 : n;
        x[k] = in[k];
        for (long i = 0; i < rows; i++)
            if (!finite_all(in[k] + i * in_stride[k], c->in_size[k])) return (int)(1 + k);
    }
    for (long k = 0; k < c->n_out; k++) y[k] = out[k];
    for (long i = 0; i < n; i++) {
        const int status = c->function(x, y, work);
        if (status) return status;
        for (long k = 0; k < c->n_in; k++) x[k] += in_stride[k];
        for (long k = 0; k < c->n_out; k++) y[k] += out_stride[k];
    }
    return 0;
}
