/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/train_arguments.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/err.h"
#include "cli/load_model.h"
#include "cli/train_words.h"

/* Split NAME=VALUE. */
static int read_named(char *text, const char **name, const char **path) {
  char *value;

  GA_TRY(cli_split(text, name, &value));
  *path = value;
  return GA_NO_ERROR;
}

/* What follows the last ':' is a part, unless there is a file of that name. */
static int add_datum(train_arguments *j, char *text) {
  train_datum *d = &j->data[j->n_data];
  char *path;

  GA_TRY(cli_split(text, &d->name, &path));
  d->path = path;
  char *colon = strrchr(path, ':');
  if (colon != NULL && strchr(colon, '/') == NULL && access(path, F_OK) != 0) {
    *colon = '\0';
    d->part = colon + 1;
  }
  for (size_t i = 0; i < j->n_data; i++)
    if (strcmp(j->data[i].name, d->name) == 0)
      return ga__fail(GA_VALUE_ERROR, "\"%s\" has two files: %s and %s",
                      d->name, j->data[i].path, d->path);
  j->n_data++;
  return GA_NO_ERROR;
}

static int read_count(const cli_args *a, uint64_t *out) {
  GA_TRY(cli_number(a->value, out));
  return *out >= 1 && *out <= UINT32_MAX
             ? GA_NO_ERROR
             : ga__fail(GA_VALUE_ERROR, "%s takes 1 to %lu, got %s", a->option,
                        (unsigned long)UINT32_MAX, a->value);
}

/* Read a number of at least 0. */
static int read_real(const char *option, const char *text, double *out) {
  char *end;

  *out = strtod(text, &end);
  if (*text == '\0' || *end != '\0' || !(*out >= 0) || isinf(*out))
    return ga__fail(GA_VALUE_ERROR, "%s takes a number of at least 0, got %s",
                    option, text);
  return GA_NO_ERROR;
}

static int read_rate(train_arguments *j, const cli_args *a) {
  double rate;

  j->rate = a->value;
  return read_real("--rate", a->value, &rate);
}

static int add_divisor(train_arguments *j, const cli_args *a) {
  train_divisor *d = &j->divisors[j->n_divisors++];
  const char *value;

  GA_TRY(read_named(a->value, &d->name, &value));
  GA_TRY(read_real("--divide", value, &d->by));
  return d->by > 0 ? GA_NO_ERROR
                   : ga__fail(GA_VALUE_ERROR, "--divide takes no %s", value);
}

static int apply_divisor(train_arguments *j, const train_divisor *d) {
  for (size_t i = 0; i < j->n_data; i++)
    if (strcmp(j->data[i].name, d->name) == 0) {
      j->data[i].divisor = d->by;
      return GA_NO_ERROR;
    }
  return ga__fail(GA_VALUE_ERROR, "--divide %s: there is no --data %s", d->name,
                  d->name);
}

static int read_output(train_arguments *j, const char *path) {
  static const char *const ends[] = {".gg", ".onnx", ".safetensors"};

  j->output = path;
  for (size_t i = 0; i < 3; i++)
    if (strlen(path) > strlen(ends[i]) &&
        strcmp(path + strlen(path) - strlen(ends[i]), ends[i]) == 0)
      return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR,
                  "--output takes a name that ends in .gg, .onnx or "
                  ".safetensors, got %s",
                  path);
}

static int read_word(train_arguments *j, const cli_args *a) {
  if (cli_is(a, "--loss")) {
    j->loss = a->value;
    return cli_check_word("--loss", a->value, cli_losses);
  }
  if (cli_is(a, "--optimiser")) {
    j->optimiser = a->value;
    return cli_check_word("--optimiser", a->value, cli_optimisers);
  }
  if (cli_is(a, "--json"))
    j->json = 1;
  else if (cli_is(a, "--state"))
    j->state = a->value;
  else if (cli_is(a, "--function"))
    j->function = a->value;
  else if (cli_is(a, "--draw"))
    j->drawn[j->n_drawn++] = a->value;
  else
    j->frozen[j->n_frozen++] = a->value;
  return GA_NO_ERROR;
}

