/* SPDX-License-Identifier: BSD-2-Clause */
/* TfIdfVectorizer of integers: how often each n-gram of a pool occurs. */
#include <gpugraph/op.h>
#include <string.h>

#include "base/err.h"
#include "onnx/ops/builders.h"

#define MOST_LENGTH 64

typedef struct pool {
  const int64_t *counts, *indexes, *items;
  size_t n_counts, n_indexes, n_items;
  int64_t shortest, longest, skips;
  const gg__onnx_attr *weights; /* NULL: 1 each */
  int is_idf, is_tf;
} pool;

static int read_mode(gg__onnx_call *c, pool *p) {
  const char *mode = gg__call_text(c, "mode", "");

  p->is_tf = strcmp(mode, "TF") == 0 || strcmp(mode, "TFIDF") == 0;
  p->is_idf = strcmp(mode, "IDF") == 0 || strcmp(mode, "TFIDF") == 0;
  return p->is_tf || p->is_idf
             ? GA_NO_ERROR
             : ga__fail(GA_VALUE_ERROR, "mode is \"%s\"", mode);
}

static int read_pool(gg__onnx_call *c, pool *p) {
  p->counts = gg__call_ints(c, "ngram_counts", &p->n_counts);
  p->indexes = gg__call_ints(c, "ngram_indexes", &p->n_indexes);
  p->items = gg__call_ints(c, "pool_int64s", &p->n_items);
  p->shortest = gg__call_int(c, "min_gram_length", 1);
  p->longest = gg__call_int(c, "max_gram_length", 1);
  p->skips = gg__call_int(c, "max_skip_count", 0);
  p->weights = gg__call_attr(c, "weights");
  if (gg__call_attr(c, "pool_strings") != NULL)
    return ga__fail(GA_UNSUPPORTED_ERROR, "strings are not supported");
  if (p->shortest < 1 || p->longest < p->shortest || p->longest > MOST_LENGTH ||
      p->skips < 0 || p->skips > MOST_LENGTH)
    return ga__fail(GA_VALUE_ERROR,
                    "%lld to %lld items, and %lld skipped: at "
                    "most %d",
                    (long long)p->shortest, (long long)p->longest,
                    (long long)p->skips, MOST_LENGTH);
  if (p->n_counts < (size_t)p->longest || p->n_indexes == 0)
    return ga__fail(GA_VALUE_ERROR, "%zu counts, and %zu indexes", p->n_counts,
                    p->n_indexes);
  if (p->weights != NULL && p->weights->n_floats != p->n_indexes)
    return ga__fail(GA_VALUE_ERROR, "%zu weights of %zu", p->weights->n_floats,
                    p->n_indexes);
  return read_mode(c, p);
}

/* The items of the n-grams of n items are `from` to `to` - 1. */
static int find_grams(const pool *p, int64_t n, size_t *from, size_t *to) {
  const size_t i = (size_t)n - 1;
  const int64_t a = p->counts[i];
  const int64_t b =
      i + 1 < p->n_counts ? p->counts[i + 1] : (int64_t)p->n_items;

  *from = *to = 0;
  if (a < 0 || b < a || (uint64_t)b > p->n_items || (b - a) % n != 0)
    return ga__fail(GA_VALUE_ERROR, "%lld-grams are items %lld to %lld of %zu",
                    (long long)n, (long long)a, (long long)b, p->n_items);
  *from = (size_t)a;
  *to = (size_t)b;
  return GA_NO_ERROR;
}

/* How often x [rows, size] has each of m n-grams [m, n], with `step` from item
 * to item: float32 [rows, m]. */
static gg_var *occurrences(gg_var *x, gg_var *grams, int64_t n, int64_t step) {
  const int last = 2;
  gg_var *all = NULL;

  for (int64_t k = 0; k < n; k++) {
    const int64_t behind = (n - 1 - k) * step;
    gg_var *part = gg_slice(x, 1, k * step, behind == 0 ? GG_END : -behind, 1);
    gg_var *item = gg_expand_dims(gg_index(grams, 1, k), 1);
    gg_var *same = gg_eq(gg_expand_dims(part, 1), item);

    all = all == NULL ? same : gg_and(all, same);
  }
  return gg_reduce(GG_SUM, gg_cast(all, GA_FLOAT), 1, &last, 0);
}

