/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop of training. Calls do not wait for the device: losses stay there
 * until the epoch ends, or a terminal wants one. */
#include <gpugraph/train.h>

#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "nn/train/progress.h"
#include "nn/train/train_record.h"
#include "nn/updates.h"

/* Where training is, as 64-bit integers in a file: the numbers' bits. */
enum { AT_EPOCH, AT_INDEX, AT_STALE, AT_BEST, AT_SUM, AT_LOSS, AT_END };

typedef struct place {
  size_t epoch, index; /* the batch that is next */
  size_t stale;        /* epochs since the best one */
  double best;
  double sum;  /* of the losses of this epoch so far */
  double loss; /* of the last epoch */
} place;

typedef struct loop {
  const gg_training *t;
  gg_var *state; /* AT_END integers, or NULL */
  place now;
  size_t count, seen; /* batches of an epoch; losses in `sum` */
  gg__scalars losses;
  GpuArray **out; /* of the step: the loss, and what is recorded */
  size_t steps;
  gg__progress show;
  gg__record record;
  int is_interrupted;
} loop;

/* --- Ctrl-C --- */

static volatile sig_atomic_t was_interrupted;

static void interrupt(int signal_number) {
  (void)signal_number;
  was_interrupted = 1;
}

static void catch_interrupt(struct sigaction *before) {
  struct sigaction now;

  memset(&now, 0, sizeof now);
  now.sa_handler = interrupt;
  now.sa_flags = (int)(SA_RESETHAND | SA_RESTART);
  sigemptyset(&now.sa_mask);
  was_interrupted = 0;
  sigaction(SIGINT, &now, before);
}

/* --- where to go on --- */

static int64_t to_bits(double v) {
  int64_t bits;

  memcpy(&bits, &v, sizeof bits);
  return bits;
}

static double from_bits(int64_t bits) {
  double v;

  memcpy(&v, &bits, sizeof v);
  return v;
}

static int save_state(loop *l) {
  const place *p = &l->now;
  const int64_t at[AT_END] = {
      [AT_EPOCH] = (int64_t)p->epoch, [AT_INDEX] = (int64_t)p->index,
      [AT_STALE] = (int64_t)p->stale, [AT_BEST] = to_bits(p->best),
      [AT_SUM] = to_bits(p->sum),     [AT_LOSS] = to_bits(p->loss)};

  if (l->state == NULL)
    return GA_NO_ERROR;
  GA_TRY(gg_shared_write(l->state, at, sizeof at));
  return gg_params_save_training(l->t->params, l->t->state_path);
}

static int load_state(loop *l) {
  const size_t n = AT_END;
  int64_t at[AT_END];

  if (l->t->state_path == NULL)
    return GA_NO_ERROR;
  l->state = gg__params_make(l->t->params->root, GG_SLOTS "training",
                             GG_ROLE_SLOT, GA_LONG, 1, &n, gg_init_constant(0));
  if (l->state == NULL)
    return gg_graph_status(l->t->params->root->g);
  if (access(l->t->state_path, F_OK) != 0)
    return GA_NO_ERROR;
  GA_TRY(gg_params_load_training(l->t->params, l->t->state_path));
  GA_TRY(gg_shared_read(l->state, at, sizeof at));
  if (at[AT_EPOCH] < 0 || at[AT_INDEX] < 0 || at[AT_STALE] < 0 ||
      (size_t)at[AT_INDEX] >= l->count)
    return ga__fail(GA_VALUE_ERROR, "%s is at batch %lld of %zu in epoch %lld",
                    l->t->state_path, (long long)at[AT_INDEX], l->count,
                    (long long)at[AT_EPOCH]);
  l->now = (place){.epoch = (size_t)at[AT_EPOCH],
                   .index = (size_t)at[AT_INDEX],
                   .stale = (size_t)at[AT_STALE],
                   .best = from_bits(at[AT_BEST]),
                   .sum = from_bits(at[AT_SUM]),
                   .loss = from_bits(at[AT_LOSS])};
  return GA_NO_ERROR;
}

/* --- losses --- */

/* Add the losses up to, not including, batch `end`, in order. */
static int sum_losses(loop *l, size_t end) {
  for (; l->seen < end; l->seen++) {
    double v;
    GA_TRY(gg__scalars_read(&l->losses, l->seen, &v));
    l->now.sum += v;
  }
  return GA_NO_ERROR;
}

/* --- steps and epochs --- */

static int step(loop *l) {
  GpuArray *const *batch;
  const size_t index = l->now.index;
  double v = 0;

  if (l->steps == 0)
    gg__progress_first(&l->show, l->now.epoch, index);
  GA_TRY(gg_batches_next(l->t->batches, &batch));
  l->out[0] = &l->losses.each[index];
  gg__record_outputs(&l->record, l->out, index);
  GA_TRY(gg_func_call(l->t->step, batch, l->out));
  GA_TRY(gg__scalars_spread(&l->losses, index, 1));
  GA_TRY(gg__record_step(&l->record, index));
  l->steps++;
  l->now.index++;
  if (gg__progress_is_due(&l->show)) {
    GA_TRY(gg__scalars_read(&l->losses, index, &v));
    gg__progress_move(&l->show, l->now.epoch, l->now.index, v);
  }
  return GA_NO_ERROR;
}

