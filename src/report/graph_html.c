/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs that are not compiled, as an HTML page: a list of nodes that unfold
 * to show their operands, each once, in the order in which they were built. */
#include <gpugraph/report.h>
#include <string.h>

#include "base/file.h"
#include "report/html.h"

enum { TEXT = 256 };

static void put_type(FILE *out, const gg_var *v) {
  char text[TEXT];

  fputs(" <code>", out);
  gg__html_text(out, gg_type_text(&v->type, text, sizeof text));
  fputs("</code>", out);
}

/* Write the name of a variable as a link to the node that computes it. */
static void put_link(FILE *out, const gg_var *v) {
  char text[TEXT];

  fputs("<li>", out);
  if (v->owner != NULL)
    fprintf(out, "<a href=\"#n%u\">", v->owner->out[0]->id);
  gg__html_text(out, v->name[0] != '\0' ? v->name
                                        : gg__var_label(v, text, sizeof text));
  fputs(v->owner != NULL ? "</a>" : "", out);
  put_type(out, v);
  fputs("</li>\n", out);
}

static void put_apply(FILE *out, const gg_apply *a) {
  const gg_var *v = a->out[0];
  char text[TEXT];

  fprintf(out, "<details id=\"n%u\"><summary>", v->id);
  if (v->name[0] != '\0') {
    gg__html_text(out, v->name);
    fputs(" = ", out);
  }
  gg__html_text(out, gg__var_label(v, text, sizeof text));
  for (unsigned int i = 0; i < a->n_out; i++)
    put_type(out, a->out[i]);
  fputs("</summary>\n<p>", out);
  gg__html_site(out, v);
  fputs("</p>\n<ul>\n", out);
  for (unsigned int i = 0; i < a->n_in; i++)
    put_link(out, a->in[i]);
  fputs("</ul>\n</details>\n", out);
}

int gg_graph_html(FILE *f, unsigned int n, gg_var *const *vars) {
  gg__order order = {0};
  int err;

  GA_CHECK(gg__toposort(&order, n, vars));
  gg__html_head(f, "Graph");
  fputs("<h2>Results</h2>\n<ul>\n", f);
  for (size_t k = 0; k < n; k++)
    if (vars[k] != NULL)
      put_link(f, vars[k]);
  fputs("</ul>\n<h2>Nodes</h2>\n", f);
  for (size_t k = 0; k < order.n; k++)
    put_apply(f, order.v[k]);
  fputs("</body></html>\n", f);
  err = ga__flushed(f, "the page");
done:
  ga__vec_clear(&order);
  return err;
}
