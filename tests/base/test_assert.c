/* SPDX-License-Identifier: BSD-2-Clause */
/* Invariants: checked where the build says so, else not even computed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assert.h"

static int computed;

static int count(int value) {
  computed++;
  return value;
}

static void one_that_holds_is_silent(void **state) {
  (void)state;
  computed = 0;
  GA_ASSERT(count(1));
#ifdef GA_ASSERTIONS
  assert_int_equal(computed, 1);
#else
  assert_int_equal(computed, 0);
#endif
}

#ifdef GA_ASSERTIONS

/* What the child writes to stderr before it ends, and how it ends. */
static int broken(char *text, size_t room) {
  int ends[2], status;
  size_t n = 0;
  ssize_t got;

  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    signal(SIGABRT, SIG_DFL);
    dup2(ends[1], 2);
    GA_ASSERT(count(2) == 3);
    _exit(0);
  }
  close(ends[1]);
  while (n + 1 < room && (got = read(ends[0], text + n, room - n - 1)) > 0)
    n += (size_t)got;
  text[n] = '\0';
  close(ends[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  return status;
}

static void one_that_is_broken_ends_the_program(void **state) {
  char text[512];
  const int status = broken(text, sizeof text);

  (void)state;
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), SIGABRT);
  assert_non_null(strstr(text, "test_assert.c:"));
  assert_non_null(strstr(text, "broken invariant: count(2) == 3\n"));
}

#else

static void one_that_is_broken_ends_the_program(void **state) {
  (void)state;
  computed = 0;
  GA_ASSERT(count(0));
  assert_int_equal(computed, 0);
}

#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_that_holds_is_silent),
      cmocka_unit_test(one_that_is_broken_ends_the_program),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
