# SPDX-License-Identifier: Apache-2.0
"""PyTorch's tensors in kernels of a GPU: streams, its allocator, views, dtypes, graphs, threads,
errors.

On the CPU (--device cpu) the cases that need a stream are skipped.
"""
import gc
import json
import threading

import numpy
import torch
import tvm_ffi
from checks import case, check, equal, outcome, raises, run, show, skip

FACTOR = 2.5
# Half a second and more of a GPU's clock.
LONG = 1_500_000_000


def load(libraries, device):
    """The kernel of samples/12_scale_kernel, and those of python_kernels.cu."""
    return [load_one(libraries, device, name) for name in ("scale", "python_kernels")]


def load_one(libraries, device, name):
    return tvm_ffi.load_module(str(libraries / f"{name}_{device}.so"))


def wait(device):
    if device == "cuda":
        torch.cuda.synchronize()


def no_gpu(device):
    if device != "cuda":
        skip("all of it", "needs a GPU")
    return device != "cuda"


def numbers(device, *shape, dtype=torch.float32):
    count = torch.Size(shape).numel()
    return torch.arange(1, count + 1, device=device).reshape(shape).to(dtype)


@case
def scale(libraries, device):
    """Every size, shape and dtype that the kernel of the sample takes."""
    kernels = load_one(libraries, device, "scale")
    for shape in ((0,), (1,), (255,), (256,), (257,), (1 << 20,), (3, 5, 7), (1, 1)):
        x = torch.rand(shape, device=device)
        y = torch.full_like(x, -1)
        equal(f"shape {shape} returns nothing", kernels.scale(x, y, FACTOR), None)
        wait(device)
        check(f"shape {shape} is right", torch.equal(y, x * FACTOR))
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        x = numbers(device, 1000, dtype=dtype)
        y = torch.empty_like(x)
        kernels.scale(x, y, FACTOR)
        check(f"{dtype} is right", torch.equal(y, (x.to(torch.float64) * FACTOR).to(dtype)))


@case
def side_stream(libraries, device):
    """Kernels run on the current stream of PyTorch: after the work before them there, before the
    work after them."""
    if no_gpu(device):
        return
    kernels, more = load(libraries, device)
    stream = torch.cuda.Stream()
    x, y, z = (torch.zeros(1000, device=device) for _ in range(3))

    def steps(call):
        # All that a step needs is loaded when the second round runs: loading may wait for the whole
        # GPU.
        for cycles in (1000, LONG):
            x.zero_(), y.zero_(), z.zero_()
            torch.cuda.synchronize()
            with torch.cuda.stream(stream):
                torch.cuda._sleep(cycles)
                x.fill_(3)
                call()
                torch.add(y, 1, out=z)
            is_busy = not stream.query()
            torch.cuda.synchronize()
        return is_busy, y.unique().tolist(), z.unique().tolist()

    equal("the kernel runs after the work before it, and the call does not wait",
          steps(lambda: kernels.scale(x, y, FACTOR)), (True, [3 * FACTOR], [3 * FACTOR + 1]))
    # The package's tensors bring no stream, so this call shows what a wrong stream does.
    views = tvm_ffi.from_dlpack(x), tvm_ffi.from_dlpack(y)
    equal("on the default stream it would run before that work",
          steps(lambda: kernels.scale(*views, FACTOR)), (True, [0.0], [1.0]))

    equal("outside, the stream is the default one", more.get_stream(x),
          torch.cuda.current_stream().cuda_stream)
    with torch.cuda.stream(stream):
        equal("the kernel finds PyTorch's stream", more.get_stream(x), stream.cuda_stream)
        equal("a call without a tensor finds none", more.get_stream_of(0), 0)
        raises("an error", ValueError, "on purpose", more.fail, x)
        equal("leaves the stream as it was", tvm_ffi.get_raw_stream(tvm_ffi.device("cuda:0")), 0)
    with tvm_ffi.use_torch_stream(torch.cuda.stream(stream)):
        equal("use_torch_stream sets it for a call without a tensor", more.get_stream_of(0),
              stream.cuda_stream)
        equal("and for PyTorch", torch.cuda.current_stream().cuda_stream, stream.cuda_stream)
    with tvm_ffi.use_raw_stream(tvm_ffi.device("cuda:0"), stream.cuda_stream):
        equal("with use_raw_stream and the package's tensors, too",
              steps(lambda: kernels.scale(*views, FACTOR)), (True, [3 * FACTOR], [3 * FACTOR + 1]))
    equal("afterwards there is none", more.get_stream_of(0), 0)


