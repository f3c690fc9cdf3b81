/* SPDX-License-Identifier: BSD-2-Clause */
#include "order/sort_input.h"

ga__sort_place ga__sort_any_place(void) {
  return (ga__sort_place){.index = GA_SORT_SOURCE};
}

ga__sort_place *ga__sort_target(const ga__sort_job *j, ga__sort_place *result,
                                ga__sort_place *in_turn, size_t p, size_t n) {
  return p + 1 == n && j->array[result->index] != NULL ? result
                                                       : &in_turn[p % 2];
}
