/* SPDX-License-Identifier: BSD-2-Clause */
/* How reductions are laid over devices; needs none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "layout/reduce_layout.h"

static const gpudevice_caps cpu = {.is_cpu = 1,
                                   .compute_units = 8,
                                   .vector_float = 16,
                                   .long_loops = 1,
                                   .max_group = 4096,
                                   .max_items = {4096, 4096, 4096}};
static const gpudevice_caps gpu = {.compute_units = 100,
                                   .vector_float = 1,
                                   .long_loops = 1,
                                   .max_group = 1024,
                                   .max_items = {1024, 1024, 64}};

/* The plan of a float array of kept x reduced elements, with these strides in
 * elements, and its space. */
static ga__space space;
static ga__reduce_work work = {.acc_bytes = 4, .n_acc = 1, .lanes_ok = 1};

static ga__reduce_layout plan(const gpudevice_caps *caps, size_t kept,
                              ptrdiff_t kept_stride, size_t red,
                              ptrdiff_t red_stride) {
  static const size_t elsize[2] = {4, 4};
  const ptrdiff_t in_kept = 4 * kept_stride, in_red = 4 * red_stride;
  const ptrdiff_t out_kept = 4, one = 1;
  ga__reduce_layout p;

  space = (ga__space){.n_in = 1, .n_ops = 2, .elsize = elsize};
  assert_int_equal(ga__iter_init(&space.kept, 1, &kept, 2), GA_NO_ERROR);
  assert_int_equal(ga__iter_init(&space.red, 1, &red, 3), GA_NO_ERROR);
  ga__iter_set(&space.kept, 0, &in_kept);
  ga__iter_set(&space.kept, 1, &out_kept);
  ga__iter_set(&space.red, 0, &in_red);
  ga__iter_set(&space.red, 2, &one);
  ga__space_fold(&space);
  ga__reduce_layout_make(&p, &space, caps, &work);
  ga__iter_clear(&space.kept);
  ga__iter_clear(&space.red);
  return p;
}

/* Whatever the plan, parts cover the reduced space once, groups the outputs. */
static void check_cover(const ga__reduce_layout *p) {
  const size_t n = space.n_red > 0 ? space.n_red : 1;

  assert_true(p->cut.chunk * p->cut.parts >= n);
  assert_true(p->cut.chunk * (p->cut.parts - 1) < n);
  assert_int_equal(p->gs[1], p->cut.parts);
  assert_int_equal(p->gs[0] % p->ls[0], 0);
  assert_int_equal(p->ls[0], p->main.group);
  assert_int_equal(p->main.group % p->main.team, 0);
  assert_true(p->final.team <= p->cut.parts);
}

static void test_rows(void **state) {
  (void)state;
  ga__reduce_layout p = plan(&cpu, 4096, 4096, 4096, 1);
  check_cover(&p);
  assert_int_equal(p.main.kernel, GA_REDUCE_ROW);
  assert_int_equal(p.main.lanes, 16);
  assert_int_equal(p.cut.parts, 1);
  assert_true(p.gs[0] >= 8);
  p = plan(&gpu, 4096, 4096, 4096, 1);
  check_cover(&p);
  assert_int_equal(p.main.kernel, GA_REDUCE_ROW);
  assert_int_equal(p.main.lanes, 4);
  assert_int_equal(p.main.team, 128);
  assert_int_equal(p.main.unroll, 2);
  assert_int_equal(p.gs[0], 4096 * 128);
}

/* On a CPU short rows are done several at a time, if there are several. */
static void test_turned_rows(void **state) {
  (void)state;
  ga__reduce_layout p = plan(&cpu, 100003, 10, 10, 1);
  check_cover(&p);
  assert_int_equal(p.main.kernel, GA_REDUCE_TURN);
  assert_int_equal(p.main.lanes, 8);
  assert_int_equal(p.main.length, 10);
  assert_int_equal(p.rows % 8, 0);
  assert_true(p.gs[0] * p.rows >= 100003);
  p = plan(&cpu, 100, 64, 64, 1);
  assert_int_equal(p.main.kernel, GA_REDUCE_TURN);
  p = plan(&cpu, 100, 65, 65, 1);
  assert_int_equal(p.main.kernel, GA_REDUCE_ROW);
  p = plan(&cpu, 7, 10, 10, 1);
  assert_int_equal(p.main.kernel, GA_REDUCE_ROW);
}

