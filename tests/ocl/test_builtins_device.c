/* SPDX-License-Identifier: BSD-2-Clause */
/* The declarations that stand in for PoCL's header are the header's own: a
 * program is the same with either. */
#include "support/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/strb.h"
#include "codegen/builtins.h"
#include "ocl/kernel/programs.h"
#include "ocl/objects.h"
#include "ocl/ocl.h"

/* Bytes by which two builds of one source differ: hashes and names of temporary
 * files. */
enum { NAMES = 64 };

/* A kernel for each conversion between two types. */
static void add_conversions(ga__strb *b) {
  static const char *const types[] = {"char", "uchar", "short", "ushort", "int",
                                      "uint", "long",  "ulong", "float"};
  static const char *const widths[] = {"", "2", "16"};

  for (size_t i = 0; i < 9; i++)
    for (size_t k = 0; k < 9; k++)
      for (size_t w = 0; w < 3; w++)
        for (int saturates = 0; saturates < 1 + (i < 8); saturates++)
          ga__strb_appendf(
              b,
              "kernel void c_%zu_%zu_%zu_%d(global %s%s *p, global %s%s *q) "
              "{ *p = convert_%s%s%s(*q); }\n",
              i, k, w, saturates, types[i], widths[w], types[k], widths[w],
              types[i], widths[w], saturates ? "_sat" : "");
}

/* The binary of a program, which the caller frees. */
static unsigned char *binary_of(gpucontext *ctx, const char *text,
                                const char *options, size_t *n) {
  cl_int status;
  cl_program p = clCreateProgramWithSource(ctx->cl, 1, &text, NULL, &status);

  assert_int_equal(status, CL_SUCCESS);
  status =
      clCompileProgram(p, 1, &ctx->dev.cl, options, 0, NULL, NULL, NULL, NULL);
  if (status != CL_SUCCESS) {
    char log[4000] = "";
    clGetProgramBuildInfo(p, ctx->dev.cl, CL_PROGRAM_BUILD_LOG, sizeof log - 1,
                          log, NULL);
    fail_msg("%s", log);
  }
  assert_int_equal(
      clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof *n, n, NULL),
      CL_SUCCESS);
  unsigned char *bytes = malloc(*n);
  assert_int_equal(
      clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL),
      CL_SUCCESS);
  clReleaseProgram(p);
  return bytes;
}

static gpucontext *pocl(void) {
  gpucontext *ctx = test_context();

  if (!ctx->is_pocl) {
    print_message("not PoCL: skipped (the header of others is not left out)\n");
    skip();
  }
  return ctx;
}

/* What PoCL keeps in its cache is written in another order, so the text is one
 * that it has never seen. */
static void check_same(const char *text, size_t length) {
  gpucontext *ctx = pocl();
  ga__strb b = GA_STRB_INIT, declares = GA_STRB_INIT;
  size_t n, n_short, differ = 0;

  ga__strb_append_n(&b, text, length);
  ga__strb_appendf(&b, "\ntypedef int t_%llx;\n",
                   (unsigned long long)ga__now_ns());
  text = ga__strb_text(&b);
  assert_true(ga__builtins_write(&declares, "", 1, &text));
  ga__strb_append(&declares, text);
  unsigned char *with = binary_of(ctx, text, "-w", &n);
  unsigned char *without =
      binary_of(ctx, ga__strb_text(&declares), "-w" GA_NO_HEADER, &n_short);
  assert_int_equal(n, n_short);
  for (size_t i = 0; i < n; i++)
    differ += with[i] != without[i];
  assert_in_range(differ, 0, NAMES);
  free(with);
  free(without);
  ga__strb_clear(&declares);
  ga__strb_clear(&b);
}

static void functions_are_those_of_the_header(void **state) {
  unsigned char *bytes;
  size_t n;

  (void)state;
  assert_ok(ga__file_read("tests/ocl/builtins.cl", &bytes, &n));
  check_same((const char *)bytes, n);
  ga__free(bytes);
}

static void conversions_are_those_of_the_header(void **state) {
  ga__strb b = GA_STRB_INIT;

  (void)state;
  add_conversions(&b);
  check_same(ga__strb_text(&b), b.n);
  ga__strb_clear(&b);
}

static void build(gpucontext *ctx, ga__prelude prelude, const char *text) {
  const ga__source src = {
      .n = 1, .parts = &text, .entry = "f", .prelude = prelude};
  cl_kernel k;

  assert_ok(ga__kernel_get(&k, ctx, &src));
  clReleaseKernel(k);
}

static void other_functions_have_the_header(void **state) {
  gpucontext *ctx = pocl();

  (void)state;
  build(ctx, GA_PRELUDE_OWN,
        "float exq(float x) { return x; }"
        "kernel void f(global float *x) { x[41] = exq(x[1]); }");
  build(ctx, GA_PRELUDE_CLUDA,
        "kernel void f(global float4 *x) { x[41].x = length(x[1]); }");
  assert_int_equal(ga__programs_with_header(ctx), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_are_those_of_the_header),
      cmocka_unit_test(conversions_are_those_of_the_header),
      cmocka_unit_test(other_functions_have_the_header),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
