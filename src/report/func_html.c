/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiled functions as a page: steps that open to show their nodes. */
#include <gpugraph/report.h>
#include <string.h>

#include "func/func.h"
#include "report/html.h"
#include "report/profile_shares.h"

enum { TEXT = 256 };

static void put_head(FILE *out, const gg_func *f) {
  gg__html_head(out, f->name);
  fprintf(out,
          "<p>%zu nodes, %zu after rewriting, %zu steps; compiled in "
          "%.1f ms (rewrite %.1f, fuse %.1f), plans %.1f ms, driver %.1f "
          "ms.</p>\n",
          f->stats.nodes, f->stats.nodes_rewritten, f->p.steps.n,
          1e3 * f->stats.compile_seconds, 1e3 * f->stats.rewrite_seconds,
          1e3 * f->stats.fuse_seconds, 1e3 * f->stats.plan_seconds,
          1e3 * f->stats.build_seconds);
}

/* --- values --- */

static void put_value(FILE *out, const gg__program *p, unsigned int v) {
  const gg_var *var = p->values.v[v].var;
  char text[TEXT];

  if (var->name[0] != '\0')
    gg__html_text(out, var->name);
  else
    fprintf(out, "v%u", v);
  fputs(" <code>", out);
  gg__html_text(out, gg_type_text(&var->type, text, sizeof text));
  fputs("</code>", out);
}

/* --- nodes --- */

static void put_node(FILE *out, const gg__program *p, const gg_apply *a) {
  char text[TEXT];

  fputs("<tr><td>", out);
  gg__html_text(out, gg__var_label(a->out[0], text, sizeof text));
  fputs("</td><td>", out);
  for (unsigned int i = 0; i < a->n_in; i++) {
    fputs(i != 0 ? "<br>" : "", out);
    put_value(out, p, gg__in(p, a, i));
  }
  fputs("</td><td>", out);
  for (unsigned int i = 0; i < a->n_out; i++) {
    fputs(i != 0 ? "<br>" : "", out);
    put_value(out, p, gg__out(p, a, i));
  }
  fputs("</td><td>", out);
  gg__html_place(out, a->out[0]);
  fputs("</td></tr>\n", out);
}

static void put_body(FILE *out, const gg__program *p, const gg__body *b) {
  for (unsigned int i = 0; i < b->n_nodes; i++)
    put_node(out, p, b->nodes[i]);
}

static void put_nodes(FILE *out, const gg__program *p, const gg__step *s) {
  fputs("<table><tr><th>node</th><th>of</th><th>gives</th><th>built at</th>"
        "</tr>\n",
        out);
  if (s->kind == GG_STEP_ROWS) {
    for (unsigned int i = 0; i < s->rows->n_items; i++)
      put_node(out, p, s->rows->items[i].apply);
  } else {
    put_body(out, p, &s->map);
    if (s->apply != NULL)
      put_node(out, p, s->apply);
    for (unsigned int i = 0; i < s->n_also; i++)
      put_node(out, p, s->also[i]);
    put_body(out, p, &s->post);
    put_body(out, p, &s->beside);
  }
  fputs("</table>\n", out);
}

/* --- steps --- */

static const gg_profile_row *find_row(const gg_profile_row *rows, size_t n,
                                      const gg__step *s) {
  for (size_t k = 0; k < n; k++)
    if (rows[k].label == s->label)
      return &rows[k];
  return NULL;
}

static void put_figures(FILE *out, const gg_profile_row *r) {
  fprintf(out,
          " <span class=\"bar\" style=\"width:%.0fpx\"></span> %.1f%%, %.2f us "
          "a call, %.1f GB/s, by %s",
          200 * r->share, 100 * r->share,
          r->calls != 0 ? 1e6 * r->seconds / (double)r->calls : 0,
          r->seconds > 0 ? 1e-9 * r->bytes / r->seconds : 0, r->provider);
}

static void put_step(FILE *out, const gg__program *p, const gg__step *s,
                     const gg_profile_row *row) {
  fputs("<details><summary>", out);
  if (s->number != 0)
    fprintf(out, "%u: ", s->number);
  else
    fputs("view: ", out);
  gg__html_text(out, s->label);
  if (row != NULL)
    put_figures(out, row);
  fputs("</summary>\n", out);
  if (s->kind == GG_STEP_COPY) {
    put_value(out, p, s->from);
    fprintf(out, " to result %u\n", s->result);
  } else {
    put_nodes(out, p, s);
  }
  fputs("</details>\n", out);
}

static void put_results(FILE *out, const gg__program *p) {
  fputs("<h2>Results</h2>\n<ul>\n", out);
  for (size_t k = 0; k < p->results.n; k++) {
    const gg__result *r = &p->results.v[k];
    fputs("<li>", out);
    put_value(out, p, r->value);
    if (r->shared != GG_NONE) {
      fputs(" becomes ", out);
      gg__html_text(out, gg__display_name(p->shared.v[r->shared].var));
      fputs(r->in_place ? " (in place)" : "", out);
    }
    fputs("</li>\n", out);
  }
  fputs("</ul>\n</body></html>\n", out);
}

/* --- the profile --- */

static int put_grouping(FILE *out, const gg__profile *p,
                        const gg__grouping *by) {
  gg__share *v;
  size_t n;

  GA_TRY(gg__profile_shares(p, by, &v, &n));
  fprintf(out,
          "<details><summary>%s</summary>\n<table><tr><th>share</th>"
          "<th>ms</th><th>calls</th><th></th></tr>\n",
          by->title);
  for (size_t k = 0; k < n; k++) {
    fprintf(out, "<tr><td>%.1f%%</td><td>%.3f</td><td>%llu</td><td>",
            100 * v[k].share, 1e3 * v[k].seconds,
            (unsigned long long)v[k].calls);
    gg__html_text(out, v[k].name);
    fputs("</td></tr>\n", out);
  }
  fputs("</table>\n</details>\n", out);
  ga__free(v);
  return GA_NO_ERROR;
}

/* Nothing was measured: there is nothing to show. */
static int put_profile(FILE *out, const gg__profile *p) {
  const gg_func *f = p->f;

  if (p->n == 0)
    return GA_NO_ERROR;
  fprintf(out,
          "<h2>Profile</h2>\n<p>%llu calls: steps %.3f ms, host %.3f ms; "
          "transfers %llu, %.3f MB; intermediates %.3f MB, without reuse "
          "%.3f MB.</p>\n",
          (unsigned long long)f->profiled_calls, 1e3 * p->seconds,
          1e3 * f->call_seconds, (unsigned long long)f->transfers,
          1e-6 * f->transfer_bytes, 1e-6 * (double)p->temp,
          1e-6 * (double)p->temp_alone);
  for (int k = 0; k < GG_N_GROUPINGS; k++)
    GA_TRY(put_grouping(out, p, &gg__groupings[k]));
  return GA_NO_ERROR;
}

static int put_page(const gg__profile *p, FILE *out) {
  const gg__program *program = &p->f->p;

  put_head(out, p->f);
  fputs("<h2>Steps</h2>\n", out);
  for (size_t k = 0; k < program->steps.n; k++) {
    const gg__step *s = program->steps.v[k];
    put_step(out, program, s, find_row(p->rows, p->n, s));
  }
  GA_TRY(put_profile(out, p));
  put_results(out, program);
  return GA_NO_ERROR;
}

int gg_func_html(gg_func *f, FILE *out) {
  return gg__profile_report(f, out, put_page);
}
