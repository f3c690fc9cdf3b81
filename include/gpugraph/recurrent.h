/* SPDX-License-Identifier: BSD-2-Clause */
/** \file recurrent.h
 *  Recurrent layers: loops (scan.h) over the rows of a sequence.
 *
 *  What layers.h says also holds for these. Names, orders of gates and
 *  first values are PyTorch's: "weight_ih_l0" [gates units, inputs],
 *  "weight_hh_l0" [gates units, units], "bias_ih_l0" and "bias_hh_l0" [gates
 *  units], all uniform within 1 / sqrt(units). Further layers have _l1, _l2,
 *  ...; names of backward layers end in "_reverse". Cells have names
 *  without _l0. Products with x are computed for all steps at once.
 */
#ifndef GPUGRAPH_RECURRENT_H
#define GPUGRAPH_RECURRENT_H

#include <gpugraph/params.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GG_NN_MOST_LAYERS 64

/** A stack of recurrent layers; zeroed but for `units`, as usual. */
typedef struct gg_recurrent {
  size_t units;
  /** Each reads the results of the one before; 0: 1, at most
   *  GG_NN_MOST_LAYERS. */
  size_t layers;
  int flags;      /**< 0, GG_NN_NO_BIAS, GG_NN_BOTH_WAYS, or both */
  double dropout; /**< of the results of all layers but the last, in training */
  /** First states [layers ways, images, units], or NULL: zeros. Only LSTM has
   *  c. */
  gg_var *h, *c;
} gg_recurrent;

/** Long short-term memory over x [steps, images, inputs]; gates i, f, g, o:
 *
 *      c' = sigmoid(f) c + sigmoid(i) tanh(g)
 *      h' = sigmoid(o) tanh(c')
 *
 *  Returns h of all steps, [steps, images, units]. With GG_NN_BOTH_WAYS each
 *  layer also reads from the last step to the first, and the result is [steps,
 *  images, 2 units]: ways are 2 instead of 1. *h and *c, unless `h` or `c` is
 *  NULL, are the last states, [layers ways, images, units], each layer's own
 *  way first. torch.nn.LSTM. */
GG_PUBLIC gg_var *gg_nn_lstm(gg_params *p, const char *name, gg_var *x,
                             const gg_recurrent *how, gg_var **h, gg_var **c);
/** Gated recurrent units, as above; gates r, z, n:
 *
 *      n  = tanh(x_n + sigmoid(r) h_n)     parts of the products with x and h
 *      h' = (1 - sigmoid(z)) n + sigmoid(z) h
 *
 *  torch.nn.GRU. */
GG_PUBLIC gg_var *gg_nn_gru(gg_params *p, const char *name, gg_var *x,
                            const gg_recurrent *how, gg_var **h);
/** One step: x [images, inputs], h and c [images, units], whose last sizes
 *  are known. Returns the next h; *next_c becomes the next c. For loops of a
 *  program's own. torch.nn.LSTMCell and GRUCell.
 *
 *  \param flags 0 or GG_NN_NO_BIAS */
GG_PUBLIC gg_var *gg_nn_lstm_cell(gg_params *p, const char *name, gg_var *x,
                                  gg_var *h, gg_var *c, int flags,
                                  gg_var **next_c);
GG_PUBLIC gg_var *gg_nn_gru_cell(gg_params *p, const char *name, gg_var *x,
                                 gg_var *h, int flags);

#ifdef __cplusplus
}
#endif

#endif
