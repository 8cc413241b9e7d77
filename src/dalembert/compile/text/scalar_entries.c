/* Entries of the scalar form. The emitter defines SYMBOL, N_IN, N_OUT, N_WORK, IN_SIZES, OUT_SIZES and CHUNKS. */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

static int finite_all(const double *x, long n) {
    int bad = 0;
    for (long i = 0; i < n; i++) bad |= !(x[i] - x[i] == 0.0);
    return !bad;
}

static const long in_size[] = {IN_SIZES};
static const long out_size[] = {OUT_SIZES};

EXPORT extern const long JOIN(SYMBOL, _n_work);
const long JOIN(SYMBOL, _n_work) = N_WORK;

EXPORT int SYMBOL(const double *const *in, double *const *out, double *work) {
    CHUNKS(in, out, work)
    return 0;
}

EXPORT int JOIN(SYMBOL, _checked)(const double *const *in, double *const *out, double *work) {
    for (int k = 0; k < N_IN; k++)
        if (!finite_all(in[k], in_size[k])) return 1 + k;
    return SYMBOL(in, out, work);
}

EXPORT int JOIN(SYMBOL, _frame)(void *const *frame) {
    return JOIN(SYMBOL, _checked)((const double *const *)frame[0], (double *const *)frame[1], (double *)frame[2]);
}

/* The inputs lie one after the other in `in`; frame[1] and frame[2] as above. Returns -1 if a result is not finite. */
EXPORT int JOIN(SYMBOL, _packed)(void *const *frame, const double *in) {
    const double *x[N_IN + 1];
    double *const *out = (double *const *)frame[1];
    for (int k = 0; k < N_IN; k++) {
        if (!finite_all(in, in_size[k])) return 1 + k;
        x[k] = in;
        in += in_size[k];
    }
    SYMBOL(x, out, (double *)frame[2]);
    for (int k = 0; k < N_OUT; k++)
        if (!finite_all(out[k], out_size[k])) return -1;
    return 0;
}

EXPORT int JOIN(SYMBOL, _batch)(long n, const double *const *in, const long *in_stride,
                                double *const *out, const long *out_stride, double *work) {
    const double *x[N_IN + 1];
    double *y[N_OUT + 1];
    for (int k = 0; k < N_IN; k++) {
        const long rows = in_stride[k] == 0 && n > 0 ? 1 : n;
        x[k] = in[k];
        for (long i = 0; i < rows; i++)
            if (!finite_all(in[k] + i * in_stride[k], in_size[k])) return 1 + k;
    }
    for (int k = 0; k < N_OUT; k++) y[k] = out[k];
    for (long i = 0; i < n; i++) {
        const int status = SYMBOL(x, y, work);
        if (status) return status;
        for (int k = 0; k < N_IN; k++) x[k] += in_stride[k];
        for (int k = 0; k < N_OUT; k++) y[k] += out_stride[k];
    }
    return 0;
}
