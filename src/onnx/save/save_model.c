/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements of tensors are not copied to memory: the lengths of all messages
 * follow from the sizes, and elements go from the device to the file. */
#include "onnx/save/save_model.h"

#include <gpuarray/stream.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "onnx/format/wire_out.h"

enum {
  ALIGN = 64,     /* of tensors in a file of their own, in bytes */
  SMALLEST = 1024 /* bytes of a tensor that goes there */
};

/* --- tensors --- */

static int write_piece(void *arg, const void *p, size_t n) {
  return ga__newfile_write(arg, p, n);
}

static int write_elements(ga__newfile *f, const gg__out_tensor *t) {
  GpuArray now = {0};

  if (t->shared == NULL)
    return t->bytes == 0 ? GA_NO_ERROR
                         : ga__newfile_write(f, t->data, t->bytes);
  GA_TRY(gg_shared_view(t->shared, &now));
  int err = GpuArray_stream_out(&now, write_piece, f);
  GpuArray_clear(&now);
  return err;
}

static void put_entry(ga__strb *tensor, const char *key, const char *value) {
  ga__strb m = GA_STRB_INIT;

  gg__put_text(&m, 1, key);
  gg__put_text(&m, 2, value);
  gg__put_message(tensor, 13, &m);
  ga__strb_clear(&m);
}

static void put_number(ga__strb *tensor, const char *key, uint64_t v) {
  char text[24];

  snprintf(text, sizeof text, "%llu", (unsigned long long)v);
  put_entry(tensor, key, text);
}

/* All of a tensor but its elements, which follow if they are in this file. */
static void put_tensor(ga__strb *m, const gg__out_tensor *t,
                       const char *location) {
  if (t->nd != 0)
    gg__put_ints(m, 1, t->nd, t->dims);
  gg__put_int(m, 2, gg__onnx_type_of(t->dtype));
  gg__put_text(m, 8, t->name);
  if (!t->is_external) {
    gg__put_head(m, 9, t->bytes);
    return;
  }
  put_entry(m, "location", location);
  put_number(m, "offset", t->at);
  put_number(m, "length", t->bytes);
  gg__put_int(m, 14, 1);
}

static uint64_t bytes_here(const gg__out_tensor *t) {
  return t->is_external ? 0 : t->bytes;
}

/* Put the head of a field, and the tensor's own fields, into *m. */
static int make_head(ga__strb *m, const gg__out_tensor *t,
                     const char *location) {
  ga__strb tensor = GA_STRB_INIT;

  ga__strb_reset(m);
  put_tensor(&tensor, t, location);
  gg__put_head(m, 5, tensor.n + bytes_here(t));
  ga__strb_append_n(m, ga__strb_text(&tensor), tensor.n);
  int err = tensor.err != GA_NO_ERROR ? tensor.err : m->err;
  ga__strb_clear(&tensor);
  return err;
}

/* --- the model --- */

/* The fields of a model before its graph, and the head of the graph, which has
 * n bytes. */
static void put_model(ga__strb *m, uint64_t n) {
  ga__strb opset = GA_STRB_INIT;

  gg__put_int(m, 1, GG_SAVE_IR);
  gg__put_text(m, 2, "gpugraph");
  gg__put_text(m, 3, GG_VERSION);
  gg__put_text(&opset, 1, "");
  gg__put_int(&opset, 2, GG_SAVE_OPSET);
  gg__put_message(m, 8, &opset);
  gg__put_head(m, 7, n);
  ga__strb_clear(&opset);
}

typedef struct writer {
  const ga__strb *graph;
  const gg__out_tensors *tensors;
  ga__newfile model, data;
  char *data_path;      /* NULL: there is no such file */
  const char *location; /* its name, a part of the path */
  ga__strb head;        /* reused */
} writer;

