/* The camera-guided capture of realtime_capture.py with a client in C, without Python and without the two arms:
 *
 *     cc -std=c99 -O2 realtime_capture.c -lm -o capture
 *     python realtime_capture.py --serve 9000 &
 *     ./capture 9000
 *
 * The inputs are the states of chaser and debris, the outputs are three torques of joints, and force and torque of the
 * base. The hand looks at the target through a stereo camera over a safety offset of 2 m, at a scale of 0.28; what it
 * sees is rounded to a fifth of a pixel and 80 ms late.
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { BASE = 0, JOINTS = 7, DEBRIS = 10, RATES = 17, STATES = 32, INPUTS = 9 };

static const double period = 0.04, delay = 0.08, scale = 0.28, offset = 2.0;
static const double gain = 2.5e-3 / 4.65e-6, baseline = 0.12; /* SPACE (9.2): focal length over pixel size */
static const double segment = 2.5, anchor = 1.75;
static const double rim[3] = {-0.25, 0.75, 0.0}; /* the target on the debris */

typedef struct {
    char letters[4];
    uint32_t count;
    double t;
} Head;

static void rotation(const double q[4], double R[3][3]) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double rows[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                               {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                               {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(R, rows, sizeof rows);
}

static void turned(double R[3][3], const double v[3], double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = R[i][0] * v[0] + R[i][1] * v[1] + R[i][2] * v[2];
}

static void solve(double A[3][3], const double b[3], double x[3]) { /* Cramer's rule */
    const double c0 = A[1][1] * A[2][2] - A[1][2] * A[2][1], c1 = A[1][2] * A[2][0] - A[1][0] * A[2][2];
    const double c2 = A[1][0] * A[2][1] - A[1][1] * A[2][0];
    const double det = A[0][0] * c0 + A[0][1] * c1 + A[0][2] * c2;
    for (int k = 0; k < 3; k++) {
        double B[3][3];
        memcpy(B, A, sizeof B);
        for (int i = 0; i < 3; i++)
            B[i][k] = b[i];
        x[k] = (B[0][0] * (B[1][1] * B[2][2] - B[1][2] * B[2][1]) + B[0][1] * (B[1][2] * B[2][0] - B[1][0] * B[2][2]) +
                B[0][2] * (B[1][0] * B[2][1] - B[1][1] * B[2][0])) / det;
    }
}

/* The tip in axes of the base, and its Jacobian: a yaw and two pitches. */
static void arm(const double th[3], double p[3], double J[3][3]) {
    const double c = cos(th[0]), s = sin(th[0]), b = th[1] + th[2];
    const double r = segment * (cos(th[1]) + cos(b)), z = -segment * (sin(th[1]) + sin(b));
    const double dr[2] = {z, -segment * sin(b)}, dz[2] = {-r, -segment * cos(b)};
    p[0] = anchor + c * r, p[1] = s * r, p[2] = z;
    J[0][0] = -s * r, J[1][0] = c * r, J[2][0] = 0.0;
    for (int k = 0; k < 2; k++)
        J[0][k + 1] = c * dr[k], J[1][k + 1] = s * dr[k], J[2][k + 1] = dz[k];
}

static double rounded(double pixels) { return round(5.0 * pixels) / 5.0; }

/* The way from tip to target, as the camera has it. */
static void seen(const double way[3], double out[3]) {
    const double x = -scale * way[1], y = -scale * way[2], z = offset + scale * way[0];
    const double left = rounded(gain * (x + 0.5 * baseline) / z), right = rounded(gain * (x - 0.5 * baseline) / z);
    const double down = rounded(gain * y / z), depth = gain * baseline / (left - right);
    out[0] = (depth - offset) / scale;
    out[1] = -0.5 * depth * (left + right) / gain / scale;
    out[2] = -depth * down / gain / scale;
}

typedef struct {
    double p[3], v[3], a[3];
    int begun;
} Target;

/* Where the target was when the picture was taken: an observer, one period further. */
static void see(Target *target, const double place[3]) {
    const double w = 1.5, h = period;
    for (int i = 0; i < 3; i++) {
        const double miss = target->begun ? place[i] - target->p[i] : 0.0;
        if (!target->begun)
            target->p[i] = place[i];
        target->p[i] += h * target->v[i] + 0.5 * h * h * target->a[i] + h * 3 * w * miss;
        target->v[i] += h * target->a[i] + h * 3 * w * w * miss;
        target->a[i] += h * w * w * w * miss;
    }
    target->begun = 1;
}

static void law(const double *x, const Target *target, const double tip[3], double R[3][3], double u[INPUTS]) {
    const double *v = x + RATES, inertia[3] = {450.0, 450.0, 110.0};
    double p[3], J[3][3], wanted[3], gap[3], norm = 0.0, rates[3], feed[3], local[3], push[3];
    for (int i = 0; i < 3; i++) {
        const double where = target->p[i] + delay * target->v[i] + 0.5 * delay * delay * target->a[i];
        gap[i] = 0.8 * (where - tip[i]);
        norm += gap[i] * gap[i];
    }
    norm = sqrt(norm);
    for (int i = 0; i < 3; i++)
        wanted[i] = target->v[i] + delay * target->a[i] + gap[i] * (norm > 0.12 ? 0.12 / norm : 1.0);
    /* Everything in axes of the base, whose own motion is taken off: v + w x p. */
    double T[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            T[i][k] = R[k][i];
    arm(x + JOINTS, p, J);
    turned(T, wanted, local);
    turned(T, target->a, push);
    local[0] -= v[0] + v[4] * p[2] - v[5] * p[1];
    local[1] -= v[1] + v[5] * p[0] - v[3] * p[2];
    local[2] -= v[2] + v[3] * p[1] - v[4] * p[0];
    solve(J, local, rates);
    solve(J, push, feed);
    const double side = x[BASE + 3] < 0 ? -2.0 : 2.0;
    for (int i = 0; i < 3; i++) {
        u[i] = inertia[i] * (6.0 * (rates[i] - v[6 + i]) + feed[i]);
        u[3 + i] = -40.0 * x[BASE + i] - 560.0 * v[i];
        u[6 + i] = -160.0 * side * x[BASE + 4 + i] - 1600.0 * v[3 + i];
    }
}

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
    double u[INPUTS] = {0}, late[2][3] = {{0}}, sum = 0.0;
    Target target = {{0}, {0}, {0}, 0};
    int counted = 0;
    for (uint32_t k = 0; k < 1500; k++) {
        unsigned char packet[8192];
        const Head head = {{'D', 'L', 'B', 'I'}, k, 0.0};
        memcpy(packet, &head, sizeof head);
        memcpy(packet + sizeof head, u, sizeof u);
        if (send(s, packet, sizeof head + sizeof u, 0) < 0)
            return 1;
        const ssize_t n = recv(s, packet, sizeof packet, 0);
        if (n < (ssize_t)(sizeof(Head) + STATES * sizeof(double)))
            return 1;
        double x[STATES], R[3][3], D[3][3], p[3], J[3][3], tip[3], point[3], way[3], view[3], miss = 0.0;
        memcpy(x, packet + sizeof(Head), sizeof x);
        rotation(x + BASE + 3, R);
        rotation(x + DEBRIS + 3, D);
        arm(x + JOINTS, p, J);
        turned(R, p, tip);
        turned(D, rim, point);
        for (int i = 0; i < 3; i++) {
            tip[i] += x[BASE + i];
            way[i] = x[DEBRIS + i] + point[i] - tip[i];
            miss += way[i] * way[i];
        }
        /* Two periods of 40 ms are the delay: what is used now was seen then. */
        if (k >= 2)
            see(&target, late[k % 2]);
        seen(way, view);
        for (int i = 0; i < 3; i++)
            late[k % 2][i] = tip[i] + view[i];
        if (target.begun)
            law(x, &target, tip, R, u);
        miss = sqrt(miss);
        if (k % 250 == 0)
            printf("%5.1f s  %7.1f mm from the target\n", (k + 1) * period, 1e3 * miss);
        if (k * period > 40.0)
            sum += miss, counted++;
    }
    printf("after 40 s: %.1f mm on average\n", 1e3 * sum / counted);
    return 0;
}
