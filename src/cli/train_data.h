/* SPDX-License-Identifier: BSD-2-Clause */
/* Data of gpugraph train: files of rows, and how rows become what inputs take.
 */
#ifndef CLI_TRAIN_DATA_H
#define CLI_TRAIN_DATA_H

#include <gpugraph/data.h>
#include <gpugraph/graph.h>

#include "cli/train_arguments.h"

/* Open the file of a datum: .npy, .npz, IDX, or a table of numbers, by what it
 * begins with. Numbers of a table get the dtype; one column of labels is int32.
 */
int train_data_open(gg_data **out, const train_datum *d, int dtype,
                    int are_labels);
/* Find the input that gets the rows of `a`: `in` itself, and *by is NULL; or
 * one without a name, from which *by is computed, to stand for `in`: rows of
 * other sizes with as many elements, or divided by a number. */
int train_data_fit(gg_var *in, const gg_host_array *a, const train_datum *d,
                   gg_var **raw, gg_var **by);

#endif
