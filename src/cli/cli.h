/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands of the gpugraph program, and what they share. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* An option of a command. Lists of options and words end with NULL. */
typedef struct cli_option {
  const char *name;         /* such as "--size" */
  const char *value;        /* what follows it, such as "NAME=N"; NULL: none */
  const char *about;        /* one sentence, without the stop */
  const char *const *words; /* that the value may be; NULL: others, too */
} cli_option;

typedef struct cli_command cli_command;
struct cli_command {
  const char *heading; /* of this command and those that follow; NULL: none */
  const char *name;
  const char *arguments;     /* besides options, such as "MODEL"; "" if none */
  const char *about;         /* one line */
  const char *details;       /* paragraphs, each on one line; NULL: none */
  const char *example;       /* one line; NULL: none */
  const char *const *words;  /* that an argument may be; NULL: others, too */
  const cli_option *options; /* ends with a NULL name; may be NULL */
  /* argv begins after the command's name. Returns the exit status: 0, 1 for a
   * failure, 2 for wrong usage. */
  int (*run)(const cli_command *c, int argc, char **argv);
};

/* All commands; the list ends with a NULL name. Help, the manual page and what
 * shells complete are made from it. */
extern const cli_command cli_commands[];
/* What the manual and the general help say about devices and variables. */
extern const char cli_about_devices[];
/* What they say about the exit status. */
extern const char cli_about_status[];

int cli_devices(const cli_command *c, int argc, char **argv);
int cli_caps(const cli_command *c, int argc, char **argv);
int cli_cache(const cli_command *c, int argc, char **argv);
int cli_selftest(const cli_command *c, int argc, char **argv);
int cli_kernels(const cli_command *c, int argc, char **argv);
int cli_graph(const cli_command *c, int argc, char **argv);
int cli_inspect(const cli_command *c, int argc, char **argv);
int cli_run(const cli_command *c, int argc, char **argv);
int cli_bench(const cli_command *c, int argc, char **argv);
int cli_convert(const cli_command *c, int argc, char **argv);
int cli_train(const cli_command *c, int argc, char **argv);
int cli_completion(const cli_command *c, int argc, char **argv);
int cli_manual(const cli_command *c, int argc, char **argv);
int cli_help(const cli_command *c, int argc, char **argv);
int cli_version(const cli_command *c, int argc, char **argv);

/* --- messages --- */

/* Print the library's message for `err`; returns 1. */
int cli_fail(int err);
/* Print what is wrong with the arguments, and the usage of the command, or with
 * NULL of the program; returns 2. */
int cli_usage(const cli_command *c, const char *what);
/* Print that no command has this name, and which may be meant; returns 2. */
int cli_unknown(const char *word);
/* Print the message of an error from reading arguments, as cli_usage does. */
int cli_wrong(const cli_command *c, int err);
/* The word of a list that ends with NULL which is most like `word`, or NULL if
 * none is. */
const char *cli_closest(const char *word, const char *const *words);
/* Write "; did you mean X?" to out[64], or "". */
const char *cli_suggest(char *out, const char *word, const char *const *words);
/* Write a size such as "1.5 GiB" to out[16]. */
const char *cli_size(char *out, unsigned long long bytes);

/* --- help --- */

/* The command of that name, or NULL. */
const cli_command *cli_find(const char *name);
/* Columns of a terminal, 20 to 100; $COLUMNS decides if it is set. */
size_t cli_columns(FILE *f);
/* Write what an option does, with the words that it takes. */
const char *cli_option_text(char out[256], const cli_option *o);
/* Write the usage, or all that is to say about the command; NULL: about the
 * program. */
void cli_print_usage(FILE *f, const cli_command *c);
void cli_print_help(FILE *f, const cli_command *c);

/* --- arguments --- */

/* The arguments of a command, one after the other. Begin with c, argc, argv. */
typedef struct cli_args {
  const cli_command *c;
  int argc;
  char **argv;
  const char *option; /* the name of the one at hand; NULL: none */
  char *value;        /* of the option, or the argument that is none */
  int only_values;    /* since "--" */
} cli_args;

/* Go on to the next one. At the end `option` and `value` are NULL.
 * GA_VALUE_ERROR for an unknown option and a missing value. */
int cli_next(cli_args *a);
/* Whether the option at hand is `name`. */
int cli_is(const cli_args *a, const char *name);
/* Take an argument that is no option, if *out is NULL; GA_VALUE_ERROR if it is
 * one too many or not among the command's words. */
int cli_take(const cli_args *a, const char **out);
/* Read arguments of which at most one is no option: *word, which is NULL if
 * there is none; and the flag --json, if the command has that. */
int cli_read_one(const cli_command *c, int argc, char **argv, const char **word,
                 int *json);
/* Read a whole number up to INT64_MAX. */
int cli_number(const char *text, uint64_t *out);
/* Split NAME=VALUE, in place. */
int cli_split(char *text, const char **name, char **value);
/* GA_VALUE_ERROR if `word` is not in the list, with the one that was meant. */
int cli_check_word(const char *what, const char *word,
                   const char *const *words);

#endif
