/* SPDX-License-Identifier: BSD-2-Clause */
/* A message is walked twice: first the elements of its lists are counted, and
 * the lists get memory; then all fields are read. An element takes at least one
 * byte of the file, and a record at least two, which bounds the lists. */
#include "onnx/format/message.h"

#include <string.h>

#include "base/arith.h"
#include "base/err.h"

typedef struct reader {
  ga__arena *arena;
  const uint8_t *file;
  unsigned int depth;
  const char *failed; /* the innermost message with an error, or NULL */
} reader;

static const gg__field_spec *find(const gg__schema *s, uint32_t id) {
  for (size_t i = 0; i < s->n; i++)
    if (s->fields[i].id == id)
      return &s->fields[i];
  return NULL;
}

static size_t *count_of(const gg__field_spec *f, void *record) {
  return (size_t *)(void *)((char *)record + f->count_at);
}

static void *place_of(const gg__field_spec *f, void *record) {
  return (char *)record + f->at;
}

static void *list_of(const gg__field_spec *f, void *record) {
  void *list;

  memcpy(&list, place_of(f, record), sizeof list);
  return list;
}

static void *alloc(reader *r, size_t bytes) {
  void *p = ga__arena_alloc(r->arena, bytes);

  if (p == NULL)
    ga__fail_nomem();
  return p;
}

/* --- lists --- */

static int is_list(const gg__field_spec *f) {
  return f->kind >= GG_AS_INTS;
}

static size_t item_bytes(const gg__field_spec *f) {
  switch (f->kind) {
  case GG_AS_INTS:
    return sizeof(int64_t);
  case GG_AS_FLOATS:
    return sizeof(float);
  case GG_AS_TEXTS:
    return sizeof(char *);
  default:
    return f->what->bytes;
  }
}

static int wire_type(const gg__field_spec *f) {
  return f->kind == GG_AS_INTS ? GG_WIRE_VARINT : GG_WIRE_32;
}

static int count_field(const gg__field_spec *spec, const gg__field *f,
                       void *out) {
  size_t n = 1;

  if (spec->kind == GG_AS_INTS || spec->kind == GG_AS_FLOATS)
    GA_TRY(gg__wire_count(f, wire_type(spec), &n));
  *count_of(spec, out) += n;
  return GA_NO_ERROR;
}

/* Give each list memory for its elements. Counts become 0, and count what is
 * read from here. */
static int make_lists(reader *r, const gg__schema *s, void *out) {
  for (size_t i = 0; i < s->n; i++) {
    const gg__field_spec *f = &s->fields[i];

    if (!is_list(f) || *count_of(f, out) == 0)
      continue;
    void *list = alloc(r, ga__times(*count_of(f, out), item_bytes(f)));
    if (list == NULL)
      return GA_MEMORY_ERROR;
    memcpy(place_of(f, out), &list, sizeof list);
    *count_of(f, out) = 0;
  }
  return GA_NO_ERROR;
}

static int count_lists(reader *r, const gg__schema *s, gg__bytes message,
                       void *out) {
  gg__wire w = gg__wire_of(message);
  gg__field f;
  int more;

  for (;;) {
    GA_TRY(gg__wire_next(&w, &f, &more));
    if (!more)
      return make_lists(r, s, out);
    const gg__field_spec *spec = find(s, f.id);

    if (spec != NULL && is_list(spec))
      GA_TRY(count_field(spec, &f, out));
  }
}

/* --- fields --- */

static int read_text(reader *r, const gg__field *f, void *at) {
  GA_TRY(gg__field_is(f, GG_WIRE_BYTES));
  if (f->bytes.n > 0 && memchr(f->bytes.p, 0, f->bytes.n) != NULL)
    return ga__fail(GA_VALUE_ERROR, "a text has a byte 0");
  char *text = alloc(r, f->bytes.n + 1);
  if (text == NULL)
    return GA_MEMORY_ERROR;
  memcpy(text, f->bytes.p, f->bytes.n);
  memcpy(at, &text, sizeof text);
  return GA_NO_ERROR;
}

static int read_message(reader *r, const gg__schema *s, gg__bytes message,
                        void *out);

