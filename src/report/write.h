/* SPDX-License-Identifier: BSD-2-Clause */
/* Output functions that all reports share. */
#ifndef REPORT_WRITE_H
#define REPORT_WRITE_H

#include <stdio.h>

/* Write text for between double quotes, escaped for Graphviz' language. */
void gg__put_quoted(FILE *out, const char *s);
/* The error of a call without a function or without a file. */
int gg__nothing_to_write(const char *call, const void *f);

#endif
