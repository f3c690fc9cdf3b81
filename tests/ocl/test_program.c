/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs: built once, kept in memory and on disk, never a wrong one. */
#include "support/child.h"
#include "support/device.h"

#include <gpuarray/device.h>
#include <gpuarray/profile.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cache/disk.h"
#include "ocl/objects.h"
#include "ocl/ocl.h"
#include "ocl/queue.h"

/* r[i] = value, with a text of its own per value. */
static ga__source source_of(const char *value) {
  static const char *parts[3];

  parts[0] = "kernel void f(global int *r) { r[get_global_id(0)] = ";
  parts[1] = value;
  parts[2] = "; }\n";
  return (ga__source){.n = 3, .parts = parts, .entry = "f"};
}

/* Fetch the kernel, run it, and return what it wrote. */
static int run(gpucontext *ctx, const char *value) {
  ga__source src = source_of(value);
  size_t one = 1;
  int got = -1;
  gpudata *d = gpudata_alloc(ctx, sizeof got, NULL, 0, NULL);
  cl_mem mem = ga__data_mem(d);
  cl_kernel k;

  assert_ok(ga__kernel_get(&k, ctx, &src));
  ga__ctx_lock(ctx);
  assert_ok(GA_CL(clSetKernelArg(k, 0, sizeof mem, &mem)));
  assert_ok(GA_CL(clEnqueueNDRangeKernel(ga__ctx_queue(ctx), k, 1, NULL, &one,
                                         &one, 0, NULL, NULL)));
  ga__ctx_unlock(ctx);
  assert_ok(gpudata_read(&got, d, 0, sizeof got));
  clReleaseKernel(k);
  gpudata_release(d);
  return got;
}

static gpucontext *context_in(const char *cache) {
  gpucontext_props *p;
  gpucontext *ctx;

  assert_ok(gpucontext_props_new(&p));
  assert_ok(gpucontext_props_kernel_cache(p, cache));
  assert_ok(gpucontext_init(&ctx, "opencl", p));
  return ctx;
}

static gpucontext_counters count(gpucontext *ctx) {
  gpucontext_counters c;

  assert_ok(gpucontext_count(ctx, &c));
  return c;
}

static void the_same_text_is_built_once(void **state) {
  (void)state;
  test_context();
  gpucontext *ctx = context_in(test_path("once"));
  assert_int_equal(run(ctx, "11"), 11);
  assert_int_equal(run(ctx, "11"), 11);
  assert_int_equal(run(ctx, "12"), 12);
  assert_int_equal(count(ctx).programs_built, 2);
  assert_int_equal(count(ctx).programs_reused, 1);
  assert_true(count(ctx).build_seconds > 0);
  gpucontext_deref(ctx);
}

static void options_are_part_of_the_key(void **state) {
  const char *text = "kernel void f(global int *r) { r[0] = VALUE; }\n";
  ga__source src = {.n = 1, .parts = &text, .entry = "f"};
  cl_kernel k;

  (void)state;
  test_context();
  gpucontext *ctx = context_in(test_path("options"));
  src.options = "-DVALUE=1";
  assert_ok(ga__kernel_get(&k, ctx, &src));
  clReleaseKernel(k);
  src.options = "-DVALUE=2";
  assert_ok(ga__kernel_get(&k, ctx, &src));
  clReleaseKernel(k);
  assert_int_equal(count(ctx).programs_built, 2);
  src.options = NULL;
  assert_code(GA_IMPL_ERROR, ga__kernel_get(&k, ctx, &src));
  assert_null(k);
  gpucontext_deref(ctx);
}

/* --- on disk --- */

static void another_context_loads_from_disk(void **state) {
  char dir[2048];

  (void)state;
  test_context();
  snprintf(dir, sizeof dir, "%s", test_path("disk"));
  gpucontext *ctx = context_in(dir);
  assert_int_equal(run(ctx, "21"), 21);
  assert_int_equal(count(ctx).programs_built, 1);
  gpucontext_deref(ctx);
  ctx = context_in(dir);
  assert_int_equal(run(ctx, "21"), 21);
  assert_int_equal(count(ctx).programs_built, 0);
  assert_int_equal(count(ctx).programs_loaded, 1);
  gpucontext_deref(ctx);
}

static void role_loads(void **state) {
  (void)state;
  assert_int_equal(run(test_context(), "31"), 31);
  assert_int_equal(count(test_context()).programs_built, 0);
  assert_int_equal(count(test_context()).programs_loaded, 1);
}