/* Lanes stand in rows where vectors along them would be mostly empty. */
static void test_lanes_across_rows(void **state) {
  (void)state;
  ga__reduce_layout p = plan(&cpu, 100003, 3, 3, 1);
  check_cover(&p);
  assert_int_equal(p.main.kernel, GA_REDUCE_COL);
  assert_int_equal(p.main.lanes, 16);
  p = plan(&cpu, 15, 3, 3, 1);
  assert_int_equal(p.main.kernel, GA_REDUCE_ROW);
  work.is_heavy = 1;
  p = plan(&cpu, 100003, 10, 10, 1);
  check_cover(&p);
  assert_int_equal(p.main.kernel, GA_REDUCE_COL);
  p = plan(&cpu, 100003, 16, 16, 1);
  assert_int_equal(p.main.kernel, GA_REDUCE_TURN);
  p = plan(&gpu, 100003, 10, 10, 1);
  assert_int_equal(p.main.kernel, GA_REDUCE_ROW);
  work.is_heavy = 0;
}

/* A device that ends loops early gets more parts, whatever keeps it busy. */
static void test_cut_loops(void **state) {
  const size_t n = (size_t)1 << 32;
  gpudevice_caps caps = gpu;

  (void)state;
  caps.long_loops = 0;
  ga__reduce_layout p = plan(&caps, 1, 1, n, 1);
  check_cover(&p);
  assert_true(p.cut.chunk <= (size_t)p.main.team * p.main.lanes * 16384);
  p = plan(&caps, 100000, 1, n / 1000, 100000);
  check_cover(&p);
  assert_int_equal(p.main.kernel, GA_REDUCE_COL);
  assert_true(p.cut.chunk <= (size_t)p.main.team * 16384);
  p = plan(&caps, 4096, 4096, 4096, 1);
  assert_int_equal(p.cut.parts, 1);
}

/* On a GPU short rows share a group, and vectors never straddle rows' ends. */
static void test_short_rows(void **state) {
  static const struct {
    size_t n;
    unsigned int lanes, team;
  } cases[] = {{10, 2, 1}, {15, 1, 2}, {64, 4, 4}, {128, 4, 8}, {784, 4, 32}};

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const ga__reduce_layout p =
        plan(&gpu, 1000000, (ptrdiff_t)cases[i].n, cases[i].n, 1);
    check_cover(&p);
    assert_int_equal(p.main.lanes, cases[i].lanes);
    assert_int_equal(p.main.team, cases[i].team);
  }
}

/* On a CPU the states of a row stay in registers, of which positions take as
 * many as values. */
static void test_unrolled_rows(void **state) {
  static const struct {
    unsigned int native; /* lanes of a register */
    int is_arg;
    unsigned int unroll;
  } cases[] = {{16, 0, 4}, {16, 1, 4}, {8, 0, 4}, {8, 1, 2}, {4, 1, 1}};

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    gpudevice_caps caps = cpu;

    caps.vector_float = cases[i].native;
    work.is_arg = cases[i].is_arg;
    assert_int_equal(plan(&caps, 4096, 4096, 4096, 1).main.unroll,
                     cases[i].unroll);
  }
  work.is_arg = 0;
}

/* Neighbouring outputs share vectors when parts are combined on a CPU. */
static void test_final_lanes(void **state) {
  (void)state;
  ga__reduce_layout p = plan(&cpu, 1000, 1, 4096, 1000);
  assert_true(p.cut.parts > 1);
  assert_int_equal(p.final.lanes, 16);
  assert_int_equal(p.final_rows % 16, 0);
  assert_true(p.final_gs * p.final_rows >= 1000);
  p = plan(&cpu, 15, 1, 1000000, 15);
  assert_true(p.cut.parts > 1);
  assert_int_equal(p.final.lanes, 1);
  p = plan(&gpu, 1000, 1, 1000000, 1000);
  assert_int_equal(p.final.lanes, 1);
}

static void test_columns(void **state) {
  (void)state;
  ga__reduce_layout p = plan(&cpu, 4096, 1, 4096, 4096);
  check_cover(&p);
  assert_int_equal(p.main.kernel, GA_REDUCE_COL);
  assert_true(p.cut.parts > 1); /* four strips do not occupy eight units */
  p = plan(&gpu, 4096, 1, 4096, 4096);
  check_cover(&p);
  assert_int_equal(p.main.kernel, GA_REDUCE_COL);
  assert_int_equal(p.main.vecs, 1);
  assert_true(p.cut.parts > 1);
}

