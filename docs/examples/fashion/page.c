/* SPDX-License-Identifier: BSD-2-Clause */
/* One self-contained HTML page: the picture of the compiled graph (drawn by
 * Graphviz' dot), the loss curve, the profile. No network, light and dark,
 * readable on a phone. A convolutional net has pictures, too. */
#define _POSIX_C_SOURCE 200809L
#include "page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pictures.h"

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, "
    "initial-scale=1\">\n"
    "<title>Fashion-MNIST, trained by gpugraph</title>\n<style>\n"
    ":root { color-scheme: light dark; --ink: #1c2733; --paper: #fbfbf9;\n"
    "  --soft: #66717d; --line: #d8dcdf; --curve: #0b6e99; --card: #fff; }\n"
    "@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ea;\n"
    "  --paper: #14181c; --soft: #98a2ac; --line: #333b43; --curve: #5cc0ea;\n"
    "  --card: #1b2127; } }\n"
    "body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink);\n"
    "  background: var(--paper); max-width: 60rem; margin: 0 auto;\n"
    "  padding: 1rem; }\n"
    "h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }\n"
    "section > div { overflow-x: auto; border: 1px solid var(--line);\n"
    "  border-radius: .5rem; padding: .75rem; background: var(--card); }\n"
    "#graph > div { background: #fff; } #graph svg { height: auto;\n"
    "  min-width: 30rem; max-width: 100%; }\n"
    "table { border-collapse: collapse; font-size: .85rem;\n"
    "  font-variant-numeric: tabular-nums; white-space: nowrap; }\n"
    "th, td { padding: .25rem .6rem; text-align: right; }\n"
    "th { color: var(--soft); font-weight: 600; }\n"
    "td { border-top: 1px solid var(--line); }\n"
    "th:first-child, td:first-child { text-align: left; white-space: normal;\n"
    "  min-width: 14rem; }\n"
    ".figures { display: flex; flex-wrap: wrap; gap: .5rem 2rem;\n"
    "  color: var(--soft); } .figures b { color: var(--ink);\n"
    "  font-size: 1.25rem; display: block; }\n"
    ".pictures { display: flex; flex-wrap: wrap; gap: .75rem; }\n"
    ".pictures img { width: 3.5rem; image-rendering: pixelated; }\n"
    "figure { margin: 0; width: 5.5rem; }\n"
    "figcaption { font-size: .8rem; color: var(--soft); }\n"
    "figcaption b { color: var(--ink); }\n"
    "</style>\n</head>\n<body>\n";

/* Text with the characters that HTML reserves replaced. */
static void put_text(FILE *f, const char *s) {
  for (; *s != '\0'; s++) {
    switch (*s) {
    case '<':
      fputs("&lt;", f);
      break;
    case '>':
      fputs("&gt;", f);
      break;
    case '&':
      fputs("&amp;", f);
      break;
    case '"':
      fputs("&quot;", f);
      break;
    default:
      fputc(*s, f);
    }
  }
}

/* Let dot draw the steps; its text is the fall-back. */
static int put_drawing(FILE *f, const char *dot_path) {
  char command[1200], line[4096];
  int drawing = 0;
  snprintf(command, sizeof command, "dot -Tsvg '%s' 2>/dev/null", dot_path);
  FILE *svg = popen(command, "r");
  if (svg == NULL)
    return 0;
  while (fgets(line, sizeof line, svg) != NULL) {
    drawing = drawing || strncmp(line, "<svg", 4) == 0; /* skip XML's head */
    if (drawing)
      fputs(line, f);
  }
  pclose(svg);
  return drawing;
}

static void put_graph(FILE *f, const page *p, const char *path) {
  char dot_path[1024];
  snprintf(dot_path, sizeof dot_path, "%s.dot", path);
  fputs("<section id=\"graph\">\n<h2>The compiled training step</h2>\n<div>\n",
        f);
  FILE *dot = fopen(dot_path, "w");
  if (dot != NULL) {
    gg_func_dot(p->train, dot);
    fclose(dot);
    if (!put_drawing(f, dot_path))
      fputs("<p>Graphviz is not installed, so there is no picture.</p>\n", f);
    remove(dot_path);
  }
  fputs("</div>\n</section>\n", f);
}

enum { CURVE_W = 800, CURVE_H = 260, MARGIN = 40, POINTS = 400 };

/* The mean loss of the steps that fall on point i of n. */
static double curve_point(const page *p, size_t i, size_t n) {
  size_t from = p->steps * i / n, to = p->steps * (i + 1) / n;
  double sum = 0;
  for (size_t s = from; s < to; s++)
    sum += p->loss[s];
  return to > from ? sum / (double)(to - from) : 0;
}

