/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpugraph/save.h>
#include <string.h>

#include "onnx/save/savers.h"

#define SAME(name, op) {#name, op, NULL, NULL},
#define WRITE(name, how) {#name, NULL, gg__save_##how, NULL},
#define COMPOSE(name) {#name, NULL, NULL, gg__compose_##name},
static const gg__save_row rows[] = {
#include "onnx/save/save_table.def"
};

const gg__save_row *gg__save_find(const gg_op *op) {
  if (gg_op_form_of(op) == NULL)
    return NULL; /* an op of the user's may have the name of another */
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp(rows[i].name, op->name) == 0)
      return &rows[i];
  return NULL;
}
