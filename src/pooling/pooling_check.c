/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the operands of pooling and resizing. */
#include "pooling/pooling_check.h"

#include <gpuarray/device.h>

#include "array/operands.h"
#include "array/overlap.h"
#include "base/err.h"
#include "linalg/epilogue_spec.h"
#include "pooling/pooling_operands.h"

/* --- what is given --- */

static int check_array(const char *name, const GpuArray *a) {
  return a == NULL || a->data == NULL
             ? ga__fail(GA_INVALID_ERROR, "%s: no array", name)
             : GA_NO_ERROR;
}

/* The source may be a description without memory if a map computes it. */
static int check_given(const ga__pooling *j, const ga__pool_given *g) {
  const int has_front = g->e != NULL && g->e->front != NULL;

  if ((unsigned int)j->op > GA_POOLING_PICK)
    return ga__fail(GA_VALUE_ERROR, "operation %d, expected 0 to 2",
                    (int)j->op);
  if (g->n < 1 || g->n > GA_POOLING_ND)
    return ga__fail(GA_VALUE_ERROR, "windows along %u axes, expected 1 to %d",
                    g->n, GA_POOLING_ND);
  if (g->bands == NULL)
    return ga__fail(GA_INVALID_ERROR, "no bands");
  if (!has_front || g->x == NULL)
    GA_TRY(check_array("source", g->x));
  if (j->op == GA_POOLING_PICK || g->index != NULL)
    GA_TRY(check_array("indices", g->index));
  if (g->e == NULL &&
      (g->y != NULL || j->op != GA_POOLING_MAX || g->index == NULL))
    GA_TRY(check_array("result", g->y));
  return j->op == GA_POOLING_SUM && g->index != NULL
             ? ga__fail(GA_VALUE_ERROR, "a sum has no indices")
             : GA_NO_ERROR;
}

static int check_dtype(const ga__pooling *j) {
  const int code = j->x->typecode;
  const ga__kind kind = ga__dtype_kind(code);
  int needs_float = j->op == GA_POOLING_PICK;

  for (int d = 0; d < j->gen.nw && j->op == GA_POOLING_SUM; d++)
    needs_float |= j->bands[d].weights != NULL;
  if (kind == GA_KIND_FLOAT ||
      (!needs_float && (kind == GA_KIND_INT || kind == GA_KIND_UINT)))
    return GA_NO_ERROR;
  return ga__fail(GA_UNSUPPORTED_ERROR, "source: %s, expected %s",
                  ga__dtype_name(code),
                  needs_float ? "floats" : "real numbers");
}

/* --- maps --- */

static int check_maps(const ga__pooling *j, const GpuEpilogue *e) {
  if (e == NULL)
    return GA_NO_ERROR;
  if (e->sum != NULL)
    return ga__fail(GA_VALUE_ERROR, "the sum of X beside a pooling");
  if (j->known == NULL)
    GA_TRY(ga__epilogue_check_names(e, j->ctx, "acc"));
  if (e->front == NULL)
    return GA_NO_ERROR;
  GA_TRY(ga__epilogue_check_names(e->front, j->ctx, "v"));
  for (unsigned int k = 0; k < e->front->n_args; k++)
    if ((e->front->args[k].flags & GE_WRITE) != 0)
      return ga__fail(GA_VALUE_ERROR, "%s: a map in front writes nothing",
                      e->front->args[k].name);
  return GA_NO_ERROR;
}

/* --- operands --- */

static int check_strides(const char *name, const GpuArray *a, int is_written) {
  for (unsigned int d = 0; d < a->nd; d++) {
    if (a->dimensions[d] > 1 &&
        a->strides[d] % (ssize_t)ga__dtype_size(a->typecode) != 0)
      return ga__fail(GA_COPY_ERROR, "%s: the strides need a copy", name);
  }
  return is_written ? ga__operand_check_places(name, a) : GA_NO_ERROR;
}

/* Bands give the sizes of the source and of the results. The source gives those
 * of the batch. What maps read may repeat. */
static int check_sizes(const ga__pooling *j, unsigned int k, int may) {
  const unsigned int lead = j->x->nd - (unsigned int)j->gen.nw;
  const ga__pool_operand *o = &j->operands[k];
  size_t dims[GA_ITER_ND];

  for (unsigned int d = 0; d < j->x->nd; d++) {
    const GpuBand *b = d < lead ? NULL : &j->bands[d - lead];
    dims[d] = b == NULL ? j->x->dimensions[d] : o->at_result ? b->n : b->from;
  }
  return ga__operand_place(NULL, j->maps.args[k].name, o->array, j->x->nd, dims,
                           may);
}

