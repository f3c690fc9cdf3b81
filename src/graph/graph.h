/* SPDX-License-Identifier: BSD-2-Clause */
/* The structures of graphs, shared by the files of this layer.
 *
 * Nodes are immutable and hash-consed: gg_op_apply with an op, properties and
 * inputs that exist already returns the node that exists. So equal subgraphs
 * are merged when they are built. Rewriting never changes a node: it rebuilds
 * the nodes that depend on a change, in topological order. */
#ifndef GRAPH_GRAPH_H
#define GRAPH_GRAPH_H

#include <gpugraph/debug.h>
#include <gpugraph/func.h>
#include <gpugraph/op.h>
#include <gpugraph/ops.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/dtype.h"
#include "base/err.h"
#include "base/map.h"
#include "base/strb.h"
#include "base/vec.h"
#include "graph/context_label.h"
#include "graph/node_table.h"

/* The value of a shared variable, always C contiguous. Reference-counted: each
 * variable that has it holds a reference. `version` increases when the sizes
 * or the buffer change. */
typedef struct gg__storage {
  atomic_uint refs;
  pthread_mutex_t lock; /* see gg__storage_lock */
  GpuArray value;
  uint64_t version; /* from 1 on */
  int lent;         /* the user may access its memory, too */
} gg__storage;

gg__storage *gg__storage_retain(gg__storage *s);
void gg__storage_release(gg__storage *s); /* accepts NULL */
/* Make *view a view of a shared variable's present value. The caller clears
 * it, and needs no lock to use it. */
int gg__shared_view(const gg_var *v, GpuArray *view);
/* Create a variable that owns the caller's reference to `s`. `dims` are the
 * sizes in its type, which the value in `s` has. On failure `s` is released. */
gg_var *gg__shared_var(gg_graph *g, const char *name, gg__storage *s,
                       const int64_t *dims);
gg__storage *gg__storage_new(void); /* NULL when out of memory */
/* Set dtype and sizes without device memory, for graphs without a context. */
int gg__storage_size(gg__storage *s, int dtype, unsigned int nd,
                     const size_t *dims);
/* Copy the present sizes of a shared variable to dims[0], ... */
void gg__shared_dims(const gg_var *v, size_t *dims);
/* Hold this lock around every use of a storage's value except its
 * initialisation: functions in several threads may share and replace it. Take
 * several such locks in the order of their addresses (func/locks.c). Take no
 * other lock of this library after them. */
void gg__storage_lock(gg__storage *s);
void gg__storage_unlock(gg__storage *s);

typedef enum gg__var_kind {
  GG_VAR_INPUT,
  GG_VAR_SHARED,
  GG_VAR_CONST,
  GG_VAR_COMPUTED
} gg__var_kind;

/* What a builder that is composed of others was called with (composed.c); in
 * the arena of its variables' graph. */
struct gg_parts {
  const gg_op *op;  /* only its name is used */
  const char *rule; /* for its operands, or NULL */
  unsigned int n_in;
  gg_var *in[]; /* NULL: rewriting has removed it */
};

/* A site in the user's program; file is NULL if it is unknown. */
typedef struct gg__site {
  const char *file;
  int line;
  /* For a variable that a gradient, a rule or a macro made from another one:
   * the op that the user applied there. Else NULL. */
  const gg_op *op;
  const gg_parts *parts; /* with which operands, or NULL if that is not known */
} gg__site;

/* What the data of a weak constant points to. */
typedef struct gg__weak {
  union {
    float real;
    int64_t whole;
  } element;
  double value; /* that it was made of */
} gg__weak;

