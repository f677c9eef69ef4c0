# SPDX-License-Identifier: Apache-2.0
"""A minimal framework: tensors that publish DLPack's exchange table, as those of PyTorch do.

Its "devices" are only names: all data is NumPy's. It counts allocations, and tracks exported
tensors.
"""
import ctypes
import weakref

import numpy as np

CPU, CUDA = 1, 2
CODES = {"i": 0, "u": 1, "f": 2}


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", DLTensor)]


class Table(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("previous", ctypes.c_void_p),
                *((name, ctypes.c_void_p)
                  for name in ("allocate", "from_object", "to_object", "view", "stream"))]


DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(Managed))


class Tensor:
    """The tensor class of the framework."""

    allocated = 0   # number of calls of the allocator
    exported = {}   # address of each Managed that is not released yet -> the objects it needs
    streams = {}    # (device type, number) -> the framework's current stream

    def __init__(self, array, device=(CPU, 0)):
        self.array, self.device = np.ascontiguousarray(array), device

    def export(self):
        """The address of a new Managed for this tensor."""
        shape = (ctypes.c_int64 * self.array.ndim)(*self.array.shape)
        strides = (ctypes.c_int64 * self.array.ndim)(*(n // self.array.itemsize
                                                       for n in self.array.strides))
        tensor = DLTensor(self.array.ctypes.data, *self.device, self.array.ndim,
                          CODES[self.array.dtype.kind], self.array.itemsize * 8, 1, shape, strides,
                          0)
        managed = Managed(1, 3, None, ctypes.cast(release, ctypes.c_void_p), 0, tensor)
        self.exported[ctypes.addressof(managed)] = (managed, shape, strides, self.array)
        return ctypes.addressof(managed)


@DELETER
def release(managed):
    del Tensor.exported[ctypes.addressof(managed.contents)]


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(DLTensor), ctypes.POINTER(ctypes.c_void_p),
                  ctypes.c_void_p,
                  ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p))
def allocate(prototype, out, context, set_error):
    like = prototype.contents
    # the only type that the kernels ask for
    array = np.full(like.shape[:like.ndim], np.nan, np.float32)
    if array.size > 100:
        set_error(context, b"MemoryError", f"{array.size} elements are too many".encode())
        return -1
    Tensor.allocated += 1
    out[0] = Tensor(array, (like.device_type, like.device_id)).export()
    return 0


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p))
def from_object(tensor, out):
    out[0] = tensor.export()
    return 0


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Managed), ctypes.POINTER(ctypes.c_void_p))
def to_object(managed, out):
    """Takes ownership of the Managed, and releases it when the new tensor dies."""
    like = managed.contents.tensor
    count = int(np.prod(like.shape[:like.ndim]))
    memory = (ctypes.c_float * count).from_address(like.data + like.byte_offset)
    tensor = Tensor(np.frombuffer(memory, np.float32).reshape(like.shape[:like.ndim]),
                    (like.device_type, like.device_id))
    weakref.finalize(tensor, DELETER(managed.contents.deleter), managed)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(tensor))
    out[0] = id(tensor)
    return 0


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
def view(tensor, out):
    return -1  # the package does not call this


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))
def stream(device_type, device_id, out):
    out[0] = Tensor.streams.get((device_type, device_id), 0)
    return 0


TABLE = Table(1, 3, None, *(ctypes.cast(function, ctypes.c_void_p)
                            for function in (allocate, from_object, to_object, view, stream)))
ctypes.pythonapi.PyCapsule_New.restype = ctypes.py_object
ctypes.pythonapi.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
NAME = b"dlpack_exchange_api"  # must stay alive: the capsule does not copy it
Tensor.__dlpack_c_exchange_api__ = ctypes.pythonapi.PyCapsule_New(ctypes.addressof(TABLE), NAME,
                                                                  None)
