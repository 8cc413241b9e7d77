/* A controller of the crane of realtime_crane.py, outside of its loop:
 *
 *     python realtime_crane.py 9000 &
 *     cc -std=c99 realtime_crane.c -o crane && ./crane 9000
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

typedef struct {
    char letters[4];
    uint32_t count;
    double t;
} Head;

int main(int argc, char **argv) {
    const int s = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in to = {0};
    to.sin_family = AF_INET;
    to.sin_port = htons((uint16_t)(argc > 1 ? atoi(argv[1]) : 9000));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (s < 0 || connect(s, (struct sockaddr *)&to, sizeof to)) {
        perror("socket");
        return 1;
    }
    double force = 0.0; /* until it is known where the crane is */
    for (uint32_t k = 0; k < 1000; k++) {
        unsigned char packet[4096];
        const Head head = {{'D', 'L', 'B', 'I'}, k, 0.0};
        memcpy(packet, &head, sizeof head);
        memcpy(packet + sizeof head, &force, sizeof force);
        if (send(s, packet, sizeof head + sizeof force, 0) < 0) {
            perror("no loop listens there");
            return 1;
        }
        const ssize_t n = recv(s, packet, sizeof packet, 0);
        double x[4]; /* x, theta, x_dot, theta_dot */
        if (n < (ssize_t)(sizeof(Head) + sizeof x)) {
            fprintf(stderr, "no loop answers, or one of another machine\n");
            return 1;
        }
        Head answer;
        memcpy(&answer, packet, sizeof answer);
        memcpy(x, packet + sizeof answer, sizeof x);
        force = -(8.94 * x[0] + 5.14 * x[1] + 7.84 * x[2] + 0.58 * x[3]);
        if (answer.count % 200 == 0)
            printf("%.3f s  x = %.9f m  theta = %.9f rad\n", answer.t, x[0], x[1]);
    }
    return 0;
}
