/* Short vectors of the scalar form: bundles of values, and runs of zeros. */
#define VECTOR(n)                                            \
    typedef double real##n __attribute__((vector_size(8 * n))); \
    typedef double memory_real##n __attribute__((vector_size(8 * n), aligned(8), may_alias));
VECTOR(2)
VECTOR(4)
VECTOR(8)
#define PART(kind, place) (*(memory_##kind *)(place))
#define ZEROS1(place) (*(place) = 0.0)
#define ZEROS2(place) (PART(real2, place) = (real2){0})
#define ZEROS4(place) (PART(real4, place) = (real4){0})
#define ZEROS8(place) (PART(real8, place) = (real8){0})

/* The following code is written for `real`, which is a vector of the machine's width until angles.h. */
#undef K
#undef J
#define real wide
#define integer wide_integer
#define bits wide_bits
#define from_bits wide_from_bits
#define sincos_near wide_sincos_near
#define sincos_far wide_sincos_far
#define sincos_ wide_sincos
