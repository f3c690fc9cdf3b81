/* SPDX-License-Identifier: BSD-2-Clause */
/* The ops that models may use. op_table.def is the only place that lists
 * them. */
#ifndef ONNX_OPS_OP_TABLE_H
#define ONNX_OPS_OP_TABLE_H

#include "onnx/ops/onnx_call.h"

/* The newest opset and the newest version of the format that are known. */
#define GG_ONNX_NEWEST 28
#define GG_ONNX_NEWEST_IR 14

/* The row for an op in a version of its domain, or NULL. *other gets the
 * op's row for the first opset, or NULL if the op has none. */
const gg__onnx_row *gg__onnx_find_op(const char *domain, const char *op,
                                     int64_t version,
                                     const gg__onnx_row **other);
/* Row i of the table; NULL beyond the last. */
const gg__onnx_row *gg__onnx_row_at(size_t i);
/* Check that the node of a call gives no more inputs than its row takes, and
 * only attributes that the row lists, with their kinds, each once. */
int gg__onnx_check_node(const gg__onnx_call *c);

#endif
