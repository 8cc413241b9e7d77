/* Compliant contacts, with one member: a spring and damper along the normal in the place of u_n >= 0.
 *
 * With the depth d and its rate the normal force is N = k d (1 + c d'), not below zero (K. H. Hunt, F. R. E. Crossley, Journal of
 * Applied Mechanics 42 (1975) 440-445). It is implicit in the step: in terms of the gap g in the middle and the normal velocities
 * u- and u+ the depths at the ends are d- = (1 - theta) h u- - g and d+ = -g - theta h u+, and
 *     N = k (d- + r d+) / 2 - k c d_m ((1 - beta) u- + beta u+) - f k h u+,   d- = 0 where it is open,
 * which is linear in u+: 0 <= x_n with u+ + give x_n + rest >= 0, x_n = h N. The spring is trapezoidal and so keeps its energy.
 * In a step in which it closes, r is the part of the way that is deep, so that the work is the energy stored. Where the step does not
 * resolve the contact, z = h W (h k + k c d_m) being large, f = z / (10 + z) damps it and beta = (1 + f) / 2 is implicit; both differ
 * from the trapezoid by the order of h^2. */
#define RESOLVED 10.0
#define WEAKEST 1e-12 /* z below which it has no effect */

/* Numbers of a contact whose normal velocity is `before` at the start, and would be `after` at the end without it. 0: no force. */
static int comply(struct moreau *C, int64_t a, double h, double before, double after) {
    const double k = 1.0 / C->compliance[a], g = C->g[a];
    const double *const y = C->Y + VALUES(a);
    const double start = (1.0 - C->theta) * h * before - g, end = -g - C->theta * h * after;
    const double r = start > 0.0 ? 1.0 : end > 0.0 ? end / (end - start) : 0.0;
    const double d = k * C->damping[a] * larger(-g, 0.0);
    double w = 0.0;
    for (int64_t i = 0; i < COUNT(a); i++) w += y[i] * y[i];
    const double z = h * w * (h * k * r + d), f = z / (RESOLVED + z), beta = 0.5 * (1.0 + f);
    C->depth[a] = larger(start, 0.0);
    if (!(z > WEAKEST)) return 0;
    const double A = k * r * h * (0.5 * C->theta + f) + d * beta;
    C->give[a] = 1.0 / (h * A);
    C->rest[a] = (0.5 * k * (r * g - C->depth[a]) + d * (1.0 - beta) * before) / A;
    return 1;
}

/* Depth at the end of a step with the normal velocity u, at which the contact stores no more than it has taken: what is deeper,
 * because the step does not resolve it, is removed with the penetration of rigid contacts (close_gaps). Adds its energy to `stored`;
 * returns by how much that grew. */
static double store(struct moreau *C, int64_t a, double h, double before, double u, double *stored) {
    const double k = 1.0 / C->compliance[a], end = larger(-C->g[a] - C->theta * h * u, 0.0), had = C->depth[a] * C->depth[a];
    const double most = sqrt(larger(had - C->x[ROW(a)] * (u + before) / k, 0.0));
    C->depth[a] = end - most > C->margin ? most : end;
    *stored += 0.5 * k * C->depth[a] * C->depth[a];
    return 0.5 * k * (C->depth[a] * C->depth[a] - had);
}
