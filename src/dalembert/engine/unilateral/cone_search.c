/* Searches for the forces of contacts with friction, from which their modes are read; after cones.c, complementarity.c.
 *
 * core/cone_search.py is the same in NumPy, with the reasons and the sources; keep the two alike.
 */
#define SIDES 8 /* of a cone that is made of planes */
#define CROWDS 64 /* pairs up to which pivots are worth their memory */
#define DIRECTIONS 97

/* Steps of projections: how much force takes away a unit of velocity, normal and tangential. */
FUNCTION void steps_of(const struct cones *c, int64_t i, double *normal, double *across) {
    const double t = fmax(diagonal(c, 3 * i + 1), diagonal(c, 3 * i + 2));
    *normal = 1.0 / fmax(diagonal(c, 3 * i), NOTHING);
    *across = t > 0.0 ? 1.0 / fmax(t, NOTHING) : 0.0;
}

/* Plain projections onto the cones, pair by pair; p changes in place. */
FUNCTION void project_onto(const struct cones *c, double *p, int64_t sweeps) {
    const int64_t n = 3 * c->k;
    for (int64_t sweep = 0; sweep < sweeps; sweep++)
        for (int64_t i = 0; i < c->k; i++) {
            double u[3], r_n, r_t, *own = p + 3 * i;
            steps_of(c, i, &r_n, &r_t);
            for (int j = 0; j < 3; j++) u[j] = dot(c->W + (3 * i + j) * n, p, n) + c->b[3 * i + j];
            own[0] = fmax(0.0, own[0] - 0.8 * r_n * u[0]);
            const double limit = c->mu[i] * (own[0] + c->given[i]);
            if (is_sliding(c, i)) {
                own[1] = -limit * c->slip[2 * i], own[2] = -limit * c->slip[2 * i + 1];
                continue;
            }
            const double one = own[1] - 0.8 * r_t * u[1], two = own[2] - 0.8 * r_t * u[2], size = hypot(one, two);
            const double part = size <= limit ? 1.0 : limit / size;
            own[1] = one * part, own[2] = two * part;
        }
}

/* The laws as equations F(x) = 0, with z_n, limit, z_t and |z_t| of each pair (5 numbers) for their derivative. */
FUNCTION double law(const struct cones *c, const double *x, double *u, double *F, double *z) {
    respond_to(c, x, u);
    for (int64_t i = 0; i < c->k; i++) {
        const double *p = x + 3 * i;
        double *own = z + 5 * i, r_n, r_t;
        steps_of(c, i, &r_n, &r_t);
        own[0] = p[0] - r_n * u[3 * i];
        own[1] = c->mu[i] * (fmax(own[0], 0.0) + c->given[i]);
        own[2] = p[1] - r_t * u[3 * i + 1], own[3] = p[2] - r_t * u[3 * i + 2];
        own[4] = hypot(own[2], own[3]);
        const double part = own[4] <= own[1] ? 1.0 : own[1] / fmax(own[4], NOTHING);
        F[3 * i] = p[0] - fmax(own[0], 0.0);
        for (int j = 0; j < 2; j++) {
            const double aim = is_sliding(c, i) ? -c->mu[i] * (p[0] + c->given[i]) * c->slip[2 * i + j] : part * own[2 + j];
            F[3 * i + 1 + j] = p[1 + j] - aim;
        }
    }
    return norm(F, 3 * c->k);
}

/* Derivative of the laws, row by row: G = 1 - d(aim)/dx. */
FUNCTION void law_derivative(const struct cones *c, const double *z, double *G) {
    const int64_t n = 3 * c->k;
    for (int64_t i = 0; i < c->k; i++) {
        const double *own = z + 5 * i;
        double *g = G + 3 * i * n, r_n, r_t, way[2] = {0.0, 0.0};
        const int pushes = own[0] > 0.0, slides = is_sliding(c, i), beyond = own[4] > own[1];
        steps_of(c, i, &r_n, &r_t);
        if (beyond) way[0] = own[2] / own[4], way[1] = own[3] / own[4];
        for (int64_t j = 0; j < n; j++) {
            const double d_n = pushes ? (j == 3 * i) - r_n * c->W[3 * i * n + j] : 0.0;
            double d_t[2];
            g[j] = (j == 3 * i) - d_n;
            for (int t = 0; t < 2; t++) d_t[t] = (j == 3 * i + 1 + t) - r_t * c->W[(3 * i + 1 + t) * n + j];
            if (beyond) {
                const double part = own[1] / own[4], along = way[0] * d_t[0] + way[1] * d_t[1];
                for (int t = 0; t < 2; t++) d_t[t] = part * (d_t[t] - way[t] * along) + c->mu[i] * way[t] * d_n;
            }
            for (int t = 0; t < 2; t++) {
                double value = (j == 3 * i + 1 + t);
                if (slides) value += j == 3 * i ? c->mu[i] * c->slip[2 * i + t] : 0.0;
                else if (own[1] > 0.0) value -= d_t[t];
                g[(1 + t) * n + j] = value;
            }
        }
    }
}

