/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages about a training: curves, a confusion matrix, the slowest steps.
 * Coordinates are whole numbers, which are the same in every locale. */
#include <gpugraph/report.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "report/html.h"

enum {
  WIDTH = 8000, /* of a chart */
  HEIGHT = 2600,
  LEFT = 800, /* where its axes are */
  TOP = 300,
  BOTTOM = 2300,
  TEXT = 120, /* size of letters */
  LINES = 4,  /* across, and 1 */
  SLOWEST = 10
};

static const char *const colours[] = {"#48c", "#d73", "#3a7",
                                      "#a5c", "#a83", "#888"};
enum { COLOURS = sizeof colours / sizeof *colours };

/* Write a number with 4 digits at least, and no exponent up to millions. */
static void put_number(FILE *out, double v) {
  if (fabs(v) >= 1e4 && fabs(v) < 1e9)
    fprintf(out, "%.0f", v);
  else
    fprintf(out, "%.4g", v);
}

/* --- charts --- */

typedef struct chart {
  const gg_curves *page;
  const char *title;
  double low, high;
} chart;

static int is_of(const chart *c, const gg_curve *v) {
  return strcmp(v->chart, c->title) == 0;
}

/* The range of all finite values; 0 if there are none. */
static int find_range(chart *c) {
  c->low = INFINITY;
  c->high = -INFINITY;
  for (size_t k = 0; k < c->page->n_curves; k++)
    for (size_t i = 0; is_of(c, &c->page->curves[k]) && i < c->page->points;
         i++) {
      const double v = c->page->curves[k].values[i];
      if (isfinite(v)) {
        c->low = fmin(c->low, v);
        c->high = fmax(c->high, v);
      }
    }
  if (c->low == c->high) {
    c->low -= 0.5;
    c->high += 0.5;
  }
  return c->low < c->high;
}

static int to_x(const chart *c, size_t i) {
  const size_t n = c->page->points;

  return n > 1 ? LEFT +
                     (int)((double)(WIDTH - LEFT) * (double)i / (double)(n - 1))
               : (LEFT + WIDTH) / 2;
}

static int to_y(const chart *c, double v) {
  const double part = (v / 2 - c->low / 2) / (c->high / 2 - c->low / 2);

  return BOTTOM - (int)((BOTTOM - TOP) * part);
}

static void put_axes(const chart *c, FILE *out) {
  for (int i = 0; i <= LINES; i++) {
    const int y = BOTTOM - (BOTTOM - TOP) * i / LINES;
    const double part = (double)i / LINES;
    fprintf(out,
            "<path d=\"M%d %dH%d\" stroke=\"#8884\" stroke-width=\"10\"/>"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">",
            LEFT, y, WIDTH, LEFT - 60, y + TEXT / 3);
    put_number(out, c->low * (1 - part) + c->high * part);
    fputs("</text>\n", out);
  }
  fprintf(out,
          "<text x=\"%d\" y=\"%d\">1</text><text x=\"%d\" y=\"%d\" "
          "text-anchor=\"end\">epoch %zu</text>\n",
          LEFT, BOTTOM + 2 * TEXT, WIDTH, BOTTOM + 2 * TEXT, c->page->points);
}

/* The points of a curve; each piece between gaps is drawn, a single point as a
 * dot. */
static void put_curve(const chart *c, const gg_curve *v, const char *colour,
                      FILE *out) {
  int is_open = 0;

  fprintf(out,
          "<path fill=\"none\" stroke=\"%s\" stroke-width=\"25\" "
          "stroke-linecap=\"round\" stroke-linejoin=\"round\" d=\"",
          colour);
  for (size_t i = 0; i < c->page->points; i++) {
    if (isfinite(v->values[i]))
      fprintf(out, "%c%d %d", is_open ? 'L' : 'M', to_x(c, i),
              to_y(c, v->values[i]));
    if (isfinite(v->values[i]) && !is_open)
      fputs("h0", out);
    is_open = isfinite(v->values[i]);
  }
  fputs("\"/>\n", out);
}

/* The name and the last value. */
static void put_legend(const gg_curves *page, const gg_curve *v,
                       const char *colour, size_t nth, FILE *out) {
  fprintf(out, "<text x=\"%zu\" y=\"%d\" fill=\"%s\">",
          LEFT + nth * ((WIDTH - LEFT) / COLOURS), TOP - TEXT, colour);
  gg__html_text(out, v->name);
  fputc(' ', out);
  put_number(out, v->values[page->points - 1]);
  fputs("</text>\n", out);
}

static void put_chart(const gg_curves *page, const char *title, FILE *out) {
  chart c = {.page = page, .title = title};
  size_t nth = 0;

  fputs("<h2>", out);
  gg__html_text(out, title);
  fputs("</h2>\n", out);
  if (page->points == 0 || !find_range(&c)) {
    fputs("<p>No values yet.</p>\n", out);
    return;
  }
  fprintf(out,
          "<svg viewBox=\"0 0 %d %d\" width=\"100%%\" role=\"img\" "
          "font-size=\"%d\" fill=\"currentColor\">\n",
          WIDTH + TEXT, HEIGHT, TEXT);
  put_axes(&c, out);
  for (size_t k = 0; k < page->n_curves; k++)
    if (is_of(&c, &page->curves[k])) {
      const char *colour = colours[nth % COLOURS];
      put_curve(&c, &page->curves[k], colour, out);
      put_legend(page, &page->curves[k], colour, nth++, out);
    }
  fputs("</svg>\n", out);
}

