/* Mathematical functions of lanes. */
static inline real sin_lanes(real x) {
    real s, c;
    sincos_(x, &s, &c);
    return s;
}

static inline real cos_lanes(real x) {
    real s, c;
    sincos_(x, &s, &c);
    return c;
}

/* exp(x) = 2^k (1 + p), with p = exp(r) - 1 and |r| <= ln(2)/2; k ln(2) in two parts, the first exact. */
static inline real exp_core(real x, real *k) {
    const real shifter = K(6755399441055744.0);
    const real shifted = x * K(1.4426950408889634) + shifter;
    *k = shifted - shifter;
    const real high = x - *k * K(0.6931471805592082), low = *k * K(7.371002565167799e-13);
    const real r = high - low, e = (high - r) - low, z = r * r;
    const real p = (K(0.5) + r * K(0.1666666666666667)) +
                   z * ((K(0.04166666666666667) + r * K(0.008333333333326084)) +
                        z * ((K(0.0013888888888883711) + r * K(0.0001984126987500228)) +
                             z * ((K(2.480158732567746e-05) + r * K(2.755725517000089e-06)) +
                                  z * ((K(2.755727347871858e-07) + r * K(2.5105312729622103e-08)) +
                                       z * K(2.09147553258932e-09)))));
    return r + (e + z * p);
}

/* 2^k for whole numbers k of a normal result. */
static inline real power_of_two(real k) { return (real)(((integer)(k + 6755399441056767.0)) << J(52)); }

static inline real exp_lanes(real x) {
    /* beyond these the result is infinite or zero, whatever x; the order of the comparison lets NaN pass */
    real y = select_(x > 720.0, K(720.0), x), k;
    y = select_(y < -760.0, K(-760.0), y);
    const real p = exp_core(y, &k);
    real half = k * K(0.5) + K(6755399441055744.0);
    half = half - K(6755399441055744.0); /* 2^k in two factors: subnormal and infinite results are right */
    return ((K(1.0) + p) * power_of_two(half)) * power_of_two(k - half);
}

/* tanh|x| = t/(t + 2) with t = exp(2|x|) - 1 */
static inline real tanh_lanes(real x) {
    const real a = magnitude(x);
    real k;
    const real p = exp_core(K(2.0) * select_(a > 22.0, K(22.0), a), &k), scale = power_of_two(k);
    const real t = (scale - K(1.0)) + scale * p;
    const real y = select_(a > 22.0, K(1.0), select_(a < 1e-300, a, t / (t + K(2.0))));
    return copysign_lanes(y, x);
}

__attribute__((noinline, cold)) static real log_special(real x, real y) {
    for (int i = 0; i < LANES; i++)
        if (!(x[i] >= 2.2250738585072014e-308 && x[i] <= 1.7976931348623157e308)) y[i] = log(x[i]);
    return y;
}

/* x = 2^k m with sqrt(1/2) <= m < sqrt(2); log m = 2 atanh(s) with s = f/(2 + f), f = m - 1, arranged so that f
 * enters exactly; the polynomial interpolates (2 atanh(s) - 2 s)/s^3 in s^2. */
static inline real log_lanes(real x) {
    const integer normal = (x >= 2.2250738585072014e-308) & (x <= 1.7976931348623157e308);
    const integer i = (integer)x - J(0x3fe6a09e667f3bcd), e = i >> J(52);
    const real m = (real)((integer)x - (e << J(52)));
    const real k = (real)(e + (integer)K(6755399441055744.0)) - K(6755399441055744.0);
    const real f = m - K(1.0), s = f / (K(2.0) + f), z = s * s, zz = z * z, h = K(0.5) * f * f;
    const real R = z * ((K(0.666666666666667) + z * K(0.3999999999989889)) +
                        zz * ((K(0.28571428626253836) + z * K(0.22222211089379496)) +
                              zz * ((K(0.1818289243253687) + z * K(0.15331611722055008)) +
                                    zz * K(0.14617807153417325))));
    real y = k * K(0.6931471805592082) - ((h - (s * (h + R) + k * K(7.371002565167799e-13))) - f);
    if (__builtin_expect(any(~normal), 0)) y = log_special(x, y);
    return y;
}

