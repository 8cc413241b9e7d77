/* Contacts of two shapes: up to MOST_POINTS points with a gap each, and one normal.
 *
 * Round shapes have closed forms. All others have the normal of GJK or EPA (convex.c), between cores that are a little
 * smaller: these are apart where the shapes touch, so that the normal is well determined there. If it belongs to a face of one
 * shape, the face of the other that looks at it is clipped to its sides (I. E. Sutherland, G. W. Hodgman, 1974), and the corners
 * that are left are points; parallel lines have two; else edges or corners meet in one. */
#define MOST_POINTS 8
#define SHRUNK 0.98    /* scale of cores */
#define NEAR_BY 0.01   /* gap, by the size of the shapes, from which on the distance is that of the shapes themselves */
#define PLAINLY 1e-6   /* depth, by the size, above which EPA searches for the least depth */
#define PREFERRED 1e-3 /* part of the size by which it must be less */
#define ALIGNED 1e-6   /* 1 - cosine of a normal and the face that it belongs to */
#define ON_SIDE 1e-3   /* normals and points of sides, by the size, up to the errors of a distance */
#define PARALLEL 1e-3  /* sine of lines that lie on each other */
#define OUTSIDE 1e-3   /* part of a size by which corners may be beyond the side of a face */
#define PARALLEL_EDGES 1e-6 /* sine of edges whose product is a normal of both */
#define MERGED 1e-2    /* part of a size within which two points are one */
#define ALIKE 1e-3     /* part of that by which their gaps may differ to count as equal */

/* Add the point in the middle between x and x - gap n. */
static int add_point(struct contact *c, int count, const double *x, double gap, const double *n) {
    for (int k = 0; k < 3; k++) c[count].point[k] = x[k] - 0.5 * gap * n[k], c[count].normal[k] = n[k];
    c[count].gap = gap, c[count].part[0] = c[count].part[1] = AT_POINT;
    return count + 1;
}

/* Say which parts of both shapes touch; a line has a direction. */
static int touch_with(struct contact *c, int count, int one, const double *line_one, int two, const double *line_two) {
    for (int i = 0; i < count; i++) {
        c[i].part[0] = one, c[i].part[1] = two;
        if (one == AT_LINE) copy3(line_one, c[i].line[0]);
        if (two == AT_LINE) copy3(line_two, c[i].line[1]);
    }
    return count;
}

static double extent_of(const struct shape *s) {
    if (s->kind == BOX) return fmin(s->size[0], fmin(s->size[1], s->size[2]));
    if (s->kind == CONE) return s->size[2];
    return s->kind == CYLINDER ? fmin(s->size[0], s->size[1]) : s->size[0]; /* of a hull: the sphere inside of it */
}

/* Add a point, unless one of those before it is near by: the nearer of both to touching stays, or their mean if they are equally
 * near, so that it does not matter in which order they come. */
static int add_apart(struct contact *c, int count, const double *x, double gap, const double *n, double within) {
    for (int i = 0; i < count; i++) {
        double d = 0.0;
        for (int k = 0; k < 3; k++) d += pow(x[k] - 0.5 * gap * n[k] - c[i].point[k], 2);
        if (!(d < within * within)) continue;
        const double part = fabs(gap - c[i].gap) < ALIKE * within ? 0.5 : gap < c[i].gap ? 1.0 : 0.0;
        for (int k = 0; k < 3; k++) c[i].point[k] += part * (x[k] - 0.5 * gap * n[k] - c[i].point[k]);
        c[i].gap += part * (gap - c[i].gap);
        return count;
    }
    return add_point(c, count, x, gap, n);
}

/* Clip a polygon of n points to where a x <= most. Points that are outside by less than `within` stay: edges that coincide
 * would cut each other anywhere. */
static int clip(double (*polygon)[3], int n, const double *a, double most, double within) {
    double kept[2 * MOST_CORNERS][3];
    int m = 0;
    for (int i = 0; i < n && m < 2 * MOST_CORNERS - 2; i++) {
        const double *one = polygon[i], *two = polygon[(i + 1) % n], f = dot3(a, one) - most, g = dot3(a, two) - most;
        if (f <= within) memcpy(kept[m++], one, 3 * sizeof(double));
        if (n == 2 && i == 1) break; /* a segment has one edge */
        if ((f < -within && g > within) || (f > within && g < -within)) {
            const double part = f / (f - g);
            for (int k = 0; k < 3; k++) kept[m][k] = one[k] + part * (two[k] - one[k]);
            m++;
        }
    }
    memcpy(polygon, kept, (size_t)m * sizeof kept[0]);
    return m;
}

