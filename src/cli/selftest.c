/* SPDX-License-Identifier: BSD-2-Clause */
/* gpugraph selftest: does this device compute what it should?
 *
 * Before the first kernel is compiled a mark is left in the cache folder, and
 * taken away at the end: a driver that brings the process down is told of at
 * the next start. */
#include "cli/selftest.h"

#include <gpuarray/buffer.h>
#include <gpuarray/error.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/dtype.h"
#include "base/err.h"
#include "base/file.h"
#include "cli/cli.h"

enum { PATH_BYTES = 1200 };

/* --- the mark --- */

/* The mark of this device and driver, or "" without a cache. */
static void mark_path(char path[PATH_BYTES], gpucontext *ctx) {
  gpucache_info cache;
  const char *id = "";
  unsigned int hash = 2166136261u;

  path[0] = '\0';
  if (gpucache_stat(&cache) != GA_NO_ERROR || cache.path[0] == '\0' ||
      gpucontext_property(ctx, GA_CTX_PROP_BIN_ID, &id) != GA_NO_ERROR)
    return;
  for (; *id != '\0'; id++)
    hash = (hash ^ (unsigned char)*id) * 16777619u;
  snprintf(path, PATH_BYTES, "%s/selftest-%08x.mark", cache.path, hash);
}

static void tell_of_crash(const char *path) {
  unsigned char *text = NULL;
  size_t n;

  if (path[0] == '\0' || ga__file_read(path, &text, &n) != GA_NO_ERROR)
    return;
  printf("the self-test before this one did not end: %.*s\n", (int)n,
         (const char *)text);
  ga__free(text);
}

static void set_mark(const char *path, const char *check, int dtype) {
  char text[128];
  const int n = snprintf(text, sizeof text, "it was at \"%s\" of %s", check,
                         ga__dtype_name(dtype));

  if (path[0] != '\0')
    ga__file_write_atomic(path, text, (size_t)n);
}

/* --- one check --- */

static const char *yes_no(int v) {
  return v ? "yes" : "no";
}

/* Returns 1 when it went wrong. */
static int run_check(gpucontext *ctx, const selftest_check *check, int dtype) {
  selftest t = {.ctx = ctx, .dtype = dtype};
  const uint64_t start = ga__now_ns();
  const int err = check->run(&t);
  const double ms = 1e-6 * (double)(ga__now_ns() - start);
  const int is_bad = err != GA_NO_ERROR || !(t.worst <= 1);

  printf("  %-24s %-8s %8.0f ms   %s", check->name, ga__dtype_name(dtype), ms,
         is_bad ? "FAILED" : "ok");
  if (err != GA_NO_ERROR)
    printf(": %s", gpucontext_error(ctx, err));
  else if (is_bad)
    printf(": off by %.3g times what is allowed", t.worst);
  printf("\n");
  fflush(stdout);
  return is_bad;
}

static int run_checks(gpucontext *ctx, const char *mark) {
  const int fp64 = gpucontext_caps(ctx)->fp64;
  int bad = 0;

  for (size_t i = 0; i < n_selftest_checks; i++) {
    const selftest_check *check = &selftest_checks[i];

    for (const int *d = check->dtypes; *d != 0; d++) {
      if (*d == GA_DOUBLE && !fp64)
        continue;
      set_mark(mark, check->name, *d);
      bad += run_check(ctx, check, *d);
    }
  }
  return bad;
}

static void print_head(gpucontext *ctx) {
  const gpudevice_caps *c = gpucontext_caps(ctx);
  char name[256];

  gpucontext_property(ctx, GA_CTX_PROP_DEVNAME, name);
  printf("%s\n", name);
  printf("  mapped like a %s; double %s, half arithmetic %s, 64-bit atomics "
         "%s, sub-groups %s\n\n",
         c->is_cpu ? "CPU" : "GPU", yes_no(c->fp64), yes_no(c->fp16),
         yes_no(c->int64_atomics), yes_no(c->subgroups));
  fflush(stdout);
}

int cli_selftest(int argc, char **argv) {
  const uint64_t start = ga__now_ns();
  char mark[PATH_BYTES];
  gpucontext *ctx;
  int err, bad;

  if (argc > 1)
    return cli_usage("selftest takes one name at most");
  err = gpucontext_open(&ctx, argc > 0 ? argv[0] : NULL);
  if (err != GA_NO_ERROR)
    return cli_fail(err);
  mark_path(mark, ctx);
  tell_of_crash(mark);
  set_mark(mark, "probes", GA_FLOAT);
  print_head(ctx);
  bad = run_checks(ctx, mark);
  gpucontext_deref(ctx);
  if (mark[0] != '\0')
    ga__file_remove(mark);
  if (bad == 0)
    printf("\nall is well, in %.1f s\n", 1e-9 * (double)(ga__now_ns() - start));
  else
    printf("\n%d checks failed\n", bad);
  return bad != 0;
}