struct gg_var {
  gg_type type;
  gg__var_kind kind;
  unsigned int index; /* which output of owner */
  unsigned int id;    /* position in graph->vars; stable order of creation */
  const char *name;   /* "" if unnamed */
  gg_graph *graph;
  gg_apply *owner;      /* NULL for leaves */
  gg__storage *storage; /* GG_VAR_SHARED */
  const void *data;     /* GG_VAR_CONST: C order, in the arena */
  size_t data_bytes;
  gg__site site; /* where it was built; the text is in the arena */
  const struct gg__host *test; /* test value (test_value.c), or NULL */
  /* GG_VAR_INPUT: names of open sizes by axis, NULL or "" where there is none;
   * in the arena. NULL: none has a name. */
  const char **size_names;
  gg_var *update;        /* GG_VAR_SHARED: new value by default, or NULL */
  unsigned char is_body; /* an input that is a row or a state of a loop */
  unsigned char weak;    /* GG_VAR_CONST: gg_weakness; `data` is gg__weak */
  unsigned char by_data; /* its sizes, or the value of a scalar, may follow from
                            what kernels compute (by_data.c) */
};

struct gg__inner; /* inner.h */

struct gg_graph {
  ga__arena arena;
  gpucontext *ctx;
  GA_VEC(const gg_func_spec *) funcs; /* in the arena */
  ga__map func_names;                 /* name -> one of `funcs` */
  gg__context_labels labels; /* from texts that were read; in the arena */
  GA_VEC(gg_var *) vars;
  GA_VEC(struct gg__inner *) inners; /* inside its nodes; retained */
  gg__node_table nodes;
  ga__map consts;  /* (dtype, dims, bytes or their digest) -> gg_var */
  int has_updates; /* a shared variable has or had a default update */
  int status;
  int guards_indices; /* its functions have an index guard */
  int is_compiled;    /* it belongs to a function; errors do not stick */
  ga__strb message;
  ga__strb key;            /* memory for the keys of constants, reused */
  gg__site from;           /* site of new nodes, if set (gg__site_from) */
  const gg_parts *builder; /* what is composed at present (gg_parts_begin), or
                              NULL */
  const char *file;        /* file name that was last copied to the arena */
  /* For messages: the node whose sizes a call computes (gg__apply_sizes), and
   * those of its inputs; else NULL. */
  const gg_apply *sized;
  const gg_dims *sizes;
  /* Computes the test values of a new node whose inputs have some; NULL until
   * an input has one (test_value.c). */
  int (*test_node)(gg_apply *a);
  GA_VEC(void *) tests; /* data of test values */
  gg_print_fn on_print; /* or NULL; gets print_arg */
  void *print_arg;
  void *kept; /* compiled functions for gg_eval, or NULL */
  void (*free_kept)(void *kept);
};

/* Set the default update of a shared variable. NULL: none. */
static inline void gg__set_update(gg_var *shared, gg_var *value) {
  shared->graph->has_updates |= value != NULL;
  shared->update = value;
}

/* Free the compiled functions for gg_eval, because what they compute has
 * changed. */
void gg__graph_drop_kept(gg_graph *g);

/* Remove all but the first `n_vars` variables, with their nodes. Their memory
 * stays until the graph is freed. Nothing else may refer to them. */
void gg__graph_truncate(gg_graph *g, size_t n_vars);

/* Create an empty graph in `ctx` with the print callback and the index guard
 * of `g`. NULL when out of memory. */
gg_graph *gg__graph_beside(const gg_graph *g, gpucontext *ctx);

/* --- site.c --- */

/* The site of new nodes of `g`: that of gg__site_from, else that of this
 * thread. */
const gg__site *gg__site_now(const gg_graph *g);
/* From now on new nodes get the site of `v`, without parts if `v` belongs to
 * another graph. Returns the previous g->from, which the caller restores. */
gg__site gg__site_from(gg_graph *g, const gg_var *v);
/* The op that the user applied, if `v` was made from the result of another op;
 * else NULL. */
const gg_op *gg__made_from(const gg_var *v);
/* Copy the present site to *out and its file name to the graph's arena. 0 when
 * out of memory. */
