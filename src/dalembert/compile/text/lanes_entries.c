/* Entries of the lane form: blocks of LANES rows, transposed to one vector per scalar and back. Rows that are missing
 * in the last block repeat its last row, so that the result of a row does not depend on the rows beside it. The emitter
 * defines SYMBOL, N_IN, N_OUT, N_WORK, IN_SIZES, OUT_SIZES and CHUNKS. */
static const long in_size[] = {IN_SIZES};
static const long out_size[] = {OUT_SIZES};

/* Doubles of the work array: slots, blocks of the inputs and outputs, and room to align. */
EXPORT extern const long JOIN(SYMBOL, _lanes_n_work);
const long JOIN(SYMBOL, _lanes_n_work) = (N_WORK + IN_TOTAL + OUT_TOTAL + 1) * LANES;
EXPORT extern const long JOIN(SYMBOL, _lanes_width);
const long JOIN(SYMBOL, _lanes_width) = LANES;

static real *aligned(double *work) {
    return (real *)(((uintptr_t)work + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

/* One block without transposition: vectors in, vectors out. */
EXPORT void JOIN(SYMBOL, _block)(const void *const *in, void *const *out, void *work) {
    CHUNKS((const real *const *)in, (real *const *)out, (real *)work)
}

EXPORT int JOIN(SYMBOL, _lanes)(long n, const double *const *in, const long *in_stride,
                                double *const *out, const long *out_stride, double *work) {
    real *const slots = aligned(work);
    real *next = slots + N_WORK;
    const real *x[N_IN + 1];
    real *y[N_OUT + 1];
    for (int k = 0; k < N_IN; k++) {
        const long size = in_size[k];
        const int shared = in_stride[k] == 0;
        const int packed = in_stride[k] == size;
        for (long i = 0; i < (n == 0 ? 0 : shared || packed ? 1 : n); i++)
            if (!finite_all(in[k] + i * in_stride[k], packed ? n * size : size)) return 1 + k;
        x[k] = next;
        if (shared && n > 0)
            for (long j = 0; j < size; j++) next[j] = SPLAT(in[k][j]);
        next += size;
    }
    for (int k = 0; k < N_OUT; k++) y[k] = next, next += out_size[k];
    for (long start = 0; start < n; start += LANES) {
        const long rows = n - start < LANES ? n - start : LANES;
        for (int k = 0; k < N_IN; k++) {
            const long size = in_size[k], stride = in_stride[k];
            if (stride == 0) continue;
            load_block(in[k] + start * stride, rows, size, stride, (n - start - 1) * stride + size, (real *)x[k]);
        }
        CHUNKS(x, y, slots)
        for (int k = 0; k < N_OUT; k++)
            store_block(out[k] + start * out_stride[k], rows, out_size[k], out_stride[k], y[k]);
    }
    return 0;
}
