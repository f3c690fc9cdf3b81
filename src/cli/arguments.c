/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the arguments of a command by its table. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "cli/cli.h"

enum { MOST_OPTIONS = 32 };

static const cli_option no_options[] = {{NULL, NULL, NULL, NULL}};

static const cli_option *options_of(const cli_command *c) {
  return c->options != NULL ? c->options : no_options;
}

static int unknown(const cli_command *c, const char *option, int n) {
  const char *names[MOST_OPTIONS + 2] = {"--help"};
  char word[48], near[64];

  for (size_t i = 0; i < MOST_OPTIONS && options_of(c)[i].name != NULL; i++)
    names[i + 1] = options_of(c)[i].name;
  snprintf(word, sizeof word, "%.*s", n, option);
  return ga__fail(GA_VALUE_ERROR, "%s has no option %s%s", c->name, word,
                  cli_suggest(near, word, names));
}

/* An option, or one with its value as in "--size=batch=2". */
static int read_option(cli_args *a, char *text) {
  const cli_option *o = options_of(a->c);
  char *equal = strncmp(text, "--", 2) == 0 ? strchr(text, '=') : NULL;
  const size_t n = equal != NULL ? (size_t)(equal - text) : strlen(text);

  while (o->name != NULL &&
         (strlen(o->name) != n || strncmp(o->name, text, n) != 0))
    o++;
  if (o->name == NULL)
    return unknown(a->c, text, n < 47 ? (int)n : 47);
  a->option = o->name;
  a->value = equal != NULL ? equal + 1 : NULL;
  if (o->value == NULL && equal != NULL)
    return ga__fail(GA_VALUE_ERROR, "%s takes no value, got %s", o->name,
                    a->value);
  if (o->value == NULL || equal != NULL)
    return GA_NO_ERROR;
  if (a->argc == 0)
    return ga__fail(GA_VALUE_ERROR, "%s needs a value: %s", o->name, o->value);
  a->value = *a->argv++;
  a->argc--;
  return GA_NO_ERROR;
}

int cli_next(cli_args *a) {
  a->option = NULL;
  a->value = NULL;
  if (a->argc > 0 && !a->only_values && strcmp(*a->argv, "--") == 0) {
    a->only_values = 1;
    a->argv++;
    a->argc--;
  }
  if (a->argc == 0)
    return GA_NO_ERROR;
  char *text = *a->argv++;
  a->argc--;
  if (!a->only_values && text[0] == '-' && text[1] != '\0')
    return read_option(a, text);
  a->value = text;
  return GA_NO_ERROR;
}

int cli_is(const cli_args *a, const char *name) {
  return a->option != NULL && strcmp(a->option, name) == 0;
}

int cli_check_word(const char *what, const char *word,
                   const char *const *words) {
  char near[64], all[256] = "";
  size_t n = 0;

  for (size_t i = 0; words[i] != NULL && n < sizeof all; i++) {
    if (strcmp(word, words[i]) == 0)
      return GA_NO_ERROR;
    n += (size_t)snprintf(all + n, sizeof all - n, "%s%s",
                          i == 0                 ? ""
                          : words[i + 1] == NULL ? " or "
                                                 : ", ",
                          words[i]);
  }
  return ga__fail(GA_VALUE_ERROR, "%s takes %s, got %.80s%s", what, all, word,
                  cli_suggest(near, word, words));
}

int cli_take(const cli_args *a, const char **out) {
  if (*out != NULL || a->c->arguments[0] == '\0')
    return ga__fail(GA_VALUE_ERROR, "%s takes %s%s%s, got %.200s%s", a->c->name,
                    *out != NULL ? "one " : "no argument",
                    *out != NULL ? a->c->arguments : "", "", a->value,
                    *out != NULL ? ", too" : "");
  if (a->c->words != NULL)
    GA_TRY(cli_check_word(a->c->name, a->value, a->c->words));
  *out = a->value;
  return GA_NO_ERROR;
}

int cli_read_one(const cli_command *c, int argc, char **argv, const char **word,
                 int *json) {
  cli_args a = {c, argc, argv, NULL, NULL, 0};

  *word = NULL;
  if (json != NULL)
    *json = 0;
  for (;;) {
    GA_TRY(cli_next(&a));
    if (a.option == NULL && a.value == NULL)
      return GA_NO_ERROR;
    if (cli_is(&a, "--json"))
      *json = 1;
    else
      GA_TRY(cli_take(&a, word));
  }
}

int cli_number(const char *text, uint64_t *out) {
  char *end;

  errno = 0;
  *out = strtoull(text, &end, 10);
  if (errno != 0 || *end != 0 || text[0] < '0' || text[0] > '9' ||
      *out > INT64_MAX)
    return ga__fail(GA_VALUE_ERROR, "\"%s\" is not a number", text);
  return GA_NO_ERROR;
}

int cli_split(char *text, const char **name, char **value) {
  char *equal = strchr(text, '=');

  if (equal == NULL || equal == text || equal[1] == 0)
    return ga__fail(GA_VALUE_ERROR, "\"%s\" is not NAME=VALUE", text);
  *equal = 0;
  *name = text;
  *value = equal + 1;
  return GA_NO_ERROR;
}
