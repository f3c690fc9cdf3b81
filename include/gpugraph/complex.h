/* SPDX-License-Identifier: BSD-2-Clause */
/** \file complex.h
 *  Complex numbers: their parts, and numbers from parts.
 *
 *  The dtypes are GA_CFLOAT and GA_CDOUBLE (complex64 and complex128). A real
 *  operand beside a complex one becomes complex. gg_cast turns a complex number
 *  into bool (is either part nonzero?) but not into a real number: that is
 *  gg_real. docs/complex.md lists the ops that take complex numbers, and says
 *  what a gradient by a complex variable is. On error every function returns
 *  NULL and leaves the reason in the graph.
 */
#ifndef GPUGRAPH_COMPLEX_H
#define GPUGRAPH_COMPLEX_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** re + i im of real numbers: complex128 if either is float64, else
 *  complex64. */
GG_PUBLIC gg_var *gg_complex(gg_var *re, gg_var *im);
/** r (cos(angle) + i sin(angle)) of real numbers, in radians. */
GG_PUBLIC gg_var *gg_polar(gg_var *r, gg_var *angle);
/** The real part. A real x is its own. */
GG_PUBLIC gg_var *gg_real(gg_var *x);
/** The imaginary part; zeros of a real x. */
GG_PUBLIC gg_var *gg_imag(gg_var *x);
/** The complex conjugate. A real x is its own. */
GG_PUBLIC gg_var *gg_conj(gg_var *x);
/** The angle in radians, in [-pi, pi]; of a real x, 0 or pi. At 0 the gradient
 *  is 0. */
GG_PUBLIC gg_var *gg_angle(gg_var *x);

/** Constants. */
GG_PUBLIC gg_var *gg_c64(gg_graph *g, float re, float im);
GG_PUBLIC gg_var *gg_c128(gg_graph *g, double re, double im);

#ifdef __cplusplus
}
#endif

#endif
