/* The exported controller of the benchmark as a client of the loop in real time: states in, inputs out, packet by packet.
 * Arguments: port, periods. Prints the number of answers, the samples that were late, and the longest one in seconds.
 * Ends when no packet arrives for a second. */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#include "bench.h"

struct head {
    char letters[4];
    uint32_t count;
    double t;
};

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    const int s = socket(AF_INET, SOCK_DGRAM, 0);
    const struct timeval patience = {1, 0};
    struct sockaddr_in to;
    double u[BENCH_INPUTS] = {0.0}, x[BENCH_STATES], parameters[BENCH_PARAMETERS + 1] = {0.0}, info[8], longest = 0.0;
    long answers = 0, late = 0;
    memset(&to, 0, sizeof to);
    to.sin_family = AF_INET;
    to.sin_port = htons((uint16_t)(argc > 1 ? atoi(argv[1]) : 9000));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (s < 0 || connect(s, (struct sockaddr *)&to, sizeof to) ||
        setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience))
        return 1;
    bench_deadline(seconds, DEADLINE);
    for (const long most = argc > 2 ? atol(argv[2]) : 1000; answers < most;) {
        unsigned char packet[65536];
        struct head head = {{'D', 'L', 'B', 'I'}, (uint32_t)answers, 0.0};
        memcpy(packet, &head, sizeof head);
        memcpy(packet + sizeof head, u, sizeof u);
        if (send(s, packet, sizeof head + sizeof u, 0) < 0) return 1;
        if (recv(s, packet, sizeof packet, 0) < (ssize_t)(sizeof head + sizeof x)) break;
        memcpy(&head, packet, sizeof head);
        memcpy(x, packet + sizeof head, sizeof x);
        late += bench_step(head.t, x, parameters, u, info) == 4;
        longest = info[6] > longest ? info[6] : longest;
        answers++;
    }
    printf("%ld %ld %.9g\n", answers, late, longest);
    return 0;
}
