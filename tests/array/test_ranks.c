/* SPDX-License-Identifier: BSD-2-Clause */
/* Every call of view_calls.h at each rank from 0 to 8: views with strides below
 * 0, gaps and an offset; those for reading have one axis of stride 0, too. And
 * without elements. */
#include <string.h>

#include "view_calls.h"

/* A few hundred elements. */
static const size_t sizes[VIEW_ND + 1][VIEW_ND] = {
    {1},
    {300},
    {17, 18},
    {7, 6, 7},
    {4, 5, 3, 6},
    {3, 4, 2, 3, 4},
    {3, 2, 2, 3, 2, 4},
    {2, 3, 2, 2, 3, 2, 2},
    {2, 2, 3, 2, 2, 2, 2, 2},
};

/* A view for reading has one axis less before another one repeats it. */
static void make_view(view *v, const view_call *call, unsigned int nd) {
  if (call->writes || nd == 0) {
    view_strided(v, call->types[0], nd, sizes[nd]);
    return;
  }
  view_strided(v, call->types[0], nd - 1, sizes[nd - 1]);
  view_repeat(v, nd / 2, 2);
}

static void make_empty(view *v, const view_call *call, unsigned int nd) {
  size_t dims[VIEW_ND];

  memcpy(dims, sizes[nd], sizeof dims);
  dims[nd / 2] = 0;
  view_strided(v, call->types[0], nd, dims);
}

static void try_call(const view_call *call, unsigned int nd) {
  view v;

  print_message("  %s of %u dimensions\n", call->name, nd);
  draw_from(nd + 1);
  make_view(&v, call, nd);
  assert_int_equal(v.a.nd, nd);
  call->run(&v);
  view_drop(&v);
  if (nd == 0)
    return;
  make_empty(&v, call, nd);
  call->run(&v);
  view_drop(&v);
}

static void try_rank(unsigned int nd) {
  for (size_t i = 0; i < n_view_calls; i++)
    try_call(&view_calls[i], nd);
  for (size_t i = 0; i < n_view_index_calls; i++)
    try_call(&view_index_calls[i], nd);
}

static void test_every_rank(void **state) {
  (void)state;
  for (unsigned int nd = 0; nd <= VIEW_ND; nd++)
    try_rank(nd);
}

static void highest_rank(void) {
  try_rank(VIEW_ND);
}

/* As on a CPU and on a GPU, where each rank is a text of its own, too. */
static void test_highest_rank(void **state) {
  (void)state;
  test_mappings(highest_rank);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_rank),
      cmocka_unit_test(test_highest_rank),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
