/* SPDX-License-Identifier: BSD-2-Clause */
/* gpugraph manual: the manual page, in the language of man. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "cli/cli.h"

/* A text of one line. Its first letter may not be a point or a quote. */
static void print_text(const char *text) {
  if (*text == '.' || *text == '\'')
    printf("\\&");
  for (; *text != '\0'; text++) {
    if (*text == '\\')
      printf("\\e");
    else if (*text == '-')
      printf("\\-");
    else
      printf("%c", *text);
  }
}

static void print_option(const char *name, const char *value,
                         const char *about) {
  printf(".TP\n\\fB");
  print_text(name);
  printf("\\fR");
  if (value != NULL) {
    printf(" \\fI");
    print_text(value);
    printf("\\fR");
  }
  printf("\n");
  print_text(about);
  printf("\n");
}

static void print_command(const cli_command *c) {
  printf(".SS \"%s %s\"\n", c->name, c->arguments);
  print_text(c->about);
  printf(".\n");
  if (c->details != NULL) {
    printf(".PP\n");
    print_text(c->details);
    printf("\n");
  }
  for (const cli_option *o = c->options; o != NULL && o->name != NULL; o++)
    print_option(o->name, o->value, o->about);
}

int cli_manual(const cli_command *c, int argc, char **argv) {
  const char *word;

  if (cli_read_one(c, argc, argv, &word, NULL) != GA_NO_ERROR)
    return cli_wrong(c, GA_VALUE_ERROR);
  printf(".TH GPUGRAPH 1 \"\" \"gpugraph %s\" \"User Commands\"\n"
         ".SH NAME\n"
         "gpugraph \\- symbolic graphs and arrays on any OpenCL device\n"
         ".SH SYNOPSIS\n"
         ".B gpugraph\n"
         ".I COMMAND\n"
         "[\\fIarguments\\fR]\n"
         ".SH DESCRIPTION\n"
         "Looks at devices, saved graphs and models, and computes with them.\n"
         ".PP\n",
         GG_VERSION);
  print_text(cli_about_devices);
  printf("\n.SH COMMANDS\n");
  for (c = cli_commands; c->name != NULL; c++)
    print_command(c);
  printf(".SH OPTIONS\n");
  print_option("--help", NULL, "Say what the program or a command does.");
  print_option("--version", NULL, "Show versions.");
  printf(".SH EXIT STATUS\n"
         "0: all went well. 1: something failed. 2: wrong arguments.\n");
  return 0;
}