/* Points of a polygon or segment above a face with its outward normal; n is the normal of the contacts. If there are too many,
 * some of them, evenly. */
static int points_above(double (*polygon)[3], int m, const double *origin, const double *normal, const double *n, double reach,
                        double within, struct contact *c) {
    double most = 0.0;
    int kept = 0, count = 0;
    for (int i = 0; i < m; i++) {
        double d[3];
        minus3(polygon[i], origin, d);
        if (dot3(normal, d) <= reach) copy3(polygon[i], polygon[kept++]);
        most = fmax(most, fabs(dot3(normal, d)));
    }
    const double sign = dot3(normal, n) > 0.0 ? 1.0 : -1.0;
    for (int i = 0; i < kept && count < MOST_POINTS; i++) {
        const double *x = polygon[kept > MOST_POINTS ? i * kept / MOST_POINTS : i];
        double d[3], on[3];
        minus3(x, origin, d);
        const double gap = dot3(normal, d);
        for (int k = 0; k < 3; k++) on[k] = sign > 0.0 ? x[k] : x[k] - gap * normal[k]; /* the side of the first shape */
        count = add_apart(c, count, on, gap, n, within);
    }
    return count;
}

/* Clip the face opposite a face to its sides. */
static int clip_to(double (*face)[3], int n_face, const double *normal, double (*polygon)[3], int m, double within) {
    for (int i = 0; i < n_face && m; i++) {
        double edge[3], side[3];
        minus3(face[(i + 1) % n_face], face[i], edge);
        cross3(edge, normal, side);
        const double size = length3(side);
        for (int k = 0; k < 3; k++) side[k] /= size;
        m = clip(polygon, m, side, dot3(side, face[i]), within);
    }
    return m;
}

/* Distance of the shapes along n, which is not more than their distance. */
static double apart_along(const struct shape *a, const struct shape *b, const double *n) {
    const double back[3] = {-n[0], -n[1], -n[2]};
    double x[3], y[3], d[3];
    support(a, back, x), support(b, n, y);
    minus3(x, y, d);
    return dot3(d, n);
}

/* Vertices of one of the shapes in a simplex, scaled back. */
static int features(const struct simplex *S, const struct shape *s, int first, double scale, double (*x)[3]) {
    int count = 0;
    for (int i = 0; i < S->n; i++) {
        const double *from = first ? S->at[i].x : S->at[i].y;
        double y[3];
        int known = 0;
        for (int k = 0; k < 3; k++) y[k] = s->p[k] + (from[k] - s->p[k]) / scale_of(s, scale);
        for (int j = 0; j < count; j++) known |= same3(x[j], y);
        if (!known) memcpy(x[count++], y, sizeof y);
    }
    return count;
}

/* Nearest points of two lines through two points each; 0 if they are parallel. */
static int lines_meet(double (*one)[3], double (*two)[3], double *x, double *y) {
    double u[3], v[3], d[3];
    minus3(one[1], one[0], u), minus3(two[1], two[0], v), minus3(two[0], one[0], d);
    const double uu = dot3(u, u), vv = dot3(v, v), uv = dot3(u, v), det = uu * vv - uv * uv;
    if (!(det > 1e-12 * uu * vv)) return 0;
    const double s = (dot3(u, d) * vv - uv * dot3(v, d)) / det, t = (s * uv - dot3(v, d)) / vv;
    for (int k = 0; k < 3; k++) x[k] = one[0][k] + s * u[k], y[k] = two[0][k] + t * v[k];
    return 1;
}

/* The part of a face that touches along n, where n is not its normal: the edge across n at the corner farthest along it, or that
 * corner. Rims are round and stay as they are. */
