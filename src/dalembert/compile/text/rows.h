/* Linear algebra on a board of numbers, driven by tables.
 *
 * A step is a sum of rows: the `n` numbers at `target` become those at `start` (nothing, if that is negative) plus, for
 * each of its terms, the number at `factor` times the `n` numbers at `row`. With n = 0 it is a pivot: the number at
 * `target` becomes minus the reciprocal of that at `start`.
 *
 * Where `real` is a double, neighbouring columns are added in vectors, packs, that start at multiples of their length;
 * at both ends of a row the numbers beside it are put back. Elsewhere a `real` is one column. Up to four packs share what
 * is read of a term. */
struct row_step {
    int target, start, n, first, last;
};
struct row_term {
    int factor, row;
};
struct row_output {
    int at, stride, rows, columns, symmetric;
};

#if ROWS_IN_PACKS && defined(__AVX512F__)
#define PACK 8
#elif ROWS_IN_PACKS && defined(__AVX__)
#define PACK 4
#elif ROWS_IN_PACKS && (defined(__SSE2__) || defined(__ARM_NEON))
#define PACK 2
#else
#define PACK 1
#endif

#if !defined(FUNCTION)
#define FUNCTION static inline
#endif

#if PACK > 1
#define BOARD(x) ((real *)(((uintptr_t)(x) + 63) / 64 * 64))
typedef double pack __attribute__((vector_size(8 * PACK), aligned(8), may_alias));
typedef int64_t pack_mask __attribute__((vector_size(8 * PACK), aligned(8), may_alias));
#else
#define BOARD(x) (x)
typedef real pack;
#endif
#define AT(x, i) (*(pack *)((x) + (i) * PACK))
#define READ(x, i) (*(const pack *)((x) + (i) * PACK))

#define EACH_1(DO) DO(0)
#define EACH_2(DO) DO(0) DO(1)
#define EACH_3(DO) DO(0) DO(1) DO(2)
#define EACH_4(DO) DO(0) DO(1) DO(2) DO(3)
#define ROW_START(i) pack a##i = start ? READ(start, i) : nothing;
#define ROW_ADD(i) a##i += f * READ(x, i);
#define ROW_STORE(i) AT(y, i) = a##i;
#define ROW_SUM(EACH, LAST)                                      \
    {                                                            \
        const real *const start = s.start < 0 ? 0 : b + s.start + c; \
        real *const y = b + s.target + c;                        \
        EACH(ROW_START)                                          \
        for (int t = s.first; t < s.last; t++) {                 \
            const real f = b[terms[t].factor];                   \
            const real *const x = b + terms[t].row + c;          \
            EACH(ROW_ADD)                                        \
        }                                                        \
        LAST                                                     \
        EACH(ROW_STORE)                                          \
    }
#if PACK > 1
#define KEEP(mask, i) a##i = (pack)(((mask) & (pack_mask)a##i) | (~(mask) & (pack_mask)READ(y, i)));
#else
#define KEEP(mask, i)
#endif

FUNCTION void row_steps(real *b, const struct row_step *steps, int n_steps, const struct row_term *terms) {
    const pack nothing = {0};
    for (int k = 0; k < n_steps; k++) {
        const struct row_step s = steps[k];
        if (s.n == 0) {
            b[s.target] = K(-1.0) / b[s.start];
            continue;
        }
#if PACK > 1
        static const int64_t inside[24] = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};
        const int before = s.target & (PACK - 1), after = -(s.target + s.n) & (PACK - 1);
        const pack_mask left = *(const pack_mask *)(inside + 8 - before);
        const pack_mask right = *(const pack_mask *)(inside + 16 - PACK + after);
        int c = -before, rest = s.n + before;
        for (; rest > 4 * PACK; c += 4 * PACK, rest -= 4 * PACK) ROW_SUM(EACH_4, if (c <= 0) { KEEP(left, 0) })
        const pack_mask first = c <= 0 ? left : ~(pack_mask){0};
#else
        int c = 0, rest = s.n;
        for (; rest > 4; c += 4, rest -= 4) ROW_SUM(EACH_4, )
#endif
        if (rest > 3 * PACK) ROW_SUM(EACH_4, KEEP(right, 3) KEEP(first, 0))
        else if (rest > 2 * PACK) ROW_SUM(EACH_3, KEEP(right, 2) KEEP(first, 0))
        else if (rest > PACK) ROW_SUM(EACH_2, KEEP(right, 1) KEEP(first, 0))
        else ROW_SUM(EACH_1, KEEP(right & first, 0))
    }
}

FUNCTION void row_outputs(const real *b, const struct row_output *outputs, int n_outputs, real *const *out) {
    for (int k = 0; k < n_outputs; k++) {
        const struct row_output o = outputs[k];
        for (int i = 0; i < o.rows; i++) {
            const real *const x = b + o.at + i * o.stride;
            real *const y = out[k] + i * o.columns;
            int j = 0;
            for (; j + PACK <= o.columns; j += PACK) AT(y + j, 0) = READ(x + j, 0);
            for (; j < o.columns; j++) y[j] = x[j];
            if (o.symmetric)
                for (j = 0; j < i; j++) y[j] = out[k][j * o.columns + i];
        }
    }
}
