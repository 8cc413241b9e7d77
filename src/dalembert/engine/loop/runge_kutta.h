/* Explicit Runge-Kutta steps and their control, for one run (`real` and `instant` a double, MASK an int), for lanes and
 * for the threads of a GPU. The including file defines FUNCTION, SELECT, REAL, WIDE, NO and these types.
 *
 * PI control after K. Gustafsson, ACM Trans. Math. Software 17 (1991) 533-554; first step after E. Hairer, S. P. Norsett,
 * G. Wanner, "Solving Ordinary Differential Equations I", section II.4, "Starting step size". */
#define LEAST_ERROR 1e-4 /* part of the tolerance below which an estimate is rounding, from which no step is chosen */
#define MOST_STAGES 32

FUNCTION instant larger_of(instant a, instant b) { return SELECT(a > b, a, b); }
FUNCTION instant smaller_of(instant a, instant b) { return SELECT(a < b, a, b); }

/* out = x + h sum_j w_j k_j (0: no x), four slopes at a time: the partial sums stay in registers. */
FUNCTION void combine(const real *restrict x, instant h, const double *w, int count, const real *const *k,
                      real *restrict out, int n) {
    const real *slope[MOST_STAGES];
    real hw[MOST_STAGES];
    int used = 0, j = 0;
    for (int i = 0; i < count; i++)
        if (w[i] != 0.0) slope[used] = k[i], hw[used++] = REAL(h * w[i]);
    for (int i = 0; i < n; i++) out[i] = x ? x[i] : REAL(WIDE(0.0));
    for (; j + 4 <= used; j += 4) {
        const real *restrict a = slope[j], *restrict b = slope[j + 1], *restrict c = slope[j + 2], *restrict d = slope[j + 3];
        const real u = hw[j], v = hw[j + 1], y = hw[j + 2], z = hw[j + 3];
        for (int i = 0; i < n; i++) out[i] = (((out[i] + u * a[i]) + v * b[i]) + y * c[i]) + z * d[i];
    }
    for (; j < used; j++) {
        const real *restrict a = slope[j];
        const real u = hw[j];
        for (int i = 0; i < n; i++) out[i] += u * a[i];
    }
}

/* Length of a step towards an end that is `rest` away, of at most `longest`; *landed: it ends there. */
FUNCTION instant step_length(instant longest, instant rest, MASK *landed) {
    *landed = rest <= longest * (1.0 + 1e-9);
    return SELECT(*landed, rest, SELECT(rest < 2.0 * longest, 0.5 * rest, longest));
}

/* The step to try after one of length h whose error, relative to the tolerance, was too large. */
FUNCTION instant shorter_step(instant h, instant error, double order) {
    const double beta = 0.2 / (order + 1.0), power = 1.0 / (order + 1.0) - 0.75 * beta;
    const instant scaled = pow(larger_of(error, WIDE(LEAST_ERROR)), WIDE(power));
    return h * SELECT(error < INFINITY, larger_of(WIDE(0.2), 0.9 / scaled), WIDE(0.2));
}

/* The step to try after one of length h that was taken, `last` being the error of the one before; the planned length is
 * kept where the step was cut to hit an instant. */
FUNCTION instant next_step(instant h, instant error, instant last, MASK was_refused, instant planned, double order) {
    const double beta = 0.2 / (order + 1.0), power = 1.0 / (order + 1.0) - 0.75 * beta;
    const instant scaled = pow(larger_of(error, WIDE(LEAST_ERROR)), WIDE(power));
    const instant factor =
        smaller_of(WIDE(10.0), larger_of(WIDE(0.2), 0.9 * pow(larger_of(last, WIDE(LEAST_ERROR)), WIDE(beta)) / scaled));
    const instant made = h * SELECT(was_refused, smaller_of(factor, WIDE(1.0)), factor);
    return SELECT(h < planned, larger_of(made, planned), made);
}

/* Whether a step would be too short to change the time. */
FUNCTION MASK too_short(instant h, instant t) {
    return (h < 4.0 * 2.220446049250313e-16 * SELECT(t < 0.0, -t, t)) | (h < 1e-290);
}

/* Length of an explicit Euler step that shows how x' changes: sizes d0 of x and d1 of x', at most `most`. */
FUNCTION instant trial_step(instant d0, instant d1, instant most) {
    return smaller_of(SELECT((d0 < 1e-5) | (d1 < 1e-5), WIDE(1e-6), 0.01 * d0 / d1), most);
}

/* First step, so that an explicit Euler step of it changes x and x' little: d2 is the size of x'' along the trial step h0. */
FUNCTION instant starting_step(instant h0, instant d1, instant d2, instant most, double order) {
    const instant steepest = larger_of(d1, d2);
    const instant h1 =
        SELECT(steepest <= 1e-15, larger_of(WIDE(1e-6), 1e-3 * h0), pow(0.01 / steepest, WIDE(1.0 / order)));
    const instant h = smaller_of(smaller_of(100.0 * h0, h1), most);
    return SELECT((h > 0.0) & (h < INFINITY), h, smaller_of(WIDE(1e-6), most));
}
