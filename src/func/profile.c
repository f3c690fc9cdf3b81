/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the time of a function goes, step by step, by device events. */
#include <gpuarray/profile.h>
#include <gpugraph/report.h>
#include <gpugraph/site.h>
#include <stdlib.h>
#include <string.h>

#include "func/func.h"

/* --- switching --- */

/* Contexts that functions measure, and how many do. */
static pthread_mutex_t measured_lock = PTHREAD_MUTEX_INITIALIZER;
static GA_VEC(struct measured {
  gpucontext *ctx;
  unsigned int functions;
}) measured;

static int count_function(gpucontext *ctx, int on) {
  struct measured x = {ctx, 0};
  size_t k;

  for (k = 0; k < measured.n && measured.v[k].ctx != ctx; k++)
    ;
  if (k == measured.n)
    GA_TRY(ga__vec_push(&measured, x));
  if (measured.v[k].functions == 0 || (!on && measured.v[k].functions == 1))
    GA_TRY(gpucontext_profile(ctx, on));
  measured.v[k].functions += on ? 1 : (unsigned int)-1;
  if (measured.v[k].functions == 0)
    measured.v[k] = measured.v[--measured.n];
  if (measured.n == 0)
    ga__vec_clear(&measured);
  return GA_NO_ERROR;
}

/* All contexts of the program or, where one refuses, none. */
static int switch_contexts(const gg__program *p, int on) {
  int err = GA_NO_ERROR;
  size_t k;

  for (k = 0; k < p->contexts.n && err == GA_NO_ERROR; k++)
    err = count_function(p->contexts.v[k].ctx, on);
  if (err == GA_NO_ERROR || !on)
    return err;
  while (--k > 0)
    count_function(p->contexts.v[k - 1].ctx, 0);
  return err;
}

int gg_func_profile(gg_func *f, int on) {
  int err = GA_NO_ERROR;

  on = on != 0;
  pthread_mutex_lock(&f->lock);
  if (on != f->profiling) {
    pthread_mutex_lock(&measured_lock);
    err = gg__adopt_error(&f->p, switch_contexts(&f->p, on));
    pthread_mutex_unlock(&measured_lock);
    if (err == GA_NO_ERROR)
      f->profiling = on;
  }
  pthread_mutex_unlock(&f->lock);
  return err;
}

/* --- figures of steps --- */

/* Add what a launch has measured, the first of its step or a further one. */
static int add_launch(gg__spent *s, const gg__planned *l, int is_first) {
  GpuLaunchStats st;
  double flops;

  GA_TRY(GpuLaunch_stats(l->launch, &st));
  flops = l->flops > 0 ? l->flops : st.flops;
  s->seconds += st.seconds;
  s->bytes += st.bytes * (double)st.calls;
  s->flops += flops * (double)st.calls;
  if (is_first)
    s->calls += st.calls;
  if (s->provider == NULL || strcmp(st.provider, "own") != 0)
    s->provider = st.provider;
  return GA_NO_ERROR;
}

/* A transfer is shown with its second half. */
static int add_transfer(gg__spent *s, const gg__planned *l) {
  GpuTransferStats st;

  GA_TRY(GpuTransfer_stats(l->transfer, &st));
  s->seconds += st.seconds;
  s->bytes += st.bytes * (double)st.calls;
  s->calls += st.calls;
  s->provider = "transfer";
  return GA_NO_ERROR;
}

/* Add what the launches of one plan have measured; those of one step follow
 * one another. */
static int add_plan(gg__spent *spent, const gg__plan *p) {
  const gg__planned *l;
  size_t k;

  for (k = 0; k < p->launches.n; k++) {
    l = &p->launches.v[k];
    if (l->launch != NULL)
      GA_TRY(add_launch(&spent[l->step], l,
                        k == 0 || p->launches.v[k - 1].step != l->step));
    else if (l->is_end)
      GA_TRY(add_transfer(&spent[l->step], l));
  }
  return GA_NO_ERROR;
}

