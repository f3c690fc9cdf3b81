/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of kernels: what is read, what is refused, and that no mutation of a
 * good file does harm. */
#include <gpuarray/buffer.h>
#include <gpuarray/error.h>
#include <gpuarray/kernel_file.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/err.h"

static const char good[] =
    "\n"
    "#section support_code\n"
    "/* C */\n"
    "#section kernels\n"
    "\n"
    "#kernel k : *, size, size : GA_USE_DOUBLE\n"
    "KERNEL void k(GLOBAL_MEM ga_double *a, ga_size n, ga_size m) {\n"
    "}\n"
    "// of k, as it stands above the next\n"
    "#kernel l:*,offset , ssize,bfloat16,bool,uint16:GA_USE_SMALL|GA_USE_HALF "
    "\r\n"
    "#define N 3\n"
    "#kernel none : :\n"
    "#section code\n"
    "#kernel is text here\n"
    "#section kernels\n"
    "#kernel last : complex64 : 0\n"
    "no newline";

static GpuKernelFile *parse(const char *text) {
  GpuKernelFile *f = NULL;

  if (GpuKernelFile_parse(&f, "test.k", text, strlen(text)) != GA_NO_ERROR)
    fail_msg("%s", ga__err_text(GA_VALUE_ERROR));
  return f;
}

static void refused(const char *text, const char *message) {
  GpuKernelFile *f = (GpuKernelFile *)&f;

  assert_int_equal(GpuKernelFile_parse(&f, "test.k", text, strlen(text)),
                   GA_VALUE_ERROR);
  assert_null(f);
  assert_string_equal(ga__err_text(GA_VALUE_ERROR), message);
}

/* --- what is read --- */

static void assert_types(const GpuKernelSpec *s, unsigned int n,
                         const int *types) {
  assert_int_equal(s->n_types, n);
  assert_memory_equal(s->types, types, n * sizeof *types);
}

static void a_good_file(void **state) {
  GpuKernelFile *f = parse(good);

  (void)state;
  assert_int_equal(GpuKernelFile_count(f), 4);
  const GpuKernelSpec *k = GpuKernelFile_kernel(f, 0);
  assert_string_equal(k->name, "k");
  assert_types(k, 3, (int[]){GA_BUFFER, GA_SIZE, GA_SIZE});
  assert_int_equal(k->flags, GA_USE_DOUBLE);
  assert_string_equal(
      k->code,
      "KERNEL void k(GLOBAL_MEM ga_double *a, ga_size n, ga_size m) {\n"
      "}\n// of k, as it stands above the next\n");
  k = GpuKernelFile_find(f, "l");
  assert_ptr_equal(k, GpuKernelFile_kernel(f, 1));
  assert_types(
      k, 6,
      (int[]){GA_BUFFER, GA_OFFSET, GA_SSIZE, GA_BFLOAT, GA_BOOL, GA_USHORT});
  assert_int_equal(k->flags, GA_USE_SMALL | GA_USE_HALF);
  assert_string_equal(k->code, "#define N 3\n");
  k = GpuKernelFile_find(f, "none");
  assert_int_equal(k->n_types, 0);
  assert_string_equal(k->code, "");
  k = GpuKernelFile_kernel(f, 3);
  assert_types(k, 1, (int[]){GA_CFLOAT});
  assert_int_equal(k->flags, 0);
  assert_string_equal(k->code, "no newline\n");
  assert_null(GpuKernelFile_kernel(f, 4));
  assert_null(GpuKernelFile_find(f, "m"));
  assert_string_equal(ga__err_text(GA_VALUE_ERROR), "there is no kernel m");
  GpuKernelFile_free(f);
}

static void sections_keep_their_place(void **state) {
  GpuKernelFile *f = parse(good);

  (void)state;
  assert_string_equal(GpuKernelFile_section(f, "support_code"),
                      "#line 3 \"test.k\"\n/* C */\n");
  assert_string_equal(GpuKernelFile_section(f, "code"),
                      "#line 14 \"test.k\"\n#kernel is text here\n");
  assert_string_equal(GpuKernelFile_section(f, "code_cleanup"), "");
  assert_string_equal(GpuKernelFile_section(f, "nonsense"), "");
  GpuKernelFile_free(f);
}

static void old_sections(void **state) {
  GpuKernelFile *f = parse("THEANO_SUPPORT_CODE_SECTION\na\n"
                           "THEANO_APPLY_CODE_SECTION\nb");

  (void)state;
  assert_string_equal(GpuKernelFile_section(f, "support_code"),
                      "#line 2 \"test.k\"\na\n");
  assert_string_equal(GpuKernelFile_section(f, "support_code_apply"),
                      "#line 4 \"test.k\"\nb\n");
  GpuKernelFile_free(f);
}

