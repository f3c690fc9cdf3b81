/* SPDX-License-Identifier: BSD-2-Clause */
/* Locales whose decimal point is none. */
#ifndef SUPPORT_LOCALE_H
#define SUPPORT_LOCALE_H

/* Switch to a locale with a decimal comma: one that the system has, else one
 * made by localedef for this test. Skips the test, with the reason, where there
 * is neither. */
void test_comma_locale(void);
/* Back to "C". */
void test_plain_locale(void);

#endif
