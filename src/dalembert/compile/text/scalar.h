/* One instance at a time: `real` is a double. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#define HIDDEN
#else
#define EXPORT __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))
#endif
typedef double real;
typedef int64_t integer;
#define K(c) (c)
#define ROLL
#define TABLE static const
#define J(c) ((integer)(c))
#define SIGN(a) ((a) < 0 ? -1.0 : (a) > 0 ? 1.0 : (a))
#define NOT(a) ((a) == 0 ? 1.0 : 0.0)
#define LT(a, b) ((a) < (b) ? 1.0 : 0.0)
#define LE(a, b) ((a) <= (b) ? 1.0 : 0.0)
#define EQ(a, b) ((a) == (b) ? 1.0 : 0.0)
#define NE(a, b) ((a) != (b) ? 1.0 : 0.0)
#define AND(a, b) ((a) != 0 && (b) != 0 ? 1.0 : 0.0)
#define OR(a, b) ((a) != 0 || (b) != 0 ? 1.0 : 0.0)
#define IF_ELSE_ZERO(a, b) ((a) == 0 ? 0.0 : (b))

static inline integer bits(real x) {
    integer i;
    memcpy(&i, &x, sizeof i);
    return i;
}

static inline real from_bits(integer i) {
    real x;
    memcpy(&x, &i, sizeof x);
    return x;
}