static int edge_along(const struct shape *s, const double *n, double (*face)[3], int count) {
    double edge[3], ends[2][3];
    if (s->kind == CYLINDER || s->kind == CONE || count <= 2) return count;
    int at = 0;
    for (int i = 1; i < count; i++)
        if (dot3(n, face[i]) > dot3(n, face[at])) at = i;
    memcpy(ends[0], face[at], sizeof ends[0]);
    for (int side = 0; side < 2; side++) {
        memcpy(ends[1], face[(at + (side ? 1 : count - 1)) % count], sizeof ends[1]);
        minus3(ends[1], ends[0], edge);
        if (fabs(dot3(n, edge)) > PARALLEL * length3(edge)) continue;
        memcpy(face, ends, sizeof ends);
        return 2;
    }
    memcpy(face, ends, sizeof ends[0]);
    return 1;
}

/* Part of a shape that touches at the point `at` along its outward unit normal n; m vertices x of it are the nearest ones. Shapes that
 * are round about an axis touch with their sides where the normal is that of the side, and the point is between rim and rim or tip. */
static int part_along(const struct shape *s, const double *n, const double *at, double (*x)[3], int m, double *line) {
    double u[3], y[3], local[3] = {0.0, 0.0, 1.0};
    turned_into(s, n, u);
    if (s->kind == CYLINDER || s->kind == CONE) {
        const double across = sqrt(u[0] * u[0] + u[1] * u[1]), r = s->size[0], h = s->size[1];
        const double side = s->kind == CONE ? r / sqrt(r * r + 4.0 * h * h) : 0.0;
        if (!(across > UPRIGHT)) return s->kind == CYLINDER || u[2] < 0.0 ? AT_FACE : AT_POINT;
        into(s, at, y);
        if (fabs(u[2] - side) > ON_SIDE || fabs(y[2]) > (1.0 - ON_SIDE) * h) return AT_POINT;
        if (s->kind == CONE) local[0] = -r * u[0] / across, local[1] = -r * u[1] / across, local[2] = 2.0 * h;
        for (int k = 0; k < 3; k++) line[k] = dot3(s->R + 3 * k, local);
        return AT_LINE;
    }
    if (m == 2) minus3(x[1], x[0], line);
    return m == 2 ? AT_LINE : m > 2 ? AT_FACE : AT_POINT;
}

