/* SPDX-License-Identifier: BSD-2-Clause */
/** \file op.h
 *  How to write an op. The built-in ops (src/ops) use this header and nothing
 *  else.
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

/** Apply `op`: checks nothing itself, calls op->infer for the output types.
 *  Returns output 0, or NULL with the error kept in the graph. `g` is needed
 *  when n_in is 0, else may be NULL. A NULL input gives NULL. */
GG_PUBLIC gg_var *gg_op_apply(gg_graph *g, const gg_op *op, const void *props,
                              unsigned int n_in, gg_var *const *in);
/** The node that computes `v`, or NULL for inputs, shared and constants. */
GG_PUBLIC gg_apply *gg_var_owner(const gg_var *v);
/** Which output of its owner `v` is. */
GG_PUBLIC unsigned int gg_var_index(const gg_var *v);
/** The bytes of a constant (C order), or NULL if `v` is not one. */
GG_PUBLIC const void *gg_var_data(const gg_var *v);
/** Nonzero and *value set if `v` is a constant whose elements are all equal. */
GG_PUBLIC int gg_var_uniform(const gg_var *v, double *value);
/** Record an error of a node: "op(types): " is put in front of the message. It
 *  is the calling thread's last error (gpuarray/error.h) and, while a graph is
 *  built, the graph's if that has none yet. Returns `code`. For use in the
 *  functions of an op; gpuarray_fail() serves them too. */
GG_PUBLIC int gg_op_fail(const gg_apply *a, int code, const char *fmt, ...);

/** Apply an elementwise op to operands of different ranks: missing leading axes
 *  are inserted with size 1, as NumPy does; then as gg_op_apply. Dtypes are
 *  left as they are. */
GG_PUBLIC gg_var *gg_op_elemwise(const gg_op *op, const void *props,
                                 unsigned int n_in, gg_var *const *in);
/** The infer rule of elementwise ops: *out gets `dtype` and the common dims of
 *  the inputs, which have equal ranks. Fails when two sizes clash. */
GG_PUBLIC int gg_infer_elemwise(const gg_apply *a, int dtype, gg_type *out);

/** Elementwise code. */
typedef struct gg_code {
  /** OpenCL C by the rules of GE_VECTOR (gpuarray/launch.h), one expression. %0
   *  %1 ... are the operands (names of variables), %T is the name of the
   *  output's work type ("w_float") and %t its stem ("float"), %I and %i the
   *  same for operand 0; %% is a percent sign. An operand whose index does not
   *  occur is not read. */
  const char *text;
  double (*eval)(const double *x); /**< the same on the host, or NULL */
  int vector; /**< `text` obeys the rules of GE_VECTOR; else it is scalar
                   code */
  int flops;  /**< per element, for profiles */
} gg_code;

/** The code of an elementwise node, for the dtype of its operand 0. */
GG_PUBLIC const gg_code *gg_apply_code(const gg_apply *a);

/** Nonzero if only the shape of input i matters: its values are not computed
 *  for this node, and it gets no slot. */
GG_PUBLIC int gg_apply_shape_only(const gg_apply *a, unsigned int i);

/** Properties of the reduction op "reduce". */
typedef struct gg_reduce_props {
  gg_reduction op;
  unsigned int axes_mask; /**< bit i: axis i of the input is reduced */
  int keepdims;
} gg_reduce_props;

typedef enum gg_op_kind {
  GG_OP_ELEMWISE, /**< `code`: fused with its neighbours */
  GG_OP_REDUCE,   /**< a gg_reduction; producers and consumers are fused */
  GG_OP_VIEW,     /**< `view`: the outputs share memory with input 0 */
  GG_OP_KERNEL,   /**< `prepare`: launches of its own */
  GG_OP_SHAPE,    /**< `host`: computed from the inputs' shapes alone, before
                       anything runs */
  GG_OP_MACRO,    /**< `lower`: stands for a composition of other ops */
  GG_OP_PERFORM,  /**< `perform`: a function of yours, at every call */
  GG_OP_INNER,    /**< the built-in loops and branches: graphs inside a node */
  GG_OP_TRANSFER  /**< the library's own: gg_transfer */
} gg_op_kind;

/** Inputs and outputs of a node while its launch is prepared, and while it is
 *  performed. Borrowed, for the length of the call. */