static void write_text(char *path, size_t bytes, const char *name,
                       const char *text) {
  snprintf(path, bytes, "%s/%s", getenv("TEST_DIR") ? getenv("TEST_DIR") : ".",
           name);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs(text, out);
  fclose(out);
}

static void several_files_are_one(void **state) {
  char one[512], two[512];
  GpuKernelFile *f;

  (void)state;
  write_text(one, sizeof one, "one.k",
             "#section support_code\nint a;\n#section kernels\n"
             "#kernel p : : \nP\n");
  write_text(two, sizeof two, "two.k",
             "#section kernels\n#kernel q : : \nQ\n"
             "#section support_code\nint b;\n");
  assert_int_equal(GpuKernelFile_read(&f, 2, (const char *const[]){one, two}),
                   GA_NO_ERROR);
  assert_int_equal(GpuKernelFile_count(f), 2);
  assert_string_equal(GpuKernelFile_kernel(f, 1)->code, "Q\n");
  assert_non_null(strstr(GpuKernelFile_section(f, "support_code"), "int a;"));
  assert_non_null(strstr(GpuKernelFile_section(f, "support_code"), "int b;"));
  GpuKernelFile_free(f);
  assert_int_equal(
      GpuKernelFile_read(&f, 1, (const char *const[]){"/nowhere/at.k"}),
      GA_SYS_ERROR);
  assert_null(f);
  assert_non_null(strstr(ga__err_text(GA_SYS_ERROR), "/nowhere/at.k"));
  assert_int_equal(GpuKernelFile_read(&f, 2, (const char *const[]){one, one}),
                   GA_VALUE_ERROR);
  assert_non_null(strstr(ga__err_text(GA_VALUE_ERROR),
                         "one.k:4: expected a kernel of another name, got "
                         "\"p\""));
}

/* --- what is refused: file, line and what was expected --- */

static void bad_files(void **state) {
  (void)state;
  refused("\n  \nint x;\n#section code\n",
          "test.k:3: expected #section, got \"int x;\"");
  refused("#section kernels\n\nint x;\n#kernel k : : \n",
          "test.k:3: expected #kernel, got \"int x;\"");
  refused("#section\n", "test.k:1: expected a section: kernels, code, "
                        "code_cleanup, support_code, support_code_apply, "
                        "support_code_struct, init_code, init_code_apply, "
                        "init_code_struct or cleanup_code_struct, got \"\"");
  refused("#section kernels extra\n",
          "test.k:1: expected a section: kernels, code, code_cleanup, "
          "support_code, support_code_apply, support_code_struct, init_code, "
          "init_code_apply, init_code_struct or cleanup_code_struct, got "
          "\"kernels extra\"");
  refused("#section kernels\n#kernel k : *\n",
          "test.k:2: expected NAME : PARAMETERS : FLAGS, got \"k : *\"");
  refused("#section kernels\n#kernel k : * : 0 : 1\n",
          "test.k:2: expected NAME : PARAMETERS : FLAGS, got \"k : * : 0 : "
          "1\"");
  refused("#section kernels\n#kernel 2k : * : 0\n",
          "test.k:2: expected the name of a kernel, got \"2k\"");
  refused("#section kernels\n#kernel k l : * : 0\n",
          "test.k:2: expected the name of a kernel, got \"k l\"");
  refused("#section kernels\n#kernel k : *, float : 0\n",
          "test.k:2: expected *, offset, size, ssize or a dtype, got "
          "\"float\"");
  refused("#section kernels\n#kernel k : *, : 0\n",
          "test.k:2: expected *, offset, size, ssize or a dtype, got \"\"");
  refused("#section kernels\n#kernel k : size, offset : 0\n",
          "test.k:2: expected * before an offset, got \"offset\"");
  refused("#section kernels\n#kernel k : * : GA_USE_DOUBEL\n",
          "test.k:2: expected GA_USE_SMALL, _DOUBLE, _COMPLEX, _HALF, _OPENCL "
          "or _CUDA, got \"GA_USE_DOUBEL\"");
  refused("#section kernels\n#kernel k : :\n#kernel k : :\n",
          "test.k:3: expected a kernel of another name, got \"k\"");
}

/* Names with each end of the ranges of letters and digits, and pieces of the
 * longest lengths that are looked at whole. */
static void names_at_their_limits(void **state) {
  static const char *const bad[] = {"0a", "9a", "",   "a@", "a[",
                                    "a`", "a{", "a/", "a;"};
  char text[64], message[96];
  GpuKernelFile *f = parse("#section kernels\n"
                           "#kernel azAZ09_ : * : 0\n"
                           "#kernel\fa\v:\f*\v:0\n");

  (void)state;
  assert_int_equal(GpuKernelFile_count(f), 2);
  assert_non_null(GpuKernelFile_find(f, "azAZ09_"));
  assert_non_null(GpuKernelFile_find(f, "a"));
  GpuKernelFile_free(f);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    snprintf(text, sizeof text, "#section kernels\n#kernel %s : * : 0\n",
             bad[i]);
    snprintf(message, sizeof message,
             "test.k:2: expected the name of a kernel, got \"%s\"", bad[i]);
    refused(text, message);
  }
  refused("#section kernels\n#kernel a : float32float3200 : 0\n",
          "test.k:2: expected *, offset, size, ssize or a dtype, got "
          "\"float32float3200\"");
}

