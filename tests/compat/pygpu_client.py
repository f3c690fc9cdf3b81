# SPDX-License-Identifier: BSD-2-Clause
"""Debian's pygpu, built against libgpuarray 0.7.6, on the library that the
loader finds first; GPUARRAY_EXPECT is how its path must begin. Exit status 77:
pygpu, NumPy or a device is missing. Arguments: names of checks, default all."""
import os
import sys

try:
    import numpy as np
    import pygpu
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


def same(gpu, cpu, **close):
    """The same dtype, shape, flags and values."""
    got = np.asarray(gpu)
    assert got.dtype == cpu.dtype, (got.dtype, cpu.dtype)
    assert got.shape == cpu.shape, (got.shape, cpu.shape)
    if close:
        np.testing.assert_allclose(got, cpu, **close)
    else:
        np.testing.assert_array_equal(got, cpu)


def pair(rng, shape, dtype, ctx, order="C"):
    cpu = (rng.random(shape) * 100).astype(dtype, order=order)
    return cpu, pygpu.array(cpu, context=ctx)


def check_transfers(rng, ctx):
    for dtype in DTYPES:
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
    for bad in [lambda: gpu.reshape((7, 7)), lambda: gpu.transpose(0, 0, 1),
                lambda: gpu[9]]:
        try:
            bad()
        except Exception:
            continue
        raise AssertionError("no error was raised")


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


def check_join(rng, ctx):
    a_cpu, a = pair(rng, (2, 3), "float32", ctx)
    b_cpu, b = pair(rng, (4, 3), "float32", ctx)
    same(pygpu.operations.concatenate([a, b], axis=0, context=ctx),
         np.concatenate([a_cpu, b_cpu], axis=0))
    for gpu, cpu in zip(pygpu.operations.split(b, 2, axis=0), np.split(b_cpu, 2)):
        same(gpu, cpu)


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


def check_reduction(rng, ctx):
    cpu, gpu = pair(rng, (6, 70), "float32", ctx)
    total = pygpu.reduction.ReductionKernel(
        ctx, np.dtype("float32"), "0", "a+b", [False, True],
        arguments="float *x", map_expr="x[i]")
    same(total(gpu), cpu.sum(axis=1), rtol=1e-5)


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
    print(ctx.devname.decode() if isinstance(ctx.devname, bytes)
          else ctx.devname)
    checks = [check_transfers, check_views, check_assignment, check_join,
              check_elemwise, check_reduction, check_blas]
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