static int is_first(const gg_curves *page, size_t k) {
  for (size_t i = 0; i < k; i++)
    if (strcmp(page->curves[i].chart, page->curves[k].chart) == 0)
      return 0;
  return 1;
}

/* --- the confusion matrix --- */

static void put_class(const gg_curves *page, size_t i, FILE *out) {
  fputs("<th>", out);
  if (page->class_names != NULL)
    gg__html_text(out, page->class_names[i]);
  else
    fprintf(out, "%zu", i);
  fputs("</th>", out);
}

/* A row: counts, shaded by their share of it, and the share that is right. */
static void put_counts(const gg_curves *page, size_t i, FILE *out) {
  const double *row = page->confusion + i * page->classes;
  double sum = 0;

  for (size_t k = 0; k < page->classes; k++)
    sum += row[k];
  fputs("<tr>", out);
  put_class(page, i, out);
  for (size_t k = 0; k < page->classes; k++)
    fprintf(out, "<td style=\"background:#%s%02x\">%.0f</td>",
            k == i ? "33aa77" : "dd7733",
            sum > 0 ? (unsigned int)(160 * row[k] / sum) : 0, row[k]);
  fprintf(out, "<td>%.1f %%</td></tr>\n", sum > 0 ? 100 * row[i] / sum : 0);
}

static void put_confusion(const gg_curves *page, FILE *out) {
  fputs("<h2>Confusion matrix</h2>\n<p>Rows are what is true, columns what was "
        "predicted.</p>\n<table><tr><th></th>",
        out);
  for (size_t i = 0; i < page->classes; i++)
    put_class(page, i, out);
  fputs("<th>right</th></tr>\n", out);
  for (size_t i = 0; i < page->classes; i++)
    put_counts(page, i, out);
  fputs("</table>\n", out);
}

/* --- the slowest steps --- */

static void put_slowest(gg_func *f, FILE *out) {
  gg_profile_row rows[SLOWEST];
  const size_t n = gg_func_profile_rows(f, rows, SLOWEST);

  if (n == 0 || rows[0].calls == 0)
    return;
  fprintf(out,
          "<h2>Slowest kernels</h2>\n<table><tr><th>share</th><th>us a call"
          "</th><th>GB/s</th><th>GFLOP/s</th><th>step</th></tr>\n");
  for (size_t i = 0; i < n && i < SLOWEST; i++) {
    const double s = rows[i].seconds;
    fprintf(out,
            "<tr><td>%.1f %%</td><td>%.2f</td><td>%.1f</td><td>%.1f</td><td>",
            100 * rows[i].share,
            rows[i].calls != 0 ? 1e6 * s / (double)rows[i].calls : 0,
            s > 0 ? 1e-9 * rows[i].bytes / s : 0,
            s > 0 ? 1e-9 * rows[i].flops / s : 0);
    gg__html_text(out, rows[i].label);
    fputs("</td></tr>\n", out);
  }
  fputs("</table>\n", out);
}

/* --- the whole --- */

static int check(const gg_curves *page) {
  if (page->n_curves > 0 && page->curves == NULL)
    return ga__fail(GA_INVALID_ERROR, "the curves are NULL");
  for (size_t k = 0; k < page->n_curves; k++) {
    const gg_curve *c = &page->curves[k];
    if (c->name == NULL || c->chart == NULL ||
        (page->points > 0 && c->values == NULL))
      return ga__fail(GA_INVALID_ERROR, "curve %zu has no %s", k,
                      c->name == NULL    ? "name"
                      : c->chart == NULL ? "chart"
                                         : "values");
  }
  return GA_NO_ERROR;
}

int gg_curves_html(const gg_curves *page, FILE *out) {
  if (page == NULL || out == NULL)
    return ga__fail(GA_INVALID_ERROR, "the %s is NULL",
                    page == NULL ? "page" : "file");
  GA_TRY(check(page));
  gg__html_head(out, page->title != NULL ? page->title : "Training");
  if (page->text != NULL) {
    fputs("<p>", out);
    gg__html_text(out, page->text);
    fputs("</p>\n", out);
  }
  for (size_t k = 0; k < page->n_curves; k++)
    if (is_first(page, k))
      put_chart(page, page->curves[k].chart, out);
  if (page->confusion != NULL && page->classes > 0)
    put_confusion(page, out);
  if (page->step != NULL)
    put_slowest(page->step, out);
  if (page->step_page != NULL) {
    fputs("<p><a href=\"", out);
    gg__html_text(out, page->step_page);
    fputs("\">The whole step: kernels, nodes, sizes</a></p>\n", out);
  }
  if (page->reload > 0)
    fprintf(out,
            "<script>setTimeout(() => location.reload(), %u000)</script>\n",
            page->reload);
  fputs("</body></html>\n", out);
  return ga__flushed(out, "the page");
}
