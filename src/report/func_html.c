/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiled functions as an HTML page: a list of steps that unfold to show
 * their nodes, in boxes for the layers whose parameters they read. */
#include <gpugraph/report.h>

#include "func/func.h"
#include "report/html.h"
#include "report/profile_shares.h"
#include "report/step_layers.h"

enum { TEXT = 256 };

/* A page that is being written. `sizes` are those of the last call; without a
 * call, sizes.dims is NULL. */
typedef struct page {
  FILE *out;
  const gg__program *p;
  gg__sizes sizes;
} page;

static void put_head(FILE *out, const gg_func *f) {
  const gg__plan *last = gg__last_plan(f);
  size_t views = 0;

  for (size_t k = 0; k < f->unit.program.steps.n; k++)
    views += f->unit.program.steps.v[k]->shown == 0;
  gg__html_head(out, f->options.name);
  fprintf(out, "<p>%zu nodes, %zu after rewriting; %zu steps and %zu views",
          f->stats.nodes, f->stats.nodes_rewritten,
          f->unit.program.steps.n - views, views);
  if (last != NULL)
    fprintf(out, "; %zu kernels in the last call", last->n_kernels);
  fprintf(out,
          ". Compiled in %.1f ms (rewrite %.1f, fuse %.1f), plans %.1f ms, "
          "driver %.1f ms.</p>\n",
          1e3 * f->stats.compile_seconds, 1e3 * f->stats.rewrite_seconds,
          1e3 * f->stats.fuse_seconds, 1e3 * f->stats.plan_seconds,
          1e3 * f->stats.build_seconds);
}

/* --- values --- */

/* "dot v40", or a constant's value. */
static void put_unnamed(FILE *out, const gg_var *var, unsigned int v) {
  char text[TEXT];

  if (var->owner != NULL) {
    gg__html_text(out, var->owner->op->name);
    fprintf(out, " v%u", v);
  } else {
    gg__html_text(out, gg__var_label(var, text, sizeof text));
  }
}

static void put_value(const page *x, unsigned int v) {
  const gg_var *var = x->p->values.v[v].var;
  gg_type type = var->type;
  char text[TEXT];

  for (unsigned int i = 0; i < type.nd && x->sizes.dims != NULL; i++)
    type.dims[i] = (int64_t)x->sizes.dims[v].dim[i];
  if (var->name[0] != '\0')
    gg__html_text(x->out, var->name);
  else
    put_unnamed(x->out, var, v);
  fputs(" <code>", x->out);
  gg__html_text(x->out, gg_type_text(&type, text, sizeof text));
  fputs("</code>", x->out);
}

/* --- nodes --- */

static void put_node(const page *x, const gg_apply *a) {
  char text[TEXT];

  fputs("<tr><td>", x->out);
  gg__html_text(x->out, gg__var_label(a->out[0], text, sizeof text));
  fputs("</td><td>", x->out);
  for (unsigned int i = 0; i < a->n_in; i++) {
    fputs(i != 0 ? "<br>" : "", x->out);
    put_value(x, gg__in(x->p, a, i));
  }
  fputs("</td><td>", x->out);
  for (unsigned int i = 0; i < a->n_out; i++) {
    fputs(i != 0 ? "<br>" : "", x->out);
    put_value(x, gg__out(x->p, a, i));
  }
  fputs("</td><td>", x->out);
  gg__html_site(x->out, a->out[0]);
  fputs("</td></tr>\n", x->out);
}

