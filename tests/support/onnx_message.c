/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/onnx_message.h"

#include <stdio.h>
#include <string.h>

static void put_varint(message *m, uint64_t v) {
  for (; v >= 0x80; v >>= 7)
    m->bytes[m->n++] = (uint8_t)(v | 0x80);
  m->bytes[m->n++] = (uint8_t)v;
}

void put_int(message *m, unsigned int id, int64_t v) {
  put_varint(m, id << 3);
  put_varint(m, (uint64_t)v);
}

void put_bytes(message *m, unsigned int id, const void *p, size_t n) {
  put_varint(m, id << 3 | 2);
  put_varint(m, n);
  memcpy(m->bytes + m->n, p, n);
  m->n += n;
}

void put_text(message *m, unsigned int id, const char *text) {
  put_bytes(m, id, text, strlen(text));
}

void put_message(message *m, unsigned int id, const message *inner) {
  put_bytes(m, id, inner->bytes, inner->n);
}

void put_typed(message *graph, unsigned int id, const char *name, int elem,
               size_t nd, const int64_t *dims) {
  message shape = {.n = 0}, tensor = {.n = 0}, type = {.n = 0},
          value = {.n = 0};

  for (size_t i = 0; i < nd; i++) {
    message dim = {.n = 0};

    if (dims[i] < 0)
      put_text(&dim, 2, "batch");
    else
      put_int(&dim, 1, dims[i]);
    put_message(&shape, 1, &dim);
  }
  put_int(&tensor, 1, elem);
  put_message(&tensor, 2, &shape);
  put_message(&type, 1, &tensor);
  put_text(&value, 1, name);
  put_message(&value, 2, &type);
  put_message(graph, id, &value);
}

void put_value(message *graph, unsigned int id, const char *name, size_t nd,
               const int64_t *dims) {
  put_typed(graph, id, name, 1, nd, dims);
}

void put_words(message *m, unsigned int id, const char *text) {
  char words[200];

  snprintf(words, sizeof words, "%s", text == NULL ? "" : text);
  for (char *w = strtok(words, " "); w != NULL; w = strtok(NULL, " "))
    put_text(m, id, strcmp(w, "-") == 0 ? "" : w);
}

void put_node_in(message *graph, unsigned int id, const char *op,
                 const char *in, const char *out, const message *attrs) {
  message node = {.n = 0};

  put_words(&node, 1, in);
  put_words(&node, 2, out);
  put_text(&node, 4, op);
  if (attrs != NULL) {
    memcpy(node.bytes + node.n, attrs->bytes, attrs->n);
    node.n += attrs->n;
  }
  put_message(graph, id, &node);
}

void put_node(message *graph, const char *op, const char *in, const char *out,
              const message *attr) {
  message attrs = {.n = 0};

  if (attr != NULL)
    put_message(&attrs, 5, attr);
  put_node_in(graph, 1, op, in, out, &attrs);
}

message number(const char *name, int64_t v) {
  message m = {.n = 0};

  put_text(&m, 1, name);
  put_int(&m, 3, v);
  put_int(&m, 20, 2);
  return m;
}

void put_elements(message *graph, const char *name, int type, size_t nd,
                  int64_t n, const void *data) {
  message t = {.n = 0};

  if (nd == 1)
    put_int(&t, 1, n);
  put_int(&t, 2, type);
  put_text(&t, 8, name);
  put_bytes(&t, 9, data, (size_t)n * (type == 1 ? 4 : 8));
  put_message(graph, 5, &t);
}

void put_tensor(message *graph, const char *name, int64_t n, const float *data,
                size_t bytes) {
  message t = {.n = 0};

  put_int(&t, 1, n);
  put_int(&t, 2, 1);
  put_text(&t, 8, name);
  put_bytes(&t, 9, data, bytes);
  put_message(graph, 5, &t);
}

void put_model(message *m, const message *graph, int64_t opset) {
  message import = {.n = 0};

  put_int(&import, 2, opset);
  put_int(m, 1, 8);
  put_message(m, 7, graph);
  put_message(m, 8, &import);
}
