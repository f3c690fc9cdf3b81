/* SPDX-License-Identifier: BSD-2-Clause */
/* gpugraph manual: the manual pages, in the language of man. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "cli/cli.h"

/* A text of one line. Its first letter may not be a point or a quote. */
static void print_text(FILE *f, const char *text) {
  if (*text == '.' || *text == '\'')
    fprintf(f, "\\&");
  for (; *text != '\0'; text++) {
    if (*text == '\\')
      fprintf(f, "\\e");
    else if (*text == '-')
      fprintf(f, "\\-");
    else
      fprintf(f, "%c", *text);
  }
}

static void print_option(FILE *f, const char *name, const char *value,
                         const char *about) {
  fprintf(f, ".TP\n\\fB");
  print_text(f, name);
  fprintf(f, "\\fR");
  if (value != NULL) {
    fprintf(f, " \\fI");
    print_text(f, value);
    fprintf(f, "\\fR");
  }
  fprintf(f, "\n");
  print_text(f, about);
  fprintf(f, "\n");
}

/* --- parts of a page --- */

static void print_details(FILE *f, const cli_command *c) {
  if (c->details != NULL) {
    fprintf(f, ".PP\n");
    print_text(f, c->details);
    fprintf(f, "\n");
  }
}

static void print_options(FILE *f, const cli_command *c) {
  char about[256];

  for (const cli_option *o = c->options; o != NULL && o->name != NULL; o++)
    print_option(f, o->name, o->value, cli_option_text(about, o));
}

static void print_example(FILE *f, const cli_command *c) {
  if (c->example == NULL)
    return;
  fprintf(f, ".PP\n\\fB");
  print_text(f, c->example);
  fprintf(f, "\\fR\n");
}

static void print_command(FILE *f, const cli_command *c) {
  fprintf(f, ".SS \"%s %s\"\n", c->name, c->arguments);
  print_text(f, c->about);
  fprintf(f, ".\n");
  print_details(f, c);
  print_options(f, c);
  print_example(f, c);
}

static void print_status(FILE *f) {
  fprintf(f, ".SH EXIT STATUS\n");
  print_text(f, cli_about_status);
  fprintf(f, "\n");
}

/* --- pages --- */

/* The page of the program, with all commands. */
static void print_program(FILE *f) {
  fprintf(f,
          ".TH GPUGRAPH 1 \"\" \"gpugraph %s\" \"User Commands\"\n"
          ".SH NAME\n"
          "gpugraph \\- symbolic graphs and arrays on any OpenCL device\n"
          ".SH SYNOPSIS\n"
          ".B gpugraph\n"
          ".I COMMAND\n"
          "[\\fIarguments\\fR]\n"
          ".SH DESCRIPTION\n"
          "Looks at devices, saved graphs and models, and computes with them.\n"
          "Each command has a page of its own: \\fBgpugraph\\-train\\fR(1).\n"
          ".PP\n",
          GG_VERSION);
  print_text(f, cli_about_devices);
  fprintf(f, "\n.SH COMMANDS\n");
  for (const cli_command *c = cli_commands; c->name != NULL; c++)
    print_command(f, c);
  fprintf(f, ".SH OPTIONS\n");
  print_option(f, "--help", NULL, "Say what the program or a command does.");
  print_option(f, "--version", NULL, "Show versions.");
  print_status(f);
}

static void print_synopsis(FILE *f, const cli_command *c) {
  fprintf(f, ".SH SYNOPSIS\n.B gpugraph %s\n", c->name);
  if (c->arguments[0] != '\0') {
    print_text(f, c->arguments);
    fprintf(f, "\n");
  }
  for (const cli_option *o = c->options; o != NULL && o->name != NULL; o++) {
    fprintf(f, "[\\fB");
    print_text(f, o->name);
    fprintf(f, "\\fR%s", o->value == NULL ? "" : " \\fI");
    print_text(f, o->value == NULL ? "" : o->value);
    fprintf(f, "\\fR]\n");
  }
}

/* The page of one command: gpugraph-NAME(1). */
static void print_page(FILE *f, const cli_command *c) {
  fprintf(f, ".TH GPUGRAPH\\-");
  for (const char *p = c->name; *p != '\0'; p++)
    fprintf(f, "%c", toupper((unsigned char)*p));
  fprintf(f,
          " 1 \"\" \"gpugraph %s\" \"User Commands\"\n"
          ".SH NAME\ngpugraph\\-%s \\- ",
          GG_VERSION, c->name);
  print_text(f, c->about);
  fprintf(f, "\n");
  print_synopsis(f, c);
  fprintf(f, ".SH DESCRIPTION\n");
  print_text(f, c->details != NULL ? c->details : c->about);
  fprintf(f, "%s\n", c->details != NULL ? "" : ".");
  print_example(f, c);
  fprintf(f, ".SH OPTIONS\n");
  print_options(f, c);
  print_option(f, "--help", NULL, "show this");
  fprintf(f, ".SH ENVIRONMENT\n");
  print_text(f, cli_about_devices);
  fprintf(f, "\n");
  print_status(f);
  fprintf(f, ".SH SEE ALSO\n.BR gpugraph (1)\n");
}

/* --- the command --- */

/* Write one page to a file of the folder. */
static int save_page(const char *folder, const cli_command *c) {
  char path[4096];

  if (snprintf(path, sizeof path, "%s/gpugraph%s%s.1", folder,
               c == NULL ? "" : "-",
               c == NULL ? "" : c->name) >= (int)sizeof path)
    return ga__fail(GA_VALUE_ERROR, "the path is too long: %s", folder);
  FILE *f = fopen(path, "w");
  if (f == NULL)
    return ga__fail(GA_SYS_ERROR, "cannot write %s: %s", path, strerror(errno));
  if (c == NULL)
    print_program(f);
  else
    print_page(f, c);
  const int failed = ferror(f);
  return fclose(f) == 0 && !failed
             ? GA_NO_ERROR
             : ga__fail(GA_SYS_ERROR, "cannot write %s: %s", path,
                        strerror(errno));
}

static int save_pages(const char *folder) {
  if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    return ga__fail(GA_SYS_ERROR, "cannot make %s: %s", folder,
                    strerror(errno));
  GA_TRY(save_page(folder, NULL));
  for (const cli_command *c = cli_commands; c->name != NULL; c++)
    GA_TRY(save_page(folder, c));
  return GA_NO_ERROR;
}

static int read_arguments(cli_args *a, const char **word, const char **folder) {
  for (;;) {
    GA_TRY(cli_next(a));
    if (cli_is(a, "--output"))
      *folder = a->value;
    else if (a->value != NULL)
      GA_TRY(cli_take(a, word));
    else
      return *word == NULL || *folder == NULL
                 ? GA_NO_ERROR
                 : ga__fail(GA_VALUE_ERROR,
                            "--output writes all pages, got %s, too", *word);
  }
}

int cli_manual(const cli_command *c, int argc, char **argv) {
  cli_args a = {c, argc, argv, NULL, NULL, 0};
  const char *word = NULL, *folder = NULL;
  int err = read_arguments(&a, &word, &folder);

  if (err != GA_NO_ERROR)
    return cli_wrong(c, err);
  if (folder != NULL)
    return (err = save_pages(folder)) == GA_NO_ERROR ? 0 : cli_fail(err);
  if (word == NULL)
    print_program(stdout);
  else if (cli_find(word) != NULL)
    print_page(stdout, cli_find(word));
  else
    return cli_unknown(word);
  return 0;
}
