/* What the tapes of a machine are in C: functions of arrays, with a work array of the caller. 0 = ok. */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdint.h>

typedef int (*kernel)(const double *const *in, double *const *out, double *work);

#endif
