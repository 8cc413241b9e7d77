/* A shape on a field of heights: points on a grid, two triangles in each cell, all below is solid.
 *
 * Each triangle that a shape is near is the top of a prism, and the shape touches it with the normal of their distance (convex.c).
 * A normal that is not that of the triangle belongs to an edge or a corner, which neighbours share: it counts if the way on into
 * each of them leads away from the shape, so that flat ground has no edges and valleys have none that touch. */
#define MOST_FOUND 64  /* points of a shape on a field */
#define ON_EDGE 1e-7   /* part of a triangle within which a point is on its edge */
#define ROUNDED 1e-4   /* 1 - cosine of a normal from that of the triangle, by the iterations of a distance */
#define UPHILL 1e-4    /* slope of a neighbour against the normal, above which the way into it is nearer */
#define LEVEL 0.2      /* vertical part of a normal below which it is one of the sides of a prism */
#define ALIKE 1e-3     /* 1 - cosine of normals that are one */

/* A triangle: its corners, then those of the neighbours across the edges 0-1, 1-2, 2-0 (0: there is none). */
struct triangle {
    const double *corner[3], *across[3];
    double normal[3];
};

static const double *field_point(const struct shape *f, int64_t i, int64_t j) {
    const int64_t nx = (int64_t)f->size[2], ny = f->n_vertices / nx;
    return i < 0 || j < 0 || i >= nx || j >= ny ? 0 : f->vertex + 3 * (i * ny + j);
}

/* The triangle before (0) or behind (1) the diagonal of a cell. */
static struct triangle field_triangle(const struct shape *f, int64_t i, int64_t j, int side) {
    const double *low = field_point(f, i, j), *high = field_point(f, i + 1, j + 1);
    struct triangle T = {
        {low, side ? high : field_point(f, i + 1, j), side ? field_point(f, i, j + 1) : high},
        {field_point(f, side ? i + 1 : i, side ? j : j - 1), field_point(f, side ? i + 1 : i + 2, side ? j + 2 : j + 1),
         field_point(f, side ? i - 1 : i, side ? j : j + 1)},
        {0.0, 0.0, 0.0}};
    double u[3], v[3];
    minus3(T.corner[1], T.corner[0], u), minus3(T.corner[2], T.corner[0], v);
    cross3(u, v, T.normal);
    const double size = length3(T.normal);
    for (int k = 0; k < 3; k++) T.normal[k] /= size;
    return T;
}

/* Part of an edge that is left to the opposite corner, at a point seen from above: 0 on the edge. */
static double share(const struct triangle *T, int edge, const double *x) {
    const double *a = T->corner[edge], *b = T->corner[(edge + 1) % 3], *c = T->corner[(edge + 2) % 3];
    const double whole = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    return ((b[0] - a[0]) * (x[1] - a[1]) - (b[1] - a[1]) * (x[0] - a[0])) / whole;
}

/* Slope of the neighbour across an edge along n, away from the edge. */
static double slope_across(const struct triangle *T, int edge, const double *n) {
    double u[3], t[3];
    minus3(T->corner[(edge + 1) % 3], T->corner[edge], u), minus3(T->across[edge], T->corner[edge], t);
    const double along = dot3(u, t) / dot3(u, u);
    for (int k = 0; k < 3; k++) t[k] -= along * u[k];
    return dot3(n, t) / length3(t);
}

/* Whether a corner of the grid is a place of least distance for the normal n: no edge from it leads nearer. */
static int corner_is_nearest(const struct shape *f, const double *corner, const double *n) {
    static const int ways[6][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};
    const int64_t ny = f->n_vertices / (int64_t)f->size[2], at = (corner - f->vertex) / 3;
    for (int k = 0; k < 6; k++) {
        const double *other = field_point(f, at / ny + ways[k][0], at % ny + ways[k][1]);
        double d[3];
        if (!other) continue;
        minus3(other, corner, d);
        if (dot3(n, d) > UPHILL * length3(d)) return 0;
    }
    return 1;
}

/* Whether the normal n at the point x of a triangle, both in the frame of the field, is one of the whole field; 2: it is that of the
 * triangle, up to rounding. */
