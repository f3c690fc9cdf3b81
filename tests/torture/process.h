/* SPDX-License-Identifier: BSD-2-Clause */
/* What the process holds, libraries and drivers and all; 0 where the system
 * does not tell. */
#ifndef TORTURE_PROCESS_H
#define TORTURE_PROCESS_H

/* What malloc has given to anybody. */
double process_heap_mib(void);
/* What is in memory. */
double process_resident_mib(void);

#endif