typedef struct gg_prepare {
  const gg_apply *apply;
  gpucontext *ctx;
  unsigned int n_in, n_out;
  GpuArray *const *in;  /**< real shapes and strides; no memory (data NULL)
                             where shape_only or number_only say so */
  GpuArray *const *out; /**< allocated, C contiguous unless in place */
  /** number[i]: the value of input i if it is known before anything runs
   *  (constants, gg_shape and what follows from them), else NULL. */
  const double *const *number;
  unsigned int part; /**< which launch, below op->parts() */
  /** n_out numbers, zero at first: how many bytes after the start of out[j]
   *  the launch's slot starts, when it writes a part of out[j]. */
  size_t *out_off;
  /** In `perform` with `on_host`: the elements of the inputs and room for those
   *  of the outputs in host memory, C order; else NULL. */
  const void *const *from;
  void *const *to;
  void *state; /**< in `perform`: what state_new made */
} gg_prepare;

/** Open a launch (gpuarray/record.h) for the inputs and outputs of `p`, and
 *  number its slots. The source of its kernels sees, for input 0 and likewise
 *  for INPUT_1 ..., OUTPUT_0 ...:
 *
 *      DTYPE_INPUT_0     the type of its elements, such as ga_float
 *      WORK_INPUT_0      the type to compute in: ga_float for ga_half
 *      LOAD_INPUT_0(x)   an element as that type WRITE_INPUT_0(x)  a value of
 *      that type as an element
 *
 *  GpuLaunch_define adds macros of your own, for example for parameters.
 *
 *  In plain OpenCL C (GA_USE_OPENCL) a half has only DTYPE_, which is half. For
 *  use in `prepare`. NULL when memory is out, which GpuLaunch_close reports. */
GG_PUBLIC GpuLaunch *gg_launch_open(const gg_prepare *p, int *slot_in,
                                    int *slot_out);

struct gg_op {
  const char *name; /**< lower case, as in gg_<name> */
  gg_op_kind kind;
  size_t props_bytes; /**< no padding: properties are compared as bytes */
  unsigned int n_out; /**< 1 for most; 0: see `count_out` */
  /** Bit i: see gg_apply_shape_only. Bit 31 stands for all inputs from 31 on.
   */
  unsigned int shape_only;
  /** Bit i, likewise: input i is a scalar that must be known before anything
   *  runs: `shape` gets it in host[i], `prepare` and `perform` in number[i]. It
   *  gets no slot. Integer inputs of the function that it is computed from are
   *  read when the function is called. */
  unsigned int number_only;

  /** Set out[i] for each output from the inputs' types, or gg_op_fail. NULL:
   *  gg_infer_elemwise with the dtype of input 0. The context need not be set
   *  unless no input decides it: it is that of the inputs whose values matter,
   *  else that of a shape_only one. */
  int (*infer)(const gg_apply *a, gg_type *out);
  /** Numeric shapes for one call. NULL: elementwise rules, or the static type
   *  where it is complete. `host` gives the values of inputs that are known
   *  before anything runs (gg_shape, constants, integer inputs where
   *  number_only asks for them): host[i] NULL if not. */
  int (*shape)(const gg_apply *a, const gg_dims *in, const double *const *host,
               gg_dims *out);
  /** Build gradients: gout[j] is d cost / d out[j], or NULL if out[j] does not
   *  influence the cost. Set gin[i] where in[i] matters; the array comes
   *  zeroed, and NULL means not connected. gin[i] has the shape of in[i], but
   *  for elementwise ops it may have the shape of the output, and is then
   *  summed over stretched axes. NULL function: no gradient. */
  int (*grad)(const gg_apply *a, gg_var *const *gout, gg_var **gin);
  /** GG_OP_ELEMWISE. Which one counts is decided by the dtype of operand 0:
   *  floats, signed and unsigned integers, bool. NULL: the one before it. See
   *  gg_apply_code. */
  const gg_code *code, *code_int, *code_uint, *code_bool;
  /** Make out, which is output `which`, a view of in, which is input 0
   *  (GG_OP_VIEW); `dims` are the sizes of all inputs, `want` those of out, and
   *  number[i] is the value of input i if it is known before anything runs, else
   *  NULL. GA_COPY_ERROR when the strides do not allow it: the input is then
   *  copied to C order first. */
  int (*view)(const gg_apply *a, unsigned int which, const GpuArray *in,
              const gg_dims *dims, const double *const *number,
              const gg_dims *want, GpuArray *out);
  /** How many launches one call needs (GG_OP_KERNEL); they run in order.
   *  NULL: one. */
  unsigned int (*parts)(const gg_prepare *p);
  /** Prepare launch number p->part, and fill slot_in[i] and slot_out[j] with
   *  the slot of each array, -1 if it has none (as they come). An input whose
   *  strides the kernel cannot work with gives GA_COPY_ERROR: all inputs that
   *  are not C contiguous are then copied. In place means that p->out[0] and
   *  the input that `destroys` names are the same memory. */
  int (*prepare)(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                 int *slot_out);
  /** Prepare one launch whose results go through the epilogue `post` instead of
   *  to output 0, for which there is no array (p->n_out is 0). `post` reads
   *  acc, the result in its work type, and its arguments `args`, and writes
   *  what other nodes need. *slot_post gets the slot of args[0], the others
   *  follow. NULL: maps that follow get kernels of their own. `takes_post` says
   *  whether this node can do it; NULL: all can. */
  int (*prepare_post)(const gg_prepare *p, const GpuEpilogue *post, void **args,
                      GpuLaunch **out, int *slot_in, unsigned int *slot_post);
  int (*takes_post)(const gg_apply *a);
  /** The operand, of rank 1, whose sum that launch can also compute, through
   *  post->sum (gpuarray/launch.h), or -1. NULL: none. Arguments of the sum
   *  follow the others in `args`, and so do their slots. */
  int (*sums)(const gg_apply *a);
  /** Write the elements of output 0 (C order, its dtype) from the shapes of
   *  the inputs and its own, `want` (GG_OP_SHAPE). Done once per plan. */
  int (*host)(const gg_apply *a, const gg_dims *in, const gg_dims *want,
              void *data);
  /** Compose the outputs from other ops (GG_OP_MACRO): set out[j]. */
  int (*lower)(const gg_apply *a, gg_var **out);
  /** The index of the input that output `out` may overwrite, or -1. NULL: none.
   *  It happens where nothing else needs the input, and where the input is as
   *  long as the output. */
  int (*destroys)(const gg_apply *a, unsigned int out);
  /** Text of the properties for prints, e.g. "axis=1". NULL: none. */
  void (*print)(const gg_apply *a, char *buf, size_t bytes);

