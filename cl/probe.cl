/* SPDX-License-Identifier: BSD-2-Clause */
/* One capability probe per build, chosen by a macro put in front:
 *
 *   #define PROBE_FP16
 *
 * Runs over 4 zeros as one group of 4 work-items, and PROBE_CHAINS as many. */

#ifdef PROBE_FP16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void probe(global uint *r) {
  half h = (half)get_global_id(0);

  h = (h + (half)0.5f) * (half)2.0f;
  r[get_global_id(0)] = (uint)h;
}
#endif

#ifdef PROBE_INT64_ATOMICS
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

kernel void probe(global uint *r) {
  local ulong sum;

  if (get_local_id(0) == 0)
    sum = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atom_add(&sum, (ulong)0x80000000u);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0)
    r[0] = (uint)(sum >> 32);
}
#endif

#ifdef PROBE_SUBGROUPS
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif

kernel void probe(global uint *r) {
  r[get_global_id(0)] = sub_group_reduce_add(1);
}
#endif

#ifdef PROBE_PTX
kernel void probe(global uint *r) {
  uint i = get_global_id(0), sum;

  asm("add.u32 %0, %1, 7;" : "=r"(sum) : "r"(i));
  r[i] = sum;
}
#endif

#ifdef PROBE_REDUX
kernel void probe(global uint *r) {
  const uint i = get_global_id(0);
  uint most;

  asm volatile("redux.sync.max.u32 %0, %1, 15;" : "=r"(most) : "r"(i));
  r[i] = most;
}
#endif

#ifdef PROBE_ROUNDS
kernel void probe(global uint *r) {
  const uint i = get_global_id(0), n = 400 + r[i];
  uint v = i;

  for (uint j = 0; j < n; ++j) {
    for (uint k = 0; k < n; ++k)
      v = v * 1664525u + 1013904223u;
  }
  r[i] = v;
}
#endif

#ifdef PROBE_LOCAL_64K
kernel void probe(global uint *r) {
  local uint room[1 << 14];
  const uint i = get_global_id(0);

  room[i << 12] = i;
  room[(i << 12) + 4095] = i + 9;
  barrier(CLK_LOCAL_MEM_FENCE);
  r[i] = room[((i ^ 3) << 12) + 4095] - room[(i ^ 1) << 12];
}
#endif

#ifdef PROBE_CHAINS
/* Each group waits for the number of the group before it, which is stored in
 * one word with that group's mark, and stores the next one (chain.cl). */
kernel void probe(volatile global ulong *r) {
  const ulong group = get_group_id(0);

  if (get_local_id(0) == 0) {
    ulong word = r[0];
    for (uint looks = 0; word >> 32 != group && looks < 1u << 20; ++looks)
      word = r[0];
    if (word >> 32 == group)
      r[0] = (group + 1) << 32 | ((uint)word * 1664525u + 1013904223u);
  }
}
#endif
