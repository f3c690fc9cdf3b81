/* SPDX-License-Identifier: BSD-2-Clause */
/** \file params.h
 *  Parameters as named groups.
 *
 *      gg_params *p = gg_params_new(g, GA_FLOAT, 1234);
 *      gg_var *h = gg_relu(gg_nn_dense(p, "hidden", x, 128, 0));   // layers.h
 *
 *  makes the shared variables "hidden.weight" [128, n] and "hidden.bias" [128].
 *  A name means one variable: if you ask for it again, you get the same one. So
 *  layers share parameters by their names. To choose first values other than
 *  those of a layer, make the parameter before the layer.
 *
 *  First values depend only on the seed of the group and the name of the
 *  parameter: another layer does not change those of others.
 *
 *  Errors stick to the graph. If a group could not be made, it is NULL. All
 *  functions accept that and return NULL, 0 or GA_VALUE_ERROR. Only one thread
 *  at a time may use the groups of a graph.
 */
#ifndef GPUGRAPH_PARAMS_H
#define GPUGRAPH_PARAMS_H

#include <gpugraph/initial.h>
#include <gpugraph/random.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/** \name Groups */
/**@{*/
typedef struct gg_params gg_params;

/** Make an empty group for parameters of a float dtype. The seed is at least 1.
 *  The caller frees it before or after its graph, but uses it only while there
 *  is a graph. */
GG_PUBLIC gg_params *gg_params_new(gg_graph *g, int dtype, uint64_t seed);
/** Free a group that gg_params_new made, and the groups within it; the
 *  variables belong to the graph. Accepts NULL. */
GG_PUBLIC void gg_params_free(gg_params *p);
/** The group `name` within `p`, made at its first use; its parameters have the
 *  names "name....". Borrowed: it lives as long as the outermost group. */
GG_PUBLIC gg_params *gg_params_group(gg_params *p, const char *name);
/** The graph, and the dtype of parameters. */
GG_PUBLIC gg_graph *gg_params_graph(const gg_params *p);
GG_PUBLIC int gg_params_dtype(const gg_params *p);
/** The source of random numbers of all groups around and within `p`, made at
 *  its first use; borrowed. Dropout draws from it. */
GG_PUBLIC gg_random *gg_params_random(gg_params *p);
/**@}*/

/** \name Parameters */
/**@{*/
/** The parameter `name` of the group: a shared variable, to be trained, with
 *  the first values `how`. If there is one already, it is returned.
 *  GA_VALUE_ERROR if that has other sizes, if the name is empty, and for sizes
 *  that gg_init_fill refuses. */
GG_PUBLIC gg_var *gg_param(gg_params *p, const char *name, unsigned int nd,
                           const size_t *dims, gg_initial how);
/** The same for a value that belongs to the model but is not trained, such as
 *  the running statistics of gg_nn_batch_norm. */
GG_PUBLIC gg_var *gg_param_state(gg_params *p, const char *name,
                                 unsigned int nd, const size_t *dims,
                                 gg_initial how);
/** The variable of that name in the group, "hidden.weight"; NULL if there is
 *  none. */
GG_PUBLIC gg_var *gg_params_find(const gg_params *p, const char *name);
/** Do not train the parameters that the group has now, or train them again with
 *  `frozen` 0. What is built later (gg_params_trained) follows it. */
GG_PUBLIC int gg_params_freeze(gg_params *p, int frozen);
/** Build layers of the group and those within it for training, or, with 0, for
 *  inference: then gg_nn_dropout does nothing, and gg_nn_batch_norm uses its
 *  running statistics. Groups are made for training. So build a model twice,
 *  from the same parameters. */
GG_PUBLIC int gg_params_training(gg_params *p, int training);
GG_PUBLIC int gg_params_is_training(const gg_params *p);
/** Set the value that a state gets in each training step, which the updates of
 *  an optimiser contain. A later value replaces it. */
GG_PUBLIC int gg_params_update(gg_params *p, gg_var *state, gg_var *value);
/**@}*/

/** \name Lists
 *  Of the group and those within it, in the order in which they were made. They
 *  end with NULL, and are borrowed until the next call for the same group. NULL
 *  when there is no memory. */
/**@{*/
/** Parameters that are not frozen: those to differentiate by. */
GG_PUBLIC gg_var *const *gg_params_trained(gg_params *p);
/** All parameters and states: the model. */
GG_PUBLIC gg_var *const *gg_params_all(gg_params *p);
/** How many variables gg_params_all lists, and how many elements those of them
 *  have that are parameters. */
GG_PUBLIC size_t gg_params_count(const gg_params *p);
GG_PUBLIC size_t gg_params_elements(const gg_params *p);
/** Write a line for each of them, and the sums. GA_SYS_ERROR if that fails. */
GG_PUBLIC int gg_params_print(const gg_params *p, FILE *f);
/**@}*/

/** \name Files
 *  All parameters and states in a safetensors file (save.h), under their whole
 *  names, such as "hidden.weight". Errors are those of gg_safetensors_save and
 *  gg_safetensors_load. */
/**@{*/
GG_PUBLIC int gg_params_save(gg_params *p, const char *path);
GG_PUBLIC int gg_params_load(gg_params *p, const char *path);
/** Save one function alone, in a graph (gg_graph_save) with its inputs, its
 *  outputs and all that these are computed from, weights included: a model to
 *  compute with, without what training needs. The graphs of the variables stay
 *  as they are. GA_VALUE_ERROR for a spec without a name or outputs, and for
 *  one with updates or givens; else errors are those of gg_graph_add_func and
 *  gg_graph_save. */
GG_PUBLIC int gg_nn_save(const gg_func_spec *spec, const char *path);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
