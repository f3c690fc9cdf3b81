/* SPDX-License-Identifier: BSD-2-Clause */
/* gpugraph selftest: check that a device computes correctly.
 *
 * Before anything is compiled, a mark file in the cache folder names the
 * current check. It is removed at the end. So if the driver crashes the
 * process, the next start reports it. */
#include "cli/selftest.h"

#include <gpuarray/buffer.h>
#include <gpuarray/error.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/dtype.h"
#include "base/err.h"
#include "base/file.h"
#include "cli/cli.h"

enum { PATH_BYTES = 1200, NAME_BYTES = 32 };

/* --- the mark file --- */

static unsigned int hash_text(unsigned int hash, const char *text) {
  for (; *text != '\0'; text++)
    hash = (hash ^ (unsigned char)*text) * 16777619u;
  return hash;
}

/* The path of the mark for a device and its driver; "" without a cache. */
static void mark_path(char path[PATH_BYTES], int platform, int device) {
  unsigned int hash = 2166136261u;
  gpudevice_info *list = NULL;
  gpucache_info cache;
  size_t n = 0;

  path[0] = '\0';
  if (gpucache_stat(&cache) != GA_NO_ERROR || cache.path[0] == '\0' ||
      gpudevice_list(&list, &n) != GA_NO_ERROR)
    return;
  for (size_t i = 0; i < n; i++)
    if (list[i].platform == platform && list[i].device == device) {
      hash = hash_text(hash, list[i].name);
      hash = hash_text(hash, list[i].version);
      hash = hash_text(hash, list[i].driver);
    }
  gpudevice_list_free(list);
  snprintf(path, PATH_BYTES, "%s/selftest-%08x.mark", cache.path, hash);
}

static void tell_of_crash(const char *path) {
  unsigned char *text = NULL;
  size_t n;

  if (path[0] == '\0' || ga__file_read(path, &text, &n) != GA_NO_ERROR)
    return;
  printf("the previous self-test did not finish: %.*s\n", (int)n,
         (const char *)text);
  ga__free(text);
}

static void set_mark(const char *path, const char *check, const char *dtype) {
  char text[128];
  const int n =
      snprintf(text, sizeof text, "it was at \"%s\"%s%s", check,
               dtype != NULL ? " of " : "", dtype != NULL ? dtype : "");

  if (path[0] != '\0')
    ga__file_write(path, text, (size_t)n, GA_FILE_CACHED);
}

/* --- one check --- */

static const char *yes_no(int v) {
  return v ? "yes" : "no";
}

/* Returns 1 if the check failed. */
static int run_check(selftest *t, const selftest_check *check) {
  const uint64_t start = ga__now_ns();
  const int err = check->run(t);
  const double ms = 1e-6 * (double)(ga__now_ns() - start);
  const int is_bad = err != GA_NO_ERROR || !(t->worst <= 1);

  printf("  %-24s %-10s %8.0f ms   %s", check->name, ga__dtype_name(t->dtype),
         ms, is_bad ? "FAILED" : "ok");
  if (err != GA_NO_ERROR)
    printf(": %s", gpucontext_error(t->ctx, err));
  else if (is_bad)
    printf(": off by %.3g times what is allowed", t->worst);
  printf("\n");
  fflush(stdout);
  for (int i = 0; i < SELFTEST_ARRAYS; i++)
    GpuArray_clear(&t->a[i]);
  return is_bad;
}

static int run_checks(gpucontext *ctx, const char *mark) {
  const int fp64 = gpucontext_caps(ctx)->fp64;
  int bad = 0;

  for (size_t i = 0; i < n_selftest_checks; i++) {
    const selftest_check *check = &selftest_checks[i];

    for (const int *d = check->dtypes; *d != 0; d++) {
      selftest t = {.ctx = ctx, .dtype = *d};

      if (*d == GA_DOUBLE && !fp64)
        continue;
      set_mark(mark, check->name, ga__dtype_name(*d));
      bad += run_check(&t, check);
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

int cli_selftest(const cli_command *c, int argc, char **argv) {
  const uint64_t start = ga__now_ns();
  char mark[PATH_BYTES], name[NAME_BYTES];
  int platform, device, bad = 0;
  gpucontext *ctx;
  const char *spec;

  if (cli_read_one(c, argc, argv, &spec, NULL) != GA_NO_ERROR)
    return cli_wrong(c, GA_VALUE_ERROR);
  signal(SIGPIPE, SIG_IGN); /* the mark must go */
  /* PoCL compiles a kernel for the work-group size of a launch and, for its
   * cache, again for any size. Programs run the latter from their second start
   * on, so test that one. */
  setenv("POCL_WORK_GROUP_SPECIALIZATION", "0", 0);
  int err = gpudevice_choose(spec, &platform, &device, NULL, 0);
  if (err != GA_NO_ERROR)
    return cli_fail(err);
  mark_path(mark, platform, device);
  tell_of_crash(mark);
  set_mark(mark, "probes", NULL);
  snprintf(name, sizeof name, "opencl%d:%d", platform, device);
  err = gpucontext_open(&ctx, name);
  if (err == GA_NO_ERROR) {
    print_head(ctx);
    bad = run_checks(ctx, mark);
    gpucontext_deref(ctx);
  }
  if (mark[0] != '\0')
    ga__file_remove(mark);
  if (err != GA_NO_ERROR)
    return cli_fail(err);
  if (bad == 0)
    printf("\nall checks passed in %.1f s\n",
           1e-9 * (double)(ga__now_ns() - start));
  else
    printf("\n%d checks failed\n", bad);
  return bad != 0;
}
