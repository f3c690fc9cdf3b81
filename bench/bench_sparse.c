/* SPDX-License-Identifier: BSD-2-Clause */
/* Sparse matrices of n entries (first argument, 2^23 if there is none), float32
 * and int32, times a vector and times 16 columns: bytes a second, beside a copy
 * that moves as many. One matrix has 9 entries a row around its diagonal; the
 * rows of the other one have lengths by a power law, and columns at random.
 *
 * The bytes of all operands, each once, are what a product costs if the dense
 * operand stays in a cache. Else an entry reads a line of 64 bytes for the few
 * that it needs. So "with lines" counts, for the dense operand, the lines that
 * a cache of 1 MiB (the second one of a core) cannot have kept. */
#include "bench.h"

#include <gpuarray/device.h>
#include <gpuarray/sparse.h>

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "launched.h"

enum { REPS = 15, BAND = 9, MEAN = 8 };
enum { LINE = 64, LINES = (1 << 20) / LINE };

typedef struct bench_state {
  gpucontext *ctx;
  size_t rows, entries;
  int32_t *start, *column;
  float *value;
  GpuCsr m;
  GpuArray b, y, from, to;
  bench_launched product, copy;
} bench_state;

static uint32_t draw(void) {
  static uint64_t state = 1;

  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 33);
}

/* --- matrices --- */

static void fill_band(bench_state *s) {
  const int32_t rows = (int32_t)s->rows;
  int32_t n = 0;

  for (int32_t i = 0; i < rows; i++) {
    for (int32_t j = i - BAND / 2; j <= i + BAND / 2; j++)
      if (j >= 0 && j < rows)
        s->column[n++] = j;
    s->start[i + 1] = n;
  }
  s->entries = (size_t)n;
}

/* Columns at random steps, so that they rise. */
static void fill_law(bench_state *s, size_t most) {
  size_t n = 0;

  for (size_t i = 0; i < s->rows; i++) {
    const double u = (draw() + 1.0) / 2147483649.0;
    size_t length = (size_t)(0.5 * MEAN / sqrt(u));

    length = length > s->rows / 2 ? s->rows / 2 : length;
    length = length > most - n ? most - n : length;
    const size_t step = length > 0 ? s->rows / length : 1;
    for (size_t k = 0; k < length; k++)
      s->column[n++] = (int32_t)(k * step + draw() % step);
    s->start[i + 1] = (int32_t)n;
  }
  s->entries = n;
}

static int vector(GpuArray *a, gpucontext *ctx, int dtype, size_t n,
                  const void *data) {
  GA_TRY(GpuArray_empty(a, ctx, dtype, 1, &n, GA_C_ORDER));
  return GpuArray_write(a, data, n * 4);
}

static int make_matrix(bench_state *s) {
  GpuArray a[3] = {{0}, {0}, {0}};
  int err;

  for (size_t e = 0; e < s->entries; e++)
    s->value[e] = (float)(draw() % 1000) / 1000;
  GA_CHECK(vector(&a[0], s->ctx, GA_INT, s->rows + 1, s->start));
  GA_CHECK(vector(&a[1], s->ctx, GA_INT, s->entries, s->column));
  GA_CHECK(vector(&a[2], s->ctx, GA_FLOAT, s->entries, s->value));
  GA_CHECK(GpuCsr_make(&s->m, s->rows, &a[0], &a[1], &a[2]));

done:
  for (int i = 0; i < 3; i++)
    GpuArray_clear(&a[i]);
  return err;
}

/* --- measurements --- */

static int check(bench_state *s, size_t n) {
  const size_t total = s->rows * n;
  float *b = malloc(total * sizeof *b), *y = malloc(total * sizeof *y);
  int err;

  if (b == NULL || y == NULL)
    GA_CHECK(ga__fail_nomem());
  GA_CHECK(bench_run(&s->product));
  GA_CHECK(GpuArray_read(b, total * sizeof *b, &s->b));
  GA_CHECK(GpuArray_read(y, total * sizeof *y, &s->y));
  for (size_t i = 0; i < total; i++) {
    double sum = 0, size = 0;
    for (int32_t e = s->start[i / n]; e < s->start[i / n + 1]; e++) {
      const double t =
          (double)s->value[e] * (double)b[(size_t)s->column[e] * n + i % n];
      sum += t;
      size += fabs(t);
    }
    if (!(fabs(sum - (double)y[i]) <= 1e-5 * size))
      GA_CHECK(ga__fail(GA_VALUE_ERROR, "element %zu: %g, expected %g", i,
                        (double)y[i], sum));
  }

done:
  free(b);
  free(y);
  return err;
}

