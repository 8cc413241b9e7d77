/* Products of small dense matrices in register blocks.
 *
 * Rows are padded to multiples of 8 doubles. A block has 4 rows and as many vectors as fit into the registers of the
 * processor next to the operands: 16 of 32 with AVX-512, 12 of 16 with AVX2, 8 of 16 with vectors of two. Without vector
 * types, or with -DPLAIN_HORIZON, `vec` is a double and the text is plain C99. */
#ifndef PRODUCTS_H
#define PRODUCTS_H

#if defined(__GNUC__) && !defined(PLAIN_HORIZON) && defined(__AVX512F__)
#define VEC 8
#define BLOCK_VECS 4
#elif defined(__GNUC__) && !defined(PLAIN_HORIZON) && defined(__AVX__)
#define VEC 4
#define BLOCK_VECS 3
#elif defined(__GNUC__) && !defined(PLAIN_HORIZON) && (defined(__SSE2__) || defined(__aarch64__))
#define VEC 2
#define BLOCK_VECS 2
#else
#define VEC 1
#define BLOCK_VECS 2
#endif

#if VEC > 1
typedef double vec __attribute__((vector_size(8 * VEC), aligned(8), may_alias));
#else
typedef double vec;
#endif

#if defined(__GNUC__) && !defined(__clang__) && !defined(PLAIN_HORIZON)
#define UNROLL _Pragma("GCC unroll 4")
#else
#define UNROLL
#endif

#define PADDED(n) (((n) + 7) / 8 * 8)

#ifndef ONLY_FILTER /* a Kalman filter needs no products of blocks */
/* C = (add ? C : 0) + sum_j a(., j) B[j]: R rows, V vectors; a(r, j) is a[r row + j column]. */
#define MULTIPLY(R, V)                                                                                              \
    static void multiply_##R##_##V(const double *a, int row, int column, int n, const double *B, int ldb, double *C, \
                                   int ldc, int add) {                                                              \
        const vec zero = {0};                                                                                       \
        vec sum[R][V];                                                                                              \
        UNROLL for (int r = 0; r < R; r++) {                                                                        \
            vec *const c = (vec *)(C + r * ldc);                                                                    \
            UNROLL for (int v = 0; v < V; v++) {                                                                    \
                if (add) sum[r][v] = c[v];                                                                          \
                else sum[r][v] = zero;                                                                              \
            }                                                                                                       \
        }                                                                                                           \
        for (int j = 0; j < n; j++) {                                                                               \
            const vec *const b = (const vec *)(B + j * ldb);                                                        \
            UNROLL for (int r = 0; r < R; r++) {                                                                    \
                const double f = a[r * row + j * column];                                                           \
                UNROLL for (int v = 0; v < V; v++) sum[r][v] += f * b[v];                                           \
            }                                                                                                       \
        }                                                                                                           \
        UNROLL for (int r = 0; r < R; r++) {                                                                        \
            vec *const c = (vec *)(C + r * ldc);                                                                    \
            UNROLL for (int v = 0; v < V; v++) c[v] = sum[r][v];                                                    \
        }                                                                                                           \
    }

MULTIPLY(4, 1)
MULTIPLY(1, 1)
#if BLOCK_VECS > 1
MULTIPLY(4, 2)
MULTIPLY(1, 2)
#endif
#if BLOCK_VECS > 2
MULTIPLY(4, 3)
MULTIPLY(1, 3)
#endif
#if BLOCK_VECS > 3
MULTIPLY(4, 4)
MULTIPLY(1, 4)
#endif

/* C = (add ? C : 0) + a B for `rows` rows and `columns` (a multiple of 8) columns, n terms. */
static void multiply(int rows, int columns, int n, const double *a, int row, int column, const double *B, int ldb,
                     double *C, int ldc, int add) {
    const int vectors = columns / VEC;
    for (int v = 0; v < vectors;) {
        const int left = vectors - v, m = left < BLOCK_VECS ? left : BLOCK_VECS;
        const double *const b = B + v * VEC;
        double *const c = C + v * VEC;
        for (int i = 0; i < rows;) {
            const int four = rows - i >= 4;
            const double *const f = a + i * row;
#define CALL(V)                                                                            \
    do {                                                                                   \
        if (four) multiply_4_##V(f, row, column, n, b, ldb, c + i * ldc, ldc, add);        \
        else multiply_1_##V(f, row, column, n, b, ldb, c + i * ldc, ldc, add);             \
    } while (0)
            switch (m) {
#if BLOCK_VECS > 3
            case 4: CALL(4); break;
#endif
#if BLOCK_VECS > 2
            case 3: CALL(3); break;
#endif
#if BLOCK_VECS > 1
            case 2: CALL(2); break;
#endif
            default: CALL(1);
            }
#undef CALL
            i += four ? 4 : 1;
        }
        v += m;
    }
}

/* y += s x, padded. */
static void add_scaled(int n, double s, const double *x, double *y) {
    for (int i = 0; i < n; i++) y[i] += s * x[i];
}
#endif

/* The quaternion q or -q, which are the same attitude: the one nearer to another. */
static inline void nearer_quaternion(const double *q, const double *other, double *nearer) {
    const double sign = q[0] * other[0] + q[1] * other[1] + q[2] * other[2] + q[3] * other[3] < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 4; i++) nearer[i] = sign * q[i];
}

#endif
