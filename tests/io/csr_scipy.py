# SPDX-License-Identifier: BSD-2-Clause
"""Sparse matrices exchanged with SciPy, through the shared library. Arguments:
the library, a folder to write to. Exit status 77: SciPy or a device is
missing."""
import ctypes as C
import os
import sys

try:
    import numpy as np
    import scipy.sparse as sp
except ModuleNotFoundError as err:
    print("cannot import:", err)
    sys.exit(77)


class GpuArray(C.Structure):
    _fields_ = [("data", C.c_void_p), ("dimensions", C.c_void_p),
                ("strides", C.c_void_p), ("offset", C.c_size_t),
                ("nd", C.c_uint), ("flags", C.c_int), ("typecode", C.c_int)]


class GpuCsr(C.Structure):
    _fields_ = [("n_rows", C.c_size_t), ("n_columns", C.c_size_t),
                ("starts", GpuArray), ("columns", GpuArray),
                ("values", GpuArray)]


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

    def through(self, source, target, compress, to):
        m = GpuCsr()
        self.check(self.lib.GpuCsr_load_npz(
            C.byref(m), self.ctx, source.encode()))
        save = (self.lib.GpuCsr_save_npz if to == "csr"
                else self.lib.GpuCsr_save_coo_npz)
        self.check(save(C.byref(m), target.encode(), compress))
        self.lib.GpuCsr_clear(C.byref(m))


def main(library, folder):
    lib, rng = Library(library), np.random.default_rng(1)
    source = os.path.join(folder, "from_scipy.npz")
    target = os.path.join(folder, "to_scipy.npz")
    for dtype in "float32", "float64", "complex64":
        for form in "csr", "csc", "coo":
            m = sp.random(40, 30, 0.1, format=form, random_state=rng)
            m = m.astype(dtype)
            sp.save_npz(source, m, compressed=form != "csc")
            to = "coo" if form == "csc" else "csr"
            lib.through(source, target, int(form == "csr"), to)
            got = sp.load_npz(target)
            assert got.format == to and got.shape == m.shape
            assert got.dtype == m.dtype
            got = got.tocsr()
            assert (got != m.tocsr()).nnz == 0
            got.check_format()
    print("9 matrices")


if __name__ == "__main__":
    main(*sys.argv[1:])
