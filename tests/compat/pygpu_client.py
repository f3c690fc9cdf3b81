# SPDX-License-Identifier: BSD-2-Clause
"""Debian's pygpu, built against libgpuarray 0.7.6, on the library that the
loader finds first; GPUARRAY_EXPECT is how its path must begin. Exit status 77:
pygpu, NumPy or a device is missing. Arguments: names of checks, default all."""
import os
import sys

try:
    import numpy as np
    import pygpu
    import pygpu._array
    import pygpu.basic
    import pygpu.blas
    import pygpu.elemwise
    import pygpu.operations
    import pygpu.reduction
    from pygpu import gpuarray
except ModuleNotFoundError as err:
    print("cannot import:", err)
    sys.exit(77)

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32",
          "int64", "uint64", "float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]


def same(gpu, cpu, **close):
    """The same dtype, shape, flags and values."""
    got = np.asarray(gpu)
    assert got.dtype == cpu.dtype, (got.dtype, cpu.dtype)
    assert got.shape == cpu.shape, (got.shape, cpu.shape)
    if close:
        np.testing.assert_allclose(got, cpu, **close)
    else:
        np.testing.assert_array_equal(got, cpu)


def pair(rng, shape, dtype, ctx, order="C", cls=None):
    cpu = (rng.random(shape) * 100).astype(dtype, order=order)
    if np.dtype(dtype).kind == "c":
        cpu += 1j * rng.random(shape)
    return cpu, pygpu.array(cpu, context=ctx, cls=cls)


def refused(kind, words, call, *args, **named):
    """The call raises `kind` with `words` in its message."""
    try:
        call(*args, **named)
    except kind as err:
        assert words in str(err), str(err)
        return
    raise AssertionError("no error with the words: " + words)


def check_transfers(rng, ctx):
    for dtype in DTYPES + COMPLEX:
        for shape in [(), (5,), (3, 4), (2, 0, 3), (2, 3, 4, 2)]:
            cpu, gpu = pair(rng, shape, dtype, ctx)
            same(gpu, cpu)
            assert gpu.flags["C_CONTIGUOUS"] == cpu.flags["C_CONTIGUOUS"]
            assert gpu.flags["F_CONTIGUOUS"] == cpu.flags["F_CONTIGUOUS"]
            same(gpu.copy("F"), cpu)
    same(pygpu.zeros((3, 4), dtype="float32", context=ctx),
         np.zeros((3, 4), dtype="float32"))


def check_views(rng, ctx):
    cpu, gpu = pair(rng, (4, 5, 6), "float32", ctx)
    for key in [(0,), (slice(None), 2), (slice(1, 3), slice(None, None, 2)),
                (slice(None, None, -1),), (Ellipsis, slice(4, 0, -2)),
                (slice(2, 2),), (1, 2, 3), (-1, slice(-3, None))]:
        same(gpu[key], cpu[key])
        assert gpu[key].strides == cpu[key].strides or cpu[key].size == 0
    same(gpu.T, cpu.T)
    same(gpu.transpose(1, 0, 2), cpu.transpose(1, 0, 2))
    same(gpu.reshape((20, 6)), cpu.reshape((20, 6)))
    same(gpu.T.reshape((30, 4)), cpu.T.reshape((30, 4)))
    same(gpu.reshape((6, 20), order="F"), cpu.reshape((6, 20), order="F"))
    assert gpuarray.may_share_memory(gpu, gpu[1:])
    assert not gpuarray.may_share_memory(gpu[0], gpu[1:])
    copied = pygpu.ascontiguousarray(gpu.T)
    same(copied, cpu.T)
    assert copied.flags["C_CONTIGUOUS"]
    same(pygpu.asfortranarray(gpu), cpu)