__attribute__((noinline, cold)) static real atan2_special(real y, real x, integer ordinary, real angle) {
    for (int i = 0; i < LANES; i++)
        if (!ordinary[i]) angle[i] = atan2(y[i], x[i]);
    return angle;
}

/* The angle is c + a or c - a, where c is a multiple of pi/4 in two parts and a = atan z: z is the quotient of the
 * smaller magnitude by the larger one, or, beyond an angle of 1/2 from the axis, that of their difference, which is
 * exact, by their sum. The polynomial interpolates (atan z - z)/z^3 in z^2 at Chebyshev nodes of [0, tan(1/2)^2]; its
 * error is below 2^-56 of z. Two zeros, infinities, and numbers so large or small that sums and products of them
 * overflow or lose digits go to the mathematical library. */
static inline real atan2_lanes(real y, real x) {
    const real ax = magnitude(x), ay = magnitude(y);
    const integer steep = ay > ax, back = x < 0.0, turned = steep ^ back;
    const real large = select_(steep, ay, ax), small = select_(steep, ax, ay);
    const integer ordinary = (large >= 1e-300) & (large <= 8e307), wide = small > K(0.5463024898437905) * large;
    const real z = select_(wide, small - large, small) / select_(wide, small + large, large);
    const real s = z * z, ss = s * s, s4 = ss * ss;
    const real p = ((K(-0.3333333333333333) + s * K(0.19999999999996643)) +
                    ss * (K(-0.14285714285081821) + s * K(0.11111111064136008))) +
                   s4 * (((K(-0.09090907271100702) + s * K(0.0769226553620346)) +
                          ss * (K(-0.06666035904481361) + s * K(0.05875973123185238))) +
                         s4 * (((K(-0.05218406610673941) + s * K(0.04541778968179476)) +
                                ss * (K(-0.03589070329058592) + s * K(0.021850625207737295))) +
                               s4 * K(-0.007211269676347181)));
    const real high = select_(wide, select_(back, K(2.356194490192345), K(0.7853981633974483)),
                              select_(steep, K(1.5707963267948966), select_(back, K(3.141592653589793), K(0.0))));
    const real low = select_(wide, select_(back, K(9.184850993605148e-17), K(3.061616997868383e-17)),
                             select_(steep, K(6.123233995736766e-17),
                                     select_(back, K(1.2246467991473532e-16), K(0.0))));
    const real a = from_bits(bits(z) ^ (turned & J(INT64_MIN)));
    const real sum = high + a, rest = (high - sum) + a; /* exact: high is zero or the larger one */
    real angle = copysign_lanes(sum + (rest + (low + a * (s * p))), y);
    if (__builtin_expect(any(~ordinary), 0)) angle = atan2_special(y, x, ordinary, angle);
    return angle;
}

#define sqrt sqrt_lanes
#define sin sin_lanes
#define cos cos_lanes
#define tan tan_lanes
#define asin asin_lanes
#define acos acos_lanes
#define atan atan_lanes
#define exp exp_lanes
#define log log_lanes
#define sinh sinh_lanes
#define cosh cosh_lanes
#define tanh tanh_lanes
#define asinh asinh_lanes
#define acosh acosh_lanes
#define atanh atanh_lanes
#define floor floor_lanes
#define ceil ceil_lanes
#define fabs magnitude
#define erf erf_lanes
#define log1p log1p_lanes
#define expm1 expm1_lanes
#define pow pow_lanes
#define atan2 atan2_lanes
#define fmod fmod_lanes
#define remainder remainder_lanes
#define copysign copysign_lanes
#define fmin fmin_lanes
#define fmax fmax_lanes
#define hypot hypot_lanes