static int is_nearest(const struct shape *f, const struct triangle *T, const double *x, const double *n) {
    int edges[3], count = 0, border = 0;
    for (int e = 0; e < 3; e++)
        if (share(T, e, x) < ON_EDGE) edges[count++] = e, border |= !T->across[e];
    double d[3];
    minus3(x, T->corner[0], d);
    if (dot3(T->normal, d) < -ON_EDGE * f->size[0]) return border; /* on the side of the prism: nothing unless the field ends */
    if (!count && dot3(n, T->normal) > 1.0 - ROUNDED) return 2;
    for (int e = 0; e < 3 && !count; e++) /* it is an edge, and the point has been rounded */
        if (share(T, e, x) <= fmin(share(T, (e + 1) % 3, x), share(T, (e + 2) % 3, x))) edges[count++] = e;
    if (count > 1) return corner_is_nearest(f, T->corner[edges[0] == 0 && edges[1] == 2 ? 0 : edges[1]], n);
    return !T->across[edges[0]] || slope_across(T, edges[0], n) <= UPHILL;
}

/* Whether a point on a triangle is between it and a neighbour in the same plane, and no corner of the shape: then it is no corner of
 * what touches. */
static int is_inner(const struct triangle *T, const double *x, const double *n, double (*corner)[3], int corners, double within) {
    int edges = 0;
    for (int e = 0; e < 3; e++)
        if (share(T, e, x) < 1e-3) {
            if (!T->across[e] || fabs(slope_across(T, e, n)) > UPHILL) return 0;
            edges++;
        }
    for (int i = 0; i < corners && edges; i++) {
        double d[3], along;
        minus3(corner[i], x, d);
        along = dot3(d, n);
        for (int k = 0; k < 3; k++) d[k] -= along * n[k];
        if (length3(d) < within) return 0;
    }
    return edges > 0;
}

/* Add the contacts of a shape and a triangle to those that were found before. */
static int convex_on_triangle(const struct shape *a, const struct shape *f, const struct triangle *T, double ground, double reach,
                              struct contact *c, int count) {
    static const int64_t loop_start[2] = {0, 3}, loop[3] = {0, 1, 2};
    double vertex[6][3], extent[3] = {0.25 * fmin(f->size[0], f->size[1]), 0.0, 0.0};
    for (int i = 0; i < 3; i++) {
        memcpy(vertex[i], T->corner[i], sizeof vertex[i]), memcpy(vertex[3 + i], T->corner[i], sizeof vertex[i]);
        vertex[3 + i][2] = ground;
    }
    const struct shape prism = {PRISM, extent, f->p, f->R, 6, 1, vertex[0], T->normal, loop_start, loop};
    const double size = fmin(extent_of(a), extent[0]);
    double scale = radius_of(a) > 0.0 ? 1.0 : SHRUNK;
    double n[3], top[3], x[3], y[3], local[3], corner[2 * MOST_CORNERS][3], out[3];
    struct simplex S;
    for (int k = 0; k < 3; k++) top[k] = dot3(f->R + 3 * k, T->normal);
    const int deep = !(gjk(a, &prism, scale, n, x, y, &S) > 0.0); /* out along the normal of the triangle */
    if (!deep && scale < 1.0 && apart_along(a, &prism, n) > NEAR_BY * size) {
        struct simplex exact;
        double m[3];
        if (gjk(a, &prism, 1.0, m, x, y, &exact) > 0.0) S = exact, scale = 1.0, memcpy(n, m, sizeof m);
    }
    int flat = 0, upward = deep || dot3(n, top) >= 1.0 - ALIGNED;
    if (!upward) {
        double normal[3];
        into(f, y, local), turned_into(f, n, normal);
        const int nearest = is_nearest(f, T, local, normal);
        upward = nearest == 2;
        if (!nearest) { /* a face may lie on the triangle, and the smaller core beside it */
            const double down[3] = {-top[0], -top[1], -top[2]};
            flat = facing(a, down, corner, out) > 2 && -dot3(out, top) >= 1.0 - ALIGNED;
            if (!flat) return count;
        }
    }
    if (flat || upward) memcpy(n, top, sizeof top);
    if (deep) S.n = 0;
    const int before = count;
    const double gap = apart_along(a, &prism, n);
    if (gap > reach) return count;
    struct contact found[MOST_POINTS];
    const int points = manifold(a, &prism, n, gap, reach, &S, scale, found);
    for (int i = 0; i < points && (flat || upward); i++) found[i].part[1] = AT_FACE; /* also beside its edges */
    const double back[3] = {-n[0], -n[1], -n[2]};
    const int corners = facing(a, back, corner, out);
    for (int i = 0; i < corners; i++) into(f, corner[i], corner[i]);
    for (int i = 0; i < points && count < MOST_FOUND; i++) {
        int known = 0;
        for (int k = 0; k < 3; k++) x[k] = found[i].point[k] - 0.5 * found[i].gap * n[k];
        into(f, x, local);
        if ((flat || deep) && fmin(share(T, 0, local), fmin(share(T, 1, local), share(T, 2, local))) < -1e-3) continue;
        if ((flat || upward) && is_inner(T, local, T->normal, corner, corners, MERGED * size)) continue;
        for (int j = 0; j < count && !known; j++) {
            double d[3];
            minus3(found[i].point, c[j].point, d);
            known = length3(d) < MERGED * size && dot3(found[i].normal, c[j].normal) > 1.0 - ALIKE;
        }
        if (!known) c[count++] = found[i];
    }
    if (deep && count == before && count <= MOST_FOUND - MOST_POINTS) { /* no corner is above it: the least depth, if that is upward */
        const double depth = epa(a, &prism, n, &S);
        turned_into(f, n, local);
        if (local[2] > LEVEL) count += manifold(a, &prism, n, -depth - radius_of(a), reach, &S, 1.0, c + count);
    }
    return count;
}

