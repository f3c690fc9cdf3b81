/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a process that has work enqueued, and copies that fork() makes. */
#include "support/child.h"
#include "support/device.h"

#include <gpuarray/device.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/launch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ocl/objects.h"
#include "ocl/ocl.h"

/* --- the end --- */

static cl_event last;

/* Registered before the library's own handler, so that it runs after it. */
static void check_last(void) {
  cl_int status = CL_QUEUED;

  if (last == NULL)
    return;
  clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                 &status, NULL);
  _exit(status == CL_COMPLETE ? 42 : 1);
}

/* Some work, which nobody waits for. */
static int leave_work_enqueued(void) {
  gpuelemwise_arg arg = {"x", GA_FLOAT, GE_READ | GE_WRITE};
  const size_t n = 100000;
  gpucontext *ctx;
  GpuArray a;

  if (atexit(check_last) != 0 || gpucontext_open(&ctx, NULL) != GA_NO_ERROR)
    return 2;
  GpuElemwise *ge = GpuElemwise_new(
      ctx, "", "for (int i = 0; i < 200; i++) x = exp(x) - x * 0.5f", 1, &arg,
      1, 0);
  void *args[] = {&a};
  if (ge == NULL ||
      GpuArray_zeros(&a, ctx, GA_FLOAT, 1, &n, GA_C_ORDER) != GA_NO_ERROR ||
      GpuElemwise_call(ge, args, 0) != GA_NO_ERROR ||
      clEnqueueMarkerWithWaitList(ctx->queue, 0, NULL, &last) != CL_SUCCESS)
    return 2;
  return 0; /* from main */
}

static void the_end_waits_for_work(void **state) {
  (void)state;
  test_context();
  assert_int_equal(test_child("leaves", (const char *[]){NULL}), 42);
}

/* --- copies --- */

/* Whether the last call said what is wrong. */
static int is_refused(int err) {
  return err == GA_INVALID_ERROR &&
         strstr(gpuarray_error_text(err), "fork()") != NULL;
}

/* In the copy: 0 when everything is refused and nothing hangs. */
static int use_in_copy(gpucontext *ctx, GpuArray *a, GpuElemwise *ge,
                       GpuLaunch *l) {
  void *args[] = {a};
  GpuLaunchStats stats;
  gpucontext *fresh;
  GpuArray b;
  float v[4] = {0};

  alarm(20);
  if (!is_refused(GpuArray_read(v, sizeof v, a)))
    return 1;
  if (!is_refused(GpuArray_write(a, v, sizeof v)))
    return 2;
  if (!is_refused(GpuArray_sync(a)))
    return 3;
  if (!is_refused(GpuElemwise_call(ge, args, 0)))
    return 4;
  if (!is_refused(GpuArray_copy(&b, a, GA_C_ORDER)))
    return 5;
  if (!is_refused(gpucontext_open(&fresh, NULL)))
    return 6;
  if (!is_refused(GpuLaunch_stats(l, &stats)))
    return 7;
  if (!is_refused(GpuLaunch_run(l)))
    return 8;
  GpuLaunch_free(l);
  GpuElemwise_free(ge);
  GpuArray_clear(a);
  gpucontext_deref(ctx);
  return 0;
}

static void copies_are_refused(void **state) {
  gpuelemwise_arg arg = {"x", GA_FLOAT, GE_READ | GE_WRITE};
  const float data[4] = {1, 2, 3, 4};
  const size_t n = 4;
  gpucontext *ctx;
  GpuLaunch *l;
  GpuArray a;
  float v[4];
  int status;

  (void)state;
  test_context();
  assert_ok(gpucontext_open(&ctx, NULL));
  assert_ok(GpuArray_empty(&a, ctx, GA_FLOAT, 1, &n, GA_C_ORDER));
  assert_ok(GpuArray_write(&a, data, sizeof data));
  GpuElemwise *ge = GpuElemwise_new(ctx, "", "x = x + 1", 1, &arg, 1, 0);
  assert_non_null(ge);
  void *args[] = {&a};
  assert_ok(GpuElemwise_call(ge, args, 0));
  /* Profiled, so that there is a time to be waited for. */
  assert_ok(gpucontext_profile(ctx, 1));
  assert_ok(GpuElemwise_prepare(&l, ge, args, 0));
  assert_ok(GpuLaunch_run(l));
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0)
    _exit(use_in_copy(ctx, &a, ge, l));
  assert_true(pid > 0);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  /* Here nothing has changed. */
  assert_ok(GpuElemwise_call(ge, args, 0));
  assert_ok(GpuArray_read(v, sizeof v, &a));
  assert_true(v[0] == 4 && v[3] == 7);
  GpuLaunch_free(l);
  GpuElemwise_free(ge);
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_end_waits_for_work),
      cmocka_unit_test(copies_are_refused),
  };

  if (argc > 1 && strcmp(argv[1], "leaves") == 0)
    return leave_work_enqueued();
  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