/* A whole epoch has a value: the best model is kept. */
static int rate_epoch(loop *l, double *value) {
  const gg_training *t = l->t;

  *value = l->now.loss;
  if (t->validate != NULL)
    GA_TRY(t->validate(t->arg, value));
  if (!(*value < l->now.best)) {
    l->now.stale++;
    return GA_NO_ERROR;
  }
  l->now.best = *value;
  l->now.stale = 0;
  return t->best_path != NULL ? gg_params_save(t->params, t->best_path)
                              : GA_NO_ERROR;
}

static int end_epoch(loop *l) {
  double value;

  GA_TRY(sum_losses(l, l->count));
  l->now.loss = l->now.sum / (double)l->count;
  GA_TRY(rate_epoch(l, &value));
  gg__progress_line(&l->show, l->now.epoch, l->now.loss,
                    l->t->validate != NULL ? &value : NULL);
  GA_TRY(gg__record_line(&l->record, l->now.epoch, l->now.loss,
                         l->t->validate != NULL ? &value : NULL));
  l->now.epoch++;
  l->now.index = l->seen = 0;
  l->now.sum = 0;
  return save_state(l);
}

static int is_stopped(const loop *l) {
  return l->t->patience > 0 && l->now.stale >= l->t->patience;
}

static int run(loop *l) {
  GA_TRY(gg_batches_seek(l->t->batches, l->now.epoch, l->now.index));
  l->seen = l->now.index;
  while (l->now.epoch < l->t->epochs && !is_stopped(l)) {
    gg__progress_epoch(&l->show, l->now.index);
    gg__record_epoch(&l->record, l->now.index);
    while (l->now.index < l->count) {
      GA_TRY(step(l));
      if (l->t->interruptible && was_interrupted && l->now.index < l->count) {
        l->is_interrupted = 1;
        GA_TRY(sum_losses(l, l->now.index));
        return save_state(l);
      }
    }
    GA_TRY(end_epoch(l));
    if (l->t->interruptible && was_interrupted) {
      l->is_interrupted = 1;
      break;
    }
  }
  return GA_NO_ERROR;
}

/* --- the whole --- */

static int check(const gg_training *t) {
  if (t == NULL || t->step == NULL || t->batches == NULL || t->params == NULL)
    return ga__fail(GA_INVALID_ERROR, "training needs a step, batches and "
                                      "parameters");
  if (gg_func_n_inputs(t->step) != gg_batches_arrays(t->batches) ||
      gg_func_n_outputs(t->step) == 0)
    return ga__fail(GA_VALUE_ERROR,
                    "the step has %zu inputs and %zu outputs, and batches have "
                    "%u arrays",
                    gg_func_n_inputs(t->step), gg_func_n_outputs(t->step),
                    gg_batches_arrays(t->batches));
  if (t->metrics > 0 &&
      (t->report == NULL || t->metrics >= gg_func_n_outputs(t->step)))
    return ga__fail(
        GA_VALUE_ERROR,
        "%zu metrics of %zu outputs of the step, of which the first "
        "is the loss, %s a report",
        t->metrics, gg_func_n_outputs(t->step),
        t->report != NULL ? "with" : "without");
  if (t->classes > 0 && t->confusion == NULL)
    return ga__fail(GA_INVALID_ERROR,
                    "%zu classes, and the confusion matrix "
                    "is NULL",
                    t->classes);
  return GA_NO_ERROR;
}

static void tell(const loop *l, gg_trained *out, uint64_t begin,
                 double waited) {
  *out = (gg_trained){.epochs = l->now.epoch,
                      .steps = l->steps,
                      .loss = l->now.loss,
                      .best = l->now.best,
                      .seconds = 1e-9 * (double)(ga__now_ns() - begin),
                      .waited = gg_batches_waited(l->t->batches) - waited,
                      .interrupted = l->is_interrupted,
                      .stopped = l->now.epoch < l->t->epochs && is_stopped(l)};
}

int gg_train(const gg_training *t, gg_trained *out) {
  struct sigaction before;
  const uint64_t begin = ga__now_ns();

  if (out != NULL)
    memset(out, 0, sizeof *out);
  GA_TRY(check(t));
  loop l = {
      .t = t, .count = gg_batches_count(t->batches), .now = {.best = INFINITY}};
  const double waited = gg_batches_waited(t->batches);
  l.out = ga__calloc(gg_func_n_outputs(t->step), sizeof *l.out);
  int err = l.out != NULL ? gg__scalars_init(&l.losses, l.count, 0)
                          : ga__fail_nomem();
  if (err == GA_NO_ERROR)
    err = load_state(&l);
  if (err == GA_NO_ERROR)
    err = gg__record_start(&l.record, t, l.count, l.now.epoch);
  gg__progress_start(&l.show, t, l.count);
  if (t->interruptible)
    catch_interrupt(&before);
  if (err == GA_NO_ERROR)
    err = run(&l);
  if (t->interruptible)
    sigaction(SIGINT, &before, NULL);
  gg__progress_end(&l.show);
  err = gg__record_end(&l.record, err);
  if (out != NULL)
    tell(&l, out, begin, waited);
  gg__scalars_clear(&l.losses);
  ga__free(l.out);
  return err;
}
