/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of gpugraph train. */
#ifndef CLI_TRAIN_ARGUMENTS_H
#define CLI_TRAIN_ARGUMENTS_H

#include "cli/known_values.h"

/* NAME=FILE or NAME=FILE:PART. */
typedef struct train_datum {
  const char *name, *path;
  const char *part; /* an array of the file, or columns; NULL: not said */
  double divisor;   /* of its elements; 0: none */
} train_datum;

/* --divide NAME=X. */
typedef struct train_divisor {
  const char *name;
  double by;
} train_divisor;

/* Strings are parts of argv. */
typedef struct train_arguments {
  const char *model, *loss, *optimiser, *rate, *output, *function, *state;
  train_datum *data;
  cli_known known;
  train_divisor *divisors;
  const char **frozen, **drawn; /* what names of weights begin with */
  size_t n_data, n_divisors, n_frozen, n_drawn;
  uint64_t epochs, batch, seed; /* batch 0: not given */
  int json;
} train_arguments;

/* Read them over the defaults that *j has. The caller clears it, also after an
 * error. */
int train_read(train_arguments *j, const cli_command *c, int argc, char **argv);
/* GA_VALUE_ERROR if an argument is missing, or given in vain, where the
 * function has updates of its own, or has none. */
int train_check_updates(const train_arguments *j, int has_updates,
                        const char *function);
/* GA_SYS_ERROR if a file that training writes at its end has no folder that can
 * be written to. */
int train_check_folders(const train_arguments *j);
void train_arguments_clear(train_arguments *j);

#endif
