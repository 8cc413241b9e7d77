// Dynamics by Pinocchio in a compiled loop, behind a C interface.
//
// The tree is handed over joint by joint, so that no parser is needed: the headers of Pinocchio, Eigen and Boost are all.
// Everything is compiled here, from the headers, and nothing of Pinocchio's libraries is called: the build may then use
// the instructions of this processor (-march=native) without a clash of memory layouts.

#include <Eigen/Core>

#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "pinocchio/multibody.hpp"
#include "pinocchio/multibody/joint.hpp"
#include "pinocchio/algorithm/aba.hpp"
#include "pinocchio/algorithm/aba-derivatives.hpp"
#include "pinocchio/algorithm/crba.hpp"
#include "pinocchio/algorithm/rnea.hpp"

#if defined(__GNUC__)
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif

namespace {

struct Robot {
    pinocchio::Model model;
    pinocchio::Data data;
    std::vector<Eigen::VectorXd> q, v, x;
};

pinocchio::JointModel make_joint(const std::string &name, const double *axis) {
    using namespace pinocchio;
    const Eigen::Vector3d a(axis[0], axis[1], axis[2]);
    if (name == "JointModelRX") return JointModelRX();
    if (name == "JointModelRY") return JointModelRY();
    if (name == "JointModelRZ") return JointModelRZ();
    if (name == "JointModelRUBX") return JointModelRUBX();
    if (name == "JointModelRUBY") return JointModelRUBY();
    if (name == "JointModelRUBZ") return JointModelRUBZ();
    if (name == "JointModelRevoluteUnaligned") return JointModelRevoluteUnaligned(a);
    if (name == "JointModelRevoluteUnboundedUnaligned") return JointModelRevoluteUnboundedUnaligned(a);
    if (name == "JointModelPX") return JointModelPX();
    if (name == "JointModelPY") return JointModelPY();
    if (name == "JointModelPZ") return JointModelPZ();
    if (name == "JointModelPrismaticUnaligned") return JointModelPrismaticUnaligned(a);
    if (name == "JointModelSpherical") return JointModelSpherical();
    if (name == "JointModelPlanar") return JointModelPlanar();
    if (name == "JointModelFreeFlyer") return JointModelFreeFlyer();
    throw std::invalid_argument("unknown joint " + name);
}

}  // namespace

extern "C" {

// kinds: names separated by newlines; per joint: parent, axis (3), placement (R row by row, then p: 12),
// mass, centre of mass (3) and inertia about it (xx, xy, yy, xz, yz, zz: 6), all in the joint's frame.
EXPORT void *robot_new(int n, const char *kinds, const int *parents, const double *axes, const double *placements,
                       const double *inertias, const double *gravity, const double *armature) {
    try {
        auto robot = std::make_unique<Robot>();
        pinocchio::Model &model = robot->model;
        model.gravity.linear() = Eigen::Vector3d(gravity[0], gravity[1], gravity[2]);
        std::string text(kinds);
        std::size_t start = 0;
        for (int i = 0; i < n; i++) {
            const std::size_t stop = text.find('\n', start);
            const std::string kind = text.substr(start, stop - start);
            start = stop + 1;
            const double *X = placements + 12 * i;
            Eigen::Matrix3d R;
            R << X[0], X[1], X[2], X[3], X[4], X[5], X[6], X[7], X[8];
            const pinocchio::SE3 placement(R, Eigen::Vector3d(X[9], X[10], X[11]));
            const auto joint = model.addJoint(parents[i], make_joint(kind, axes + 3 * i), placement,
                                              "joint" + std::to_string(i));
            const double *Y = inertias + 10 * i;
            model.appendBodyToJoint(
                joint,
                pinocchio::Inertia(Y[0], Eigen::Vector3d(Y[1], Y[2], Y[3]),
                                   pinocchio::Symmetric3(Y[4], Y[5], Y[6], Y[7], Y[8], Y[9])),
                pinocchio::SE3::Identity());
        }
        for (int i = 0; i < model.nv; i++) model.armature[i] = armature[i];
        robot->data = pinocchio::Data(model);
        return robot.release();
    } catch (const std::exception &) {
        return nullptr;
    }
}

EXPORT void robot_delete(void *handle) { delete static_cast<Robot *>(handle); }

// Keep n states (rows of q, v, x) for the loop; x: forces, or accelerations for the inverse dynamics.
EXPORT void robot_states(void *handle, long n, const double *q, const double *v, const double *x) {
    Robot &robot = *static_cast<Robot *>(handle);
    const int nq = robot.model.nq, nv = robot.model.nv;
    robot.q.resize(n), robot.v.resize(n), robot.x.resize(n);
    for (long i = 0; i < n; i++) {
        robot.q[i] = Eigen::Map<const Eigen::VectorXd>(q + i * nq, nq);
        robot.v[i] = Eigen::Map<const Eigen::VectorXd>(v + i * nv, nv);
        robot.x[i] = Eigen::Map<const Eigen::VectorXd>(x + i * nv, nv);
    }
}

// One call for each state; world: 0 local, 1 world convention, where the algorithm has both.
// Vectors are copied to out, one per state. Matrices stay where Pinocchio leaves them, in its Data, unless out is given:
// then they are copied, column by column. quantity: 0 aba, 1 rnea, 2 crba (upper triangle), 3 computeABADerivatives.
EXPORT int robot_loop(void *handle, int quantity, int world, double *out) {
    Robot &robot = *static_cast<Robot *>(handle);
    pinocchio::Model &model = robot.model;
    pinocchio::Data &data = robot.data;
    const int nv = model.nv;
    const long n = static_cast<long>(robot.q.size());
    const auto convention = world ? pinocchio::Convention::WORLD : pinocchio::Convention::LOCAL;
    const auto vector = [&](long i) { return Eigen::Map<Eigen::VectorXd>(out + i * nv, nv); };
    const auto matrix = [&](long i) { return Eigen::Map<Eigen::MatrixXd>(out + i * nv * nv, nv, nv); };
    switch (quantity) {
        case 0:
            for (long i = 0; i < n; i++)
                vector(i) = pinocchio::aba(model, data, robot.q[i], robot.v[i], robot.x[i], convention);
            return 0;
        case 1:
            for (long i = 0; i < n; i++) vector(i) = pinocchio::rnea(model, data, robot.q[i], robot.v[i], robot.x[i]);
            return 0;
        case 2:
            for (long i = 0; i < n; i++) {
                pinocchio::crba(model, data, robot.q[i], convention);
                if (out) matrix(i) = data.M;
            }
            return 0;
        case 3:
            for (long i = 0; i < n; i++) {
                pinocchio::computeABADerivatives(model, data, robot.q[i], robot.v[i], robot.x[i]);
                if (!out) continue;
                matrix(3 * i) = data.ddq_dq;
                matrix(3 * i + 1) = data.ddq_dv;
                matrix(3 * i + 2) = data.Minv;
            }
            return 0;
        default:
            return 1;
    }
}

}  // extern "C"
