/* SPDX-License-Identifier: BSD-2-Clause */
/* Text to types, inputs, shared variables and constants. */
#include <string.h>

#include "base/dtype.h"
#include "graph/literal.h"
#include "ops/value_size.h"
#include "text/parser.h"

/* --- types --- */

/* A type in a text. `now` are the present sizes of a shared variable: "?7" is
 * a size that is 7 now and may change. */
typedef struct written {
  gg_type type; /* context NULL: none in the text */
  int64_t now[GG_MAX_ND];
  int is_input;               /* sizes may have names */
  gg__token names[GG_MAX_ND]; /* only those that are names are set */
  gg__token at;
} written;

static int parse_size(gg__parser *p, written *w) {
  const gg__token at = p->token;
  const unsigned int i = w->type.nd;
  const int is_open = gg__parse_skip(p, "?");

  if (i == GG_MAX_ND)
    return gg__parse_fail(p, &at, GA_VALUE_ERROR,
                          "there are at most %d dimensions", GG_MAX_ND);
  w->type.nd++;
  w->type.dims[i] = w->now[i] = GG_ANY;
  if (w->is_input && !is_open && gg__parse_is_name(&at)) {
    w->names[i] = at;
    GA_TRY(gg__parse_named_size(p, &w->now[i]));
    w->type.dims[i] = w->now[i];
    return GA_NO_ERROR;
  }
  if (is_open && p->token.kind != GG_TOKEN_NUMBER)
    return GA_NO_ERROR;
  GA_TRY(gg__parse_whole(p, &w->now[i]));
  if (w->now[i] < 0)
    return gg__parse_fail(p, &at, GA_VALUE_ERROR, "%lld is not a size",
                          (long long)w->now[i]);
  if (!is_open)
    w->type.dims[i] = w->now[i];
  return GA_NO_ERROR;
}

static int check_size(gg__parser *p, const written *w) {
  if (!gg__sizes_fit(w->type.nd, w->now))
    return gg__parse_fail(p, &w->at, GA_XLARGE_ERROR,
                          "the sizes are too large");
  return GA_NO_ERROR;
}

/* Read a type to zeroed memory, of which the caller may have set is_input. */
static int parse_type(gg__parser *p, written *w) {
  const int dtype = gg__parse_dtype_at(p);

  w->at = p->token;
  if (dtype < 0)
    return gg__parse_expected(p, "a dtype such as float32");
  w->type.dtype = dtype;
  gg__parse_next(p);
  if (gg__parse_skip(p, "[")) {
    do
      GA_TRY(parse_size(p, w));
    while (gg__parse_skip(p, ","));
    if (!gg__parse_skip(p, "]"))
      return gg__parse_expected(p, "',' or ']'");
  }
  GA_TRY(check_size(p, w));
  return gg__parse_place(p, &w->type.ctx);
}

/* Count elements and bytes. Fails unless all present sizes are known. */
static int count_elements(gg__parser *p, const written *w, uint64_t *n,
                          uint64_t *bytes) {
  *n = 1;
  *bytes = 0;
  for (unsigned int i = 0; i < w->type.nd; i++) {
    if (w->now[i] < 0)
      return gg__parse_fail(p, &w->at, GA_VALUE_ERROR,
                            "dim %u: expected a size, got '?'", i);
    *n *= (uint64_t)w->now[i];
  }
  *bytes = *n * ga__dtype_size(w->type.dtype);
  return GA_NO_ERROR;
}

/* --- elements --- */

static int parse_element(gg__parser *p, int dtype, void *to) {
  if (!gg__parse_at_number(p))
    return gg__parse_expected(p, "a number");
  if (!gg__literal_parse(dtype, p->token.text, p->token.n, to))
    return gg__parse_fail(p, &p->token, GA_VALUE_ERROR, "%.*s is no %s",
                          p->token.n < 40 ? (int)p->token.n : 40, p->token.text,
                          ga__dtype_name(dtype));
  gg__parse_next(p);
  return GA_NO_ERROR;
}

/* "{" [number {"," number}] "}", n of them. Memory grows with the numbers that
 * are there, not with `n`. */
static int parse_braces(gg__parser *p, const written *w, uint64_t n,
                        ga__strb *out) {
  char element[2 * sizeof(double)];

  GA_TRY(gg__parse_need(p, "{"));
  for (uint64_t i = 0; i < n; i++) {
    if (i != 0 && !gg__parse_skip(p, ","))
      return gg__parse_fail(p, &p->token, GA_VALUE_ERROR,
                            "expected %llu elements, got %llu",
                            (unsigned long long)n, (unsigned long long)i);
    GA_TRY(parse_element(p, w->type.dtype, element));
    ga__strb_append_n(out, element, ga__dtype_size(w->type.dtype));
  }
  if (!gg__parse_skip(p, "}"))
    return gg__parse_expected(p, "'}' after the last element");
  return GA_NO_ERROR;
}