static int read_option(train_arguments *j, const cli_args *a) {
  return cli_is(a, "--data")     ? add_datum(j, a->value)
         : cli_is_known(a)       ? cli_known_read(&j->known, a)
         : cli_is(a, "--epochs") ? read_count(a, &j->epochs)
         : cli_is(a, "--batch")  ? read_count(a, &j->batch)
         : cli_is(a, "--seed")   ? read_count(a, &j->seed)
         : cli_is(a, "--rate")   ? read_rate(j, a)
         : cli_is(a, "--divide") ? add_divisor(j, a)
         : cli_is(a, "--output") ? read_output(j, a->value)
                                 : read_word(j, a);
}

static int check_arguments(train_arguments *j) {
  const char *missing = j->model == NULL    ? "a model"
                        : j->n_data == 0    ? "--data"
                        : j->output == NULL ? "--output"
                                            : NULL;

  for (size_t i = 0; i < j->n_divisors; i++)
    GA_TRY(apply_divisor(j, &j->divisors[i]));
  return missing == NULL ? GA_NO_ERROR
                         : ga__fail(GA_VALUE_ERROR, "train needs %s", missing);
}

int train_check_updates(const train_arguments *j, int has_updates,
                        const char *function) {
  const size_t n = strlen(j->output);
  const char *vain = j->loss != NULL        ? "--loss"
                     : j->optimiser != NULL ? "--optimiser"
                     : j->rate != NULL      ? "--rate"
                     : j->n_frozen > 0      ? "--freeze"
                     : j->state != NULL     ? "--state"
                                            : NULL;

  if (!has_updates)
    return j->loss != NULL ? GA_NO_ERROR
                           : ga__fail(GA_VALUE_ERROR,
                                      "train needs --loss: function %s has no "
                                      "updates of its own",
                                      function);
  if (vain != NULL)
    return ga__fail(GA_VALUE_ERROR,
                    "function %s has updates of its own, which decide how it "
                    "is trained: it takes no %s",
                    function, vain);
  if (n > 5 && strcmp(j->output + n - 5, ".onnx") == 0)
    return ga__fail(GA_VALUE_ERROR,
                    "function %s has updates, which ONNX models do not have: "
                    "write a .gg, and convert another function of it",
                    function);
  return GA_NO_ERROR;
}

static int check_folder(const char *path) {
  const char *slash = strrchr(path, '/');
  char folder[4096];

  snprintf(folder, sizeof folder, "%.*s",
           slash == NULL ? 1 : (int)(slash - path) + 1,
           slash == NULL ? "." : path);
  return access(folder, W_OK) == 0
             ? GA_NO_ERROR
             : ga__fail(GA_SYS_ERROR, "cannot write %s: %s", path,
                        strerror(errno));
}

int train_check_folders(const train_arguments *j) {
  GA_TRY(check_folder(j->output));
  return j->state == NULL ? GA_NO_ERROR : check_folder(j->state);
}

/* Files may follow one --data: "--data x=x.npy y=y.npy". */
int train_read(train_arguments *j, const cli_command *c, int argc,
               char **argv) {
  cli_args a = {c, argc, argv, NULL, NULL, 0};
  const size_t n = (size_t)argc + 1;
  int after_data = 0;

  j->data = ga__calloc(n, sizeof *j->data);
  j->divisors = ga__calloc(n, sizeof *j->divisors);
  j->frozen = ga__calloc(n, sizeof *j->frozen);
  j->drawn = ga__calloc(n, sizeof *j->drawn);
  if (j->data == NULL || j->divisors == NULL || j->frozen == NULL ||
      j->drawn == NULL)
    return ga__fail_nomem();
  for (;;) {
    GA_TRY(cli_next(&a));
    if (a.option == NULL && a.value == NULL)
      return check_arguments(j);
    if (a.option == NULL && after_data && strchr(a.value, '=') != NULL)
      GA_TRY(add_datum(j, a.value));
    else if (a.option == NULL)
      GA_TRY(cli_take(&a, &j->model));
    else
      GA_TRY(read_option(j, &a));
    after_data = a.option != NULL ? cli_is(&a, "--data") : after_data;
  }
}

void train_arguments_clear(train_arguments *j) {
  ga__free(j->data);
  cli_known_clear(&j->known);
  ga__free(j->divisors);
  ga__free(j->frozen);
  ga__free(j->drawn);
}