/* Points of contact for a normal and gap; the simplex of GJK tells which features meet (n = 0: none). */
static int manifold(const struct shape *a, const struct shape *b, const double *n, double gap, double reach,
                    const struct simplex *S, double scale, struct contact *c) {
    double face_a[2 * MOST_CORNERS][3], face_b[2 * MOST_CORNERS][3], out_a[3] = {0, 0, 0}, out_b[3] = {0, 0, 0}, x[3], y[3];
    const double back[3] = {-n[0], -n[1], -n[2]}, size = fmin(extent_of(a), extent_of(b));
    int count = 0;
    int n_a = facing(a, back, face_a, out_a), n_b = facing(b, n, face_b, out_b);
    const double along_a = n_a > 2 ? -dot3(out_a, n) : -1.0, along_b = n_b > 2 ? dot3(out_b, n) : -1.0;
    if (n_a > 1 && along_b >= 1.0 - ALIGNED && along_b >= along_a - 0.1 * ALIGNED) {
        const int m = clip_to(face_b, n_b, out_b, face_a, n_a, OUTSIDE * size);
        count = touch_with(c, points_above(face_a, m, face_b[0], out_b, n, reach, MERGED * size, c), AT_POINT, 0, AT_FACE, 0);
    } else if (n_b > 1 && along_a >= 1.0 - ALIGNED) {
        const int m = clip_to(face_a, n_a, out_a, face_b, n_b, OUTSIDE * size);
        count = touch_with(c, points_above(face_b, m, face_a[0], out_a, n, reach, MERGED * size, c), AT_FACE, 0, AT_POINT, 0);
    } else if ((n_a = edge_along(a, back, face_a, n_a)) == 2 && (n_b = edge_along(b, n, face_b, n_b)) == 2) {
        double u[3], v[3], w[3];
        minus3(face_a[1], face_a[0], u), minus3(face_b[1], face_b[0], v);
        cross3(u, v, w);
        const double l = length3(v); /* lines that lie on each other: the part that they share */
        if (length3(w) <= PARALLEL * length3(u) * l) {
            for (int k = 0; k < 3; k++) w[k] = v[k] / l;
            int m = clip(face_a, 2, w, dot3(w, face_b[1]), 0.0);
            for (int k = 0; k < 3; k++) w[k] = -w[k];
            m = m == 2 ? clip(face_a, 2, w, dot3(w, face_b[0]), 0.0) : 0;
            if (m == 2) count = touch_with(c, points_above(face_a, 2, face_b[0], n, n, reach, MERGED * size, c), AT_LINE, u, AT_LINE, v);
        }
    }
    if (!count) { /* corners and edges */
        double x_a[4][3], x_b[4][3], line[2][3];
        const int m_a = features(S, a, 1, scale, x_a), m_b = features(S, b, 0, scale, x_b);
        for (int k = 0; k < 3; k++) {
            x[k] = y[k] = 0.0;
            for (int i = 0; i < S->n; i++) x[k] += S->part[i] * S->at[i].x[k], y[k] += S->part[i] * S->at[i].y[k];
            x[k] = a->p[k] + (x[k] - a->p[k]) / scale_of(a, scale), y[k] = b->p[k] + (y[k] - b->p[k]) / scale_of(b, scale);
        }
        if (!S->n) support(a, back, x);
        else {
            if (m_a == 2 && m_b == 2) lines_meet(x_a, x_b, x, y);
            const double off_a = m_a == 1 ? 0.0 : m_b == 1 ? 1.0 : 0.5; /* corners are where they are, else the middle */
            for (int k = 0; k < 3; k++) {
                const double of_a = x[k] - radius_of(a) * n[k], of_b = y[k] + (radius_of(b) + gap) * n[k];
                x[k] = (1.0 - off_a) * of_a + off_a * of_b;
            }
        }
        add_point(c, 0, x, gap, n);
        const int one = S->n ? part_along(a, back, c->point, x_a, m_a, line[0]) : AT_POINT;
        const int two = S->n ? part_along(b, n, c->point, x_b, m_b, line[1]) : AT_FACE;
        return touch_with(c, 1, one, line[0], two, line[1]);
    }
    double least = INFINITY;
    for (int i = 0; i < count; i++) least = fmin(least, c[i].gap);
    const double missed = least - gap - 0.01 * fabs(gap);
    if (missed > 1e-6 * size && (count < MOST_POINTS || missed > PREFERRED * size)) { /* the nearest corner is on another face */
        int last = 0;
        for (int i = 1; i < count; i++)
            if (c[i].gap > c[last].gap) last = i;
        if (c->part[0] == AT_FACE) { /* points are those of the second shape: its nearest corner */
            support(b, n, y);
            for (int k = 0; k < 3; k++) x[k] = y[k] + gap * n[k];
        } else
            support(a, back, x);
        if (count < MOST_POINTS) last = count++;
        add_point(c, last, x, gap, c[last ? 0 : 1].normal);
        const struct contact *const other = c + (last ? 0 : 1);
        touch_with(c + last, 1, other->part[0], other->line[0], other->part[1], other->line[1]);
    }
    return count;
}

/* How far two boxes are apart along the axis that parts them most, of the normals of their faces and the products of their edges
 * (S. Gottschalk, M. C. Lin, D. Manocha, "OBBTree", SIGGRAPH 1996): not more than their distance; where they overlap, their least
 * depth, with a minus. */
static double boxes_apart(const struct shape *a, const struct shape *b) {
    double d[3], t[3], R[3][3], Q[3][3], most = -INFINITY;
    minus3(b->p, a->p, d);
    turned_into(a, d, t);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            R[i][j] = a->R[i] * b->R[j] + a->R[3 + i] * b->R[3 + j] + a->R[6 + i] * b->R[6 + j];
            Q[i][j] = fabs(R[i][j]);
        }
    for (int i = 0; i < 3; i++) {
        const double along = fabs(t[0] * R[0][i] + t[1] * R[1][i] + t[2] * R[2][i]);
        most = fmax(most, fabs(t[i]) - a->size[i] - dot3(Q[i], b->size));
        most = fmax(most, along - b->size[i] - a->size[0] * Q[0][i] - a->size[1] * Q[1][i] - a->size[2] * Q[2][i]);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const double sine = sqrt(R[i1][j] * R[i1][j] + R[i2][j] * R[i2][j]);
            if (!(sine > PARALLEL_EDGES)) continue; /* the same as a normal */
            const double wide = a->size[i1] * Q[i2][j] + a->size[i2] * Q[i1][j] + b->size[j1] * Q[i][j2] + b->size[j2] * Q[i][j1];
            most = fmax(most, (fabs(t[i2] * R[i1][j] - t[i1] * R[i2][j]) - wide) / sine);
        }
    return most;
}

