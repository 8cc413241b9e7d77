/* Linear complementarity problems w = A z + q, w >= 0, z >= 0, w z = 0, by pivots; after dense.c.
 *
 * C. E. Lemke's method ("Bimatrix equilibrium points and mathematical programming", 1965): an artificial variable takes
 * up all of q that is negative, and leaves again by exchanges of one variable for another, which keep all others
 * complementary. It finds solutions of impacts with friction, whose matrices are copositive (M. Anitescu, F. A. Potra,
 * 1997).
 */
#define PIVOT 1e-11
#define TIE 1e-13
#define PIVOTS 10
#define GOLDEN 0.6180339887498949

static int64_t complementary_memory(int64_t n) { return 2 * n + 8; }

/* Exchange the basic variable of a row for that of a column. */
FUNCTION void exchange(double *T, int64_t n, int64_t row, int64_t column) {
    const int64_t width = n + 2;
    double *own = T + row * width, pivot = own[column];
    for (int64_t j = 0; j < width; j++) own[j] /= -pivot;
    own[column] = 1.0 / pivot;
    for (int64_t i = 0; i < n; i++) {
        double *other = T + i * width, factor = other[column];
        if (i == row || factor == 0.0) continue;
        other[column] = 0.0;
        for (int64_t j = 0; j < width; j++) other[j] += factor * own[j];
    }
}

/* z of T = (A, -, q) (n x (n + 2), overwritten), by C. E. Lemke's method. 0 where there may be none. */
FUNCTION int complementary(double *T, int64_t n, double *z, struct memory memory) {
    const int64_t width = n + 2;
    int64_t *basic = take_integers(&memory, n), *others = take_integers(&memory, n + 1), row = 0, column = n;
    int negative = 0;
    for (int64_t i = 0; i < n; i++) z[i] = 0.0;
    for (int64_t i = 0; i < n; i++) {
        double *own = T + i * width;
        own[n] = 1.0 + 0.1 * (GOLDEN * (double)i - floor(GOLDEN * (double)i));
        negative |= own[n + 1] < 0.0;
        basic[i] = i, others[i] = n + i;
        if (own[n + 1] / own[n] < T[row * width + n + 1] / T[row * width + n]) row = i;
    }
    others[n] = 2 * n;
    if (!negative) return 1;
    for (int64_t pivots = 0; pivots < PIVOTS * n; pivots++) {
        exchange(T, n, row, column);
        const int64_t left = basic[row];
        basic[row] = others[column], others[column] = left;
        if (left == 2 * n) {
            for (int64_t i = 0; i < n; i++)
                if (basic[i] >= n) z[basic[i] - n] = fmax(T[i * width + n + 1], 0.0);
            return 1;
        }
        for (column = 0; others[column] != (left < n ? left + n : left - n); column++) {}
        double least = INFINITY, artificial = INFINITY;
        int64_t last = -1;
        row = -1;
        for (int64_t i = 0; i < n; i++) {
            const double slope = T[i * width + column];
            if (!(slope < -PIVOT)) continue;
            const double ratio = fmax(T[i * width + n + 1], 0.0) / -slope;
            if (ratio < least) least = ratio, row = i;
            if (basic[i] == 2 * n) artificial = ratio, last = i;
        }
        if (row < 0) return 0;
        if (artificial <= least + TIE * fmax(1.0, least)) row = last;
    }
    return 0;
}