int gg__site_keep(gg_graph *g, gg__site *out);
/* Append " (model.c:42)", or nothing if the site is unknown. */
void gg__site_append(ga__strb *b, const gg__site *s);
/* Add the site of `v` to the thread's message for `err`; returns `err`. */
int gg__blame(int err, const gg_var *v);

/* --- composed.c --- */

/* What a builder was called with, in the arena of g. NULL: no memory. */
const gg_parts *gg__parts_of(gg_graph *g, const gg_op *op, const char *rule,
                             unsigned int n, gg_var *const *in);
/* The same without operands yet. */
struct gg_parts *gg__parts_new(gg_graph *g, const gg_op *op, const char *rule,
                               unsigned int n);

/* --- errors.c --- */

enum { GG_SIZED_TEXT = 160 }; /* bytes; enough for GG_MAX_ND sizes */
/* Write "float32[2, 3]" for the type of v, with the sizes of `d` unless it is
 * NULL. Returns `text`. */
char *gg__sized_text(char text[GG_SIZED_TEXT], const gg_var *v,
                     const gg_dims *d);
/* Append "op(float32[2, 3], float32[3]): " and the rule, if there is one.
 * `dims` gives the sizes of an operand, or NULL if they are not known; it is
 * NULL if types are all that is known. */
void gg__parts_append(ga__strb *b, const gg_parts *p,
                      const gg_dims *(*dims)(const void *arg, const gg_var *v),
                      const void *arg);
/* Record an error in the graph, unless it has one already. Returns `code`. g
 * may be NULL. */
int gg__fail(gg_graph *g, int code, const char *fmt, ...) GPUARRAY_PRINTF(3, 4);
int gg__fail_nomem(gg_graph *g);
/* Record the error of an inner call with the thread's message. Returns `err`,
 * which may be GA_NO_ERROR. */
int gg__fail_err(gg_graph *g, int err);
/* Return `err` of a function that only reads a graph without errors: the graph
 * keeps none, and the message is the thread's alone. */
int gg__fail_apart(gg_graph *g, int err);
/* Make the graph's error, if it has one, the thread's last error again. */
void gg__fail_again(const gg_graph *g);
/* gg__fail with a complete message, to which no site is appended. */
int gg__fail_text(gg_graph *g, int code, const char *text);

/* Create a variable in the graph. A computed variable joins the graph later,
 * with its owner. `name` is copied (NULL: none). NULL, with the error
 * recorded, when out of memory. */
gg_var *gg__var_new(gg_graph *g, gg__var_kind kind, const gg_type *type,
                    const char *name);

/* From now on, the graph creates a new constant for the value of v. */
void gg__constant_forget(const gg_var *v);

/* Create a leaf of the same kind, type, names and value or storage in graph
 * `g`. */
gg_var *gg__clone_leaf(gg_graph *g, const gg_var *v);
/* Give `to` the names of the sizes of `from`, which has the same type. */
int gg__size_names_copy(gg_var *to, const gg_var *from);

/* --- order.c --- */

/* Ids of variables are a topological order: a node's outputs have greater ids
 * than its inputs. The outputs of one node have consecutive ids. */

/* The graph of the first of n variables that is not NULL, or NULL. */
const gg_graph *gg__graph_of(size_t n, gg_var *const *vars);

/* Nodes that the n variables depend on, in the order of creation: inputs
 * before users, each once. NULL variables are skipped; the others belong to
 * one graph. The caller clears the vector. */
typedef GA_VEC(gg_apply *) gg__order;
int gg__toposort(gg__order *out, size_t n, gg_var *const *vars);

/* Count the uses of each variable that the n outputs depend on. Being an
 * output counts as one use. *out is indexed by id. */
typedef GA_VEC(unsigned int) gg__uses;
int gg__count_uses(gg__uses *out, const gg_graph *g, size_t n,
                   gg_var *const *vars);