  /** GG_OP_PERFORM: compute the outputs. Called at every run, after the work
   *  enqueued before; use any function of the array layer, or host memory with
   *  `on_host`. On failure return a GA_* code, with gg_op_fail or
   *  gpuarray_fail for a message of your own. */
  int (*perform)(const gg_prepare *p);
  /** Inputs are read to host memory before `perform`, outputs written after
   *  it. Such steps are "host" in profiles, count as host_steps, and are
   *  refused by functions with GG_NO_HOST, named by those with GG_WARN_HOST. */
  int on_host;
  /** Make the state of a node in one plan, when the plan is made: put it in
   * *state. */
  int (*state_new)(const gg_prepare *p, void **state);
  void (*state_free)(void *state);
  /** Inputs come C contiguous to `prepare` and `perform`; others are copied.
   *  Always so with `on_host`. */
  int c_order;
  /** `prepare` or `perform` supports halfs. If not, inputs of float16 are cast
   *  to float32 first and outputs back; profiles show that. */
  int half_ok;
  /** Do not compute it while compiling, even if all inputs are constants. */
  int no_fold;
  /** Does out[out] depend on the values of in[in], as far as gradients go?
   *  NULL: each output on each input, save shape_only. */
  int (*connected)(const gg_apply *a, unsigned int in, unsigned int out);
  /** Forward derivative: set dout[j] from din[i], d in[i] along a direction,
   *  NULL where zero. dout comes zeroed, NULL means zero. NULL: what `grad`
   *  gives, differentiated once more (gg_rop, rop.h). */
  int (*rop)(const gg_apply *a, gg_var *const *din, gg_var **dout);
  /** GG_OP_KERNEL and GG_OP_PERFORM: compute the same in plain C, from p->from
   *  to p->to in host memory, C order; there are no arrays on a device. Debug
   *  mode and test values (debug.h) use it. NULL: `perform` with `on_host`
   *  serves where there is no state; other results are not compared. */
  int (*reference)(const gg_prepare *p);
  /** The number of outputs of a node with these properties, at least 1. */
  unsigned int (*count_out)(const void *props);
  /** Why in[in] has no gradient, though the outputs depend on it: a few words
   *  for the message of the gg_grad that would need one, such as "not
   *  implemented". NULL: it has. NULL function: each has, or none where `grad`
   *  is NULL. Gradients by other inputs are not touched; `grad` leaves gin[in]
   *  NULL. */
  const char *(*no_grad)(const gg_apply *a, unsigned int in);
};

#ifdef __cplusplus
}
#endif

#endif