static int convex_on_convex(const struct shape *a, const struct shape *b, double reach, struct contact *c) {
    const double round = radius_of(a) + radius_of(b), scale = round > 0.0 ? 1.0 : SHRUNK;
    const double size = fmin(extent_of(a), extent_of(b));
    const double apart = a->kind == BOX && b->kind == BOX ? boxes_apart(a, b) : -INFINITY;
    double n[3], x[3], y[3], gap;
    struct simplex S;
    if (apart > reach + PLAINLY * size) return 0;
    if (gjk(a, b, scale, n, x, y, &S) > 0.0) {
        gap = apart_along(a, b, n);
        if (gap > reach) return 0;
        if (scale < 1.0 && gap > NEAR_BY * size) {
            double m[3];
            struct simplex T;
            const double exact = gjk(a, b, 1.0, m, x, y, &T);
            if (exact > 0.0) gap = exact, S = T, memcpy(n, m, sizeof m);
            if (gap > reach) return 0;
            return manifold(a, b, n, gap, reach, &S, 1.0, c);
        }
        /* the least depth is along another normal, if that is clearly less; of boxes it is known whether it is */
        if (gap + round < -PLAINLY * size && !(apart > -INFINITY && apart <= gap + PREFERRED * size)) {
            double m[3];
            struct simplex T;
            const double depth = -epa(a, b, m, &T) - round;
            if (depth > gap + PREFERRED * size) return manifold(a, b, m, depth, reach, &T, 1.0, c);
        }
    } else {
        gap = -epa(a, b, n, &S) - round;
        return manifold(a, b, n, gap, reach, &S, 1.0, c);
    }
    return manifold(a, b, n, gap, reach, &S, scale, c);
}

/* A sphere and a point of another core, with its radius. */
static int sphere_on_point(const struct shape *a, const double *p, double radius, double reach, struct contact *c) {
    double d[3], n[3], x[3];
    minus3(a->p, p, d);
    const double length = length3(d), gap = length - a->size[0] - radius;
    if (gap > reach) return 0;
    for (int k = 0; k < 3; k++) n[k] = length > 0.0 ? d[k] / length : (double)(k == 2), x[k] = a->p[k] - a->size[0] * n[k];
    return add_point(c, 0, x, gap, n);
}

static double within_(double x, double most) { return fmin(fmax(x, -most), most); }

/* The point of a cone that is nearest to x in its frame; inside, x itself, the depth and the normal of the nearest face. */
static void nearest_of_cone(const struct shape *b, const double *x, double *near_, double *local, double *depth) {
    const double r = b->size[0], h = b->size[1], slant = sqrt(r * r + 4.0 * h * h), across = sqrt(x[0] * x[0] + x[1] * x[1]);
    const double u[2] = {across > 0.0 ? x[0] / across : 1.0, across > 0.0 ? x[1] / across : 0.0};
    const double off_side = (2.0 * h * across + r * (x[2] - h)) / slant, off_base = -h - x[2]; /* outwards */
    if (off_side <= 0.0 && off_base <= 0.0) {
        const int side = off_side >= off_base;
        *depth = side ? -off_side : -off_base;
        memcpy(near_, x, 3 * sizeof(double));
        for (int k = 0; k < 2; k++) local[k] = side ? 2.0 * h / slant * u[k] : 0.0;
        local[2] = side ? r / slant : -1.0;
        return;
    }
    const double part = fmin(fmax((r * (r - across) + 2.0 * h * (x[2] + h)) / (slant * slant), 0.0), 1.0); /* rim 0, tip 1 */
    const double side[2] = {(1.0 - part) * r, (2.0 * part - 1.0) * h}, base[2] = {fmin(across, r), -h};
    const double to_side = hypot(across - side[0], x[2] - side[1]), to_base = hypot(across - base[0], x[2] - base[1]);
    const double *nearer = to_side < to_base ? side : base;
    near_[0] = nearer[0] * u[0], near_[1] = nearer[0] * u[1], near_[2] = nearer[1];
}

