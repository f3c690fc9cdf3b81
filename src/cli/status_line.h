/* SPDX-License-Identifier: BSD-2-Clause */
/* What the program waits for, as a line on a terminal. */
#ifndef CLI_STATUS_LINE_H
#define CLI_STATUS_LINE_H

/* Say on the standard error, if that is a terminal, what goes on from now, with
 * the seconds it takes, once it takes longer than one. The next call ends it;
 * NULL: nothing goes on. The line is erased at the end. Call it with NULL
 * before anything is printed. */
void cli_progress(const char *what);

#endif
