/* SPDX-License-Identifier: BSD-2-Clause */
/* Modified Bessel functions of order 0 and 1 (DLMF 10.25), and scaled by
 * exp(-|x|) or exp(x). The macros are those of fn_gamma.cl. I: up to 8 the power
 * series in x^2 (DLMF 10.25.2), beyond it a polynomial in 1 / x over sqrt(x). K:
 * up to 2 what is left of it beside log(x / 2) I (DLMF 10.31.1, 10.31.2). The
 * polynomials come from tests/ops/special_fit.py; their errors are below
 * 4e-17. */

/* I0(x), t = x^2 / 64. */
static inline F_REAL F(i0_near)(const F_REAL t) {
  F_REAL y = (F_REAL)(1.751226960033716617e-10);
  y = fma(y, t, (F_REAL)(2.0530887302026463114e-9));
  y = fma(y, t, (F_REAL)(4.2910710362170762084e-8));
  y = fma(y, t, (F_REAL)(6.727830941361575123e-7));
  y = fma(y, t, (F_REAL)(9.4831104507048650023e-6));
  y = fma(y, t, (F_REAL)(0.00011614272875895545831));
  y = fma(y, t, (F_REAL)(0.0012267791086491616846));
  y = fma(y, t, (F_REAL)(0.011040998236981381666));
  y = fma(y, t, (F_REAL)(0.083497555805719920555));
  y = fma(y, t, (F_REAL)(0.52185972135809820799));
  y = fma(y, t, (F_REAL)(2.6419148400424526524));
  y = fma(y, t, (F_REAL)(10.567659360034073984));
  y = fma(y, t, (F_REAL)(32.36345679012433158));
  y = fma(y, t, (F_REAL)(72.817777777777691751));
  y = fma(y, t, (F_REAL)(113.77777777777778339));
  y = fma(y, t, (F_REAL)(113.77777777777777755));
  y = fma(y, t, (F_REAL)(64.000000000000000005));
  y = fma(y, t, (F_REAL)(16.0));
  return fma(y, t, (F_REAL)(1.0));
}

/* 2 I1(x) / x, likewise. */
static inline F_REAL F(i1_near)(const F_REAL t) {
  F_REAL y = (F_REAL)(9.0286844862264038761e-12);
  y = fma(y, t, (F_REAL)(1.1579917542468424031e-10));
  y = fma(y, t, (F_REAL)(2.5167845051537901284e-9));
  y = fma(y, t, (F_REAL)(4.2067989565161490039e-8));
  y = fma(y, t, (F_REAL)(6.321738989403160142e-7));
  y = fma(y, t, (F_REAL)(8.2959515361372269673e-6));
  y = fma(y, t, (F_REAL)(0.000094367583921502725629));
  y = fma(y, t, (F_REAL)(0.00092008321475273522447));
  y = fma(y, t, (F_REAL)(0.0075906868760451942553));
  y = fma(y, t, (F_REAL)(0.052185972142186416324));
  y = fma(y, t, (F_REAL)(0.29354609333604380824));
  y = fma(y, t, (F_REAL)(1.3209574200047325623));
  y = fma(y, t, (F_REAL)(4.623350970017679659));
  y = fma(y, t, (F_REAL)(12.13629629629629207));
  y = fma(y, t, (F_REAL)(22.755555555555555831));
  y = fma(y, t, (F_REAL)(28.444444444444444433));
  y = fma(y, t, (F_REAL)(21.333333333333333334));
  y = fma(y, t, (F_REAL)(8.0));
  return fma(y, t, (F_REAL)(1.0));
}

