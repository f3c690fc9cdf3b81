/* SPDX-License-Identifier: BSD-2-Clause */
/* Clears the slots of chains (chain.cl). Global size: n words, or more. */
kernel void chain_clear(global ulong *slots, const ulong n) {
  if (get_global_id(0) < n)
    slots[get_global_id(0)] = 0;
}
