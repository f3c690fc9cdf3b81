/* SPDX-License-Identifier: BSD-2-Clause */
/* What the table of elementwise ops needs of special functions. */
#ifndef OPS_ELEMENTWISE_SPECIAL_H
#define OPS_ELEMENTWISE_SPECIAL_H

#include "ops/ops.h"

/* --- on the host, in double precision: compiled from the kernels' text --- */

double gg__host_lgamma(double x);
double gg__host_gamma(double x);
double gg__host_digamma(double x);
double gg__host_trigamma(double x);
double gg__host_betaln(double x, double y);
double gg__host_zeta(double x, double y);
double gg__host_erfinv(double x);
double gg__host_erfcinv(double x);
double gg__host_erfcx(double x);
double gg__host_ndtr(double x);
double gg__host_log_ndtr(double x);
double gg__host_ndtri(double x);
double gg__host_xlogy(double x, double y);
double gg__host_xlog1py(double x, double y);
double gg__host_entr(double x);
double gg__host_rel_entr(double x, double y);
double gg__host_kl_div(double x, double y);
double gg__host_sinc(double x);
double gg__host_i0(double x);
double gg__host_i0e(double x);
double gg__host_i1(double x);
double gg__host_i1e(double x);
double gg__host_k0(double x);
double gg__host_k0e(double x);
double gg__host_k1(double x);
double gg__host_k1e(double x);
double gg__host_lambertw(double x);
double gg__host_j0(double x);
double gg__host_j1(double x);
double gg__host_y0(double x);
double gg__host_y1(double x);
double gg__host_exp1(double x);
double gg__host_expi(double x);
double gg__host_gammainc(double x, double y);
double gg__host_gammaincc(double x, double y);
double gg__host_gammaincinv(double x, double y);
double gg__host_gammainccinv(double x, double y);
double gg__host_gammapdf(double x, double y);
double gg__host_betainc(double x, double y, double z);
double gg__host_betaincc(double x, double y, double z);
double gg__host_betaincinv(double x, double y, double z);
double gg__host_betainccinv(double x, double y, double z);
double gg__host_betapdf(double x, double y, double z);

/* --- gradients, as `grad` of a gg_op --- */

#define GG_GRADIENT(name)                                                      \
  int gg__grad_##name(const gg_apply *a, gg_var *const *gout, gg_var **gin)
GG_GRADIENT(lgamma);
GG_GRADIENT(gamma);
GG_GRADIENT(digamma);
GG_GRADIENT(trigamma);
GG_GRADIENT(betaln);
GG_GRADIENT(zeta);
GG_GRADIENT(erfinv);
GG_GRADIENT(erfcinv);
GG_GRADIENT(erfcx);
GG_GRADIENT(ndtr);
GG_GRADIENT(log_ndtr);
GG_GRADIENT(ndtri);
GG_GRADIENT(xlogy);
GG_GRADIENT(xlog1py);
GG_GRADIENT(entr);
GG_GRADIENT(rel_entr);
GG_GRADIENT(kl_div);
GG_GRADIENT(sinc);
GG_GRADIENT(i0);
GG_GRADIENT(i0e);
GG_GRADIENT(i1);
GG_GRADIENT(i1e);
GG_GRADIENT(k0);
GG_GRADIENT(k0e);
GG_GRADIENT(k1);
GG_GRADIENT(k1e);
GG_GRADIENT(lambertw);
GG_GRADIENT(j0);
GG_GRADIENT(j1);
GG_GRADIENT(y0);
GG_GRADIENT(y1);
GG_GRADIENT(exp1);
GG_GRADIENT(expi);
GG_GRADIENT(gammainc);
GG_GRADIENT(gammaincc);
GG_GRADIENT(gammaincinv);
GG_GRADIENT(gammainccinv);
GG_GRADIENT(gammapdf);
GG_GRADIENT(betainc);
GG_GRADIENT(betaincc);
GG_GRADIENT(betaincinv);
GG_GRADIENT(betainccinv);
GG_GRADIENT(betapdf);

/* `no_grad` of functions whose operands are parameters but for the last. */
const char *gg__no_grad_by_parameter(const gg_apply *a, unsigned int in);

#endif