static void another_process_loads_from_disk(void **state) {
  char dir[2048], env[2100];

  (void)state;
  test_context();
  snprintf(dir, sizeof dir, "%s", test_path("process"));
  snprintf(env, sizeof env, "GPUARRAY_CACHE_PATH=%s", dir);
  gpucontext *ctx = context_in(dir);
  assert_int_equal(run(ctx, "31"), 31);
  gpucontext_deref(ctx);
  assert_int_equal(test_child("loads", (const char *[]){env, NULL}), 0);
}

static int damage(void *dir, const ga__dir_entry *e) {
  char path[4096];
  unsigned char *bytes;
  size_t n;

  snprintf(path, sizeof path, "%s/%s", (const char *)dir, e->name);
  assert_ok(ga__file_read(path, &bytes, &n));
  assert_true(n > 1);
  bytes[n - 1] ^= 1;
  assert_ok(ga__file_write(path, bytes, n, GA_FILE_CACHED));
  ga__free(bytes);
  return 0;
}

static int truncate_file(void *dir, const ga__dir_entry *e) {
  char path[4096];

  snprintf(path, sizeof path, "%s/%s", (const char *)dir, e->name);
  assert_ok(ga__file_write(path, "gacache\n", 8, GA_FILE_CACHED));
  return 0;
}

static void damaged_files_are_built_again(void **state) {
  int (*harm[])(void *, const ga__dir_entry *) = {damage, truncate_file};
  char dir[2048];

  (void)state;
  test_context();
  snprintf(dir, sizeof dir, "%s", test_path("damaged"));
  for (size_t i = 0; i < 2; i++) {
    gpucontext *ctx = context_in(dir);
    assert_int_equal(run(ctx, "41"), 41);
    gpucontext_deref(ctx);
    assert_int_equal(ga__dir_each(dir, harm[i], dir), 0);
    ctx = context_in(dir);
    assert_int_equal(run(ctx, "41"), 41);
    assert_int_equal(count(ctx).programs_built, 1);
    gpucontext_deref(ctx);
  }
}

/* The key of the folder's only entry, from its file name. */
static int only_key(void *key, const ga__dir_entry *e) {
  for (size_t i = 0; i < GA_SHA256_BYTES; i++) {
    unsigned int byte;

    assert_int_equal(sscanf(e->name + 2 * i, "%2x", &byte), 1);
    ((unsigned char *)key)[i] = (unsigned char)byte;
  }
  return 1;
}

/* The driver alone is shown a binary that is none. */
static void role_shows_junk(void **state) {
  const unsigned char junk[1000] = {0}, *binary = junk;
  const size_t n = sizeof junk;
  cl_device_id d = ga__ctx_device(test_context());
  cl_int each, status;

  (void)state;
  cl_program p = clCreateProgramWithBinary(ga__ctx_cl(test_context()), 1, &d,
                                           &n, &binary, &each, &status);
  if (p != NULL)
    clReleaseProgram(p);
}

/* A sound file with a binary that is none: what another driver build with the
 * same version text might leave. */
static void foreign_binaries_are_built_again(void **state) {
  unsigned char *junk = calloc(1000, 1);
  char dir[2048];
  unsigned char key[GA_SHA256_BYTES];
  ga__disk *disk;

  (void)state;
  test_context();
  if (test_child("junk", (const char *[]){NULL}) != 0) {
    print_message("the driver ends a process that shows it a foreign binary\n");
    free(junk);
    skip();
  }
  snprintf(dir, sizeof dir, "%s", test_path("foreign"));
  gpucontext *ctx = context_in(dir);
  assert_int_equal(run(ctx, "51"), 51);
  gpucontext_deref(ctx);
  assert_int_equal(ga__dir_each(dir, only_key, key), 1);
  assert_ok(ga__disk_open(&disk, dir));
  ga__disk_put(disk, key, junk, 1000);
  ga__disk_close(disk);
  ctx = context_in(dir);
  assert_int_equal(run(ctx, "51"), 51);
  assert_int_equal(count(ctx).programs_loaded, 0);
  assert_int_equal(count(ctx).programs_built, 1);
  gpucontext_deref(ctx);
  ctx = context_in(dir); /* and it was replaced */
  assert_int_equal(run(ctx, "51"), 51);
  assert_int_equal(count(ctx).programs_loaded, 1);
  gpucontext_deref(ctx);
  free(junk);
}

