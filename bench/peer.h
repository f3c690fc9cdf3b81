/* SPDX-License-Identifier: BSD-2-Clause */
/* Peers that are no library to link with: scripts of this folder that time
 * NumPy or PyTorch. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

/* What such a script prints, "mlp_torch.py cpu" for one: microseconds a call.
 * 0 where the peer is absent. */
double peer_us(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
