/* SPDX-License-Identifier: BSD-2-Clause */
#include "text/safetensors_header.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/map.h"
#include "text/json.h"

static const struct {
  const char *word;
  int dtype;
} words[] = {
    {"BOOL", GA_BOOL},  {"U8", GA_UBYTE},    {"I8", GA_BYTE},
    {"U16", GA_USHORT}, {"I16", GA_SHORT},   {"U32", GA_UINT},
    {"I32", GA_INT},    {"U64", GA_ULONG},   {"I64", GA_LONG},
    {"F16", GA_HALF},   {"BF16", GA_BFLOAT}, {"F32", GA_FLOAT},
    {"F64", GA_DOUBLE},
};

const char *gg__safetensors_word(int dtype) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (words[i].dtype == dtype)
      return words[i].word;
  return NULL;
}

static int dtype_of(const char *word) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i].word, word) == 0)
      return words[i].dtype;
  return -1;
}

/* --- one tensor --- */

/* A header that is being read. */
typedef struct reading {
  gg__json json;
  ga__arena *arena;
  ga__strb text; /* reused */
  ga__map names;
} reading;

static const char *keep(reading *r) {
  return ga__arena_strdup(r->arena, ga__strb_text(&r->text));
}

static int read_dtype(reading *r, gg__safetensor *t) {
  GA_TRY(gg__json_text(&r->json, &r->text));
  t->type = keep(r);
  t->dtype = dtype_of(ga__strb_text(&r->text));
  return t->type == NULL ? ga__fail_nomem() : GA_NO_ERROR;
}

static int read_shape(reading *r, gg__safetensor *t) {
  uint64_t size;
  int more;

  GA_TRY(gg__json_open(&r->json, '['));
  for (t->nd = 0;; t->nd++) {
    GA_TRY(gg__json_more(&r->json, '[', t->nd == 0, &more));
    if (!more)
      return GA_NO_ERROR;
    GA_TRY(gg__json_count(&r->json, &size));
    if (t->nd < GG_MAX_ND)
      t->dims[t->nd] = size > SSIZE_MAX ? SSIZE_MAX : (size_t)size;
  }
}

static int read_offsets(reading *r, gg__safetensor *t) {
  int more;

  GA_TRY(gg__json_open(&r->json, '['));
  GA_TRY(gg__json_count(&r->json, &t->begin));
  GA_TRY(gg__json_more(&r->json, '[', 0, &more));
  const int has_end = more;
  if (has_end) {
    GA_TRY(gg__json_count(&r->json, &t->end));
    GA_TRY(gg__json_more(&r->json, '[', 0, &more));
  }
  if (!has_end || more || t->begin > t->end)
    return ga__fail(GA_VALUE_ERROR, "tensor \"%s\": its offsets are no range",
                    t->name);
  return GA_NO_ERROR;
}

/* Read the member with the name r->text. *seen gets a bit for each of the
 * three. */
static int read_member(reading *r, gg__safetensor *t, unsigned int *seen) {
  static const char *const keys[] = {"dtype", "shape", "data_offsets"};
  static int (*const read[])(reading * r, gg__safetensor * t) = {
      read_dtype, read_shape, read_offsets};

  for (unsigned int i = 0; i < 3; i++) {
    if (strcmp(keys[i], ga__strb_text(&r->text)) != 0)
      continue;
    if (*seen >> i & 1u)
      return ga__fail(GA_VALUE_ERROR, "tensor \"%s\" has two of \"%s\"",
                      t->name, keys[i]);
    *seen |= 1u << i;
    return read[i](r, t);
  }
  return ga__fail(GA_VALUE_ERROR, "tensor \"%s\" has \"%.40s\"", t->name,
                  ga__strb_text(&r->text));
}

/* The bytes of the elements follow from the sizes. */
static int check_bytes(const gg__safetensor *t) {
  size_t most = t->dtype < 0 ? 0 : SSIZE_MAX / ga__dtype_size(t->dtype);
  size_t n = 1;

  if (t->dtype < 0 || t->nd > GG_MAX_ND)
    return GA_NO_ERROR; /* no array can hold it */
  for (unsigned int i = 0; i < t->nd; i++) {
    if (t->dims[i] != 0 && t->dims[i] > most)
      return ga__fail(GA_VALUE_ERROR, "tensor \"%s\" is too large", t->name);
    most /= t->dims[i] != 0 ? t->dims[i] : 1;
    n *= t->dims[i];
  }
  n *= ga__dtype_size(t->dtype);
  if (t->end - t->begin != n)
    return ga__fail(GA_VALUE_ERROR,
                    "tensor \"%s\" has %llu bytes, its sizes need %zu", t->name,
                    (unsigned long long)(t->end - t->begin), n);
  return GA_NO_ERROR;
}

