# SPDX-License-Identifier: BSD-2-Clause
"""One buffer, two libraries: pygpu's arrays in PyOpenCL and PyOpenCL's in
pygpu, without a copy.

    LD_LIBRARY_PATH=build python3 docs/examples/share_pyopencl.py

pygpu has no word for OpenCL's handles, so a few functions of the library below
it are called by ctypes. Exit status 77: something needed is missing."""
import ctypes as C
import sys

try:
    import numpy as np
    import pygpu
    import pyopencl as cl
    import pyopencl.array
    from pygpu import gpuarray
except ModuleNotFoundError as err:
    print("skipped: cannot import:", err)
    sys.exit(77)

lib = C.CDLL("libgpuarray.so.3")  # the one that pygpu has loaded
lib.gpucontext_error.restype = C.c_char_p


class Handles(C.Structure):  # gpuopencl of <gpuarray/opencl.h>
    _fields_ = [(name, C.c_void_p)
                for name in ("platform", "context", "device", "queue")]


def check(err):
    if err != 0:
        raise RuntimeError(lib.gpucontext_error(None, err).decode())


class Bridge:
    """Objects of one pygpu context in PyOpenCL, and back."""

    def __init__(self, ctx):
        self.pygpu = ctx
        self.ptr = C.c_void_p(ctx.ptr)
        h = Handles()
        check(lib.gpucontext_opencl(self.ptr, C.byref(h)))
        self.context = cl.Context.from_int_ptr(h.context, retain=True)
        # Whoever uses this queue needs no events: it is the library's own.
        self.queue = cl.CommandQueue.from_int_ptr(h.queue, retain=True)

    def to_pyopencl(self, a, queue=None):
        """PyOpenCL's array over the memory of pygpu's, which it keeps."""
        buffer = cl.Buffer.from_int_ptr(a.base_data, retain=True)
        out = cl.array.Array(queue or self.queue, a.shape, a.dtype,
                             data=buffer, offset=a.offset, strides=a.strides)
        out.owner = a
        return out

    def to_pygpu(self, a):
        """pygpu's array over the memory of PyOpenCL's, which it keeps."""
        data = C.c_void_p()
        check(lib.gpudata_from_opencl(C.byref(data), self.ptr,
                                      C.c_void_p(a.base_data.int_ptr), None))
        try:
            return gpuarray.from_gpudata(
                data.value, a.offset, a.dtype, a.shape, context=self.pygpu,
                strides=a.strides, base=a, cls=pygpu._array.ndgpuarray)
        finally:
            lib.gpudata_release(data)  # the array has its own reference

    def event(self):
        """An event that ends with all work of pygpu so far."""
        ev = C.c_void_p()
        check(lib.gpucontext_event(self.ptr, C.byref(ev)))
        return cl.Event.from_int_ptr(ev.value, retain=False)

    def wait(self, event):
        """Let pygpu's work from now on wait for an event of others."""
        ev = C.c_void_p(event.int_ptr)
        check(lib.gpucontext_wait(self.ptr, 1, C.byref(ev)))


def share_pygpus(bridge):
    """PyOpenCL changes every second column of pygpu's matrix."""
    cpu = np.arange(12, dtype="float32").reshape(3, 4)
    ours = pygpu.array(cpu, context=bridge.pygpu)
    part = ours[:, ::2]
    theirs = bridge.to_pyopencl(part)
    program = cl.Program(bridge.context, """
        kernel void triple(global float *a, ulong offset, ulong row, ulong col)
        {
          global char *p = (global char *)a + offset;
          *(global float *)(p + get_global_id(0) * row
                              + get_global_id(1) * col) *= 3;
        }""").build()
    program.triple(bridge.queue, part.shape, None, theirs.base_data,
                   np.uint64(theirs.offset), np.uint64(theirs.strides[0]),
                   np.uint64(theirs.strides[1]))
    cpu[:, ::2] *= 3
    assert (np.asarray(ours) == cpu).all()


def share_pyopencls(bridge):
    """pygpu computes with PyOpenCL's array, and its result goes back."""
    cpu = np.linspace(0, 1, 1000, dtype="float32").reshape(10, 100)
    theirs = cl.array.to_device(bridge.queue, cpu)
    ours = bridge.to_pygpu(theirs)
    ours += 1
    assert (theirs.get() == cpu + 1).all()
    del theirs  # pygpu's array keeps the memory
    assert (np.asarray(ours) == cpu + 1).all()


def take_turns(bridge):
    """A queue of PyOpenCL's own and pygpu's, ordered by events alone."""
    queue = cl.CommandQueue(bridge.context)
    ours = gpuarray.zeros((1 << 20,), dtype="float32", context=bridge.pygpu,
                          cls=pygpu._array.ndgpuarray)
    theirs = bridge.to_pyopencl(ours, queue)
    for _ in range(10):
        ours += 1
        cl.enqueue_barrier(queue, wait_for=[bridge.event()])
        theirs *= 2
        bridge.wait(cl.enqueue_marker(queue))
        queue.flush()
    assert (np.asarray(ours) == 2 ** 11 - 2).all()


def refuse(bridge):
    """Memory of another context is an error that says so."""
    other = cl.Context([bridge.context.devices[0]])
    theirs = cl.array.zeros(cl.CommandQueue(other), (4,), "float32")
    try:
        bridge.to_pygpu(theirs)
    except RuntimeError as err:
        assert "of another context" in str(err)
    else:
        raise AssertionError("a buffer of another context was taken")


def main():
    try:
        ctx = pygpu.init("opencl0:0")
    except Exception as err:
        print("no OpenCL device: skipped:", err)
        sys.exit(77)
    bridge = Bridge(ctx)
    for step in [share_pygpus, share_pyopencls, take_turns, refuse]:
        step(bridge)
        print(step.__name__ + ":", step.__doc__.split("\n")[0])


main()
