/* Several instances at a time: `real` is a vector (vector.h). */
#define SPLAT(a) ((a) + K(-0.0))
typedef real instant; /* times and steps */
typedef integer MASK;
typedef uint64_t word __attribute__((vector_size(ALIGNMENT)));
#define WORD(a) ((word)ALL(0) + (uint64_t)(a))
#define FROM_WORD(a) __builtin_convertvector((integer)(a), real)
#define REAL(a) (a)
#define SELECT(m, a, b) select_(m, a, b)
#define UNROLL
#define ROLL
#define FUNCTION static inline
#define TABLE static const
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

/* Lane by lane through the mathematical library: for rare operations. */
#define LANEWISE_1(name)                                   \
    static inline real name##_lanes(real a) {              \
        real r = a;                                        \
        for (int i = 0; i < LANES; i++) r[i] = name(a[i]); \
        return r;                                          \
    }
#define LANEWISE_2(name)                                         \
    static inline real name##_lanes(real a, real b) {            \
        real r = a;                                              \
        for (int i = 0; i < LANES; i++) r[i] = name(a[i], b[i]); \
        return r;                                                \
    }
#if defined(__clang__) && defined(__has_builtin)
#if __has_builtin(__builtin_elementwise_sqrt)
#define VECTOR_SQRT(a) __builtin_elementwise_sqrt(a)
#endif
#elif defined(__AVX512F__)
#define VECTOR_SQRT(a) __builtin_ia32_sqrtpd512_mask(a, a, -1, 4)
#elif defined(__AVX__)
#define VECTOR_SQRT(a) __builtin_ia32_sqrtpd256(a)
#elif defined(__SSE2__)
#define VECTOR_SQRT(a) __builtin_ia32_sqrtpd(a)
#endif
#if defined(VECTOR_SQRT)
static inline real sqrt_lanes(real a) { return VECTOR_SQRT(a); }
#else
LANEWISE_1(sqrt)
#endif
LANEWISE_1(tan)
LANEWISE_1(asin)
LANEWISE_1(acos)
LANEWISE_1(atan)
LANEWISE_1(sinh)
LANEWISE_1(cosh)
LANEWISE_1(asinh)
LANEWISE_1(acosh)
LANEWISE_1(atanh)
LANEWISE_1(floor)
LANEWISE_1(ceil)
LANEWISE_1(erf)
LANEWISE_1(log1p)
LANEWISE_1(expm1)
LANEWISE_2(pow)
LANEWISE_2(fmod)
LANEWISE_2(remainder)
LANEWISE_2(hypot)

#define SIGN(a) select_((a) < 0.0, K(-1.0), select_((a) > 0.0, K(1.0), (a)))
#define NOT(a) truth((a) == 0.0)
#define LT(a, b) truth((a) < (b))
#define LE(a, b) truth((a) <= (b))
#define EQ(a, b) truth((a) == (b))
#define NE(a, b) truth((a) != (b))
#define AND(a, b) truth(((a) != 0.0) & ((b) != 0.0))
#define OR(a, b) truth(((a) != 0.0) | ((b) != 0.0))
#define IF_ELSE_ZERO(a, b) ((real)((integer)(b) & ~(integer)((a) == 0.0)))

static inline real fmin_lanes(real a, real b) { return select_((a < b) | (b != b), a, b); }
static inline real fmax_lanes(real a, real b) { return select_((a > b) | (b != b), a, b); }
static inline real copysign_lanes(real a, real b) {
    return (real)(((integer)a & J(INT64_MAX)) | ((integer)b & J(INT64_MIN)));
}