/* Say which part of a shape a sphere with its centre at x, in the frame of the shape, touches. */
static int touched_by_sphere(const struct shape *b, const double *x, int count, struct contact *c) {
    double line[3];
    int part = AT_POINT, free_ = 0, axis = 2;
    if (!count) return 0;
    if (b->kind == CYLINDER || b->kind == CONE) part = part_along(b, c->normal, c->point, 0, 0, line);
    if (b->kind == CAPSULE && fabs(x[2]) < b->size[1]) part = AT_LINE, axis_of(b->R, axis, line);
    for (int k = 0; k < 3 && b->kind == BOX; k++)
        if (fabs(x[k]) < b->size[k]) free_++, axis = k;
    if (free_) part = free_ == 1 ? AT_LINE : AT_FACE, axis_of(b->R, axis, line);
    return touch_with(c, count, AT_POINT, 0, part, line);
}

/* A sphere and a segment, box, cylinder or cone: the nearest point of the core, or the nearest face if the centre is inside. */
static int sphere_on_core(const struct shape *a, const struct shape *b, double reach, struct contact *c) {
    double x[3], near_[3] = {0.0, 0.0, 0.0}, at[3], local[3] = {0.0, 0.0, 0.0}, n[3], depth = INFINITY;
    into(b, a->p, x);
    if (b->kind == CAPSULE) near_[2] = within_(x[2], b->size[1]);
    if (b->kind == BOX)
        for (int k = 0; k < 3; k++) {
            near_[k] = within_(x[k], b->size[k]);
            if (b->size[k] - fabs(x[k]) < depth) {
                depth = b->size[k] - fabs(x[k]);
                for (int j = 0; j < 3; j++) local[j] = j == k ? copysign(1.0, x[k]) : 0.0;
            }
        }
    if (b->kind == CYLINDER) {
        const double across = sqrt(x[0] * x[0] + x[1] * x[1]), part = across > b->size[0] ? b->size[0] / across : 1.0;
        near_[0] = part * x[0], near_[1] = part * x[1], near_[2] = within_(x[2], b->size[1]);
        depth = b->size[1] - fabs(x[2]), local[2] = copysign(1.0, x[2]);
        if (b->size[0] - across < depth && across > 0.0)
            depth = b->size[0] - across, local[0] = x[0] / across, local[1] = x[1] / across, local[2] = 0.0;
    }
    if (b->kind == CONE) nearest_of_cone(b, x, near_, local, &depth);
    if (!is_solid(b) || !same3(near_, x)) {
        out_of(b, near_, at);
        return touched_by_sphere(b, x, sphere_on_point(a, at, radius_of(b), reach, c), c);
    }
    for (int k = 0; k < 3; k++) n[k] = dot3(b->R + 3 * k, local), at[k] = a->p[k] - a->size[0] * n[k];
    return touched_by_sphere(b, x, add_point(c, 0, at, -depth - a->size[0], n), c);
}

/* The corners of a box, or the face of another shape, above all points with z <= 0 in the frame of b. */
static int convex_on_half_space(const struct shape *a, const struct shape *b, double reach, struct contact *c) {
    double n[3], back[3], corner[2 * MOST_CORNERS][3], out[3], x[3], d[3];
    axis_of(b->R, 2, n);
    for (int k = 0; k < 3; k++) back[k] = -n[k];
    support(a, back, x);
    minus3(x, b->p, d);
    const double gap = dot3(d, n), size = extent_of(a);
    if (gap > reach) return 0;
    int m = a->kind == BOX ? 8 : facing(a, back, corner, out);
    for (int i = 0; i < 8 && a->kind == BOX; i++) {
        const double local[3] = {i & 1 ? a->size[0] : -a->size[0], i & 2 ? a->size[1] : -a->size[1], i & 4 ? a->size[2] : -a->size[2]};
        out_of(a, local, corner[i]);
    }
    const int count = points_above(corner, m, b->p, n, n, reach, MERGED * size, c);
    for (int i = 0; i < count; i++)
        if (c[i].gap <= gap + 1e-6 * size) return touch_with(c, count, AT_POINT, 0, AT_FACE, 0);
    return touch_with(c, add_point(c, count < MOST_POINTS ? count : MOST_POINTS - 1, x, gap, n), AT_POINT, 0, AT_FACE, 0);
}
