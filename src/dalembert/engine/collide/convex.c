/* Distance and depth of two convex shapes, by their support functions alone.
 *
 * GJK: the point of the difference of two shapes that is nearest to the origin (E. G. Gilbert, D. W. Johnson, S. S. Keerthi,
 * IEEE Journal of Robotics and Automation 4 (1988) 193-203), with the nearest point of a simplex by its regions (C. Ericson,
 * "Real-Time Collision Detection", 2005, chapter 5). EPA: if the origin is inside, the nearest point of the surface, by a
 * polytope that grows (G. van den Bergen, "Proximity Queries and Penetration Depth Computation on 3D Game Objects", 2001). */
enum { GJK_ROUNDS = 200, EPA_ROUNDS = 120, EPA_VERTICES = 128, EPA_FACES = 256 };
#define FLAT 1e-10  /* part of the size by which the surface of the difference may be beyond a face of the polytope */
#define PLANE 1e-9  /* height of a tetrahedron, by its sides, below which it is plane */
#define APART 1e-13 /* part of the squared distance by which supports may be nearer at the end */

/* A point of the difference: w = x - y of the two shapes. */
struct vertex {
    double w[3], x[3], y[3];
};

struct simplex {
    struct vertex at[4];
    double part[4]; /* barycentric coordinates of the nearest point */
    int n;
};

static void difference(const struct shape *a, const struct shape *b, double scale, const double *d, struct vertex *v) {
    const double back[3] = {-d[0], -d[1], -d[2]};
    core_support(a, scale, d, v->x);
    core_support(b, scale, back, v->y);
    minus3(v->x, v->y, v->w);
}

/* Nearest point to the origin of a segment, triangle or tetrahedron; those of the vertices that it needs stay. */
static void keep(struct simplex *S, int n, const int *which, const double *part) {
    struct simplex T = *S;
    T.n = n;
    for (int i = 0; i < n; i++) T.at[i] = S->at[which[i]], T.part[i] = part[i];
    *S = T;
}

static void keep_one(struct simplex *S, int i) {
    const double whole = 1.0;
    keep(S, 1, &i, &whole);
}

static void nearest_on_segment(struct simplex *S, int i, int j) {
    const double *a = S->at[i].w, *b = S->at[j].w;
    double ab[3];
    minus3(b, a, ab);
    const double size = dot3(ab, ab), t = size > 0.0 ? -dot3(a, ab) / size : 0.0;
    if (t <= 0.0) keep_one(S, i);
    else if (t >= 1.0) keep_one(S, j);
    else {
        const int both[2] = {i, j};
        const double parts[2] = {1.0 - t, t};
        keep(S, 2, both, parts);
    }
}

static void nearest_on_triangle(struct simplex *S, int i, int j, int k) {
    const double *a = S->at[i].w, *b = S->at[j].w, *c = S->at[k].w;
    double ab[3], ac[3];
    minus3(b, a, ab), minus3(c, a, ac);
    const double d1 = -dot3(ab, a), d2 = -dot3(ac, a), d3 = -dot3(ab, b), d4 = -dot3(ac, b), d5 = -dot3(ab, c), d6 = -dot3(ac, c);
    const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    if (d1 <= 0.0 && d2 <= 0.0) keep_one(S, i);
    else if (d3 >= 0.0 && d4 <= d3) keep_one(S, j);
    else if (d6 >= 0.0 && d5 <= d6) keep_one(S, k);
    else if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) nearest_on_segment(S, i, j);
    else if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) nearest_on_segment(S, i, k);
    else if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) nearest_on_segment(S, j, k);
    else {
        const int all[3] = {i, j, k};
        const double sum = va + vb + vc, parts[3] = {va / sum, vb / sum, vc / sum};
        keep(S, 3, all, parts);
    }
}

static void point_of(const struct simplex *S, double *v) {
    v[0] = v[1] = v[2] = 0.0;
    for (int i = 0; i < S->n; i++)
        for (int k = 0; k < 3; k++) v[k] += S->part[i] * S->at[i].w[k];
}

