/* Small dense matrices, row-major, in memory of the caller: all the linear algebra of constraints and contacts.
 *
 * No allocation, no state of the C library, nothing but sqrt and fabs of libm: the same text serves single runs, lanes,
 * devices (FUNCTION = static __device__) and controllers in real time.
 */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* short loops along rows: vectors pay */
#endif
#include <math.h>
#include <stdint.h>
#include <string.h>

#ifndef FUNCTION
#define FUNCTION static
#endif

/* Scratch memory, passed by value: a function frees its share when it returns. */
struct memory {
    double *next;
};

FUNCTION double *take(struct memory *memory, int64_t count) {
    double *got = memory->next;
    memory->next += count > 0 ? count : 1;
    for (int64_t i = 0; i < count; i++) got[i] = 0.0;
    return got;
}

FUNCTION int64_t *take_integers(struct memory *memory, int64_t count) {
    int64_t *got = (int64_t *)(void *)memory->next;
    memory->next += count > 0 ? count : 1;
    for (int64_t i = 0; i < count; i++) got[i] = 0;
    return got;
}

static size_t doubles(int64_t count) { return (size_t)count * sizeof(double); }

FUNCTION double dot(const double *a, const double *b, int64_t n) {
    double s[4] = {0.0, 0.0, 0.0, 0.0}; /* sums that do not wait for each other */
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int j = 0; j < 4; j++) s[j] += a[i + j] * b[i + j];
    for (; i < n; i++) s[0] += a[i] * b[i];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

FUNCTION double largest_of(const double *a, int64_t n) {
    double most = 0.0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
    return most;
}

FUNCTION double norm(const double *a, int64_t n) { return sqrt(dot(a, a, n)); }

/* y = A x, A (m x n) */
FUNCTION void multiply(const double *A, int64_t m, int64_t n, const double *x, double *y) {
    for (int64_t i = 0; i < m; i++) y[i] = dot(A + i * n, x, n);
}

/* A = R^T R in place (upper triangle, rows; the diagonal holds its reciprocals). 0 = ok, 1 = not positive definite; with
 * `diagonal` (that of A) also when a pivot keeps less than 1e-6 of it. */
FUNCTION int cholesky(double *A, int64_t n, const double *diagonal) {
    for (int64_t k = 0; k < n; k++) {
        double *restrict row = A + k * n;
        const double d = row[k];
        if (!(d > (diagonal ? 1e-6 * diagonal[k] : 0.0))) return 1;
        const double inverse = 1.0 / sqrt(d);
        row[k] = inverse;
        for (int64_t j = k + 1; j < n; j++) row[j] *= inverse;
        for (int64_t i = k + 1; i < n; i++) {
            double *restrict below = A + i * n;
            const double r = row[i];
            if (r == 0.0) continue;
            for (int64_t j = i; j < n; j++) below[j] -= r * row[j];
        }
    }
    return 0;
}

/* X <- R^-T X, X with `columns` columns */
FUNCTION void solve_lower(const double *R, int64_t n, double *X, int64_t columns) {
    for (int64_t k = 0; k < n; k++) {
        double *restrict x = X + k * columns;
        for (int64_t j = 0; j < k; j++) {
            const double r = R[j * n + k];
            const double *restrict y = X + j * columns;
            if (r == 0.0) continue;
            for (int64_t i = 0; i < columns; i++) x[i] -= r * y[i];
        }
        const double inverse = R[k * n + k];
        for (int64_t i = 0; i < columns; i++) x[i] *= inverse;
    }
}

/* x <- R^-T x */
FUNCTION void solve_lower_one(const double *R, int64_t n, double *restrict x) {
    for (int64_t k = 0; k < n; k++) {
        const double *restrict row = R + k * n;
        const double xk = x[k] *= row[k];
        if (xk == 0.0) continue;
        for (int64_t j = k + 1; j < n; j++) x[j] -= row[j] * xk;
    }
}

/* x <- R^-1 x */
FUNCTION void solve_upper(const double *R, int64_t n, double *x) {
    for (int64_t k = n - 1; k >= 0; k--) {
        double s = x[k];
        for (int64_t j = k + 1; j < n; j++) s -= R[k * n + j] * x[j];
        x[k] = s * R[k * n + k];
    }
}

/* H = I - beta v v^T that takes the vector (first, rest) to (length, 0): v = (head, rest). */
struct reflector {
    double head, beta, length;
};

FUNCTION struct reflector reflect(double first, double rest_squared) {
    struct reflector r;
    const double size = sqrt(first * first + rest_squared);
    r.length = first > 0.0 ? -size : size;
    r.head = first - r.length;
    r.beta = size > 0.0 ? 1.0 / (size * (size + fabs(first))) : 0.0;
    return r;
}

/* QR with column pivots of A (m x n, overwritten): R above, `place[k]` the column that came k-th; the right side b is
 * transformed too (0: there is none), and Q's columns are applied to nothing else. Columns end where less than `rcond`
 * of the first one is left, or at `limit`. Returns the rank. */
