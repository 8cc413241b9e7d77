/* Free rigid bodies with shapes, as kernels of a step (stepping/moreau.c): each contact is a block with the rows of its two bodies. */
static void rotation_of(const double *q, double *R) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    R[0] = 1 - 2 * (y * y + z * z), R[1] = 2 * (x * y - w * z), R[2] = 2 * (x * z + w * y);
    R[3] = 2 * (x * y + w * z), R[4] = 1 - 2 * (x * x + z * z), R[5] = 2 * (y * z - w * x);
    R[6] = 2 * (x * z - w * y), R[7] = 2 * (y * z + w * x), R[8] = 1 - 2 * (x * x + y * y);
}

/* Row of a block: along d at a point, of a body at which it pushes with the sign; velocities are added to u. */
static void row_at(const struct scene *S, const double *x, const double *R, int64_t body, const double *point, const double *d,
                   double sign, double *y, double *u) {
    const double *v = x + 7 * S->n_bodies + 6 * body, *p = x + 7 * body;
    const double r[3] = {point[0] - p[0], point[1] - p[1], point[2] - p[2]};
    double moment[3];
    cross3(r, d, moment);
    for (int k = 0; k < 3; k++) {
        const double turn = R[k] * moment[0] + R[3 + k] * moment[1] + R[6 + k] * moment[2];
        y[k] = sign * d[k] * S->steps->d[6 * body + k], y[3 + k] = sign * turn * S->steps->d[6 * body + 3 + k];
        *u += sign * (d[k] * v[k] + turn * v[3 + k]);
    }
}

/* The same for the angular velocity about d. */
static void turn_at(const struct scene *S, const double *x, const double *R, int64_t body, const double *d, double sign, double *y,
                    double *u) {
    const double *v = x + 7 * S->n_bodies + 6 * body;
    for (int k = 0; k < 3; k++) {
        const double turn = R[k] * d[0] + R[3 + k] * d[1] + R[6 + k] * d[2];
        y[k] = 0.0, y[3 + k] = sign * turn * S->steps->d[6 * body + 3 + k];
        *u += sign * turn * v[3 + k];
    }
}

/* Rows of a contact. */
static void fill_block(struct scene *S, const double *x, int64_t a, double *Y, double *u) {
    const int64_t pair = S->pair[a], one = S->body[pair / S->n_shapes], two = S->body[pair % S->n_shapes];
    const double *point = S->where + 3 * a;
    double ways[6][3], R[9];
    contact_axes(S, a, ways);
    for (int64_t w = 0; w < S->rows; w++) u[w] = 0.0;
    const int64_t first = one < 0 ? two : two < 0 || one < two ? one : two, last = one < 0 || two < 0 ? -1 : one + two - first;
    const int64_t count = S->count[a] = last < 0 ? 6 : 12;
    for (int side = 0; side < (last < 0 ? 1 : 2); side++) {
        const int64_t body = side ? last : first;
        rotation_of(x + 7 * body + 3, R);
        for (int64_t k = 0; k < 6; k++) S->support[12 * a + 6 * side + k] = 6 * body + k;
        for (int w = 0; w < S->rows; w++) {
            double *y = Y + w * count + 6 * side, sign = body == one ? 1.0 : -1.0;
            if (w < 3) row_at(S, x, R, body, point, ways[w], sign, y, u + w);
            else turn_at(S, x, R, body, ways[w], sign, y, u + w);
        }
    }
    turn_rows(S, a, ways, (1.0 - S->steps->theta) * S->h, S->steps->bent + S->rows * a);
    contact_belts(S, a, ways, u, S->steps->driven + S->rows * a);
}

static void bias_of(const struct scene *S, const double *x, double *b) {
    const double *v = x + 7 * S->n_bodies;
    for (int64_t i = 0; i < S->n_bodies; i++) {
        const double *w = v + 6 * i + 3, *I = S->inertia + 3 * i, momentum[3] = {I[0] * w[0], I[1] * w[1], I[2] * w[2]};
        for (int k = 0; k < 3; k++) b[6 * i + k] = -S->mass[i] * S->gravity[k];
        cross3(w, momentum, b + 6 * i + 3);
    }
}

/* (t, x, c, p, h) -> the terms of a step (step.h), of which those of contacts are written to the memory of the steps. */
int scene_terms(const double *const *in, double *const *out, double *work) {
    struct scene *S = (struct scene *)(void *)work;
    const double *x = in[1], h = in[4][0];
    double *d = out[1], *s0 = out[2], *b = out[6], *Y = S->steps->Y, *u0 = S->steps->u0;
    bias_of(S, x, b);
    for (int64_t i = 0; i < 6 * S->n_bodies; i++) {
        d[i] = 1.0 / sqrt(i % 6 < 3 ? S->mass[i / 6] : S->inertia[3 * (i / 6) + i % 6 - 3]);
        s0[i] = -h * b[i] * d[i];
    }
    fill_numbers(S);
    for (int64_t a = 0; a < S->n_contacts; a++) fill_block(S, x, a, Y + 12 * S->rows * a, u0 + S->rows * a);
    return 0;
}

