/* SPDX-License-Identifier: BSD-2-Clause */
/* The messages of the format, which onnx.proto defines, as tables. Records with
 * the values of absent fields come before the schemas that use them. */
#include <string.h>

#include "base/err.h"
#include "onnx/format/message.h"
#include "onnx/model.h"

/* The members `n` and `fields` of a schema. The macros below give a row of the
 * fields: one member, a list with its count, a record, a list of records. */
#define FIELDS(list) sizeof(list) / sizeof *(list), list
#define ONE(id, kind, type, member)                                            \
  { id, kind, offsetof(type, member), 0, NULL }
#define LIST(id, kind, type, member, count)                                    \
  { id, kind, offsetof(type, member), offsetof(type, count), NULL }
#define RECORD(id, kind, type, member, schema)                                 \
  { id, kind, offsetof(type, member), 0, &(schema) }
#define RECORDS(id, type, member, count, schema)                               \
  {                                                                            \
    id, GG_AS_RECORDS, offsetof(type, member), offsetof(type, count),          \
        &(schema)                                                              \
  }

/* --- tensors --- */

static const gg__field_spec entry_fields[] = {
    ONE(1, GG_AS_TEXT, gg__onnx_entry, key),
    ONE(2, GG_AS_TEXT, gg__onnx_entry, value),
};
static const gg__onnx_entry no_entry = {"", ""};
static const gg__schema entry_schema = {"entry", sizeof no_entry, &no_entry,
                                        FIELDS(entry_fields), NULL};

static int keep_message(void *record, gg__bytes message, const uint8_t *file) {
  gg__onnx_tensor *t = record;

  (void)file;
  t->message = message;
  return GA_NO_ERROR;
}

static const gg__field_spec tensor_fields[] = {
    LIST(1, GG_AS_INTS, gg__onnx_tensor, dims, nd),
    ONE(2, GG_AS_INT, gg__onnx_tensor, type),
    ONE(3, GG_AS_BYTES, gg__onnx_tensor, segment),
    ONE(8, GG_AS_TEXT, gg__onnx_tensor, name),
    ONE(9, GG_AS_BYTES, gg__onnx_tensor, raw),
    RECORDS(13, gg__onnx_tensor, entries, n_entries, entry_schema),
    ONE(14, GG_AS_INT, gg__onnx_tensor, is_external),
};
static const gg__onnx_tensor no_tensor = {.name = ""};
static const gg__schema tensor_schema = {"tensor", sizeof no_tensor, &no_tensor,
                                         FIELDS(tensor_fields), keep_message};

/* --- types --- */

static const gg__field_spec dim_fields[] = {
    ONE(1, GG_AS_INT, gg__onnx_dim, value),
    ONE(2, GG_AS_TEXT, gg__onnx_dim, name),
};
static const gg__onnx_dim open_dim = {-1, NULL};
static const gg__schema dim_schema = {"size", sizeof open_dim, &open_dim,
                                      FIELDS(dim_fields), NULL};

static const gg__field_spec shape_fields[] = {
    RECORDS(1, gg__onnx_shape, dims, nd, dim_schema),
};
static const gg__schema shape_schema = {"shape", sizeof(gg__onnx_shape), NULL,
                                        FIELDS(shape_fields), NULL};

static const gg__field_spec tensor_type_fields[] = {
    ONE(1, GG_AS_INT, gg__onnx_tensor_type, elem),
    RECORD(2, GG_AS_POINTER, gg__onnx_tensor_type, shape, shape_schema),
};
static const gg__schema tensor_type_schema = {
    "tensor type", sizeof(gg__onnx_tensor_type), NULL,
    FIELDS(tensor_type_fields), NULL};

static const gg__field_spec type_fields[] = {
    RECORD(1, GG_AS_POINTER, gg__onnx_type, tensor, tensor_type_schema),
};
static const gg__schema type_schema = {"type", sizeof(gg__onnx_type), NULL,
                                       FIELDS(type_fields), NULL};

static const gg__field_spec info_fields[] = {
    ONE(1, GG_AS_TEXT, gg__onnx_info, name),
    RECORD(2, GG_AS_RECORD, gg__onnx_info, type, type_schema),
};
static const gg__onnx_info no_info = {.name = ""};
static const gg__schema info_schema = {"value", sizeof no_info, &no_info,
                                       FIELDS(info_fields), NULL};

/* --- nodes and graphs, which contain each other --- */

static const gg__schema graph_schema;

static const gg__field_spec attr_fields[] = {
    ONE(1, GG_AS_TEXT, gg__onnx_attr, name),
    ONE(2, GG_AS_FLOAT, gg__onnx_attr, f),
    ONE(3, GG_AS_INT, gg__onnx_attr, i),
    ONE(4, GG_AS_TEXT, gg__onnx_attr, s),
    RECORD(5, GG_AS_POINTER, gg__onnx_attr, t, tensor_schema),
    RECORD(6, GG_AS_POINTER, gg__onnx_attr, g, graph_schema),
    LIST(7, GG_AS_FLOATS, gg__onnx_attr, floats, n_floats),
    LIST(8, GG_AS_INTS, gg__onnx_attr, ints, n_ints),
    LIST(9, GG_AS_TEXTS, gg__onnx_attr, texts, n_texts),
    ONE(20, GG_AS_INT, gg__onnx_attr, kind),
    ONE(21, GG_AS_TEXT, gg__onnx_attr, ref),
};
static const gg__onnx_attr no_attr = {.name = "", .s = ""};
static const gg__schema attr_schema = {"attribute", sizeof no_attr, &no_attr,
                                       FIELDS(attr_fields), NULL};

