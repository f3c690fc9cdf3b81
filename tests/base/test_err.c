/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread's last message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"

static char *long_text(size_t n) {
  char *text = ga__malloc(n + 1);

  assert_non_null(text);
  memset(text, 'y', n);
  text[n] = '\0';
  return text;
}

static void test_message_of_the_last_failure(void **state) {
  (void)state;
  assert_int_equal(
      ga__fail(GA_VALUE_ERROR, "dim %d: expected %d, got %d", 1, 4, 3),
      GA_VALUE_ERROR);
  assert_string_equal(ga__err_text(GA_VALUE_ERROR), "dim 1: expected 4, got 3");
  assert_int_equal(gpuarray_error_code(), GA_VALUE_ERROR);
  /* Whatever code is asked for: callers may have made another of it. */
  assert_string_equal(ga__err_text(GA_SYS_ERROR), "dim 1: expected 4, got 3");
  assert_string_equal(ga__err_text(GA_NO_ERROR), "dim 1: expected 4, got 3");
}

static void test_cleared_error_leaves_general_text(void **state) {
  const long before = ga__alloc_live();
  char *log = long_text(5000);

  (void)state;
  ga__fail_text(GA_RUN_ERROR, log);
  ga__free(log);
  gpuarray_clear_error();
  assert_int_equal(ga__alloc_live(), before);
  assert_int_equal(gpuarray_error_code(), GA_NO_ERROR);
  assert_string_equal(ga__err_text(GA_RUN_ERROR),
                      gpuarray_error_str(GA_RUN_ERROR));
  assert_non_null(ga__err_text(12345));
}

static void test_long_printf_is_cut(void **state) {
  char text[3000];

  (void)state;
  memset(text, 'x', sizeof text);
  text[sizeof text - 1] = '\0';
  ga__fail(GA_RUN_ERROR, "%s", text);
  assert_in_range(strlen(ga__err_text(GA_RUN_ERROR)), 500, sizeof text - 2);
}

static void test_build_logs_are_whole(void **state) {
  const long before = ga__alloc_live();
  char *log = long_text(100000);

  (void)state;
  assert_int_equal(ga__fail_text(GA_RUN_ERROR, log), GA_RUN_ERROR);
  assert_string_equal(ga__err_text(GA_RUN_ERROR), log);
  ga__free(log);

  /* A message may be made of the one before it. */
  ga__fail_text(GA_RUN_ERROR, ga__err_text(GA_RUN_ERROR));
  assert_int_equal(strlen(ga__err_text(GA_RUN_ERROR)), 100000);
  ga__fail(GA_RUN_ERROR, "again: %.4s", ga__err_text(GA_RUN_ERROR));
  assert_string_equal(ga__err_text(GA_RUN_ERROR), "again: yyyy");
  assert_int_equal(ga__alloc_live(), before);
}

static void test_reports_without_memory(void **state) {
  char *log = long_text(5000);

  (void)state;
  ga__alloc_fail(1, 1);
  assert_int_equal(ga__fail_nomem(), GA_MEMORY_ERROR);
  assert_string_equal(ga__err_text(GA_MEMORY_ERROR), "out of host memory");
  ga__fail_text(GA_RUN_ERROR, log);
  ga__alloc_fail(0, 0);
  assert_memory_equal(ga__err_text(GA_RUN_ERROR), log, 500);
  ga__free(log);
}

static void *fail_elsewhere(void *log) {
  ga__fail_text(GA_VALUE_ERROR, log);
  return strcmp(ga__err_text(GA_VALUE_ERROR), log) == 0 ? log : NULL;
}

static void test_threads_see_their_own(void **state) {
  const long before = ga__alloc_live();
  char *log = long_text(5000);
  pthread_t thread;
  void *result;

  (void)state;
  ga__fail(GA_VALUE_ERROR, "mine");
  assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, log), 0);
  assert_int_equal(pthread_join(thread, &result), 0);
  assert_ptr_equal(result, log);
  assert_string_equal(ga__err_text(GA_VALUE_ERROR), "mine");
  ga__free(log);
  /* The thread took its long message with it. */
  assert_int_equal(ga__alloc_live(), before);
}

static int try_it(int code, int *reached) {
  GA_TRY(code);
  *reached = 1;
  return GA_NO_ERROR;
}

static int check_it(int code, int *reached) {
  int err;

  GA_CHECK(code);
  *reached = 1;

done:
  *reached += 10;
  return err;
}

static void test_macros_stop_at_failure(void **state) {
  int reached = 0;

  (void)state;
  assert_int_equal(try_it(GA_COPY_ERROR, &reached), GA_COPY_ERROR);
  assert_int_equal(reached, 0);
  assert_int_equal(try_it(GA_NO_ERROR, &reached), GA_NO_ERROR);
  assert_int_equal(reached, 1);
  reached = 0;
  assert_int_equal(check_it(GA_COPY_ERROR, &reached), GA_COPY_ERROR);
  assert_int_equal(reached, 10);
  assert_int_equal(check_it(GA_NO_ERROR, &reached), GA_NO_ERROR);
  assert_int_equal(reached, 11);
}

static void test_muted_failures_leave_no_trace(void **state) {
  (void)state;
  ga__fail(GA_VALUE_ERROR, "dim 1");
  ga__err_mute(1);
  assert_int_equal(ga__fail(GA_COPY_ERROR, "no copy"), GA_COPY_ERROR);
  assert_int_equal(ga__fail_text(GA_IMPL_ERROR, "a log"), GA_IMPL_ERROR);
  ga__err_mute(0);
  assert_int_equal(gpuarray_error_code(), GA_VALUE_ERROR);
  assert_string_equal(ga__err_text(0), "dim 1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_message_of_the_last_failure),
      cmocka_unit_test(test_cleared_error_leaves_general_text),
      cmocka_unit_test(test_long_printf_is_cut),
      cmocka_unit_test(test_build_logs_are_whole),
      cmocka_unit_test(test_reports_without_memory),
      cmocka_unit_test(test_threads_see_their_own),
      cmocka_unit_test(test_macros_stop_at_failure),
      cmocka_unit_test(test_muted_failures_leave_no_trace),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
