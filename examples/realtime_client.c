/* A controller of the cart of docs/realtime.md, outside of the loop: cc -std=c99 realtime_client.c -o client && ./client 9000
 *
 * Start the machine first, with 9000 as its port: its motor is the only input, x and theta are its coordinates.
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
    double force = 0.0;
    for (uint32_t k = 0; k < 1000; k++) {
        unsigned char packet[4096];
        const Head head = {{'D', 'L', 'B', 'I'}, k, 0.0};
        memcpy(packet, &head, sizeof head);
        memcpy(packet + sizeof head, &force, sizeof force);
        if (send(s, packet, sizeof head + sizeof force, 0) < 0)
            break;
        const ssize_t n = recv(s, packet, sizeof packet, 0);
        if (n < (ssize_t)(sizeof(Head) + 4 * sizeof(double)))
            break;
        double x[4]; /* x, theta, x_dot, theta_dot */
        memcpy(x, packet + sizeof(Head), sizeof x);
        force = -8.0 * x[0] - 3.0 * x[2];
        if (k % 100 == 0)
            printf("%4u  x = %8.4f m  theta = %8.4f rad\n", (unsigned)k, x[0], x[1]);
    }
    return 0;
}
