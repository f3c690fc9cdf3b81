/* SPDX-License-Identifier: BSD-2-Clause */
/* A function of one 2 x 3 matrix that is watched, and what its call says. */
#ifndef DEBUG_DEBUGGED_H
#define DEBUG_DEBUGGED_H

#include <stdio.h>
#include <string.h>

#include "support/funcs.h"

static gg_graph *g;
static gg_var *x;
static gg_func *f;
static GpuArray in, out;

static int setup(void **state) {
  const float data[6] = {1, 2, 3, 4, 5, 6};

  (void)state;
  g = gg_graph_new(test_context());
  x = gg_input(g, "x", GA_FLOAT, 2);
  f = NULL;
  memset(&out, 0, sizeof out);
  float_array(&in, 2, (size_t[]){2, 3}, data);
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  GpuArray_clear(&in);
  GpuArray_clear(&out);
  gg_func_free(f);
  gg_graph_free(g);
  return 0;
}

static void make(gg_var *y, gg_mode mode, int flags) {
  f = func_make(g, &(gg_func_spec){.name = "f",
                                   .inputs = GG_VARS(x),
                                   .outputs = GG_VARS(y),
                                   .mode = mode,
                                   .flags = flags});
}

static int call(void) {
  return gg_func_call(f, (GpuArray *[]){&in}, (GpuArray *[]){&out});
}

/* The call fails, and its message has all of these. */
static void assert_found(const char *what, const char *where, int line) {
  char place[16];

  snprintf(place, sizeof place, ":%d)", line);
  assert_code(GA_VALUE_ERROR, call());
  if (strstr(gg_func_error(f), what) == NULL ||
      strstr(gg_func_error(f), where) == NULL ||
      (line != 0 && strstr(gg_func_error(f), place) == NULL))
    fail_msg("\"%s\" lacks \"%s\", \"%s\" or line %d", gg_func_error(f), what,
             where, line);
  assert_null(out.data);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
