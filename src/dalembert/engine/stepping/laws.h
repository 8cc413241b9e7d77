/* Laws of the blocks that a step solves for, for one run, lanes and the threads of a GPU.
 *
 * A block has n rows with impulses x and, all others given, velocities u = W x + b with a symmetric W. Its law admits one x
 * for every positive definite W and every b, but that of a rope. `mu` are numbers of the block that tapes give in every
 * step.
 *
 *     law         rows  u and x obey                                                            mu
 *     UNILATERAL  1     0 <= x,  u >= 0,  x u = 0                                               -
 *     COULOMB     3     0 <= x_n,  u_n >= 0,  x_n u_n = 0,  |x_t| <= mu x_n,
 *                       x_t = -mu x_n u_t / |u_t| where u_t is not zero                         friction
 *     STICTION    1     |x| <= mu,  x = -mu sign(u) where u is not zero                         impulses at rest, in motion
 *     ROPE        n     see ropes.h                                                             n - 1 ratios
 *     RESISTED    6     see resistance.c: COULOMB, and moments against spinning and rolling          friction, two lengths
 *     bilateral   n     u = 0                                                                   -
 *
 * A contact without friction, a stop and a cable that only pulls are UNILATERAL: x is the tension of the cable, u the rate
 * at which it slackens. Bilateral rows are eliminated before anything is swept (bilateral.h): no block has that law.
 *
 * Each law has NAME_make, which adds to W (its upper triangle, row by row) the numbers that are kept from sweep to
 * sweep, NAME_solve, which returns x exactly up to rounding, and NAME_violation, which is zero for the x of a velocity
 * u and has the unit of x; law_make, law_solve and law_violation (blocks.h) call them. Members that are not in the mask
 * `m` may get any x. With one member a mask is a condition: a return where no member is left costs nothing. */
#if STEPPING
enum { UNILATERAL, COULOMB, STICTION, ROPE };

#if defined(DA_FLOAT)
#define FINEST 1.2e-7
#else
#define FINEST 2.220446049250313e-16
#endif

#define NOISE 1e-12 /* part of the largest sticking impulse that is rounding: at rest, with no load, all of x is */

FUNCTION real larger(real a, real b) { return SELECT(a > b, a, b); }

/* One row: W and its inverse. */
FUNCTION void unilateral_make(real *B) { B[1] = K(1.0) / B[0]; }

FUNCTION void unilateral_solve(const real *B, const real *b, real *x) {
    x[0] = SELECT(b[0] < K(0.0), -b[0] * B[1], K(0.0));
}

FUNCTION real unilateral_violation(const real *B, const real *u, const real *x) {
    return fabs(larger(x[0] - u[0] * B[1], K(0.0)) - x[0]);
}

FUNCTION real within(real x, real most) { return SELECT(x > most, most, SELECT(x < -most, -most, x)); }

FUNCTION void stiction_solve(const real *B, const real *b, real mu, real *x) { x[0] = within(-b[0] * B[1], mu); }

FUNCTION real stiction_violation(const real *B, const real *u, real mu, const real *x) {
    const real lack = fabs(within(x[0] - u[0] * B[1], mu) - x[0]);
    return SELECT(lack <= K(NOISE) * mu, K(0.0), lack);
}

/* Three rows: W (nn, n1, n2, 11, 12, 22), 1 / W_nn, and of S, which is left of W when u_n = 0 eliminates the normal
 * impulse, the inverse (11, 12, 22); from the first slip on also the eigenvalues of S, their axes (cosine, sine), and n1
 * and n2 in these. */
enum { B_R = 6, B_I11, B_I12, B_I22, B_L1, B_L2, B_COS, B_SIN, B_W1, B_W2 };

FUNCTION void coulomb_make(real *B) {
    const real w0 = B[0], r = K(1.0) / w0;
    /* Where a tangent cannot move (a ball in a plane) its impulse is zero. */
    const real least = K(1e-14) * (w0 + B[3] + B[5]);
    const MASK no1 = B[3] < least, no2 = B[5] < least;
    B[4] = SELECT(no1 | no2, K(0.0), B[4]);
    B[1] = SELECT(no1, K(0.0), B[1]), B[3] = SELECT(no1, K(1.0), B[3]);
    B[2] = SELECT(no2, K(0.0), B[2]), B[5] = SELECT(no2, K(1.0), B[5]);
    const real s11 = B[3] - B[1] * B[1] * r, s12 = B[4] - B[1] * B[2] * r, s22 = B[5] - B[2] * B[2] * r;
    const real det = K(1.0) / (s11 * s22 - s12 * s12);
    B[B_R] = r, B[B_I11] = s22 * det, B[B_I12] = -s12 * det, B[B_I22] = s11 * det;
    B[B_L1] = K(0.0);
}

FUNCTION void coulomb_axes(real *B) {
    const real r = B[B_R], s11 = B[3] - B[1] * B[1] * r, s12 = B[4] - B[1] * B[2] * r, s22 = B[5] - B[2] * B[2] * r;
    const real mean = K(0.5) * (s11 + s22), half = K(0.5) * (s11 - s22), radius = sqrt(half * half + s12 * s12);
    const MASK round = NO(radius > K(1e-15) * mean);
    const real cos2 = half / SELECT(round, K(1.0), radius);
    const real cs = SELECT(round, K(1.0), sqrt(K(0.5) * (K(1.0) + cos2)));
    const real sn = SELECT(round, K(0.0), copysign(sqrt(larger(K(0.0), K(0.5) * (K(1.0) - cos2))), s12));
    B[B_L1] = mean + radius, B[B_L2] = mean - radius, B[B_COS] = cs, B[B_SIN] = sn;
    B[B_W1] = cs * B[1] + sn * B[2], B[B_W2] = cs * B[2] - sn * B[1];
}

