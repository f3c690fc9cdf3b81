/* SPDX-License-Identifier: BSD-2-Clause */
/* How kernels report an index that is out of range (src/ocl/memory/index_guard.c).
 * `guard` is null, or a buffer of the context: who reports, by id, where 0 says
 * that nobody has; the axis, beyond the one that the id tells; then as ulongs
 * the index, the size of the axis and the position among the indices. (Kernels
 * of edges put others there, see check_edges.cl.) The first report stays. Kernels
 * look at `guard` before anything else, so that without it they are as fast as
 * without checks. */
#define GA_GUARD_PARAMS global uint *ga_guard, const uint ga_who

static void ga_report_axis(global uint *guard, const uint who, const uint axis,
                           const long index, const ulong size,
                           const ulong position) {
  if (atomic_cmpxchg(guard, 0u, who) == 0) {
    global ulong *const report = (global ulong *)guard;
    guard[1] = axis;
    report[1] = (ulong)index;
    report[2] = size;
    report[3] = position;
  }
}

static void ga_report_index(global uint *guard, const uint who,
                            const long index, const ulong size,
                            const ulong position) {
  ga_report_axis(guard, who, 0, index, size, position);
}
