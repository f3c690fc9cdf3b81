/* SPDX-License-Identifier: BSD-2-Clause */
/* States of random streams. */
#include <string.h>

#include "array/geometry.h"
#include "array/random_check.h"
#include "base/alloc.h"

enum { POWER_MAX = 255 };

#define PHILOX_STREAM_DRAWS ((uint64_t)1 << 40)

/* Theano's choice: 6 numbers for each substream, and at most as many substreams
 * as a GPU of its time ran at once. */
#define NUMBERS_PER_SUBSTREAM 6
#define SUBSTREAMS_MAX 15360

/* --- Philox --- */

static int make_state(GpuArray *state, gpucontext *ctx, int typecode,
                      unsigned int nd, const size_t *dims, const void *data,
                      size_t bytes) {
  GA_TRY(GpuArray_empty(state, ctx, typecode, nd, dims, GA_C_ORDER));
  int err = GpuArray_write(state, data, bytes);
  if (err != GA_NO_ERROR)
    GpuArray_clear(state);
  return err;
}

int GpuRandom_philox(GpuArray *state, gpucontext *ctx, uint64_t seed,
                     uint64_t stream) {
  const uint64_t data[GA_PHILOX_STATE] = {seed, stream * PHILOX_STREAM_DRAWS};
  const size_t dim = GA_PHILOX_STATE;

  memset(state, 0, sizeof *state);
  if (seed == 0)
    return ga__fail(GA_VALUE_ERROR, "seed: expected at least 1, got 0");
  if (stream >= GA_PHILOX_STREAMS)
    return ga__fail(GA_VALUE_ERROR, "stream %llu, there are %llu",
                    (unsigned long long)stream,
                    (unsigned long long)GA_PHILOX_STREAMS);
  return make_state(state, ctx, GA_ULONG, 1, &dim, data, sizeof data);
}

/* --- MRG31k3p --- */

/* A step of a component is x[k + 1] = A x[k] mod m. Its state is the column x
 * of three integers, the latest one first. */
typedef struct matrix {
  uint64_t at[3][3];
} matrix;

static const uint64_t moduli[2] = {2147483647, 2147462579};
static const matrix steps[2] = {{{{0, 4194304, 129}, {1, 0, 0}, {0, 1, 0}}},
                                {{{32768, 0, 32769}, {1, 0, 0}, {0, 1, 0}}}};

static matrix square(const matrix *a, uint64_t m) {
  matrix r = {{{0}}};

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        r.at[i][j] = (r.at[i][j] + a->at[i][k] * a->at[k][j]) % m;
  return r;
}

/* Set the matrices of 2^power steps. */
static void make_jump(matrix jump[2], unsigned int power) {
  for (int c = 0; c < 2; c++) {
    jump[c] = steps[c];
    for (unsigned int i = 0; i < power; i++)
      jump[c] = square(&jump[c], moduli[c]);
  }
}

static void apply_jump(const matrix jump[2], int32_t seed[GA_MRG_STATE]) {
  for (size_t c = 0; c < 2; c++) {
    int32_t *x = seed + 3 * c;
    uint64_t sum[3] = {0, 0, 0};

    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++)
        sum[i] = (sum[i] + jump[c].at[i][k] * (uint64_t)x[k]) % moduli[c];
    for (int i = 0; i < 3; i++)
      x[i] = (int32_t)sum[i];
  }
}

static int check_seed(const int32_t seed[GA_MRG_STATE]) {
  for (int i = 0; i < GA_MRG_STATE; i++) {
    if (seed[i] < 0 || (uint64_t)seed[i] >= moduli[i / 3])
      return ga__fail(GA_VALUE_ERROR, "seed, number %d: %ld is not below %llu",
                      i, (long)seed[i], (unsigned long long)moduli[i / 3]);
  }
  for (size_t c = 0; c < 2; c++) {
    const int32_t *x = seed + 3 * c;

    if (x[0] == 0 && x[1] == 0 && x[2] == 0)
      return ga__fail(GA_VALUE_ERROR,
                      "seed: the %s three numbers are all 0, and would stay 0",
                      c == 0 ? "first" : "last");
  }
  return GA_NO_ERROR;
}

int GpuRandom_mrg31k3p_jump(int32_t seed[6], unsigned int power) {
  matrix jump[2];

  GA_TRY(check_seed(seed));
  if (power > POWER_MAX)
    return ga__fail(GA_VALUE_ERROR, "a jump by 2^%u steps, at most 2^%d", power,
                    POWER_MAX);
  make_jump(jump, power);
  apply_jump(jump, seed);
  return GA_NO_ERROR;
}

size_t GpuRandom_mrg31k3p_substreams(size_t n) {
  const size_t want = n / NUMBERS_PER_SUBSTREAM;

  return want < 1 ? 1 : want > SUBSTREAMS_MAX ? SUBSTREAMS_MAX : want;
}

int GpuRandom_mrg31k3p(GpuArray *state, gpucontext *ctx, const int32_t seed[6],
                       size_t n) {
  const unsigned int between = 72; /* log2 of the steps between substreams */
  const size_t dims[2] = {n, GA_MRG_STATE};
  const size_t row = GA_MRG_STATE * sizeof(int32_t);
  matrix jump[2];

  memset(state, 0, sizeof *state);
  GA_TRY(check_seed(seed));
  if (n == 0)
    return ga__fail(GA_VALUE_ERROR, "a state of 0 substreams");
  if (n > SIZE_MAX / row)
    return ga__fail(GA_XLARGE_ERROR, "a state of %zu substreams", n);
  int32_t *rows = ga__calloc(n, row);
  if (rows == NULL)
    return ga__fail_nomem();
  make_jump(jump, between);
  memcpy(rows, seed, row);
  for (size_t i = 1; i < n; i++) {
    memcpy(rows + i * GA_MRG_STATE, rows + (i - 1) * GA_MRG_STATE, row);
    apply_jump(jump, rows + i * GA_MRG_STATE);
  }
  int err = make_state(state, ctx, GA_INT, 2, dims, rows, n * row);
  ga__free(rows);
  return err;
}