/* A process that has loaded a program and dies before it has run. */
static void role_dies(void **state) {
  ga__source src = source_of("61");
  gpucontext *ctx;
  cl_kernel k;

  (void)state;
  test_context();
  ctx = context_in(getenv("GPUARRAY_CACHE_PATH"));
  assert_ok(ga__kernel_get(&k, ctx, &src));
  if (count(ctx).programs_loaded == 1)
    _exit(42);
}

static void who_dies_loading_is_the_last(void **state) {
  char dir[2048], env[2100];

  (void)state;
  test_context();
  snprintf(dir, sizeof dir, "%s", test_path("dies"));
  snprintf(env, sizeof env, "GPUARRAY_CACHE_PATH=%s", dir);
  gpucontext *ctx = context_in(dir);
  assert_int_equal(run(ctx, "61"), 61);
  gpucontext_deref(ctx);
  assert_int_equal(test_child("dies", (const char *[]){env, NULL}), 42);
  for (unsigned int built = 2; built-- > 0;) {
    ctx = context_in(dir);
    assert_int_equal(run(ctx, "61"), 61);
    assert_int_equal(count(ctx).programs_built, built);
    assert_int_equal(count(ctx).programs_loaded, 1 - built);
    gpucontext_deref(ctx);
  }
}

/* What has run is trusted, though the process does not end well. */
static void role_dies_later(void **state) {
  (void)state;
  test_context();
  gpucontext *ctx = context_in(getenv("GPUARRAY_CACHE_PATH"));
  size_t one = 1;
  gpudata *d = gpudata_alloc(ctx, sizeof(int), NULL, 0, NULL);
  cl_mem mem = ga__data_mem(d);
  ga__source src = source_of("71");
  cl_kernel k;
  int got;

  assert_ok(ga__kernel_get(&k, ctx, &src));
  ga__ctx_lock(ctx);
  assert_ok(GA_CL(clSetKernelArg(k, 0, sizeof mem, &mem)));
  assert_ok(ga__enqueue(ctx, k, 1, &one, &one, NULL));
  ga__ctx_unlock(ctx);
  assert_ok(gpudata_read(&got, d, 0, sizeof got));
  if (got == 71 && count(ctx).programs_loaded == 1)
    _exit(42);
}

static void who_dies_later_spoils_nothing(void **state) {
  char dir[2048], env[2100];

  (void)state;
  test_context();
  snprintf(dir, sizeof dir, "%s", test_path("later"));
  snprintf(env, sizeof env, "GPUARRAY_CACHE_PATH=%s", dir);
  gpucontext *ctx = context_in(dir);
  assert_int_equal(run(ctx, "71"), 71);
  gpucontext_deref(ctx);
  for (int i = 0; i < 2; i++)
    assert_int_equal(test_child("later", (const char *[]){env, NULL}), 42);
}

static void an_unusable_folder_is_no_error(void **state) {
  char file[2048], dir[2100];

  (void)state;
  test_context();
  snprintf(file, sizeof file, "%s", test_path("a-file"));
  assert_ok(ga__file_write(file, "x", 1, GA_FILE_CACHED));
  snprintf(dir, sizeof dir, "%s/below", file);
  gpucontext *ctx = context_in(dir);
  assert_int_equal(run(ctx, "61"), 61);
  assert_int_equal(count(ctx).programs_built, 1);
  gpucontext_deref(ctx);
}

static void the_cache_can_be_seen_and_emptied(void **state) {
  const char *old = getenv("GPUARRAY_CACHE_PATH");
  char *kept = old ? strdup(old) : NULL, dir[2048];
  gpucache_info info;
  gpucontext *ctx;
  size_t removed;

  (void)state;
  test_context();
  snprintf(dir, sizeof dir, "%s", test_path("seen"));
  setenv("GPUARRAY_CACHE_PATH", dir, 1);
  assert_ok(gpucontext_open(&ctx, NULL));
  assert_int_equal(run(ctx, "71"), 71);
  gpucontext_deref(ctx);
  assert_ok(gpucache_stat(&info));
  assert_string_equal(info.path, dir);
  assert_int_equal(info.files, 1);
  assert_true(info.bytes > 100 && info.bytes < info.max_bytes);
  assert_ok(gpucache_clear(&removed));
  assert_int_equal(removed, 1);
  assert_ok(gpucache_stat(&info));
  assert_int_equal(info.files, 0);
  setenv("GPUARRAY_NO_CACHE", "1", 1);
  assert_ok(gpucache_stat(&info));
  unsetenv("GPUARRAY_NO_CACHE");
  assert_string_equal(info.path, "");
  assert_non_null(strstr(info.why, "GPUARRAY_NO_CACHE"));
  if (kept)
    setenv("GPUARRAY_CACHE_PATH", kept, 1);
  free(kept);
}