/* The counts of n-grams of n items, [rows, m]; *m may be 0. */
static int count_grams(gg__onnx_call *c, const pool *p, gg_var *x, int64_t n,
                       gg_var **out, size_t *m) {
  const int64_t most = n == 1 ? 0 : p->skips;
  size_t from, to;

  GA_TRY(find_grams(p, n, &from, &to));
  *m = (to - from) / (size_t)n;
  *out = NULL;
  if (*m == 0)
    return GA_NO_ERROR;
  gg_var *grams =
      gg_constant(c->g, GA_LONG, 2, (size_t[]){*m, (size_t)n}, p->items + from);
  for (int64_t skip = 0; skip <= most; skip++) {
    gg_var *one = occurrences(x, grams, n, skip + 1);

    *out = *out == NULL ? one : gg_add(*out, one);
  }
  return GA_NO_ERROR;
}

/* Add the counts of the n-grams from `first` on to their columns. */
static int add_columns(gg__onnx_call *c, const pool *p, gg_var *count,
                       size_t first, size_t m, gg_var **y) {
  if (m > p->n_indexes || first > p->n_indexes - m)
    return ga__fail(GA_VALUE_ERROR, "%zu n-grams, but %zu indexes", first + m,
                    p->n_indexes);
  if (!p->is_tf)
    count = gg_cast(gg_gt(count, gg__like(count, 0)), GA_FLOAT);
  if (p->is_idf && p->weights != NULL)
    count = gg_mul(
        count, gg_constant(c->g, GA_FLOAT, 1, &m, p->weights->floats + first));
  *y = gg_put_add(*y, 1, gg_constant(c->g, GA_LONG, 1, &m, p->indexes + first),
                  count);
  return GA_NO_ERROR;
}

/* n-grams before those of the shortest length, which have indexes, too. */
static int skip_shorter(const pool *p, size_t *first) {
  size_t from, to;

  *first = 0;
  for (int64_t n = 1; n < p->shortest; n++) {
    GA_TRY(find_grams(p, n, &from, &to));
    *first += (to - from) / (size_t)n;
  }
  return GA_NO_ERROR;
}

/* x [size] or [rows, size]; the result has a column up to the highest index. */
int gg__from_ngrams(gg__onnx_call *c) {
  const unsigned int nd = gg__call_rank(c, 0);
  gg_var *x = gg_cast(gg__call_in(c, 0), GA_LONG), *count;
  int64_t columns = 0;
  size_t first, m;
  pool p;

  GA_TRY(read_pool(c, &p));
  if (nd != 1 && nd != 2)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions, expected 1 or 2", nd);
  for (size_t i = 0; i < p.n_indexes; i++) {
    if (p.indexes[i] < 0 || p.indexes[i] > INT32_MAX)
      return ga__fail(GA_VALUE_ERROR, "ngram_indexes[%zu] is %lld", i,
                      (long long)p.indexes[i]);
    columns = p.indexes[i] >= columns ? p.indexes[i] + 1 : columns;
  }
  x = nd == 1 ? gg_expand_dims(x, 0) : x;
  gg_var *y = gg_alloc(gg_f32(c->g, 0), 2,
                       (gg_var *[]){gg__size_of(x, 0), gg_i64(c->g, columns)});
  GA_TRY(skip_shorter(&p, &first));
  for (int64_t n = p.shortest; n <= p.longest; n++) {
    GA_TRY(count_grams(c, &p, x, n, &count, &m));
    if (m > 0)
      GA_TRY(add_columns(c, &p, count, first, m, &y));
    first += m;
  }
  c->out[0] = nd == 1 ? gg_squeeze(y, 0) : y;
  return GA_NO_ERROR;
}
