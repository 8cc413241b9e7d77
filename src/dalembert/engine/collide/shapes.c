/* Convex shapes: how far they reach along a direction, and which of their faces does.
 *
 * A shape is a core and all points within a radius of it. Cores are a point (SPHERE), a segment (CAPSULE), a cylinder, a box, a
 * hull. Cores may be scaled about their centre: scaled ones have the same normals, and are apart where the shapes touch. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "scene.h"

#define MOST_CORNERS 64 /* of a face */
#define RIM 8           /* points of the rim of a cylinder */
#define UPRIGHT 1e-3    /* tilt [rad] below which points of a rim are fixed in the cylinder */

struct shape {
    int64_t kind;
    const double *size, *p, *R; /* R row-major: axes are its columns */
    int64_t n_vertices, n_faces;
    const double *vertex, *face_normal;
    const int64_t *loop_start, *loop; /* corners of each face */
};

/* The part of a shape that a contact touches: a point of it or a round side; an edge or another straight line; a face. */
enum { AT_POINT, AT_LINE, AT_FACE };

struct contact {
    double point[3], normal[3], gap; /* in the middle between the shapes; from the second shape to the first */
    int part[2];                     /* of both shapes */
    double line[2][3];               /* directions of lines, of any length */
};

static double dot3(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross3(const double *a, const double *b, double *c) {
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    c[0] = x, c[1] = y, c[2] = z;
}

static double length3(const double *a) { return sqrt(dot3(a, a)); }

static void minus3(const double *a, const double *b, double *c) {
    for (int k = 0; k < 3; k++) c[k] = a[k] - b[k];
}

static int same3(const double *a, const double *b) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }

static void copy3(const double *from, double *to) {
    for (int k = 0; k < 3; k++) to[k] = from[k];
}

static void axis_of(const double *R, int k, double *a) { a[0] = R[k], a[1] = R[3 + k], a[2] = R[6 + k]; }

/* R^T d */
static void turned_into(const struct shape *s, const double *d, double *local) {
    for (int k = 0; k < 3; k++) local[k] = s->R[k] * d[0] + s->R[3 + k] * d[1] + s->R[6 + k] * d[2];
}

/* R^T (x - p) */
static void into(const struct shape *s, const double *x, double *local) {
    const double d[3] = {x[0] - s->p[0], x[1] - s->p[1], x[2] - s->p[2]};
    turned_into(s, d, local);
}

/* p + R local */
static void out_of(const struct shape *s, const double *local, double *x) {
    for (int k = 0; k < 3; k++) x[k] = s->p[k] + dot3(s->R + 3 * k, local);
}

static double radius_of(const struct shape *s) { return s->kind == SPHERE || s->kind == CAPSULE ? s->size[0] : 0.0; }

/* Whether the core has a volume. */
static int is_solid(const struct shape *s) { return s->kind != SPHERE && s->kind != CAPSULE; }

/* Parts of a field are not scaled: they would leave gaps between them. */
static double scale_of(const struct shape *s, double scale) { return s->kind == PRISM || s->kind == CAPSULE ? 1.0 : scale; }

/* The farthest point of the core along d, scaled. */
static void core_support(const struct shape *s, double scale, const double *d, double *x) {
    double u[3], local[3] = {0.0, 0.0, 0.0};
    turned_into(s, d, u);
    scale = scale_of(s, scale);
    if (s->kind == CAPSULE) local[2] = copysign(s->size[1], u[2]);
    if (s->kind == BOX)
        for (int k = 0; k < 3; k++) local[k] = copysign(s->size[k], u[k]);
    if (s->kind == CONE && u[2] * 2.0 * s->size[1] >= s->size[0] * sqrt(u[0] * u[0] + u[1] * u[1])) local[2] = s->size[1];
    else if (s->kind == CYLINDER || s->kind == CONE) {
        const double across = sqrt(u[0] * u[0] + u[1] * u[1]);
        local[0] = across > 0.0 ? s->size[0] * u[0] / across : s->size[0];
        local[1] = across > 0.0 ? s->size[0] * u[1] / across : 0.0;
        local[2] = s->kind == CONE ? -s->size[1] : copysign(s->size[1], u[2]);
    }
    if (s->kind == HULL || s->kind == PRISM) {
        double most = -INFINITY;
        for (int64_t i = 0; i < s->n_vertices; i++) {
            const double along = dot3(s->vertex + 3 * i, u);
            if (along > most) most = along, memcpy(local, s->vertex + 3 * i, sizeof local);
        }
    }
    for (int k = 0; k < 3; k++) local[k] *= scale;
    out_of(s, local, x);
}

