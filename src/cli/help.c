/* SPDX-License-Identifier: BSD-2-Clause */
/* Help, as wide as the terminal. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/err.h"
#include "cli/cli.h"
#include "cli/status_line.h"

enum {
  LEAST = 20,
  MOST = 100,
  USUAL = 80,
  INDENT = 22,
  SHORT = 14,
  NARROW = 6
};

size_t cli_columns(FILE *f) {
  const char *text = getenv("COLUMNS");
  long n = text != NULL ? strtol(text, NULL, 10) : 0;
  struct winsize size;

  if (n <= 0 && ioctl(fileno(f), TIOCGWINSZ, &size) == 0)
    n = size.ws_col;
  if (n <= 0)
    n = USUAL;
  return n < LEAST ? LEAST : n > MOST ? MOST : (size_t)n;
}

/* Where on a line we are, how wide it is, and where the next ones begin. */
typedef struct liner {
  FILE *f;
  size_t at, width, indent;
} liner;

static void begin_line(liner *l) {
  fprintf(l->f, "\n%*s", (int)l->indent, "");
  l->at = l->indent;
}

/* Write words, and break the line where one does not fit. What is within
 * brackets stays together if a line can hold it. */
static void put(liner *l, const char *text) {
  while (*text != '\0') {
    size_t n = strcspn(text, " \n");

    if (text[0] == '[' && strchr(text, ']') != NULL)
      n = (size_t)(strchr(text, ']') - text) +
          strcspn(strchr(text, ']'), " \n");
    if (n > l->width - l->indent)
      n = strcspn(text, " \n");
    if (l->at > l->indent && l->at + 1 + n >= l->width)
      begin_line(l);
    else if (l->at > l->indent)
      l->at += (size_t)fprintf(l->f, " ");
    l->at += (size_t)fprintf(l->f, "%.*s", (int)n, text);
    text += n;
    if (*text == '\n')
      begin_line(l);
    if (*text != '\0')
      text++;
  }
}

static void put_paragraphs(FILE *f, const char *text) {
  liner l = {f, 0, cli_columns(f), 0};

  fprintf(f, "\n");
  put(&l, text);
  fprintf(f, "\n");
}

static void put_example(FILE *f, const char *line) {
  liner l = {f, 0, cli_columns(f), 4};

  fprintf(f, "\nExample:");
  begin_line(&l);
  put(&l, line);
  fprintf(f, "\n");
}

/* A term with its explanation beside it, or below it if there is no room. */
static void put_entry(FILE *f, const char *term, const char *about,
                      size_t indent) {
  const size_t width = cli_columns(f);
  liner l = {f, 0, width, width < 60 ? NARROW : indent};

  l.at = (size_t)fprintf(f, "  %s", term);
  if (l.at + 2 > l.indent)
    begin_line(&l);
  else {
    fprintf(f, "%*s", (int)(l.indent - l.at), "");
    l.at = l.indent;
  }
  put(&l, about);
  fprintf(f, "\n");
}

static const char *term_of(char *out, size_t bytes, const cli_option *o) {
  snprintf(out, bytes, "%s%s%s", o->name, o->value == NULL ? "" : " ",
           o->value == NULL ? "" : o->value);
  return out;
}

void cli_print_usage(FILE *f, const cli_command *c) {
  liner l = {f, 0, cli_columns(f), 4};
  char term[80], text[96];

  l.at = (size_t)fprintf(f, "usage: gpugraph");
  if (c == NULL) {
    put(&l, "COMMAND [arguments]");
  } else {
    put(&l, c->name);
    put(&l, c->arguments);
  }
  for (const cli_option *o = c == NULL ? NULL : c->options;
       o != NULL && o->name != NULL; o++) {
    snprintf(text, sizeof text, "[%s]", term_of(term, sizeof term, o));
    put(&l, text);
  }
  fprintf(f, "\n");
}

const char *cli_option_text(char out[256], const cli_option *o) {
  size_t n = (size_t)snprintf(out, 256, "%s", o->about);

  for (size_t i = 0; o->words != NULL && o->words[i] != NULL && n < 256; i++)
    n += (size_t)snprintf(out + n, 256 - n, "%s%s", i == 0 ? ": " : ", ",
                          o->words[i]);
  return out;
}

static void print_options(FILE *f, const cli_command *c) {
  char term[80], about[256];

  fprintf(f, "\n");
  for (const cli_option *o = c->options; o != NULL && o->name != NULL; o++)
    put_entry(f, term_of(term, sizeof term, o), cli_option_text(about, o),
              INDENT);
  put_entry(f, "--help", "show this", INDENT);
}

static void print_commands(FILE *f) {
  put_paragraphs(f, "Computes with models, graphs and arrays on any OpenCL "
                    "device. 'gpugraph devices' shows what there is.");
  for (const cli_command *c = cli_commands; c->name != NULL; c++) {
    if (c->heading != NULL)
      put_paragraphs(f, c->heading);
    put_entry(f, c->name, c->about, SHORT);
  }
  put_paragraphs(f, "'gpugraph help COMMAND' and 'gpugraph COMMAND --help' say "
                    "more about one.");
  put_paragraphs(f, cli_about_devices);
}

void cli_print_help(FILE *f, const cli_command *c) {
  cli_print_usage(f, c);
  if (c == NULL) {
    print_commands(f);
    return;
  }
  put_paragraphs(f, c->about);
  print_options(f, c);
  if (c->details != NULL)
    put_paragraphs(f, c->details);
  if (c->example != NULL)
    put_example(f, c->example);
}

const cli_command *cli_find(const char *name) {
  for (const cli_command *c = cli_commands; c->name != NULL; c++)
    if (strcmp(c->name, name) == 0)
      return c;
  return NULL;
}

/* --- messages --- */

int cli_fail(int err) {
  cli_progress(NULL);
  fflush(stdout); /* what was printed comes first, also in a pipe */
  fprintf(stderr, "gpugraph: %s\n", ga__err_text(err));
  return 1;
}

int cli_usage(const cli_command *c, const char *what) {
  cli_progress(NULL);
  fprintf(stderr, "gpugraph: %s\n\n", what);
  cli_print_usage(stderr, c);
  fprintf(stderr, "'gpugraph help%s%s' says more.\n", c == NULL ? "" : " ",
          c == NULL ? "" : c->name);
  return 2;
}

int cli_wrong(const cli_command *c, int err) {
  return cli_usage(c, ga__err_text(err));
}
