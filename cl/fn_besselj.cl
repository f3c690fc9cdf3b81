/* SPDX-License-Identifier: BSD-2-Clause */
/* Bessel functions of order 0 and 1. The macros are those of fn_gamma.cl. Up to
 * 8 polynomials in x^2 beside what is singular at 0 (DLMF 10.2.2, 10.8), beyond
 * it waves whose size and phase are polynomials in 1 / x^2 (DLMF 10.17). The
 * polynomials come from tests/ops/special_fit.py; their errors are below
 * 6e-18. */

/* J0(x), t = x^2 / 32 - 1. */
static inline F_REAL F(j0_near)(const F_REAL t) {
  F_REAL y = (F_REAL)(4.0030437640628114142e-13);
  y = fma(y, t, (F_REAL)(-1.2433011305498057771e-11));
  y = fma(y, t, (F_REAL)(3.3634504568666691504e-10));
  y = fma(y, t, (F_REAL)(-7.9153230844791925757e-9));
  y = fma(y, t, (F_REAL)(1.595610905778130499e-7));
  y = fma(y, t, (F_REAL)(-2.717749223629807341e-6));
  y = fma(y, t, (F_REAL)(0.000038473197856340087536));
  y = fma(y, t, (F_REAL)(-0.00044354592243115203558));
  y = fma(y, t, (F_REAL)(0.0040580789891408053766));
  y = fma(y, t, (F_REAL)(-0.028472718610882044919));
  y = fma(y, t, (F_REAL)(0.14598884856759268451));
  y = fma(y, t, (F_REAL)(-0.50746804584710003758));
  y = fma(y, t, (F_REAL)(1.0383794611437210643));
  y = fma(y, t, (F_REAL)(-0.8080888076696872106));
  y = fma(y, t, (F_REAL)(-0.64846928308718363867));
  y = fma(y, t, (F_REAL)(0.93030124729585712394));
  return fma(y, t, (F_REAL)(0.045829664859813769526));
}

/* J1(x) / x, likewise. */
static inline F_REAL F(j1_near)(const F_REAL t) {
  F_REAL y = (F_REAL)(1.2093613396338288665e-14);
  y = fma(y, t, (F_REAL)(-4.0045727387861468905e-13));
  y = fma(y, t, (F_REAL)(1.1610597914042965144e-11));
  y = fma(y, t, (F_REAL)(-2.9430137983909161328e-10));
  y = fma(y, t, (F_REAL)(6.4312687857530878864e-9));
  y = fma(y, t, (F_REAL)(-1.1967081867872173145e-7));
  y = fma(y, t, (F_REAL)(1.8684525372057272971e-6));
  y = fma(y, t, (F_REAL)(-0.000024045748659686984812));
  y = fma(y, t, (F_REAL)(0.00024949458139090492431));
  y = fma(y, t, (F_REAL)(-0.0020290394945705997744));
  y = fma(y, t, (F_REAL)(0.012456814392255439063));
  y = fma(y, t, (F_REAL)(-0.054745818212847219067));
  y = fma(y, t, (F_REAL)(0.15858376432721938167));
  y = fma(y, t, (F_REAL)(-0.25959486528593026922));
  y = fma(y, t, (F_REAL)(0.15151665143806632542));
  y = fma(y, t, (F_REAL)(0.081058660385897954909));
  return fma(y, t, (F_REAL)(-0.058143827955991070062));
}

/* Y0(x) - 2 / pi log(x) J0(x), likewise. */
static inline F_REAL F(y0_near)(const F_REAL t) {
  F_REAL y = (F_REAL)(-8.8384683943090220723e-13);
  y = fma(y, t, (F_REAL)(2.6926937109987802633e-11));
  y = fma(y, t, (F_REAL)(-7.1304680401261125469e-10));
  y = fma(y, t, (F_REAL)(1.6390875017619393506e-8));
  y = fma(y, t, (F_REAL)(-3.2185078339097019845e-7));
  y = fma(y, t, (F_REAL)(5.3213188103944011863e-6));
  y = fma(y, t, (F_REAL)(-0.00007279541882544516399));
  y = fma(y, t, (F_REAL)(0.00080615860596164003656));
  y = fma(y, t, (F_REAL)(-0.0070257410572705462203));
  y = fma(y, t, (F_REAL)(0.046367047681375124636));
  y = fma(y, t, (F_REAL)(-0.21895747096171639389));
  y = fma(y, t, (F_REAL)(0.67217707834316787579));
  y = fma(y, t, (F_REAL)(-1.0775477338215995049));
  y = fma(y, t, (F_REAL)(0.14412632369302473949));
  y = fma(y, t, (F_REAL)(1.6470964788745466724));
  y = fma(y, t, (F_REAL)(-0.82843589036045878004));
  return fma(y, t, (F_REAL)(-0.38225065445942501624));
}