static int parse_repeated(gg__parser *p, const written *w, uint64_t n,
                          ga__strb *out) {
  const gg__token at = p->token;
  char element[2 * sizeof(double)];

  GA_TRY(parse_element(p, w->type.dtype, element));
  if (n > GG_MOST_REPEATED)
    return gg__parse_fail(p, &at, GA_VALUE_ERROR,
                          "one number stands for at most %d elements",
                          GG_MOST_REPEATED);
  for (uint64_t i = 0; i < n; i++)
    ga__strb_append_n(out, element, ga__dtype_size(w->type.dtype));
  return GA_NO_ERROR;
}

static int parse_elements(gg__parser *p, const written *w, uint64_t n,
                          ga__strb *out) {
  GA_TRY(gg__token_is(&p->token, "{") ? parse_braces(p, w, n, out)
                                      : parse_repeated(p, w, n, out));
  return out->err != GA_NO_ERROR ? gg__parse_no_memory(p, &w->at) : GA_NO_ERROR;
}

/* --- blocks --- */

/* Set *out to the index of the block that the current token names. It must
 * have `bytes` bytes. Each block may be used once, so that the file's size
 * bounds what is allocated. */
static int take_block(gg__parser *p, uint64_t bytes, uint64_t *out) {
  const gg__token at = p->token;
  const gg__block_source *b = p->blocks;
  uint64_t i = 0;

  if (b == NULL)
    return gg__parse_fail(p, &at, GA_VALUE_ERROR,
                          "a text has no blocks of values");
  for (size_t k = 1; k < at.n && i < b->n; k++)
    i = 10 * i + (uint64_t)(at.text[k] - '0');
  if (i >= b->n || p->used[i])
    return gg__parse_fail(p, &at, GA_VALUE_ERROR, "there is no block %.*s%s",
                          at.n < 40 ? (int)at.n - 1 : 39, at.text + 1,
                          i < b->n ? " any more" : "");
  if (b->table[i].bytes != bytes)
    return gg__parse_fail(
        p, &at, GA_VALUE_ERROR, "expected a block of %llu bytes, got %llu",
        (unsigned long long)bytes, (unsigned long long)b->table[i].bytes);
  p->used[i] = 1;
  *out = i;
  gg__parse_next(p);
  return GA_NO_ERROR;
}

static int read_block(gg__parser *p, const written *w, uint64_t i,
                      GpuArray *array, void *host) {
  gg__block_source *b = p->blocks;

  if (b->read(b, p->g, i, array, host, w->type.dtype) == GA_NO_ERROR)
    return GA_NO_ERROR;
  return gg__parse_fail(p, &w->at, GA_VALUE_ERROR, "a block cannot be read");
}

/* --- constants --- */

static int make_constant(gg__parser *p, const written *w, const void *value,
                         gg_var **out) {
  size_t dims[GG_MAX_ND];

  for (unsigned int i = 0; i < w->type.nd; i++)
    dims[i] = (size_t)w->now[i];
  *out = gg_constant(p->g, w->type.dtype, w->type.nd, dims, value);
  if (*out != NULL && w->type.ctx != NULL)
    *out = gg__constant_in(*out, w->type.ctx);
  return *out != NULL ? GA_NO_ERROR : gg__parse_no_memory(p, &w->at);
}

static int read_constant(gg__parser *p, const written *w, uint64_t bytes,
                         gg_var **out) {
  void *host = NULL;
  uint64_t i = 0;
  int err;

  GA_TRY(take_block(p, bytes, &i));
  host = ga__malloc((size_t)bytes);
  if (host == NULL)
    return gg__parse_no_memory(p, &w->at);
  GA_CHECK(read_block(p, w, i, NULL, host));
  GA_CHECK(make_constant(p, w, host, out));

done:
  ga__free(host);
  return err;
}

int gg__parse_constant(gg__parser *p, gg_var **out) {
  ga__strb elements = GA_STRB_INIT;
  uint64_t n, bytes;
  written w = {.is_input = 0};
  int err;

  GA_TRY(parse_type(p, &w));
  GA_TRY(count_elements(p, &w, &n, &bytes));
  if (p->token.kind == GG_TOKEN_BLOCK)
    return read_constant(p, &w, bytes, out);
  GA_CHECK(parse_elements(p, &w, n, &elements));
  GA_CHECK(make_constant(p, &w, ga__strb_text(&elements), out));

done:
  ga__strb_clear(&elements);
  return err;
}

