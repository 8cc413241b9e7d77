/* The model in step with the clock: absolute deadlines, inputs and outputs over UDP, rows in a ring that others read. */
#define _GNU_SOURCE
#include "core.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define ROW (1 + N_STATES + N_OUTPUTS + N_HELD)
#define CONTROLLER_PART 0.8 /* of a period, after which a sample of a predictive controller is late */
#define BINS 32 /* of lateness: below 1, 2, 4, ... microseconds */
#define MOST 1e30 /* of an input; no machine has more of anything, in SI units */
#define MAGIC_IN 0x49424c44u  /* "DLBI" */
#define MAGIC_OUT 0x4f424c44u /* "DLBO" */

typedef struct {
    uint32_t magic, count;
    double t;
} Head;

typedef struct {
    /* given */
    double period;     /* seconds between two deadlines */
    double speed;      /* of the model's time relative to the clock; 0: as fast as possible */
    int64_t periods;   /* how many; 0: until told to stop */
    int32_t lockstep;  /* whether to wait for an input before each period */
    int32_t socket;    /* bound UDP socket, -1: none */
    double patience;   /* seconds to wait in lockstep */
    int64_t capacity;  /* rows of the ring */
    /* shared */
    _Atomic int64_t written; /* rows */
    _Atomic int32_t stop;
    /* told */
    int64_t done, overruns, received, refused, sent, late; /* `late` are samples of predictive controllers */
    double latest;     /* worst lateness [s] */
    int64_t histogram[BINS];
    int32_t status;    /* 0: ended as requested, 1: cannot continue, 2: no answer in lockstep, 3: ended by an event */
} Loop;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Deadline of predictive controllers in this period, and their number of late samples (control_entry.c). Each thread runs
 * one loop. */
static _Thread_local double due;
static _Thread_local int64_t late_samples;

double realtime_clock(void) { return now(); }

double realtime_budget(void) { return due - now(); }

void realtime_late(void) { late_samples++; }

static void sleep_until(double t) {
    struct timespec at;
    at.tv_sec = (time_t)t;
    at.tv_nsec = (long)((t - (double)at.tv_sec) * 1e9);
#ifdef __linux__
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, 0) == EINTR) {
    }
#else
    const double left = t - now();
    if (left > 0.0) {
        at.tv_sec = (time_t)left;
        at.tv_nsec = (long)((left - (double)at.tv_sec) * 1e9);
        nanosleep(&at, 0);
    }
#endif
}

static int acceptable(const double c[]) {
    for (int i = 0; i < N_INPUTS; i++)
        if (!(fabs(c[i]) <= MOST))
            return 0;
    return 1;
}

/* Takes the waiting packets and keeps the newest; 1 if there was one. `before` is the model without it. */
static int take(Loop *l, Model *m, Model *before, struct sockaddr_in *peer, int wait) {
    unsigned char bytes[sizeof(Head) + (N_INPUTS + 1) * sizeof(double)];
    const double patient = now() + l->patience;
    int found = 0;
    for (;;) {
        const int flags = wait && !found && now() < patient && !atomic_load(&l->stop) ? 0 : MSG_DONTWAIT;
        struct sockaddr_in from;
        socklen_t size = sizeof from;
        const ssize_t n = recvfrom(l->socket, bytes, sizeof bytes, flags, (struct sockaddr *)&from, &size);
        if (n < 0)
            return found;
        Head head;
        double c[N_INPUTS + 1];
        int good = n == (ssize_t)(sizeof(Head) + N_INPUTS * sizeof(double));
        if (good) {
            memcpy(&head, bytes, sizeof head);
            memcpy(c, bytes + sizeof head, N_INPUTS * sizeof(double));
            good = head.magic == MAGIC_IN && acceptable(c);
        }
        if (!good) {
            l->refused++;
            continue;
        }
        if (!found)
            copy(before, m);
        memcpy(loop_of(m)->c, c, N_INPUTS * sizeof(double));
        m->stale = 1;
        *peer = from;
        l->received++;
        found = 1;
    }
}

