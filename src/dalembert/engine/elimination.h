/* Linear equations of few unknowns, for constraints and for time-stepping. */
#ifndef ELIMINATION_H
#define ELIMINATION_H
#include <math.h>
#include <stdint.h>

/* x <- A^-1 x by elimination with the largest pivots (A, n x n, is overwritten). 0 if a pivot is not above `least`. */
static int eliminate(double *A, int64_t n, double *x, double least) {
    for (int64_t k = 0; k < n; k++) {
        int64_t best = k;
        for (int64_t i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
        if (!(fabs(A[best * n + k]) > least)) return 0;
        if (best != k) {
            for (int64_t j = k; j < n; j++) {
                const double t = A[k * n + j];
                A[k * n + j] = A[best * n + j], A[best * n + j] = t;
            }
            const double t = x[k];
            x[k] = x[best], x[best] = t;
        }
        for (int64_t i = k + 1; i < n; i++) {
            const double part = A[i * n + k] / A[k * n + k];
            if (part == 0.0) continue;
            for (int64_t j = k + 1; j < n; j++) A[i * n + j] -= part * A[k * n + j];
            x[i] -= part * x[k];
        }
    }
    for (int64_t k = n - 1; k >= 0; k--) {
        double known[4] = {0.0, 0.0, 0.0, 0.0}; /* sums that do not wait for each other */
        int64_t j = k + 1;
        for (; j + 4 <= n; j += 4)
            for (int l = 0; l < 4; l++) known[l] += A[k * n + j + l] * x[j + l];
        for (; j < n; j++) known[0] += A[k * n + j] * x[j];
        x[k] = (x[k] - ((known[0] + known[1]) + (known[2] + known[3]))) / A[k * n + k];
    }
    return 1;
}
#endif