/* 1 if the origin is inside of the tetrahedron. */
static int nearest_on_tetrahedron(struct simplex *S) {
    static const int face[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
    struct simplex best = *S;
    double least = INFINITY;
    int inside = 1;
    for (int f = 0; f < 4; f++) {
        const double *a = S->at[face[f][0]].w, *b = S->at[face[f][1]].w, *c = S->at[face[f][2]].w, *d = S->at[face[f][3]].w;
        double ab[3], ac[3], ad[3], n[3], v[3];
        minus3(b, a, ab), minus3(c, a, ac), minus3(d, a, ad);
        cross3(ab, ac, n);
        /* on the side of the fourth vertex; where all four are in a plane, rounding decides on sides */
        if (-dot3(a, n) * dot3(ad, n) > 0.0 && fabs(dot3(ad, n)) > PLANE * length3(ad) * length3(n)) continue;
        inside = 0;
        struct simplex T = *S;
        nearest_on_triangle(&T, face[f][0], face[f][1], face[f][2]);
        point_of(&T, v);
        if (dot3(v, v) < least) least = dot3(v, v), best = T;
    }
    if (!inside) *S = best;
    return inside;
}

/* Distance of the scaled cores; 0 if they overlap. n is the unit vector from b to a, x and y the nearest points. */
static double gjk(const struct shape *a, const struct shape *b, double scale, double *n, double *x, double *y, struct simplex *S) {
    double v[3], size, extent = 0.0;
    S->n = 0;
    minus3(a->p, b->p, v);
    if (!(dot3(v, v) > 0.0)) v[0] = 1.0;
    size = INFINITY;
    for (int round = 0; round < GJK_ROUNDS; round++) {
        const double d[3] = {-v[0], -v[1], -v[2]};
        struct vertex new_;
        difference(a, b, scale, d, &new_);
        extent = fmax(extent, dot3(new_.w, new_.w));
        if (S->n && dot3(v, v) - dot3(v, new_.w) <= APART * dot3(v, v)) break;
        int known = 0;
        for (int i = 0; i < S->n; i++) known |= same3(S->at[i].w, new_.w);
        if (known) break;
        const struct simplex before = *S;
        S->at[S->n] = new_, S->part[S->n] = 1.0, S->n++;
        if (S->n == 2) nearest_on_segment(S, 0, 1);
        else if (S->n == 3) nearest_on_triangle(S, 0, 1, 2);
        else if (S->n == 4 && nearest_on_tetrahedron(S)) return 0.0;
        double next[3];
        point_of(S, next);
        if (!(dot3(next, next) < size)) { /* rounding: no nearer than before */
            if (before.n) *S = before;
            break;
        }
        memcpy(v, next, sizeof v), size = dot3(v, v);
        if (size <= 1e-28 * extent) return 0.0;
    }
    const double distance = length3(v);
    for (int k = 0; k < 3; k++) {
        n[k] = v[k] / distance, x[k] = y[k] = 0.0;
        for (int i = 0; i < S->n; i++) x[k] += S->part[i] * S->at[i].x[k], y[k] += S->part[i] * S->at[i].y[k];
    }
    return distance;
}

struct polytope {
    struct vertex vertex[EPA_VERTICES];
    double normal[EPA_FACES][3], offset[EPA_FACES];
    int corner[EPA_FACES][3], live[EPA_FACES], n_vertices, n_faces;
};

static void add_face(struct polytope *P, int i, int j, int k) {
    if (P->n_faces == EPA_FACES) return;
    double ab[3], ac[3], *n = P->normal[P->n_faces];
    minus3(P->vertex[j].w, P->vertex[i].w, ab), minus3(P->vertex[k].w, P->vertex[i].w, ac);
    cross3(ab, ac, n);
    const double size = length3(n);
    const int f = P->n_faces++;
    P->corner[f][0] = i, P->corner[f][1] = j, P->corner[f][2] = k;
    P->live[f] = size > 0.0;
    for (int q = 0; q < 3; q++) n[q] = size > 0.0 ? n[q] / size : 0.0;
    P->offset[f] = dot3(n, P->vertex[i].w);
}

/* The support in a direction or in the opposite one, whichever is farther from x along d. */
static void farther_support(const struct shape *a, const struct shape *b, const double *d, const double *x, struct vertex *v) {
    const double back[3] = {-d[0], -d[1], -d[2]}, along = dot3(d, x);
    struct vertex other;
    difference(a, b, 1.0, d, v), difference(a, b, 1.0, back, &other);
    if (fabs(dot3(d, other.w) - along) > fabs(dot3(d, v->w) - along)) *v = other;
}

/* A tetrahedron of supports. It has a volume, because the difference has one: the second vertex is opposite to the first, the
 * third is off their line, the fourth is off their plane. With four fixed directions corners such as the tip of a cone would be
 * taken twice, and a polytope without volume has no inside. */
static void first_vertices(const struct shape *a, const struct shape *b, struct vertex *v) {
    const double one[3] = {1.0, 0.0, 0.0}, back[3] = {-1.0, 0.0, 0.0};
    difference(a, b, 1.0, one, v), difference(a, b, 1.0, back, v + 1);
    double u[3], w[3], n[3], most = -1.0;
    minus3(v[1].w, v[0].w, u);
    for (int k = 0; k < 2; k++) { /* two directions across the line: the difference is thick in one of them at least */
        const double axis[3] = {0.0, (double)(k == 0), (double)(k == 1)};
        struct vertex third;
        double off[3];
        cross3(u, axis, n);
        farther_support(a, b, n, v[0].w, &third);
        minus3(third.w, v[0].w, w), cross3(u, w, off);
        if (dot3(off, off) > most) most = dot3(off, off), v[2] = third;
    }
    minus3(v[2].w, v[0].w, w), cross3(u, w, n);
    farther_support(a, b, n, v[0].w, v + 3);
}

/* Depth of cores that overlap, and the unit vector n from b to a along which they are parted soonest; S is the face of their
 * difference that is nearest. */
static double epa(const struct shape *a, const struct shape *b, double *n, struct simplex *S) {
    struct polytope P;
    P.n_vertices = P.n_faces = 0;
    struct vertex v;
    first_vertices(a, b, P.vertex), P.n_vertices = 4;
    static const int face[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
    double middle[3];
    for (int k = 0; k < 3; k++) middle[k] = 0.25 * (P.vertex[0].w[k] + P.vertex[1].w[k] + P.vertex[2].w[k] + P.vertex[3].w[k]);
    for (int f = 0; f < 4; f++) {
        add_face(&P, face[f][0], face[f][1], face[f][2]);
        if (dot3(P.normal[f], middle) > P.offset[f]) P.n_faces--, add_face(&P, face[f][0], face[f][2], face[f][1]);
    }
    double depth = INFINITY;
    S->n = 0;
    n[0] = n[1] = 0.0, n[2] = 1.0;
    for (int round = 0; round < EPA_ROUNDS; round++) {
        int best = -1;
        for (int f = 0; f < P.n_faces; f++)
            if (P.live[f] && (best < 0 || P.offset[f] < P.offset[best])) best = f;
        if (best < 0) break;
        difference(a, b, 1.0, P.normal[best], &v);
        const double along = dot3(v.w, P.normal[best]), size = length3(v.w);
        if (along < depth) { /* along this normal they are parted after `along` */
            depth = along, S->n = 3;
            memcpy(n, P.normal[best], 3 * sizeof(double));
            for (int i = 0; i < 3; i++) S->at[i] = P.vertex[P.corner[best][i]];
        }
        if (depth - P.offset[best] <= FLAT * size || P.n_vertices == EPA_VERTICES) break;
        int edge[EPA_FACES][2], n_edges = 0;
        for (int f = 0; f < P.n_faces; f++) { /* the horizon: edges of one visible face alone */
            if (!P.live[f] || !(dot3(P.normal[f], v.w) > P.offset[f] + 1e-14 * size)) continue;
            P.live[f] = 0;
            for (int e = 0; e < 3; e++) {
                const int i = P.corner[f][e], j = P.corner[f][(e + 1) % 3];
                int twin = -1;
                for (int q = 0; q < n_edges && twin < 0; q++)
                    if (edge[q][0] == j && edge[q][1] == i) twin = q;
                if (twin >= 0) edge[twin][0] = edge[n_edges - 1][0], edge[twin][1] = edge[n_edges - 1][1], n_edges--;
                else if (n_edges < EPA_FACES) edge[n_edges][0] = i, edge[n_edges][1] = j, n_edges++;
            }
        }
        int live = 0; /* room of dead faces is used again */
        for (int f = 0; f < P.n_faces; f++)
            if (P.live[f]) {
                memcpy(P.normal[live], P.normal[f], sizeof P.normal[f]), memcpy(P.corner[live], P.corner[f], sizeof P.corner[f]);
                P.offset[live] = P.offset[f], P.live[live] = 1, live++;
            }
        P.n_faces = live;
        if (live + n_edges > EPA_FACES) break;
        const int at = P.n_vertices++;
        P.vertex[at] = v;
        for (int e = 0; e < n_edges; e++) add_face(&P, edge[e][0], edge[e][1], at);
    }
    if (S->n) nearest_on_triangle(S, 0, 1, 2);
    else depth = 0.0;
    for (int k = 0; k < 3; k++) n[k] = -n[k]; /* a leaves along the opposite of the face of a - b */
    return depth;
}
