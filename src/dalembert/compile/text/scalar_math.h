/* Mathematical functions of the scalar form: the library's, except for sine and cosine. */
static inline void sincos_(real x, real *sine, real *cosine) {
    if (fabs(x) <= ANGLE_LIMIT) {
        sincos_near(x, sine, cosine);
    } else {
        *sine = sin(x);
        *cosine = cos(x);
    }
}