/* Newton's method on the laws as equations (Alart and Curnier, 1991), from forces that are nearly right. */
FUNCTION void newton(const struct cones *c, const double *start, const struct solution *s, struct memory memory) {
    const int64_t k = c->k, n = 3 * k;
    const double parts[5] = {1.0, 0.5, 0.25, 0.1, 0.02};
    double *x = s->p, *F = take(&memory, n), *z = take(&memory, 5 * k), *G = take(&memory, n * n),
           *step = take(&memory, n), *tried = take(&memory, n), *F_new = take(&memory, n), *z_new = take(&memory, 5 * k);
    for (int64_t i = 0; i < n; i++) x[i] = start[i];
    double size = law(c, x, s->u, F, z);
    for (int round = 0; round < 30; round++) {
        law_derivative(c, z, G);
        for (int64_t i = 0; i < n; i++) F_new[i] = -F[i];
        lstsq(G, n, n, F_new, step, 1e-12, n, memory);
        int better = 0;
        for (int a = 0; a < 5 && !better; a++) {
            for (int64_t i = 0; i < n; i++) tried[i] = x[i] + parts[a] * step[i];
            const double made = law(c, tried, s->u, F_new, z_new);
            if (made < size) size = made, better = 1;
        }
        if (!better) break;
        for (int64_t i = 0; i < n; i++) x[i] = tried[i], F[i] = F_new[i];
        for (int64_t i = 0; i < 5 * k; i++) z[i] = z_new[i];
        if (size <= 1e-15 * norm(x, n)) break;
    }
    respond_to(c, x, s->u);
    const double least = 1e-12 * largest_of(x, n), still = 10.0 * tolerance_of(c);
    for (int64_t i = 0; i < k; i++) {
        const int slips = is_sliding(c, i) || hypot(s->u[3 * i + 1], s->u[3 * i + 2]) > still;
        const int open = !is_bare(c, i) && !(x[3 * i] + c->given[i] > least);
        s->modes[i] = open ? OPEN : c->mu[i] > 0.0 && slips ? SLIP : STICK;
    }
}

static int64_t pivoted_memory(int64_t k) {
    const int64_t n = (SIDES + 2) * (k < CROWDS ? k : CROWDS);
    return n * (n + 2) + 8 * n + 3 * k + complementary_memory(n) + 16;
}

