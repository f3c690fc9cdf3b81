/* SPDX-License-Identifier: BSD-2-Clause */
/* A model as commands call it: their common arguments, its
 * function, and inputs from .npy files or drawn at random. */
#ifndef CLI_CALL_MODEL_H
#define CLI_CALL_MODEL_H

#include <gpugraph/args.h>

#include "cli/cli.h"
#include "cli/known_values.h"
#include "cli/load_model.h"

typedef struct cli_job {
  const cli_command *command;
  int is_read; /* the arguments are right */
  int json;
  int n_drawn; /* inputs that were drawn at random */
  const char *model, *function, *output, *html;
  uint64_t seed, calls;
  cli_givens inputs;
  cli_known known;
  gpucontext *ctx;
  cli_model m;
  gg_func *f;
  GpuArray *in, *out;
  size_t n_in, n_out;
} cli_job;

/* Read the arguments. The caller clears the job, also after a failure. */
int cli_job_read(cli_job *j, int argc, char **argv);
/* Load the model, and make its function with these flags (func.h). */
int cli_job_load(cli_job *j, int flags);
/* Make the inputs. Prints how many are drawn at random. */
int cli_job_inputs(cli_job *j);
/* Call the function once. The results are in j->out. */
int cli_job_call(cli_job *j);
/* The name of output i, as the model has it. */
const char *cli_job_output_name(const cli_job *j, size_t i);
void cli_job_clear(cli_job *j);
/* Print the message of an error; the usage, too, if it is in the arguments.
 * Returns the exit status. */
int cli_job_status(const cli_job *j, int err);

#endif