/* sqrt(x) exp(-x) I0(x), t = 16 / x - 1. */
static inline F_REAL F(i0_far)(const F_REAL t) {
  F_REAL y = (F_REAL)(-7.0689385118187804212e-11);
  y = fma(y, t, (F_REAL)(-1.9216763724933512544e-11));
  y = fma(y, t, (F_REAL)(5.181936971288283669e-10));
  y = fma(y, t, (F_REAL)(1.4672236659214397367e-10));
  y = fma(y, t, (F_REAL)(-1.7789375042917173877e-9));
  y = fma(y, t, (F_REAL)(-5.5622019900803933254e-10));
  y = fma(y, t, (F_REAL)(3.8811512539960667914e-9));
  y = fma(y, t, (F_REAL)(1.4978808301870910383e-9));
  y = fma(y, t, (F_REAL)(-6.1882650904973612097e-9));
  y = fma(y, t, (F_REAL)(-3.4857887470034954789e-9));
  y = fma(y, t, (F_REAL)(7.580221339152719224e-9));
  y = fma(y, t, (F_REAL)(7.5406013788908334734e-9));
  y = fma(y, t, (F_REAL)(-5.4685974495866000078e-9));
  y = fma(y, t, (F_REAL)(-1.340424199198087017e-8));
  y = fma(y, t, (F_REAL)(-6.7297241119235484586e-9));
  y = fma(y, t, (F_REAL)(7.5535164703558962265e-9));
  y = fma(y, t, (F_REAL)(2.1545177650836004368e-8));
  y = fma(y, t, (F_REAL)(3.9326024597031090648e-8));
  y = fma(y, t, (F_REAL)(8.8722535112858404568e-8));
  y = fma(y, t, (F_REAL)(2.9735984324791689035e-7));
  y = fma(y, t, (F_REAL)(1.4838475473607391562e-6));
  y = fma(y, t, (F_REAL)(0.00001114303379155674261));
  y = fma(y, t, (F_REAL)(0.00013621607439232747274));
  y = fma(y, t, (F_REAL)(0.0033605519836678540963));
  return fma(y, t, (F_REAL)(0.40217650944500807582));
}

/* The same of I1. */
static inline F_REAL F(i1_far)(const F_REAL t) {
  F_REAL y = (F_REAL)(7.3479924417346638795e-11);
  y = fma(y, t, (F_REAL)(1.7502497778701305837e-11));
  y = fma(y, t, (F_REAL)(-5.3882859959235238002e-10));
  y = fma(y, t, (F_REAL)(-1.3422663200822220689e-10));
  y = fma(y, t, (F_REAL)(1.8513716745511988467e-9));
  y = fma(y, t, (F_REAL)(5.1464988260871418638e-10));
  y = fma(y, t, (F_REAL)(-4.0477854037118586034e-9));
  y = fma(y, t, (F_REAL)(-1.4171698018664596355e-9));
  y = fma(y, t, (F_REAL)(6.4870195719816895651e-9));
  y = fma(y, t, (F_REAL)(3.4066361301967942638e-9));
  y = fma(y, t, (F_REAL)(-8.0442312761665084852e-9));
  y = fma(y, t, (F_REAL)(-7.6307519700655777849e-9));
  y = fma(y, t, (F_REAL)(6.0408773421609881411e-9));
  y = fma(y, t, (F_REAL)(1.4029693589852716984e-8));
  y = fma(y, t, (F_REAL)(6.7157951280850175752e-9));
  y = fma(y, t, (F_REAL)(-8.4266228295981544115e-9));
  y = fma(y, t, (F_REAL)(-2.3370596271118568686e-8));
  y = fma(y, t, (F_REAL)(-4.3129353699713558998e-8));
  y = fma(y, t, (F_REAL)(-1.0001323461066434931e-7));
  y = fma(y, t, (F_REAL)(-3.4838556090099368549e-7));
  y = fma(y, t, (F_REAL)(-1.8349101134666434401e-6));
  y = fma(y, t, (F_REAL)(-0.000015038547201176271351));
  y = fma(y, t, (F_REAL)(-0.00021923576383430275169));
  y = fma(y, t, (F_REAL)(-0.0097495771932357289238));
  return fma(y, t, (F_REAL)(0.38939845902587232997));
}

/* I0(a) for a >= 0, times exp(-a) if `scaled`. Beyond 8 the exponential is a
 * square, which overflows only where the result does. */
static inline F_REAL F(i0_right)(const F_REAL a, const int scaled) {
  const F_REAL b = fmin(a, (F_REAL)(8)), c = fmax(a, (F_REAL)(8));
  const F_REAL near = F(i0_near)(b * b * (F_REAL)(0.015625));
  const F_REAL far = F(i0_far)((F_REAL)(16) / c - (F_REAL)(1)) / sqrt(c);

  if (scaled)
    return a <= (F_REAL)(8) ? near * exp(-b) : far;
  const F_REAL e = exp(c * (F_REAL)(0.5));
  return a <= (F_REAL)(8) ? near : a == (F_REAL)(INFINITY) ? a : far * e * e;
}

/* I1(a) for a >= 0, times exp(-a) if `scaled`. Beyond 8 the exponential is a
 * square, which overflows only where the result does. */
static inline F_REAL F(i1_right)(const F_REAL a, const int scaled) {
  const F_REAL b = fmin(a, (F_REAL)(8)), c = fmax(a, (F_REAL)(8));
  const F_REAL near =
      F(i1_near)(b * b * (F_REAL)(0.015625)) * b * (F_REAL)(0.5);
  const F_REAL far = F(i1_far)((F_REAL)(16) / c - (F_REAL)(1)) / sqrt(c);

  if (scaled)
    return a <= (F_REAL)(8) ? near * exp(-b) : far;
  const F_REAL e = exp(c * (F_REAL)(0.5));
  return a <= (F_REAL)(8) ? near : a == (F_REAL)(INFINITY) ? a : far * e * e;
}