/* (Y1(x) - 2 / pi (log(x) J1(x) - 1 / x)) / x, likewise. */
static inline F_REAL F(y1_near)(const F_REAL t) {
  F_REAL y = (F_REAL)(-2.6946935633741498457e-14);
  y = fma(y, t, (F_REAL)(8.7600009014703832716e-13));
  y = fma(y, t, (F_REAL)(-2.4887527719058383877e-11));
  y = fma(y, t, (F_REAL)(6.1696880299763624881e-10));
  y = fma(y, t, (F_REAL)(-1.31533225221769876e-8));
  y = fma(y, t, (F_REAL)(2.3804930420500537107e-7));
  y = fma(y, t, (F_REAL)(-3.6009998743823113458e-6));
  y = fma(y, t, (F_REAL)(0.000044674330126463753594));
  y = fma(y, t, (F_REAL)(-0.00044381734351148725631));
  y = fma(y, t, (F_REAL)(0.0034224907399188496532));
  y = fma(y, t, (F_REAL)(-0.019628756833099426833));
  y = fma(y, t, (F_REAL)(0.07854786922242531494));
  y = fma(y, t, (F_REAL)(-0.19639839859930424964));
  y = fma(y, t, (F_REAL)(0.23507209206669754488));
  y = fma(y, t, (F_REAL)(0.023367571720993584563));
  y = fma(y, t, (F_REAL)(-0.24337743079193113792));
  return fma(y, t, (F_REAL)(0.070759858821180053319));
}

/* P of order 0, t = 64 / x^2. */
static inline F_REAL F(wave0_p)(const F_REAL t) {
  F_REAL y = (F_REAL)(-9.2954024470869306275e-11);
  y = fma(y, t, (F_REAL)(7.4078635587849977104e-10));
  y = fma(y, t, (F_REAL)(-2.7665349658558266605e-9));
  y = fma(y, t, (F_REAL)(6.5674275837449664811e-9));
  y = fma(y, t, (F_REAL)(-1.1558696461579816386e-8));
  y = fma(y, t, (F_REAL)(1.723620363145642246e-8));
  y = fma(y, t, (F_REAL)(-2.539543440460018473e-8));
  y = fma(y, t, (F_REAL)(4.381269851660404642e-8));
  y = fma(y, t, (F_REAL)(-1.0239239991285941712e-7));
  y = fma(y, t, (F_REAL)(3.620330952117353183e-7));
  y = fma(y, t, (F_REAL)(-2.1839190342283641723e-6));
  y = fma(y, t, (F_REAL)(0.000027380883672109251401));
  y = fma(y, t, (F_REAL)(-0.0010986328124996736936));
  return fma(y, t, (F_REAL)(0.99999999999999999917));
}

/* x Q of order 0. */
static inline F_REAL F(wave0_q)(const F_REAL t) {
  F_REAL y = (F_REAL)(7.9922081850396114066e-10);
  y = fma(y, t, (F_REAL)(-6.3127578423287726462e-9));
  y = fma(y, t, (F_REAL)(2.3263295615353139413e-8));
  y = fma(y, t, (F_REAL)(-5.4079887962397397848e-8));
  y = fma(y, t, (F_REAL)(9.1965255514559195871e-8));
  y = fma(y, t, (F_REAL)(-1.2947581797758370241e-7));
  y = fma(y, t, (F_REAL)(1.7385986393738691832e-7));
  y = fma(y, t, (F_REAL)(-2.619389801844378288e-7));
  y = fma(y, t, (F_REAL)(5.1282574319655734527e-7));
  y = fma(y, t, (F_REAL)(-1.4531181940492295326e-6));
  y = fma(y, t, (F_REAL)(6.5907520873836660681e-6));
  y = fma(y, t, (F_REAL)(-0.000055446289280090355541));
  y = fma(y, t, (F_REAL)(0.0011444091796844857552));
  return fma(y, t, (F_REAL)(-0.12499999999999999234));
}

/* P of order 1. */
static inline F_REAL F(wave1_p)(const F_REAL t) {
  F_REAL y = (F_REAL)(9.8408216784486119844e-11);
  y = fma(y, t, (F_REAL)(-7.8467070610025255408e-10));
  y = fma(y, t, (F_REAL)(2.9328132307777020295e-9));
  y = fma(y, t, (F_REAL)(-6.9713340484150565295e-9));
  y = fma(y, t, (F_REAL)(1.2297197167024730679e-8));
  y = fma(y, t, (F_REAL)(-1.8410150403133396751e-8));
  y = fma(y, t, (F_REAL)(2.7310862271339776811e-8));
  y = fma(y, t, (F_REAL)(-4.7635762377210324149e-8));
  y = fma(y, t, (F_REAL)(1.1317408863913823476e-7));
  y = fma(y, t, (F_REAL)(-4.1030480891404307957e-7));
  y = fma(y, t, (F_REAL)(2.580995295001314183e-6));
  y = fma(y, t, (F_REAL)(-0.000035203993297701903234));
  y = fma(y, t, (F_REAL)(0.0018310546874996558753));
  return fma(y, t, (F_REAL)(1.0000000000000000009));
}

