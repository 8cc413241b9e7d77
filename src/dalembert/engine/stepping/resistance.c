/* Contacts that resist rolling and spinning, with one member: Coulomb's law and moments.
 *
 *     law       rows  u and x obey                                                                    mu
 *     RESISTED  6     the first three: COULOMB;  |x_s| <= mu_s x_n about the normal,
 *                     |x_r| <= mu_r x_n about the tangents; both oppose the relative rotation          friction, mu_s, mu_r
 *
 * mu_s and mu_r are lengths. The two moments are independent of each other and of the slip. W (its upper triangle) is followed by the
 * numbers of coulomb_make for the first three rows. */
enum { RESISTED = ROPE + 1, W_ALL = 21, ALTERNATIONS = 20 };

static inline double entry(const double *W, int i, int j) {
    const int a = i < j ? i : j, b = i < j ? j : i;
    return W[a * 6 - a * (a - 1) / 2 + b - a];
}

static void resisted_make(double *B) {
    double *C = B + W_ALL;
    for (int i = 0, k = 0; i < 3; i++)
        for (int j = i; j < 3; j++) C[k++] = entry(B, i, j);
    coulomb_make(C);
}

/* r with (W + alpha) r = -c, alpha >= 0, |r| <= most, alpha (most - |r|) = 0; W has the entries w11, w12, w22. */
static void within_disc(double w11, double w12, double w22, const double *c, double most, double *r) {
    r[0] = r[1] = 0.0;
    if (!(most > 0.0) || !(w11 + w22 > 0.0)) return;
    const double mean = 0.5 * (w11 + w22), half = 0.5 * (w11 - w22), radius = sqrt(half * half + w12 * w12);
    const double angle = 0.5 * atan2(w12, half), cs = cos(angle), sn = sin(angle);
    const double l1 = mean + radius, l2 = larger(mean - radius, 1e-14 * mean);
    const double d1 = cs * c[0] + sn * c[1], d2 = cs * c[1] - sn * c[0];
    double alpha = 0.0, p1 = -d1 / l1, p2 = -d2 / l2, size = sqrt(p1 * p1 + p2 * p2);
    for (int k = 0; k < 60 && size > most * (1.0 + 4.0 * FINEST); k++) { /* 1 / |r| is concave in alpha: from below */
        const double rate = (p1 * p1 / (l1 + alpha) + p2 * p2 / (l2 + alpha)) / (size * size);
        alpha += (size / most - 1.0) / rate;
        p1 = -d1 / (l1 + alpha), p2 = -d2 / (l2 + alpha), size = sqrt(p1 * p1 + p2 * p2);
    }
    r[0] = cs * p1 - sn * p2, r[1] = sn * p1 + cs * p2;
}

/* Forces with the moments as they are, and moments with the forces as they are, in turns, as far as a sweep needs it; x has those of the last one. */
static void resisted_solve(double *B, const double *b, const double *mu, double *x) {
    for (int turn = 0; turn < ALTERNATIONS; turn++) {
        double c[3], old[6], change = 0.0, most = 0.0;
        memcpy(old, x, sizeof old);
        for (int i = 0; i < 3; i++) c[i] = b[i] + entry(B, i, 3) * x[3] + entry(B, i, 4) * x[4] + entry(B, i, 5) * x[5];
        coulomb_solve(B + W_ALL, c, mu[0], 1, x);
        for (int i = 0; i < 3; i++) c[i] = b[3 + i] + entry(B, 3 + i, 0) * x[0] + entry(B, 3 + i, 1) * x[1] + entry(B, 3 + i, 2) * x[2];
        const double w = entry(B, 3, 3);
        x[3] = w > 0.0 ? within(-(c[0] + entry(B, 3, 4) * x[4] + entry(B, 3, 5) * x[5]) / w, mu[1] * x[0]) : 0.0;
        for (int i = 1; i < 3; i++) c[i] += entry(B, 3, 3 + i) * x[3];
        within_disc(entry(B, 4, 4), entry(B, 4, 5), entry(B, 5, 5), c + 1, mu[2] * x[0], x + 4);
        for (int i = 0; i < 6; i++) {
            const double weight = sqrt(entry(B, i, i)); /* forces and moments have other units: by the velocities that they cause */
            change = larger(change, weight * fabs(x[i] - old[i])), most = larger(most, weight * fabs(x[i]));
        }
        if (!(change > 8.0 * FINEST * most)) return;
    }
}

static double resisted_violation(const double *B, const double *u, const double *mu, const double *x) {
    const double forces = coulomb_violation(B + W_ALL, u, mu[0], x), w = entry(B, 3, 3), v = larger(entry(B, 4, 4), entry(B, 5, 5));
    const double spin = w > 0.0 ? fabs(within(x[3] - u[3] / w, mu[1] * x[0]) - x[3]) : 0.0;
    if (!(v > 0.0)) return larger(forces, spin);
    const double y = x[4] - u[4] / v, z = x[5] - u[5] / v, size = sqrt(y * y + z * z), most = mu[2] * x[0];
    const double part = size > most ? most / size : 1.0;
    return larger(forces, larger(spin, larger(fabs(part * y - x[4]), fabs(part * z - x[5]))));
}