/* (t, x, c, p) -> bias */
int scene_bias(const double *const *in, double *const *out, double *work) {
    bias_of((struct scene *)(void *)work, in[1], out[0]);
    return 0;
}

/* (x, d, p) -> q moved by d, v as it is in the axes there */
int scene_move(const double *const *in, double *const *out, double *work) {
    const struct scene *S = (struct scene *)(void *)work;
    const double *x = in[0], *v = x + 7 * S->n_bodies, *d = in[1];
    double *to = out[0], *w = out[1];
    for (int64_t i = 0; i < S->n_bodies; i++) {
        const double *q = x + 7 * i + 3, *turn = d + 6 * i + 3, angle = length3(turn);
        const double half = 0.5 * angle, part = angle > 1e-12 ? sin(half) / angle : 0.5, c = cos(half);
        const double r[4] = {c, part * turn[0], part * turn[1], part * turn[2]};
        double *out_q = to + 7 * i + 3, spin[3], now[4], R[9];
        now[0] = q[0] * r[0] - q[1] * r[1] - q[2] * r[2] - q[3] * r[3];
        now[1] = q[0] * r[1] + q[1] * r[0] + q[2] * r[3] - q[3] * r[2];
        now[2] = q[0] * r[2] - q[1] * r[3] + q[2] * r[0] + q[3] * r[1];
        now[3] = q[0] * r[3] + q[1] * r[2] - q[2] * r[1] + q[3] * r[0];
        const double size = 1.0 / sqrt(now[0] * now[0] + now[1] * now[1] + now[2] * now[2] + now[3] * now[3]);
        rotation_of(r, R);
        for (int k = 0; k < 3; k++) spin[k] = R[k] * v[6 * i + 3] + R[3 + k] * v[6 * i + 4] + R[6 + k] * v[6 * i + 5];
        for (int k = 0; k < 3; k++) {
            to[7 * i + k] = x[7 * i + k] + d[6 * i + k];
            w[6 * i + k] = v[6 * i + k], w[6 * i + 3 + k] = spin[k];
        }
        for (int k = 0; k < 4; k++) out_q[k] = size * now[k];
    }
    return 0;
}

/* No internal states, no work of inputs or losses. */
int scene_finish(const double *const *in, double *const *out, double *work) {
    (void)in, (void)work;
    out[1][0] = out[1][1] = 0.0;
    return 0;
}

/* (t, x, d, p) -> potential energy of a displacement */
int scene_lift(const double *const *in, double *const *out, double *work) {
    const struct scene *S = (struct scene *)(void *)work;
    out[0][0] = 0.0;
    for (int64_t i = 0; i < S->n_bodies; i++) out[0][0] -= S->mass[i] * dot3(S->gravity, in[2] + 6 * i);
    return 0;
}

/* Poses of the bodies and how fast they move, from x. */
static void place_bodies(struct scene *S, const double *x) {
    for (int64_t i = 0; i < S->n_bodies; i++) {
        const double *v = x + 7 * S->n_bodies + 6 * i;
        memcpy(S->pose + 12 * i, x + 7 * i, 3 * sizeof(double));
        rotation_of(x + 7 * i + 3, S->pose + 12 * i + 3);
        S->pace[2 * i] = length3(v), S->pace[2 * i + 1] = length3(v + 3);
        for (int k = 0; k < 3; k++) S->twist[6 * i + k] = v[k], S->twist[6 * i + 3 + k] = dot3(S->pose + 12 * i + 3 + 3 * k, v + 3);
    }
}

/* Contacts of the middle of a step that begins in x. */
static int scene_detect(struct scene *S, double h, const double *x) {
    const int64_t nv = 6 * S->n_bodies, nq = 7 * S->n_bodies;
    for (int64_t i = 0; i < nv; i++) S->displacement[i] = 0.5 * h * x[nq + i];
    const double *in[] = {x, S->displacement, 0};
    double *out[] = {S->x_middle, S->x_middle + nq};
    scene_move(in, out, (double *)(void *)S);
    place_bodies(S, S->x_middle);
    return detect(S, h);
}

/* Some steps of x, into x; 1 + number of the step that failed, else 0. */
int64_t scene_advance(int (*step)(void *, double, double, const double *, const double *, const double *, double *),
                      struct scene *S, double t, double h, int64_t steps, double *x, double *next) {
    for (int64_t k = 0; k < steps; k++) {
        if (scene_detect(S, h, x) || step(S->steps, t + (double)k * h, h, x, 0, 0, next)) return 1 + k;
        memcpy(x, next, (size_t)S->steps->n * sizeof(double));
        for (int64_t i = 0; i < 13 * S->n_bodies; i++)
            if (!isfinite(x[i])) return 1 + k;
    }
    return 0;
}

/* Number of the contacts that are nearer than `reach` (-1: too many), where free bodies are in x, or (x = 0) where poses are;
 * they are no part of a run. */
int64_t scene_touching(struct scene *S, const double *x, double reach) {
    if (x) place_bodies(S, x);
    for (int64_t i = 0; i < 2 * S->n_bodies; i++) S->pace[i] = 0.0;
    find_contacts(S, reach, 0.0, 0);
    const int64_t found = S->n_contacts;
    return S->full ? -1 : found;
}
