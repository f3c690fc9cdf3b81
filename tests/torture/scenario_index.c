/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenarios of elements by number and by condition. */
#include <gpuarray/error.h>
#include <gpuarray/index.h>

#include "base/err.h"
#include "torture/scenario.h"

static const size_t square[2] = {8, 8}, four[1] = {4};
static const int64_t numbers[4] = {6, -1, 0, 6};

/* The matrix, the numbers of four of its rows, and where results go. */
static int open_all(work *w) {
  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_data(w, 1, GA_LONG, 1, four, numbers));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  return work_result(w, 1, GA_FLOAT, 2, square);
}

/* With a look at the indices first, and without. */
int run_take(work *w) {
  static const int columns[2][8] = {{0, 1, 2, 3, 4, 5, 6, 7},
                                    {7, 6, -1, 4, 3, 2, 1, 0}};
  GpuArray taken = {0}, gathered = {0};
  int err;

  GA_TRY(open_all(w));
  GA_TRY(work_data(w, 2, GA_INT, 2, (size_t[]){2, 8}, columns));
  w->is_old = 1;
  GA_CHECK(GpuArray_take(&taken, &w->in[0], &w->in[1], 0, 1));
  GA_CHECK(GpuArray_gather(&gathered, &w->in[0], &w->in[2], 0, 0));
  work_replace(w, 0, &taken);
  work_replace(w, 1, &gathered);
  err = work_read(w);

done:
  GpuArray_clear(&taken);
  GpuArray_clear(&gathered);
  return err;
}

/* Rows set, the last of two values staying, and rows added in any order. */
int run_put(work *w) {
  GA_TRY(open_all(w));
  GA_TRY(work_input(w, 2, 2, (size_t[]){4, 8}));
  w->is_old = 1;
  GA_TRY(GpuArray_put(&w->out[0], &w->in[1], &w->in[2], 0, GA_PUT_SET, 1));
  GA_TRY(GpuArray_put(&w->out[1], &w->in[1], &w->in[2], 0, GA_PUT_ADD_ANY, 0));
  return work_read(w);
}

/* In an expression, and the largest of several values in order. */
int run_taken(work *w) {
  static const int64_t rows[8] = {3, -1, 0, 7, 7, -8, 2, 1};
  gpuelemwise_arg args[] = {{"z", GA_FLOAT, GE_WRITE},
                            {"x", GA_FLOAT, GE_TAKE(0)},
                            {"i", GA_LONG, GE_READ}};

  GA_TRY(open_all(w));
  GA_TRY(work_data(w, 2, GA_LONG, 2, (size_t[]){8, 1}, rows));
  GA_TRY(work_input(w, 3, 2, (size_t[]){4, 8}));
  if (w->ge == NULL)
    w->ge = GpuElemwise_new(w->ctx, NULL, "z = x(i) * 2", 3, args, 2, 0);
  if (w->ge == NULL)
    return gpuarray_error_code();
  w->is_old = 1;
  GA_TRY(GpuElemwise_call(w->ge, (void *[]){&w->out[0], &w->in[0], &w->in[2]},
                          GE_BROADCAST));
  GA_TRY(GpuArray_put(&w->out[1], &w->in[1], &w->in[3], 0, GA_PUT_MAX, 0));
  return work_read(w);
}

int run_where(work *w) {
  GpuArray chosen = {0};
  int err;

  GA_TRY(open_all(w));
  GA_TRY(work_input(w, 2, 2, (size_t[]){1, 8}));
  if (w->launch == NULL)
    GA_TRY(GpuArray_where_prepare(&w->launch, &w->out[1], &w->in[2], &w->in[0],
                                  &w->in[2]));
  w->is_old = 1;
  GA_CHECK(GpuArray_where(&chosen, &w->in[0], &w->in[0], &w->in[2]));
  work_replace(w, 0, &chosen);
  GA_CHECK(GpuLaunch_run(w->launch));
  err = work_read(w);

done:
  GpuArray_clear(&chosen);
  return err;
}
