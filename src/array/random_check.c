/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of random states, dtypes and arguments. */
#include "array/random_check.h"
#include "array/geometry.h"
#include "base/dtype.h"

int ga__random_is_mrg(const GpuArray *state) {
  return ga__dtype_canon(state->typecode) == GA_INT;
}

static int check_plain(const GpuArray *state, const char *name) {
  if (!GpuArray_IS_C_CONTIGUOUS(state))
    return ga__fail(GA_VALUE_ERROR, "%s: the state is not C contiguous", name);
  if (!GpuArray_ISALIGNED(state))
    return ga__fail(GA_UNALIGNED_ERROR, "%s: the state is not aligned", name);
  return GA_NO_ERROR;
}

int ga__random_check(const GpuArray *state, const char *name) {
  if (ga__dtype_canon(state->typecode) != GA_ULONG || state->nd != 1 ||
      state->dimensions[0] != GA_PHILOX_STATE)
    return ga__fail(GA_VALUE_ERROR,
                    "%s: expected a state of Philox, uint64[%d], got %s with "
                    "%u dimensions",
                    name, GA_PHILOX_STATE, ga__dtype_name(state->typecode),
                    state->nd);
  return check_plain(state, name);
}

int ga__random_check_mrg(const GpuArray *state, const char *name) {
  if (!ga__random_is_mrg(state) || state->nd != 2 ||
      state->dimensions[0] == 0 || state->dimensions[1] != GA_MRG_STATE)
    return ga__fail(GA_VALUE_ERROR,
                    "%s: expected a state of MRG31k3p, int32[n, %d], got %s "
                    "with %u dimensions",
                    name, GA_MRG_STATE, ga__dtype_name(state->typecode),
                    state->nd);
  return check_plain(state, name);
}

int ga__random_check_type(ga_random what, int typecode) {
  const int code = ga__dtype_canon(typecode);

  switch (what) {
  case GA_RANDOM_UNIFORM:
  case GA_RANDOM_NORMAL:
    if (ga__dtype_kind(code) == GA_KIND_FLOAT)
      return GA_NO_ERROR;
    return ga__fail(GA_VALUE_ERROR, "%s numbers are floats, not %s",
                    what == GA_RANDOM_NORMAL ? "normal" : "uniform",
                    ga__dtype_name(typecode));
  case GA_RANDOM_BITS:
    if (code == GA_UINT || code == GA_ULONG)
      return GA_NO_ERROR;
    return ga__fail(GA_VALUE_ERROR, "random bits are uint32 or uint64, not %s",
                    ga__dtype_name(typecode));
  default:
    return ga__fail(GA_VALUE_ERROR, "there are no random numbers %d",
                    (int)what);
  }
}

int ga__random_check_arg(const gpuelemwise_arg *a) {
  const int kind = a->flags & GE_RANDOM;

  if (a->flags & (GE_READ | GE_WRITE | GE_SCALAR))
    return ga__fail(
        GA_VALUE_ERROR,
        "arg %s: a random argument is neither an array nor a scalar", a->name);
  return ga__random_check_type(kind == GE_RANDOM_UNIFORM  ? GA_RANDOM_UNIFORM
                               : kind == GE_RANDOM_NORMAL ? GA_RANDOM_NORMAL
                                                          : GA_RANDOM_BITS,
                               a->typecode);
}
