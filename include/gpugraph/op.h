/* SPDX-License-Identifier: BSD-2-Clause */
/** \file op.h
 *  How to write an op. The built-in ops (src/ops) use nothing else of the
 *  graph.
 *
 *  An op is a constant struct of functions. Its properties, a plain block of
 *  bytes, distinguish two uses of it (axes, a dtype). Equal op, properties and
 *  inputs are one node.
 */
#ifndef GPUGRAPH_OP_H
#define GPUGRAPH_OP_H

#include <gpuarray/launch.h>
#include <gpuarray/record.h>
#include <gpuarray/reduction.h>
#include <gpugraph/context.h>
#include <gpugraph/graph.h>
#include <gpugraph/ops.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gg_op gg_op;

/** One application of an op: a node of the graph. Read only. */
struct gg_apply {
  const gg_op *op;
  const void *props; /**< op->props_bytes bytes */
  unsigned int n_in, n_out;
  gg_var **in;
  gg_var **out;
};

/** Apply `op`. Checks nothing itself; calls op->infer for the output types.
 *  Returns output 0, or NULL with the error kept in the graph. `g` may be NULL
 *  unless n_in is 0. A NULL input gives NULL. */
GG_PUBLIC gg_var *gg_op_apply(gg_graph *g, const gg_op *op, const void *props,
                              unsigned int n_in, gg_var *const *in);
/** The node that computes `v`, or NULL for inputs, shared variables and
 *  constants. */
GG_PUBLIC gg_apply *gg_var_owner(const gg_var *v);
/** The index of `v` among the outputs of its owner. */
GG_PUBLIC unsigned int gg_var_index(const gg_var *v);
/** The bytes of a constant (C order), or NULL if `v` is not one. */
GG_PUBLIC const void *gg_var_data(const gg_var *v);
/** If `v` is a constant whose elements are all equal: set *value and return
 *  nonzero. */
GG_PUBLIC int gg_var_uniform(const gg_var *v, double *value);
/** If `v` is a weak constant, set *value to what it was made of and return
 *  whether it is whole or real; else return GG_STRONG. Casts to other dtypes
 *  than gg_var_type says then start from *value. */
typedef enum gg_weakness {
  GG_STRONG = 0,
  GG_WEAK_INT,
  GG_WEAK_REAL
} gg_weakness;
GG_PUBLIC gg_weakness gg_var_weak(const gg_var *v, double *value);
/** Record an error of a node. The message gets the prefix "op(types): ". The
 *  error becomes the calling thread's last error (gpuarray/error.h) and, while
 *  a graph is built, the graph's error if it has none yet. Returns `code`. For
 *  use in the functions of an op, which may also use gpuarray_fail(). */
GG_PUBLIC int gg_op_fail(const gg_apply *a, int code, const char *fmt, ...);
/** What a builder that is composed of others was called with. */
typedef struct gg_parts gg_parts;
/** For such a builder: what this thread builds in `g` from here to gg_parts_end
 *  are parts of it. If a part cannot be built, or if its sizes do not fit in a
 *  call, the message gives the name of `op`, the types of the n operands `in`
 *  with their sizes, and the rule, before it names the part. Of pairs that nest
 *  the outermost one counts, and of pairs of one op the innermost.
 *
 *  \param op   only its name is used; it must live as long as the graph
 *  \param in   copied; operands that are NULL are left out
 *  \param rule what must hold of their sizes, or NULL; as long as the graph
 *
 *  Returns what gg_parts_end gets. */
GG_PUBLIC const gg_parts *gg_parts_begin(gg_graph *g, const gg_op *op,
                                         unsigned int n, gg_var *const *in,
                                         const char *rule);
/** Returns v. */
GG_PUBLIC gg_var *gg_parts_end(gg_graph *g, const gg_parts *outer, gg_var *v);

/** Apply an elementwise op to operands of different ranks: insert missing
 *  leading axes with size 1, as NumPy does, then do as gg_op_apply. Dtypes are
 *  not changed. */
GG_PUBLIC gg_var *gg_op_elemwise(const gg_op *op, const void *props,
                                 unsigned int n_in, gg_var *const *in);
/** The `infer` of elementwise ops: *out gets `dtype` and the common sizes of
 *  the inputs, which have equal ranks. Fails when two sizes differ and neither
 *  is 1. */
GG_PUBLIC int gg_infer_elemwise(const gg_apply *a, int dtype, gg_type *out);

/** Elementwise code. */
typedef struct gg_code {
  /** One expression of OpenCL C by the rules of GE_VECTOR (gpuarray/launch.h).
   *  %0 %1 ... are the names of the operands; %T is the name of the output's
   *  work type ("w_float") and %t its stem ("float"); %I and %i are the same
   *  for operand 0; %% is a percent sign; % before anything else is an error
   *  when a function is made. Operands that do not occur are not read. */
  const char *text;
  double (*eval)(const double *x); /**< the same on the host, or NULL */
  int vector; /**< `text` obeys the rules of GE_VECTOR; else it is scalar
                   code */
  int flops;  /**< per element, for profiles */
} gg_code;

