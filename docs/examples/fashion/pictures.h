/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the report with pictures. */
#ifndef FASHION_PICTURES_H
#define FASHION_PICTURES_H

#include <stdio.h>

#include "page.h"

/* The filters of the first layer, as grey squares. */
void pictures_filters(FILE *f, const page *p);
/* The worst mistakes: image, label, guess and its probability. */
void pictures_mistakes(FILE *f, const page *p);

#endif
