/* Sine and cosine of the same angle, for scalars and lanes alike.
 *
 * Reduction by Cody and Waite (Software Manual for the Elementary Functions, 1980): pi/2 in three parts, of which the
 * first two have 33 bits, so that their products with a quadrant number below 2^20 are exact; whether the compiler
 * fuses multiplications and additions does not matter. The reduced angle is r + e with r the nearest double. The
 * polynomials interpolate (sin r - r)/r^3 and (cos r - 1 + r^2/2)/r^4 in r^2 at Chebyshev nodes of [0, (pi/4)^2]; their
 * errors are below 2^-56 and 2^-60. Angles beyond ANGLE_LIMIT, infinities and NaN go to the mathematical library. */
#define ANGLE_LIMIT 1e6

static inline void sincos_near(real x, real *sine, real *cosine) {
    const real shifter = K(6755399441055744.0); /* 1.5 * 2^52: adding it rounds to a whole number */
    const real shifted = x * K(0.6366197723675814) + shifter;
    const integer quadrant = bits(shifted);
    const real k = shifted - shifter;
    const real r1 = x - k * K(1.5707963267341256);
    const real part = k * K(6.077100506303966e-11);
    const real r = r1 - part;
    const real back = r1 - r; /* exact difference, after Knuth */
    const real e = ((r1 - (r + back)) + (back - part)) - k * K(2.0222662487959506e-21);

    const real z = r * r, zz = z * z, v = z * r;
    const real q = (K(0.008333333333330925) + z * K(-0.00019841269836722418)) +
                   zz * ((K(2.755731608381636e-06) + z * K(-2.5051127944014188e-08)) + zz * K(1.5917848524808262e-10));
    const real s = r - ((z * (K(0.5) * e - v * q) - e) - v * K(-0.16666666666666666));
    const real h = K(0.5) * z, w = K(1.0) - h;
    const real g = (K(0.041666666666666664) + z * K(-0.0013888888888887382)) +
                   zz * ((K(2.480158729874307e-05) + z * K(-2.7557317260008837e-07)) +
                         zz * (K(2.0876143827993133e-09) + z * K(-1.1382456778061306e-11)));
    const real c = w + (((K(1.0) - w) - h) + (zz * g - r * e));

    const integer swap = -(quadrant & J(1)), differ = swap & (bits(s) ^ bits(c));
    *sine = from_bits((bits(s) ^ differ) ^ ((quadrant & J(2)) << J(62)));
    *cosine = from_bits((bits(c) ^ differ) ^ (((quadrant + J(1)) & J(2)) << J(62)));
}
