/* SPDX-License-Identifier: BSD-2-Clause */
/* The exponential by Pade's approximant of degree 13: N. J. Higham, The scaling
 * and squaring method for the matrix exponential revisited, 2005. */
#ifndef BASE_PADE_H
#define BASE_PADE_H

/* Coefficient i of the numerator; the denominator has the same ones with
 * alternating signs. Users divide by the first one, so that float32 has all. */
static const double ga__pade[14] = {64764752532480000.0,
                                    32382376266240000.0,
                                    7771770303897600.0,
                                    1187353796428800.0,
                                    129060195264000.0,
                                    10559470521600.0,
                                    670442572800.0,
                                    33522128640.0,
                                    1323241920.0,
                                    40840800.0,
                                    960960.0,
                                    16380.0,
                                    182.0,
                                    1.0};

#endif
