/* SPDX-License-Identifier: BSD-2-Clause */
/* The states of chains (chain.cl) that count: one number. */
typedef uint c_state_1;

#define C_LOCAL_PARAMS local uint *c_l,
#define C_LOCAL_PASS c_l,
#define c_neutral_1(s) (*(s) = 0)
#define c_combine_1(a, b, s) (*(s) = *(a) + *(b))

GA_INLINE void c_put(local uint *l, const uint i, const c_state_1 *s) {
  l[i] = *s;
}

GA_INLINE void c_get(local const uint *l, const uint i, c_state_1 *s) {
  *s = l[i];
}

GA_INLINE void c_tell(volatile global ulong *slot, const c_state_1 *s) {
  *slot = 1ul << 32 | *s;
}

GA_INLINE int c_hear(volatile global const ulong *slot, c_state_1 *s) {
  const ulong v = *slot;

  *s = (uint)v;
  return (int)(v >> 32);
}
