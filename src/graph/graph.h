/* SPDX-License-Identifier: BSD-2-Clause */
/* The graph's own structures, shared by the files of this layer.
 *
 * Nodes are immutable and hash-consed: gg_op_apply with an op, properties and
 * inputs that exist already returns the node that exists. Merging equal
 * subgraphs is therefore done by construction, and rewriting never changes a
 * node: it rebuilds what depends on the change, in topological order. */
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

/* The value of a shared variable, always C contiguous. Counted: each graph that
 * has a variable for it holds one. `version` changes when sizes or buffer
 * do. */
typedef struct gg__storage {
  atomic_uint refs;
  pthread_mutex_t lock; /* see gg__storage_lock */
  GpuArray value;
  uint64_t version; /* from 1 on */
  int lent;         /* others may see its memory */
} gg__storage;

gg__storage *gg__storage_retain(gg__storage *s);
void gg__storage_release(gg__storage *s); /* accepts NULL */
/* A view of a shared variable's present value; work on it need not hold the
 * lock. */
int gg__shared_view(const gg_var *v, GpuArray *view);
/* The variable that takes over `s`; releases it on failure. */
gg_var *gg__shared_var(gg_graph *g, const char *name, gg__storage *s);
gg__storage *gg__storage_new(void); /* NULL when memory is out */
/* Give it sizes without memory: for graphs without a context. */
int gg__storage_size(gg__storage *s, int dtype, unsigned int nd,
                     const size_t *dims);
/* The sizes that a shared variable has at present. */
void gg__shared_dims(const gg_var *v, size_t *dims);
/* Hold this lock around every use of a storage's value except its
 * initialisation: functions in several threads may share and replace it. Take
 * several in the order of their addresses (func/locks.c), and no other lock of
 * this library after them. */
void gg__storage_lock(gg__storage *s);
void gg__storage_unlock(gg__storage *s);

typedef enum gg__var_kind {
  GG_VAR_INPUT,
  GG_VAR_SHARED,
  GG_VAR_CONST,
  GG_VAR_COMPUTED
} gg__var_kind;

/* A site in the user's program; file is NULL where it is unknown. */
typedef struct gg__site {
  const char *file;
  int line;
  /* What the user applied there, of variables that a gradient, a rule or a
   * macro made from that; else NULL. */
  const gg_op *op;
} gg__site;

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
  gg_var *update; /* GG_VAR_SHARED: new value by default, or NULL */
  unsigned char
      is_body; /* an input that stands for a row or a state of a loop */
};

struct gg__inner; /* inner.h */

struct gg_graph {
  ga__arena arena;
  gpucontext *ctx;
  GA_VEC(const gg_func_spec *) funcs; /* in the arena */
  ga__map func_names;                 /* name -> one of `funcs` */
  gg__context_labels labels;          /* of texts that were read; likewise */
  GA_VEC(gg_var *) vars;
  GA_VEC(struct gg__inner *) inners; /* of its nodes; retained */
  gg__node_table nodes;
  ga__map consts;  /* (dtype, dims, bytes or their digest) -> gg_var */
  int has_updates; /* a shared variable has or had one by default */
  int status;
  int guards_indices; /* functions of it do; a copy beside it does, too */
  int is_compiled;    /* it belongs to a function and keeps no errors */
  ga__strb message;
  ga__strb key;     /* scratch for the keys of constants */
  gg__site from;    /* of what new nodes are made from, if it has one */
  const char *file; /* last one in the arena */
  /* Computes the test values of a new node whose inputs have some; NULL until
   * an input has one (test_value.c). */
  int (*test_node)(gg_apply *a);
  GA_VEC(void *) tests; /* data of test values */
  gg_print_fn on_print; /* or NULL, with its argument */
  void *print_arg;
  void *kept; /* functions of it for gg_eval, or NULL */
  void (*free_kept)(void *kept);
};

/* Set the default update of a shared variable, or NULL. */
static inline void gg__set_update(gg_var *shared, gg_var *value) {
  shared->graph->has_updates |= value != NULL;
  shared->update = value;
}

