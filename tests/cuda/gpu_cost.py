# SPDX-License-Identifier: Apache-2.0
"""What calls from Python cost with three tensors of PyTorch: gpu_cost.py python_kernels_cuda.so

Measures once for each line of the standard input, and prints nanoseconds per call as JSON. on_gpu
runs one of these on each library, and lets them measure in turn.
"""
import json
import sys
import time

import torch
import tvm_ffi

# Fewer launches than a stream queues: the launch after them would wait for the GPU.
NUM_CALLS = 500


def measure(function, x, y, z):
    calls = range(NUM_CALLS)
    start = time.perf_counter_ns()
    for _ in calls:
        function(x, y, z)
    spent = time.perf_counter_ns() - start
    torch.cuda.synchronize()
    return spent / NUM_CALLS


def add(x, y, z, torch_add=torch.add):
    torch_add(x, y, out=z)


def main():
    kernels = tvm_ffi.load_module(sys.argv[1])
    x, y, z = (torch.ones(1, device="cuda") for _ in range(3))
    functions = {
        "a call": kernels.nothing, "a call that launches": kernels.launch_nothing, "torch.add": add
    }
    for function in functions.values():
        measure(function, x, y, z)
    print("ready", flush=True)
    for _ in sys.stdin:
        best = {
            name: min(measure(function, x, y, z) for _ in range(5))
            for name, function in functions.items()
        }
        print(json.dumps(best), flush=True)


if __name__ == "__main__":
    main()