static int count_bytes(writer *w, uint64_t *n) {
  *n = w->graph->n;
  for (size_t i = 0; i < w->tensors->n; i++) {
    const gg__out_tensor *t = &w->tensors->v[i];

    GA_TRY(make_head(&w->head, t, w->location));
    *n += w->head.n;
    if (bytes_here(t) > GG_WIRE_MOST || *n + bytes_here(t) > GG_WIRE_MOST)
      return ga__fail(GA_XLARGE_ERROR,
                      "the model would have more than %u bytes, the most that "
                      "the format allows",
                      GG_WIRE_MOST);
    *n += bytes_here(t);
  }
  return GA_NO_ERROR;
}

static int write_model(writer *w) {
  uint64_t n;

  GA_TRY(count_bytes(w, &n));
  ga__strb_reset(&w->head);
  put_model(&w->head, n);
  GA_TRY(w->head.err);
  GA_TRY(ga__newfile_write(&w->model, w->head.s, w->head.n));
  GA_TRY(ga__newfile_write(&w->model, w->graph->s, w->graph->n));
  for (size_t i = 0; i < w->tensors->n; i++) {
    GA_TRY(make_head(&w->head, &w->tensors->v[i], w->location));
    GA_TRY(ga__newfile_write(&w->model, w->head.s, w->head.n));
    if (!w->tensors->v[i].is_external)
      GA_TRY(write_elements(&w->model, &w->tensors->v[i]));
  }
  return GA_NO_ERROR;
}

static int write_data(writer *w) {
  static const char zeros[ALIGN];
  uint64_t at = 0;

  for (size_t i = 0; i < w->tensors->n; i++) {
    const gg__out_tensor *t = &w->tensors->v[i];

    if (!t->is_external)
      continue;
    GA_TRY(ga__newfile_write(&w->data, zeros, (size_t)(t->at - at)));
    GA_TRY(write_elements(&w->data, t));
    at = t->at + t->bytes;
  }
  return GA_NO_ERROR;
}

/* --- where tensors go --- */

/* Decide which tensors go to another file, and where. */
static int place(gg__out_tensors *tensors, uint64_t above) {
  uint64_t all = 0, at = 0;
  int some = 0;

  for (size_t i = 0; i < tensors->n; i++)
    all += tensors->v[i].bytes;
  for (size_t i = 0; i < tensors->n; i++) {
    gg__out_tensor *t = &tensors->v[i];

    t->is_external = all > above && t->bytes >= SMALLEST;
    if (!t->is_external)
      continue;
    t->at = (at + ALIGN - 1) / ALIGN * ALIGN;
    at = t->at + t->bytes;
    some = 1;
  }
  return some;
}

static int name_data(writer *w, const char *path) {
  ga__strb b = GA_STRB_INIT;

  ga__strb_appendf(&b, "%s.data", path);
  GA_TRY(ga__strb_take(&b, &w->data_path));
  const char *slash = strrchr(w->data_path, '/');
  w->location = slash == NULL ? w->data_path : slash + 1;
  return GA_NO_ERROR;
}

static int write_files(writer *w, const char *path) {
  if (w->data_path != NULL) {
    GA_TRY(ga__newfile_open(&w->data, w->data_path, 0));
    GA_TRY(write_data(w));
  }
  GA_TRY(ga__newfile_open(&w->model, path, 0));
  GA_TRY(write_model(w));
  GA_TRY(ga__newfile_close(&w->data, 1));
  return ga__newfile_close(&w->model, 1);
}

int gg__save_model(const ga__strb *graph, gg__out_tensors *tensors,
                   const char *path, uint64_t external_above) {
  writer w = {.graph = graph,
              .tensors = tensors,
              .model = GA_NEWFILE_INIT,
              .data = GA_NEWFILE_INIT};
  int err = GA_NO_ERROR;

  if (place(tensors, external_above))
    GA_CHECK(name_data(&w, path));
  GA_CHECK(write_files(&w, path));
done:
  ga__newfile_close(&w.data, 0);
  ga__newfile_close(&w.model, 0);
  ga__strb_clear(&w.head);
  ga__free(w.data_path);
  return err;
}
