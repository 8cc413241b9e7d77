/* One instance at a time: `real` is a double. */
#include <math.h>
#include <stdint.h>
#include <string.h>
typedef double real;
typedef int64_t integer;
#define K(c) (c)
#define ROLL
#define TABLE static const
#define J(c) ((integer)(c))

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
