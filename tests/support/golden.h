/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated text against files in tests/golden. */
#ifndef SUPPORT_GOLDEN_H
#define SUPPORT_GOLDEN_H

/* Fail the test unless `text` equals tests/golden/<name>.cl; shows the first
 * line that differs. With GOLDEN_UPDATE set in the environment the file is
 * written instead. */
void test_golden(const char *name, const char *text);

#endif
