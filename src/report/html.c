/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/html.h"

#include <gpugraph/site.h>

void gg__html_text(FILE *out, const char *s) {
  static const char *const escapes[128] = {
      ['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;"};

  for (; *s != '\0'; s++) {
    const unsigned char c = (unsigned char)*s;
    if (c < 128 && escapes[c] != NULL)
      fputs(escapes[c], out);
    else
      fputc(c, out);
  }
}

void gg__html_head(FILE *out, const char *title) {
  fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<title>",
        out);
  gg__html_text(out, title);
  fputs("</title>\n<style>\n"
        "body{font:14px/1.5 sans-serif;margin:2em;max-width:72em;"
        "color-scheme:light dark}\n"
        "table{border-collapse:collapse}td,th{padding:0 1em 0 0;"
        "text-align:left;vertical-align:top}\n"
        "details{border-left:3px solid #8aa;margin:.3em 0;padding-left:.7em}\n"
        ".layer>summary{font-weight:bold}"
        "summary{cursor:pointer}code{font-size:13px}"
        ".bar{display:inline-block;height:.7em;background:#48c}\n"
        "</style></head><body>\n<h1>",
        out);
  gg__html_text(out, title);
  fputs("</h1>\n", out);
}

void gg__html_site(FILE *out, const gg_var *v) {
  int line;
  const char *file = gg_var_site(v, &line);

  if (file == NULL)
    return;
  gg__html_text(out, file);
  fprintf(out, ":%d", line);
}
