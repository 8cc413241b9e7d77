#include <math.h>

typedef double real;
#define K(c) (c)
#define ROLL
#define TABLE static const