FUNCTION int64_t pivoted_qr(double *A, int64_t m, int64_t n, double *b, int64_t *place, double *heads, double *betas,
                            double rcond, int64_t limit) {
    double first = 0.0;
    int64_t rank = 0;
    for (int64_t j = 0; j < n; j++) place[j] = j;
    for (; rank < m && rank < n && rank < limit; rank++) {
        int64_t best = -1;
        double most = -1.0;
        for (int64_t j = rank; j < n; j++) {
            double s = 0.0;
            for (int64_t i = rank; i < m; i++) s += A[i * n + j] * A[i * n + j];
            if (s > most) most = s, best = j;
        }
        if (rank == 0) first = sqrt(most);
        if (!(most > 0.0) || sqrt(most) <= rcond * first) break;
        if (best != rank) {
            for (int64_t i = 0; i < m; i++) {
                const double t = A[i * n + best];
                A[i * n + best] = A[i * n + rank], A[i * n + rank] = t;
            }
            const int64_t t = place[best];
            place[best] = place[rank], place[rank] = t;
        }
        double rest = 0.0;
        for (int64_t i = rank + 1; i < m; i++) rest += A[i * n + rank] * A[i * n + rank];
        const struct reflector r = reflect(A[rank * n + rank], rest);
        for (int64_t j = rank + 1; j <= n; j++) {
            if (j == n && !b) break;
            double *column = j < n ? A + j : b;
            const int64_t stride = j < n ? n : 1;
            double s = r.head * column[rank * stride];
            for (int64_t i = rank + 1; i < m; i++) s += A[i * n + rank] * column[i * stride];
            s *= r.beta;
            column[rank * stride] -= s * r.head;
            for (int64_t i = rank + 1; i < m; i++) column[i * stride] -= s * A[i * n + rank];
        }
        A[rank * n + rank] = r.length;
        heads[rank] = r.head, betas[rank] = r.beta;
    }
    return rank;
}

/* x of least norm that comes nearest to A x = b, A (m x n): QR with column pivots and, where the rank is less than n, an
 * orthogonal transformation from the right. */
FUNCTION void lstsq(const double *matrix, int64_t m, int64_t n, const double *right, double *x, double rcond,
                    int64_t limit, struct memory memory) {
    double *A = take(&memory, m * n), *b = take(&memory, m), *heads = take(&memory, n), *betas = take(&memory, n),
           *y = take(&memory, n);
    int64_t *place = take_integers(&memory, n);
    for (int64_t i = 0; i < m * n; i++) A[i] = matrix[i];
    for (int64_t i = 0; i < m; i++) b[i] = right[i];
    const int64_t rank = pivoted_qr(A, m, n, b, place, heads, betas, rcond, limit);
    if (rank < n)
        for (int64_t k = rank - 1; k >= 0; k--) {
            double *row = A + k * n;
            const struct reflector r = reflect(row[k], dot(row + rank, row + rank, n - rank));
            for (int64_t i = 0; i < k; i++) {
                double *other = A + i * n;
                const double s = r.beta * (r.head * other[k] + dot(row + rank, other + rank, n - rank));
                other[k] -= s * r.head;
                for (int64_t j = rank; j < n; j++) other[j] -= s * row[j];
            }
            row[k] = r.length, heads[k] = r.head, betas[k] = r.beta;
        }
    for (int64_t k = rank - 1; k >= 0; k--) y[k] = (b[k] - dot(A + k * n + k + 1, y + k + 1, rank - k - 1)) / A[k * n + k];
    if (rank < n)
        for (int64_t k = 0; k < rank; k++) {
            const double *row = A + k * n;
            const double s = betas[k] * (heads[k] * y[k] + dot(row + rank, y + rank, n - rank));
            y[k] -= s * heads[k];
            for (int64_t j = rank; j < n; j++) y[j] -= s * row[j];
        }
    for (int64_t k = 0; k < n; k++) x[place[k]] = y[k];
}

/* Memory that lstsq of this size takes. */
static int64_t lstsq_memory(int64_t m, int64_t n) { return m * n + m + 4 * n + 6; }

#define VANISHES 1e-11 /* part of the largest entry of a matrix below which a row of it is zero, and rounding */

/* Remainder of the pivot g of S (m x m) when all other rows are eliminated, those that count (rcond) and do not vanish. */
FUNCTION double pivot_of(const double *S, int64_t m, int64_t g, double rcond, struct memory memory) {
    double *A = take(&memory, m * m), *right = take(&memory, m), *y = take(&memory, m), pivot = S[g * m + g];
    const double least = VANISHES * largest_of(S, m * m);
    const int64_t n = m - 1;
    for (int64_t i = 0; i < n; i++) {
        const int64_t row = i + (i >= g);
        if (largest_of(S + row * m, m) <= least) continue;
        right[i] = S[row * m + g];
        for (int64_t j = 0; j < n; j++) A[i * n + j] = S[row * m + j + (j >= g)];
    }
    if (n) lstsq(A, n, n, right, y, rcond, n, memory);
    for (int64_t j = 0; j < n; j++) pivot -= S[g * m + j + (j >= g)] * y[j];
    return pivot;
}

/* X (n x n) with X^T X = W, symmetric and not negative: Cholesky with pivots, rows of zeros where the rank is lost. */
FUNCTION void square_root(const double *W, int64_t n, double *X, struct memory memory) {
    double *left = take(&memory, n);
    int64_t *done = take_integers(&memory, n);
    double first = 0.0;
    for (int64_t i = 0; i < n; i++) left[i] = W[i * n + i], first = fmax(first, left[i]);
    for (int64_t i = 0; i < n * n; i++) X[i] = 0.0;
    for (int64_t k = 0; k < n; k++) {
        int64_t best = -1;
        for (int64_t i = 0; i < n; i++)
            if (!done[i] && (best < 0 || left[i] > left[best])) best = i;
        if (!(left[best] > 1e-15 * first)) return;
        const double root = sqrt(left[best]);
        done[best] = 1;
        for (int64_t j = 0; j < n; j++) {
            if (done[j] && j != best) continue;
            double s = W[best * n + j];
            for (int64_t i = 0; i < k; i++) s -= X[i * n + best] * X[i * n + j];
            X[k * n + j] = j == best ? root : s / root;
            if (j != best) left[j] -= X[k * n + j] * X[k * n + j];
        }
    }
}