static int read_inner(reader *r, const gg__schema *s, const gg__field *f,
                      void *at) {
  GA_TRY(gg__field_is(f, GG_WIRE_BYTES));
  return read_message(r, s, f->bytes, at);
}

static int read_pointer(reader *r, const gg__schema *s, const gg__field *f,
                        void *at) {
  void *record = alloc(r, s->bytes);

  if (record == NULL)
    return GA_MEMORY_ERROR;
  memcpy(at, &record, sizeof record);
  return read_inner(r, s, f, record);
}

static int read_int(const gg__field *f, void *at) {
  GA_TRY(gg__field_is(f, GG_WIRE_VARINT));
  memcpy(at, &f->value, sizeof f->value);
  return GA_NO_ERROR;
}

static int read_float(const gg__field *f, void *at) {
  const uint32_t bits = (uint32_t)f->value;

  GA_TRY(gg__field_is(f, GG_WIRE_32));
  memcpy(at, &bits, sizeof bits);
  return GA_NO_ERROR;
}

static int read_bytes(const gg__field *f, void *at) {
  GA_TRY(gg__field_is(f, GG_WIRE_BYTES));
  memcpy(at, &f->bytes, sizeof f->bytes);
  return GA_NO_ERROR;
}

/* Append the elements of a field to their list, which has memory for them. */
static int read_item(reader *r, const gg__field_spec *spec, const gg__field *f,
                     void *out) {
  size_t *n = count_of(spec, out);
  char *list = list_of(spec, out);

  if (spec->kind == GG_AS_INTS || spec->kind == GG_AS_FLOATS)
    return gg__field_numbers(f, wire_type(spec), list, n);
  void *item = list + (*n)++ * item_bytes(spec);
  return spec->kind == GG_AS_TEXTS ? read_text(r, f, item)
                                   : read_inner(r, spec->what, f, item);
}

static int read_field(reader *r, const gg__field_spec *spec, const gg__field *f,
                      void *out) {
  void *at = place_of(spec, out);

  switch (spec->kind) {
  case GG_AS_INT:
    return read_int(f, at);
  case GG_AS_FLOAT:
    return read_float(f, at);
  case GG_AS_TEXT:
    return read_text(r, f, at);
  case GG_AS_BYTES:
    return read_bytes(f, at);
  case GG_AS_RECORD:
    return read_inner(r, spec->what, f, at);
  case GG_AS_POINTER:
    return read_pointer(r, spec->what, f, at);
  default:
    return read_item(r, spec, f, out);
  }
}

static int read_fields(reader *r, const gg__schema *s, gg__bytes message,
                       void *out) {
  gg__wire w = gg__wire_of(message);
  gg__field f;
  int more;

  for (;;) {
    GA_TRY(gg__wire_next(&w, &f, &more));
    if (!more)
      return GA_NO_ERROR;
    const gg__field_spec *spec = find(s, f.id);

    if (spec != NULL)
      GA_TRY(read_field(r, spec, &f, out));
  }
}

/* --- messages --- */

static int read_parts(reader *r, const gg__schema *s, gg__bytes message,
                      void *out) {
  if (r->depth > GG_RECORD_DEEP)
    return ga__fail(GA_VALUE_ERROR, "more than %d messages lie in each other",
                    GG_RECORD_DEEP);
  memset(out, 0, s->bytes);
  if (s->initial != NULL)
    memcpy(out, s->initial, s->bytes);
  GA_TRY(count_lists(r, s, message, out));
  GA_TRY(read_fields(r, s, message, out));
  return s->after == NULL ? GA_NO_ERROR : s->after(out, message, r->file);
}

static int read_message(reader *r, const gg__schema *s, gg__bytes message,
                        void *out) {
  r->depth++;
  int err = read_parts(r, s, message, out);
  r->depth--;
  /* The error names the innermost message only. */
  if (err == GA_VALUE_ERROR && r->failed == NULL) {
    r->failed = s->name;
    ga__fail(err, "%s at byte %zu: %s", s->name,
             message.p == NULL ? 0 : (size_t)(message.p - r->file),
             ga__err_text(err));
  }
  return err;
}

int gg__record_read(ga__arena *m, const gg__schema *s, const uint8_t *file,
                    gg__bytes message, void *out) {
  reader r = {.arena = m, .file = file};

  return read_message(&r, s, message, out);
}
