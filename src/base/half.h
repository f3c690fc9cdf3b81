/* SPDX-License-Identifier: BSD-2-Clause */
/* Conversions of narrow floats on the host: halfs (IEEE binary16), and bfloats,
 * which are the upper 16 bits of floats. They round to nearest even, and keep
 * NaN and infinity. */
#ifndef BASE_HALF_H
#define BASE_HALF_H

#include <stddef.h>
#include <stdint.h>

uint16_t ga__half_from_float(float f);
uint16_t ga__half_from_double(double d); /* one rounding, not two */
float ga__half_to_float(uint16_t h);

uint16_t ga__bfloat_from_float(float f);
uint16_t ga__bfloat_from_double(double d); /* one rounding, not two */
float ga__bfloat_to_float(uint16_t b);

#endif
