/* SPDX-License-Identifier: BSD-2-Clause */
/* One group of those that worked on parts of the same results comes last and
 * adds the parts up, so that no second kernel is needed. Which group that is
 * varies; what it adds up, and in which order, does not. Included by
 * gemm_gpu.cl and gemv_gpu.cl. Tickets are 0 before a launch and after it.
 *
 *   #define PTX 1        1: NVIDIA, where groups see each other's stores behind
 *                        a fence of its own; 0: a CPU, where atomics order them
 *
 * Parts must be read as volatile: a first-level cache may be stale. */
#if PTX
#define ticket_fence() asm volatile("membar.gl;" ::: "memory")
#else
#define ticket_fence() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif

/* Called by all work-items of a group when its part is stored: is it the last
 * one of the `of` groups that share the ticket? */
GA_INLINE int ticket_is_last(volatile global uint *ticket, uint of, int me,
                          local uint *last) {
  ticket_fence();
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (me == 0) {
    *last = atomic_inc(ticket) == of - 1;
    if (*last)
      atomic_xchg(ticket, 0);
    ticket_fence();
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  return (int)*last;
}