def memory(device):
    """The bytes that PyTorch's allocator has given out."""
    gc.collect()
    return torch.cuda.memory_allocated() if device == "cuda" else 0


@case
def allocator(libraries, device):
    """Kernels that allocate do so by PyTorch's allocator, and their results are PyTorch's
    tensors."""
    _, kernels = load(libraries, device)
    x = numbers(device, 100_000)
    before, size = memory(device), 400_384 if device == "cuda" else 0  # a multiple of 512 bytes
    made = kernels.twice(x)
    equal("the result is a tensor of PyTorch", type(made), torch.Tensor)
    equal("on the device of the argument", made.device, x.device)
    check("with the right elements", torch.equal(made, 2 * x))
    equal("PyTorch's allocator has given out its memory", memory(device) - before, size)
    view = made[7:]
    del made
    equal("a view keeps it", memory(device) - before, size)
    check("and its elements", torch.equal(view, 2 * x[7:]))
    del view
    equal("it goes back with the last view", memory(device), before)

    made = kernels.columns(x[:1000])
    equal("a strided result keeps its strides", (tuple(made.shape), made.stride()),
          ((1000, 2), (1, 1000)))
    check("and is right", torch.equal(made, torch.stack([x[:1000], x[:1000]], 1)))
    del made
    equal("and is freed", memory(device), before)
    equal("a result of no elements", tuple(kernels.twice(x[:0]).shape), (0,))
    for _ in range(1000):
        kernels.twice(x)
    equal("a thousand results leave nothing", memory(device), before)
    equal("a result that is larger", tuple(kernels.grow(x, 1 << 20).shape), (1 << 20,))
    raises("what PyTorch cannot allocate is refused", Exception, "memory", kernels.grow, x, 1 << 50)
    equal("and nothing is left", memory(device), before)
    raises("without PyTorch's tensors there is no allocator", RuntimeError, "allocator",
           kernels.twice, tvm_ffi.from_dlpack(x))


@case
def no_copy(libraries, device):
    """Arguments and results are the caller's memory."""
    kernels, more = load(libraries, device)
    x = numbers(device, 10)
    equal("the kernel finds the address", more.get_address(x), x.data_ptr())
    back = more.same(x)
    equal("an argument comes back as PyTorch's tensor", type(back), torch.Tensor)
    equal("at its address", back.data_ptr(), x.data_ptr())
    back.fill_(9)
    wait(device)
    check("so that writes are seen", bool((x == 9).all()))
    kernels.scale(x, x, FACTOR)
    check("in place", bool((back == 9 * FACTOR).all()))
    del x
    gc.collect()
    check("the result keeps the memory", bool((back == 9 * FACTOR).all()))
    y = tvm_ffi.from_dlpack(back)
    equal("from_dlpack makes a view", more.get_address(y), back.data_ptr())
    equal("and PyTorch a view of that", torch.from_dlpack(y).data_ptr(), back.data_ptr())


@case
def views(libraries, device):
    """Views are right, or refused by a kernel that wants contiguous tensors."""
    kernels, more = load(libraries, device)
    x = numbers(device, 6, 8)
    flat = x.reshape(-1)
    y = torch.zeros(40, device=device)
    kernels.scale(flat[5:45], y, FACTOR)
    check("a slice with an offset", torch.equal(y, flat[5:45] * FACTOR))
    part = torch.zeros(48, device=device)
    kernels.scale(flat[8:16], part[24:32], FACTOR)
    check("an output with an offset",
          torch.equal(part[24:32], flat[8:16] * FACTOR) and part.count_nonzero() == 8)
    equal("the address of a slice", more.get_address(flat[5:]), flat.data_ptr() + 20)
    for name, view in (("transposed", x.T), ("expanded", x[:1].expand(6, 8)),
                       ("with steps", x[::2, 1::3]), ("with steps and an offset", x[1:,
                                                                                    2:].T[::2])):
        out = torch.full(view.shape, -1.0, device=device)
        raises(f"{name}: refused by scale", ValueError, "x must be contiguous", kernels.scale, view,
               out, FACTOR)
        more.gather(view, out)
        check(f"{name}: right by a kernel for any strides", torch.equal(out, view))
        check(f"{name}: and as a copy", torch.equal(more.twice(view.contiguous()), view * 2))
    out = torch.zeros(8, 6, device=device)
    raises("an output that is transposed", ValueError, "y must be contiguous", kernels.scale, x,
           out.T, FACTOR)
    wait(device)
    equal("nothing was written", int(out.count_nonzero()), 0)
    cpu = torch.zeros(6, 8)
    if device == "cuda":
        raises("a tensor of the CPU", ValueError, "must be on a GPU", kernels.scale, cpu, x, FACTOR)
        raises("an output of the CPU", ValueError, "must be on a GPU", kernels.scale, x, cpu,
               FACTOR)
    raises("another shape", ValueError, "of one shape", kernels.scale, x,
           torch.zeros(8, 6, device=device), FACTOR)
    raises("another dtype", TypeError, "float", kernels.scale, x, x.double(), FACTOR)