static inline F_REAL F(i0)(const F_REAL x) {
  return x != x ? x : F(i0_right)(fabs(x), 0);
}

static inline F_REAL F(i0e)(const F_REAL x) {
  return x != x ? x : F(i0_right)(fabs(x), 1);
}

static inline F_REAL F(i1)(const F_REAL x) {
  return x != x ? x : copysign(F(i1_right)(fabs(x), 0), x);
}

static inline F_REAL F(i1e)(const F_REAL x) {
  return x != x ? x : copysign(F(i1_right)(fabs(x), 1), x);
}

/* K0(x) + log(x / 2) I0(x), t = x^2 / 4. */
static inline F_REAL F(k0_near)(const F_REAL t) {
  F_REAL y = (F_REAL)(1.8015293331696396278e-11);
  y = fma(y, t, (F_REAL)(1.3147877336324059094e-9));
  y = fma(y, t, (F_REAL)(7.9353281373520665173e-8));
  y = fma(y, t, (F_REAL)(3.6126224527474432417e-6));
  y = fma(y, t, (F_REAL)(0.00011848039436836223472));
  y = fma(y, t, (F_REAL)(0.0026147876186102166305));
  y = fma(y, t, (F_REAL)(0.034892157456468920241));
  y = fma(y, t, (F_REAL)(0.23069608377461443872));
  y = fma(y, t, (F_REAL)(0.4227843350984672105));
  return fma(y, t, (F_REAL)(-0.57721566490153286096));
}

/* x (K1(x) - log(x / 2) I1(x)), likewise. */
static inline F_REAL F(k1_near)(const F_REAL t) {
  F_REAL y = (F_REAL)(-3.1816853844711320229e-10);
  y = fma(y, t, (F_REAL)(-2.0414345047480688907e-8));
  y = fma(y, t, (F_REAL)(-1.0715914244065622295e-6));
  y = fma(y, t, (F_REAL)(-0.000041422444455302911864));
  y = fma(y, t, (F_REAL)(-0.0011153595062620780963));
  y = fma(y, t, (F_REAL)(-0.019182189835497294611));
  y = fma(y, t, (F_REAL)(-0.1815751669614457874));
  y = fma(y, t, (F_REAL)(-0.67278433509842101297));
  y = fma(y, t, (F_REAL)(0.15443132980306432311));
  return fma(y, t, (F_REAL)(1.000000000000000007));
}

/* sqrt(x) exp(x) K0(x), t = 4 / x - 1. */
static inline F_REAL F(k0_far)(const F_REAL t) {
  F_REAL y = (F_REAL)(3.9635525626350799593e-11);
  y = fma(y, t, (F_REAL)(-6.8291223111328794226e-11));
  y = fma(y, t, (F_REAL)(-1.2868224653773468512e-10));
  y = fma(y, t, (F_REAL)(2.1672329094976381487e-10));
  y = fma(y, t, (F_REAL)(3.130258058736577388e-10));
  y = fma(y, t, (F_REAL)(-5.4253922688265509521e-10));
  y = fma(y, t, (F_REAL)(-1.2974622316235226203e-10));
  y = fma(y, t, (F_REAL)(1.6249121403085223014e-10));
  y = fma(y, t, (F_REAL)(9.5012679547023799273e-10));
  y = fma(y, t, (F_REAL)(-1.9163886235149196248e-9));
  y = fma(y, t, (F_REAL)(3.2378997041976917099e-9));
  y = fma(y, t, (F_REAL)(-7.2948078305685676567e-9));
  y = fma(y, t, (F_REAL)(1.7288102250486042968e-8));
  y = fma(y, t, (F_REAL)(-4.1336035515397137764e-8));
  y = fma(y, t, (F_REAL)(1.0288753948126280238e-7));
  y = fma(y, t, (F_REAL)(-2.6890740183537944301e-7));
  y = fma(y, t, (F_REAL)(7.4279187453011171924e-7));
  y = fma(y, t, (F_REAL)(-2.191177672686995863e-6));
  y = fma(y, t, (F_REAL)(7.0022444255986082514e-6));
  y = fma(y, t, (F_REAL)(-0.000024735204570961652387));
  y = fma(y, t, (F_REAL)(0.000099560547485750220088));
  y = fma(y, t, (F_REAL)(-0.00047976905676587128842));
  y = fma(y, t, (F_REAL)(0.0030328918102739452788));
  y = fma(y, t, (F_REAL)(-0.031071461824889521973));
  return fma(y, t, (F_REAL)(1.2185953385133905385));
}

