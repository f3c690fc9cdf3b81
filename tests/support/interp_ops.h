/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the interpreter's loop and its ops. */
#ifndef SUPPORT_INTERP_OPS_H
#define SUPPORT_INTERP_OPS_H

#include "support/interp.h"

/* Compute *out, whose memory tensor_make allocates, from the inputs. */
typedef void (*interp_fn)(const gg_apply *a, const tensor *const *in,
                          tensor *out);

/* The function for an output of an op that is not elementwise, or NULL. */
interp_fn interp_find(const char *name, unsigned int output);

/* interp_rows.c */
void interp_softmax(const gg_apply *a, const tensor *const *in, tensor *out);
void interp_log_softmax(const gg_apply *a, const tensor *const *in,
                        tensor *out);
void interp_softmax_grad(const gg_apply *a, const tensor *const *in,
                         tensor *out);
void interp_crossentropy(const gg_apply *a, const tensor *const *in,
                         tensor *out);
void interp_crossentropy_grad(const gg_apply *a, const tensor *const *in,
                              tensor *out);
void interp_softmax_xent(const gg_apply *a, const tensor *const *in,
                         tensor *out);
void interp_softmax_xent_grad(const gg_apply *a, const tensor *const *in,
                              tensor *out);

/* interp_products.c */
void interp_dot(const gg_apply *a, const tensor *const *in, tensor *out);
void interp_gemm(const gg_apply *a, const tensor *const *in, tensor *out);
void interp_ger(const gg_apply *a, const tensor *const *in, tensor *out);
void interp_batched_dot(const gg_apply *a, const tensor *const *in,
                        tensor *out);
void interp_batched_gemm(const gg_apply *a, const tensor *const *in,
                         tensor *out);

/* interp_order.c */
void interp_cumulate(const gg_apply *a, const tensor *const *in, tensor *out);
void interp_sort(const gg_apply *a, const tensor *const *in, tensor *out);
void interp_run_value(const gg_apply *a, const tensor *const *in, tensor *out);
void interp_combined(const gg_apply *a, const tensor *const *in, tensor *out);
void interp_combined_1(const gg_apply *a, const tensor *const *in, tensor *out);
void interp_argsort(const gg_apply *a, const tensor *const *in, tensor *out);
void interp_partition(const gg_apply *a, const tensor *const *in, tensor *out);
void interp_argpartition(const gg_apply *a, const tensor *const *in,
                         tensor *out);
void interp_select(const gg_apply *a, const tensor *const *in, tensor *out);
void interp_bins(const gg_apply *a, const tensor *const *in, tensor *out);
void interp_search(const gg_apply *a, const tensor *const *in, tensor *out);
void interp_select_at(const gg_apply *a, const tensor *const *in, tensor *out);
void interp_positions(const gg_apply *a, const tensor *const *in, tensor *out);
void interp_compress(const gg_apply *a, const tensor *const *in, tensor *out);

/* Sizes, and room for the elements, all 0. */
void tensor_make(tensor *t, unsigned int nd, const size_t *dims);
/* Coordinates of element i, and back; sizes of 1 repeat. */
void tensor_coord(const tensor *t, size_t i, size_t *coord);
size_t tensor_at(const tensor *t, const size_t *coord);

#endif