/* Forces by pivots, with cones of so many sides: exact in the plane, elsewhere near enough to begin with. 0: none found. */
FUNCTION int pivoted(const struct cones *c, double *p, struct memory memory) {
    const int64_t k = c->k, n = 3 * k;
    if (k > CROWDS) return 0;
    const int64_t most = (SIDES + 2) * k;
    double *push = take(&memory, 3 * most), *against = take(&memory, 3 * most), *right = take(&memory, n),
           *z = take(&memory, most), scale = fmax(largest_of(c->b, n), NOTHING);
    int64_t *pair = take_integers(&memory, most), m = 0, limits = 0;
    for (int64_t i = 0; i < n; i++) right[i] = c->b[i];
    for (int64_t i = 0; i < k; i++, m++) { /* pushes along the normals, with the friction of what slips already */
        double *own = push + 3 * m;
        pair[m] = i;
        if (!is_bare(c, i)) own[0] = against[3 * m] = 1.0 / sqrt(fmax(diagonal(c, 3 * i), NOTHING));
        if (!is_sliding(c, i)) continue;
        for (int j = 0; j < 2; j++) {
            const double drag = -c->mu[i] * c->slip[2 * i + j];
            own[1 + j] = own[0] * drag;
            for (int64_t r = 0; r < n; r++) right[r] += c->given[i] * drag * c->W[r * n + 3 * i + 1 + j];
        }
    }
    for (int64_t i = 0; i < k; i++) { /* pushes along the sides of cones; what limits them comes last */
        if (is_sliding(c, i) || !(c->mu[i] > 0.0)) continue;
        int moves[2], count = 0;
        double size = INFINITY;
        for (int j = 1; j < 3; j++)
            if (diagonal(c, 3 * i + j) > 1e-14 * diagonal(c, 3 * i)) {
                moves[count++] = j;
                size = fmin(size, 1.0 / sqrt(diagonal(c, 3 * i + j)));
            }
        const int sides = count == 2 ? SIDES : 2;
        for (int side = 0; count && side < sides; side++, m++) {
            const double angle = 2.0 * 3.14159265358979323846 * side / sides;
            pair[m] = i;
            push[3 * m + moves[0]] = size * cos(angle);
            if (count == 2) push[3 * m + 2] = size * sin(angle);
            for (int j = 0; j < 3; j++) against[3 * m + j] = push[3 * m + j];
        }
        limits += count > 0;
    }
    const int64_t size = m + limits, width = size + 2;
    double *T = take(&memory, size * width);
    for (int64_t r = 0; r < m; r++) {
        const double *a = against + 3 * r;
        for (int64_t j = 0; j < m; j++) {
            double s = 0.0;
            for (int t = 0; t < 3; t++) s += a[t] * dot(c->W + (3 * pair[r] + t) * n + 3 * pair[j], push + 3 * j, 3);
            T[r * width + j] = s;
        }
        T[r * width + size + 1] = dot(a, right + 3 * pair[r], 3) / scale;
        if (r < k && is_bare(c, r)) T[r * width + r] = T[r * width + size + 1] = 1.0; /* there is no such push */
    }
    for (int64_t j = k, r = m - 1; j < m; j++) {
        if (j == k || pair[j] != pair[j - 1]) {
            const int64_t i = pair[j];
            const double length = hypot(push[3 * j + 1], push[3 * j + 2]);
            r++;
            T[r * width + i] = c->mu[i] * push[3 * i] / length;
            T[r * width + size + 1] = c->mu[i] * c->given[i] / length / scale;
        }
        T[j * width + r] = 1.0, T[r * width + j] = -1.0;
    }
    if (!complementary(T, size, z, memory)) return 0;
    for (int64_t i = 0; i < n; i++) p[i] = 0.0;
    for (int64_t j = 0; j < m; j++)
        for (int t = 0; t < 3; t++) p[3 * pair[j] + t] += scale * z[j] * push[3 * j + t];
    for (int64_t i = 0; i < k; i++)
        for (int j = 0; j < 2 && is_sliding(c, i); j++) p[3 * i + 1 + j] -= c->mu[i] * c->given[i] * c->slip[2 * i + j];
    return 1;
}

/* Force of a pair with friction against the direction d that stops the normal motion, and what it moves like; its
 * normal part is NaN where there is none. */
FUNCTION void slip_state(const double *W, const double *b, double mu, double given, const double *d, double *p,
                         double *u) {
    const double push = W[1] * d[0] + W[2] * d[1], pivot = W[0] - mu * push;
    p[0] = pivot > 0.0 ? fmax(0.0, -(b[0] - mu * given * push) / pivot) : NAN;
    for (int j = 0; j < 2; j++) p[1 + j] = -mu * (p[0] + given) * d[j];
    for (int j = 0; j < 2; j++) u[j] = b[1 + j] + p[0] * W[3 * (1 + j)] + p[1] * W[3 * (1 + j) + 1] + p[2] * W[3 * (1 + j) + 2];
}

/* Force of a pair that slips: of all directions the one in which it then moves. 0 if there is none. */
FUNCTION int slipping(const double *W, const double *b, double mu, double given, int spatial, double *force) {
    double p[3], u[2], d[2], fastest = -INFINITY, last_across = NAN, last_along = NAN, last_angle = 0.0;
    int found = 0;
    if (!spatial) {
        const double least = -1e-14 * largest_of(b, 3);
        for (int side = 1; side >= -1; side -= 2) {
            d[0] = W[4] >= W[8] ? side : 0.0, d[1] = W[4] >= W[8] ? 0.0 : side;
            slip_state(W, b, mu, given, d, p, u);
            const double speed = u[0] * d[0] + u[1] * d[1];
            if (isfinite(p[0]) && speed >= least && speed > fastest) {
                fastest = speed, found = 1;
                for (int j = 0; j < 3; j++) force[j] = p[j];
            }
        }
        return found;
    }
    const double pi = 3.14159265358979323846;
    for (int a = 0; a < DIRECTIONS; a++) {
        const double angle = a == DIRECTIONS - 1 ? pi : -pi + a * (2.0 * pi / (DIRECTIONS - 1));
        d[0] = cos(angle), d[1] = sin(angle);
        slip_state(W, b, mu, given, d, p, u);
        const double across = u[0] * d[1] - u[1] * d[0], along = u[0] * d[0] + u[1] * d[1];
        if (a && isfinite(across) && isfinite(last_across) && !(across * last_across > 0.0) &&
            (along > 0.0 || last_along > 0.0)) {
            double low = last_angle, high = angle;
            for (int halving = 0; halving < 60; halving++) {
                const double middle = 0.5 * (low + high);
                d[0] = cos(middle), d[1] = sin(middle);
                slip_state(W, b, mu, given, d, p, u);
                if ((u[0] * d[1] - u[1] * d[0]) * last_across > 0.0) low = middle;
                else high = middle;
            }
            const double speed = u[0] * d[0] + u[1] * d[1];
            if (speed > 0.0 && speed > fastest) {
                fastest = speed, found = 1;
                for (int j = 0; j < 3; j++) force[j] = p[j];
            }
        }
        last_across = across, last_along = along, last_angle = angle;
    }
    return found;
}