/* The same of K1. */
static inline F_REAL F(k1_far)(const F_REAL t) {
  F_REAL y = (F_REAL)(-4.3071978473211121897e-11);
  y = fma(y, t, (F_REAL)(7.4370543155581861174e-11));
  y = fma(y, t, (F_REAL)(1.3926477073955668422e-10));
  y = fma(y, t, (F_REAL)(-2.3491838521262874589e-10));
  y = fma(y, t, (F_REAL)(-3.4052380863530664889e-10));
  y = fma(y, t, (F_REAL)(5.9177031074298057866e-10));
  y = fma(y, t, (F_REAL)(1.3403129134884592741e-10));
  y = fma(y, t, (F_REAL)(-1.6214964652946646515e-10));
  y = fma(y, t, (F_REAL)(-1.0641422722589120119e-9));
  y = fma(y, t, (F_REAL)(2.1600738070102858608e-9));
  y = fma(y, t, (F_REAL)(-3.7119962979184724962e-9));
  y = fma(y, t, (F_REAL)(8.4184796709725751337e-9));
  y = fma(y, t, (F_REAL)(-2.0078990564218353858e-8));
  y = fma(y, t, (F_REAL)(4.8458504888348500735e-8));
  y = fma(y, t, (F_REAL)(-1.2195929917409409615e-7));
  y = fma(y, t, (F_REAL)(3.2298203027408510467e-7));
  y = fma(y, t, (F_REAL)(-9.0672153275936729851e-7));
  y = fma(y, t, (F_REAL)(2.7300413091247988614e-6));
  y = fma(y, t, (F_REAL)(-8.961206061895131266e-6));
  y = fma(y, t, (F_REAL)(0.000032843865568500261642));
  y = fma(y, t, (F_REAL)(-0.0001395902196338476471));
  y = fma(y, t, (F_REAL)(0.00073572415490776150407));
  y = fma(y, t, (F_REAL)(-0.0055667298800730937893));
  y = fma(y, t, (F_REAL)(0.10334973775386523312));
  return fma(y, t, (F_REAL)(1.3631518903713419667));
}

static inline F_REAL F(k0_right)(const F_REAL x, const int scaled) {
  const F_REAL b = fmin(x, (F_REAL)(2)), c = fmax(x, (F_REAL)(2));
  const F_REAL t = b * b * (F_REAL)(0.25), l = log(b * (F_REAL)(0.5));
  const F_REAL near = fma(-l, F(i0_right)(b, 0), F(k0_near)(t));
  const F_REAL far = F(k0_far)((F_REAL)(4) / c - (F_REAL)(1)) / sqrt(c);
  const F_REAL y = scaled ? (x <= (F_REAL)(2) ? near * exp(b) : far)
                          : (x <= (F_REAL)(2) ? near : far * exp(-c));

  return x == (F_REAL)(0)  ? (F_REAL)(INFINITY)
         : x < (F_REAL)(0) ? (F_REAL)(NAN)
                           : (x != x ? x : y);
}

static inline F_REAL F(k0)(const F_REAL x) {
  return F(k0_right)(x, 0);
}

static inline F_REAL F(k0e)(const F_REAL x) {
  return F(k0_right)(x, 1);
}

static inline F_REAL F(k1_right)(const F_REAL x, const int scaled) {
  const F_REAL b = fmin(x, (F_REAL)(2)), c = fmax(x, (F_REAL)(2));
  const F_REAL t = b * b * (F_REAL)(0.25), l = log(b * (F_REAL)(0.5));
  const F_REAL near = fma(l, F(i1_right)(b, 0), F(k1_near)(t) / b);
  const F_REAL far = F(k1_far)((F_REAL)(4) / c - (F_REAL)(1)) / sqrt(c);
  const F_REAL y = scaled ? (x <= (F_REAL)(2) ? near * exp(b) : far)
                          : (x <= (F_REAL)(2) ? near : far * exp(-c));

  return x == (F_REAL)(0)  ? (F_REAL)(INFINITY)
         : x < (F_REAL)(0) ? (F_REAL)(NAN)
                           : (x != x ? x : y);
}

static inline F_REAL F(k1)(const F_REAL x) {
  return F(k1_right)(x, 0);
}

static inline F_REAL F(k1e)(const F_REAL x) {
  return F(k1_right)(x, 1);
}