static void zero_bytes(void **state) {
  static const char text[] = "#section code\na\0b\n";
  GpuKernelFile *f;

  (void)state;
  assert_int_equal(GpuKernelFile_parse(&f, "test.k", text, sizeof text - 1),
                   GA_VALUE_ERROR);
  assert_string_equal(ga__err_text(GA_VALUE_ERROR),
                      "test.k:2: expected text, got a zero byte");
}

static void nothing_is_a_file_too(void **state) {
  GpuKernelFile *f = parse("");

  (void)state;
  assert_int_equal(GpuKernelFile_count(f), 0);
  GpuKernelFile_free(f);
}

static void failed_allocations_leave_nothing(void **state) {
  const long live = ga__alloc_live();
  GpuKernelFile *f;
  long i;
  int err = GA_MEMORY_ERROR;

  (void)state;
  for (i = 1; err != GA_NO_ERROR; i++) {
    ga__alloc_fail(i, 0);
    err = GpuKernelFile_parse(&f, "test.k", good, strlen(good));
    ga__alloc_fail(0, 0);
    if (err != GA_NO_ERROR) {
      assert_int_equal(err, GA_MEMORY_ERROR);
      assert_null(f);
      assert_int_equal(ga__alloc_live(), live);
    }
  }
  GpuKernelFile_free(f);
  assert_true(i > 10);
}

/* --- mutations --- */

static uint32_t next(uint32_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 17;
  return *seed ^= *seed << 5;
}

/* Change, drop, double or move a few bytes; returns the new length. */
static size_t mutate(char *text, size_t n, size_t room, uint32_t *seed) {
  static const char words[] = "#section kernels\n#kernel :,*|\r\0\"\\offset";
  uint32_t times = 1 + next(seed) % 8;

  for (uint32_t i = 0; i < times; i++) {
    size_t at = next(seed) % (n + 1);
    size_t len = 1 + next(seed) % 12;
    switch (next(seed) % 4) {
    case 0: /* another byte */
      if (at < n)
        text[at] = (char)next(seed);
      break;
    case 1: /* cut out */
      len = at + len > n ? n - at : len;
      memmove(text + at, text + at + len, n - at - len);
      n -= len;
      break;
    case 2: /* put in a piece that means something */
      if (n + len > room)
        break;
      memmove(text + at + len, text + at, n - at);
      memcpy(text + at, words + next(seed) % (sizeof words - len), len);
      n += len;
      break;
    default: /* end here, now and then */
      if (next(seed) % 16 == 0)
        n = at;
    }
  }
  return n;
}

/* What a file must be like, whatever was in it. */
static void look(const GpuKernelFile *f) {
  for (unsigned int i = 0; i < GpuKernelFile_count(f); i++) {
    const GpuKernelSpec *k = GpuKernelFile_kernel(f, i);
    assert_ptr_equal(GpuKernelFile_find(f, k->name), k);
    assert_non_null(k->code);
    for (unsigned int j = 0; j < k->n_types; j++)
      assert_true(k->types[j] >= GA_OFFSET && k->types[j] <= GA_BFLOAT);
  }
}

static void mutations_do_no_harm(void **state) {
  const long live = ga__alloc_live();
  uint32_t seed = 2463534242u;
  unsigned int refusals = 0;
  GpuKernelFile *f;
  char text[2048];

  (void)state;
  for (unsigned int i = 0; i < 20000; i++) {
    memcpy(text, good, sizeof good);
    size_t n = mutate(text, sizeof good - 1, sizeof text, &seed);
    if (GpuKernelFile_parse(&f, "test.k", text, n) == GA_NO_ERROR) {
      look(f);
    } else {
      refusals++;
      assert_null(f);
      assert_memory_equal(ga__err_text(GA_VALUE_ERROR), "test.k:", 7);
    }
    GpuKernelFile_free(f);
  }
  assert_int_equal(ga__alloc_live(), live);
  assert_in_range(refusals, 2000, 18000); /* both ways were tried */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_good_file),
      cmocka_unit_test(sections_keep_their_place),
      cmocka_unit_test(old_sections),
      cmocka_unit_test(several_files_are_one),
      cmocka_unit_test(bad_files),
      cmocka_unit_test(names_at_their_limits),
      cmocka_unit_test(zero_bytes),
      cmocka_unit_test(nothing_is_a_file_too),
      cmocka_unit_test(failed_allocations_leave_nothing),
      cmocka_unit_test(mutations_do_no_harm),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