static void test_all(void **state) {
  (void)state;
  ga__reduce_layout p = plan(&cpu, 1, 0, 400, 1);
  check_cover(&p);
  assert_int_equal(p.cut.parts, 1);
  assert_int_equal(p.gs[0], 1);
  p = plan(&cpu, 1, 0, (size_t)1 << 24, 1);
  check_cover(&p);
  assert_true(p.cut.parts >= 8 && p.cut.parts <= 512);
  p = plan(&gpu, 1, 0, (size_t)1 << 28, 1);
  check_cover(&p);
  assert_true(p.cut.parts >= 400 && p.cut.parts <= 4096);
  assert_true(p.final.team > 1);
}

/* Few columns or short rows share work-items and vectors that fit. */
static void test_narrow(void **state) {
  (void)state;
  for (size_t n = 2; n < 70; n++) {
    ga__reduce_layout p = plan(&cpu, 100000, (ptrdiff_t)n, n, 1);
    check_cover(&p);
    if (n < 4) {
      assert_int_equal(p.main.kernel, GA_REDUCE_COL);
      assert_true(p.gs[0] * p.rows * p.main.vecs * p.main.lanes >= 100000);
    } else {
      assert_true(p.main.lanes <= n);
      assert_true(p.gs[0] * p.rows >= 100000);
    }
    p = plan(&cpu, n, 1, 100000, (ptrdiff_t)n);
    check_cover(&p);
    assert_true(p.main.lanes <= n);
    p = plan(&gpu, 100000, (ptrdiff_t)n, n, 1);
    check_cover(&p);
    assert_true(p.gs[0] / p.main.team >= 100000);
    p = plan(&gpu, n, 1, 100000, (ptrdiff_t)n);
    check_cover(&p);
    assert_true((size_t)p.main.wide * p.main.lanes * (p.gs[0] / p.ls[0]) >= n);
  }
}

/* A group reads pieces of rows that are long for the memory, but for few
 * columns. */
static void test_pieces_of_rows(void **state) {
  (void)state;
  ga__reduce_layout p = plan(&gpu, 4096, 1, 4096, 4096);
  check_cover(&p);
  assert_int_equal(p.main.wide * p.main.lanes, 128);
  p = plan(&gpu, 4095, 1, 4096, 4095); /* no vectors */
  check_cover(&p);
  assert_int_equal(p.main.lanes, 1);
  assert_int_equal(p.main.wide, 128);
  p = plan(&gpu, 255, 1, 4096, 255);
  check_cover(&p);
  assert_int_equal(p.main.wide, 32);
}

static void test_empty(void **state) {
  (void)state;
  ga__reduce_layout p = plan(&cpu, 7, 1, 0, 7);
  check_cover(&p);
  p = plan(&gpu, 7, 1, 0, 7);
  check_cover(&p);
}

/* A reversed, transposed array is walked as it lies in memory. */
static void test_fold(void **state) {
  static const size_t elsize[2] = {4, 0};
  const size_t red[2] = {5, 6};
  const ptrdiff_t strides[2] = {-4, -20}, positions[2] = {6, 1};

  (void)state;
  space = (ga__space){.n_in = 1, .n_ops = 1, .elsize = elsize};
  assert_int_equal(ga__iter_init(&space.kept, 0, NULL, 1), GA_NO_ERROR);
  assert_int_equal(ga__iter_init(&space.red, 2, red, 2), GA_NO_ERROR);
  ga__iter_set(&space.red, 0, strides);
  ga__iter_set(&space.red, 1, positions);
  ga__space_fold(&space);
  assert_int_equal(space.n_out, 1);
  assert_int_equal(space.n_red, 30);
  assert_int_equal(space.kept.nd, 1);
  assert_int_equal(space.red.nd, 2); /* positions do not merge */
  assert_int_equal(space.red.dims[0], 5);
  assert_int_equal(space.red.strides[0][0], 4);
  assert_int_equal(space.red.first[0], -4 * 4 - 5 * 20);
  assert_int_equal(space.red.first[1], 29);
  assert_int_equal(space.red.strides[1][0], -6);
  assert_int_equal(space.in_order, 0);
  assert_int_equal(ga__space_lane_step(&space, &space.red, 0), GA_LANES_NEXT);
  ga__iter_clear(&space.kept);
  ga__iter_clear(&space.red);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows),
      cmocka_unit_test(test_turned_rows),
      cmocka_unit_test(test_lanes_across_rows),
      cmocka_unit_test(test_cut_loops),
      cmocka_unit_test(test_short_rows),
      cmocka_unit_test(test_unrolled_rows),
      cmocka_unit_test(test_final_lanes),
      cmocka_unit_test(test_columns),
      cmocka_unit_test(test_all),
      cmocka_unit_test(test_narrow),
      cmocka_unit_test(test_pieces_of_rows),
      cmocka_unit_test(test_empty),
      cmocka_unit_test(test_fold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
