# SPDX-License-Identifier: Apache-2.0
"""Writes the weights of model.graph: train.py weights.npy"""
import sys

import numpy as np

random = np.random.default_rng(26)
w1, b1 = random.standard_normal((2, 8)), np.zeros(8)
w2, b2 = random.standard_normal((8, 2)), np.zeros(2)
for _ in range(3000):
    x = random.uniform(-1, 1, (256, 2))
    different = (x[:, 0] * x[:, 1] < 0).astype(int)
    scores1 = x @ w1 + b1
    hidden = np.maximum(scores1, 0)
    scores2 = hidden @ w2 + b2
    y = np.exp(scores2 - scores2.max(1, keepdims=True))
    y /= y.sum(1, keepdims=True)
    # The gradient of the cross entropy, backwards through the layers.
    error2 = (y - np.eye(2)[different]) / len(x)
    error1 = (error2 @ w2.T) * (scores1 > 0)
    for weights, gradient in ((w2, hidden.T @ error2), (b2, error2.sum(0)), (w1, x.T @ error1),
                              (b1, error1.sum(0))):
        weights -= 0.5 * gradient
np.save(sys.argv[1],
        np.concatenate([weights.ravel() for weights in (w1, b1, w2, b2)]).astype(np.float32))
