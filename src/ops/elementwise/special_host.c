/* SPDX-License-Identifier: BSD-2-Clause */
/* Special functions for the host: the kernels' text, compiled as C. */
#include <math.h>

#include "ops/elementwise/special.h"

#define F_REAL double
#define F_BOOL int
#define F(name) name##_of
#define F_PICK(d, f) d
#define F_ANY(b) (b)
#include "cl/fn_power.cl"
/* Those that call these. */
#include "cl/fn_bessel.cl"
#include "cl/fn_besselj.cl"
#include "cl/fn_expint.cl"
#include "cl/fn_gamma.cl"
#include "cl/fn_lambertw.cl"
#include "cl/fn_logs.cl"
#include "cl/fn_normal.cl"
#include "cl/fn_zeta.cl"
/* And those that call these. */
#include "cl/fn_gammainc.cl"
/* And those that call these. */
#include "cl/fn_betainc.cl"

#define HOST(name)                                                             \
  double gg__host_##name(double x) {                                           \
    return name##_of(x);                                                       \
  }
#define HOST_OF_TWO(name)                                                      \
  double gg__host_##name(double x, double y) {                                 \
    return name##_of(x, y);                                                    \
  }
#define HOST_OF_THREE(name)                                                    \
  double gg__host_##name(double x, double y, double z) {                       \
    return name##_of(x, y, z);                                                 \
  }
/* clang-format off */
HOST(lgamma)
HOST(gamma)
HOST(digamma)
HOST(trigamma)
HOST_OF_TWO(betaln)
HOST_OF_TWO(zeta)
HOST(erfinv)
HOST(erfcinv)
HOST(erfcx)
HOST(ndtr)
HOST(log_ndtr)
HOST(ndtri)
HOST_OF_TWO(xlogy)
HOST_OF_TWO(xlog1py)
HOST(entr)
HOST_OF_TWO(rel_entr)
HOST_OF_TWO(kl_div)
HOST(sinc)
HOST(i0)
HOST(i0e)
HOST(i1)
HOST(i1e)
HOST(k0)
HOST(k0e)
HOST(k1)
HOST(k1e)
HOST(lambertw)
HOST(j0)
HOST(j1)
HOST(y0)
HOST(y1)
HOST(exp1)
HOST(expi)
HOST_OF_TWO(gammainc)
HOST_OF_TWO(gammaincc)
HOST_OF_TWO(gammaincinv)
HOST_OF_TWO(gammainccinv)
HOST_OF_TWO(gammapdf)
HOST_OF_THREE(betainc)
HOST_OF_THREE(betaincc)
HOST_OF_THREE(betaincinv)
HOST_OF_THREE(betainccinv)
HOST_OF_THREE(betapdf)
/* clang-format on */