static void tell(Loop *l, Model *m, const struct sockaddr_in *peer, double *ring) {
    evaluate(m);
    const int64_t k = atomic_load_explicit(&l->written, memory_order_relaxed);
    double *const row = ring + (k % l->capacity) * ROW;
    const struct loop *const L = loop_of(m);
    row[0] = L->t;
    memcpy(row + 1, L->x, N_STATES * sizeof(double));
    memcpy(row + 1 + N_STATES, m->y, N_OUTPUTS * sizeof(double));
    memcpy(row + 1 + N_STATES + N_OUTPUTS, L->c, N_HELD * sizeof(double));
    atomic_store_explicit(&l->written, k + 1, memory_order_release);
    if (l->socket >= 0 && peer->sin_port) {
        unsigned char bytes[sizeof(Head) + (N_STATES + N_OUTPUTS) * sizeof(double)];
        const Head head = {MAGIC_OUT, (uint32_t)k, L->t};
        memcpy(bytes, &head, sizeof head);
        memcpy(bytes + sizeof head, row + 1, (N_STATES + N_OUTPUTS) * sizeof(double));
        if (sendto(l->socket, bytes, sizeof bytes, MSG_DONTWAIT, (const struct sockaddr *)peer, sizeof *peer) > 0)
            l->sent++;
    }
}

#pragma GCC visibility push(default)

size_t loop_size(void) { return sizeof(Loop); }

size_t row_size(void) { return ROW; }

size_t model_size(void) { return sizeof(Model); }

void model_start(void *model) { start(model); }

/* Reason why it cannot continue, in words. */
const char *model_complaint(const void *model) { return complaint(model); }

/* Opens a UDP socket on 127.0.0.1 and stores its port. -1 if that is impossible. */
int open_port(int port, double patience, int *bound) {
    const int s = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in a;
    socklen_t size = sizeof a;
    if (s < 0)
        return -1;
    memset(&a, 0, sizeof a);
    a.sin_family = AF_INET;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    a.sin_port = htons((uint16_t)port);
    struct timeval wait;
    wait.tv_sec = (time_t)patience;
    wait.tv_usec = (suseconds_t)((patience - (double)wait.tv_sec) * 1e6);
    if (bind(s, (struct sockaddr *)&a, sizeof a) || getsockname(s, (struct sockaddr *)&a, &size) ||
        setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait)) {
        close(s);
        return -1;
    }
    *bound = ntohs(a.sin_port);
    return s;
}

void close_port(int s) { close(s); }

int64_t rows_written(const Loop *l) { return atomic_load_explicit(&l->written, memory_order_acquire); }

void stop_loop(Loop *l) { atomic_store(&l->stop, 1); }

/* Runs until the periods are done or a stop is requested; called without the interpreter's lock. `spare` has the size
 * of the model. */
void run_loop(Loop *l, void *model, void *spare, double *ring) {
    Model *const m = model;
#ifdef __linux__
    prctl(PR_SET_TIMERSLACK, 1UL); /* of this thread: wake up when asked to, not up to 50 microseconds later */
#endif
    struct sockaddr_in peer;
    memset(&peer, 0, sizeof peer);
    const double began = now(), paced = l->speed > 0.0 ? l->period / l->speed : 0.0, t0 = loop_of(m)->t;
    int begun = 0;
    late_samples = 0;
    tell(l, m, &peer, ring);
    for (int64_t k = 0; (l->periods == 0 || k < l->periods) && !atomic_load(&l->stop); k++) {
        const int told = l->socket >= 0 && take(l, m, spare, &peer, l->lockstep);
        if (l->lockstep && !told) {
            l->status = atomic_load(&l->stop) ? 0 : 2;
            return;
        }
        due = paced > 0.0 ? began + paced * ((double)k + CONTROLLER_PART) : HUGE_VAL;
        const double from = t0 + l->period * (double)k, to = t0 + l->period * (double)(k + 1);
        int failed = (!begun && begin(m)) || advance(m, from, to - from);
        if (failed && told) { /* it cannot continue with the new inputs: use the last ones */
            copy(m, spare);
            l->received--, l->refused++;
            failed = (!begun && begin(m)) || advance(m, from, to - from);
        }
        if (failed) {
            l->status = 1;
            return;
        }
        begun = 1;
        l->late = late_samples;
        if (m->outcome == STOPPED) {
            tell(l, m, &peer, ring);
            l->status = 3;
            return;
        }
        if (paced > 0.0) {
            const double deadline = began + paced * (double)(k + 1);
            if (now() > deadline)
                l->overruns++; /* the work of the period was not done when the next one began */
            else
                sleep_until(deadline);
            const double late = now() - deadline;
            if (late > l->latest)
                l->latest = late;
            int bin = 0;
            for (double edge = 1e-6; late >= edge && bin < BINS - 1; edge *= 2.0)
                bin++;
            l->histogram[bin]++;
        }
        tell(l, m, &peer, ring);
        l->done = k + 1;
    }
    l->status = 0;
}

#pragma GCC visibility pop
