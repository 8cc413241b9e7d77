#include <math.h>

typedef double real;
#define K(c) (c)
#define ROLL
#define TABLE static const
#define SIGN(a) ((a) < 0 ? -1.0 : (a) > 0 ? 1.0 : (a))
#define NOT(a) ((a) == 0 ? 1.0 : 0.0)
#define LT(a, b) ((a) < (b) ? 1.0 : 0.0)
#define LE(a, b) ((a) <= (b) ? 1.0 : 0.0)
#define EQ(a, b) ((a) == (b) ? 1.0 : 0.0)
#define NE(a, b) ((a) != (b) ? 1.0 : 0.0)
#define AND(a, b) ((a) != 0 && (b) != 0 ? 1.0 : 0.0)
#define OR(a, b) ((a) != 0 || (b) != 0 ? 1.0 : 0.0)
#define IF_ELSE_ZERO(a, b) ((a) == 0 ? 0.0 : (b))