/** What an op does with complex numbers (docs/complex.md). */
typedef enum gg_complex_use {
  /** It refuses them. Views, shapes, loops and choices take them all the
   *  same. */
  GG_REAL_ONLY,
  /** Its results are analytic functions of its complex inputs, such as products
   *  and exp, and so `grad` can be written as for real numbers: it gets the
   *  conjugates of the gradients, and what it sets is conjugated again. */
  GG_ANALYTIC,
  /** It moves elements, or its `grad` knows complex numbers. */
  GG_PARTS
} gg_complex_use;

/** The code of an elementwise node, for the dtype of its operand 0, or for
 *  complex numbers if an operand is complex. */
GG_PUBLIC const gg_code *gg_apply_code(const gg_apply *a);

/** Nonzero if the node uses only the shape of input i: then its values are not
 *  computed for this node, and it gets no slot. */
GG_PUBLIC int gg_apply_shape_only(const gg_apply *a, unsigned int i);

/** Properties of the reduction op "reduce". */
typedef struct gg_reduce_props {
  gg_reduction op;
  unsigned int axes_mask; /**< bit i: axis i of the input is reduced */
  int keepdims;
} gg_reduce_props;

typedef enum gg_op_kind {
  GG_OP_ELEMWISE, /**< `code`: fused with the nodes around it */
  GG_OP_REDUCE,   /**< a gg_reduction: fused with the maps around it */
  GG_OP_VIEW,     /**< `view`: the outputs share memory with input 0 */
  GG_OP_KERNEL,   /**< `prepare`: it has launches of its own */
  GG_OP_SHAPE,    /**< `host`: computed from the shapes of its inputs, before
                       anything runs */
  GG_OP_MACRO,    /**< `lower`: replaced by a composition of other ops */
  GG_OP_PERFORM,  /**< `perform`: a function of yours, run in every call */
  GG_OP_INNER,    /**< built-in loops and choices: an inner graph */
  GG_OP_TRANSFER  /**< gg_transfer; only the library has one */
} gg_op_kind;

/** Inputs and outputs of a node in `prepare`, `perform` and the like. Borrowed
 *  for the duration of that function. */
typedef struct gg_prepare {
  const gg_apply *apply;
  gpucontext *ctx;
  unsigned int n_in, n_out;
  GpuArray *const *in;  /**< shapes and strides of the call; no memory
                            (data NULL) for shape_only and number_only */
  GpuArray *const *out; /**< C contiguous unless in place, and but for ops with
                            `keeps_last` */
  /** number[i] is the value of input i if it is known before anything runs
   *  (constants, gg_shape, and what is computed from them), else NULL. */
  const double *const *number;
  unsigned int part; /**< index of the launch, below op->parts() */
  /** n_out offsets, zero at first. For a launch that writes a part of out[j]:
   *  the bytes from the start of out[j] to the start of its slot. */
  size_t *out_off;
  /** In `perform` with `on_host`, and in `reference`: the elements of the
   *  inputs, and memory for those of the outputs, in host memory and C order.
   *  Else NULL. */
  const void *const *from;
  void *const *to;
  void *state; /**< in `perform`: made by state_new */
  /** Bit j is set, for j below 32, if nobody reads out[j] in this function:
   *  then `prepare` may leave it as it is. Never set in watched calls. */
  unsigned int unread;
} gg_prepare;

/** Open a launch (gpuarray/record.h) for the inputs and outputs of `p`, and
 *  assign its slots. The source of its kernels has these macros for input 0,
 *  and the same for INPUT_1 ..., OUTPUT_0 ...:
 *
 *      DTYPE_INPUT_0     the type of its elements, such as ga_float
 *      WORK_INPUT_0      the type to compute in: ga_float for ga_half and
 *                        ga_bfloat
 *      LOAD_INPUT_0(x)   an element as that type
 *      WRITE_INPUT_0(x)  a value of that type as an element
 *
 *  GpuLaunch_define adds macros of your own, for example for parameters.
 *
 *  In plain OpenCL C (GA_USE_OPENCL) a half has only DTYPE_, which is half, and
 *  a bfloat is ushort. For use in `prepare`. NULL when there is no memory;
 *  GpuLaunch_close reports that. */
GG_PUBLIC GpuLaunch *gg_launch_open(const gg_prepare *p, int *slot_in,
                                    int *slot_out);

