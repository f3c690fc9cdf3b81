/* SPDX-License-Identifier: BSD-2-Clause */
/* Random numbers. Generators are compared with the recurrences of their
 * papers. Distributions that are made from uniform numbers are tested with
 * probabilities of 0 and 1, which leave one result. */
#include <gpuarray/launch.h>
#include <gpuarray/random.h>
#include <string.h>

#include "base/err.h"
#include "cli/selftest.h"

enum { DRAWN = 203, STREAMS = 7, SEED = 12345 };

/* --- generators --- */

/* Words 4 * block to 4 * block + 3 of the first draw of Philox4x32-10. */
static void philox(uint32_t block, uint32_t out[4]) {
  uint32_t key[2] = {SEED, 0};

  memcpy(out, (uint32_t[4]){block, 0, 0, 0}, 4 * sizeof *out);
  for (int round = 0; round < 10; round++) {
    const uint64_t a = (uint64_t)out[0] * 0xD2511F53u,
                   b = (uint64_t)out[2] * 0xCD9E8D57u;
    const uint32_t next[4] = {
        (uint32_t)(b >> 32) ^ out[1] ^ key[0], (uint32_t)b,
        (uint32_t)(a >> 32) ^ out[3] ^ key[1], (uint32_t)a};

    memcpy(out, next, sizeof next);
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
}

int selftest_philox(selftest *t) {
  const size_t n = DRAWN;
  uint32_t words[4];

  for (uint32_t i = 0; i < DRAWN; i++) {
    philox(i / 4, words);
    t->want[i] = ((double)(words[i % 4] >> 9) + 0.5) / (1 << 23);
  }
  GA_TRY(GpuRandom_philox(&t->a[0], t->ctx, SEED, 0));
  GA_TRY(GpuArray_empty(&t->a[1], t->ctx, t->dtype, 1, &n, GA_C_ORDER));
  GA_TRY(GpuRandom_fill(&t->a[1], GA_RANDOM_UNIFORM, 0, 1, &t->a[0]));
  return selftest_compare(t, 1);
}

/* The next number of a substream of MRG31k3p, from 1 to 2^31 - 1. */
static int64_t mrg_next(int32_t s[6]) {
  const int64_t m1 = 2147483647, m2 = 2147462579;
  const int64_t x = (((int64_t)s[1] << 22) + ((int64_t)s[2] << 7) + s[2]) % m1;
  const int64_t y = (((int64_t)s[3] << 15) + ((int64_t)s[5] << 15) + s[5]) % m2;

  memcpy(s, (int32_t[6]){(int32_t)x, s[0], s[1], (int32_t)y, s[3], s[4]},
         6 * sizeof *s);
  return x > y ? x - y : x - y + m1;
}

/* Element i comes from substream i % STREAMS. Each substream begins 2^72
 * numbers after the one before. */
int selftest_mrg(selftest *t) {
  const int32_t seed[6] = {SEED, SEED, SEED, SEED, SEED, SEED};
  const size_t n = DRAWN;
  int32_t s[6], start[6];

  memcpy(start, seed, sizeof start);
  for (size_t k = 0; k < STREAMS; k++) {
    memcpy(s, start, sizeof s);
    for (size_t i = k; i < n; i += STREAMS)
      t->want[i] = (double)mrg_next(s) / 2147483648.0;
    GA_TRY(GpuRandom_mrg31k3p_jump(start, 72));
  }
  GA_TRY(GpuRandom_mrg31k3p(&t->a[0], t->ctx, seed, STREAMS));
  GA_TRY(GpuArray_empty(&t->a[1], t->ctx, t->dtype, 1, &n, GA_C_ORDER));
  GA_TRY(GpuRandom_fill(&t->a[1], GA_RANDOM_UNIFORM, 0, 1, &t->a[0]));
  return selftest_compare(t, 1);
}

/* --- from uniform numbers --- */

/* Run a launch, and free it. */
static int run(GpuLaunch *l) {
  const int err = GpuLaunch_run(l);

  GpuLaunch_free(l);
  return err;
}

/* Create numbers from 0 to 1 in a[0], from the values of operand 0, which are
 * from -1 to 1. */
static int make_uniform(selftest *t, unsigned int nd, const size_t *dims) {
  float u[SELFTEST_MOST];
  size_t n = 1;

  for (unsigned int i = 0; i < nd; i++)
    n *= dims[i];
  for (size_t i = 0; i < n; i++)
    u[i] = (float)(0.499 * selftest_value(0, i) + 0.5);
  return selftest_put(t, 0, GA_FLOAT, nd, dims, u);
}

/* Create probabilities in a[i]: that of element k is 1 if k % period == 0,
 * else 0. */
static int make_chances(selftest *t, unsigned int i, size_t period,
                        const size_t dims[2]) {
  float p[SELFTEST_MOST];

  for (size_t k = 0; k < dims[0] * dims[1]; k++)
    p[k] = k % period == 0 ? 1 : 0;
  return selftest_put(t, i, GA_FLOAT, 2, dims, p);
}

/* Binomial counts are five of five, or none; multinomial ones are all eight
 * drawings of one value. */
int selftest_counts(selftest *t) {
  const size_t dims[2] = {STREAMS, DRAWN / STREAMS}, one[2] = {1, 1};
  GpuLaunch *l;

  GA_TRY(make_uniform(t, 2, dims));
  GA_TRY(make_chances(t, 1, 3, dims));
  GA_TRY(selftest_put(t, 2, GA_FLOAT, 2, one, &(float){5}));
  GA_TRY(GpuArray_empty(&t->a[3], t->ctx, GA_FLOAT, 2, dims, GA_C_ORDER));
  GA_TRY(
      GpuRandom_binomial_prepare(&l, &t->a[3], &t->a[0], &t->a[2], &t->a[1]));
  GA_TRY(run(l));
  for (size_t i = 0; i < DRAWN; i++)
    t->want[i] = i % 3 == 0 ? 5 : 0;
  GA_TRY(selftest_compare(t, 3));

  GpuArray_clear(&t->a[1]);
  GA_TRY(make_chances(t, 1, dims[1], dims));
  GA_TRY(GpuRandom_multinomial_prepare(&l, &t->a[3], &t->a[0], &t->a[1], 8));
  GA_TRY(run(l));
  for (size_t i = 0; i < DRAWN; i++)
    t->want[i] = i % dims[1] == 0 ? 8 : 0;
  return selftest_compare(t, 3);
}

/* Check that each row of a[i] contains every number below `columns` once. */
static int judge_orders(selftest *t, unsigned int i, size_t rows,
                        size_t columns) {
  int64_t got[DRAWN];
  size_t good = 0;

  GA_TRY(GpuArray_read(got, rows * columns * sizeof *got, &t->a[i]));
  for (size_t r = 0; r < rows; r++)
    for (int64_t v = 0; v < (int64_t)columns; v++) {
      size_t times = 0;

      for (size_t k = 0; k < columns; k++)
        times += got[r * columns + k] == v;
      good += times == 1;
    }
  selftest_judge(t, good == rows * columns);
  return GA_NO_ERROR;
}

/* Drawing without replacement until all are drawn, and a random permutation. */
int selftest_orders(selftest *t) {
  const size_t dims[2] = {STREAMS, DRAWN / STREAMS}, n = DRAWN,
               words = GA_PERMUTATION_WORDS;
  uint32_t bits[GA_PERMUTATION_WORDS];
  GpuLaunch *l;

  GA_TRY(make_uniform(t, 2, dims));
  GA_TRY(make_chances(t, 1, 1, dims));
  GA_TRY(GpuArray_empty(&t->a[2], t->ctx, GA_LONG, 2, dims, GA_C_ORDER));
  GA_TRY(GpuRandom_choice_prepare(&l, &t->a[2], &t->a[0], &t->a[1]));
  GA_TRY(run(l));
  GA_TRY(judge_orders(t, 2, dims[0], dims[1]));

  for (uint32_t i = 0; i < GA_PERMUTATION_WORDS / 4; i++)
    philox(i, bits + (size_t)4 * i);
  GpuArray_clear(&t->a[1]);
  GpuArray_clear(&t->a[2]);
  GA_TRY(selftest_put(t, 1, GA_UINT, 1, &words, bits));
  GA_TRY(GpuArray_empty(&t->a[2], t->ctx, GA_LONG, 1, &n, GA_C_ORDER));
  GA_TRY(GpuRandom_permutation_prepare(&l, &t->a[2], &t->a[1], n));
  GA_TRY(run(l));
  return judge_orders(t, 2, 1, n);
}
