/* Sine and cosine of the same angle, for vectors of any angles. */
__attribute__((noinline, cold)) static void sincos_far(real x, real *sine, real *cosine) {
    for (int i = 0; i < LANES; i++) {
        if (fabs(x[i]) <= ANGLE_LIMIT) continue;
        (*sine)[i] = sin(x[i]);
        (*cosine)[i] = cos(x[i]);
    }
}

__attribute__((always_inline)) static inline void sincos_(real x, real *sine, real *cosine) {
    const integer near_ = magnitude(x) <= ANGLE_LIMIT;
    real s, c;
    sincos_near(x, &s, &c);
    if (__builtin_expect(any(~near_), 0)) sincos_far(x, &s, &c);
    *sine = s;
    *cosine = c;
}
