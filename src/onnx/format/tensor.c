/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements lie in the field raw_data, in a list of numbers, or in another file.
 * Memory is allocated only after their count was compared with the sizes. */
#include "onnx/format/tensor.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "base/err.h"

/* --- types --- */

/* Indexed by the types of the format. */
static const struct {
  const char *name;
  int dtype;     /* -1: arrays have no such elements */
  uint32_t list; /* the id of the field with its elements as a list */
} types[] = {
    [0] = {"undefined", -1, 0},
    [1] = {"float", GA_FLOAT, 4},
    [2] = {"uint8", GA_UBYTE, 5},
    [3] = {"int8", GA_BYTE, 5},
    [4] = {"uint16", GA_USHORT, 5},
    [5] = {"int16", GA_SHORT, 5},
    [6] = {"int32", GA_INT, 5},
    [7] = {"int64", GA_LONG, 7},
    [8] = {"string", -1, 6},
    [9] = {"bool", GA_BOOL, 5},
    [10] = {"float16", GA_HALF, 5},
    [11] = {"double", GA_DOUBLE, 10},
    [12] = {"uint32", GA_UINT, 11},
    [13] = {"uint64", GA_ULONG, 11},
    [14] = {"complex64", -1, 4},
    [15] = {"complex128", -1, 10},
    [16] = {"bfloat16", GA_BFLOAT, 5},
    [17] = {"float8e4m3fn", -1, 5},
    [18] = {"float8e4m3fnuz", -1, 5},
    [19] = {"float8e5m2", -1, 5},
    [20] = {"float8e5m2fnuz", -1, 5},
    [21] = {"uint4", -1, 5},
    [22] = {"int4", -1, 5},
    [23] = {"float4e2m1", -1, 5},
    [24] = {"float8e8m0", -1, 5},
    [25] = {"uint2", -1, 5},
    [26] = {"int2", -1, 5},
};

static int is_type(int64_t type) {
  return type >= 0 && type < (int64_t)(sizeof types / sizeof *types);
}

int gg__onnx_dtype(int64_t type) {
  return is_type(type) ? types[type].dtype : -1;
}

const char *gg__onnx_type_name(int64_t type) {
  return is_type(type) ? types[type].name : "unknown";
}

/* --- sizes --- */

size_t gg__onnx_tensor_count(const gg__onnx_tensor *t) {
  size_t n = 1;

  for (size_t i = 0; i < t->nd; i++)
    n *= (size_t)t->dims[i];
  return n;
}

size_t gg__onnx_tensor_bytes(const gg__onnx_tensor *t) {
  const int dtype = gg__onnx_dtype(t->type);
  size_t n = dtype < 0 ? 0 : ga__dtype_size(dtype);

  for (size_t i = 0; i < t->nd; i++)
    n = t->dims[i] < 0 ? 0 : ga__times(n, (size_t)t->dims[i]);
  return n;
}

static size_t bytes_of(const gg__onnx_tensor *t) {
  return gg__onnx_tensor_count(t) * ga__dtype_size(gg__onnx_dtype(t->type));
}

static int check_sizes(const gg__onnx_tensor *t) {
  const size_t item = ga__dtype_size(gg__onnx_dtype(t->type));
  size_t most = (size_t)SSIZE_MAX / item;

  if (t->nd > GG_MAX_ND)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "tensor \"%s\" has %zu dimensions, at most %d are "
                    "supported",
                    t->name, t->nd, GG_MAX_ND);
  /* Sizes beside a 0 must fit, too. */
  for (size_t i = 0; i < t->nd; i++) {
    if (t->dims[i] < 0)
      return ga__fail(GA_VALUE_ERROR, "tensor \"%s\": dim %zu: %lld is no size",
                      t->name, i, (long long)t->dims[i]);
    if (t->dims[i] != 0 && (uint64_t)t->dims[i] > most)
      return ga__fail(GA_XLARGE_ERROR, "tensor \"%s\" is too large", t->name);
    if (t->dims[i] != 0)
      most /= (size_t)t->dims[i];
  }
  return GA_NO_ERROR;
}

/* --- other files --- */

/* An open file. `location` is borrowed from the tensor that names it. */
typedef struct gg__onnx_file {
  struct gg__onnx_file *next;
  const char *location;
  gg__bytes bytes;
} gg__onnx_file;

void gg__onnx_files_clear(gg__onnx_files *f) {
  for (gg__onnx_file *k = f->open; k != NULL; k = k->next)
    gg__mapped_close(&k->bytes);
  f->open = NULL;
}

