/* SPDX-License-Identifier: BSD-2-Clause */
/* gpugraph completion: scripts by which shells complete commands, options and
 * words. Everything else is a file. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "cli/cli.h"

static void print_words(const char *const *words) {
  for (size_t i = 0; words != NULL && words[i] != NULL; i++)
    printf("%s%s", i == 0 ? "" : " ", words[i]);
}

static void print_names(void) {
  for (const cli_command *c = cli_commands; c->name != NULL; c++)
    printf("%s%s", c == cli_commands ? "" : " ", c->name);
}

/* The words that may come first as an argument: of help and manual, all
 * commands. */
static void print_arguments(const cli_command *c) {
  if (strcmp(c->name, "help") == 0 || strcmp(c->name, "manual") == 0)
    print_names();
  else
    print_words(c->words);
}

static void print_option_names(const cli_command *c) {
  for (const cli_option *o = c->options; o != NULL && o->name != NULL; o++)
    printf("%s ", o->name);
  printf("--help");
}

/* --- bash --- */

static void bash_values(const cli_command *c) {
  for (const cli_option *o = c->options; o != NULL && o->name != NULL; o++) {
    if (o->value == NULL)
      continue;
    printf("  %s,%s) words='", c->name, o->name);
    print_words(o->words);
    printf("' ;;\n");
  }
}

static void print_bash(void) {
  printf("# Completion of gpugraph for bash.\n"
         "_gpugraph() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} words=\n"
         "  local last=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}\n"
         "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
         "    words='");
  print_names();
  printf(" --help --version'\n"
         "  else\n  case $command,$last in\n");
  for (const cli_command *c = cli_commands; c->name != NULL; c++)
    bash_values(c);
  printf("  *)\n    case $command,$word in\n");
  for (const cli_command *c = cli_commands; c->name != NULL; c++) {
    printf("    %s,-*) words='", c->name);
    print_option_names(c);
    printf("' ;;\n    %s,*) words='", c->name);
    print_arguments(c);
    printf("' ;;\n");
  }
  printf("    esac ;;\n  esac\n  fi\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "}\n"
         "complete -o default -o bashdefault -F _gpugraph gpugraph\n");
}

/* --- zsh --- */

/* A text within single quotes, where brackets and colons mean something. */
static void print_quoted(const char *text) {
  for (; *text != '\0'; text++) {
    if (*text == '\'')
      printf("'\\'");
    else if (strchr("[]:", *text) != NULL)
      printf("\\");
    printf("%c", *text);
  }
}

static void zsh_option(const cli_option *o) {
  printf(" \\\n      '*%s[", o->name);
  print_quoted(o->about);
  printf("]");
  if (o->value != NULL) {
    printf(":");
    print_quoted(o->value);
    printf(":%s", o->words != NULL ? "(" : "_files");
    print_words(o->words);
    printf("%s", o->words != NULL ? ")" : "");
  }
  printf("'");
}

static void zsh_command(const cli_command *c) {
  const int has_words = c->words != NULL || strcmp(c->name, "help") == 0;

  printf("  %s)\n    _arguments", c->name);
  for (const cli_option *o = c->options; o != NULL && o->name != NULL; o++)
    zsh_option(o);
  printf(" \\\n      '--help[show help]'");
  if (c->arguments[0] != '\0') {
    printf(" \\\n      '*:argument:%s", has_words ? "(" : "_files");
    print_arguments(c);
    printf("%s'", has_words ? ")" : "");
  }
  printf(" ;;\n");
}

static void print_zsh(void) {
  printf("#compdef gpugraph\n"
         "# Completion of gpugraph for zsh.\n"
         "if (( CURRENT == 2 )); then\n"
         "  local -a commands=(\n");
  for (const cli_command *c = cli_commands; c->name != NULL; c++) {
    printf("    '%s:", c->name);
    print_quoted(c->about);
    printf("'\n");
  }
  printf("  )\n  _describe command commands\n  return\nfi\n"
         "shift words\n(( CURRENT-- ))\n"
         "case $words[1] in\n");
  for (const cli_command *c = cli_commands; c->name != NULL; c++)
    zsh_command(c);
  printf("esac\n");
}

/* --- fish --- */

static void fish_quoted(const char *text) {
  printf("'");
  for (; *text != '\0'; text++)
    printf("%s%c", *text == '\'' || *text == '\\' ? "\\" : "", *text);
  printf("'");
}

static void fish_option(const cli_command *c, const cli_option *o) {
  const int is_long = strncmp(o->name, "--", 2) == 0;

  printf("complete -c gpugraph -n '__fish_seen_subcommand_from %s' %s %s%s",
         c->name, is_long ? "-l" : "-s", o->name + 1 + is_long,
         o->value == NULL ? "" : " -r");
  if (o->words != NULL) {
    printf(" -f -a '");
    print_words(o->words);
    printf("'");
  }
  printf(" -d ");
  fish_quoted(o->about);
  printf("\n");
}

static void fish_command(const cli_command *c) {
  printf("complete -c gpugraph -f -n __fish_use_subcommand -a %s -d ", c->name);
  fish_quoted(c->about);
  printf("\n");
  for (const cli_option *o = c->options; o != NULL && o->name != NULL; o++)
    fish_option(c, o);
  if (c->words == NULL && strcmp(c->name, "help") != 0)
    return;
  printf("complete -c gpugraph -f -n '__fish_seen_subcommand_from %s' -a '",
         c->name);
  print_arguments(c);
  printf("'\n");
}

static void print_fish(void) {
  printf("# Completion of gpugraph for fish.\n");
  for (const cli_command *c = cli_commands; c->name != NULL; c++)
    fish_command(c);
  printf("complete -c gpugraph -l help -d 'show help'\n");
}

int cli_completion(const cli_command *c, int argc, char **argv) {
  static void (*const print[])(void) = {print_bash, print_zsh, print_fish};
  const char *shell;
  size_t i = 0;

  if (cli_read_one(c, argc, argv, &shell, NULL) != GA_NO_ERROR)
    return cli_wrong(c, GA_VALUE_ERROR);
  if (shell == NULL)
    return cli_usage(c, "completion takes bash, zsh or fish");
  while (strcmp(c->words[i], shell) != 0)
    i++;
  print[i]();
  return 0;
}