/* --- shared variables --- */

/* The context for a value. NULL: the graph has no context, so there are no
 * values. */
static gpucontext *place_of(const gg__parser *p, const written *w) {
  if (p->g->ctx == NULL)
    return NULL;
  return w->type.ctx != NULL ? w->type.ctx : p->g->ctx;
}

/* Allocate the value of `s`; without a context, set its sizes only. */
static int make_value(gg__parser *p, const written *w, gg__storage *s) {
  gpucontext *ctx = place_of(p, w);
  size_t dims[GG_MAX_ND];
  int err;

  for (unsigned int i = 0; i < w->type.nd; i++)
    dims[i] = (size_t)w->now[i];
  if (ctx == NULL)
    err = gg__storage_size(s, w->type.dtype, w->type.nd, dims);
  else
    err = GpuArray_empty(&s->value, ctx, w->type.dtype, w->type.nd, dims,
                         GA_C_ORDER);
  return gg__parse_err(p, &w->at, err);
}

/* Fill the value with the elements in the text or, if there are none, zeros. */
static int fill_value(gg__parser *p, const written *w, uint64_t n,
                      gg__storage *s) {
  ga__strb elements = GA_STRB_INIT;
  gpucontext *ctx = place_of(p, w);
  int err = GA_NO_ERROR;

  if (gg__token_is(&p->token, "{") || gg__parse_at_number(p)) {
    GA_CHECK(parse_elements(p, w, n, &elements));
    if (ctx != NULL)
      err = GpuArray_write(&s->value, ga__strb_text(&elements), elements.n);
  } else if (ctx != NULL) {
    err = GpuArray_memset(&s->value, 0);
  }
  gg__parse_err(p, &w->at, err);

done:
  ga__strb_clear(&elements);
  return err;
}

static int make_shared(gg__parser *p, const written *w, gg__storage *s,
                       gg_var **out) {
  gg_var *const v =
      gg__shared_var(p->g, NULL, gg__storage_retain(s), w->type.dims);

  if (v == NULL)
    return gg__parse_no_memory(p, &w->at);
  if (w->type.ctx != NULL)
    v->type.ctx = w->type.ctx;
  *out = v;
  return GA_NO_ERROR;
}

int gg__parse_shared(gg__parser *p, gg_var **out) {
  gg__storage *s = NULL;
  uint64_t n, bytes, i = 0;
  int err;
  written w = {.is_input = 0};

  GA_TRY(parse_type(p, &w));
  GA_TRY(count_elements(p, &w, &n, &bytes));
  int is_block = p->token.kind == GG_TOKEN_BLOCK;
  if (p->blocks != NULL && !is_block)
    return gg__parse_expected(p, "the block of the values");
  if (is_block)
    GA_TRY(take_block(p, bytes, &i));
  s = gg__storage_new();
  if (s == NULL)
    return gg__parse_no_memory(p, &w.at);
  GA_CHECK(make_value(p, &w, s));
  GA_CHECK(is_block ? read_block(p, &w, i, p->g->ctx ? &s->value : NULL, NULL)
                    : fill_value(p, &w, n, s));
  GA_CHECK(make_shared(p, &w, s, out));

done:
  gg__storage_release(s);
  return err;
}

/* --- inputs --- */

int gg__parse_input(gg__parser *p, gg_var **out) {
  written w = {.is_input = 1};

  GA_TRY(parse_type(p, &w));
  *out = gg_input_sized(p->g, NULL, w.type.dtype, w.type.nd, w.type.dims);
  if (*out == NULL)
    return gg__parse_no_memory(p, &w.at);
  if (w.type.ctx != NULL)
    (*out)->type.ctx = w.type.ctx;
  for (unsigned int i = 0; i < w.type.nd; i++)
    GA_TRY(gg__parse_name_size(p, &w.names[i], *out, i));
  return GA_NO_ERROR;
}

int gg__parse_at_type(const gg__parser *p) {
  return gg__parse_dtype_at(p) >= 0;
}

int gg__parse_type(gg__parser *p, gg_type *out) {
  written w = {.is_input = 0};

  GA_TRY(parse_type(p, &w));
  if (w.type.ctx != NULL)
    return gg__parse_fail(p, &w.at, GA_VALUE_ERROR,
                          "inside of a loop all has the loop's context");
  *out = w.type;
  return GA_NO_ERROR;
}
