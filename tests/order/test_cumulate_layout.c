/* SPDX-License-Identifier: BSD-2-Clause */
/* How cumulations are cut: no device needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "layout/cumulate_layout.h"

/* A device without long loops gets parts that its loops can walk, however few
 * elements a run has. */
static void test_short_loops(void **state) {
  enum { MOST = 65000 };
  const gpudevice_caps caps = {.compute_units = 1,
                               .vector_float = 1,
                               .max_group = 1024,
                               .max_items = {1024, 1024, 64}};
  const size_t one = 1, n = (size_t)1 << 26, elsize = 4;
  const ptrdiff_t stride = 4;

  (void)state;
  for (size_t bytes = 4; bytes <= 64; bytes *= 2) {
    const ga__cumulate_work work = {.value_bytes = bytes, .widest = 4};
    ga__space s = {.elsize = &elsize, .n_ops = 1, .n_out = 1, .n_red = n};
    ga__cumulate_layout p;

    assert_true(GA_NO_ERROR == ga__iter_init(&s.kept, 1, &one, 1));
    assert_true(GA_NO_ERROR == ga__iter_init(&s.red, 1, &n, 1));
    ga__iter_set(&s.kept, 0, &stride);
    ga__iter_set(&s.red, 0, &stride);
    ga__cumulate_layout_make(&p, &s, &caps, &work);
    assert_int_equal(p.shape.kernel, GA_CUMULATE_TEAM);
    const size_t tile = (size_t)p.shape.team * p.shape.run;
    const size_t tiles = (p.cut.chunk + tile - 1) / tile;
    assert_in_range(ga__cumulate_layout_rounds(&p),
                    tiles * (8 + 4 * p.shape.run), MOST);
    ga__iter_clear(&s.kept);
    ga__iter_clear(&s.red);
  }
}

/* A CPU's threads finish the first part and the totals of the others at the
 * same time, and the parts cover the axis. */
static void test_heads(void **state) {
  const size_t elsize = 4;
  const ptrdiff_t stride = 4;

  (void)state;
  for (unsigned int threads = 1; threads <= 8; threads++) {
    const gpudevice_caps caps = {
        .is_cpu = 1, .compute_units = threads, .vector_float = 8};
    const ga__cumulate_work work = {
        .value_bytes = 4, .widest = 4, .lanes_ok = 1, .total_time = 50};
    const size_t one = 1, n = 10000001;
    ga__space s = {.elsize = &elsize, .n_ops = 1, .n_out = 1, .n_red = n};
    ga__cumulate_layout p;

    assert_true(GA_NO_ERROR == ga__iter_init(&s.kept, 1, &one, 1));
    assert_true(GA_NO_ERROR == ga__iter_init(&s.red, 1, &n, 1));
    ga__iter_set(&s.kept, 0, &stride);
    ga__iter_set(&s.red, 0, &stride);
    ga__cumulate_layout_make(&p, &s, &caps, &work);
    assert_int_equal(p.cut.parts, threads > 1 ? threads + 1 : 1);
    assert_int_equal(p.head + (p.cut.parts - 1) * p.cut.chunk, n);
    /* A chunk is up to 64 elements shorter than the time of the head asks. */
    if (threads > 1)
      assert_in_range(p.head, p.cut.chunk / 2,
                      p.cut.chunk / 2 + 32 + 64 * threads);
    ga__iter_clear(&s.kept);
    ga__iter_clear(&s.red);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_short_loops),
      cmocka_unit_test(test_heads),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