def check_assignment(rng, ctx):
    cpu, gpu = pair(rng, (4, 5), "float32", ctx)
    row_cpu, row_gpu = pair(rng, (5,), "int32", ctx)
    gpu[1:3] = row_gpu
    cpu[1:3] = row_cpu
    gpu[:, 0] = 7
    cpu[:, 0] = 7
    same(gpu, cpu)
    same(gpu.astype("float64"), cpu.astype("float64"))
    same(gpu.astype("int32"), cpu.astype("int32"))
    index = np.array([3, 0, 0, 2], dtype="int32")
    same(gpu.take1(pygpu.array(index, context=ctx)), cpu.take(index, axis=0))
    same(gpu[::-1, ::2].take1(pygpu.array(index, context=ctx)),
         cpu[::-1, ::2].take(index, axis=0))
    index = np.array([-1, 0, -4], dtype="int64")
    same(gpu.T[:4].take1(pygpu.array(index, context=ctx)),
         cpu.T[:4].take(index, axis=0))
    some = ["bool", "int8", "uint16", "int64", "float16", "float32"]
    for source in some:
        cpu, gpu = pair(rng, (3, 7), source, ctx)
        for target in some:
            same(gpu.T.astype(target), cpu.T.astype(target))


def check_join(rng, ctx):
    a_cpu, a = pair(rng, (2, 3), "float32", ctx)
    b_cpu, b = pair(rng, (4, 3), "float32", ctx)
    same(pygpu.operations.concatenate([a, b], axis=0, context=ctx),
         np.concatenate([a_cpu, b_cpu], axis=0))
    for gpu, cpu in zip(pygpu.operations.split(b, 2, axis=0), np.split(b_cpu, 2)):
        same(gpu, cpu)
    for name, args in [("array_split", (3,)), ("hsplit", ([1, 2],)),
                       ("vsplit", (2,)), ("array_split", ([1, 1, 3], 0))]:
        parts = getattr(np, name)(b_cpu, *args)
        got = getattr(pygpu.operations, name)(b, *args)
        assert len(got) == len(parts), name
        for gpu, cpu in zip(got, parts):
            same(gpu, cpu)
    c_cpu, c = pair(rng, (2, 3), "int16", ctx)
    for name in ["vstack", "hstack", "dstack"]:
        same(getattr(pygpu.operations, name)([a, c, a.copy("F")]),
             getattr(np, name)([a_cpu, c_cpu, a_cpu]))
    refused(ValueError, "dim 1: expected 3, got 5", pygpu.operations.concatenate,
            [a, pygpu.zeros((2, 5), dtype="float32", context=ctx)], context=ctx)


def check_elemwise(rng, ctx):
    a_cpu, a = pair(rng, (4, 5), "float32", ctx)
    b_cpu, b = pair(rng, (4, 5), "float32", ctx)
    row_cpu, row = pair(rng, (1, 5), "float32", ctx)
    same(pygpu.elemwise.elemwise2(a, "+", b, a), a_cpu + b_cpu, rtol=1e-6)
    same(pygpu.elemwise.elemwise2(a, "*", row, a, broadcast=True),
         a_cpu * row_cpu, rtol=1e-6)
    kernel = pygpu.elemwise.GpuElemwise(
        ctx, "r = a * a + s",
        [pygpu.elemwise.arg("r", "float32", write=True),
         pygpu.elemwise.arg("a", "float32", read=True),
         pygpu.elemwise.arg("s", "float32", scalar=True)])
    out = pygpu.empty((4, 5), dtype="float32", context=ctx)
    kernel(out, a[:, ::-1], 3.0)
    same(out, a_cpu[:, ::-1] ** 2 + np.float32(3), rtol=1e-6)