/* --- failures --- */

static void build_failures_show_source_and_log(void **state) {
  const char *parts[] = {"kernel void f(global int *r) {\n", "  int a = 1;\n",
                         "  r[0] = zork;\n}\n"};
  ga__source src = {.n = 3, .parts = parts, .entry = "f"};
  const char *line;
  char where[32];
  cl_kernel k;

  (void)state;
  test_context();
  assert_code(GA_IMPL_ERROR, ga__kernel_get(&k, test_context(), &src));
  assert_null(k);
  assert_message(GA_IMPL_ERROR, "clBuildProgram: CL_BUILD_PROGRAM_FAILURE\n");
  const char *text = gpucontext_error(NULL, GA_IMPL_ERROR);
  assert_non_null(strstr(text, "  kernel void f(global int *r) {\n"));
  line = strstr(text, "    r[0] = zork;\n");
  const char *log = strstr(text, "build log:\n");
  assert_true(line != NULL && log != NULL && line < log);
  assert_non_null(strstr(log, "zork"));
  while (line[-1] != '\n') /* the number before it is the log's */
    line--;
  snprintf(where, sizeof where, ":%d:", atoi(line));
  assert_non_null(strstr(log, where));
}

static void missing_kernels_are_named(void **state) {
  ga__source src = source_of("81");
  cl_kernel k;

  (void)state;
  test_context();
  src.entry = "gg";
  assert_code(GA_VALUE_ERROR, ga__kernel_get(&k, test_context(), &src));
  assert_message(GA_VALUE_ERROR,
                 "clCreateKernel(\"gg\"): CL_INVALID_KERNEL_NAME");
}

static void failed_allocations_leak_nothing(void **state) {
  ga__source src = source_of("91");
  int err = GA_MEMORY_ERROR;
  cl_kernel k;

  (void)state;
  test_context();
  for (long n = 1; err != GA_NO_ERROR; n++) {
    long live = ga__alloc_live();
    gpucontext *ctx = context_in(test_path("alloc"));
    ga__alloc_fail(n, 0);
    err = ga__kernel_get(&k, ctx, &src);
    ga__alloc_fail(0, 0);
    assert_true(err == GA_NO_ERROR || err == GA_MEMORY_ERROR);
    if (err == GA_NO_ERROR)
      clReleaseKernel(k);
    else
      assert_null(k);
    gpucontext_deref(ctx);
    assert_int_equal(ga__alloc_live(), live);
    assert_true(n < 100);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_text_is_built_once),
      cmocka_unit_test(options_are_part_of_the_key),
      cmocka_unit_test(another_context_loads_from_disk),
      cmocka_unit_test(another_process_loads_from_disk),
      cmocka_unit_test(damaged_files_are_built_again),
      cmocka_unit_test(foreign_binaries_are_built_again),
      cmocka_unit_test(who_dies_loading_is_the_last),
      cmocka_unit_test(who_dies_later_spoils_nothing),
      cmocka_unit_test(an_unusable_folder_is_no_error),
      cmocka_unit_test(the_cache_can_be_seen_and_emptied),
      cmocka_unit_test(build_failures_show_source_and_log),
      cmocka_unit_test(missing_kernels_are_named),
      cmocka_unit_test(failed_allocations_leak_nothing),
  };
  const struct CMUnitTest loads[] = {cmocka_unit_test(role_loads)};
  const struct CMUnitTest dies[] = {cmocka_unit_test(role_dies)};
  const struct CMUnitTest later[] = {cmocka_unit_test(role_dies_later)};
  const struct CMUnitTest junk[] = {cmocka_unit_test(role_shows_junk)};

  if (argc > 1 && strcmp(argv[1], "loads") == 0)
    return cmocka_run_group_tests(loads, NULL, test_context_drop);
  if (argc > 1 && strcmp(argv[1], "dies") == 0)
    return cmocka_run_group_tests(dies, NULL, test_context_drop);
  if (argc > 1 && strcmp(argv[1], "later") == 0)
    return cmocka_run_group_tests(later, NULL, test_context_drop);
  if (argc > 1 && strcmp(argv[1], "junk") == 0)
    return cmocka_run_group_tests(junk, NULL, test_context_drop);
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
