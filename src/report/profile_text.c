/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles as tables. */
#include "func/func.h"
#include "report/profile_shares.h"

#define MOST_RULES 20 /* lines */

static double rate(double amount, double seconds) {
  return seconds > 0 ? 1e-9 * amount / seconds : 0;
}

/* Write a row, indented inside of loops. The device is shown if the function
 * uses several contexts. */
static void print_row(const gg_func *f, const gg_profile_row *r, FILE *out) {
  fprintf(out, "%6.1f%% %10.3f %10.2f %9llu %8.1f %9.1f  %-8s %*s%s",
          100 * r->share, 1e3 * r->seconds, 1e6 * r->seconds / (double)r->calls,
          (unsigned long long)r->calls, rate(r->bytes, r->seconds),
          rate(r->flops, r->seconds), r->provider, (int)(2 * r->depth), "",
          r->label);
  if (f->unit.program.contexts.n > 1)
    fprintf(out, " on %s", r->device);
  if (r->file != NULL)
    fprintf(out, " (%s:%d)", r->file, r->line);
  fputc('\n', out);
}

static void print_steps(const gg__profile *p, FILE *out) {
  fprintf(out, "%7s %10s %10s %9s %8s %9s  %-8s %s\n", "share", "ms", "us/call",
          "calls", "GB/s", "GFLOP/s", "by", "step");
  for (size_t k = 0; k < p->n; k++)
    print_row(p->f, &p->rows[k], out);
}

static void print_waits(const gg__profile *p, FILE *out) {
  if (p->n_waits != 0)
    fprintf(out, "waits for values from the device:\n%10s %10s %9s  %s\n", "ms",
            "us/wait", "waits", "value");
  for (size_t k = 0; k < p->n_waits; k++) {
    const gg_profile_wait *w = &p->waits[k];
    fprintf(out, "%10.3f %10.2f %9llu  %s", 1e3 * w->seconds,
            1e6 * w->seconds / (double)w->calls, (unsigned long long)w->calls,
            w->label);
    if (w->file != NULL)
      fprintf(out, " (%s:%d)", w->file, w->line);
    fputc('\n', out);
  }
}

static int print_grouping(const gg__profile *p, const gg__grouping *by,
                          FILE *out) {
  gg__share *v;
  size_t n;

  GA_TRY(gg__profile_shares(p, by, &v, &n));
  fprintf(out, "%s:\n", by->title);
  for (size_t k = 0; k < n; k++)
    fprintf(out, "%6.1f%% %10.3f ms %9llu calls  %s\n", 100 * v[k].share,
            1e3 * v[k].seconds, (unsigned long long)v[k].calls, v[k].name);
  ga__free(v);
  return GA_NO_ERROR;
}

static void print_compile(const gg_func_stats *s, FILE *out) {
  fprintf(out,
          "compile %.3f ms: rewrite %.3f, fuse %.3f, other %.3f; plans %.3f "
          "ms, driver %.3f ms\n",
          1e3 * s->compile_seconds, 1e3 * s->rewrite_seconds,
          1e3 * s->fuse_seconds,
          1e3 * (s->compile_seconds - s->rewrite_seconds - s->fuse_seconds),
          1e3 * s->plan_seconds, 1e3 * s->build_seconds);
}

static void print_rule(const gg__fired *x, FILE *out) {
  fprintf(out, "%10.3f %9u %9u  %s\n", 1e3 * x->seconds, x->tried, x->count,
          x->rule);
}

/* The slowest rules, and the sum of the others. */
static int print_rules(const gg_func *f, FILE *out) {
  gg__fired *v, rest = {.rule = "others"};
  size_t k, n;

  GA_TRY(gg__profile_rules(f, &v, &n));
  if (n != 0)
    fprintf(out, "rewrite rules:\n%10s %9s %9s  %s\n", "ms", "tried", "fired",
            "rule");
  for (k = 0; k < n && k < MOST_RULES; k++)
    print_rule(&v[k], out);
  for (; k < n; k++) {
    rest.count += v[k].count;
    rest.tried += v[k].tried;
    rest.seconds += v[k].seconds;
  }
  if (rest.tried != 0)
    print_rule(&rest, out);
  ga__free(v);
  return GA_NO_ERROR;
}

/* List the values where float64 begins. */
static void print_doubles(const gg_func *f, FILE *out) {
  char label[160];

  for (size_t k = 0; k < f->unit.program.values.n; k++) {
    if (!gg__begins_double(&f->unit.program.values.v[k]))
      continue;
    const gg_var *v = f->unit.program.values.v[k].var;
    fprintf(out, "float64 from: %s", gg__var_label(v, label, sizeof label));
    if (v->site.file != NULL)
      fprintf(out, " (%s:%d)", v->site.file, v->site.line);
    fputc('\n', out);
  }
}

static int print_profile(const gg__profile *p, FILE *out) {
  const gg_func *f = p->f;

  fprintf(out, "%s: %llu measured calls\n", f->options.name,
          (unsigned long long)f->figures.calls);
  print_steps(p, out);
  fprintf(out,
          "steps %.3f ms in %llu runs; host %.3f ms in the calls; "
          "transfers %llu, %.3f MB\n",
          1e3 * p->seconds, (unsigned long long)p->calls,
          1e3 * f->figures.call_seconds,
          (unsigned long long)f->figures.transfers,
          1e-6 * f->figures.transfer_bytes);
  print_waits(p, out);
  for (int k = 0; k < GG_N_GROUPINGS; k++)
    GA_TRY(print_grouping(p, &gg__groupings[k], out));
  fprintf(out,
          "memory: intermediates %.3f MB, without reuse %.3f MB; held %.3f "
          "MB\n",
          1e-6 * (double)p->temp, 1e-6 * (double)p->temp_alone,
          1e-6 * (double)p->held);
  print_doubles(f, out);
  print_compile(&f->stats, out);
  return print_rules(f, out);
}

int gg_func_profile_print(gg_func *f, FILE *out) {
  return gg__profile_report(f, out, print_profile);
}
