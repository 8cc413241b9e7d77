/* Rows of structures to vectors of one scalar each, and back: squares of LANES rows and LANES columns are transposed in
 * registers, by exchanging the off-diagonal halves of 2 x 2, 4 x 4 and 8 x 8 blocks. */
typedef double unaligned __attribute__((vector_size(ALIGNMENT), aligned(8)));

#if defined(SHUFFLES)
#define EXCHANGE(distance, first, second)                                          \
    for (int i = 0; i < LANES; i++) {                                              \
        if (i & (distance)) continue;                                              \
        const real a = v[i], b = v[i + (distance)];                                \
        v[i] = __builtin_shufflevector(a, b, first);                               \
        v[i + (distance)] = __builtin_shufflevector(a, b, second);                 \
    }
#define ONCE(...) __VA_ARGS__
static inline void transpose(real v[LANES]) {
#if LANES == 8
#define EVEN_1 ONCE(0, 8, 2, 10, 4, 12, 6, 14)
#define ODD_1 ONCE(1, 9, 3, 11, 5, 13, 7, 15)
#define EVEN_2 ONCE(0, 1, 8, 9, 4, 5, 12, 13)
#define ODD_2 ONCE(2, 3, 10, 11, 6, 7, 14, 15)
#define EVEN_4 ONCE(0, 1, 2, 3, 8, 9, 10, 11)
#define ODD_4 ONCE(4, 5, 6, 7, 12, 13, 14, 15)
    EXCHANGE(1, EVEN_1, ODD_1)
    EXCHANGE(2, EVEN_2, ODD_2)
    EXCHANGE(4, EVEN_4, ODD_4)
#elif LANES == 4
#define EVEN_1 ONCE(0, 4, 2, 6)
#define ODD_1 ONCE(1, 5, 3, 7)
#define EVEN_2 ONCE(0, 1, 4, 5)
#define ODD_2 ONCE(2, 3, 6, 7)
    EXCHANGE(1, EVEN_1, ODD_1)
    EXCHANGE(2, EVEN_2, ODD_2)
#else
#define EVEN_1 ONCE(0, 2)
#define ODD_1 ONCE(1, 3)
    EXCHANGE(1, EVEN_1, ODD_1)
#endif
}
#endif

/* `rows` rows of `size` doubles, `stride` apart, to `size` vectors; missing rows repeat the last one. `room` is the
 * number of doubles that may be read from `row` on. */
static void load_block(const double *row, long rows, long size, long stride, long room, real *block) {
    long j = 0;
#if defined(SHUFFLES)
    if (rows == LANES) {
        for (; j < size && (LANES - 1) * stride + j + LANES <= room; j += LANES) {
            real v[LANES];
            for (int i = 0; i < LANES; i++) v[i] = (real)*(const unaligned *)(row + i * stride + j);
            transpose(v);
            for (int i = 0; i < LANES && j + i < size; i++) block[j + i] = v[i];
        }
    }
#else
    (void)room;
#endif
    for (; j < size; j++)
        for (int i = 0; i < LANES; i++) ((double *)(block + j))[i] = row[(i < rows ? i : rows - 1) * stride + j];
}

/* The way back. Nothing beyond the last row is written, and within it nothing is left wrong: rows go in order. */
static void store_block(double *row, long rows, long size, long stride, const real *block) {
    long j = 0;
#if defined(SHUFFLES)
    if (rows == LANES && stride == size) {
        for (; j < size; j += LANES) {
            real v[LANES];
            for (int i = 0; i < LANES; i++) v[i] = block[j + i < size ? j + i : size - 1];
            transpose(v);
            const long columns = size - j < LANES ? size - j : LANES;
            if (columns == LANES) {
                for (int i = 0; i < LANES; i++) *(unaligned *)(row + i * stride + j) = (unaligned)v[i];
            } else if (size >= LANES) {
                for (int i = 0; i < LANES; i++)
                    for (long c = 0; c < columns; c++) row[i * stride + j + c] = v[i][c];
            } else {
                for (int i = 0; i < LANES; i++) {
                    const long end = (LANES - i) * stride; /* doubles left in this block */
                    if (end >= LANES) *(unaligned *)(row + i * stride) = (unaligned)v[i];
                    else
                        for (long c = 0; c < columns; c++) row[i * stride + c] = v[i][c];
                }
            }
        }
    }
#endif
    for (; j < size; j++)
        for (long i = 0; i < rows; i++) row[i * stride + j] = ((const double *)(block + j))[i];
}

static int finite_all(const double *x, long n) {
    integer bad = J(0);
    int64_t rest = 0;
    long i = 0;
    for (; i + LANES <= n; i += LANES) {
        const real v = (real)*(const unaligned *)(x + i);
        bad |= (v - v) != K(0.0);
    }
    for (; i < n; i++) rest |= !(x[i] - x[i] == 0.0);
    return !rest && !any(bad);
}
