/* One instance of the model: its numbers, and what is computed from them. Shared by both versions of FMI. */
#ifndef CORE_H
#define CORE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "model.h"

/* Value references: time, states, their derivatives, inputs, parameters, signals, and the step of the solver. */
enum {
    STATE = 1,
    DERIVATIVE = STATE + N_STATES,
    INPUT = DERIVATIVE + N_STATES,
    PARAMETER = INPUT + N_INPUTS,
    SIGNAL = PARAMETER + N_PARAMETERS,
    STEP = SIGNAL + N_SIGNALS,
    END = STEP + 1
};

typedef struct {
    double t, step;
    double x[N_STATES], rate[N_STATES], c[N_INPUTS + 1], p[N_PARAMETERS + 1], y[N_SIGNALS + 1];
    int stale;
} Model;

static void start(Model *m) {
    static const double x[] = {START_STATES}, c[] = {START_INPUTS}, p[] = {START_PARAMETERS};
    memset(m, 0, sizeof *m);
    memcpy(m->x, x, sizeof m->x);
    memcpy(m->c, c, N_INPUTS * sizeof(double));
    memcpy(m->p, p, N_PARAMETERS * sizeof(double));
    m->step = START_STEP;
    m->stale = 1;
}

static void evaluate(Model *m) {
    if (!m->stale)
        return;
    model_ode(&m->t, m->x, m->c, m->p, m->rate);
    model_signals(&m->t, m->x, m->c, m->p, m->y);
    m->stale = 0;
}

/* Where a variable lies; 0 if there is none of that reference. */
static double *place(Model *m, unsigned r) {
    if (r == 0)
        return &m->t;
    if (r < DERIVATIVE)
        return &m->x[r - STATE];
    if (r < INPUT)
        return &m->rate[r - DERIVATIVE];
    if (r < PARAMETER)
        return &m->c[r - INPUT];
    if (r < SIGNAL)
        return &m->p[r - PARAMETER];
    if (r < STEP)
        return &m->y[r - SIGNAL];
    return r == STEP ? &m->step : 0;
}

static int get(Model *m, const unsigned r[], size_t n, double value[]) {
    evaluate(m);
    for (size_t i = 0; i < n; i++) {
        const double *const from = place(m, r[i]);
        if (!from)
            return 1;
        value[i] = *from;
    }
    return 0;
}

static int settable(unsigned r) {
    return r > 0 && r < END && !(r >= DERIVATIVE && r < INPUT) && !(r >= SIGNAL && r < STEP);
}

static int set(Model *m, const unsigned r[], size_t n, const double value[]) {
    for (size_t i = 0; i < n; i++)
        if (!settable(r[i]) || !isfinite(value[i]) || (r[i] == STEP && !(value[i] > 0.0)))
            return 1;
    for (size_t i = 0; i < n; i++)
        *place(m, r[i]) = value[i];
    m->stale = 1;
    return 0;
}

static int is_finite(const double x[], int n) {
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return 0;
    return 1;
}

/* One step of the classical Runge-Kutta method; 1 if the state stops being finite. */
static int rk4(Model *m, double h) {
    double k1[N_STATES], k2[N_STATES], k3[N_STATES], k4[N_STATES], x[N_STATES];
    const double half = m->t + 0.5 * h, whole = m->t + h;
    model_ode(&m->t, m->x, m->c, m->p, k1);
    for (int i = 0; i < N_STATES; i++)
        x[i] = m->x[i] + 0.5 * h * k1[i];
    model_ode(&half, x, m->c, m->p, k2);
    for (int i = 0; i < N_STATES; i++)
        x[i] = m->x[i] + 0.5 * h * k2[i];
    model_ode(&half, x, m->c, m->p, k3);
    for (int i = 0; i < N_STATES; i++)
        x[i] = m->x[i] + h * k3[i];
    model_ode(&whole, x, m->c, m->p, k4);
    for (int i = 0; i < N_STATES; i++)
        m->x[i] += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
#if N_QUATERNIONS > 0
    static const int quaternions[] = {QUATERNIONS};
    for (int j = 0; j < N_QUATERNIONS; j++) {
        double *const q = m->x + quaternions[j];
        const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        for (int i = 0; i < 4; i++)
            q[i] /= length;
    }
#endif
    m->stale = 1;
    return !is_finite(m->x, N_STATES);
}

/* Equal steps, none longer than that of the solver, over a communication interval. */
static int advance(Model *m, double interval) {
    const double t0 = m->t;
    long n = (long)ceil(interval / m->step * (1.0 - 1e-12));
    if (n < 1)
        n = 1;
    for (long k = 0; k < n; k++) {
        if (rk4(m, interval / (double)n))
            return 1;
        m->t = t0 + interval * (double)(k + 1) / (double)n;
    }
    return 0;
}

#endif