static int read_tensor(reading *r, gg__safetensor *t) {
  unsigned int seen = 0;
  int more;

  GA_TRY(gg__json_open(&r->json, '{'));
  for (int first = 1;; first = 0) {
    GA_TRY(gg__json_more(&r->json, '{', first, &more));
    if (!more)
      break;
    GA_TRY(gg__json_key(&r->json, &r->text));
    GA_TRY(read_member(r, t, &seen));
  }
  if (seen != 7)
    return ga__fail(GA_VALUE_ERROR,
                    "tensor \"%s\" lacks its dtype, shape or offsets", t->name);
  return check_bytes(t);
}

/* --- all of them --- */

static int take_name(reading *r, gg__safetensor *t) {
  t->name = keep(r);
  if (t->name == NULL)
    return ga__fail_nomem();
  if (ga__map_get(&r->names, t->name, strlen(t->name)) != NULL)
    return ga__fail(GA_VALUE_ERROR, "two tensors are called \"%.80s\"",
                    t->name);
  return ga__map_put(&r->names, t->name, strlen(t->name), r);
}

static int read_all(reading *r, gg__safetensors *list) {
  int more;

  GA_TRY(gg__json_open(&r->json, '{'));
  for (int first = 1;; first = 0) {
    gg__safetensor t = {.dtype = -1};

    GA_TRY(gg__json_more(&r->json, '{', first, &more));
    if (!more)
      return gg__json_end(&r->json);
    GA_TRY(gg__json_key(&r->json, &r->text));
    GA_TRY(take_name(r, &t));
    if (strcmp(t.name, "__metadata__") == 0) {
      GA_TRY(gg__json_skip(&r->json));
      continue;
    }
    GA_TRY(read_tensor(r, &t));
    GA_TRY(ga__vec_push(list, t));
  }
}

static int compare(const void *a, const void *b) {
  const gg__safetensor *x = a, *y = b;

  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return x->end != y->end ? (x->end < y->end ? -1 : 1)
                          : strcmp(x->name, y->name);
}

/* Check that tensors neither overlap nor leave gaps, and make offsets those in
 * the file. */
static int check_places(gg__safetensors *list, uint64_t start, uint64_t bytes) {
  uint64_t at = 0;

  if (list->n != 0)
    qsort(list->v, list->n, sizeof *list->v, compare);
  for (size_t i = 0; i < list->n; i++) {
    gg__safetensor *t = &list->v[i];

    if (t->begin != at || t->end > bytes)
      return ga__fail(
          GA_VALUE_ERROR,
          "tensor \"%.80s\" lies at %llu to %llu, expected %llu and "
          "at most %llu",
          t->name, (unsigned long long)t->begin, (unsigned long long)t->end,
          (unsigned long long)at, (unsigned long long)bytes);
    at = t->end;
    t->begin += start;
    t->end += start;
  }
  return at == bytes
             ? GA_NO_ERROR
             : ga__fail(GA_VALUE_ERROR, "%llu bytes follow the last tensor",
                        (unsigned long long)(bytes - at));
}

int gg__safetensors_read(gg__safetensors *list, ga__arena *arena,
                         const unsigned char *file, size_t n) {
  uint64_t length = 0;

  if (n < 8)
    return ga__fail(GA_VALUE_ERROR, "the file ends within its header");
  for (int i = 8; i-- > 0;)
    length = length << 8 | file[i];
  if (length > GG_SAFETENSORS_MOST || length > n - 8)
    return ga__fail(GA_VALUE_ERROR,
                    "the header has %llu bytes; %zu follow, and %u are allowed",
                    (unsigned long long)length, n - 8, GG_SAFETENSORS_MOST);
  const char *text = (const char *)file + 8;
  reading r = {.json = {text, text, text + length}, .arena = arena};
  int err = read_all(&r, list);
  ga__strb_clear(&r.text);
  ga__map_clear(&r.names);
  return err != GA_NO_ERROR ? err
                            : check_places(list, 8 + length, n - 8 - length);
}
