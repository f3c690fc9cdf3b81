/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of HTML pages for functions (func_html.c) and graphs (graph_html.c). */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "graph/graph.h"

/* Write text with HTML's special characters escaped. */
void gg__html_text(FILE *out, const char *s);
/* Write the beginning of a page, to the end of its headline. */
void gg__html_head(FILE *out, const char *title);
/* Write the site of a variable, if it is known. */
void gg__html_site(FILE *out, const gg_var *v);

#endif
