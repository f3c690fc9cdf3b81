/* SPDX-License-Identifier: BSD-2-Clause */
/** \file save.h
 *  Save and load graphs as files and as text.
 *
 *      gg_graph_add_func(g, &train);
 *      gg_graph_save(g, "model.gg");
 *
 *      gg_graph *h = gg_graph_new(another_context);
 *      gg_graph_load(h, "model.gg");
 *      gg_func_new(&f, h, gg_graph_func(h, "train"));
 *
 *  The text has one statement per line, such as
 *
 *      x = input float32[?, 784]
 *      w = shared float32[784, 10]
 *      p = softmax(dot(x, w))
 *      function predict(x) -> (p)
 *
 *  and a file is that text followed by the values. docs/save.md has the grammar
 *  and the format, byte by byte. Neither is trusted: reading gives a graph that
 *  could have been built, or an error with the line and column.
 */
#ifndef GPUGRAPH_SAVE_H
#define GPUGRAPH_SAVE_H

#include <gpugraph/func.h>
#include <gpugraph/op.h>

#ifdef __cplusplus
extern "C" {
#endif

/** \name Functions by name
 *  Functions that belong to a graph. They are saved with it, with everything
 *  that they need. */
/**@{*/
/** Add a function to the graph under spec->name, which must not be empty or
 *  taken (GA_VALUE_ERROR). Lists are copied; their variables belong to this
 *  graph. */
GG_PUBLIC int gg_graph_add_func(gg_graph *g, const gg_func_spec *spec);
/** Return the spec of the function `name`, for gg_func_new. Borrowed from the
 *  graph. NULL if there is none. */
GG_PUBLIC const gg_func_spec *gg_graph_func(const gg_graph *g,
                                            const char *name);
/** Return the spec of function `i`, in the order in which they were added, or
 *  NULL. Borrowed. */
GG_PUBLIC const gg_func_spec *gg_graph_func_at(const gg_graph *g, size_t i);
/** Return the oldest variable of that name, or NULL. Borrowed. */
GG_PUBLIC gg_var *gg_graph_find(const gg_graph *g, const char *name);
/**@}*/

/** \name Files */
/**@{*/
/** Write the graph's functions, its named variables, and all that these are
 *  computed from, with the present values of shared variables, to a file.
 *  Values are read from the device in pieces. Blocks. No function may change
 *  the values meanwhile.
 *
 *  A file at the path is replaced, or written to, as by GpuArray_save_npy()
 *  (gpuarray/npy.h): on failure, the old file stays, the message is the
 *  thread's (gpuarray_error_text), and the graph keeps no error, so that a
 *  program can try again. The same holds for the other functions here that
 *  write files or read values of variables. GA_SYS_ERROR when the
 *  system refuses; GA_UNSUPPORTED_ERROR for an op that is not registered
 *  (gg_op_register), and for loops nested more than 16 deep. */
GG_PUBLIC int gg_graph_save(gg_graph *g, const char *path);

/** Read a file, saved or text, into a graph. Its variables and functions are
 *  added to those of the graph. Values of shared variables go to the graph's
 *  context, or to others that the file names (gg_graph_load_with). A graph
 *  without a context (gg_graph_new(NULL)) gets shared variables without
 *  values, which is enough to inspect files.
 *
 *  GA_SYS_ERROR when the system refuses; GA_VALUE_ERROR for a file that is
 *  damaged, truncated, invalid or has a function whose name is taken;
 *  GA_UNSUPPORTED_ERROR for one of a later version or with unknown ops. On
 *  failure the graph is unchanged except for its error. */
GG_PUBLIC int gg_graph_load(gg_graph *g, const char *path);
/**@}*/

/** \name Contexts of files
 *  A context other than the graph's own (context.h) is saved by a name: the
 *  name by which it was read, else that of gg_context_register, else context1,
 *  context2, ... */
/**@{*/
/** A name of a context in a file, and the context for it. */
typedef struct gg_context_name {
  const char *name;
  gpucontext *ctx;
} gg_context_name;
/** A list of names for gg_load_options: GG_CONTEXTS({"left", a}, {"right",
 *  b}). */
#define GG_CONTEXTS(...) GG_LIST(gg_context_name, __VA_ARGS__)
/**@}*/

/** \name What the names in a file mean */
/**@{*/
typedef struct gg_load_options {
  /** Contexts for the names in the file. The list ends with an entry without a
   *  name; NULL: none. Several names may have one context, also the graph's
   *  own; transfers between them then vanish. Names that are not in the list
   *  are looked up by gg_context_get. GA_VALUE_ERROR, with the name, when the
   *  name is unknown or its context is gone. A graph without a context accepts
   *  all names. */
  const gg_context_name *contexts;
  /** Sizes of inputs that the file leaves open, by their names (GG_SIZES).
   *  Those that are not listed stay open, and calls decide. The list ends with
   *  a NULL name; NULL is an empty list. GA_VALUE_ERROR for a name that no size
   *  has, and for sizes that do not fit what is computed. */
  const gg_named_size *sizes;
} gg_load_options;

/** gg_graph_load with names that mean something. `o` may be NULL. */
GG_PUBLIC int gg_graph_load_with(gg_graph *g, const char *path,
                                 const gg_load_options *o);
/** The same for gg_graph_parse. */
GG_PUBLIC int gg_graph_parse_with(gg_graph *g, const char *name,
                                  const char *text, size_t bytes,
                                  const gg_load_options *o);
/**@}*/

/** \name Text */
/**@{*/
#define GG_TEXT_VALUES 1 /**< also print the values of shared variables */

/** Write the text of what gg_graph_save would save. It reads back as the same
 *  graph, with the same bits in constants. Without GG_TEXT_VALUES shared
 *  variables read back as zeros; with it, the call blocks. GA_SYS_ERROR when
 *  the text cannot be written; other errors as for gg_graph_save. */
GG_PUBLIC int gg_graph_print(gg_graph *g, FILE *f, int flags);

/** Read `bytes` bytes of text into a graph, as gg_graph_load does. `name`
 *  appears in messages. */
GG_PUBLIC int gg_graph_parse(gg_graph *g, const char *name, const char *text,
                             size_t bytes);
/**@}*/

/** \name Values in safetensors files
 *  Tensors by name, as Python's `safetensors` package has them: bool, integers,
 *  float16, bfloat16, float32 and float64. Hosts with the most significant byte
 *  first are not supported (GA_UNSUPPORTED_ERROR). Errors are also kept in the
 *  variables' graph. */
/**@{*/
/** Write the present values of shared variables, under their names. The list
 *  ends with NULL. A file at the path is replaced as by gg_graph_save. Blocks.
 *  GA_VALUE_ERROR for something else than a shared variable, and for a name
 *  that is empty, "__metadata__", no UTF-8, or that of two variables. */
GG_PUBLIC int gg_safetensors_save(gg_var *const *vars, const char *path);
/** Give shared variables the values that a file has under their names. Other
 *  tensors of the file are ignored. The list ends with NULL. Blocks.
 *
 *  The file is mapped, not copied, and not trusted. GA_VALUE_ERROR if it is
 *  damaged, lacks a name, or has another dtype or sizes that do not fit; then
 *  no variable is changed. GA_SYS_ERROR when the system refuses. */
GG_PUBLIC int gg_safetensors_load(gg_var *const *vars, const char *path);
/** Make a shared variable of each tensor of a file, in the graph's context, in
 *  the order in which their elements lie in the file. GA_VALUE_ERROR if the
 *  graph has a variable of that name; GA_UNSUPPORTED_ERROR for a tensor that no
 *  array can hold. Then no variable is made, unless the device fails. */
GG_PUBLIC int gg_safetensors_add(gg_graph *g, const char *path);
/**@}*/

/** \name Ops by name
 *  Files and texts refer to ops by name. Built-in ops are registered; register
 *  your own. */
/**@{*/
typedef enum gg_field_kind {
  GG_FIELD_INT,   /**< int */
  GG_FIELD_UINT,  /**< unsigned int */
  GG_FIELD_INT64, /**< int64_t */
  GG_FIELD_REAL,  /**< double, finite or not */
  GG_FIELD_DTYPE, /**< int: a dtype, by NumPy's name */
  GG_FIELD_FLAG,  /**< int: 0 or 1, as false or true */
  GG_FIELD_WORD,  /**< int: the index of one of `words` */
  GG_FIELD_AXES,  /**< unsigned int: bit i for axis i, as a list */
  GG_FIELD_TEXT   /**< char[most], padded with zeros; written in quotes */
} gg_field_kind;

/** The description of one property of an op. */
typedef struct gg_field {
  const char *name; /**< lower case letters, digits and _ */
  gg_field_kind kind;
  size_t at; /**< its offset in the properties, in bytes */
  /** Nonzero: a list (INT, UINT, INT64) of at most `most` elements. Its length
   *  is at offset `count_at`, in an integer of the size of an element; lists
   *  that share it have one length. Elements beyond the length are
   *  `otherwise`. */
  unsigned int most;
  size_t count_at;
  const char *const *words; /**< GG_FIELD_WORD: ends with NULL */
  int optional; /**< omitted in text if it is `otherwise` or empty */
  int64_t otherwise;
} gg_field;

/** How an op is written in files and texts. */
typedef struct gg_op_form {
  const gg_op *op;
  /** A letter for each operand: x anything, n a number, f a float, i an
   *  integer, l an integer or bool, b a bool. Operands with capital letters
   *  have the same dtype. A digit after the letter is the rank, ? after that
   *  marks an optional operand, and + at the end allows more of the last one.
   *  "F2F1": a matrix and a vector of the same dtype of floats. */
  const char *takes;
  unsigned int n_fields;
  const gg_field *fields; /**< all of props_bytes */
  /** Check properties and operands that come from a file, before any other
   *  function of the op runs: GA_NO_ERROR, or gg_op_fail. NULL: all that
   *  `takes` and the fields allow is valid. */
  int (*check)(const gg_apply *a);
} gg_op_form;

/** Register an op for files and texts. The form must stay valid until the
 *  process ends. Registering it again is accepted; GA_VALUE_ERROR when the
 *  name belongs to another op or is not a lower case word. Any thread may call
 *  this. */
GG_PUBLIC int gg_op_register(const gg_op_form *form);
/** Return the form of an op, built in or registered, by which its properties
 *  can be read; NULL if it has none. Borrowed; valid until the process ends. */
GG_PUBLIC const gg_op_form *gg_op_form_of(const gg_op *op);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
