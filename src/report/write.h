/* SPDX-License-Identifier: BSD-2-Clause */
/* What all reports write with. */
#ifndef REPORT_WRITE_H
#define REPORT_WRITE_H

#include <stdio.h>

/* Text between the double quotes of Graphviz' language. */
void gg__put_quoted(FILE *out, const char *s);
/* Fail, with what was written, if some of it could not be. */
int gg__written(FILE *out, const char *what);

#endif
