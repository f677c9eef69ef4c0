# SPDX-License-Identifier: Apache-2.0
# PyPI: emx-onnx-cgen==1.4.0 onnx==1.23.2
"""emx-onnx-cgen: an ONNX model: convolution, pooling, a dense layer, softmax"""
import re

import numpy as np
import onnx
from numpy.lib.stride_tricks import sliding_window_view
from onnx import TensorProto, helper, numpy_helper

from checked_kernel import compare, load, run

random = np.random.default_rng(0)
filters = random.standard_normal((4, 1, 3, 3), np.float32)
weights = random.standard_normal((10, 4 * 13 * 13), np.float32) / 26

nodes = [
    helper.make_node("Conv", ["x", "filters"], ["convolved"]),
    helper.make_node("Relu", ["convolved"], ["activated"]),
    helper.make_node("MaxPool", ["activated"], ["pooled"], kernel_shape=[2, 2], strides=[2, 2]),
    helper.make_node("Flatten", ["pooled"], ["flat"]),
    helper.make_node("Gemm", ["flat", "weights"], ["scores"], transB=1),
    helper.make_node("Softmax", ["scores"], ["y"]),
]
graph = helper.make_graph(
    nodes, "digits", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 28, 28])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 10])],
    [numpy_helper.from_array(filters, "filters"), numpy_helper.from_array(weights, "weights")])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), "digits.onnx")

run("emx-onnx-cgen", "compile", "--model-name=digits", "digits.onnx", "digits.c")
kernels = load("void digits(const float x[1][1][28][28], float y[1][10])", include=["digits.c"])

x = random.standard_normal((1, 1, 28, 28), np.float32)
activated = np.maximum(
    np.einsum("hwij,fij->fhw", sliding_window_view(x[0, 0], (3, 3)), filters[:, 0]), 0)
pooled = activated.reshape(4, 13, 2, 13, 2).max((2, 4))
e = np.exp(weights @ pooled.reshape(-1))
compare(lambda output, picture: kernels.digits(picture, output), [x], (e / e.sum())[np.newaxis])