@case
def dtypes(libraries, device):
    """Every dtype arrives with its name and its bytes; scale has kernels for some."""
    kernels, more = load(libraries, device)
    names = (
        "float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool "
        "complex64 complex128 "
        "float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu")
    for name in names.split():
        dtype = getattr(torch, name)
        bits = torch.arange(64 * dtype.itemsize, device=device).to(torch.uint8)
        x = (bits % 2 if dtype == torch.bool else bits).view(dtype)
        if not dtype.is_complex:  # the package's library has no name for these
            equal(f"{name} has its name", str(more.get_dtype(x)), name)
        y = torch.zeros_like(x)
        more.copy(x, y)
        check(f"{name} arrives whole", torch.equal(x.view(torch.uint8), y.view(torch.uint8)))
        check(f"{name} comes back as it was", more.same(x).dtype == dtype)
        has_kernel = dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64)
        if device == "cuda" and not has_kernel and not dtype.is_complex:
            raises(f"scale has no kernel for {name}", TypeError, "no kernel for", kernels.scale, x,
                   y, FACTOR)


@case
def graph(libraries, device):
    """Calls are captured into a graph, which computes with new inputs when it is replayed."""
    if no_gpu(device):
        return
    kernels, more = load(libraries, device)
    x, y, z = (torch.zeros(1000, device=device) for _ in range(3))
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):  # what is used for the first time must not be captured
        for _ in range(3):
            kernels.scale(x, y, FACTOR)
            more.twice(y)
            torch.add(y, 1, out=z)
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    captured = torch.cuda.CUDAGraph()
    x.fill_(1), y.fill_(-1), z.fill_(-1)
    with torch.cuda.graph(captured):
        kernels.scale(x, y, FACTOR)
        made = more.twice(y)
        torch.add(made, 1, out=z)
        equal("the stream that is captured", more.get_stream(x),
              torch.cuda.current_stream().cuda_stream)
    torch.cuda.synchronize()
    equal("capturing computes nothing", (y.unique().tolist(), z.unique().tolist()),
          ([-1.0], [-1.0]))
    for value in (1.0, 4.0, -8.0):
        x.fill_(value)
        captured.replay()
        torch.cuda.synchronize()
        equal(f"replayed with {value}", [t.unique().tolist() for t in (y, made, z)],
              [[FACTOR * value], [2 * FACTOR * value], [2 * FACTOR * value + 1]])
    del made
    others = [torch.zeros(1000, device=device) for _ in range(100)]
    captured.replay()
    torch.cuda.synchronize()
    equal("the memory of results stays the graph's",
          sum(int(other.count_nonzero()) for other in others), 0)

    # An error while capturing: the graph is given up, the process goes on.
    broken = torch.cuda.CUDAGraph()
    said = "nothing"
    try:
        with torch.cuda.graph(broken):
            more.fail(x)
    except Exception as error:  # of the kernel; then PyTorch ends the capture
        said = f"{type(error).__name__}: {error}"
    check("an error while capturing is the caller's", "on purpose" in said, said)
    x.fill_(2)
    kernels.scale(x, y, FACTOR)
    torch.cuda.synchronize()
    equal("calls go on after it", y.unique().tolist(), [2 * FACTOR])


