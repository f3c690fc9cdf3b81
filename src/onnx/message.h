/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages to structures, by tables of their fields. */
#ifndef ONNX_MESSAGE_H
#define ONNX_MESSAGE_H

#include "base/arena.h"
#include "onnx/wire.h"

typedef struct gg__schema gg__schema;

/* What a field becomes. Of a field that is given twice the last one counts. */
typedef enum gg__field_kind {
  GG_AS_INT,     /* int64_t */
  GG_AS_FLOAT,   /* float */
  GG_AS_TEXT,    /* const char *, a copy; NULL: not given */
  GG_AS_BYTES,   /* gg__bytes; p is NULL: not given */
  GG_AS_RECORD,  /* a record in place */
  GG_AS_POINTER, /* a pointer to a record; NULL: not given */
  GG_AS_INTS,    /* lists: a pointer, and a size_t that counts */
  GG_AS_FLOATS,
  GG_AS_TEXTS,
  GG_AS_RECORDS
} gg__field_kind;

typedef struct gg__field_spec {
  uint32_t id; /* the field's number in the message */
  gg__field_kind kind;
  size_t at;              /* where in the structure */
  size_t count_at;        /* of a list */
  const gg__schema *what; /* of records */
} gg__field_spec;

/* A kind of message. Fields that it does not list are skipped. */
struct gg__schema {
  const char *name;
  size_t bytes;        /* of the structure */
  const void *initial; /* what it has before anything is read; NULL: zeros */
  size_t n;
  const gg__field_spec *fields;
  /* Called after all fields are read; may be NULL. */
  int (*after)(void *record, gg__bytes message, const uint8_t *file);
};

/* Messages within messages may be this deep. */
#define GG_RECORD_DEEP 100

/* Read a message into *out, with lists and texts in the arena. Failures name
 * the offset in the file that `file` starts. */
int gg__record_read(ga__arena *m, const gg__schema *s, const uint8_t *file,
                    gg__bytes message, void *out);

#endif
