/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes models in the ONNX format, field by field. */
#ifndef SUPPORT_ONNX_MESSAGE_H
#define SUPPORT_ONNX_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

typedef struct message {
  uint8_t bytes[8192];
  size_t n;
} message;

void put_int(message *m, unsigned int id, int64_t v);
void put_bytes(message *m, unsigned int id, const void *p, size_t n);
void put_text(message *m, unsigned int id, const char *text);
void put_message(message *m, unsigned int id, const message *inner);
/* An input (id 11) or output (12); a size below 0 has a name instead. */
void put_typed(message *graph, unsigned int id, const char *name, int elem,
               size_t nd, const int64_t *dims);
/* The same for float32. */
void put_value(message *graph, unsigned int id, const char *name, size_t nd,
               const int64_t *dims);
/* Put the words of a text; "-" stands for "". */
void put_words(message *m, unsigned int id, const char *text);
/* Field `id` of a graph is 1, of a function 7. `attrs` are fields of nodes. */
void put_node_in(message *graph, unsigned int id, const char *op,
                 const char *in, const char *out, const message *attrs);
/* Inputs and outputs are words of texts. */
void put_node(message *graph, const char *op, const char *in, const char *out,
              const message *attr);
/* An attribute with an integer. */
message number(const char *name, int64_t v);
/* A tensor of float32 (type 1) or int64 (type 7), or a scalar for nd = 0. */
void put_elements(message *graph, const char *name, int type, size_t nd,
                  int64_t n, const void *data);
/* A vector of n elements of float32, as so many bytes. */
void put_tensor(message *graph, const char *name, int64_t n, const float *data,
                size_t bytes);
void put_model(message *m, const message *graph, int64_t opset);

#endif
