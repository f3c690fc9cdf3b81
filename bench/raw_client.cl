/* SPDX-License-Identifier: BSD-2-Clause */
/* One kernel for each call of a client's training step; FEATS is a multiple of
 * 16, as is n. On a CPU a work-group is one item that walks memory in vectors;
 * on a GPU a row belongs to one group of 64 items, and 16 columns to one of
 * 256. */
#ifdef CPU
#define ALONE __attribute__((reqd_work_group_size(1, 1, 1)))
#define V float16
#define LOAD(p) vload16(0, (p) + i)
#define STORE(v, p) vstore16(v, 0, (p) + i)
#define EACH(i, n) for (int i = 0; i < (n); i += 16)
#else
#define ALONE
#define V float
#define LOAD(p) (p)[i]
#define STORE(v, p) (p)[i] = (v)
#define EACH(i, n) for (int i = get_global_id(0); i < (n); i = (n))
#endif

#ifdef CPU
ALONE kernel void forward(global const float *x, global const float *w,
                          global float *z, int n) {
  int rows = (n + (int)get_global_size(0) - 1) / (int)get_global_size(0);
  int r = (int)get_global_id(0) * rows, end = min(r + rows, n);
  for (; r < end; r++) {
    float16 s = 0;
    for (int j = 0; j < FEATS; j += 16)
      s = fma(vload16(0, x + (size_t)r * FEATS + j), vload16(0, w + j), s);
    float8 s8 = s.lo + s.hi;
    float4 s4 = s8.lo + s8.hi;
    z[r] = s4.x + s4.y + s4.z + s4.w;
  }
}

#define BLOCK 7 /* vectors of 16 columns held in registers */
ALONE kernel void backward(global const float *x, global const float *g,
                           global float *gw, int n) {
  int first = (int)get_global_id(0) * BLOCK * 16;
  float16 s[BLOCK];
  for (int k = 0; k < BLOCK; k++)
    s[k] = 0;
  for (int r = 0; r < n; r++) {
    float16 gr = g[r];
    for (int k = 0; k < BLOCK; k++)
      s[k] = fma(vload16(0, x + (size_t)r * FEATS + first + 16 * k), gr, s[k]);
  }
  for (int k = 0; k < BLOCK; k++)
    vstore16(s[k], 0, gw + first + 16 * k);
}

ALONE kernel void total(global const float *g, global float *gb, int n) {
  float16 s = 0;
  EACH(i, n) s += LOAD(g);
  float8 s8 = s.lo + s.hi;
  float4 s4 = s8.lo + s8.hi;
  gb[0] = s4.x + s4.y + s4.z + s4.w;
}
#else
float group_sum(float v, local float *part) {
  int id = get_local_id(0);
  part[id] = v;
  for (int half_size = (int)get_local_size(0) / 2; half_size > 0;
       half_size /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < half_size)
      part[id] += part[id + half_size];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return part[0];
}

kernel void forward(global const float *x, global const float *w,
                    global float *z, int n) {
  local float part[64];
  float s = 0;
  int i = get_group_id(0);
  for (int j = get_local_id(0); j < FEATS; j += 64)
    s += x[(size_t)i * FEATS + j] * w[j];
  s = group_sum(s, part);
  if (get_local_id(0) == 0)
    z[i] = s;
}

/* 16 columns by 16 rows at a time in each group of 256 items. */
kernel void backward(global const float *x, global const float *g,
                     global float *gw, int n) {
  local float part[256];
  int id = get_local_id(0), col = id % 16, j = (int)get_group_id(0) * 16 + col;
  float s = 0;
  for (int i = id / 16; i < n; i += 16)
    s += x[(size_t)i * FEATS + j] * g[i];
  part[id] = s;
  for (int rows = 8; rows > 0; rows /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < rows * 16)
      part[id] += part[id + rows * 16];
  }
  if (id < 16)
    gw[j] = part[id];
}

kernel void total(global const float *g, global float *gb, int n) {
  local float part[64];
  float s = 0;
  for (int i = get_local_id(0); i < n; i += 64)
    s += g[i];
  s = group_sum(s, part);
  if (get_local_id(0) == 0)
    gb[0] = s;
}
#endif

ALONE kernel void probability(global const float *z, global const float *b,
                              global float *p, int n) {
  EACH(i, n) STORE(1 / (1 + exp(-(LOAD(z) + b[0]))), p);
}

ALONE kernel void entropy(global const float *p, global const float *y,
                          global float *xent, int n) {
  EACH(i, n) {
    V pi = LOAD(p), yi = LOAD(y);
    STORE(-yi * log(pi) - (1 - yi) * log(1 - pi), xent);
  }
}

ALONE kernel void slope(global const float *p, global const float *y,
                        global float *g, int n) {
  EACH(i, n) STORE((LOAD(p) - LOAD(y)) / n, g);
}

ALONE kernel void predict(global const float *p, global float *prediction,
                          int n) {
  EACH(i, n) STORE(LOAD(p) > 0.5f ? (V)1 : (V)0, prediction);
}

ALONE kernel void update_w(global const float *gw, global float *w, int n) {
  EACH(i, FEATS) STORE(0.9998f * LOAD(w) - 0.01f * LOAD(gw), w);
}

ALONE kernel void update_b(global const float *gb, global float *b, int n) {
  if (get_global_id(0) == 0)
    b[0] -= 0.01f * gb[0];
}
