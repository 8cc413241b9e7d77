/* How contacts turn and move on while their bodies keep their velocities.
 *
 * The rows of a contact are those of the middle of a step. Velocities that obey its law there do not do so at the end of the step: the
 * normal n has turned, and another point touches (stepping/step.h). Where the outward normals of the two shapes are -n and n, and H
 * are the matrices of the radii of curvature of their sides (0 for a corner), the points x that touch move by
 *     x_1' = V_1 - H_1 (n' - w_1 x n),   x_2' = V_2 + H_2 (n' - w_2 x n),
 * with the velocities V of the bodies there and their angular velocities w. As x_1 - x_2 = g n with the gap g, across n
 *     (H_1 + H_2 + g) n' = V_1 - V_2 + H_1 (w_1 x n) + H_2 (w_2 x n).
 * The normal of a face turns with its body, that of two lines with both, and that of one line so that it stays across it. See D. J.
 * Montana, "The kinematics of contact and grasp", International Journal of Robotics Research 7 (1988) 17-32. */
#define SHARP 1e-3 /* radius of curvature, by the size, below which a normal may turn any way */
#define FAR_ON 0.2 /* way of a point on its body in a step, by the size, beyond which its rate does not tell where it ends */

/* The part of half the length of a segment at which a point lies beside it, and its axis; 0 for other bodies. */
static double beside(const struct scene *S, int64_t body, const double *x, double *axis) {
    double r[3];
    axis_of(S->pose + 12 * body + 3, 2, axis);
    if (!S->longer || !(S->half[body] > 0.0)) return 0.0;
    minus3(x, S->pose + 12 * body, r);
    return fmin(fmax(dot3(r, axis) / S->half[body], -1.0), 1.0);
}

/* Velocity of a point of a body. */
static void velocity_at(const struct scene *S, int64_t body, const double *x, double *v) {
    double r[3], z[3];
    v[0] = v[1] = v[2] = 0.0;
    if (body < 0) return;
    const double *twist = S->twist + 6 * body, along = beside(S, body, x, z), longer = along != 0.0 ? along * S->longer[body] : 0.0;
    minus3(x, S->pose + 12 * body, r);
    cross3(twist + 3, r, v);
    for (int k = 0; k < 3; k++) v[k] += twist[k] + longer * z[k];
}

/* y = H d, of d across the normal n: of a ball its radius, of a shape that is round about an axis the radius about that, by the part
 * of the normal across it. */
static void curve(const struct shape *s, const double *n, const double *x, const double *d, double *y) {
    for (int k = 0; k < 3; k++) y[k] = radius_of(s) * d[k];
    if (s->kind != CYLINDER && s->kind != CONE) return;
    double axis[3], arm[3], way[3];
    axis_of(s->R, 2, axis);
    cross3(axis, n, way);
    const double across = length3(way);
    if (!(across > UPRIGHT)) return;
    minus3(x, s->p, arm);
    const double along = dot3(arm, axis), r = sqrt(fmax(0.0, dot3(arm, arm) - along * along)), part = r / (across * across * across);
    for (int k = 0; k < 3; k++) y[k] += part * dot3(way, d) * way[k];
}

/* Unit vector along d across n; 0: there is none. */
static int across_normal(const double *d, const double *n, double *e) {
    const double off = dot3(d, n);
    for (int k = 0; k < 3; k++) e[k] = d[k] - off * n[k];
    const double size = length3(e);
    if (!(size > ALIGNED * length3(d))) return 0;
    for (int k = 0; k < 3; k++) e[k] /= size;
    return 1;
}

/* The two sides of a contact: their bodies move the point by `moved`, and turn the normal by `turned`. */
struct sides {
    const struct shape *shape[2];
    double x[2][3], moved[2][3], turned[2][3], line[2][3]; /* lines: unit vectors across the normal */
};

/* (H_1 + H_2 + g) d */
static void stiffness_of(const struct sides *B, const struct contact *c, const double *d, double *y) {
    double of[3];
    for (int k = 0; k < 3; k++) y[k] = c->gap * d[k];
    for (int side = 0; side < 2; side++) {
        curve(B->shape[side], c->normal, B->x[side], d, of);
        for (int k = 0; k < 3; k++) y[k] += of[k];
    }
}

