/* SPDX-License-Identifier: BSD-2-Clause */
/* Losses and optimisers by name. */
#ifndef CLI_TRAIN_WORDS_H
#define CLI_TRAIN_WORDS_H

#include <gpugraph/losses.h>
#include <gpugraph/optimise.h>

/* Names; the lists end with NULL. The loss "output" is the output itself. */
extern const char *const cli_losses[];
extern const char *const cli_optimisers[];

/* The mean loss of an output and what it should be, NULL for "output". The name
 * is in the list. NULL on error, with the message recorded. */
gg_var *cli_loss(const char *name, gg_var *out, gg_var *target);
/* The dtype that targets have: `dtype` of the file if it may be that, or the
 * one that it is converted to. */
int cli_target_dtype(const char *loss, const gg_var *out, int dtype);
/* The optimiser of that name in the list, with its usual rate. */
gg_optimiser cli_optimiser(const char *name);

#endif