@case
def threads(libraries, device):
    """Two threads, each with a stream of its own."""
    if no_gpu(device):
        return
    kernels, more = load(libraries, device)
    warm = torch.zeros(1000, device=device)
    kernels.scale(warm, warm.clone(), FACTOR)
    torch.cuda._sleep(1000)
    torch.cuda.synchronize()
    found, start = {}, threading.Barrier(2)

    def work(number):
        wrong = []
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            x, y = torch.zeros(1000, device=device), torch.zeros(1000, device=device)
            stream.synchronize()
            start.wait()
            results = []
            for i in range(200):
                torch.cuda._sleep(100_000 * (1 + (i + number) % 2))
                x.fill_(i * 2 + number)
                if more.get_stream(x) != stream.cuda_stream:
                    wrong.append(i)
                kernels.scale(x, y, FACTOR)
                results.append(y.clone())
                if i % 50 == 0:
                    try:
                        more.fail(x)
                        wrong.append(i)
                    except ValueError:
                        pass
            stream.synchronize()
        wrong += [
            i for i, result in enumerate(results)
            if result.unique().tolist() != [(i * 2 + number) * FACTOR]
        ]
        found[number] = stream.cuda_stream, wrong

    workers = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    equal("both threads went to their end", sorted(found), [0, 1])
    check("each on a stream of its own", found[0][0] != found[1][0])
    equal("with right results", [found[0][1], found[1][1]], [[], []])
    equal("and the main thread has none", more.get_stream_of(0), 0)


@case
def errors(libraries, device):
    """After an error inside a kernel function everything goes on, and nothing is left."""
    kernels, more = load(libraries, device)
    x, y = numbers(device, 100_000), torch.zeros(100_000, device=device)
    before = memory(device)
    raises("an error after a launch and an allocation", ValueError, "on purpose, after a launch",
           more.fail, x)
    equal("frees the allocation", memory(device), before)
    if device == "cuda":
        raises("a launch that CUDA refuses", RuntimeError,
               "CUDA Runtime Error: cudaErrorInvalidValue (1)", more.launch_wrongly, x)
        torch.cuda.synchronize()
        check("the error is not reported by the next launch", kernels.scale(x, y, FACTOR) is None)
    for _ in range(500):
        try:
            more.fail(x)
        except ValueError:
            pass
    equal("five hundred errors leave nothing", memory(device), before)
    kernels.scale(x, y, FACTOR)
    wait(device)
    check("the context is whole", torch.equal(y, x * FACTOR) and torch.equal(more.twice(x), x * 2))
    error = outcome(kernels.scale, x, None, FACTOR)
    check(f"of the arguments: {error}", error.startswith("TypeError"))


@case
def special(libraries, device):
    """Tensors that require gradients, and those that are not plain memory."""
    kernels, more = load(libraries, device)
    x = numbers(device, 10).requires_grad_()
    y = torch.zeros(10, device=device)
    said = outcome(kernels.scale, x, y, FACTOR)
    wait(device)
    done = torch.equal(y, x.detach() * FACTOR)
    check(f"requires_grad: {said}", done if said == "None" else not y.any())
    kernels.scale(x.detach(), y, FACTOR)
    check("its detach() is taken", torch.equal(y, x.detach() * FACTOR))
    check("nothing is recorded for the gradient", y.grad_fn is None and not y.requires_grad)
    with torch.no_grad():
        said = outcome(kernels.scale, x, y, FACTOR)
    check(f"requires_grad under no_grad: {said}", said == "None" or "grad" in said)
    with torch.inference_mode():
        z = numbers(device, 10)
        kernels.scale(z, y, FACTOR)
    check("tensors of inference_mode", torch.equal(y, z * FACTOR))
    conjugate = torch.zeros(4, dtype=torch.complex64, device=device).conj()
    show(f"a lazy conjugate: {outcome(more.get_stream, conjugate)}")
    parameter = torch.nn.Parameter(2 * numbers(device, 10))
    equal("a Parameter", outcome(kernels.scale, parameter, y, FACTOR), "None")
    check("is right", torch.equal(y, parameter.detach() * FACTOR))
    sparse = torch.eye(3, device=device).to_sparse()
    said = outcome(more.get_dtype, sparse)
    check(f"a sparse tensor is refused: {said}", "Error" in said)
    equal("a tensor of no elements", str(more.get_dtype(torch.zeros(0, device=device))), "float32")
    meta = torch.zeros(3, device="meta")
    said = outcome(more.get_dtype, meta)
    show(f"a meta tensor: {said}")


