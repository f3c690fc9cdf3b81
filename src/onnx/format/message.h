/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads protobuf messages into C structures (records), by tables of fields. */
#ifndef ONNX_FORMAT_MESSAGE_H
#define ONNX_FORMAT_MESSAGE_H

#include "base/arena.h"
#include "onnx/format/wire.h"

typedef struct gg__schema gg__schema;

/* The member that a field becomes. If a field that is no list occurs twice, the
 * last one counts. */
typedef enum gg__field_kind {
  GG_AS_INT,     /* int64_t */
  GG_AS_FLOAT,   /* float */
  GG_AS_TEXT,    /* const char *, a copy */
  GG_AS_BYTES,   /* gg__bytes, borrowed from the file */
  GG_AS_RECORD,  /* a record as a member */
  GG_AS_POINTER, /* a pointer to a record */
  GG_AS_INTS,    /* from here on lists: a pointer, and a size_t that counts */
  GG_AS_FLOATS,
  GG_AS_TEXTS,
  GG_AS_RECORDS
} gg__field_kind;

typedef struct gg__field_spec {
  uint32_t id; /* the number of the field in onnx.proto */
  gg__field_kind kind;
  size_t at;              /* offset of the member in the record, in bytes */
  size_t count_at;        /* offset of a list's count */
  const gg__schema *what; /* for records */
} gg__field_spec;

/* A kind of message. Fields that are not listed are skipped. */
struct gg__schema {
  const char *name;
  size_t bytes;        /* of the record */
  const void *initial; /* a record with the values of absent fields, or NULL */
  size_t n;
  const gg__field_spec *fields;
  /* Called after all fields are read; may be NULL. */
  int (*after)(void *record, gg__bytes message, const uint8_t *file);
};

/* How deeply messages may nest. */
#define GG_RECORD_DEEP 100

/* Read a message into *out, with lists and texts in the arena. `file` is where
 * the file starts; the message of a GA_VALUE_ERROR has the offset in it. */
int gg__record_read(ga__arena *m, const gg__schema *s, const uint8_t *file,
                    gg__bytes message, void *out);

#endif
