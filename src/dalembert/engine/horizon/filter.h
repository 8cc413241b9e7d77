/* Estimation of a state of NX numbers (NV parameters among them) from NM readings: steps of a Kalman filter.
 *
 * Tapes:
 *   STEP_TAPE   x, u, t -> F, A     one period
 *   SEE_TAPE    x, t -> h, dh/dx    readings
 * Tables: reading_variance[NM], noise_variance[NX] (of a period), start_state[NX], start_variance[NX], lower[NX], upper[NX],
 * delay[NM] (periods), every[NM] (periods between two samples of a sensor), attitude_at[N_ATTITUDES] (unit quaternions in the
 * state), seen_at[N_SEEN] and seen_attitude[N_SEEN] (readings of all four components of one). */
#ifndef FILTER_H
#define FILTER_H

#include <math.h>
#include <string.h>

#include "products.h"

enum { NXF = PADDED(NX) };

/* x, P after a period with the inputs u; 1 if something is not finite. AP is scratch. */
static int filter_predict(double *x, double (*P)[NX], const double *u, double t, double *F, double (*A)[NXF], double (*AP)[NX],
                          double *work) {
    const double *const in[] = {x, u, &t};
    const long from[] = {0, 0, 0}, to[] = {0, 0};
    double *const out[] = {F, A[0]};
    if (STEP_TAPE(1, in, from, out, to, work)) return 1;
    for (int i = 0; i < NX; i++)
        for (int j = 0; j < NX; j++) {
            double s = 0.0;
            for (int k = 0; k < NX; k++) s += A[i][k] * P[k][j];
            AP[i][j] = s;
        }
    for (int i = 0; i < NX; i++)
        for (int j = 0; j <= i; j++) {
            double s = i == j ? noise_variance[i] : 0.0;
            for (int k = 0; k < NX; k++) s += AP[i][k] * A[j][k];
            P[i][j] = P[j][i] = s;
        }
    memcpy(x, F, NX * sizeof(double));
    return 0;
}

/* x, P with readings, one after the other, linearised at `at`; returns the mean squared innovation over its variance, or -1 if
 * something is not finite. Joseph's form keeps P symmetric and positive. */
static double filter_correct(double *x, double (*P)[NX], const double *at, const double *reading, const double *valid, double t,
                             double *h, double (*H)[NXF], double (*AP)[NX], double *work) {
    const double *const in[] = {at, &t};
    const long from[] = {0, 0}, to[] = {0, 0};
    double *const out[] = {h, H[0]};
    double surprise = 0.0, count = 0.0;
    if (SEE_TAPE(1, in, from, out, to, work)) return -1.0;
    for (int m = 0; m < NM; m++) {
        double PH[NX], gain[NX], variance = reading_variance[m], e = reading[m] - h[m];
        if (!(valid[m] > 0.5)) continue;
        for (int i = 0; i < NX; i++) {
            double s = 0.0;
            for (int j = 0; j < NX; j++) s += P[i][j] * H[m][j];
            PH[i] = s;
            e -= H[m][i] * (x[i] - at[i]);
        }
        for (int i = 0; i < NX; i++) variance += H[m][i] * PH[i];
        for (int i = 0; i < NX; i++) gain[i] = PH[i] / variance;
        for (int i = 0; i < NX; i++) x[i] += gain[i] * e;
        for (int i = 0; i < NX; i++) { /* (I - K H) P */
            const double k = gain[i];
            for (int j = 0; j < NX; j++) AP[i][j] = P[i][j] - k * PH[j];
        }
        for (int i = 0; i < NX; i++) { /* ... (I - K H)' + K r K' */
            double s = 0.0;
            for (int k = 0; k < NX; k++) s += AP[i][k] * H[m][k];
            for (int j = 0; j < NX; j++) P[i][j] = AP[i][j] - s * gain[j] + reading_variance[m] * gain[i] * gain[j];
        }
        for (int i = 0; i < NX; i++)
            for (int j = 0; j < i; j++) P[i][j] = P[j][i] = 0.5 * (P[i][j] + P[j][i]);
        surprise += e * e / variance, count += 1.0;
    }
    return count > 0.0 ? surprise / count : 0.0;
}

/* Divide a quaternion by its norm, which is returned. */
static double unit_norm(double *q) {
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++) q[i] /= norm;
    return norm;
}

/* Quaternions of unit norm, and none of their uncertainty along themselves: Q / |Q| has the derivative (I - Q Q') / |Q|. */
static void normalise(double *x, double (*P)[NX]) {
    for (int j = 0; j < N_ATTITUDES; j++) {
        double *const q = x + attitude_at[j], norm = unit_norm(q);
        const int first = attitude_at[j];
        for (int side = 0; side < 2; side++) /* rows, then columns */
            for (int k = 0; k < NX; k++) {
                double *part[4], along = 0.0;
                for (int i = 0; i < 4; i++) part[i] = side ? &P[k][first + i] : &P[first + i][k];
                for (int i = 0; i < 4; i++) along += q[i] * *part[i];
                for (int i = 0; i < 4; i++) *part[i] = (*part[i] - along * q[i]) / norm;
            }
    }
}

/* Readings of all four components of an attitude: the nearer one of Q and -Q. */
static void nearer_readings(double *reading, const double *x) {
    for (int j = 0; j < N_SEEN; j++) nearer_quaternion(reading + seen_at[j], x + seen_attitude[j], reading + seen_at[j]);
}

static double inside(int i, double x) {
    x = x < lower[i] ? lower[i] : x;
    return x > upper[i] ? upper[i] : x;
}

/* Whether a reading that arrives at the instant `count` is new. */
static int is_new(int m, double count) {
    const double since = count - delay[m];
    return since >= 0.0 && fmod(since, every[m]) == 0.0;
}

#endif
