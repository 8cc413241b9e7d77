/* Bodies with shapes (shapes.c to articulated.c): the interface to their callers. */
#ifndef SCENE_H
#define SCENE_H

#include "moreau.h"

/* Kinds of shapes, each with its size (3), centred in its own frame: radius; radius and half length along z; the same; half
 * sides; radius of a sphere inside (vertices and faces are in tables); nothing (all points with z <= 0); radius of the base, half
 * height along z (the tip is above), radius of a sphere inside; distances of points along x and y and number of those along x
 * (points, x before y, are in the table of vertices); a part of that (field.c). */
enum { SPHERE, CAPSULE, CYLINDER, BOX, HULL, HALF_SPACE, CONE, FIELD, PRISM };

/* Free bodies have their frames in the centre of mass, along the principal axes: q = (position, quaternion), v = (velocity in axes
 * of the world, angular velocity in those of the body), so that the mass matrix is constant and diagonal. State: q, v, account of the
 * solver (4), works of inputs and losses (2). Machines with joints have no mass and inertia here (`struct articulated`). */
struct scene {
    struct moreau *steps;
    int64_t n_bodies, n_shapes, most_contacts, n_excluded;
    const double *mass, *inertia, *gravity; /* 1, 3 of each body; 3 */
    const int64_t *kind, *body;             /* of each shape; body -1: it does not move */
    double *size;                           /* see above */
    const double *place, *reach;            /* position (3), rotation (9, rows) in its body; radius about that */
    const double *inner;                    /* largest sphere inside of each shape, about: its radius */
    const double *friction, *restitution;   /* of each shape */
    const double *spinning, *rolling;       /* of each shape: lengths, whose products with the normal force are the largest moments */
    const double *belt, *grain, *across;    /* of each shape, in its frame: velocity of its surface (3); direction (3; 0: none) along
                                             * which it has its friction, and that across it */
    const double *compliance, *damping;     /* of each shape: 1 / stiffness (0: rigid), damping (stepping/compliance.c) */
    const double *adhesion;                 /* of each shape: force that its contacts pull with at most [N] (stepping/adhesion.c) */
    int64_t rows;                           /* of a contact: 3, or 6 with moments (stepping/resistance.c) */
    const int64_t *excluded;                /* pairs of shapes (i < j: i n_shapes + j) that do not touch, in rising order */
    /* hulls: vertices, and polygons with outward normals, of each shape */
    const int64_t *vertex_start, *face_start, *loop_start, *loop;
    const double *vertex, *face_normal;
    double *pose, *pace; /* of each body: position (3), rotation (9, rows); speed of its origin, and with which it turns */
    double *twist, *drift; /* velocity of its origin, angular velocity; their rates while the machine keeps its velocities */
    double *half, *longer, *growth; /* of segments of beams (0: there are none): half of the length, its rate, and the rate of that */
    /* poses of shapes in the world, their boxes along the axes, and their order along x */
    double *position, *rotation, *low, *high;
    int64_t *order;
    /* contacts of this step and of the one before: shapes (i n_shapes + j), the point in the frame of the first, forces; those of
     * a pair lie together, and a table of hashes has where they begin (-1: none) */
    int64_t n_contacts, n_before, full, n_hashes;
    int64_t *pair, *pair_before, *hashes;
    double *point, *point_before, *force_before, *where, *normal, *gap;
    int64_t *turns;                   /* whether the contact has the rates */
    double *normal_rate, *point_rate; /* of the contact while bodies keep their velocities (turning.c) */
    double *hold_before; /* forces with which the contacts of the step before adhered */
    double h; /* length of the last step, 0: it is forgotten */
    double deepest, fastest; /* gap; way of a body in half a step, by the radius of a sphere inside of its shape */
    int64_t fastest_shape;
    double *x_middle, *displacement;
    int64_t *count, *support, *known; /* tables of the blocks, see moreau.h */
};

/* A machine with joints, whose bodies have shapes; a body here may be a segment of a beam. Its tape `poses` gives of (t, x, c, p, h): poses of the bodies, their Jacobians in
 * axes of the world (of each velocity that moves a body: that of its origin, and with which it turns), coefficients and belts of the
 * shapes. `terms` is that of the blocks that are always there. */
struct articulated {
    struct scene *scene;
    struct moreau *steps;
    int (*step)(void *, double, double, const double *, const double *, const double *, double *);
    kernel terms, poses;
    double *terms_work, *poses_work;
    const int64_t *column_start, *column;   /* of each body: velocities that move it */
    const int64_t *support_start, *support; /* the same, with those that rows which always hold connect with them */
    const int64_t *force_of; /* of each body: number of the force that its own is part of */
    double *jacobian, *row;
    double *half, *stretch; /* of segments (0: there are none): half of the length (0: it is none), and its rate by each velocity */
    double *friction, *restitution, *spinning, *rolling, *across, *compliance, *damping, *adhesion, *belt; /* those of the scene */
    double *x_after; /* q and v after the last step: a run that continues elsewhere forgets contacts */
    int64_t count_at, deepest_at, force_at; /* places in x: number of contacts, smallest gap, first of the forces (3 each) */
};

int scene_terms(const double *const *in, double *const *out, double *work);
int scene_bias(const double *const *in, double *const *out, double *work);
int scene_move(const double *const *in, double *const *out, double *work);
int scene_finish(const double *const *in, double *const *out, double *work);
int scene_lift(const double *const *in, double *const *out, double *work);
int64_t scene_advance(int (*step)(void *, double, double, const double *, const double *, const double *, double *),
                      struct scene *S, double t, double h, int64_t steps, double *x, double *next);
int articulated_terms(const double *const *in, double *const *out, double *work);
int articulated_step(void *context, double t, double h, const double *x, const double *c, const double *p, double *out);
int64_t scene_touching(struct scene *S, const double *x, double reach);

#endif