/* The rate of the normal, where no face touches. */
static int turn_of_curves(const struct sides *B, const struct contact *c, double least, double *rate) {
    const double *n = c->normal;
    const int lines = (c->part[0] == AT_LINE) + (c->part[1] == AT_LINE);
    double e[2][3], m[2][3], b[3], of[3];
    if (lines == 2) { /* both stay across the normal */
        double both[3];
        cross3(B->line[0], B->line[1], both);
        const double sine = dot3(both, n);
        if (fabs(sine) > PARALLEL) {
            const double one = dot3(B->line[0], B->turned[0]), two = dot3(B->line[1], B->turned[1]);
            double u[3], v[3];
            cross3(B->line[1], n, u), cross3(n, B->line[0], v);
            for (int k = 0; k < 3; k++) rate[k] = (one * u[k] + two * v[k]) / sine;
            return 1;
        }
    }
    for (int k = 0; k < 3; k++) b[k] = B->moved[0][k] - B->moved[1][k];
    for (int side = 0; side < 2; side++) {
        curve(B->shape[side], n, B->x[side], B->turned[side], of);
        for (int k = 0; k < 3; k++) b[k] += of[k];
    }
    if (lines) memcpy(e[0], B->line[c->part[0] != AT_LINE], sizeof e[0]);
    else {
        const double axis[3] = {fabs(n[0]) < 0.6, fabs(n[0]) >= 0.6, 0.0};
        across_normal(axis, n, e[0]);
    }
    cross3(n, e[0], e[1]);
    stiffness_of(B, c, e[0], m[0]), stiffness_of(B, c, e[1], m[1]);
    const double m00 = dot3(e[0], m[0]), m01 = dot3(e[0], m[1]), m11 = dot3(e[1], m[1]), b0 = dot3(e[0], b), b1 = dot3(e[1], b);
    double y0, y1;
    if (lines) {
        y0 = 0.0;
        for (int side = 0; side < 2; side++)
            if (c->part[side] == AT_LINE) y0 += dot3(e[0], B->turned[side]) / lines;
        if (!(m11 > least)) return 0;
        y1 = (b1 - m01 * y0) / m11;
    } else {
        const double det = m00 * m11 - m01 * m01;
        if (!(m00 > least && m11 > least && det > least * least)) return 0;
        y0 = (m11 * b0 - m01 * b1) / det, y1 = (m00 * b1 - m01 * b0) / det;
    }
    for (int k = 0; k < 3; k++) rate[k] = y0 * e[0][k] + y1 * e[1][k];
    return 1;
}

static int is_ground(const struct shape *s) { return s->kind == HALF_SPACE || s->kind == FIELD; }