/* A result may be the same array as one that is read behind. */
static int check_apart(const ga__pooling *j, unsigned int k) {
  const ga__pool_operand *o = &j->operands[k];

  for (unsigned int i = 0; i < j->n; i++) {
    const ga__pool_operand *p = &j->operands[i];
    const int is_written = (j->maps.args[i].flags & GE_WRITE) != 0;

    if (i == k || p->array == NULL || (is_written && i > k) ||
        (!is_written && p->at_result &&
         o->array->typecode == p->array->typecode &&
         ga__arrays_same(o->array, p->array)))
      continue;
    GA_TRY(ga__operand_check_apart(j->maps.args[k].name, o->array,
                                   j->maps.args[i].name, p->array));
  }
  return GA_NO_ERROR;
}

static int check_operand(const ga__pooling *j, unsigned int k, int has_maps) {
  const gpuelemwise_arg *arg = &j->maps.args[k];
  const int is_written = (arg->flags & GE_WRITE) != 0;
  const GpuArray *a = j->operands[k].array;

  if (has_maps && k != j->n_in)
    GA_TRY(ga__operand_check(
        arg, a != NULL ? (const void *)a : j->operands[k].value, j->ctx));
  if (a == NULL)
    return GA_NO_ERROR;
  GA_TRY(is_written
             ? ga__operand_check_result(arg->name, a, j->ctx, arg->typecode)
             : ga__operand_check_array(arg->name, a, j->ctx, arg->typecode));
  GA_TRY(check_sizes(
      j, k, has_maps && !is_written && k != j->n_in ? GA_MAY_REPEAT : 0));
  GA_TRY(check_strides(arg->name, a, is_written));
  return is_written ? check_apart(j, k) : GA_NO_ERROR;
}

static int check_operands(const ga__pooling *j, int has_maps) {
  if (j->x->nd < (unsigned int)j->gen.nw || j->x->nd > GA_ITER_ND)
    return ga__fail(GA_VALUE_ERROR, "source: %u dimensions, expected %d to %d",
                    j->x->nd, j->gen.nw, GA_ITER_ND);
  for (unsigned int k = 0; k < j->n; k++)
    GA_TRY(check_operand(j, k, has_maps));
  return GA_NO_ERROR;
}

static int check_device(const ga__pooling *j) {
  if (ga__dtype_canon(j->x->typecode) == GA_DOUBLE &&
      !gpucontext_caps(j->ctx)->fp64)
    return ga__fail(GA_DEVSUP_ERROR, "the device has no float64");
  return GA_NO_ERROR;
}

/* Set the context: that of a result, since a source may have no memory. */
static int find_context(ga__pooling *j, const ga__pool_given *g) {
  const unsigned int n = g->e != NULL ? g->e->n_args : 0;

  if (g->e == NULL) {
    j->ctx = GpuArray_context(g->x);
    return GA_NO_ERROR;
  }
  for (unsigned int k = 0; k < n; k++)
    if ((g->e->args[k].flags & GE_WRITE) != 0) {
      GA_TRY(check_array("result", g->args[k]));
      j->ctx = GpuArray_context(g->args[k]);
      return GA_NO_ERROR;
    }
  return ga__fail(GA_VALUE_ERROR, "epilogue: none of %u arguments is written",
                  n);
}

int ga__pooling_check(ga__pooling *j, const ga__pool_given *g) {
  GA_TRY(check_given(j, g));
  GA_TRY(find_context(j, g));
  j->known = ga__epilogue_known(g->e, j->ctx, ga__dtype_canon(g->x->typecode));
  GA_TRY(check_maps(j, g->e));
  j->gen.nw = (int)g->n;
  for (unsigned int d = 0; d < g->n; d++) {
    GA_TRY(ga__band_check(&g->bands[d]));
    j->bands[d] = g->bands[d];
  }
  GA_TRY(ga__pooling_list(j, g));
  GA_TRY(check_dtype(j));
  GA_TRY(check_operands(j, g->e != NULL));
  return check_device(j);
}
