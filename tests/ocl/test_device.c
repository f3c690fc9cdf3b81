/* SPDX-License-Identifier: BSD-2-Clause */
/* Listing devices and choosing one by name. */
#include "support/child.h"
#include "support/device.h"

#include <gpuarray/device.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

static void counts_match_the_list(void **state) {
  gpudevice_info *list;
  unsigned int np, nd;
  size_t n, seen = 0;

  (void)state;
  test_context();
  assert_ok(gpu_get_platform_count("opencl", &np));
  assert_true(np > 0);
  assert_ok(gpudevice_list(&list, &n));
  for (unsigned int p = 0; p < np; p++) {
    assert_ok(gpu_get_device_count("opencl", p, &nd));
    for (size_t i = 0; i < n; i++)
      seen += list[i].platform == (int)p && list[i].device >= 0;
    assert_true(seen >= nd);
    seen -= nd;
  }
  assert_int_equal(seen, 0);
  gpudevice_list_free(list);
}

static void entries_are_filled(void **state) {
  gpudevice_info *list;
  size_t n;

  (void)state;
  test_context();
  assert_ok(gpudevice_list(&list, &n));
  assert_true(n > 0);
  for (size_t i = 0; i < n; i++) {
    assert_true(list[i].platform_name[0] != '\0');
    assert_int_equal(list[i].usable, list[i].why[0] == '\0');
    if (list[i].device < 0) {
      assert_false(list[i].usable);
      continue;
    }
    assert_true(list[i].name[0] != '\0');
    assert_true(list[i].memory_bytes > 0);
    assert_true(list[i].compute_units > 0);
  }
  gpudevice_list_free(list);
}

static void wrong_counts_are_refused(void **state) {
  unsigned int n = 7;

  (void)state;
  assert_code(GA_INVALID_ERROR, gpu_get_platform_count("cuda", &n));
  assert_message(GA_INVALID_ERROR, "\"cuda\"");
  assert_code(GA_INVALID_ERROR, gpu_get_device_count("cuda", 0, &n));
  assert_code(GA_VALUE_ERROR, gpu_get_device_count("opencl", 4711, &n));
  assert_message(GA_VALUE_ERROR, "4711");
  assert_int_equal(n, 0);
}

/* The first usable device, by the list. */
static gpudevice_info any_device(void) {
  gpudevice_info *list;
  size_t n, i = 0;

  test_context();
  assert_ok(gpudevice_list(&list, &n));
  while (i < n && !list[i].usable)
    i++;
  assert_true(i < n);
  gpudevice_info found = list[i];
  gpudevice_list_free(list);
  return found;
}

static void choose_by_number(void **state) {
  gpudevice_info d = any_device();
  char spec[64], why[256];
  int p, n;

  (void)state;
  snprintf(spec, sizeof spec, "opencl%d:%d", d.platform, d.device);
  assert_ok(gpudevice_choose(spec, &p, &n, why, sizeof why));
  assert_int_equal(p, d.platform);
  assert_int_equal(n, d.device);
  assert_non_null(strstr(why, d.name));
  assert_ok(gpudevice_choose(spec + 6, &p, &n, NULL, 0));
  assert_int_equal(p, d.platform);
}

static void choose_by_part_of_a_name(void **state) {
  gpudevice_info d = any_device();
  char part[64] = "";
  int p, n;

  (void)state;
  for (size_t i = 0; i + 1 < sizeof part && d.name[i + 1] != '\0'; i++)
    part[i] = (char)toupper((unsigned char)d.name[i + 1]);
  assert_ok(gpudevice_choose(part, &p, &n, NULL, 0));
  assert_int_equal(p, d.platform);
  assert_int_equal(n, d.device);
}

static void choose_by_environment(void **state) {
  gpudevice_info d = any_device();
  const char *old = getenv("GPUARRAY_DEVICE");
  char *kept = old ? strdup(old) : NULL, spec[64], why[256];
  int p, n;

  (void)state;
  snprintf(spec, sizeof spec, "%d:%d", d.platform, d.device);
  setenv("GPUARRAY_DEVICE", spec, 1);
  assert_ok(gpudevice_choose(NULL, &p, &n, why, sizeof why));
  assert_int_equal(n, d.device);
  assert_non_null(strstr(why, "GPUARRAY_DEVICE"));
  setenv("GPUARRAY_DEVICE", "no such thing", 1);
  assert_code(GA_NODEV_ERROR, gpudevice_choose(NULL, &p, &n, NULL, 0));
  assert_message(GA_NODEV_ERROR, "$GPUARRAY_DEVICE");
  if (kept)
    setenv("GPUARRAY_DEVICE", kept, 1);
  else
    unsetenv("GPUARRAY_DEVICE");
  free(kept);
}