/* Force of a block with a given limit along one direction, all others known, and what it does. */
FUNCTION int64_t one_limit(const double *W, const double *b, double limit, const double *slip, double *force) {
    const int way = W[4] >= W[8] ? 1 : 2;
    force[0] = force[1] = force[2] = 0.0;
    if (isfinite(slip[0])) {
        for (int j = 0; j < 2; j++) force[1 + j] = -limit * slip[j];
        return SLIP;
    }
    if (!(W[4 * way] > 0.0)) return STICK;
    const double stuck = -b[way] / W[4 * way];
    force[way] = fmin(fmax(stuck, -limit), limit);
    return fabs(stuck) <= limit ? STICK : SLIP;
}

/* Force of one pair, all others known, and what it does; -1: none fulfils the laws. */
FUNCTION int64_t one_pair(const double *W, const double *b, double mu, const double *slip, double given, double *force,
                          struct memory memory) {
    force[0] = force[1] = force[2] = 0.0;
    if (W[0] <= 0.0) return OPEN;
    if (mu == 0.0) {
        if (b[0] >= 0.0) return OPEN;
        force[0] = -b[0] / W[0];
        return STICK;
    }
    if (isfinite(slip[0])) {
        const double push = W[1] * slip[0] + W[2] * slip[1], pivot = W[0] - mu * push, bn = b[0] - mu * given * push;
        if (pivot <= 0.0 && bn < 0.0) return -1;
        force[0] = pivot > 0.0 ? fmax(0.0, -bn / pivot) : 0.0;
        for (int j = 0; j < 2; j++) force[1 + j] = -mu * (force[0] + given) * slip[j];
        return force[0] > 0.0 ? SLIP : OPEN;
    }
    if (b[0] >= 0.0 && given == 0.0) return OPEN;
    int rows[3] = {0, 0, 0}, count = 1;
    double A[9], right[3], stuck[3];
    for (int j = 1; j < 3; j++)
        if (W[4 * j] > 1e-14 * W[0]) rows[count++] = j;
    for (int i = 0; i < count; i++) {
        right[i] = -b[rows[i]];
        for (int j = 0; j < count; j++) A[i * count + j] = W[3 * rows[i] + rows[j]];
    }
    lstsq(A, count, count, right, stuck, 1e-15, count, memory);
    for (int i = 0; i < count; i++) force[rows[i]] = stuck[i];
    if (force[0] >= 0.0 && hypot(force[1], force[2]) <= mu * (force[0] + given)) return STICK;
    if (!slipping(W, b, mu, given, count == 3, force)) return -1;
    return force[0] + given > 0.0 ? SLIP : OPEN;
}

/* One round over all pairs, each solved with the forces of the others as they are; returns the pair that has none. */
FUNCTION int64_t sweep_over(const struct cones *c, double *p, int64_t *modes, double *change, struct memory memory) {
    const int64_t n = 3 * c->k;
    *change = 0.0;
    for (int64_t i = 0; i < c->k; i++) {
        double W[9], b[3], force[3];
        for (int r = 0; r < 3; r++) {
            const double *row = c->W + (3 * i + r) * n;
            for (int j = 0; j < 3; j++) W[3 * r + j] = row[3 * i + j];
            b[r] = dot(row, p, n) + c->b[3 * i + r] - dot(W + 3 * r, p + 3 * i, 3);
        }
        if (is_bare(c, i)) modes[i] = one_limit(W, b, c->mu[i] * c->given[i], c->slip + 2 * i, force);
        else modes[i] = one_pair(W, b, c->mu[i], c->slip + 2 * i, c->given[i], force, memory);
        if (modes[i] < 0) return i;
        for (int j = 0; j < 3; j++) {
            *change = fmax(*change, fabs(force[j] - p[3 * i + j]));
            p[3 * i + j] = force[j];
        }
    }
    return SOLVED;
}
