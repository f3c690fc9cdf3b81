/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes of groups, index widths and chunks. */
#include "layout/cut.h"

#include "base/arith.h"

/* Elements that the last group or chunk may process past the end. */
#define PAST_END 65536

size_t ga__group_size(const gpudevice_caps *caps, size_t most) {
  const size_t able = ga__at_most(caps->max_group, caps->max_items[0]);

  return ga__floor_pow2(ga__between(1, able, most));
}

int ga__fits_int(size_t n) {
  return n <= INT32_MAX - PAST_END;
}

ga__cut ga__cut_parts(size_t n, size_t wanted, size_t unit, size_t least) {
  if (wanted < 2 || n < least)
    return (ga__cut){1, ga__at_least(n, 1)};
  const size_t chunk = ga__round_up(ga__ceil_div(n, wanted), unit);
  GA_ASSERT(chunk > 0 && chunk % unit == 0);
  return (ga__cut){ga__ceil_div(n, chunk), chunk};
}

size_t ga__cut_even(size_t total, size_t items, size_t least, size_t most) {
  return ga__between(least, ga__ceil_div(total, items), most);
}

ga__row_cut ga__cut_rows(size_t len, size_t chunk) {
  GA_ASSERT(len > 0 && chunk > 0);
  if (len < 2 * chunk)
    return (ga__row_cut){ga__ceil_div(chunk, len), len};
  return (ga__row_cut){1, chunk};
}

size_t ga__cut_units(size_t elements, size_t chunk, size_t most) {
  return ga__between(1, chunk / ga__at_least(elements, 1), most);
}