/* The same with the order of the nodes given (gg__toposort). */
int gg__count_ordered_uses(gg__uses *out, const gg_graph *g,
                           const gg__order *order, size_t n,
                           gg_var *const *vars);

/* --- substitute.c --- */

/* A substitution: it maps the old variables, all of one graph, to variables of
 * `g` (the same graph or another one). Rebuilding copies the needed part of
 * the old graph into `g`. Within one graph, variables that depend on no mapped
 * variable stay the same. */
typedef struct gg__rebuilding {
  gg_var *v;
  unsigned int next; /* inputs before it are mapped */
} gg__rebuilding;
typedef struct gg__subst {
  gg_graph *g;
  GA_VEC(gg_var *) map; /* map.v[old->id], NULL if not mapped yet */
  /* Reused memory: variables whose inputs are being rebuilt, and the new
   * inputs of one node. */
  GA_VEC(gg__rebuilding) stack;
  GA_VEC(gg_var *) in;
  const gg_parts *parts_from; /* those that were mapped last, */
  struct gg_parts *parts;     /* and their copy */
} gg__subst;
void gg__subst_init(gg__subst *s, gg_graph *to);
int gg__subst_put(gg__subst *s, const gg_var *from, gg_var *to);
gg_var *gg__subst_get(const gg__subst *s, const gg_var *from);
/* Rebuild `v` and everything that it depends on and that is not mapped yet;
 * maps what it rebuilds. Returns the new variable. NULL, with the error in
 * `g`, when an op refuses its new inputs. */
gg_var *gg__subst_apply(gg__subst *s, gg_var *v);
/* `b` is a new node: `a` on inputs of which more or fewer sizes are known.
 * Output sizes that are known in `a` become known in `b`. A size that is
 * unknown in `a` and 1 in `b` becomes unknown in `b`: an axis that is known to
 * be 1 broadcasts, and ops refuse it beside an unknown size. */
void gg__keep_sizes(const gg_apply *a, gg_apply *b);
void gg__subst_clear(gg__subst *s);

/* The parts of `p` with those variables that its operands are mapped to. NULL
 * gives NULL, and so does a lack of memory: messages are shorter then. */
const gg_parts *gg__parts_mapped(gg__subst *s, const gg_parts *p);
/* gg__site_from for `v`, which is rebuilt in s->g: its parts are mapped. */
gg__site gg__site_mapped(gg__subst *s, const gg_var *v);
/* The same for what a macro becomes; `a` is its node in s->g. */
gg__site gg__site_lowered(gg__subst *s, const gg_var *v, const gg_apply *a);

/* The name of a variable in error messages. */
const char *gg__display_name(const gg_var *v);
/* Describe what computes `v`: "reduce{sum axis=0}", "w (shared)", "0.5".
 * Returns `buf`, always terminated. */
char *gg__var_label(const gg_var *v, char *buf, size_t bytes);

/* Nonzero if the op needs input `i` only as a scalar on the host
 * (gg_op.number_only). */
static inline int gg__number_only(const gg_apply *a, unsigned int i) {
  return (int)(a->op->number_only >> (i < 31 ? i : 31) & 1u);
}

/* Set `by_data` of the outputs of a node whose types are known. */
void gg__find_by_data(const gg_apply *a);

/* Nonzero if a gradient can pass from output `out` to input `in`. */
static inline int gg__is_connected(const gg_apply *a, unsigned int in,
                                   unsigned int out) {
  return !gg_apply_shape_only(a, in) && !gg__number_only(a, in) &&
         (a->op->connected == NULL || a->op->connected(a, in, out));
}

/* GA_NO_ERROR, or an error with the op's reason if it has no gradient by input
 * `i` (op->no_grad). */
int gg__has_gradient(const gg_apply *a, unsigned int i);

/* The input that an output may overwrite, or -1. */
static inline int gg__destroyed(const gg_apply *a, unsigned int out) {
  return a->op->destroys != NULL ? a->op->destroys(a, out) : -1;
}

