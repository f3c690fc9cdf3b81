/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenarios of running sums, of sorting and of selection. */
#include <gpuarray/bincount.h>
#include <gpuarray/create.h>
#include <gpuarray/cumulate.h>
#include <gpuarray/items.h>
#include <gpuarray/search.h>
#include <gpuarray/select.h>
#include <gpuarray/sort.h>
#include <gpuarray/topk.h>

#include "base/err.h"
#include "torture/scenario.h"

enum { LONG_ROW = 70000 };

/* y = y c + x, which has two values. */
static int prepare_recurrence(work *w) {
  static const gpuelemwise_arg values[2] = {{"f", GA_FLOAT, GE_READ},
                                            {"y", GA_FLOAT, GE_READ}};
  static const gpuelemwise_arg args[3] = {{"x", GA_FLOAT, GE_READ},
                                          {"z", GA_FLOAT, GE_WRITE},
                                          {"c", GA_FLOAT, GE_SCALAR}};
  const GpuCumulationSpec spec = {.n_values = 2,
                                  .values = values,
                                  .map = "f = c; y = x",
                                  .combine =
                                      "f = f_a * f_b; y = y_a * f_b + y_b",
                                  .neutral = "f = 1; y = 0",
                                  .post = "z = y",
                                  .n_args = 3,
                                  .args = args};
  GpuCumulation *c = NULL;
  float half = 0.5f;
  int err;

  GA_CHECK(GpuCumulation_new(&c, w->ctx, &spec));
  GA_CHECK(GpuCumulation_prepare(&w->launch, c, 2, w->out[0].dimensions, 1, 0,
                                 (void *[]){&w->in[0], &w->out[0], &half}));

done:
  GpuCumulation_free(c);
  return err;
}

/* A prepared one, and a call for a row in parts, of which the end is kept. */
int run_cumulate(work *w) {
  static const size_t square[2] = {8, 8};
  GpuArray sums = {0}, end = {0};
  int err;

  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  if (w->in[1].data == NULL)
    GA_TRY(GpuArray_arange(&w->in[1], w->ctx, GA_INT, 0, LONG_ROW, 1));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  GA_TRY(work_result(w, 1, GA_LONG, 1, square));
  if (w->launch == NULL)
    GA_TRY(prepare_recurrence(w));
  w->is_old = 1;
  GA_CHECK(GpuArray_cumulate(&sums, &w->in[1], GA_CUMULATE_SUM, 0, 0, -1));
  GA_CHECK(GpuArray_index(&end, &sums, (ssize_t[]){LONG_ROW - 8},
                          (ssize_t[]){LONG_ROW}, (ssize_t[]){1}));
  work_replace(w, 1, &end);
  GA_CHECK(GpuLaunch_run(w->launch));
  err = work_read(w);

done:
  GpuArray_clear(&sums);
  GpuArray_clear(&end);
  return err;
}

/* Short rows, prepared, and a long one, with its positions. */
int run_sort(work *w) {
  static const size_t square[2] = {8, 8}, n = 50;
  GpuArray values = {0}, places = {0};
  int err;

  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  if (w->in[1].data == NULL)
    GA_TRY(GpuArray_arange(&w->in[1], w->ctx, GA_BYTE, (double)n, 0, -1));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  GA_TRY(work_result(w, 1, GA_BYTE, 1, &n));
  if (w->launch == NULL)
    GA_TRY(GpuArray_sort_prepare(&w->launch, &w->out[0], NULL, &w->in[0], 1,
                                 GA_SORT_DESCENDING));
  w->is_old = 1;
  GA_CHECK(GpuArray_sort(&values, &places, &w->in[1], 0, 0));
  work_replace(w, 1, &values);
  GA_CHECK(GpuLaunch_run(w->launch));
  err = work_read(w);

done:
  GpuArray_clear(&values);
  GpuArray_clear(&places);
  return err;
}