/* x Q of order 1. */
static inline F_REAL F(wave1_q)(const F_REAL t) {
  F_REAL y = (F_REAL)(-8.4444272000720990842e-10);
  y = fma(y, t, (F_REAL)(6.6730604321702299754e-9));
  y = fma(y, t, (F_REAL)(-2.4608376619829313339e-8));
  y = fma(y, t, (F_REAL)(5.7271028826226885102e-8));
  y = fma(y, t, (F_REAL)(-9.7575926766384658249e-8));
  y = fma(y, t, (F_REAL)(1.3782740725415922471e-7));
  y = fma(y, t, (F_REAL)(-1.8612719875479016117e-7));
  y = fma(y, t, (F_REAL)(2.8300006796479156389e-7));
  y = fma(y, t, (F_REAL)(-5.6169413683681107068e-7));
  y = fma(y, t, (F_REAL)(1.6240781447013697027e-6));
  y = fma(y, t, (F_REAL)(-7.6047144829333513491e-6));
  y = fma(y, t, (F_REAL)(0.000067767686931732654613));
  y = fma(y, t, (F_REAL)(-0.0016021728515593267245));
  return fma(y, t, (F_REAL)(0.37499999999999999194));
}

/* A number up to 8 as the operand of the polynomials near 0. */
static inline F_REAL F(bessel_place)(const F_REAL x) {
  const F_REAL b = fmin(x, (F_REAL)(8));

  return fma(b * b, (F_REAL)(0.03125), (F_REAL)(-1));
}

/* The wave of order 0 or 1 for x from 8 on: `second` asks for Y, not J. */
static inline F_REAL F(bessel_far)(const F_REAL x, const int order,
                                   const int second) {
  const F_REAL c = fmax(x, (F_REAL)(8)), r = (F_REAL)(8) / c, t = r * r;
  const F_REAL p = order ? F(wave1_p)(t) : F(wave0_p)(t);
  const F_REAL q = (order ? F(wave1_q)(t) : F(wave0_q)(t)) / c;
  const F_REAL s = sin(c), k = cos(c), up = s + k, down = s - k;
  const F_REAL wave =
      order == second ? (order ? fma(-p, up, q * down) : fma(p, up, -q * down))
                      : fma(p, down, q * up);
  const F_REAL size = (F_REAL)(0.56418958354775628695) / sqrt(c);

  return c == (F_REAL)(INFINITY) ? (F_REAL)(0) : wave * size;
}

static inline F_REAL F(j0)(const F_REAL x) {
  const F_REAL a = fabs(x), far = F(bessel_far)(a, 0, 0);
  const F_REAL near = F(j0_near)(F(bessel_place)(a));
  const F_REAL y = a <= (F_REAL)(8) ? near : far;

  return x != x ? x : (x == (F_REAL)(0) ? (F_REAL)(1) : y);
}

static inline F_REAL F(j1)(const F_REAL x) {
  const F_REAL a = fabs(x), far = F(bessel_far)(a, 1, 0);
  const F_REAL near = fmin(a, (F_REAL)(8)) * F(j1_near)(F(bessel_place)(a));
  const F_REAL y = a <= (F_REAL)(8) ? near : far;

  return x != x ? x : (x < (F_REAL)(0) ? -y : y);
}

/* y for x > 0, and what the functions of the second kind are elsewhere. */
static inline F_REAL F(bessel_second)(const F_REAL x, const F_REAL y) {
  return x == (F_REAL)(0)  ? (F_REAL)(-INFINITY)
         : x > (F_REAL)(0) ? y
                           : (F_REAL)(NAN);
}

static inline F_REAL F(y0)(const F_REAL x) {
  const F_REAL b = fmin(x, (F_REAL)(8)), t = F(bessel_place)(b);
  const F_REAL l = log(b) * (F_REAL)(0.63661977236758134308);
  const F_REAL near = fma(l, F(j0_near)(t), F(y0_near)(t));

  return F(bessel_second)(x, x <= (F_REAL)(8) ? near : F(bessel_far)(x, 0, 1));
}

static inline F_REAL F(y1)(const F_REAL x) {
  const F_REAL b = fmin(x, (F_REAL)(8)), t = F(bessel_place)(b);
  const F_REAL l = log(b) * (F_REAL)(0.63661977236758134308);
  const F_REAL left = fma(l, F(j1_near)(t), F(y1_near)(t));
  const F_REAL near = fma(b, left, (F_REAL)(-0.63661977236758134308) / b);

  return F(bessel_second)(x, x <= (F_REAL)(8) ? near : F(bessel_far)(x, 1, 1));
}