/* The path of a location, with links followed. GA_VALUE_ERROR if it is outside
 * of the folder. The caller frees it with free(). */
static int real_path(const gg__onnx_files *f, const char *location,
                     char **real) {
  const size_t n = strlen(f->folder);
  char *path = ga__malloc(n + strlen(location) + 2);

  *real = NULL;
  if (path == NULL)
    return ga__fail_nomem();
  memcpy(path, f->folder, n);
  path[n] = '/';
  strcpy(path + n + 1, location);
  *real = realpath(path, NULL);
  ga__free(path);
  if (*real == NULL)
    return ga__fail(GA_SYS_ERROR, "cannot find %s in %s", location, f->folder);
  if (strncmp(*real, f->folder, n) == 0 && ((*real)[n] == '/' || n == 1))
    return GA_NO_ERROR;
  free(*real);
  *real = NULL;
  return ga__fail(GA_VALUE_ERROR, "%s leaves the model's folder %s", location,
                  f->folder);
}

/* Map the file at `location`, once. */
static int open_file(gg__onnx_files *f, const char *location,
                     const gg__onnx_file **out) {
  gg__onnx_file *k = f->open;
  char *real;

  while (k != NULL && strcmp(k->location, location) != 0)
    k = k->next;
  *out = k;
  if (k != NULL)
    return GA_NO_ERROR;
  if (f->folder == NULL)
    return ga__fail(GA_VALUE_ERROR, "%s: the model has no folder", location);
  k = ga__arena_alloc(f->arena, sizeof *k);
  if (k == NULL)
    return ga__fail_nomem();
  GA_TRY(real_path(f, location, &real));
  int err = gg__mapped_open(&k->bytes, real);
  free(real);
  GA_TRY(err);
  k->location = location;
  k->next = f->open;
  f->open = k;
  *out = k;
  return GA_NO_ERROR;
}

static const char *entry(const gg__onnx_tensor *t, const char *key) {
  for (size_t i = 0; i < t->n_entries; i++)
    if (strcmp(t->entries[i].key, key) == 0)
      return t->entries[i].value;
  return NULL;
}

/* The value of an entry in bytes, or `missing` if there is no such entry. */
static int entry_number(const gg__onnx_tensor *t, const char *key,
                        size_t missing, size_t *n) {
  const char *text = entry(t, key);
  size_t v = 0;

  *n = missing;
  if (text == NULL)
    return GA_NO_ERROR;
  for (const char *p = text; *p != 0 || p == text; p++) {
    const size_t digit = (size_t)*p - '0';

    if (digit > 9 || v > (SIZE_MAX - digit) / 10)
      return ga__fail(GA_VALUE_ERROR, "tensor \"%s\": %s \"%.40s\" is no size",
                      t->name, key, text);
    v = v * 10 + digit;
  }
  *n = v;
  return GA_NO_ERROR;
}

static int external_bytes(const gg__onnx_tensor *t, gg__onnx_files *f,
                          gg__bytes *out) {
  const char *location = entry(t, "location");
  const gg__onnx_file *file;
  size_t at, n;

  if (location == NULL)
    return ga__fail(GA_VALUE_ERROR, "tensor \"%s\" names no file", t->name);
  GA_TRY(entry_number(t, "offset", 0, &at));
  GA_TRY(entry_number(t, "length", bytes_of(t), &n));
  GA_TRY(open_file(f, location, &file));
  if (at > file->bytes.n || n > file->bytes.n - at)
    return ga__fail(GA_VALUE_ERROR,
                    "tensor \"%s\": %zu bytes at %zu are not within the %zu "
                    "bytes of %s",
                    t->name, n, at, file->bytes.n, location);
  *out = (gg__bytes){at == 0 ? file->bytes.p : file->bytes.p + at, n};
  return GA_NO_ERROR;
}

/* --- lists of numbers --- */

static int wire_type(uint32_t list) {
  return list == 4 ? GG_WIRE_32 : list == 10 ? GG_WIRE_64 : GG_WIRE_VARINT;
}

/* Walk the fields with the elements. Count the elements; write them to `out`
 * unless it is NULL. */
static int walk_list(const gg__onnx_tensor *t, size_t *count, void *out) {
  const uint32_t list = types[t->type].list;
  gg__wire w = gg__wire_of(t->message);
  gg__field f;
  size_t n;
  int more;

  *count = 0;
  for (;;) {
    GA_TRY(gg__wire_next(&w, &f, &more));
    if (!more)
      return GA_NO_ERROR;
    if (f.id != list)
      continue;
    if (out != NULL)
      GA_TRY(gg__field_numbers(&f, wire_type(list), out, count));
    else {
      GA_TRY(gg__wire_count(&f, wire_type(list), &n));
      *count += n;
    }
  }
}

