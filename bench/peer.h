/* SPDX-License-Identifier: BSD-2-Clause */
/* Peers that are no library to link with: scripts of this folder that time
 * NumPy, SciPy or PyTorch. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

/* What such a script prints, "mlp_torch.py cpu" for one: microseconds a call.
 * 0 where the peer is absent. */
double peer_us(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The first n numbers that a script prints. Returns how many there are: 0 where
 * the peer is absent. */
int peer_numbers(double *to, int n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Print the line of a figure beside a peer's that does `work`, in units of the
 * figure times a microsecond, in `us`; 0 where the peer is absent. */
void peer_print(const char *name, double value, const char *unit, double work,
                double us);

#endif