struct gg_op {
  const char *name; /**< lower case, as in gg_<name> */
  gg_op_kind kind;
  size_t props_bytes; /**< no padding: properties are compared as bytes */
  unsigned int n_out; /**< 0: `count_out` gives it */
  /** Bit i is set for inputs of which only the shape matters
   *  (gg_apply_shape_only). Bit 31 is that of all inputs from 31 on.
   */
  unsigned int shape_only;
  /** Bit i is set for inputs that are scalars and must be known before anything
   *  runs (bit 31: all from 31 on). They are replaced by what gg_element
   *  (sizes.h) finds. `shape` gets the value in host[i],
   *  `prepare` and `perform` in number[i]. Such an input gets no slot. Integer
   *  inputs of the function that it is computed from are read when the function
   *  is called. */
  unsigned int number_only;

  /** Set the type out[i] of each output from the types of the inputs, or fail
   *  with gg_op_fail. NULL: gg_infer_elemwise with the dtype of input 0. The
   *  context need not be set unless no input decides it: it is the context of
   *  the inputs whose values matter, else that of a shape_only input. */
  int (*infer)(const gg_apply *a, gg_type *out);
  /** Set the shapes of the outputs in one call. NULL: the elementwise rules, or
   *  the type if all its sizes are known. host[i] is the value of input i if it
   *  is known before anything runs (gg_shape, constants, integer inputs where
   *  number_only asks for them), else NULL. */
  int (*shape)(const gg_apply *a, const gg_dims *in, const double *const *host,
               gg_dims *out);
  /** Build gradients: gout[j] is d cost / d out[j], or NULL if out[j] does not
   *  influence the cost. Set gin[i] if in[i] has a gradient; gin comes zeroed,
   *  and NULL means not connected. gin[i] has the shape of in[i]. In
   *  elementwise ops it may have the shape of the output instead; then it is
   *  summed over the broadcast axes. NULL function: no gradient. */
  int (*grad)(const gg_apply *a, gg_var *const *gout, gg_var **gin);
  /** GG_OP_ELEMWISE. The dtype of operand 0 selects one of them: for floats,
   *  signed integers, unsigned integers, bool. NULL: the one before it. See
   *  gg_apply_code. */
  const gg_code *code, *code_int, *code_uint, *code_bool;
  /** Instead of `code` for float16, bfloat16 and float32, in this order, where
   *  the value is not that for doubles, rounded. NULL: `code`. */
  const gg_code *const *code_small;
  /** The same where an operand is complex. Its text is scalar code, in which
   *  ga_cfloat and ga_cdouble are structs of `r` and `i`; %t_add(%0, %1) and
   *  the like are functions of them (cl/complex.cl). Needs `complex_use`,
   *  too. */
  const gg_code *code_complex;
  /** Any of these on the host where an operand or the result is complex, or
   *  NULL: x[2 i] and x[2 i + 1] are the real and imaginary part of operand i,
   *  y[0] and y[1] those of the result. The imaginary part of real values is
   *  0. */
  void (*eval_complex)(const double *x, double *y);
  /** GG_OP_VIEW: make `out`, which is output `which`, a view of `in`, which is
   *  input 0. `dims` are the sizes of all inputs, `want` those of out;
   *  number[i] is the value of input i if it is known before anything runs,
   *  else NULL. Return GA_COPY_ERROR when the strides do not allow a view: then
   *  the input is first copied to C order. */
  int (*view)(const gg_apply *a, unsigned int which, const GpuArray *in,
              const gg_dims *dims, const double *const *number,
              const gg_dims *want, GpuArray *out);
  /** GG_OP_KERNEL: the number of launches of one call, which run in order.
   *  NULL: one. */
  unsigned int (*parts)(const gg_prepare *p);
  /** Prepare launch p->part, and fill slot_in[i] and slot_out[j] with the slot
   *  of each array. They come as -1, which means no slot. Return GA_COPY_ERROR
   *  if the kernel does not support the strides of an input: then all inputs
   *  that are not C contiguous are copied. When the node works in place,
   *  p->out[0] and the input that `destroys` names are the same memory. */
  int (*prepare)(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                 int *slot_out);
  /** Prepare one launch that passes its result to the epilogue `post` instead
   *  of storing it in output 0, for which there is no array (p->n_out is 0).
   *  `post` reads acc, the result in its work type, and its arguments `args`,
   *  and writes what other nodes need. *slot_post gets the slot of args[0]; the
   *  others follow. NULL: maps that follow get kernels of their own.
   *  `takes_post` says whether this node supports it; NULL: all nodes do. */
  int (*prepare_post)(const gg_prepare *p, const GpuEpilogue *post, void **args,
                      GpuLaunch **out, int *slot_in, unsigned int *slot_post);
  int (*takes_post)(const gg_apply *a);
  /** With prepare_post: how often, at most, the launch reads each element of
   *  input 0, if it can compute them on the way by post->front
   *  (gpuarray/launch.h), or 0. There p->in[0] has no memory then, and the
   *  arguments and slots of post->front follow those of `post`. Maps in front
   *  are passed if computing them so often is cheap. NULL: none. */
  int (*front)(const gg_apply *a);
  /** GG_OP_KERNEL with one output, which has the rank of inputs 0 and 1: the
   *  axis of input 0 along which the integers of input 1 select its elements,
   *  as gg_take_along does, or -1. Maps then compute the node where that saves
   *  a kernel. NULL: none. */
  int (*takes)(const gg_apply *a);
  /** The index of an operand of rank 1 whose sum the same launch can also
   *  compute, through post->sum (gpuarray/launch.h), or -1. NULL: none. The
   *  arguments of the sum follow the others in `args`, and so do their
   *  slots. */
  int (*sums)(const gg_apply *a);
  /** GG_OP_SHAPE: write the elements of output 0 to `data` (its dtype, C
   *  order), from the shapes of the inputs, the values number[i] of those in
   *  number_only, and its own shape `want`. Called once per plan. */
  int (*host)(const gg_apply *a, const gg_dims *in, const double *const *number,
              const gg_dims *want, void *data);
  /** GG_OP_MACRO: build the outputs out[j] from other ops. */
  int (*lower)(const gg_apply *a, gg_var **out);
  /** The index of the input that output `out` may overwrite, or -1. NULL: none.
   *  It does so if nothing else needs the input and both have the same number
   *  of bytes. */
  int (*destroys)(const gg_apply *a, unsigned int out);
  /** Write the properties for prints, e.g. "axis=1". NULL: nothing. */
  void (*print)(const gg_apply *a, char *buf, size_t bytes);

