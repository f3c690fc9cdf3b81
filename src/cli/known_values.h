/* SPDX-License-Identifier: BSD-2-Clause */
/* What a user says about a model before it is built: --size and, for ONNX
 * models, --fix. And files for inputs by name. */
#ifndef CLI_KNOWN_VALUES_H
#define CLI_KNOWN_VALUES_H

#include <gpugraph/data.h>
#include <gpugraph/onnx.h>

#include "base/vec.h"
#include "cli/cli.h"

/* A file for an input. Both strings are parts of argv. */
typedef struct cli_given {
  const char *name, *path;
} cli_given;

typedef GA_VEC(cli_given) cli_givens;

/* The file for an input, or NULL. */
const cli_given *cli_find_given(const cli_givens *list, const char *name);
/* Append NAME=FILE, the value of `option`. GA_VALUE_ERROR if the list has the
 * name. */
int cli_add_given(cli_givens *list, const char *option, char *text);

/* Begin with zeros. */
typedef struct cli_known {
  GA_VEC(gg_named_size) sizes;
  cli_givens fixed;
  GA_VEC(gg_data *) files; /* of `fixed`, in this order */
  GA_VEC(gg_onnx_fixed) by_name;
} cli_known;

/* Whether the option at hand is one of these. */
int cli_is_known(const cli_args *a);
/* Read it. GA_VALUE_ERROR also if a name comes twice. */
int cli_known_read(cli_known *k, const cli_args *a);
/* Read the files, for a model that is no graph, and set *o, which borrows from
 * *k. */
int cli_known_options(cli_known *k, const char *model, int is_graph,
                      gg_onnx_options *o);
void cli_known_clear(cli_known *k);

#endif