void gg__keep_figures(gg_func *f, const gg__plan *p) {
  add_plan(f->spent, p); /* figures of a context that fails are lost */
}

/* All figures so far, by step; the caller frees. */
static gg__spent *collect(gg_func *f) {
  gg__spent *spent = ga__memdup(f->spent, f->p.steps.n * sizeof *spent);
  size_t k;

  if (spent == NULL) {
    ga__fail_nomem();
    return NULL;
  }
  for (k = 0; k < f->n_plans; k++)
    if (gg__adopt_error(&f->p, add_plan(spent, f->plans[k])) != GA_NO_ERROR) {
      ga__free(spent);
      return NULL;
    }
  return spent;
}

/* --- rows --- */

static int dearer(const void *a, const void *b) {
  const gg_profile_row *x = a, *y = b;

  return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

static const char *step_op(const gg__step *s) {
  switch (s->kind) {
  case GG_STEP_MAP:
    return "map";
  case GG_STEP_REDUCE:
    return "reduction";
  case GG_STEP_ROWS:
    return "rows";
  case GG_STEP_COPY:
    return "copy";
  default:
    return s->apply->op->name;
  }
}

int gg__profile_rows(gg_func *f, gg_profile_row **rows, size_t *n) {
  const gg_var *first;
  gg__spent *spent = collect(f);
  gg_profile_row *r;
  double total = 0;
  size_t k;

  *rows = NULL;
  *n = 0;
  if (spent == NULL)
    return GA_MEMORY_ERROR;
  *rows = ga__calloc(f->p.steps.n, sizeof **rows);
  for (k = 0; k < f->p.steps.n && *rows != NULL; k++) {
    if (spent[k].calls == 0)
      continue;
    r = &(*rows)[(*n)++];
    r->label = f->p.steps.v[k]->label;
    r->provider = spent[k].provider;
    r->device = f->p.contexts.v[f->p.steps.v[k]->context].name;
    r->calls = spent[k].calls;
    r->seconds = spent[k].seconds;
    r->bytes = spent[k].bytes;
    r->flops = spent[k].flops;
    r->op = step_op(f->p.steps.v[k]);
    first = gg__step_var(&f->p, f->p.steps.v[k]);
    r->file = gg_var_site(first, &r->line);
    total += r->seconds;
  }
  ga__free(spent);
  if (*rows == NULL)
    return ga__fail_nomem();
  for (k = 0; k < *n; k++)
    (*rows)[k].share = total > 0 ? (*rows)[k].seconds / total : 0;
  qsort(*rows, *n, sizeof **rows, dearer);
  return GA_NO_ERROR;
}

size_t gg_func_profile_rows(gg_func *f, gg_profile_row *rows, size_t max) {
  gg_profile_row *all;
  size_t n, k;

  pthread_mutex_lock(&f->lock);
  if (gg__profile_rows(f, &all, &n) != GA_NO_ERROR)
    n = 0;
  for (k = 0; k < n && k < max; k++)
    rows[k] = all[k];
  ga__free(all);
  pthread_mutex_unlock(&f->lock);
  return n;
}

/* --- sums --- */

typedef struct sums {
  double kernel_seconds;
  uint64_t launches;
  size_t temp_bytes;
} sums;

static sums add_up(const gg_func *f, const gg_profile_row *rows, size_t n) {
  sums s = {0, 0, 0};
  size_t k;

  for (k = 0; k < n; k++) {
    s.kernel_seconds += rows[k].seconds;
    s.launches += rows[k].calls;
  }
  for (k = 0; k < f->temps.n; k++)
    s.temp_bytes += f->temps.v[k].bytes;
  return s;
}

static double rate(double amount, double seconds) {
  return seconds > 0 ? 1e-9 * amount / seconds : 0;
}

/* --- categories --- */

typedef const char *(*category)(const gg_profile_row *r);

static const char *by_op(const gg_profile_row *r) {
  return r->op;
}

static const char *by_provider(const gg_profile_row *r) {
  return r->provider;
}

/* Is row k the first of its category? Then *sum adds up all of it. */
static int sum_category(const gg_profile_row *rows, size_t n, size_t k,
                        category name, gg_profile_row *sum) {
  size_t i;

  *sum = (gg_profile_row){.label = name(&rows[k])};
  for (i = 0; i < n; i++) {
    if (strcmp(name(&rows[i]), sum->label) != 0)
      continue;
    if (i < k)
      return 0;
    sum->calls += rows[i].calls;
    sum->seconds += rows[i].seconds;
    sum->share += rows[i].share;
  }
  return 1;
}

/* --- text --- */

static void print_category(const char *title, category name,
                           const gg_profile_row *rows, size_t n, FILE *out) {
  gg_profile_row sum;
  size_t k;

  fprintf(out, "%s:", title);
  for (k = 0; k < n; k++)
    if (sum_category(rows, n, k, name, &sum))
      fprintf(out, "  %s %.1f%% (%.3f ms, %llu)", sum.label, 100 * sum.share,
              1e3 * sum.seconds, (unsigned long long)sum.calls);
  fputc('\n', out);
}

/* What compiling took, and the memory between steps. */
static void print_compile(const gg_func *f, FILE *out) {
  const gg_func_stats *s = &f->stats;
  const gg__plan *p = f->active;

  fprintf(out,
          "compile %.3f ms: rewrite %.3f, fuse %.3f, other %.3f; plans %.3f "
          "ms, driver %.3f ms\n",
          1e3 * s->compile_seconds, 1e3 * s->rewrite_seconds,
          1e3 * s->fuse_seconds,
          1e3 * (s->compile_seconds - s->rewrite_seconds - s->fuse_seconds),
          1e3 * s->plan_seconds, 1e3 * s->build_seconds);
  if (p != NULL)
    fprintf(out, "memory: intermediates %.3f MB, without reuse %.3f MB\n",
            1e-6 * (double)p->temp_bytes, 1e-6 * (double)p->temp_bytes_alone);
}

/* Where there are several devices, the row's is shown. */
static void print_row(const gg_func *f, const gg_profile_row *r, FILE *out) {
  fprintf(out, "%6.1f%% %10.3f %10.2f %9llu %8.1f %9.1f  %-8s %s",
          100 * r->share, 1e3 * r->seconds, 1e6 * r->seconds / (double)r->calls,
          (unsigned long long)r->calls, rate(r->bytes, r->seconds),
          rate(r->flops, r->seconds), r->provider, r->label);
  if (f->p.contexts.n > 1)
    fprintf(out, " on %s", r->device);
  fputc('\n', out);
}

static void print_table(const gg_func *f, const gg_profile_row *rows, size_t n,
                        FILE *out) {
  const sums s = add_up(f, rows, n);
  size_t k;

  fprintf(out, "%s: %llu measured calls\n", f->name,
          (unsigned long long)f->profiled_calls);
  fprintf(out, "%7s %10s %10s %9s %8s %9s  %-8s %s\n", "share", "ms", "us/call",
          "calls", "GB/s", "GFLOP/s", "by", "step");
  for (k = 0; k < n; k++)
    print_row(f, &rows[k], out);
  fprintf(out,
          "kernels %.3f ms in %llu steps; host %.3f ms in the calls; "
          "transfers %llu, %.3f MB; intermediates %.3f MB\n",
          1e3 * s.kernel_seconds, (unsigned long long)s.launches,
          1e3 * f->call_seconds, (unsigned long long)f->transfers,
          1e-6 * f->transfer_bytes, 1e-6 * (double)s.temp_bytes);
  print_category("by op", by_op, rows, n, out);
  print_category("by provider", by_provider, rows, n, out);
  print_compile(f, out);
}

/* --- JSON --- */

static void put_string(FILE *out, const char *s) {
  fputc('"', out);
  for (; *s != '\0'; s++) {
    if (*s == '"' || *s == '\\')
      fprintf(out, "\\%c", *s);
    else if ((unsigned char)*s < 0x20)
      fprintf(out, "\\u%04x", (unsigned int)(unsigned char)*s);
    else
      fputc(*s, out);
  }
  fputc('"', out);
}

static void put_row(const gg_profile_row *r, FILE *out) {
  fputs("    {\"step\": ", out);
  put_string(out, r->label);
  fputs(", \"provider\": ", out);
  put_string(out, r->provider);
  fprintf(out,
          ", \"calls\": %llu, \"seconds\": %.9g, \"share\": %.6g, "
          "\"bytes\": %.9g, \"flops\": %.9g, \"device\": ",
          (unsigned long long)r->calls, r->seconds, r->share, r->bytes,
          r->flops);
  put_string(out, r->device);
  fputc('}', out);
}

static void put_category(const char *title, category name,
                         const gg_profile_row *rows, size_t n, FILE *out) {
  const char *between = "\n";
  gg_profile_row sum;
  size_t k;

  fprintf(out, ",\n  \"%s\": [", title);
  for (k = 0; k < n; k++) {
    if (!sum_category(rows, n, k, name, &sum))
      continue;
    fprintf(out, "%s    {\"name\": ", between);
    put_string(out, sum.label);
    fprintf(out, ", \"calls\": %llu, \"seconds\": %.9g, \"share\": %.6g}",
            (unsigned long long)sum.calls, sum.seconds, sum.share);
    between = ",\n";
  }
  fputs(n != 0 ? "\n  ]" : "]", out);
}

static void put_object(const gg_func *f, const gg_profile_row *rows, size_t n,
                       FILE *out) {
  const sums s = add_up(f, rows, n);
  size_t k;

  fputs("{\n  \"function\": ", out);
  put_string(out, f->name);
  fprintf(out,
          ",\n  \"calls\": %llu,\n  \"host_seconds\": %.9g,\n"
          "  \"kernel_seconds\": %.9g,\n  \"transfers\": %llu,\n"
          "  \"transfer_bytes\": %.9g,\n  \"intermediate_bytes\": %zu,\n"
          "  \"steps\": [",
          (unsigned long long)f->profiled_calls, f->call_seconds,
          s.kernel_seconds, (unsigned long long)f->transfers, f->transfer_bytes,
          s.temp_bytes);
  for (k = 0; k < n; k++) {
    fputs(k != 0 ? ",\n" : "\n", out);
    put_row(&rows[k], out);
  }
  fputs(n != 0 ? "\n  ]" : "]", out);
  put_category("ops", by_op, rows, n, out);
  put_category("providers", by_provider, rows, n, out);
  fprintf(out,
          ",\n  \"compile\": {\"seconds\": %.9g, \"rewrite\": %.9g, "
          "\"fuse\": %.9g, \"plans\": %.9g, \"driver\": %.9g}\n}\n",
          f->stats.compile_seconds, f->stats.rewrite_seconds,
          f->stats.fuse_seconds, f->stats.plan_seconds, f->stats.build_seconds);
}

static int report(gg_func *f, FILE *out,
                  void (*put)(const gg_func *, const gg_profile_row *, size_t,
                              FILE *)) {
  gg_profile_row *rows;
  size_t n;
  int err;

  pthread_mutex_lock(&f->lock);
  err = gg__profile_rows(f, &rows, &n);
  if (err == GA_NO_ERROR)
    put(f, rows, n, out);
  ga__free(rows);
  pthread_mutex_unlock(&f->lock);
  if (err == GA_NO_ERROR && ferror(out))
    err = ga__fail(GA_SYS_ERROR, "the report could not be written");
  return err;
}

int gg_func_profile_print(gg_func *f, FILE *out) {
  return report(f, out, print_table);
}

int gg_func_profile_json(gg_func *f, FILE *out) {
  return report(f, out, put_object);
}
