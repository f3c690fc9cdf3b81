/* SPDX-License-Identifier: BSD-2-Clause */
/* Hand-written kernels for one training step; FEATS and n are multiples of 16.
 * On a CPU a work-group is one item that walks memory in vectors; on a GPU a
 * row belongs to one group of 64 items, and a column to one group as well. With
 * CALLS gradients are stored, and further kernels, one for each call of a
 * client, use them; else weights are updated where gradients are computed. */
#ifdef CALLS
#define NEXT_W(w, g) (g)
#define NEXT_B(b, g) (g)
#else
#define NEXT_W(w, g) (0.9998f * (w) - 0.01f * (g))
#define NEXT_B(b, g) ((b) - 0.01f * (g))
#endif

#ifdef CPU
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
forward(global const float *x, global const float *w, global float *z, int n) {
  int rows = (n + (int)get_global_size(0) - 1) / (int)get_global_size(0);
  int i = (int)get_global_id(0) * rows, end = min(i + rows, n);
  for (; i < end; i++) {
    global const float *row = x + (size_t)i * FEATS;
    float16 s = 0;
    for (int j = 0; j < FEATS; j += 16)
      s = fma(vload16(0, row + j), vload16(0, w + j), s);
    float8 s8 = s.lo + s.hi;
    float4 s4 = s8.lo + s8.hi;
    float2 s2 = s4.lo + s4.hi;
    z[i] = s2.x + s2.y;
  }
}

#define BLOCK 7 /* vectors of 16 columns held in registers */
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
backward(global const float *x, global const float *g, global float *w, int n) {
  int first = (int)get_global_id(0) * BLOCK * 16;
  float16 s[BLOCK];
  for (int k = 0; k < BLOCK; k++)
    s[k] = 0;
  for (int i = 0; i < n; i++) {
    float16 gi = g[i];
    for (int k = 0; k < BLOCK; k++)
      s[k] = fma(vload16(0, x + (size_t)i * FEATS + first + 16 * k), gi, s[k]);
  }
  for (int k = 0; k < BLOCK; k++) {
    global float *at = w + first + 16 * k;
    vstore16(NEXT_W(vload16(0, at), s[k]), 0, at);
  }
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
                     global float *w, int n) {
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
    w[j] = NEXT_W(w[j], part[id]);
}
#endif

kernel void middle(global const float *z, global const float *y,
                   global const float *b, global float *g,
                   global uchar *prediction, global float *xent, int n) {
#ifdef CPU
  for (int i = 0; i < n; i += 16) {
    float16 zi = vload16(0, z + i) + b[0], yi = vload16(0, y + i);
    float16 p = 1 / (1 + exp(-zi)), t = log1p(exp(-fabs(zi)));
    vstore16((p - yi) / n, 0, g + i);
    vstore16(convert_uchar16((p > 0.5f) & 1), 0, prediction + i);
    vstore16(yi * (fmax(-zi, 0.0f) + t) + (1 - yi) * (fmax(zi, 0.0f) + t), 0,
             xent + i);
  }
#else
  int i = get_global_id(0);
  if (i >= n)
    return;
  float zi = z[i] + b[0], yi = y[i];
  float p = 1 / (1 + exp(-zi)), t = log1p(exp(-fabs(zi)));
  g[i] = (p - yi) / n;
  prediction[i] = p > 0.5f;
  xent[i] = yi * (fmax(-zi, 0.0f) + t) + (1 - yi) * (fmax(zi, 0.0f) + t);
#endif
}

kernel void bias(global const float *g, global float *b, int n) {
#ifdef CPU
  float16 s = 0;
  for (int i = 0; i < n; i += 16)
    s += vload16(0, g + i);
  float8 s8 = s.lo + s.hi;
  float4 s4 = s8.lo + s8.hi;
  b[0] = NEXT_B(b[0], s4.x + s4.y + s4.z + s4.w);
#else
  local float part[64];
  float s = 0;
  for (int i = get_local_id(0); i < n; i += 64)
    s += g[i];
  s = group_sum(s, part);
  if (get_local_id(0) == 0)
    b[0] = NEXT_B(b[0], s);
#endif
}

#ifdef CALLS
#ifdef CPU
#define V float16
#define LOAD(p) vload16(0, (p) + i)
#define STORE(v, p) vstore16(v, 0, (p) + i)
#define EACH(i, n) for (int i = 0; i < (n); i += 16)
#else
#define V float
#define LOAD(p) (p)[i]
#define STORE(v, p) (p)[i] = (v)
#define EACH(i, n) for (int i = get_global_id(0); i < (n); i = (n))
#endif

kernel void probability(global const float *z, global const float *b,
                        global float *p, int n) {
  EACH(i, n) STORE(1 / (1 + exp(-(LOAD(z) + b[0]))), p);
}

kernel void entropy(global const float *p, global const float *y,
                    global float *xent, int n) {
  EACH(i, n) {
    V pi = LOAD(p), yi = LOAD(y);
    STORE(-yi * log(pi) - (1 - yi) * log(1 - pi), xent);
  }
}

kernel void slope(global const float *p, global const float *y, global float *g,
                  int n) {
  EACH(i, n) STORE((LOAD(p) - LOAD(y)) / n, g);
}

kernel void predict(global const float *p, global float *prediction, int n) {
  EACH(i, n) STORE(LOAD(p) > 0.5f ? (V)1 : (V)0, prediction);
}

kernel void update_w(global const float *gw, global float *w, int n) {
  EACH(i, FEATS) STORE(0.9998f * LOAD(w) - 0.01f * LOAD(gw), w);
}

kernel void update_b(global const float *gb, global float *b, int n) {
  if (get_global_id(0) == 0)
    b[0] -= 0.01f * gb[0];
}
#endif