static void put_nodes(const page *x, const gg__step *s) {
  fputs("<table><tr><th>node</th><th>of</th><th>gives</th><th>built at</th>"
        "</tr>\n",
        x->out);
  for (unsigned int i = 0; i < s->n_lists; i++)
    for (unsigned int k = 0; k < s->lists[i].n; k++)
      put_node(x, s->lists[i].nodes[k]);
  fputs("</table>\n", x->out);
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

static void put_step(const page *x, const gg__step *s,
                     const gg_profile_row *row) {
  fputs("<details><summary>", x->out);
  if (s->shown != 0)
    fprintf(x->out, "%u: ", s->shown);
  else
    fputs("view: ", x->out);
  gg__html_text(x->out, s->label);
  if (row != NULL)
    put_figures(x->out, row);
  fputs("</summary>\n", x->out);
  if (s->result != GG_NONE) {
    put_value(x, s->reads[0]);
    fprintf(x->out, " to result %u\n", s->result);
  } else {
    put_nodes(x, s);
  }
  fputs("</details>\n", x->out);
}

/* --- layers --- */

/* Open the box that begins with step `first`, with the time of its steps. */
static void open_layer(const page *x, const size_t *starts, size_t first,
                       const gg_profile_row *rows, size_t n) {
  char layer[GG_LAYER_TEXT];
  double share = 0, seconds = 0;
  unsigned int steps = 0;

  for (size_t k = first; k < x->p->steps.n; k++) {
    const gg__step *s = x->p->steps.v[k];
    const gg_profile_row *row = find_row(rows, n, s);
    if (starts[k] != first)
      continue;
    steps += s->shown != 0;
    if (row != NULL && row->calls != 0) {
      share += row->share;
      seconds += row->seconds / (double)row->calls;
    }
  }
  gg__find_layer(x->p, x->p->steps.v[first], layer);
  fputs("<details class=\"layer\"><summary>", x->out);
  gg__html_text(x->out, layer);
  fprintf(x->out, ": %u step%s", steps, steps == 1 ? "" : "s");
  if (n != 0)
    fprintf(x->out,
            " <span class=\"bar\" style=\"width:%.0fpx\"></span> %.1f%%, "
            "%.2f us a call",
            200 * share, 100 * share, 1e6 * seconds);
  fputs("</summary>\n", x->out);
}

/* Write the boxes of layers in the order of their first steps, and the steps
 * of each in theirs. */
static int put_steps(const page *x, const gg_profile_row *rows, size_t n) {
  size_t *starts;

  GA_TRY(gg__layer_starts(x->p, &starts));
  fputs("<h2>Steps</h2>\n", x->out);
  for (size_t k = 0; k < x->p->steps.n; k++) {
    if (starts[k] == GG_NO_LAYER)
      put_step(x, x->p->steps.v[k], find_row(rows, n, x->p->steps.v[k]));
    if (starts[k] != k)
      continue;
    open_layer(x, starts, k, rows, n);
    for (size_t i = k; i < x->p->steps.n; i++)
      if (starts[i] == k)
        put_step(x, x->p->steps.v[i], find_row(rows, n, x->p->steps.v[i]));
    fputs("</details>\n", x->out);
  }
  ga__free(starts);
  return GA_NO_ERROR;
}

static void put_results(const page *x) {
  fputs("<h2>Results</h2>\n<ul>\n", x->out);
  for (size_t k = 0; k < x->p->results.n; k++) {
    const gg__result *r = &x->p->results.v[k];
    fputs("<li>", x->out);
    put_value(x, r->value);
    if (r->shared != GG_NONE) {
      fputs(" becomes ", x->out);
      gg__html_text(x->out, gg__display_name(x->p->shared.v[r->shared].var));
      fputs(r->in_place ? " (in place)" : "", x->out);
    }
    fputs("</li>\n", x->out);
  }
  fputs("</ul>\n</body></html>\n", x->out);
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

static void put_waits(FILE *out, const gg__profile *p) {
  if (p->n_waits == 0)
    return;
  fputs("<details><summary>waits for values from the device</summary>\n"
        "<table><tr><th>ms</th><th>us/wait</th><th>waits</th><th>value</th>"
        "</tr>\n",
        out);
  for (size_t k = 0; k < p->n_waits; k++) {
    const gg_profile_wait *w = &p->waits[k];
    fprintf(out, "<tr><td>%.3f</td><td>%.2f</td><td>%llu</td><td>",
            1e3 * w->seconds, 1e6 * w->seconds / (double)w->calls,
            (unsigned long long)w->calls);
    gg__html_text(out, w->label);
    if (w->file != NULL) {
      fputs(" (", out);
      gg__html_text(out, w->file);
      fprintf(out, ":%d)", w->line);
    }
    fputs("</td></tr>\n", out);
  }
  fputs("</table>\n</details>\n", out);
}

/* Write the profile, or nothing if nothing was measured. */
static int put_profile(FILE *out, const gg__profile *p) {
  const gg_func *f = p->f;

  if (p->n == 0 && p->n_waits == 0)
    return GA_NO_ERROR;
  fprintf(out,
          "<h2>Profile</h2>\n<p>%llu calls: steps %.3f ms, host %.3f ms; "
          "transfers %llu, %.3f MB; intermediates %.3f MB, without reuse "
          "%.3f MB.</p>\n",
          (unsigned long long)f->figures.calls, 1e3 * p->seconds,
          1e3 * f->figures.call_seconds,
          (unsigned long long)f->figures.transfers,
          1e-6 * f->figures.transfer_bytes, 1e-6 * (double)p->temp,
          1e-6 * (double)p->temp_alone);
  put_waits(out, p);
  for (int k = 0; k < GG_N_GROUPINGS; k++)
    GA_TRY(put_grouping(out, p, &gg__groupings[k]));
  return GA_NO_ERROR;
}

static int put_page(const gg__profile *p, FILE *out) {
  page x = {.out = out, .p = &p->f->unit.program};
  int err;

  GA_TRY(gg__last_sizes(p->f, &x.sizes));
  put_head(out, p->f);
  GA_CHECK(put_steps(&x, p->rows, p->n));
  GA_CHECK(put_profile(out, p));
  put_results(&x);
done:
  gg__sizes_clear(&x.sizes);
  return err;
}

int gg_func_html(gg_func *f, FILE *out) {
  return gg__profile_report(f, out, put_page);
}
