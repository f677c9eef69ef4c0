# SPDX-License-Identifier: Apache-2.0
"""The model beside NumPy: main.py MODEL.so weights.npy"""
import sys

import numpy as np
import tvm_ffi

weights = np.split(np.load(sys.argv[2]), np.cumsum([16, 8, 16]))
w1, b1, w2, b2 = (part.reshape(shape) for part, shape in zip(weights, [(2, 8), 8, (8, 2), 2]))


def predict(x):
    """What model.graph says, in NumPy."""
    scores = np.maximum(x @ w1 + b1, 0) @ w2 + b2
    e = np.exp(scores - scores.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


model = tvm_ffi.load_module(sys.argv[1])

calls = []


# A step of the graph becomes a function in Python, as the model has not run yet.
@tvm_ffi.register_global_func("signs.relu", override=True)
def relu(x, y):
    calls.append(x.shape)
    np.maximum(np.from_dlpack(x), 0, out=np.from_dlpack(y))


x = np.random.default_rng(1).uniform(-1, 1, (1000, 2)).astype(np.float32)
y = np.empty_like(x)
model.predict(x, y)
np.testing.assert_allclose(y, predict(x), rtol=1e-5, atol=1e-6)
print("as NumPy:", y.shape == (1000, 2))
print("right:", np.mean((y[:, 1] > 0.5) == (x[:, 0] * x[:, 1] < 0)) > 0.97)
print("calls of the function in Python:", calls)

columns = np.asfortranarray(x[:5])
model.predict(columns, y[:5])
np.testing.assert_allclose(y[:5], predict(columns), rtol=1e-5, atol=1e-6)
print("in another order of elements: equal")
for wrong in (x.astype(np.float64), x[:, :1], x[:5]):
    try:
        model.predict(wrong, y)
    except (TypeError, ValueError) as error:
        print(f"{type(error).__name__}: {error}")