  /** GG_OP_PERFORM: compute the outputs. Runs in every call, after the steps
   *  before it are enqueued. It may use any function of the array layer, or
   *  host memory with `on_host`. On failure return a GA_* code, with gg_op_fail
   *  or gpuarray_fail for a message of your own. */
  int (*perform)(const gg_prepare *p);
  /** The library reads the inputs to host memory before `perform` and writes
   *  the outputs after it. Such steps are "host" in profiles and count as
   *  host_steps. Functions with GG_NO_HOST refuse them; functions with
   *  GG_WARN_HOST name them. */
  int on_host;
  /** Make the state of a node, *state, when a plan is made. Each plan has its
   *  own, and frees it with state_free. */
  int (*state_new)(const gg_prepare *p, void **state);
  void (*state_free)(void *state);
  /** `prepare` and `perform` get C contiguous inputs; others are copied first.
   *  With `on_host` this is always so. */
  int c_order;
  /** `prepare` or `perform` supports float16 and bfloat16. If not, such inputs
   *  are cast to float32 first, and outputs back; profiles show the casts. */
  int half_ok;
  /** Which complex operands the op takes. */
  gg_complex_use complex_use;
  /** Do not compute the node while compiling, even if all inputs are
   *  constants. */
  int no_fold;
  /** Do gradients pass from out[out] to in[in]? NULL: from each output to each
   *  input that is not shape_only. */
  int (*connected)(const gg_apply *a, unsigned int in, unsigned int out);
  /** Forward derivative: set dout[j] from din[i], the derivatives of in[i]
   *  along a direction. NULL elements are zero; dout comes zeroed. NULL
   *  function: `grad` is differentiated once more (gg_rop, rop.h). */
  int (*rop)(const gg_apply *a, gg_var *const *din, gg_var **dout);
  /** GG_OP_KERNEL and GG_OP_PERFORM: compute the same in plain C, from p->from
   *  to p->to in host memory, C order; there are no arrays on a device. Debug
   *  mode and test values (debug.h) use it. NULL: a `perform` with `on_host`
   *  and without state is used instead; results of other ops are not
   *  compared. */
  int (*reference)(const gg_prepare *p);
  /** The number of outputs of a node with these properties, at least 1. */
  unsigned int (*count_out)(const void *props);
  /** The reason why in[in] has no gradient although the outputs depend on it,
   *  such as "not implemented"; gg_grad puts it in its message. NULL: the input
   *  has a gradient. NULL function: all inputs have one, or none if `grad` is
   *  NULL. Other inputs are not affected; `grad` leaves gin[in] NULL. */
  const char *(*no_grad)(const gg_apply *a, unsigned int in);
  /** GG_OP_KERNEL, and GG_OP_PERFORM without `on_host`: nonzero if this node is
   *  to write output 0 with its channels, axis 1, last in memory where input 0
   *  has them there. Output 0 has the rank of input 0, and other outputs are in
   *  C order. NULL: C order. */
  int (*keeps_last)(const gg_apply *a);
};

#ifdef __cplusplus
}
#endif

#endif