/* Free the functions that a graph keeps for gg_eval, because what they compute
 * has changed. */
void gg__graph_drop_kept(gg_graph *g);

/* An empty graph in `ctx` that shows what is printed as `g` does; NULL when
 * memory is out. */
gg_graph *gg__graph_beside(const gg_graph *g, gpucontext *ctx);

/* --- site.c --- */

/* The present site of this thread. */
const gg__site *gg__site_now(const gg_graph *g);
/* From now on new nodes take the site of `v`; returns the previous origin,
 * which the caller restores. */
gg__site gg__site_from(gg_graph *g, const gg_var *v);
/* The op that the user applied, where `v` is made from another one; else
 * NULL. */
const gg_op *gg__made_from(const gg_var *v);
/* The present site with its text in the graph's arena; 0 when memory is out. */
int gg__site_keep(gg_graph *g, gg__site *out);
/* " (model.c:42)", or nothing. */
void gg__site_append(ga__strb *b, const gg__site *s);
/* Add the site of `v` to the thread's message for `err`; returns `err`. */
int gg__blame(int err, const gg_var *v);

/* Record the graph's first error; returns `code`. g may be NULL. */
int gg__fail(gg_graph *g, int code, const char *fmt, ...) GPUARRAY_PRINTF(3, 4);
int gg__fail_nomem(gg_graph *g);
/* Keep the failure of a call below with its message; returns `err`, which may
 * be GA_NO_ERROR. */
int gg__fail_err(gg_graph *g, int err);
/* The same with a complete message. */
int gg__fail_text(gg_graph *g, int code, const char *text);

/* A new variable that is in the graph already, named by a copy of `name` (NULL:
 * none); NULL, with the error kept, when memory is out. Computed variables are
 * not in the graph before their owner is. */
gg_var *gg__var_new(gg_graph *g, gg__var_kind kind, const gg_type *type,
                    const char *name);

/* A leaf of the same kind, type, name, value or storage in another graph. */
gg_var *gg__clone_leaf(gg_graph *g, const gg_var *v);

/* Ids of variables are a topological order: a node's outputs have greater ids
 * than its inputs, and ids in a row. */

/* Apply nodes that the n variables depend on, in the order of creation: inputs
 * before users, each once. NULL variables are skipped, the others are of one
 * graph. The caller clears the vector. */
typedef GA_VEC(gg_apply *) gg__order;
int gg__toposort(gg__order *out, size_t n, gg_var *const *vars);

/* Substitution of variables by id of the *old* variable, all of one graph;
 * rebuilding copies the needed part of it into `g` (the same or another one).
 * Variables that depend on nothing mapped stay the same in the same graph. */
typedef struct gg__rebuilding {
  gg_var *v;
  unsigned int next; /* inputs before it are mapped */
} gg__rebuilding;
typedef struct gg__subst {
  gg_graph *g;
  GA_VEC(gg_var *) map; /* map.v[old->id], NULL if not mapped yet */
  /* Scratch: what waits for its inputs to be rebuilt, and new inputs. */
  GA_VEC(gg__rebuilding) stack;
  GA_VEC(gg_var *) in;
} gg__subst;
void gg__subst_init(gg__subst *s, gg_graph *to);
int gg__subst_put(gg__subst *s, const gg_var *from, gg_var *to);
gg_var *gg__subst_get(const gg__subst *s, const gg_var *from);
/* Rebuild `v` and everything below it that is not mapped; maps what it
 * rebuilds. NULL, with the error in `g`, when an op refuses new inputs. */
gg_var *gg__subst_apply(gg__subst *s, gg_var *v);
/* `b`, new, is `a` on inputs of which more or fewer sizes are known. Sizes that
 * were known stay so, and one that turns out to be 1 stays unknown: an axis that
 * is known to be 1 stretches, and ops refuse it beside an unknown size. */
void gg__keep_sizes(const gg_apply *a, gg_apply *b);
void gg__subst_clear(gg__subst *s);