/* --- dims.c --- */

size_t gg__dims_size(const gg_dims *d); /* number of elements */
/* Set *d to the sizes of a type, all of which are known. */
void gg__dims_of_type(gg_dims *d, const gg_type *t);
/* Compute the sizes of a node's outputs. host[i] is the scalar in input i,
 * NULL if unknown. An op that fails may record its message in the graph; other
 * messages are the thread's only. */
int gg__apply_sizes(const gg_apply *a, const gg_dims *in,
                    const double *const *host, gg_dims *out);

/* --- op_context.c --- */

extern const gg_op gg__op_transfer;
/* The context to which a node of gg__op_transfer moves its input. */
gpucontext *gg__transfer_target(const gg_apply *a);
/* Set the contexts of the outputs' types. GA_VALUE_ERROR when the inputs are
 * in different contexts. */
int gg__infer_contexts(const gg_apply *a, gg_type *types);
enum { GG_CONTEXT_TEXT = 288 /* bytes; enough for gg_context_text */ };

/* gg_transfer that does not check `ctx`: the context may be gone, or a
 * placeholder of a text that was read without contexts. */
gg_var *gg__transfer_to(gg_var *x, gpucontext *ctx);
/* The same constant in context `ctx` (NULL: it goes with any). */
gg_var *gg__constant_in(const gg_var *v, gpucontext *ctx);

/* --- op_half.c --- */

/* Nonzero if the op supports operands of narrow floats. */
int gg__knows_half(const gg_op *op);
/* Nonzero if it has such operands although its op does not support them. */
int gg__needs_floats(const gg_apply *a);
/* The dtype's name if some of its operands are narrow floats that were cast
 * for it, else NULL. */
const char *gg__widened_from(const gg_apply *a);
/* `a` is `old` on mapped inputs. Map the outputs of `old` to those of `a`,
 * computed in float32 and cast back. */
int gg__use_floats(gg__subst *s, const gg_apply *old, const gg_apply *a);

/* Nonzero for NULL, and for the mark that a list has in place of NULL
 * (list.c). */
int gg__is_missing(const void *member);
/* The length of a list that ends with NULL. NULL is an empty list. */
static inline size_t gg__list_length(gg_var *const *list) {
  size_t n = 0;

  while (list != NULL && list[n] != NULL)
    n++;
  return n;
}

static inline int gg__list_has(gg_var *const *list, const gg_var *v) {
  while (list != NULL && *list != NULL && *list != v)
    list++;
  return list != NULL && *list != NULL;
}

static inline int gg__is_float(const gg_var *v) {
  return ga__dtype_kind(v->type.dtype) == GA_KIND_FLOAT;
}

static inline int gg__is_complex(const gg_var *v) {
  return ga__dtype_is_complex(v->type.dtype);
}

/* Nonzero if the first result of a node or an operand is complex. */
static inline int gg__has_complex(const gg_apply *a) {
  int found = gg__is_complex(a->out[0]);

  for (unsigned int i = 0; i < a->n_in; i++)
    found |= gg__is_complex(a->in[i]);
  return found;
}

/* Call gg_op.grad of the node, or what GG_ANALYTIC says if something of it is
 * complex. */
int gg__apply_gradient(const gg_apply *a, gg_var *const *gout, gg_var **gin);

/* Floats and complex numbers have gradients. */
static inline int gg__is_smooth(const gg_var *v) {
  return gg__is_float(v) || gg__is_complex(v);
}

/* Number of elements, or GG_ANY. */
int64_t gg__type_size(const gg_type *t);
int gg__type_equal(const gg_type *a, const gg_type *b);
/* Nonzero if a value of type `from` may be used as one of type `to`: same
 * dtype and rank, sizes equal or unknown. */
int gg__type_fits(const gg_type *from, const gg_type *to);

#endif