/* The farthest point of the shape along the unit vector n. */
static void support(const struct shape *s, const double *n, double *x) {
    core_support(s, 1.0, n, x);
    for (int k = 0; k < 3; k++) x[k] += radius_of(s) * n[k];
}

/* The face that looks along the unit vector n: its corners in the world (1: a point, 2: a segment, else a polygon), and for a
 * polygon its outward normal. Rounded faces are moved outward by their radius. */
static int facing(const struct shape *s, const double *n, double (*corner)[3], double *normal) {
    double u[3], local[3] = {0.0, 0.0, 0.0}, out[3] = {0.0, 0.0, 0.0};
    int count = 0;
    turned_into(s, n, u);
    if (s->kind == SPHERE) {
        support(s, n, corner[0]);
        return 1;
    }
    if (s->kind == CONE && !(sqrt(u[0] * u[0] + u[1] * u[1]) > UPRIGHT) && u[2] > 0.0) { /* the tip */
        support(s, n, corner[0]);
        return 1;
    }
    if (s->kind == CONE && u[2] > -0.7071) { /* a line from the base to the tip */
        const double across = sqrt(u[0] * u[0] + u[1] * u[1]);
        for (int k = 0; k < 2; k++) local[k] = s->size[0] * u[k] / across;
        local[2] = -s->size[1];
        out_of(s, local, corner[0]);
        local[0] = local[1] = 0.0, local[2] = s->size[1];
        out_of(s, local, corner[1]);
        return 2;
    }
    if (s->kind == CAPSULE || (s->kind == CYLINDER && fabs(u[2]) < 0.7071)) { /* both ends of the line */
        const double across = sqrt(u[0] * u[0] + u[1] * u[1]);
        for (int k = 0; k < 2 && s->kind == CYLINDER; k++) local[k] = s->size[0] * u[k] / across;
        for (; count < 2; count++) {
            local[2] = count ? -s->size[1] : s->size[1];
            out_of(s, local, corner[count]);
            for (int k = 0; k < 3; k++) corner[count][k] += radius_of(s) * n[k];
        }
        return 2;
    }
    if (s->kind == CYLINDER || s->kind == CONE) { /* the rim, from the point that is farthest along n on */
        const double across = sqrt(u[0] * u[0] + u[1] * u[1]);
        const double start = across > UPRIGHT ? atan2(u[1], u[0]) : 0.0, side = copysign(1.0, u[2]);
        out[2] = side, local[2] = side * s->size[1];
        for (; count < RIM; count++) {
            const double angle = start + side * 6.283185307179586 * count / RIM;
            local[0] = s->size[0] * cos(angle), local[1] = s->size[0] * sin(angle);
            out_of(s, local, corner[count]);
        }
    } else if (s->kind == BOX) {
        int face = 0;
        for (int k = 1; k < 3; k++)
            if (fabs(u[k]) > fabs(u[face])) face = k;
        const int i = (face + 1) % 3, j = (face + 2) % 3;
        const double side = out[face] = copysign(1.0, u[face]);
        for (; count < 4; count++) {
            local[face] = side * s->size[face];
            local[i] = (count == 0 || count == 3 ? -side : side) * s->size[i];
            local[j] = (count < 2 ? -1.0 : 1.0) * s->size[j];
            out_of(s, local, corner[count]);
        }
    } else {
        int64_t face = 0;
        for (int64_t i = 1; i < s->n_faces; i++)
            if (dot3(s->face_normal + 3 * i, u) > dot3(s->face_normal + 3 * face, u)) face = i;
        memcpy(out, s->face_normal + 3 * face, sizeof out);
        for (int64_t i = s->loop_start[face]; i < s->loop_start[face + 1]; i++)
            out_of(s, s->vertex + 3 * s->loop[i], corner[count++]);
    }
    for (int k = 0; k < 3; k++) normal[k] = dot3(s->R + 3 * k, out);
    return count;
}
