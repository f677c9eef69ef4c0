# SPDX-License-Identifier: Apache-2.0
"""Memory as a tensor, for packages whose arrays have no DLPack."""
import ctypes


class DLTensor(ctypes.Structure):
    """DLPack's struct, with device and dtype in place."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class DLManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
shared = {}  # what consumers hold


@DELETER
def release(address):
    del shared[address]


class Tensor:
    """A tensor of a device (type, id) in memory that owner keeps: data is an address or a handle.
    dtype is NumPy's, and strides count bytes as there."""

    def __init__(self, owner, data, device, dtype, shape, strides, byte_offset=0):
        self.owner, self.data, self.device = owner, data, device
        self.dtype, self.shape, self.strides = dtype, shape, strides
        self.byte_offset = byte_offset

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **_options):
        ndim, size = len(self.shape), self.dtype.itemsize
        extents = (ctypes.c_int64 * ndim)(*self.shape)
        strides = (ctypes.c_int64 * ndim)(*(stride // size for stride in self.strides))
        code = {"i": 0, "u": 1, "f": 2}[self.dtype.kind]
        managed = DLManagedTensor(
            DLTensor(self.data, *self.device, ndim, code, 8 * size, 1, extents, strides,
                     self.byte_offset), None, release)
        address = ctypes.addressof(managed)
        shared[address] = managed, extents, strides, self.owner
        return new_capsule(address, b"dltensor", None)