/* Use counts of each variable below the n outputs (an output counts as one
 * use), indexed by id. */
typedef GA_VEC(unsigned int) gg__uses;
int gg__count_uses(gg__uses *out, const gg_graph *g, size_t n,
                   gg_var *const *vars);
/* The same of variables whose order is known. */
int gg__count_ordered_uses(gg__uses *out, const gg_graph *g,
                           const gg__order *order, size_t n,
                           gg_var *const *vars);

/* The name of a variable in error messages. */
const char *gg__display_name(const gg_var *v);
/* What computes `v`, in a few words: "reduce{sum axis=0}", "w (shared)", "0.5".
 * Returns `buf`, always terminated. */
char *gg__var_label(const gg_var *v, char *buf, size_t bytes);

/* Nonzero if only the scalar in an input matters, if it is known. */
static inline int gg__number_only(const gg_apply *a, unsigned int i) {
  return (int)(a->op->number_only >> (i < 31 ? i : 31) & 1u);
}

/* Nonzero if a gradient can pass from output `out` to input `in`. */
static inline int gg__is_connected(const gg_apply *a, unsigned int in,
                                   unsigned int out) {
  return !gg_apply_shape_only(a, in) && !gg__number_only(a, in) &&
         (a->op->connected == NULL || a->op->connected(a, in, out));
}

/* Refuse, with its author's reason, an input without a gradient. */
int gg__has_gradient(const gg_apply *a, unsigned int i);

/* The input that an output may overwrite, or -1. */
static inline int gg__destroyed(const gg_apply *a, unsigned int out) {
  return a->op->destroys != NULL ? a->op->destroys(a, out) : -1;
}

/* --- dims.c --- */

size_t gg__dims_size(const gg_dims *d); /* number of elements */
/* Of a type whose sizes are known. */
void gg__dims_of_type(gg_dims *d, const gg_type *t);
/* Sizes of a node's outputs; the message is in its graph where the op wrote it,
 * else the thread's. host[i] is the number in input i, where it is known. */
int gg__apply_sizes(const gg_apply *a, const gg_dims *in,
                    const double *const *host, gg_dims *out);

/* --- op_context.c --- */

extern const gg_op gg__op_transfer;
/* Where a node of gg__op_transfer moves its input. */
gpucontext *gg__transfer_target(const gg_apply *a);
/* Fill in the contexts of the outputs' types; GA_VALUE_ERROR when the inputs
 * are in two. */
int gg__infer_contexts(const gg_apply *a, gg_type *types);
enum { GG_CONTEXT_TEXT = 288 /* bytes; enough for gg_context_text */ };

/* gg_transfer to a context that may be gone, or a stand-in for one. */
gg_var *gg__transfer_to(gg_var *x, gpucontext *ctx);
/* The same constant, in a context (NULL: in any). */
gg_var *gg__constant_in(const gg_var *v, gpucontext *ctx);

/* --- op_half.c --- */

/* Nonzero if the op takes halfs as operands. */
int gg__knows_half(const gg_op *op);
/* Nonzero if it has halfs as operands although it does not take them. */
int gg__needs_floats(const gg_apply *a);
/* Nonzero if some of its operands are halfs that were cast for it. */
int gg__has_floats(const gg_apply *a);
/* Map the outputs of `old` to those of `a`, the same on mapped inputs, computed
 * from float32. */
int gg__use_floats(gg__subst *s, const gg_apply *old, const gg_apply *a);

/* Is it NULL, or what stands for NULL in a list? (list.c) */
int gg__is_missing(const void *member);
/* Of a list that ends with NULL; NULL is an empty one. */
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

/* Number of elements, or GG_ANY. */
int64_t gg__type_size(const gg_type *t);
int gg__type_equal(const gg_type *a, const gg_type *b);
/* Can a value of type `from` be used where `to` is wanted? Same dtype and rank,
 * sizes equal or unknown. */
int gg__type_fits(const gg_type *from, const gg_type *to);

#endif
