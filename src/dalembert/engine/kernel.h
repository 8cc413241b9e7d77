/* The tapes of a machine in C: functions of arrays, with a work array of the caller. 0 = ok. */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdint.h>

typedef int (*kernel)(const double *const *in, double *const *out, double *work);

/* A function that a structure S has: by its address, or by its name where addresses cost too much (collide/device.h). */
#if !defined(CALLED)
#define CALLED(S, name) S->name
#endif

/* Values of `fired` for an event: it happens; it happens after the others of this instant; a transition has made it
 * happen, and its own transition is still to come. */
enum { HAPPENS = 1, HAPPENS_LAST = 2, FOLLOWS = 3 };

#endif