# ---- Under `tvm-ffi record`, and with isolated modules: on_gpu calls these ----

CAPTURED = "its stream is being captured"


class Recording:
    """What is on the disk of the calls that this process has made, in their order."""

    def __init__(self, folder):
        self.folder = folder
        text = (folder / "calls.jsonl").read_bytes().rstrip(b"\0").decode()
        events = [json.loads(line) for line in text.splitlines()]
        self.calls = [event for event in events if event["event"] == "call"]
        self.ends = {
            event["call"]: event for event in events if event["event"] in ("return", "error")
        }

    def end(self, call):
        return self.ends[call["call"]]

    def memory(self, event, value):
        """The elements of a tensor of float32 before the call or after it, as their event has them;
        or why they are not there."""
        tensor, = (value[kind] for kind in ("tensor", "dltensor") if kind in value)
        storage = event["storages"][tensor["storage"]]
        if "data" not in storage:
            return storage["left_out"]
        data = numpy.load(self.folder / "tensors" / f"{storage['data']}.npy")
        strides = [4 * stride for stride in tensor["strides"]]
        return numpy.ndarray(tensor["shape"], "<f4", data, tensor["offset"], strides).tolist()

    def arguments(self, call):
        """The memory of each argument that is a tensor, before the call and after it."""
        tensors = [value for value in call["args"] if {"tensor", "dltensor"} & {*value}]
        return [[self.memory(event, value) for value in tensors]
                for event in (call, self.end(call))]

    def result(self, call):
        return self.memory(self.end(call), self.end(call)["result"])

    def shown(self):
        """A line for each event, without arguments, for whoever looks for the reason of a
        failure."""
        for call in self.calls:
            end = self.end(call)
            yield (f"call {call['call']} {call['function']} stream {call.get('stream')}: "
                   f"{call['storages']}; {end['event']} {end.get('result')} {end['storages']}")


def record_plainly(kernels, more, device):
    """Calls on the current stream, and what is to be recorded of them: the function, the memory
    before and after, the result."""
    x, y = numbers(device, 1000), torch.full((1000, ), -1.0, device=device)
    numbers_of_x, scaled = [float(i) for i in range(1, 1001)], [FACTOR * i for i in range(1, 1001)]
    kernels.scale(x, y, FACTOR)
    yield "scale", "a call", [numbers_of_x, [-1.0] * 1000], [numbers_of_x, scaled], None
    made = more.twice(x)
    twice = [2.0 * i for i in numbers_of_x]
    yield "twice", "a result", [numbers_of_x], [numbers_of_x], twice
    check("the result is right", made.tolist() == twice)
    raises("a call that fails", ValueError, "on purpose", more.fail, x)
    yield "fail", "a call that fails", [numbers_of_x], [numbers_of_x], "ValueError"
    part = torch.zeros(1000, device=device)
    kernels.scale(x[5:45], part[8:48], FACTOR)
    yield ("scale", "views with an offset", [numbers_of_x[5:45], [0.0] * 40],
           [numbers_of_x[5:45], scaled[5:45]], None)
    check("nothing else is written", part.tolist() == [0.0] * 8 + scaled[5:45] + [0.0] * 952)
    matrix, out = numbers(device, 6, 8), torch.zeros(8, 6, device=device)
    columns = [[float(i + j) for i in range(1, 49, 8)] for j in range(8)]
    more.gather(matrix.T, out)
    yield "gather", "a transposed view", [columns, [[0.0] * 6] * 8], [columns, columns], None


def record_on_side_stream(kernels, device):
    """The input is what the work before the call there has made of it, which takes long the second
    time. The stream does not wait for the default one, nor that for it."""
    stream = torch.cuda.Stream()
    x, y = torch.zeros(999, device=device), torch.zeros(999, device=device)
    for value, cycles in ((2.0, 1000), (3.0, LONG)):
        x.zero_(), y.zero_()
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(cycles)
            x.fill_(value)
            is_busy = not stream.query()
            kernels.scale(x, y, FACTOR)
        torch.cuda.synchronize()
        check(f"on a side stream, with {value}: the result is right",
              y.unique().tolist() == [FACTOR * value])
        yield ("scale", f"a call on a side stream, after its work, with {value}",
               [[value] * 999, [0.0] * 999], [[value] * 999, [FACTOR * value] * 999], None)
    check("the call was made while the work before it went on", is_busy)