static void put_axes(FILE *f, const page *p, double lo, double hi) {
  for (int i = 0; i <= 4; i++) {
    double y = MARGIN / 2.0 + (CURVE_H - MARGIN) * i / 4.0;
    fprintf(f,
            "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" "
            "stroke=\"var(--line)\"/><text x=\"%d\" y=\"%.1f\" "
            "text-anchor=\"end\">%.2f</text>\n",
            MARGIN, CURVE_W, y, y, MARGIN - 6, y + 4, hi - (hi - lo) * i / 4);
  }
  fprintf(f,
          "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%zu steps, %zu an "
          "epoch</text>\n",
          CURVE_W, CURVE_H - 2, p->steps, p->steps_per_epoch);
}

static void put_curve(FILE *f, const page *p) {
  size_t n = p->steps < POINTS ? p->steps : POINTS;
  double lo = 1e30, hi = -1e30;
  for (size_t i = 0; i < n; i++) {
    double v = curve_point(p, i, n);
    lo = v < lo ? v : lo;
    hi = v > hi ? v : hi;
  }
  fprintf(f,
          "<section id=\"loss\">\n<h2>Loss of each step</h2>\n<div>\n<svg "
          "viewBox=\"0 0 %d %d\" width=\"100%%\" role=\"img\" "
          "aria-label=\"loss curve\" font-size=\"12\" "
          "fill=\"var(--soft)\">\n",
          CURVE_W, CURVE_H);
  put_axes(f, p, lo, hi);
  fputs("<polyline fill=\"none\" stroke=\"var(--curve)\" stroke-width=\"2\" "
        "points=\"",
        f);
  for (size_t i = 0; i < n; i++)
    fprintf(f, "%.1f,%.1f ",
            MARGIN + (CURVE_W - MARGIN) * ((double)i + 0.5) / (double)n,
            MARGIN / 2.0 + (CURVE_H - MARGIN) * (hi - curve_point(p, i, n)) /
                               (hi > lo ? hi - lo : 1));
  fputs("\"/>\n</svg>\n</div>\n</section>\n", f);
}

static void put_row(FILE *f, const gg_profile_row *r) {
  fputs("<tr><td>", f);
  put_text(f, r->label);
  fprintf(f,
          "</td><td>%s</td><td>%llu</td><td>%.1f</td><td>%.1f</td>"
          "<td>%.2f</td><td>%.2f</td></tr>\n",
          r->provider, (unsigned long long)r->calls,
          r->calls ? 1e6 * r->seconds / (double)r->calls : 0, 100 * r->share,
          r->seconds > 0 ? r->bytes / r->seconds / 1e9 : 0,
          r->seconds > 0 ? r->flops / r->seconds / 1e9 : 0);
}

static void put_profile(FILE *f, const page *p) {
  gg_profile_row rows[64];
  size_t n = gg_func_profile_rows(p->train, rows, 64);
  fputs("<section id=\"profile\">\n<h2>Where the time goes</h2>\n<div>\n"
        "<table>\n<tr><th>kernel</th><th>by</th><th>calls</th>"
        "<th>&micro;s a call</th><th>share %</th><th>GB/s</th>"
        "<th>GFLOP/s</th></tr>\n",
        f);
  for (size_t i = 0; i < n && i < 64; i++)
    put_row(f, &rows[i]);
  fputs("</table>\n</div>\n</section>\n", f);
}

static void put_figures(FILE *f, const page *p) {
  fprintf(f, "<h1>Fashion-MNIST, trained by gpugraph</h1>\n<p>%s on ",
          p->model);
  put_text(f, p->device);
  fprintf(f,
          ".</p>\n<p class=\"figures\"><span><b>%.2f %%</b>test accuracy"
          "</span><span><b>%.3f s</b>an epoch</span><span><b>%zu</b>steps"
          "</span></p>\n",
          100 * p->accuracy,
          p->seconds / (double)p->steps * (double)p->steps_per_epoch, p->steps);
}

int page_write(const page *p, const char *path, char *why, size_t why_bytes) {
  FILE *f = fopen(path, "w");
  if (f == NULL) {
    snprintf(why, why_bytes, "%s: cannot be written", path);
    return -1;
  }
  fputs(head, f);
  put_figures(f, p);
  put_graph(f, p, path);
  put_curve(f, p);
  if (p->filters != NULL) {
    pictures_filters(f, p);
    pictures_mistakes(f, p);
  }
  put_profile(f, p);
  fputs("</body>\n</html>\n", f);
  int bad = ferror(f);
  if (fclose(f) != 0 || bad) {
    snprintf(why, why_bytes, "%s: writing failed", path);
    return -1;
  }
  return 0;
}