static int keep_place(void *record, gg__bytes message, const uint8_t *file) {
  gg__onnx_node *n = record;

  n->at = message.p == NULL ? 0 : (size_t)(message.p - file);
  return GA_NO_ERROR;
}

static const gg__field_spec node_fields[] = {
    LIST(1, GG_AS_TEXTS, gg__onnx_node, in, n_in),
    LIST(2, GG_AS_TEXTS, gg__onnx_node, out, n_out),
    ONE(3, GG_AS_TEXT, gg__onnx_node, name),
    ONE(4, GG_AS_TEXT, gg__onnx_node, op),
    RECORDS(5, gg__onnx_node, attrs, n_attrs, attr_schema),
    ONE(7, GG_AS_TEXT, gg__onnx_node, domain),
    ONE(8, GG_AS_TEXT, gg__onnx_node, overload),
};
static const gg__onnx_node no_node = {
    .op = "", .domain = "", .name = "", .overload = ""};
static const gg__schema node_schema = {"node", sizeof no_node, &no_node,
                                       FIELDS(node_fields), keep_place};

static const gg__field_spec sparse_fields[] = {
    RECORD(1, GG_AS_RECORD, gg__onnx_sparse, values, tensor_schema),
};
static const gg__schema sparse_schema = {"sparse tensor",
                                         sizeof(gg__onnx_sparse), NULL,
                                         FIELDS(sparse_fields), NULL};

static const gg__field_spec graph_fields[] = {
    RECORDS(1, gg__onnx_graph, nodes, n_nodes, node_schema),
    RECORDS(5, gg__onnx_graph, tensors, n_tensors, tensor_schema),
    RECORDS(11, gg__onnx_graph, in, n_in, info_schema),
    RECORDS(12, gg__onnx_graph, out, n_out, info_schema),
    RECORDS(15, gg__onnx_graph, sparse, n_sparse, sparse_schema),
};
static const gg__schema graph_schema = {"graph", sizeof(gg__onnx_graph), NULL,
                                        FIELDS(graph_fields), NULL};

/* --- models --- */

static const gg__field_spec opset_fields[] = {
    ONE(1, GG_AS_TEXT, gg__onnx_opset, domain),
    ONE(2, GG_AS_INT, gg__onnx_opset, version),
};
static const gg__onnx_opset no_opset = {"", 0};
static const gg__schema opset_schema = {"opset", sizeof no_opset, &no_opset,
                                        FIELDS(opset_fields), NULL};

static const gg__field_spec function_fields[] = {
    ONE(1, GG_AS_TEXT, gg__onnx_function, name),
    LIST(4, GG_AS_TEXTS, gg__onnx_function, in, n_in),
    LIST(5, GG_AS_TEXTS, gg__onnx_function, out, n_out),
    RECORDS(7, gg__onnx_function, nodes, n_nodes, node_schema),
    RECORDS(9, gg__onnx_function, opsets, n_opsets, opset_schema),
    ONE(10, GG_AS_TEXT, gg__onnx_function, domain),
    RECORDS(11, gg__onnx_function, defaults, n_defaults, attr_schema),
    ONE(13, GG_AS_TEXT, gg__onnx_function, overload),
};
static const gg__onnx_function no_function = {
    .name = "", .domain = "", .overload = ""};
static const gg__schema function_schema = {"function", sizeof no_function,
                                           &no_function,
                                           FIELDS(function_fields), NULL};

static const gg__field_spec model_fields[] = {
    ONE(1, GG_AS_INT, gg__onnx_model, ir_version),
    ONE(2, GG_AS_TEXT, gg__onnx_model, producer),
    RECORD(7, GG_AS_RECORD, gg__onnx_model, graph, graph_schema),
    RECORDS(8, gg__onnx_model, opsets, n_opsets, opset_schema),
    RECORDS(25, gg__onnx_model, functions, n_functions, function_schema),
};
static const gg__onnx_model no_model = {.producer = ""};
static const gg__schema model_schema = {"model", sizeof no_model, &no_model,
                                        FIELDS(model_fields), NULL};

int gg__onnx_read(gg__onnx_model *m, ga__arena *arena, gg__bytes file) {
  return gg__record_read(arena, &model_schema, file.p, file, m);
}

int gg__onnx_read_tensor(gg__onnx_tensor *t, ga__arena *arena, gg__bytes file) {
  return gg__record_read(arena, &tensor_schema, file.p, file, t);
}

int64_t gg__onnx_version(const gg__onnx_opset *opsets, size_t n,
                         const char *domain) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(opsets[i].domain, domain) == 0)
      return opsets[i].version;
  return 0;
}
