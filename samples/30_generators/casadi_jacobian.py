# SPDX-License-Identifier: Apache-2.0
# PyPI: casadi==3.8.2
"""CasADi: the Jacobian of a Runge-Kutta step of the van der Pol oscillator"""
import casadi
import numpy as np

from checked_kernel import compare, load


def slope(x, push, stack):
    return stack(x[1], (1 - x[0] ** 2) * x[1] - x[0] + push)


def step(x, push, stack, time=0.1):
    k1 = slope(x, push, stack)
    k2 = slope(x + time / 2 * k1, push, stack)
    k3 = slope(x + time / 2 * k2, push, stack)
    k4 = slope(x + time * k3, push, stack)
    return x + time / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


state, push = casadi.MX.sym("x", 2), casadi.MX.sym("push")
result = casadi.jacobian(step(state, push, casadi.vertcat), state)
casadi.Function("jacobian", [state, push], [result], ["x", "push"], ["j"]).generate("jacobian.c")

# CasADi stores matrices column by column; the kernel has them row by row, like NumPy.
kernels = load("int jacobian(const double x[2], double push, double j[2][2])",
               include=["jacobian.c"], options=["--abi=casadi"])


def numpy_step(x):
    return step(x, 2.0, lambda *parts: np.array(parts))


x, change = np.array([0.5, -1.5]), 1e-4
columns = [(numpy_step(x + axis) - numpy_step(x - axis)) / (2 * change)
           for axis in change * np.eye(2)]
compare(lambda j, *inputs: kernels.jacobian(*inputs, j), [x, 2.0], np.transpose(columns))