/* A long row, prepared, in a workspace of the program. */
int run_workspace(work *w) {
  static const size_t n = 50;
  size_t bytes;

  GA_TRY(work_open(w));
  if (w->in[0].data == NULL)
    GA_TRY(GpuArray_arange(&w->in[0], w->ctx, GA_BYTE, (double)n, 0, -1));
  if (w->in[2].data == NULL) /* positions */
    GA_TRY(GpuArray_empty(&w->in[2], w->ctx, GA_LONG, 1, &n, GA_C_ORDER));
  GA_TRY(work_result(w, 0, GA_BYTE, 1, &n));
  if (w->launch == NULL)
    GA_TRY(GpuArray_sort_prepare(&w->launch, &w->out[0], &w->in[2], &w->in[0],
                                 0, 0));
  GA_TRY(GpuLaunch_workspace_bytes(w->launch, &bytes));
  if (w->in[1].data == NULL)
    GA_TRY(GpuArray_empty(&w->in[1], w->ctx, GA_BYTE, 1, &bytes, GA_C_ORDER));
  GA_TRY(GpuLaunch_bind_workspace(w->launch, w->in[1].data, 0));
  w->is_old = 1;
  GA_TRY(GpuLaunch_run(w->launch));
  return work_read(w);
}

/* The largest of a long row and their positions, prepared, and a median. */
int run_topk(work *w) {
  static const size_t square[2] = {8, 8}, three = 3, n = 100;
  GpuArray median = {0};
  int err;

  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  if (w->in[1].data == NULL)
    GA_TRY(GpuArray_arange(&w->in[1], w->ctx, GA_BYTE, 0, (double)n, 1));
  GA_TRY(work_result(w, 0, GA_BYTE, 1, &three));
  GA_TRY(work_result(w, 1, GA_FLOAT, 2, (size_t[]){8, 1}));
  if (w->launch == NULL)
    GA_TRY(
        GpuArray_topk_prepare(&w->launch, &w->out[0], NULL, &w->in[1], 0, 0));
  w->is_old = 1;
  GA_CHECK(GpuArray_kth(&median, NULL, &w->in[0], 4, 1));
  work_replace(w, 1, &median);
  GA_CHECK(GpuLaunch_run(w->launch));
  err = work_read(w);

done:
  GpuArray_clear(&median);
  return err;
}

/* Elements under a mask, prepared, and positions by a call. */
int run_select(work *w) {
  static const size_t rows = 20;
  GpuArray at = {0};
  int err;

  GA_TRY(work_open(w));
  if (w->in[0].data == NULL)
    GA_TRY(GpuArray_arange(&w->in[0], w->ctx, GA_BYTE, 0, 16, 1));
  GA_TRY(work_result(w, 0, GA_BYTE, 1, &rows));
  GA_TRY(work_result(w, 1, GA_LONG, 2, (size_t[]){15, 1}));
  if (w->launch == NULL)
    GA_TRY(GpuArray_compress_prepare(&w->launch, &w->out[0], NULL, &w->in[0],
                                     &w->in[0], NULL));
  w->is_old = 1;
  GA_CHECK(GpuArray_nonzero(&at, &w->in[0]));
  GA_CHECK(GpuLaunch_run(w->launch));
  work_replace(w, 1, &at);
  err = work_read(w);

done:
  GpuArray_clear(&at);
  return err;
}

/* Distinct elements with all that is known of them, and runs. */
int run_unique(work *w) {
  static const int32_t x[10] = {3, 3, 1, 1, 1, 7, 3, 0, 0, 7};
  static const size_t n = 10, distinct = 4, runs = 6;
  GpuArray of[3] = {0}, values = {0}, lengths = {0};
  int err;

  GA_TRY(work_open(w));
  GA_TRY(work_data(w, 0, GA_INT, 1, &n, x));
  GA_TRY(work_result(w, 0, GA_INT, 1, &distinct));
  GA_TRY(work_result(w, 1, GA_LONG, 1, &runs));
  w->is_old = 1;
  GA_CHECK(GpuArray_unique(&values, &of[0], &of[1], &of[2], &w->in[0]));
  work_replace(w, 0, &values);
  GA_CHECK(GpuArray_run_lengths(&values, NULL, &lengths, &w->in[0]));
  work_replace(w, 1, &lengths);
  err = work_read(w);

done:
  for (int i = 0; i < 3; i++)
    GpuArray_clear(&of[i]);
  GpuArray_clear(&values);
  GpuArray_clear(&lengths);
  return err;
}