def check_operators(rng, ctx):
    """NumPy's operators on pygpu's array class, over types and broadcasts."""
    nd = pygpu._array.ndgpuarray
    for dtype in ["int32", "uint8", "float32", "float64"]:
        a_cpu, a = pair(rng, (4, 5), dtype, ctx, cls=nd)
        b_cpu, b = pair(rng, (4, 5), dtype, ctx, cls=nd)
        b_cpu += np.ones(1, dtype)
        b += np.ones(1, dtype)
        close = {} if dtype in ("int32", "uint8") else {"rtol": 1e-6}
        same(a + b, a_cpu + b_cpu, **close)
        same(a - b[:, ::-1], a_cpu - b_cpu[:, ::-1], **close)
        same(a * b, a_cpu * b_cpu, **close)
        same(a // b, a_cpu // b_cpu)
        same(a.T + b.T, a_cpu.T + b_cpu.T, **close)
        same(-a, -a_cpu)
        same(a + b[0], a_cpu + b_cpu[0], **close)
        for gpu, cpu in [(a < b, a_cpu < b_cpu), (a == a, a_cpu == a_cpu),
                         (a >= b, a_cpu >= b_cpu), (a != b, a_cpu != b_cpu)]:
            same(gpu, cpu)
        a += b
        a_cpu += b_cpu
        a *= 2
        a_cpu *= 2
        same(a, a_cpu, **close)
    a[...] = 3
    same(a, np.full((4, 5), 3, "float64"))


def check_half(rng, ctx):
    """Halfs are computed as floats and rounded to nearest even."""
    nd = pygpu._array.ndgpuarray
    a_cpu, a = pair(rng, (33, 7), "float16", ctx, cls=nd)
    b_cpu, b = pair(rng, (33, 7), "float16", ctx, cls=nd)
    same(a + b, a_cpu + b_cpu)
    same(a * b[::-1], (a_cpu.astype("float32") * b_cpu[::-1].astype("float32"))
         .astype("float16"))
    same(a < b, a_cpu < b_cpu)
    kernel = pygpu.elemwise.GpuElemwise(
        ctx, "r = exp(-a) + s",
        [pygpu.elemwise.arg("r", "float16", write=True),
         pygpu.elemwise.arg("a", "float16", read=True),
         pygpu.elemwise.arg("s", "float32", scalar=True)], convert_f16=True)
    out = pygpu.empty((33, 7), dtype="float16", context=ctx)
    kernel(out, a, 0.5)
    want = np.exp(-a_cpu.astype("float32")) + np.float32(0.5)
    same(out, want.astype("float16"), rtol=1e-3)


def check_complex(rng, ctx):
    for dtype in COMPLEX:
        name = {"complex64": "ga_cfloat", "complex128": "ga_cdouble"}[dtype]
        a_cpu, a = pair(rng, (5, 6), dtype, ctx)
        b_cpu, b = pair(rng, (5, 6), dtype, ctx)
        same(a[::2, ::-1].copy(), a_cpu[::2, ::-1])
        same(a.T.copy("F"), a_cpu.T)
        real_cpu, real = pair(rng, (5, 6), "float32", ctx)
        same(real.astype(dtype), real_cpu.astype(dtype))
        kernel = pygpu.elemwise.GpuElemwise(
            ctx, "r = %s_mul(a, b)" % name,
            [pygpu.elemwise.arg("r", dtype, write=True),
             pygpu.elemwise.arg("a", dtype, read=True),
             pygpu.elemwise.arg("b", dtype, read=True)])
        out = pygpu.empty((5, 6), dtype=dtype, context=ctx)
        kernel(out, a, b)
        same(out, a_cpu * b_cpu, rtol=1e-5)
        same(pygpu.operations.concatenate([a, b]),
             np.concatenate([a_cpu, b_cpu]))
        # pygpu writes "a + b": structures have no operators, and `*` of
        # vectors would be wrong.
        number = pygpu.array(a_cpu, context=ctx, cls=pygpu._array.ndgpuarray)
        refused(gpuarray.GpuArrayException, "CL_BUILD_PROGRAM_FAILURE",
                lambda: number + number)


TWICE = """#include "cluda.h"
KERNEL void twice(GLOBAL_MEM ga_float *x, ga_size off, ga_size n, ga_float by) {
  const ga_size i = GID_0 * LDIM_0 + LID_0;
  x = (GLOBAL_MEM ga_float *)(((GLOBAL_MEM char *)x) + off);
  if (i < n)
    x[i] *= by;
}
"""


def check_kernel(rng, ctx):
    cpu, gpu = pair(rng, (1000,), "float32", ctx)
    types = [pygpu.gpuarray.GpuArray, gpuarray.SIZE, gpuarray.SIZE, "float32"]
    for _ in range(3):  # a second one of the same text costs no build
        kernel = pygpu.gpuarray.GpuKernel(TWICE, "twice", types, context=ctx)
        kernel(gpu, gpu.offset, 1000, 3, n=1000)
        cpu *= np.float32(3)
    same(gpu, cpu)
    part = gpu[500:]
    group = min(100, kernel.maxlsize)  # a device may have none of 100
    assert group == min(100, ctx.maxlsize0) and kernel.numargs == 4
    kernel(part, part.offset, 500, 0.5, ls=group, gs=(499 + group) // group)
    cpu[500:] *= np.float32(0.5)
    same(gpu, cpu)
    refused(gpuarray.GpuArrayException, "expected", pygpu.gpuarray.GpuKernel,
            "KERNEL void twice( {", "twice", types, context=ctx)
    low_cpu, low = pair(rng, (6, 6), "float32", ctx)
    same(pygpu.basic.tril(low, inplace=False), np.tril(low_cpu))
    same(pygpu.basic.triu(low), np.triu(low_cpu))


def check_contexts(rng, ctx):
    other = pygpu.init("opencl0:0")
    cpu, gpu = pair(rng, (50, 30), "float32", ctx)
    moved = gpu[10:].transfer(other)
    assert moved.context.ptr == other.ptr
    same(moved, cpu[10:])
    same(moved.T.transfer(ctx), cpu[10:].T)
    for c in (ctx, other):
        assert c.kind == b"opencl"
        assert 0 < c.free_gmem <= c.total_gmem
        assert 0 < c.largest_memblock <= c.total_gmem
        assert c.numprocs > 0 and c.unique_id and c.bin_id
        assert c.lmemsize >= 1024 or c.lmemsize == 0  # a device may have none
        assert 1 <= c.maxlsize0 <= 1 << 20 and 1 <= c.maxgsize0 < 1 << 32
        assert c.maxlsize1 >= 1 and c.maxlsize2 >= 1
        assert c.maxgsize1 >= 1 and c.maxgsize2 >= 1
    refused(ValueError, "different context",
            pygpu.operations.concatenate, [gpu, moved], context=ctx)


def check_errors(rng, ctx):
    """Misuse raises, and its message has the values."""
    cpu, gpu = pair(rng, (4, 5), "float32", ctx)
    error = gpuarray.GpuArrayException
    refused(error, "20 elements into 49", gpu.reshape, (7, 7))
    refused(ValueError, "axis 0 is named twice", gpu.transpose, 0, 0)
    refused(IndexError, "", gpu.__getitem__, 9)
    refused(ValueError, "dim 1: expected 5, got 4", gpu.__setitem__, Ellipsis,
            pygpu.zeros((4,), dtype="float32", context=ctx))
    refused(IndexError, "index 4 at position 1", gpu.take1,
            pygpu.array(np.array([0, 4, 2], "int32"), context=ctx))
    refused(error, "", pygpu.zeros, (1 << 40, 1 << 40), dtype="float32",
            context=ctx)
    refused(error, "GiB", pygpu.empty, (1 << 50,), dtype="int8", context=ctx)
    refused(error, "opencl0:99", pygpu.init, "opencl0:99")
    refused(Exception, "", pygpu.blas.gemm, 1, gpu, gpu, 0)
    same(gpu, cpu)


def check_reduction(rng, ctx):
    if ctx.lmemsize == 0:
        print("pygpu's reductions need local memory: skipped")
        return
    cpu, gpu = pair(rng, (6, 70), "float32", ctx)
    total = pygpu.reduction.ReductionKernel(
        ctx, np.dtype("float32"), "0", "a+b", [False, True],
        arguments="float *x", map_expr="x[i]")
    same(total(gpu), cpu.sum(axis=1), rtol=1e-5)
    nd = pygpu._array.ndgpuarray
    for dtype in ["int32", "float32", "float64"]:
        for shape in [(50,), (3, 5, 8)]:
            cpu, gpu = pair(rng, shape, dtype, ctx, cls=nd)
            for axis in [None] + list(range(len(shape))):
                same(gpu.sum(axis=axis), np.asarray(cpu.sum(axis=axis)),
                     rtol=1e-5)
    cpu, gpu = pair(rng, (4, 6), "float32", ctx, cls=nd)
    cpu /= np.float32(50)
    gpu /= np.float32(50)
    same(gpu[:, ::2].prod(axis=1), cpu[:, ::2].prod(axis=1), rtol=1e-5)
    flags_cpu, flags = pair(rng, (4, 6), "bool", ctx, cls=nd)
    same(flags.all(axis=0), flags_cpu.all(axis=0))
    same(flags.any(axis=1), flags_cpu.any(axis=1))


def check_blas(rng, ctx):
    a_cpu, a = pair(rng, (7, 9), "float32", ctx)
    b_cpu, b = pair(rng, (9, 5), "float32", ctx)
    x_cpu, x = pair(rng, (9,), "float32", ctx)
    same(pygpu.blas.gemm(1, a, b, 0), a_cpu @ b_cpu, rtol=1e-5)
    same(pygpu.blas.gemv(1, a, x, 0), a_cpu @ x_cpu, rtol=1e-5)
    same(pygpu.blas.gemm(2, b, a, 0, trans_a=True, trans_b=True),
         2 * b_cpu.T @ a_cpu.T, rtol=1e-5)
    dot = pygpu.blas.dot(x, x)
    np.testing.assert_allclose(np.asarray(dot), x_cpu @ x_cpu, rtol=1e-5)
    for dtype, rtol in [("float64", 1e-12), ("float16", 2e-3)]:
        a_cpu, a = pair(rng, (8, 6), dtype, ctx)
        b_cpu, b = pair(rng, (8, 5), dtype, ctx)
        a_cpu /= a_cpu.dtype.type(64)
        b_cpu /= b_cpu.dtype.type(64)
        a, b = (pygpu.array(c, context=ctx) for c in (a_cpu, b_cpu))
        want = a_cpu.astype("float64").T @ b_cpu.astype("float64")
        same(pygpu.blas.gemm(1, a, b, 0, trans_a=True), want.astype(dtype),
             rtol=rtol)
        nan = pygpu.array(np.full((6,), np.nan, dtype), context=ctx)
        column = pygpu.array(a_cpu[:, 0].copy(), context=ctx)
        want = a_cpu.astype("float64").T @ a_cpu[:, 0].astype("float64")
        same(pygpu.blas.gemv(1, a, column, 0, nan, trans_a=True),
             want.astype(dtype), rtol=rtol)
    x_cpu, x = pair(rng, (7,), "float32", ctx)
    y_cpu, y = pair(rng, (9,), "float32", ctx)
    same(pygpu.blas.ger(2, x, y), 2 * np.outer(x_cpu, y_cpu), rtol=1e-5)
    a_cpu, a = pair(rng, (3, 4, 5), "float32", ctx)
    b_cpu, b = pair(rng, (3, 5, 2), "float32", ctx)
    same(pygpu.blas.gemmBatch_3d(1, a, b, 0), a_cpu @ b_cpu, rtol=1e-5)


def loaded(prefix):
    with open("/proc/self/maps") as maps:
        return any(line.split()[-1].startswith(prefix) for line in maps)


def main():
    expect = os.environ.get("GPUARRAY_EXPECT")
    if expect and not loaded(expect):
        sys.exit("the loader did not take " + expect)
    try:
        ctx = pygpu.init("opencl0:0")
    except Exception as err:  # pygpu has one class for all
        print("no OpenCL device: skipped", err)
        sys.exit(77)
    try:
        print(ctx.devname)
    except UnicodeDecodeError as err:  # pygpu reads names as ASCII
        print("pygpu cannot read the device's name:", err)
    checks = [check_transfers, check_views, check_assignment, check_join,
              check_elemwise, check_operators, check_half, check_complex,
              check_kernel, check_contexts, check_errors, check_reduction,
              check_blas]
    wanted = sys.argv[1:]
    failed = 0
    for check in checks:
        if wanted and check.__name__ not in wanted:
            continue
        try:
            check(np.random.default_rng(1), ctx)
            print("ok    ", check.__name__)
        except Exception as err:
            failed += 1
            print("FAILED", check.__name__, type(err).__name__, err)
    sys.stdout.flush()
    sys.exit(1 if failed else 0)


main()
