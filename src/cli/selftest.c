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
#include "base/strb.h"
#include "cli/cli.h"
#include "cli/cli_json.h"

enum { PATH_BYTES = 1200, NAME_BYTES = 32 };

/* What a check came to; the rest is in its selftest. */
typedef struct outcome {
  const char *name;
  double ms;
  int err, is_bad;
} outcome;

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

/* What the mark says that an earlier run left; NULL if there is none. The
 * caller frees it with ga__free. */
static char *text_of_mark(const char *path) {
  unsigned char *bytes = NULL;
  ga__strb text = GA_STRB_INIT;
  size_t n;

  if (path[0] == '\0' || ga__file_read(path, &bytes, &n) != GA_NO_ERROR)
    return NULL;
  ga__strb_appendf(&text, "%.*s", (int)n, (const char *)bytes);
  ga__free(bytes);
  return text.s;
}

static void set_mark(const char *path, const char *check, const char *dtype) {
  char text[128];
  const int n =
      snprintf(text, sizeof text, "it was at \"%s\"%s%s", check,
               dtype != NULL ? " of " : "", dtype != NULL ? dtype : "");

  if (path[0] != '\0')
    ga__file_write(path, text, (size_t)n, GA_FILE_CACHED);
}

/* --- what is told --- */

static const char *yes_no(int v) {
  return v ? "yes" : "no";
}

/* Before the device is opened, which may crash again. */
static void print_crash(const char *crash) {
  printf("the previous self-test did not finish: %s\n", crash);
  fflush(stdout);
}

static void print_head(gpucontext *ctx, const char *name) {
  const gpudevice_caps *c = gpucontext_caps(ctx);

  printf("%s\n", name);
  printf("  mapped like a %s; double %s, half arithmetic %s, 64-bit atomics "
         "%s, sub-groups %s\n\n",
         c->is_cpu ? "CPU" : "GPU", yes_no(c->fp64), yes_no(c->fp16),
         yes_no(c->int64_atomics), yes_no(c->subgroups));
  fflush(stdout);
}

static void write_head(cli_json *o, const char *name, const char *crash) {
  cli_json_open(o, NULL, '{');
  cli_json_text(o, "device", name);
  if (crash != NULL)
    cli_json_text(o, "previous_crash", crash);
  cli_json_open(o, "checks", '[');
}

static void print_check(const selftest *t, const outcome *r) {
  printf("  %-24s %-10s %8.0f ms   %s", r->name, ga__dtype_name(t->dtype),
         r->ms, r->is_bad ? "FAILED" : "ok");
  if (r->err != GA_NO_ERROR)
    printf(": %s", gpucontext_error(t->ctx, r->err));
  else if (r->is_bad)
    printf(": off by %.3g times what is allowed", t->worst);
  printf("\n");
  fflush(stdout);
}

static void write_check(cli_json *o, const selftest *t, const outcome *r) {
  cli_json_open(o, NULL, '{');
  cli_json_text(o, "name", r->name);
  cli_json_text(o, "dtype", ga__dtype_name(t->dtype));
  cli_json_real(o, "milliseconds", r->ms);
  cli_json_flag(o, "passed", !r->is_bad);
  if (r->err != GA_NO_ERROR)
    cli_json_text(o, "error", gpucontext_error(t->ctx, r->err));
  else
    cli_json_real(o, "error_by_allowed", t->worst);
  cli_json_close(o, '}');
}

static void print_end(int bad, double seconds) {
  if (bad == 0)
    printf("\nall checks passed in %.1f s\n", seconds);
  else
    printf("\n%d checks failed\n", bad);
}

static void write_end(cli_json *o, int bad, double seconds) {
  cli_json_close(o, ']');
  cli_json_count(o, "failed", (uint64_t)bad);
  cli_json_real(o, "seconds", seconds);
  cli_json_close(o, '}');
}

/* --- checks --- */

/* Returns 1 if the check failed. */
static int run_check(cli_json *o, selftest *t, const selftest_check *check) {
  const uint64_t start = ga__now_ns();
  outcome r = {.name = check->name, .err = check->run(t)};

  r.ms = 1e-6 * (double)(ga__now_ns() - start);
  r.is_bad = r.err != GA_NO_ERROR || !(t->worst <= 1);
  if (o != NULL)
    write_check(o, t, &r);
  else
    print_check(t, &r);
  for (int i = 0; i < SELFTEST_ARRAYS; i++)
    GpuArray_clear(&t->a[i]);
  return r.is_bad;
}

static int run_checks(cli_json *o, gpucontext *ctx, const char *mark) {
  const int fp64 = gpucontext_caps(ctx)->fp64;
  int bad = 0;

  for (size_t i = 0; i < n_selftest_checks; i++) {
    const selftest_check *check = &selftest_checks[i];

    for (const int *d = check->dtypes; *d != 0; d++) {
      selftest t = {.ctx = ctx, .dtype = *d};

      if (*d == GA_DOUBLE && !fp64)
        continue;
      set_mark(mark, check->name, ga__dtype_name(*d));
      bad += run_check(o, &t, check);
    }
  }
  return bad;
}

/* Returns how many checks failed. `o` is NULL where no JSON is wanted. */
static int run_all(cli_json *o, gpucontext *ctx, const char *mark,
                   const char *crash) {
  const uint64_t start = ga__now_ns();
  char name[256];

  gpucontext_property(ctx, GA_CTX_PROP_DEVNAME, name);
  if (o != NULL)
    write_head(o, name, crash);
  else
    print_head(ctx, name);
  const int bad = run_checks(o, ctx, mark);
  const double seconds = 1e-9 * (double)(ga__now_ns() - start);
  if (o != NULL)
    write_end(o, bad, seconds);
  else
    print_end(bad, seconds);
  return bad;
}

int cli_selftest(const cli_command *c, int argc, char **argv) {
  char mark[PATH_BYTES], name[NAME_BYTES];
  int platform, device, json, bad = 0;
  cli_json o = {stdout, 0, 0};
  gpucontext *ctx;
  const char *spec;

  if (cli_read_one(c, argc, argv, &spec, &json) != GA_NO_ERROR)
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
  char *crash = text_of_mark(mark);
  if (crash != NULL && !json)
    print_crash(crash);
  set_mark(mark, "probes", NULL);
  snprintf(name, sizeof name, "opencl%d:%d", platform, device);
  err = gpucontext_open(&ctx, name);
  if (err == GA_NO_ERROR) {
    bad = run_all(json ? &o : NULL, ctx, mark, crash);
    gpucontext_deref(ctx);
  }
  ga__free(crash);
  if (mark[0] != '\0')
    ga__file_remove(mark);
  return err != GA_NO_ERROR ? cli_fail(err) : bad != 0;
}
