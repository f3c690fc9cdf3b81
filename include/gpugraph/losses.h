/* SPDX-License-Identifier: BSD-2-Clause */
/** \file losses.h
 *  Losses, with the formulas of torch.nn.functional.
 *
 *  All are composed of other ops, so they fuse with the layers around them and
 *  have gradients. Operands of a loss must have the same rank, and sizes that
 *  are known must agree. Nothing broadcasts, since a loss of [n] and [n, 1] is
 *  hardly ever meant. Every function returns NULL on error and leaves
 *  the reason in the graph.
 */
#ifndef GPUGRAPH_LOSSES_H
#define GPUGRAPH_LOSSES_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What becomes of the losses of the elements. */
typedef enum gg_loss_reduction {
  GG_LOSS_MEAN = 0,  /**< their mean, a scalar */
  GG_LOSS_SUM,       /**< their sum, a scalar */
  GG_LOSS_EACH,      /**< nothing */
  GG_LOSS_BATCH_MEAN /**< their sum over the size of axis 0, a scalar */
} gg_loss_reduction;

/** How cross-entropy is computed; zeroed, as usual. */
typedef struct gg_cross_entropy {
  gg_loss_reduction reduction;
  /** Part of the labels that is spread evenly over all classes, 0 to 1. */
  double smoothing;
  /** A factor for each class, [classes], or NULL. The mean by index is divided
   *  by the sum of the factors of the labels. */
  gg_var *weights;
  /** Labels that equal `ignored` count neither in sums nor in means, if
   *  `ignores` is not 0. PyTorch's own is -100. Only by index. */
  int ignores;
  int64_t ignored;
} gg_cross_entropy;

/** Cross-entropy of the logits z [..., classes], along the last axis. Labels
 *  are integers [...], 0 to classes - 1, or probabilities of the shape of z.
 *  (PyTorch has the classes along axis 1.)
 *
 *  \param how NULL: the mean, and nothing special */
GG_PUBLIC gg_var *gg_loss_cross_entropy(gg_var *z, gg_var *labels,
                                        const gg_cross_entropy *how);
/** Cross-entropy of yes and no, from logits z and the probabilities y of yes,
 *  without overflow. `positive` is a factor for yes, which broadcasts, or
 *  NULL. */
GG_PUBLIC gg_var *gg_loss_binary(gg_var *z, gg_var *y, gg_var *positive,
                                 gg_loss_reduction reduction);
/** (x - y)^2. */
GG_PUBLIC gg_var *gg_loss_squared(gg_var *x, gg_var *y,
                                  gg_loss_reduction reduction);
/** d^2 / 2 for d = |x - y| up to delta, and delta (d - delta / 2) beyond;
 *  delta is above 0. */
GG_PUBLIC gg_var *gg_loss_huber(gg_var *x, gg_var *y, double delta,
                                gg_loss_reduction reduction);
/** max(0, 1 - x y) for labels y of -1 and 1. */
GG_PUBLIC gg_var *gg_loss_hinge(gg_var *x, gg_var *y,
                                gg_loss_reduction reduction);
/** q (log(q) - log_p), 0 where q is 0: with GG_LOSS_BATCH_MEAN the divergence
 *  of Kullback and Leibler of the probabilities q from those whose logarithms
 *  are log_p. */
GG_PUBLIC gg_var *gg_loss_kl(gg_var *log_p, gg_var *q,
                             gg_loss_reduction reduction);

/** How connectionist temporal classification is computed; zeroed, as usual. */
typedef struct gg_ctc {
  /** GG_LOSS_MEAN is PyTorch's: each loss over the number of its labels. */
  gg_loss_reduction reduction;
  int64_t blank;     /**< the class that stands for no label */
  gg_var *steps;     /**< how many steps of each image count, [images]; NULL:
                        all */
  gg_var *lengths;   /**< how many labels of each image count, [images]; NULL:
                        all */
  int zero_infinite; /**< losses of labels that do not fit in the steps are 0
                          instead of infinity */
} gg_ctc;

/** Connectionist temporal classification (Graves and others, 2006): minus the
 *  logarithm of the probability of the labels [images, n], which are integers
 *  other than the blank, from logarithms of probabilities [steps, images,
 *  classes]: the sum over all ways to spread them over the steps, with blanks
 *  between. A loop (scan.h) over the steps, without a wait. The gradient of an
 *  infinite loss is 0. torch.nn.functional.ctc_loss.
 *
 *  \param how NULL: the mean, blank 0, all steps and labels */
GG_PUBLIC gg_var *gg_loss_ctc(gg_var *log_p, gg_var *labels, const gg_ctc *how);

#ifdef __cplusplus
}
#endif

#endif