/* Rates of the normal of a contact of shapes on two bodies, and of its point; h is the length of the step. 0: it has none. */
static int turn_rates(const struct scene *S, const struct shape *a, const struct shape *b, const int64_t *body, const struct contact *c,
                      double h, double *normal_rate, double *point_rate) {
    const double *n = c->normal;
    const double size = fmin(is_ground(a) ? INFINITY : extent_of(a), is_ground(b) ? INFINITY : extent_of(b));
    struct sides B = {{a, b}, {{0}}, {{0}}, {{0}}, {{0}}};
    double u[2][3], off[3], of[3];
    int faces = 0;
    for (int side = 0; side < 2; side++) {
        const double half = (side ? -0.5 : 0.5) * c->gap;
        for (int k = 0; k < 3; k++) B.x[side][k] = c->point[k] + half * n[k];
        velocity_at(S, body[side], B.x[side], B.moved[side]);
        if (body[side] >= 0) cross3(S->twist + 6 * body[side] + 3, n, B.turned[side]);
        if (c->part[side] == AT_LINE && !across_normal(c->line[side], n, B.line[side])) return 0;
        faces += c->part[side] == AT_FACE;
    }
    for (int k = 0; k < 3; k++) normal_rate[k] = 0.0;
    for (int side = 0; side < 2 && faces; side++)
        for (int k = 0; k < 3 && c->part[side] == AT_FACE; k++) normal_rate[k] += B.turned[side][k] / faces;
    if (!faces && !turn_of_curves(&B, c, SHARP * size, normal_rate)) return 0;
    for (int side = 0; side < 2; side++) {
        minus3(normal_rate, B.turned[side], off);
        curve(B.shape[side], n, B.x[side], off, of);
        const double middle = (side ? 0.5 : -0.5) * c->gap; /* the point of the contact is between both sides */
        for (int k = 0; k < 3; k++) u[side][k] = B.moved[side][k] + (side ? of[k] : -of[k]) + middle * normal_rate[k];
    }
    const int round_[2] = {c->part[0] == AT_POINT, c->part[1] == AT_POINT}, crossing = c->part[0] == AT_LINE && c->part[1] == AT_LINE;
    if (crossing) { /* where they cross: u_1 + s e_1 = u_2 + t e_2 across the normal */
        double side_way[3];
        cross3(n, B.line[1], side_way);
        const double sine = dot3(B.line[0], side_way);
        minus3(u[1], u[0], off);
        const double s = fabs(sine) > PARALLEL ? dot3(off, side_way) / sine : 0.0;
        for (int k = 0; k < 3; k++) point_rate[k] = u[0][k] + s * B.line[0][k];
    } else if (round_[0] == round_[1]) {
        for (int k = 0; k < 3; k++) point_rate[k] = 0.5 * (u[0][k] + u[1][k]);
    } else memcpy(point_rate, u[round_[1]], sizeof u[0]);
    for (int side = 0; side < 2; side++) {
        const struct shape *s = B.shape[side];
        const double wide = s->kind == BOX ? extent_of(s) : s->size[0]; /* the radius of round shapes */
        minus3(point_rate, B.moved[side], off);
        if (c->part[side] != AT_FACE && !(h * length3(off) < FAR_ON * wide)) return 0;
    }
    return 1;
}

/* Rates of the velocities of a contact along its axes, times `part`, into `to`. */
static void turn_rows(const struct scene *S, int64_t k, const double (*ways)[3], double part, double *to) {
    const double *n = S->normal + 3 * k, *x = S->where + 3 * k, *n_rate = S->normal_rate + 3 * k, *x_rate = S->point_rate + 3 * k;
    const int64_t body[2] = {S->body[S->pair[k] / S->n_shapes], S->body[S->pair[k] % S->n_shapes]};
    double spin[3], v[3] = {0, 0, 0}, w[3] = {0, 0, 0}, dv[3] = {0, 0, 0}, dw[3] = {0, 0, 0}, way[3], r[3], y[3];
    for (int64_t i = 0; i < S->rows; i++) to[i] = 0.0;
    if (!S->turns[k]) return;
    cross3(n, n_rate, spin);
    for (int side = 0; side < 2; side++) {
        if (body[side] < 0) continue;
        const double sign = side ? -1.0 : 1.0, *twist = S->twist + 6 * body[side], *bias = S->drift + 6 * body[side];
        velocity_at(S, body[side], x, y);
        for (int i = 0; i < 3; i++) v[i] += sign * y[i], w[i] += sign * twist[3 + i], dv[i] += sign * bias[i], dw[i] += sign * bias[3 + i];
        minus3(x, S->pose + 12 * body[side], r), cross3(bias + 3, r, y);
        for (int i = 0; i < 3; i++) dv[i] += sign * y[i];
        minus3(x_rate, twist, r), cross3(twist + 3, r, y);
        for (int i = 0; i < 3; i++) dv[i] += sign * y[i];
        const double along = beside(S, body[side], x, r);
        if (along == 0.0) continue;
        cross3(twist + 3, r, y);
        for (int i = 0; i < 3; i++) dv[i] += sign * along * (S->growth[body[side]] * r[i] + S->longer[body[side]] * y[i]);
    }
    for (int64_t i = 0; i < S->rows; i++) {
        cross3(spin, ways[i], way);
        to[i] = part * (i < 3 ? dot3(way, v) + dot3(ways[i], dv) : dot3(way, w) + dot3(ways[i], dw));
    }
}
