# SPDX-License-Identifier: BSD-2-Clause
"""Files exchanged with NumPy, bit by bit, through the shared library. Arguments:
the library, a folder to write to. Exit status 77: NumPy or a device is
missing."""
import ctypes as C
import os
import sys

try:
    import numpy as np
except ModuleNotFoundError as err:
    print("cannot import:", err)
    sys.exit(77)

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32",
          "int64", "uint64", "float16", "float32", "float64", "complex64",
          "complex128"]


class GpuArray(C.Structure):
    _fields_ = [("data", C.c_void_p), ("dimensions", C.c_void_p),
                ("strides", C.c_void_p), ("offset", C.c_size_t),
                ("nd", C.c_uint), ("flags", C.c_int), ("typecode", C.c_int)]


class Library:
    def __init__(self, path):
        self.lib = C.CDLL(path)
        self.lib.gpucontext_error.restype = C.c_char_p
        self.ctx = C.c_void_p()
        err = self.lib.gpucontext_open(C.byref(self.ctx), None)
        if err == 14:
            print("no OpenCL device: skipped")
            sys.exit(77)
        self.check(err)

    def check(self, err):
        assert err == 0, self.lib.gpucontext_error(None, err)

    def through_npy(self, source, target):
        a = GpuArray()
        self.check(self.lib.GpuArray_load_npy(
            C.byref(a), self.ctx, source.encode()))
        self.check(self.lib.GpuArray_save_npy(C.byref(a), target.encode()))
        self.lib.GpuArray_clear(C.byref(a))

    def through_npz(self, source, target, names, compress):
        z, out, a = C.c_void_p(), C.c_void_p(), GpuArray()
        self.check(self.lib.gpunpz_open(C.byref(z), source.encode()))
        self.check(self.lib.gpunpz_create(
            C.byref(out), target.encode(), compress))
        for name in names:
            self.check(self.lib.gpunpz_load(
                C.byref(a), self.ctx, z, name.encode()))
            self.check(self.lib.gpunpz_add(out, name.encode(), C.byref(a)))
            self.lib.GpuArray_clear(C.byref(a))
        self.check(self.lib.gpunpz_finish(out, 1))
        self.lib.gpunpz_close(z)


def arrays():
    rng = np.random.default_rng(1)
    for dtype in DTYPES:
        for shape in [(), (1,), (7,), (3, 4), (2, 0, 3), (2, 3, 4)]:
            n = int(np.prod(shape)) * np.dtype(dtype).itemsize
            bits = rng.integers(0, 2 if dtype == "bool" else 256, n, "uint8")
            a = np.frombuffer(bits.tobytes(), dtype).reshape(shape)
            yield a
            yield np.asfortranarray(a)
            yield a.astype(a.dtype.newbyteorder()) if a.size else a


def same(got, want):
    assert got.dtype == want.dtype.newbyteorder("="), (got.dtype, want.dtype)
    assert got.shape == want.shape, (got.shape, want.shape)
    assert got.flags.f_contiguous == want.flags.f_contiguous
    assert got.tobytes() == want.astype(got.dtype).tobytes()


def main():
    lib, folder = Library(sys.argv[1]), sys.argv[2]
    source, target = (os.path.join(folder, n) for n in ("in", "out"))
    count = 0
    for a in arrays():
        for version in [(1, 0), (2, 0), (3, 0)]:
            with open(source, "wb") as f:
                np.lib.format.write_array(f, a, version=version)
            lib.through_npy(source, target)
            same(np.load(target), a)
            count += 1
    named = {"a%d" % i: a for i, a in enumerate(arrays())}
    for save in [np.savez, np.savez_compressed]:
        for compress in [0, 1]:
            with open(source, "wb") as f:
                save(f, **named)
            lib.through_npz(source, target, named, compress)
            with np.load(target) as got:
                assert sorted(got.files) == sorted(named)
                for name, a in named.items():
                    same(got[name], a)
                    count += 1
    print(count, "arrays went there and back")


main()
