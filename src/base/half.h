/* SPDX-License-Identifier: BSD-2-Clause */
/* Conversions of narrow floats on the host: half is IEEE binary16, bfloat is
 * the upper 16 bits of a float. Conversions round to nearest even and keep NaN
 * and infinity; values beyond the range become infinite. */
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