/* Contacts of a convex shape and a field. */
static int convex_on_field(const struct shape *a, const struct shape *f, double reach, struct contact *c) {
    double low[3], high[3], x[3], local[3], ground = INFINITY, peak = -INFINITY;
    int64_t first[2], last[2], count = 0;
    const int64_t n[2] = {(int64_t)f->size[2], f->n_vertices / (int64_t)f->size[2]};
    for (int k = 0; k < 3; k++) {
        double axis[3];
        axis_of(f->R, k, axis);
        support(a, axis, x), into(f, x, local), high[k] = local[k] + reach;
        for (int j = 0; j < 3; j++) axis[j] = -axis[j];
        support(a, axis, x), into(f, x, local), low[k] = local[k] - reach;
    }
    for (int k = 0; k < 2; k++) {
        const double start = f->vertex[k], cells = (double)(n[k] - 1);
        first[k] = (int64_t)fmax(0.0, fmin(cells, floor((low[k] - start) / f->size[k])));
        last[k] = (int64_t)fmax(-1.0, fmin(cells - 1.0, floor((high[k] - start) / f->size[k])));
    }
    for (int64_t i = first[0]; i <= last[0] + 1 && i < n[0]; i++)
        for (int64_t j = first[1]; j <= last[1] + 1 && j < n[1]; j++) {
            ground = fmin(ground, field_point(f, i, j)[2]), peak = fmax(peak, field_point(f, i, j)[2]);
        }
    if (peak < low[2]) return 0;
    ground = fmin(ground, low[2]) - fmax(f->size[0], f->size[1]);
    for (int64_t i = first[0]; i <= last[0]; i++)
        for (int64_t j = first[1]; j <= last[1]; j++)
            for (int side = 0; side < 2; side++) {
                const struct triangle T = field_triangle(f, i, j, side);
                if (fmax(T.corner[0][2], fmax(T.corner[1][2], T.corner[2][2])) < low[2]) continue;
                count = convex_on_triangle(a, f, &T, ground, reach, c, (int)count);
            }
    return (int)count;
}

/* Contacts of a and b that are nearer than `reach`. */
static int touching(const struct shape *a, const struct shape *b, double reach, struct contact *c) {
    int count;
    if ((a->kind == HALF_SPACE || a->kind == FIELD) && (b->kind == HALF_SPACE || b->kind == FIELD)) return 0;
    if (b->kind == FIELD) return convex_on_field(a, b, reach, c);
    if (b->kind == HALF_SPACE) return convex_on_half_space(a, b, reach, c);
    if (a->kind == SPHERE && b->kind == SPHERE) return sphere_on_point(a, b->p, b->size[0], reach, c);
    if (a->kind == SPHERE && b->kind != HULL) return sphere_on_core(a, b, reach, c);
    if (a->kind != HALF_SPACE && a->kind != FIELD && b->kind != SPHERE) return convex_on_convex(a, b, reach, c);
    count = touching(b, a, reach, c);
    for (int i = 0; i < count; i++) {
        const struct contact of = c[i];
        for (int k = 0; k < 3; k++) c[i].normal[k] = -of.normal[k];
        touch_with(c + i, 1, of.part[1], of.line[1], of.part[0], of.line[0]);
    }
    return count;
}