/* A copy that reads and writes `bytes` bytes together. */
static int prepare_copy(bench_state *s, size_t bytes) {
  const size_t dims[2] = {1, bytes / 8};
  gpuelemwise_arg args[2] = {{"z", GA_FLOAT, GE_WRITE},
                             {"x", GA_FLOAT, GE_READ}};
  void *values[2] = {&s->to, &s->from};

  GA_TRY(bench_floats(&s->from, s->ctx, dims));
  GA_TRY(GpuArray_empty(&s->to, s->ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  GpuElemwise *e =
      GpuElemwise_new(s->ctx, NULL, "z = x", 2, args, 2, GE_VECTOR);
  if (e == NULL)
    return GA_MEMORY_ERROR;
  const int err = GpuElemwise_prepare(&s->copy.launch, e, values, 0);
  GpuElemwise_free(e);
  s->copy.result = &s->to;
  return err;
}

/* Lines of b, rows of n floats, that a direct-mapped cache reads. */
static size_t count_lines(const bench_state *s, size_t n) {
  static size_t held[LINES]; /* lines + 1 */
  size_t count = 0;

  for (size_t k = 0; k < LINES; k++)
    held[k] = 0;
  for (size_t e = 0; e < s->entries; e++) {
    const size_t first = (size_t)s->column[e] * n * 4;

    for (size_t l = first / LINE; l <= (first + n * 4 - 1) / LINE; l++)
      if (held[l % LINES] != l + 1) {
        held[l % LINES] = l + 1;
        count++;
      }
  }
  return count;
}

static int compare(bench_state *s, const char *name, size_t bytes) {
  bench_time ours, copy;

  GA_TRY(prepare_copy(s, bytes));
  bench_pair(bench_run, &s->product, bench_run, &s->copy, REPS, &ours, &copy);
  bench_print(name, (double)bytes / ours.median / 1e9, "GB/s",
              (double)bytes / copy.median / 1e9);
  GpuLaunch_free(s->copy.launch);
  GpuArray_clear(&s->from);
  GpuArray_clear(&s->to);
  return GA_NO_ERROR;
}

/* `with_lines` is the name of a line with those, or NULL. */
static int measure(bench_state *s, const char *name, const char *with_lines,
                   size_t n) {
  const size_t dims[2] = {s->rows, n}, dense = s->rows * n * 4;
  const size_t others = s->entries * 8 + (s->rows + 1) * 4 + dense;

  s->product.result = &s->y;
  GA_TRY(bench_floats(&s->b, s->ctx, dims));
  if (n == 1)
    GA_TRY(GpuArray_reshape_inplace(&s->b, 1, dims, GA_C_ORDER));
  GA_TRY(GpuArray_empty(&s->y, s->ctx, GA_FLOAT, s->b.nd, dims, GA_C_ORDER));
  GA_TRY(GpuCsr_dot_prepare(&s->product.launch, &s->y, &s->m, &s->b));
  GA_TRY(check(s, n));
  GA_TRY(compare(s, name, others + dense));
  if (with_lines != NULL)
    GA_TRY(compare(s, with_lines, others + count_lines(s, n) * LINE));
  GpuLaunch_free(s->product.launch);
  GpuArray_clear(&s->b);
  GpuArray_clear(&s->y);
  return GA_NO_ERROR;
}

static int run_all(bench_state *s, size_t n) {
  s->rows = n / BAND;
  fill_band(s);
  GA_TRY(make_matrix(s));
  GA_TRY(measure(s, "banded, vector", NULL, 1));
  GA_TRY(measure(s, "banded, 16 columns", NULL, 16));
  GpuCsr_clear(&s->m);
  s->rows = n / MEAN;
  fill_law(s, n);
  GA_TRY(make_matrix(s));
  GA_TRY(measure(s, "power law, vector", "power law, vector, with lines", 1));
  return measure(s, "power law, 16 columns",
                 "power law, 16 columns, with lines", 16);
}

int main(int argc, char **argv) {
  const size_t n = bench_size(argc, argv, (size_t)1 << 23);
  bench_state s = {.start = calloc(n + 1, 4),
                   .column = calloc(n + 1, 4),
                   .value = calloc(n + 1, 4)};

  bench_need(s.start == NULL || s.column == NULL || s.value == NULL, "memory");
  bench_need(gpucontext_open(&s.ctx, NULL), "device");
  bench_need(run_all(&s, n), "measurements");
  GpuCsr_clear(&s.m);
  gpucontext_deref(s.ctx);
  free(s.start);
  free(s.column);
  free(s.value);
  return 0;
}