FUNCTION void coulomb_solve(real *B, const real *b, real mu, MASK m, real *x) {
    x[0] = x[1] = x[2] = K(0.0);
    const MASK shut = m & (b[0] < K(0.0)), rubs = shut & (mu > K(0.0));
    if (!(SOME(shut))) return; /* it opens */
    const real r = B[B_R];
    x[0] = SELECT(shut, -b[0] * r, K(0.0));
    if (!(SOME(rubs))) return;
    /* u_n = 0 eliminates the normal impulse: u_t = S x_t + c */
    const real c1 = b[1] - B[1] * b[0] * r, c2 = b[2] - B[2] * b[0] * r;
    const real t1 = -(B[B_I11] * c1 + B[B_I12] * c2), t2 = -(B[B_I12] * c1 + B[B_I22] * c2);
    const real n = -(b[0] + B[1] * t1 + B[2] * t2) * r;
    const MASK sticks = rubs & (n >= K(0.0)) & (t1 * t1 + t2 * t2 <= mu * mu * n * n), slips = rubs & NO(sticks);
    x[0] = SELECT(sticks, n, x[0]), x[1] = SELECT(sticks, t1, K(0.0)), x[2] = SELECT(sticks, t2, K(0.0));
    if (!(SOME(slips))) return;
    /* It slips: (S + alpha) x_t = -c with |x_t| = mu x_n, alpha > 0. In the axes of S every entry of x_t is a fraction,
     * and mu x_n / |x_t| is nearly linear in alpha: Newton's method with a bracket, which exists (from sticking, outside
     * of the cone, to no friction at all, inside). */
    if (SOME(slips & (B[B_L1] == K(0.0)))) coulomb_axes(B);
    const real l1 = B[B_L1], l2 = B[B_L2], cs = B[B_COS], sn = B[B_SIN], w1 = B[B_W1], w2 = B[B_W2];
    const real d1 = cs * c1 + sn * c2, d2 = cs * c2 - sn * c1;
    real alpha = K(0.0), low = K(0.0), high = K(INFINITY), p1 = K(0.0), p2 = K(0.0), size = K(0.0);
    MASK open = slips;
    ROLL
    for (int k = 0; k < 100; k++) {
        const real i1 = K(1.0) / (l1 + alpha), i2 = K(1.0) / (l2 + alpha);
        p1 = -d1 * i1, p2 = -d2 * i2;
        size = sqrt(p1 * p1 + p2 * p2);
        const real pn = -(b[0] + w1 * p1 + w2 * p2) * r, F = mu * pn - size;
        open = open & NO(fabs(F) <= K(4.0 * FINEST) * size) &
               NO((high < K(INFINITY)) & (high - low <= K(4.0 * FINEST) * high));
        if (!(SOME(open))) break; /* members that are done keep alpha, and so x */
        const MASK under = F < K(0.0);
        low = SELECT(open & under, alpha, low), high = SELECT(open & NO(under), alpha, high);
        const real r1 = -p1 * i1, r2 = -p2 * i2; /* rates by alpha */
        const real rate = mu * (-(w1 * r1 + w2 * r2) * r * size - pn * (p1 * r1 + p2 * r2) / size) / (size * size);
        real next = alpha - F / (size * rate);
        const real other = SELECT(high < K(INFINITY), K(0.5) * (low + high), K(2.0) * alpha + l1);
        next = SELECT((next > low) & (next < high), next, other);
        open = open & NO(next == alpha);
        if (!(SOME(open))) break;
        alpha = SELECT(open, next, alpha);
    }
    x[0] = SELECT(slips, size / mu, x[0]);
    x[1] = SELECT(slips, cs * p1 - sn * p2, x[1]), x[2] = SELECT(slips, sn * p1 + cs * p2, x[2]);
}

/* |x - P(x - r u~)| with u~ = u + mu |u_t| n, any r > 0, and the projection P onto the cone (G. De Saxce, Z.-Q. Feng,
 * 1998). */
FUNCTION real coulomb_violation(const real *B, const real *u, real mu, const real *x) {
    const real slip = sqrt(u[1] * u[1] + u[2] * u[2]), r = K(1.0) / larger(B[0], larger(B[3], B[5]));
    const real n = x[0] - r * (u[0] + mu * slip), y = x[1] - r * u[1], z = x[2] - r * u[2];
    const real t = sqrt(y * y + z * z), k = (mu * t + n) / (K(1.0) + mu * mu);
    const MASK polar = mu * t <= -n, outside = t > mu * n;
    const real shrunk = SELECT(t > K(0.0), mu * k / SELECT(t > K(0.0), t, K(1.0)), K(0.0));
    const real f = SELECT(polar, K(0.0), SELECT(outside, shrunk, K(1.0)));
    const real pn = SELECT(polar, K(0.0), SELECT(outside, k, n));
    return larger(fabs(pn - x[0]), larger(fabs(f * y - x[1]), fabs(f * z - x[2])));
}
#endif