/* What a variable of the environment was, to be set again. */
static char *take_variable(const char *name) {
  const char *old = getenv(name);
  char *kept = old != NULL ? strdup(old) : NULL;

  unsetenv(name);
  return kept;
}

static void give_variable(const char *name, char *kept) {
  if (kept != NULL)
    setenv(name, kept, 1);
  else
    unsetenv(name);
  free(kept);
}

/* A test that opened a context first would be skipped where there is none. */
static void a_usable_device_is_found(void **state) {
  char *first = take_variable("GPUARRAY_DEVICE"),
       *second = take_variable("DEVICE");
  gpudevice_info *list;
  size_t n, usable = 0;
  int p, d;

  (void)state;
  assert_ok(gpudevice_list(&list, &n));
  for (size_t i = 0; i < n; i++)
    usable += list[i].usable != 0;
  assert_int_equal(gpudevice_choose(NULL, &p, &d, NULL, 0),
                   usable > 0 ? GA_NO_ERROR : GA_NODEV_ERROR);
  gpudevice_list_free(list);
  give_variable("GPUARRAY_DEVICE", first);
  give_variable("DEVICE", second);
}

static void reasons_say_who_asked(void **state) {
  gpudevice_info d = any_device();
  char *first = take_variable("GPUARRAY_DEVICE"),
       *second = take_variable("DEVICE"), spec[64], why[512] = "?";
  int p, n;

  (void)state;
  snprintf(spec, sizeof spec, "%d:%d", d.platform, d.device);
  assert_ok(gpudevice_choose("", &p, &n, why, sizeof why));
  assert_non_null(strstr(why, "\": first usable "));
  assert_null(strstr(why, "(from $"));
  assert_ok(gpudevice_choose(spec, &p, &n, why, sizeof why));
  assert_non_null(strstr(why, "\": asked for"));
  assert_null(strstr(why, "(from $"));
  setenv("DEVICE", spec, 1);
  assert_ok(gpudevice_choose("", &p, &n, why, sizeof why));
  assert_non_null(strstr(why, "\": asked for (from $DEVICE)"));
  setenv("GPUARRAY_DEVICE", "", 1);
  assert_ok(gpudevice_choose(NULL, &p, &n, why, sizeof why));
  assert_non_null(strstr(why, "(from $DEVICE)"));
  why[0] = '!';
  assert_ok(gpudevice_choose(NULL, &p, &n, why, 0));
  assert_int_equal(why[0], '!');
  assert_code(GA_NODEV_ERROR, gpudevice_choose("xyzzy", &p, &n, why, 4));
  assert_string_equal(why, "");
  give_variable("GPUARRAY_DEVICE", first);
  give_variable("DEVICE", second);
}

static void numbers_end_with_the_text(void **state) {
  static const char *const bad[] = {"0:0x", "0:x",  "1000001:0",
                                    ":0",   " 0:0", "0: 0",
                                    "+0:0", "-0:0", "0:1000001"};
  static const char *const good[] = {"1000000:0", "0:1000000"};
  int p, n;

  (void)state;
  test_context();
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_code(GA_NODEV_ERROR, gpudevice_choose(bad[i], &p, &n, NULL, 0));
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    assert_code(GA_NODEV_ERROR, gpudevice_choose(good[i], &p, &n, NULL, 0));
    assert_message(GA_NODEV_ERROR, good[i]);
    assert_message(GA_NODEV_ERROR, "there are opencl");
  }
}

