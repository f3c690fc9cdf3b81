/* SPDX-License-Identifier: BSD-2-Clause */
/** \file train.h
 *  One loop for training: epochs of batches, a line of progress, early
 *  stopping, files for the best model and to go on from.
 *
 *      gg_training t = {.step = train, .batches = b, .params = p, .epochs = 20,
 *                       .progress = stdout, .best_path = "best.safetensors"};
 *      gg_trained done;
 *      gg_train(&t, &done);
 *
 *  The loop is a page of calls of public functions (src/nn/train/train.c); a
 *  program that needs another one writes it.
 */
#ifndef GPUGRAPH_TRAIN_H
#define GPUGRAPH_TRAIN_H

#include <gpugraph/batches.h>
#include <gpugraph/optimise.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What to train. Members that are 0 or NULL are not wanted. */
typedef struct gg_training {
  gg_func *step; /**< its inputs are the arrays of a batch; output 0 is the
                            loss, a float scalar; its updates train */
  gg_batches *batches; /**< which this moves to where training begins */
  gg_params *params;   /**< for files and where to go on */
  size_t epochs;       /**< in all, also before an interruption */
  /** Called after each epoch, with `arg`; sets *value to what is to become
   *  small. NULL: the mean loss of the epoch counts instead. A code ends the
   *  training, which returns it. */
  int (*validate)(void *arg, double *value);
  void *arg;
  size_t patience; /**< end after so many epochs without a smaller value; 0:
                        never */
  /** Gets the model (gg_params_save) of the epoch with the smallest value. */
  const char *best_path;
  /** Gets all that training needs (gg_params_save_training) after each epoch
   *  and when it is interrupted. If the file is there at the start, training
   *  goes on from it, with the same bits as without the interruption. */
  const char *state_path;
  /** Gets a line for each epoch. A terminal also shows a line that moves: how
   *  far the epoch is, the loss, rows in a second, time that is left; as much
   *  of it as the terminal's width has room for. It is there before the first
   *  step, which compiles kernels. */
  FILE *progress;
  /** Ctrl-C (SIGINT) ends training after the step at hand, and is not an error;
   *  a second one ends the program. What the signal did before is restored
   *  then. One such training at a time in a process. */
  int interruptible;
  /** \name A report that grows
   *  In this folder, which is made: curves.csv, with a line for each epoch,
   *  curves.json with the same, and report.html, a page of curves that browsers
   *  read again while training goes on. Loss, value of `validate`, metrics,
   *  seconds, rows in a second, the share of time spent waiting for batches (in
   *  %), memory of the device in use (in MB), and the slowest kernels in 32
   *  calls of the step, whose timeline is timeline.json (gpuarray/timeline.h).
   *  If training goes on from `state_path`, so does the table. */
  /**@{*/
  const char *report;
  size_t
      metrics; /**< outputs of the step behind the loss, real scalars, of which
                       each epoch's mean is recorded by their names; one named
                       "rate" has a chart of its own */
  const double *confusion; /**< [classes, classes], read after each epoch: see
                                gg_confusion; `validate` may write it */
  size_t classes;
  const char *const *class_names; /**< NULL: numbers */
  /**@}*/
} gg_training;

/** How it ended. */
typedef struct gg_trained {
  size_t epochs;   /**< done, in all */
  size_t steps;    /**< of this call */
  double loss;     /**< the mean over the batches of the last whole epoch */
  double best;     /**< the smallest value so far; INFINITY if none */
  double seconds;  /**< of this call */
  double waited;   /**< of these, for batches */
  int interrupted; /**< by Ctrl-C */
  int stopped;     /**< by patience */
} gg_trained;

/** Train. `out` may be NULL. Errors: GA_INVALID_ERROR without a step, batches
 *  or parameters, GA_VALUE_ERROR if the step has another number of inputs than
 *  batches have arrays, too few outputs, or a loss that is no float scalar, or
 *  if the file of `state_path` is of another training; and those of the
 *  functions that it calls. The message is the thread's
 *  (gpuarray_error_text). */
GG_PUBLIC int gg_train(const gg_training *t, gg_trained *out);

#ifdef __cplusplus
}
#endif

#endif
