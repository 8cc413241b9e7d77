/* A vector of the machine's width (GCC and Clang vector extensions) as `real`. */
#include <math.h>
#include <stdint.h>

#if defined(__AVX512F__)
#define LANES 8
#define ALL(c) {c, c, c, c, c, c, c, c}
#elif defined(__AVX__)
#define LANES 4
#define ALL(c) {c, c, c, c}
#else
#define LANES 2
#define ALL(c) {c, c}
#endif
#define ALIGNMENT (8 * LANES)

typedef double real __attribute__((vector_size(ALIGNMENT)));
typedef int64_t integer __attribute__((vector_size(ALIGNMENT)));
#define K(c) ((real)ALL(c))
#define J(c) ((integer)ALL(c))

static inline integer bits(real x) { return (integer)x; }
static inline real from_bits(integer i) { return (real)i; }
static inline real select_(integer m, real a, real b) { return (real)((m & (integer)a) | (~m & (integer)b)); }
static inline real truth(integer m) { return (real)(m & (integer)K(1.0)); }
static inline real magnitude(real a) { return (real)((integer)a & J(INT64_MAX)); }

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define SHUFFLES 1
#endif
#endif

/* Whether any lane of a mask is set. */
static inline int any(integer m) {
#if LANES == 8 && defined(__GNUC__) && !defined(__clang__)
    typedef long long words __attribute__((vector_size(64)));
    return __builtin_ia32_ptestmq512((words)m, (words)m, (unsigned char)-1) != 0;
#elif LANES == 4 && defined(__GNUC__)
    return __builtin_ia32_movmskpd256((real)m) != 0;
#elif defined(SHUFFLES) && LANES == 8
    m |= __builtin_shufflevector(m, m, 4, 5, 6, 7, 0, 1, 2, 3);
    m |= __builtin_shufflevector(m, m, 2, 3, 0, 1, 6, 7, 4, 5);
    return (m[0] | m[1]) != 0;
#elif defined(SHUFFLES) && LANES == 4
    m |= __builtin_shufflevector(m, m, 2, 3, 0, 1);
    return (m[0] | m[1]) != 0;
#else
    int64_t r = 0;
    for (int i = 0; i < LANES; i++) r |= m[i];
    return r != 0;
#endif
}
