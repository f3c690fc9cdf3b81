/* SPDX-License-Identifier: BSD-2-Clause */
/* Graphs of one node with known results: models are written, loaded and
 * called. */
#ifndef SUPPORT_ONNX_TRIAL_H
#define SUPPORT_ONNX_TRIAL_H

#include <gpugraph/gpugraph.h>
#include <gpugraph/onnx.h>

#include "support/onnx_message.h"

#define MOST 256 /* elements of an output */

/* A graph of one node with inputs a, b, ... and outputs y, z, ... */
typedef struct trial {
  message graph;
  size_t n_in, n_out;
  int open_batch; /* the first size of inputs is open */
  gg_host_array in[8], out[4];
  float got[4][MOST]; /* elements of outputs, of any dtype */
} trial;

/* `in` and `out` are words, `attrs` fields of the node or NULL. */
trial trial_new(const char *op, const char *in, const char *out,
                const message *attrs);
/* The next input: GA_FLOAT, GA_INT, GA_LONG or GA_UBYTE. */
void give(trial *t, int dtype, unsigned int nd, const size_t *dims,
          const void *data);
void run(trial *t, int64_t opset);
/* Loading fails, and the message contains `part`. */
void refuse(trial *t, int code, const char *part); /* opset 21 */
/* The model is loaded, but a call fails. */
void refuse_call(trial *t, int64_t opset, int code, const char *part);
void refuse_in(trial *t, int64_t opset, int code, const char *part);
/* Output i has n elements, which are close to these. */
void assert_output(const trial *t, size_t i, size_t n, const float *want);

#define GIVE(t, data, ...)                                                     \
  give(t, GA_FLOAT, sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t),          \
       (size_t[]){__VA_ARGS__}, data)
#define EXPECT(t, i, ...)                                                      \
  assert_output(t, i, sizeof((float[]){__VA_ARGS__}) / sizeof(float),          \
                (float[]){__VA_ARGS__})

/* --- attributes, as fields of a node --- */

void put_numbers(message *attrs, const char *name, size_t n,
                 const int64_t *list);
void put_word(message *attrs, const char *name, const char *text);
void put_float(message *attrs, const char *name, float v);
void put_floats(message *attrs, const char *name, size_t n, const float *list);
void put_list_of_words(message *attrs, const char *name, const char *words);

#define NUMBERS(attrs, name, ...)                                              \
  put_numbers(attrs, name, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), \
              (int64_t[]){__VA_ARGS__})

#endif