def record_captured(kernels, more, device):
    """Calls that are captured into a graph have no memory."""
    x, y = torch.ones(998, device=device), torch.full((998, ), -1.0, device=device)
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        kernels.scale(x, y, FACTOR)
        made = more.twice(y)
    torch.cuda.synchronize()
    yield "scale", "a call that is captured", [CAPTURED] * 2, [CAPTURED] * 2, None
    yield "twice", "a result that is captured", [CAPTURED], [CAPTURED], CAPTURED
    equal("capturing computes nothing", y.unique().tolist(), [-1.0])
    for value in (1.0, 4.0):
        x.fill_(value)
        graph.replay()
        torch.cuda.synchronize()
        equal(f"the graph, with {value}", [t.unique().tolist() for t in (y, made)],
              [[FACTOR * value], [2 * FACTOR * value]])
    kernels.scale(x, y, FACTOR)
    torch.cuda.synchronize()
    yield ("scale", "a call after the capture", [[4.0] * 998, [4 * FACTOR] * 998],
           [[4.0] * 998, [4 * FACTOR] * 998], None)


@case
def recorded(libraries, device, work):
    """Makes calls and reads the recording of them, which is in the folder `work`, while it is
    written."""
    kernels, more = load(libraries, device)
    wanted = [*record_plainly(kernels, more, device)]
    if device == "cuda":
        wanted += record_on_side_stream(kernels, device)
        wanted += record_captured(kernels, more, device)
    else:
        skip("streams and graphs", "need a GPU")
    recording = Recording(work)
    show(*recording.shown())
    equal("every call is recorded", [call["function"] for call in recording.calls],
          [function for function, *_ in wanted])
    for call, (_, what, before, after, result) in zip(recording.calls, wanted):
        end = recording.end(call)
        got = recording.arguments(call)
        for when, values, right in (("before", got[0], before), ("after", got[1], after)):
            check(f"{what}: the memory {when} it", values == right, str(values)[:300])
        if end["event"] == "error":
            equal(f"{what}: the error", end["error"]["kind"], result)
        elif result is None:
            equal(f"{what}: no result", end["result"], None)
        else:
            check(f"{what}: the result", recording.result(call) == result,
                  str(recording.result(call))[:300])
    if device == "cuda":
        streams = [int(call["stream"], 16) for call in recording.calls]
        check("the streams of the calls: the default one, another, that of the capture, the "
              "default one", len({streams[0], streams[5], streams[7]}) == 3
              and streams[:5] == [streams[0]] * 5 and streams[5] == streams[6]
              and streams[7] == streams[8] and streams[9] == streams[0], streams)


@case
def isolated(libraries, device):
    """A module in a process of its own takes tensors of the CPU only; the error for others names
    the argument, and both processes go on."""
    kernels = tvm_ffi.load_module(f"isolated,timeout=60:{libraries / f'scale_{device}.so'}")
    more = tvm_ffi.load_module(f"isolated,timeout=60:{libraries / f'python_kernels_{device}.so'}")
    cpu, x = numbers("cpu", 10), numbers(device, 10)
    y = torch.full_like(x, -1)
    if device == "cuda":
        for _ in range(3):
            raises("a tensor of CUDA", TypeError, "argument #0 of scale: a tensor of device type 2",
                   kernels.scale, x, y, FACTOR)
        raises("as the second argument", TypeError, "argument #1 of scale: a tensor of device",
               kernels.scale, cpu, y, FACTOR)
        raises("alone", TypeError, "argument #0 of twice: a tensor of device", more.twice, x)
        raises("a tensor of the CPU gets to the kernel", ValueError, "must be on a GPU",
               kernels.scale, cpu, cpu, FACTOR)
        torch.cuda.synchronize()
        equal("nothing was written", y.unique().tolist(), [-1.0])
    else:
        kernels.scale(x, y, FACTOR)
        check("a tensor of the CPU", torch.equal(y, x * FACTOR))
        raises("an error of the kernel", ValueError, "on purpose", more.fail, x)
    equal("the dtype of a tensor of the CPU", str(more.get_dtype(cpu)), "float32")
    plain = load_one(libraries, device, "scale")
    plain.scale(x, y, FACTOR)
    wait(device)
    check("the same library in this process", torch.equal(y, x * FACTOR))


if __name__ == "__main__":
    run()
