/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles as JSON. */
#include "base/json_text.h"
#include "func/func.h"
#include "report/profile_shares.h"

static void put_site(const char *file, int line, FILE *out) {
  if (file == NULL)
    return;
  fputs(", \"file\": ", out);
  ga__json_put_text(out, file);
  fprintf(out, ", \"line\": %d", line);
}

static void put_row(const gg_profile_row *r, FILE *out) {
  fputs("    {\"step\": ", out);
  ga__json_put_text(out, r->label);
  fputs(", \"provider\": ", out);
  ga__json_put_text(out, r->provider);
  fprintf(out,
          ", \"calls\": %llu, \"seconds\": %.9g, \"share\": %.6g, "
          "\"bytes\": %.9g, \"flops\": %.9g, \"class\": ",
          (unsigned long long)r->calls, r->seconds, r->share, r->bytes,
          r->flops);
  ga__json_put_text(out, r->op);
  fprintf(out, ", \"depth\": %u, \"device\": ", r->depth);
  ga__json_put_text(out, r->device);
  put_site(r->file, r->line, out);
  fputc('}', out);
}

static void put_steps(const gg__profile *p, FILE *out) {
  fputs(",\n  \"steps\": [", out);
  for (size_t k = 0; k < p->n; k++) {
    fputs(k != 0 ? ",\n" : "\n", out);
    put_row(&p->rows[k], out);
  }
  fputs(p->n != 0 ? "\n  ]" : "]", out);
}

static void put_waits(const gg__profile *p, FILE *out) {
  fputs(",\n  \"waits\": [", out);
  for (size_t k = 0; k < p->n_waits; k++) {
    const gg_profile_wait *w = &p->waits[k];
    fprintf(out, "%s    {\"value\": ", k != 0 ? ",\n" : "\n");
    ga__json_put_text(out, w->label);
    fprintf(out, ", \"calls\": %llu, \"seconds\": %.9g",
            (unsigned long long)w->calls, w->seconds);
    put_site(w->file, w->line, out);
    fputc('}', out);
  }
  fputs(p->n_waits != 0 ? "\n  ]" : "]", out);
}

static int put_grouping(const gg__profile *p, const gg__grouping *by,
                        FILE *out) {
  gg__share *v;
  size_t n;

  GA_TRY(gg__profile_shares(p, by, &v, &n));
  fprintf(out, ",\n  \"%s\": [", by->key);
  for (size_t k = 0; k < n; k++) {
    fprintf(out, "%s    {\"name\": ", k != 0 ? ",\n" : "\n");
    ga__json_put_text(out, v[k].name);
    fprintf(out, ", \"calls\": %llu, \"seconds\": %.9g, \"share\": %.6g}",
            (unsigned long long)v[k].calls, v[k].seconds, v[k].share);
  }
  fputs(n != 0 ? "\n  ]" : "]", out);
  ga__free(v);
  return GA_NO_ERROR;
}

static int put_rules(const gg_func *f, FILE *out) {
  gg__fired *v;
  size_t n;

  GA_TRY(gg__profile_rules(f, &v, &n));
  fputs(",\n  \"rules\": [", out);
  for (size_t k = 0; k < n; k++) {
    fprintf(out, "%s    {\"name\": ", k != 0 ? ",\n" : "\n");
    ga__json_put_text(out, v[k].rule);
    fprintf(out, ", \"seconds\": %.9g, \"tried\": %u, \"fired\": %u}",
            v[k].seconds, v[k].tried, v[k].count);
  }
  fputs(n != 0 ? "\n  ]" : "]", out);
  ga__free(v);
  return GA_NO_ERROR;
}

static void put_doubles(const gg_func *f, FILE *out) {
  const char *gap = "";
  char label[160];

  fputs(",\n  \"float64_from\": [", out);
  for (size_t k = 0; k < f->unit.program.values.n; k++) {
    if (!gg__begins_double(&f->unit.program.values.v[k]))
      continue;
    fputs(gap, out);
    ga__json_put_text(out, gg__var_label(f->unit.program.values.v[k].var, label,
                                         sizeof label));
    gap = ", ";
  }
  fputc(']', out);
}

static void put_head(const gg__profile *p, FILE *out) {
  const gg_func *f = p->f;

  fputs("{\n  \"function\": ", out);
  ga__json_put_text(out, f->options.name);
  fprintf(out,
          ",\n  \"calls\": %llu,\n  \"host_seconds\": %.9g,\n"
          "  \"step_seconds\": %.9g,\n  \"transfers\": %llu,\n"
          "  \"transfer_bytes\": %.9g",
          (unsigned long long)f->figures.calls, f->figures.call_seconds,
          p->seconds, (unsigned long long)f->figures.transfers,
          f->figures.transfer_bytes);
}

static int put_profile(const gg__profile *p, FILE *out) {
  const gg_func_stats *s = &p->f->stats;

  put_head(p, out);
  put_steps(p, out);
  put_waits(p, out);
  for (int k = 0; k < GG_N_GROUPINGS; k++)
    GA_TRY(put_grouping(p, &gg__groupings[k], out));
  fprintf(out,
          ",\n  \"memory\": {\"intermediates\": %zu, \"without_reuse\": %zu, "
          "\"held\": %zu}",
          p->temp, p->temp_alone, p->held);
  fprintf(out,
          ",\n  \"compile\": {\"seconds\": %.9g, \"rewrite\": %.9g, "
          "\"fuse\": %.9g, \"plans\": %.9g, \"driver\": %.9g}",
          s->compile_seconds, s->rewrite_seconds, s->fuse_seconds,
          s->plan_seconds, s->build_seconds);
  put_doubles(p->f, out);
  GA_TRY(put_rules(p->f, out));
  fputs("\n}\n", out);
  return GA_NO_ERROR;
}

int gg_func_profile_json(gg_func *f, FILE *out) {
  return gg__profile_report(f, out, put_profile);
}
