/* Entries of the scalar form. The emitter defines SYMBOL, N_WORK and CHUNKS; other kernels may follow in the unit. */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

EXPORT extern const long JOIN(SYMBOL, _n_work);
const long JOIN(SYMBOL, _n_work) = N_WORK;

EXPORT int SYMBOL(const double *const *in, double *const *out, double *work) {
    CHUNKS(in, out, work)
    return 0;
}

#undef SYMBOL
#undef N_IN
#undef N_OUT
#undef N_WORK
#undef IN_SIZES
#undef OUT_SIZES
#undef IN_TOTAL
#undef OUT_TOTAL
#undef CHUNKS