/* A set, keys with values, a quantile. */
int run_sets(work *w) {
  static const int32_t x[6] = {3, 1, 4, 1, 5, 9}, y[3] = {5, 3, 2};
  static const size_t n = 6, m = 3;
  GpuArray set = {0}, own[2] = {0}, *const moved = &own[0];
  int err;

  GA_TRY(work_open(w));
  GA_TRY(work_data(w, 0, GA_INT, 1, &n, x));
  GA_TRY(work_data(w, 1, GA_INT, 1, &m, y));
  GA_TRY(work_result(w, 0, GA_INT, 1, &m));
  GA_TRY(work_result(w, 1, GA_INT, 1, &n));
  const GpuArray *const values = &w->in[0];
  w->is_old = 1;
  GA_CHECK(GpuArray_difference(&set, &w->in[0], &w->in[1]));
  GA_CHECK(GpuArray_sort_by(NULL, 1, &moved, &w->in[0], &values, 0, 0));
  GA_CHECK(GpuArray_quantile(&own[1], &w->in[0], 0.3, 0, GA_QUANTILE_LINEAR));
  work_replace(w, 0, &set);
  work_replace(w, 1, &own[0]);
  err = work_read(w);

done:
  GpuArray_clear(&set);
  for (int i = 0; i < 2; i++)
    GpuArray_clear(&own[i]);
  return err;
}

/* x[i, :, i] is taken, and added to a copy of x, whose strides need another. */
int run_items(work *w) {
  static const int32_t x[12] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
  static const int64_t at[2] = {1, -2};
  static const size_t sizes[3] = {2, 3, 2}, two = 2;
  GpuArray taken = {0}, changed = {0};
  int err;

  GA_TRY(work_open(w));
  GA_TRY(work_data(w, 0, GA_INT, 3, sizes, x));
  GA_TRY(work_data(w, 1, GA_LONG, 1, &two, at));
  GA_TRY(work_result(w, 0, GA_INT, 2, (size_t[]){2, 3}));
  GA_TRY(work_result(w, 1, GA_INT, 3, sizes));
  const ga_item items[3] = {ga_item_of(&w->in[1]), ga_item_all(),
                            ga_item_of(&w->in[1])};
  w->is_old = 1;
  GA_CHECK(GpuArray_index_take(&taken, &w->in[0], 3, items, 1));
  GA_CHECK(GpuArray_copy(&changed, &w->in[0], GA_C_ORDER));
  GA_CHECK(GpuArray_index_put(&changed, 3, items, &taken, GA_PUT_ADD, 0));
  work_replace(w, 0, &taken);
  work_replace(w, 1, &changed);
  err = work_read(w);

done:
  GpuArray_clear(&taken);
  GpuArray_clear(&changed);
  return err;
}

/* Elements among edges, prepared, and by a call. */
int run_search(work *w) {
  static const size_t square[2] = {4, 8};
  GpuArray places = {0};
  int err;

  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  if (w->in[1].data == NULL)
    GA_TRY(GpuArray_arange(&w->in[1], w->ctx, GA_FLOAT, 0, 20, 1));
  GA_TRY(work_result(w, 0, GA_LONG, 2, square));
  GA_TRY(work_result(w, 1, GA_LONG, 2, square));
  if (w->launch == NULL)
    GA_TRY(GpuArray_searchsorted_prepare(&w->launch, &w->out[0], &w->in[1],
                                         &w->in[0], 0));
  w->is_old = 1;
  GA_CHECK(
      GpuArray_searchsorted(&places, &w->in[1], &w->in[0], GA_SEARCH_RIGHT));
  work_replace(w, 1, &places);
  GA_CHECK(GpuLaunch_run(w->launch));
  err = work_read(w);

done:
  GpuArray_clear(&places);
  return err;
}

/* Elements between edges, prepared, and integers by a call. */
int run_histogram(work *w) {
  static const size_t square[2] = {8, 8}, nine = 9, five = 5;
  GpuArray counts = {0};
  int err;

  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  if (w->in[1].data == NULL)
    GA_TRY(GpuArray_arange(&w->in[1], w->ctx, GA_FLOAT, 0, 10, 1));
  if (w->in[2].data == NULL)
    GA_TRY(GpuArray_arange(&w->in[2], w->ctx, GA_INT, 0, 30, 1));
  GA_TRY(work_result(w, 0, GA_LONG, 1, &nine));
  GA_TRY(work_result(w, 1, GA_LONG, 1, &five));
  if (w->launch == NULL)
    GA_TRY(GpuArray_histogram_prepare(&w->launch, &w->out[0], &w->in[0],
                                      &w->in[1], NULL));
  w->is_old = 1;
  GA_CHECK(GpuArray_bincount(&counts, &w->in[2], NULL, five));
  work_replace(w, 1, &counts);
  GA_CHECK(GpuLaunch_run(w->launch));
  err = work_read(w);

done:
  GpuArray_clear(&counts);
  return err;
}
