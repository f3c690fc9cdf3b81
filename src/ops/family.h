/* SPDX-License-Identifier: BSD-2-Clause */
/* The forms of ops in texts and files (gpugraph/save.h), and checks for them.
 * The file of a family ends with the forms of its ops, gg__forms_<family>. A
 * new family needs a line here. */
#ifndef OPS_FAMILY_H
#define OPS_FAMILY_H

#include <stddef.h>

#include <gpugraph/op.h>
#include <gpugraph/save.h>

#define GG_FAMILIES(FAMILY)                                                    \
  FAMILY(elementwise)                                                          \
  FAMILY(complex)                                                              \
  FAMILY(choice)                                                               \
  FAMILY(shape)                                                                \
  FAMILY(reshape)                                                              \
  FAMILY(sized)                                                                \
  FAMILY(vector)                                                               \
  FAMILY(slice)                                                                \
  FAMILY(concat)                                                               \
  FAMILY(gather)                                                               \
  FAMILY(reduction)                                                            \
  FAMILY(running)                                                              \
  FAMILY(combined)                                                             \
  FAMILY(sorted)                                                               \
  FAMILY(selected)                                                             \
  FAMILY(partitioned)                                                          \
  FAMILY(masked)                                                               \
  FAMILY(searched)                                                             \
  FAMILY(counted)                                                              \
  FAMILY(linalg)                                                               \
  FAMILY(batched)                                                              \
  FAMILY(conv)                                                                 \
  FAMILY(pooled)                                                               \
  FAMILY(resized)                                                              \
  FAMILY(region_nodes)                                                         \
  FAMILY(factored)                                                             \
  FAMILY(cholesky_nodes)                                                       \
  FAMILY(lu_nodes)                                                             \
  FAMILY(determinants)                                                         \
  FAMILY(qr_nodes)                                                             \
  FAMILY(eigen_nodes)                                                          \
  FAMILY(eig_nodes)                                                            \
  FAMILY(banded_nodes)                                                         \
  FAMILY(fourier)                                                              \
  FAMILY(svd_nodes)                                                            \
  FAMILY(pinv)                                                                 \
  FAMILY(matrix_exp)                                                           \
  FAMILY(csr_nodes)                                                            \
  FAMILY(softmax)                                                              \
  FAMILY(draw)                                                                 \
  FAMILY(distributions)                                                        \
  FAMILY(sample)                                                               \
  FAMILY(gradient)                                                             \
  FAMILY(inspect)

/* The forms of a family; the last one has no op. */
#define FAMILY(name) extern const gg_op_form gg__forms_##name[];
GG_FAMILIES(FAMILY)
#undef FAMILY

#define GG_FORM(name, takes, check)                                            \
  { &gg__op_##name, takes, 0, NULL, check }
#define GG_FORM_PROPS(name, takes, fields, check)                              \
  { &gg__op_##name, takes, sizeof(fields) / sizeof *(fields), fields, check }
#define GG_FORMS_END                                                           \
  { NULL, NULL, 0, NULL, NULL }

/* Initialisers of the first members of a gg_field. */
#define GG_FIELD(text, type, props, member)                                    \
  .name = text, .kind = GG_FIELD_##type, .at = offsetof(props, member)

/* Fields that families share. */
extern const gg_field gg__axis_fields[1];    /* gg__axis_props */
extern const gg_field gg__message_fields[1]; /* gg__message_props */
extern const gg_field gg__dot_fields[1];     /* gg__dot_props */
extern const gg_field gg__gemm_fields[2];    /* gg__gemm_props */

/* Checks of forms. gg__rank returns the rank of operand i. The others fail
 * unless operand i has the axis, operands i and k have the same rank, operand 0
 * has an axis. */
unsigned int gg__rank(const gg_apply *a, unsigned int i);
int gg__check_axis_of(const gg_apply *a, unsigned int i, int64_t axis);
int gg__check_ranks(const gg_apply *a, unsigned int i, unsigned int k);
int gg__check_not_scalar(const gg_apply *a);
/* gg__check_axis_of operand 0, for gg__axis_props. */
int gg__check_axis(const gg_apply *a);
/* `print` for gg__axis_props: "axis=1". */
void gg__axis_print(const gg_apply *a, char *buf, size_t bytes);
/* Fails unless graphs support the dtype. */
int gg__check_dtype(const gg_apply *a, int dtype);
/* gg_op_apply if `check` succeeds, else NULL. */
gg_var *gg__apply_checked(const gg_op *op, const void *props, unsigned int n,
                          gg_var *const *in, int (*check)(const gg_apply *a));

#endif
