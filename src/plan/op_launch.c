/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches of an op's own kernels: slots for its arrays, and macros for their
 * types. */
#include <gpugraph/op.h>

#include "base/dtype.h"
#include "graph/graph.h"

/* Kernels with the cluda prelude have types for narrow floats, and functions
 * that load and store them. Plain OpenCL C has pointers to half; a bfloat is a
 * ushort there. */
static void define_narrow(ga__strb *b, int dtype, const char *what,
                          unsigned int i) {
  ga__strb_appendf(b,
                   "#ifdef CLUDA_H\n"
                   "#define DTYPE_%s_%u %s\n"
                   "#define WORK_%s_%u ga_float\n"
                   "#define LOAD_%s_%u(x) %s(x)\n"
                   "#define WRITE_%s_%u(x) %s(x)\n"
                   "#else\n"
                   "#define DTYPE_%s_%u %s\n"
                   "#endif\n",
                   what, i, gpuarray_ctype(dtype), what, i, what, i,
                   gpuarray_load_w(dtype), what, i, gpuarray_write_w(dtype),
                   what, i, dtype == GA_HALF ? "half" : "ushort");
}

static void define_types(ga__strb *b, const char *what, unsigned int n,
                         GpuArray *const *arrays) {
  for (unsigned int i = 0; i < n; i++) {
    int dtype = arrays[i]->typecode;
    if (ga__dtype_is_narrow(dtype)) {
      define_narrow(b, dtype, what, i);
      continue;
    }
    /* Names of plain OpenCL C, where it has the type. */
    const char *name = ga__dtype_is_complex(dtype) ? gpuarray_ctype(dtype)
                                                   : ga__dtype_cl(dtype);
    ga__strb_appendf(b,
                     "#define DTYPE_%s_%u %s\n"
                     "#define WORK_%s_%u %s\n"
                     "#define LOAD_%s_%u(x) (x)\n"
                     "#define WRITE_%s_%u(x) (x)\n",
                     what, i, name, what, i, name, what, i, what, i);
  }
}

/* Array i has slot first + i, or -1 if it has no memory. */
static void index_slots(unsigned int n, GpuArray *const *arrays, int *slot,
                        unsigned int first) {
  for (unsigned int i = 0; i < n; i++)
    slot[i] = arrays[i]->data != NULL ? (int)(first + i) : -1;
}

GpuLaunch *gg_launch_open(const gg_prepare *p, int *slot_in, int *slot_out) {
  const unsigned int n = p->n_in + p->n_out;
  GpuArray **arrays = ga__malloc(n * sizeof *arrays);
  ga__strb head = GA_STRB_INIT;
  GpuLaunch *l = NULL;

  if (arrays == NULL)
    return NULL;
  for (unsigned int i = 0; i < n; i++)
    arrays[i] = i < p->n_in ? p->in[i] : p->out[i - p->n_in];
  define_types(&head, "INPUT", p->n_in, p->in);
  define_types(&head, "OUTPUT", p->n_out, p->out);
  if (head.err == GA_NO_ERROR)
    l = GpuLaunch_open(p->ctx, p->apply->op->name, n, arrays);
  if (l != NULL)
    GpuLaunch_define(l, ga__strb_text(&head));
  index_slots(p->n_in, p->in, slot_in, 0);
  index_slots(p->n_out, p->out, slot_out, p->n_in);
  ga__strb_clear(&head);
  ga__free(arrays);
  return l;
}