/* Every allocation fails once, and nothing leaks. */
static void choose_without_memory(void **state) {
  gpucontext *ctx = NULL;
  int err = GA_MEMORY_ERROR, p, d;

  (void)state;
  test_context();
  const long live = ga__alloc_live();
  for (long nth = 1; err != GA_NO_ERROR; nth++) {
    ga__alloc_fail(nth, 0);
    err = gpudevice_choose(NULL, &p, &d, NULL, 0);
    ga__alloc_fail(0, 0);
    assert_true(err == GA_MEMORY_ERROR || err == GA_NO_ERROR);
    assert_int_equal(d < 0, err != GA_NO_ERROR);
    assert_int_equal(ga__alloc_live(), live);
  }
  for (long nth = 1; ctx == NULL; nth++) {
    ga__alloc_fail(nth, 0);
    err = gpucontext_open(&ctx, NULL);
    ga__alloc_fail(0, 0);
    assert_true(err == GA_MEMORY_ERROR || err == GA_NO_ERROR);
    assert_int_equal(ctx == NULL, err != GA_NO_ERROR);
    if (ctx == NULL)
      assert_int_equal(ga__alloc_live(), live);
  }
  gpucontext_deref(ctx);
  assert_int_equal(ga__alloc_live(), live);
}

static void unknown_names_tell_what_there_is(void **state) {
  gpudevice_info d = any_device();
  gpucontext *ctx = (gpucontext *)&d;
  int p, n;

  (void)state;
  assert_code(GA_NODEV_ERROR, gpudevice_choose("xyzzy", &p, &n, NULL, 0));
  assert_message(GA_NODEV_ERROR, "no device \"xyzzy\"");
  assert_message(GA_NODEV_ERROR, d.name);
  assert_int_equal(p, -1);
  assert_code(GA_NODEV_ERROR, gpucontext_open(&ctx, "opencl77:0"));
  assert_null(ctx);
  assert_message(GA_NODEV_ERROR, "opencl77:0");
}

static void a_platform_without_devices_is_refused(void **state) {
  gpudevice_info *list;
  size_t n, tried = 0;
  int p, d;

  (void)state;
  test_context();
  assert_ok(gpudevice_list(&list, &n));
  for (size_t i = 0; i < n; i++) {
    char spec[32];

    if (list[i].device >= 0)
      continue;
    snprintf(spec, sizeof spec, "%d:0", list[i].platform);
    assert_code(GA_NODEV_ERROR, gpudevice_choose(spec, &p, &d, NULL, 0));
    assert_message(GA_NODEV_ERROR, "without devices");
    snprintf(spec, sizeof spec, "platform %d \"", list[i].platform);
    assert_message(GA_NODEV_ERROR, spec);
    tried++;
  }
  gpudevice_list_free(list);
  if (tried == 0)
    skip();
}

/* --- without any platform: in a process of its own --- */

static void role_no_platform(void **state) {
  gpudevice_info *list;
  unsigned int np = 7;
  gpucontext *ctx;
  size_t n = 7;

  (void)state;
  assert_ok(gpu_get_platform_count("opencl", &np));
  if (np > 0) {
    print_message("the loader does not look at OCL_ICD_VENDORS\n");
    skip();
  }
  assert_ok(gpudevice_list(&list, &n));
  assert_int_equal(n, 0);
  gpudevice_list_free(list);
  assert_code(GA_NODEV_ERROR, gpucontext_init(&ctx, "opencl", NULL));
  assert_message(GA_NODEV_ERROR, "no OpenCL platform");
  assert_null(ctx);
  assert_code(GA_NODEV_ERROR, gpucontext_open(&ctx, "0:0"));
  assert_message(GA_NODEV_ERROR, "\"0:0\"");
}

static void no_platform_is_a_clear_error(void **state) {
  char env[2100];

  (void)state;
  snprintf(env, sizeof env, "OCL_ICD_VENDORS=%s", test_path("no-vendors"));
  ga__dir_make(strchr(env, '=') + 1);
  assert_int_equal(test_child("no-platform", (const char *[]){env, NULL}), 0);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_match_the_list),
      cmocka_unit_test(entries_are_filled),
      cmocka_unit_test(wrong_counts_are_refused),
      cmocka_unit_test(choose_by_number),
      cmocka_unit_test(choose_by_part_of_a_name),
      cmocka_unit_test(choose_by_environment),
      cmocka_unit_test(a_usable_device_is_found),
      cmocka_unit_test(reasons_say_who_asked),
      cmocka_unit_test(numbers_end_with_the_text),
      cmocka_unit_test(choose_without_memory),
      cmocka_unit_test(unknown_names_tell_what_there_is),
      cmocka_unit_test(a_platform_without_devices_is_refused),
      cmocka_unit_test(no_platform_is_a_clear_error),
  };
  const struct CMUnitTest no_platform[] = {
      cmocka_unit_test(role_no_platform),
  };

  if (argc > 1 && strcmp(argv[1], "no-platform") == 0)
    return cmocka_run_group_tests(no_platform, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