/* Shorten n integers of 8 bytes to `item` bytes each, in place. */
static void narrow(char *bytes, size_t n, size_t item) {
  uint64_t v;

  for (size_t i = 0; i < n; i++) {
    memcpy(&v, bytes + 8 * i, sizeof v);
    const uint8_t b = (uint8_t)v;
    const uint16_t h = (uint16_t)v;
    const uint32_t w = (uint32_t)v;
    const void *low = item == 1   ? (const void *)&b
                      : item == 2 ? (const void *)&h
                                  : (const void *)&w;

    memcpy(bytes + item * i, low, item);
  }
}

/* Elements of a list of numbers take at most 8 bytes while they are read. */
static int read_list(const gg__onnx_tensor *t, void **own) {
  const size_t item = ga__dtype_size(gg__onnx_dtype(t->type));
  const size_t n = gg__onnx_tensor_count(t);
  size_t count;

  *own = ga__calloc(n + 1, 8);
  if (*own == NULL)
    return ga__fail_nomem();
  GA_TRY(walk_list(t, &count, *own));
  if (wire_type(types[t->type].list) == GG_WIRE_VARINT && item < 8)
    narrow(*own, n, item);
  uint8_t *bools = *own;
  for (size_t i = 0; gg__onnx_dtype(t->type) == GA_BOOL && i < n; i++)
    bools[i] = bools[i] != 0; /* kernels rely on bools being 0 or 1 */
  return GA_NO_ERROR;
}

/* --- raw elements --- */

static int is_little_end_first(void) {
  const uint16_t one = 1;
  uint8_t first;

  memcpy(&first, &one, 1);
  return first == 1;
}

/* Copy the elements, with their bytes in the order of the host. */
static int copy_raw(gg__bytes raw, int dtype, void **own) {
  const size_t item = ga__dtype_size(dtype);

  *own = ga__malloc(raw.n + 1);
  if (*own == NULL)
    return ga__fail_nomem();
  uint8_t *p = *own;
  for (size_t i = 0; i < raw.n; i++)
    p[is_little_end_first() ? i : i / item * item + item - 1 - i % item] =
        dtype == GA_BOOL ? raw.p[i] != 0 : raw.p[i];
  return GA_NO_ERROR;
}

/* --- elements --- */

/* The bytes of the elements in a file. raw->p is NULL if they are a list of
 * numbers, or if the other file is empty. */
static int find_raw(const gg__onnx_tensor *t, gg__onnx_files *f,
                    gg__bytes *raw) {
  *raw = t->raw;
  return t->is_external == 1 ? external_bytes(t, f, raw) : GA_NO_ERROR;
}

static int check_count(const gg__onnx_tensor *t, size_t have, size_t want,
                       const char *what) {
  if (have != want)
    return ga__fail(GA_VALUE_ERROR,
                    "tensor \"%s\" has %zu %s, its sizes need %zu", t->name,
                    have, what, want);
  return GA_NO_ERROR;
}

int gg__onnx_tensor_check(const gg__onnx_tensor *t, gg__onnx_files *f) {
  gg__bytes raw;
  size_t n;

  if (gg__onnx_dtype(t->type) < 0)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "tensor \"%s\": elements of type %s (%lld)", t->name,
                    gg__onnx_type_name(t->type), (long long)t->type);
  if (t->segment.p != NULL)
    return ga__fail(GA_UNSUPPORTED_ERROR, "tensor \"%s\" is a part of one",
                    t->name);
  GA_TRY(check_sizes(t));
  GA_TRY(find_raw(t, f, &raw));
  if (raw.p != NULL || t->is_external == 1)
    return check_count(t, raw.n, bytes_of(t), "bytes");
  GA_TRY(walk_list(t, &n, NULL));
  return check_count(t, n, gg__onnx_tensor_count(t), "elements");
}

int gg__onnx_tensor_elements(const gg__onnx_tensor *t, gg__onnx_files *f,
                             const void **elements, void **own) {
  const int dtype = gg__onnx_dtype(t->type);
  gg__bytes raw;

  *own = NULL;
  GA_TRY(find_raw(t, f, &raw));
  *elements = raw.p;
  if (raw.p != NULL && dtype != GA_BOOL && is_little_end_first())
    return GA_NO_ERROR;
  GA_TRY(raw.p != NULL || t->is_external == 1 ? copy_raw(raw, dtype, own)
                                              : read_list(t, own));
  *elements = *own;
  return GA_NO_ERROR;
}
