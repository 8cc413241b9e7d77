/* Measures of a member, reduced step by step: y is the measured quantity at the end of a step of length h at t (0: an
 * instant at which nothing moves). The integral is that of the trapezoidal rule. A value that is not a number stays. */
enum { FINAL, MAXIMUM, MINIMUM, INTEGRAL, FIRST, LAST };

FUNCTION void reduce(long long kind, real t, real h, real y, real *before, MASK on, MASK all, real *value,
                     real *seen) {
    MASK put = on;
    real new_ = y, more = K(1.0);
    if (kind == MAXIMUM) put = on & ((y > *value) | (y != y)) & (*value == *value);
    else if (kind == MINIMUM) put = on & ((y < *value) | (y != y)) & (*value == *value);
    else if (kind == INTEGRAL) {
        put = all;
        new_ = *value + K(0.5) * h * (*before + y);
        more = *seen + h;
    } else if (kind == FIRST) put = on & (y > K(0.0)) & (*seen == K(0.0)), new_ = t;
    else if (kind == LAST) put = on & (y > K(0.0)), new_ = t;
    *value = SELECT(put, new_, *value);
    *seen = SELECT(kind == FIRST || kind == LAST || kind == INTEGRAL ? put : on, more, *seen);
    *before = y;
}
