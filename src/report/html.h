/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces of pages, for functions (func_html.c) and graphs (graph_html.c). */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "graph/graph.h"

/* Text with what HTML would read as its own replaced. */
void gg__html_text(FILE *out, const char *s);
/* All up to the end of the headline. */
void gg__html_head(FILE *out, const char *title);
/* Where a variable was built, or nothing. */
void gg__html_place(FILE *out, const gg_var *v);

#endif
