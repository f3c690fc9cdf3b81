/* SPDX-License-Identifier: BSD-2-Clause */
/* Exponential integrals (DLMF 6.2). The macros are those of fn_gamma.cl. Near 0
 * a polynomial beside the logarithm (DLMF 6.6), elsewhere polynomials in 1 / x
 * over x, times the exponential. They come from tests/ops/special_fit.py; their
 * errors are below 2e-17. */

/* E1(t) + log(t), t <= 1. */
static inline F_REAL F(exp1_near)(const F_REAL t) {
  F_REAL y = (F_REAL)(3.2020455725859299424e-14);
  y = fma(y, t, (F_REAL)(-7.5607591900556850532e-13));
  y = fma(y, t, (F_REAL)(1.2221290409635350413e-11));
  y = fma(y, t, (F_REAL)(-1.7378639849728998495e-10));
  y = fma(y, t, (F_REAL)(2.2772767491534667129e-9));
  y = fma(y, t, (F_REAL)(-2.7557181858598596124e-8));
  y = fma(y, t, (F_REAL)(3.0619236186637211321e-7));
  y = fma(y, t, (F_REAL)(-3.100198383413818783e-6));
  y = fma(y, t, (F_REAL)(0.000028344671193365828122));
  y = fma(y, t, (F_REAL)(-0.00023148148147974057638));
  y = fma(y, t, (F_REAL)(0.0016666666666664186583));
  y = fma(y, t, (F_REAL)(-0.010416666666666643465));
  y = fma(y, t, (F_REAL)(0.055555555555555554242));
  y = fma(y, t, (F_REAL)(-0.24999999999999999996));
  y = fma(y, t, (F_REAL)(1.0));
  return fma(y, t, (F_REAL)(-0.57721566490153286061));
}

/* x exp(x) E1(x), t = (8 / x - 5) / 3. */
static inline F_REAL F(exp1_middle)(const F_REAL t) {
  F_REAL y = (F_REAL)(-2.3222724527359722679e-11);
  y = fma(y, t, (F_REAL)(4.900651383245347141e-11));
  y = fma(y, t, (F_REAL)(5.8702402729587249268e-11));
  y = fma(y, t, (F_REAL)(-1.2196028952389249163e-10));
  y = fma(y, t, (F_REAL)(-2.5387481364899730249e-10));
  y = fma(y, t, (F_REAL)(5.4094932414429030254e-10));
  y = fma(y, t, (F_REAL)(-2.2399541087608123948e-10));
  y = fma(y, t, (F_REAL)(5.2347810277299329941e-10));
  y = fma(y, t, (F_REAL)(-2.3537864495605030634e-9));
  y = fma(y, t, (F_REAL)(5.2755585671060922847e-9));
  y = fma(y, t, (F_REAL)(-1.0997045241774265654e-8));
  y = fma(y, t, (F_REAL)(2.5253013903503422604e-8));
  y = fma(y, t, (F_REAL)(-5.91194776292782251e-8));
  y = fma(y, t, (F_REAL)(1.38556109642642584e-7));
  y = fma(y, t, (F_REAL)(-3.2855783984751823918e-7));
  y = fma(y, t, (F_REAL)(7.9054264381856405502e-7));
  y = fma(y, t, (F_REAL)(-1.9319670651483293271e-6));
  y = fma(y, t, (F_REAL)(4.8052938027764901672e-6));
  y = fma(y, t, (F_REAL)(-0.00001219669408615433419));
  y = fma(y, t, (F_REAL)(0.000031696993370098102074));
  y = fma(y, t, (F_REAL)(-0.000084711181995234661218));
  y = fma(y, t, (F_REAL)(0.00023418548410806420266));
  y = fma(y, t, (F_REAL)(-0.00067522526228220322506));
  y = fma(y, t, (F_REAL)(0.0020553278214045354605));
  y = fma(y, t, (F_REAL)(-0.0067331657171737179054));
  y = fma(y, t, (F_REAL)(0.024557244273138738288));
  y = fma(y, t, (F_REAL)(-0.10700998634737245607));
  return fma(y, t, (F_REAL)(0.68398076047908490768));
}

/* The same, t = 8 / x - 1. */
static inline F_REAL F(exp1_far)(const F_REAL t) {
  F_REAL y = (F_REAL)(2.6264394903045242463e-10);
  y = fma(y, t, (F_REAL)(-4.2224801721404072236e-10));
  y = fma(y, t, (F_REAL)(-1.2198786334481415563e-9));
  y = fma(y, t, (F_REAL)(1.9429455329330746756e-9));
  y = fma(y, t, (F_REAL)(3.071594683607650941e-9));
  y = fma(y, t, (F_REAL)(-4.9110799368603847796e-9));
  y = fma(y, t, (F_REAL)(-3.9854031306702972501e-9));
  y = fma(y, t, (F_REAL)(6.2648518383575544753e-9));
  y = fma(y, t, (F_REAL)(5.1602199962043244468e-9));
  y = fma(y, t, (F_REAL)(-8.5087758009339318947e-9));
  y = fma(y, t, (F_REAL)(1.0673043327832511476e-9));
  y = fma(y, t, (F_REAL)(-3.0619060289954892656e-9));
  y = fma(y, t, (F_REAL)(1.5912376388208949798e-8));
  y = fma(y, t, (F_REAL)(-3.1707253971136851108e-8));
  y = fma(y, t, (F_REAL)(6.1203099086542533418e-8));
  y = fma(y, t, (F_REAL)(-1.3035292138806656211e-7));
  y = fma(y, t, (F_REAL)(2.8643477260075161099e-7));
  y = fma(y, t, (F_REAL)(-6.4567189653393437295e-7));
  y = fma(y, t, (F_REAL)(1.5068255109151613353e-6));
  y = fma(y, t, (F_REAL)(-3.6597314200453688843e-6));
  y = fma(y, t, (F_REAL)(9.3049940050631599774e-6));
  y = fma(y, t, (F_REAL)(-0.000024960882489584770258));
  y = fma(y, t, (F_REAL)(0.00007138004419760482064));
  y = fma(y, t, (F_REAL)(-0.00022070912754409388766));
  y = fma(y, t, (F_REAL)(0.00075303863194409041113));
  y = fma(y, t, (F_REAL)(-0.0029245277761998692277));
  y = fma(y, t, (F_REAL)(0.013618587371730224376));
  y = fma(y, t, (F_REAL)(-0.084134026251950433654));
  return fma(y, t, (F_REAL)(0.8982371140279944946));
}

/* Ei(x) - log(x), t = x / 6. */
static inline F_REAL F(expi_near)(const F_REAL t) {
  F_REAL y = (F_REAL)(3.1688733263551158217e-7);
  y = fma(y, t, (F_REAL)(-2.6890239590251805948e-6));
  y = fma(y, t, (F_REAL)(0.000013552368477526601119));
  y = fma(y, t, (F_REAL)(-0.000040323025753766921622));
  y = fma(y, t, (F_REAL)(0.00010013342940739166474));
  y = fma(y, t, (F_REAL)(-0.0001439782994470425093));
  y = fma(y, t, (F_REAL)(0.00029938935200759616573));
  y = fma(y, t, (F_REAL)(0.000018132783893288848951));
  y = fma(y, t, (F_REAL)(0.0011000060518425839614));
  y = fma(y, t, (F_REAL)(0.0026393367901294484718));
  y = fma(y, t, (F_REAL)(0.0085237303415913249862));
  y = fma(y, t, (F_REAL)(0.023922299443527963485));
  y = fma(y, t, (F_REAL)(0.064226752268263090569));
  y = fma(y, t, (F_REAL)(0.16133339564174531506));
  y = fma(y, t, (F_REAL)(0.3787032059364705795));
  y = fma(y, t, (F_REAL)(0.82625694263076357591));
  y = fma(y, t, (F_REAL)(1.6662857949607545031));
  y = fma(y, t, (F_REAL)(3.0857142738174761638));
  y = fma(y, t, (F_REAL)(5.2071428585182830377));
  y = fma(y, t, (F_REAL)(7.934693877429146526));
  y = fma(y, t, (F_REAL)(10.800000000008030006));
  y = fma(y, t, (F_REAL)(12.95999999999962251));
  y = fma(y, t, (F_REAL)(13.50000000000001194));
  y = fma(y, t, (F_REAL)(11.999999999999999767));
  y = fma(y, t, (F_REAL)(9.0000000000000000024));
  y = fma(y, t, (F_REAL)(6.0));
  return fma(y, t, (F_REAL)(0.57721566490153286061));
}

/* x exp(-x) Ei(x), t = 24 / x - 3. */
static inline F_REAL F(expi_6)(const F_REAL t) {
  F_REAL y = (F_REAL)(-4.3164184070726760678e-12);
  y = fma(y, t, (F_REAL)(5.483586705229665542e-11));
  y = fma(y, t, (F_REAL)(-2.0209122558718903202e-10));
  y = fma(y, t, (F_REAL)(2.7877135156895993778e-10));
  y = fma(y, t, (F_REAL)(5.3270401406427808212e-10));
  y = fma(y, t, (F_REAL)(-4.7607429288666987194e-9));
  y = fma(y, t, (F_REAL)(1.6879236328094838913e-8));
  y = fma(y, t, (F_REAL)(-3.0561432412291434202e-8));
  y = fma(y, t, (F_REAL)(-2.9683200159758565293e-8));
  y = fma(y, t, (F_REAL)(4.2452857730877413424e-7));
  y = fma(y, t, (F_REAL)(-1.4452234836489170834e-6));
  y = fma(y, t, (F_REAL)(1.433339444375473045e-6));
  y = fma(y, t, (F_REAL)(9.1966382866445444892e-6));
  y = fma(y, t, (F_REAL)(-0.000045551153575024642208));
  y = fma(y, t, (F_REAL)(0.000042059471346479347311));
  y = fma(y, t, (F_REAL)(0.00037313842220706645406));
  y = fma(y, t, (F_REAL)(-0.0011258914511446543253));
  y = fma(y, t, (F_REAL)(-0.0033533886601696707459));
  y = fma(y, t, (F_REAL)(0.010157308753615010983));
  y = fma(y, t, (F_REAL)(0.090978636303485344799));
  return fma(y, t, (F_REAL)(1.1818479869872079732));
}

/* The same, t = 48 / x - 3. */
static inline F_REAL F(expi_12)(const F_REAL t) {
  F_REAL y = (F_REAL)(-1.1832763768019996166e-12);
  y = fma(y, t, (F_REAL)(5.1451824075499906608e-12));
  y = fma(y, t, (F_REAL)(-6.4956778716964998023e-13));
  y = fma(y, t, (F_REAL)(-5.1177607466514497787e-11));
  y = fma(y, t, (F_REAL)(1.5581113559528285443e-10));
  y = fma(y, t, (F_REAL)(3.3273750408326988871e-11));
  y = fma(y, t, (F_REAL)(-1.5784459240491652465e-9));
  y = fma(y, t, (F_REAL)(3.672965630643408714e-9));
  y = fma(y, t, (F_REAL)(7.1130509725528135395e-9));
  y = fma(y, t, (F_REAL)(-4.9632968522895050324e-8));
  y = fma(y, t, (F_REAL)(4.0362565818809801139e-9));
  y = fma(y, t, (F_REAL)(4.9228961256811943995e-7));
  y = fma(y, t, (F_REAL)(-2.2547749234639500375e-7));
  y = fma(y, t, (F_REAL)(-5.1601824349417993651e-6));
  y = fma(y, t, (F_REAL)(-5.3727596617035946298e-6));
  y = fma(y, t, (F_REAL)(0.000039611691133541005912));
  y = fma(y, t, (F_REAL)(0.00026840492461310442323));
  y = fma(y, t, (F_REAL)(0.001940304027931451342));
  y = fma(y, t, (F_REAL)(0.028391549978593648072));
  return fma(y, t, (F_REAL)(1.0723449766623853966));
}

/* The same, t = 48 / x - 1. */
static inline F_REAL F(expi_24)(const F_REAL t) {
  F_REAL y = (F_REAL)(1.3415202684723464507e-11);
  y = fma(y, t, (F_REAL)(1.753299656452937229e-11));
  y = fma(y, t, (F_REAL)(-8.1812606550583991974e-11));
  y = fma(y, t, (F_REAL)(-1.3517991999099435096e-10));
  y = fma(y, t, (F_REAL)(1.8617704170694438043e-10));
  y = fma(y, t, (F_REAL)(4.7081974007194970599e-10));
  y = fma(y, t, (F_REAL)(-4.3230748508545821696e-11));
  y = fma(y, t, (F_REAL)(-8.3673620039895209466e-10));
  y = fma(y, t, (F_REAL)(-7.4909480051601517135e-10));
  y = fma(y, t, (F_REAL)(1.3518194921159670374e-10));
  y = fma(y, t, (F_REAL)(9.5966357684328536779e-10));
  y = fma(y, t, (F_REAL)(1.5501998421594451908e-9));
  y = fma(y, t, (F_REAL)(2.4888631511270968081e-9));
  y = fma(y, t, (F_REAL)(5.0666003354987962653e-9));
  y = fma(y, t, (F_REAL)(1.3561615421843517815e-8));
  y = fma(y, t, (F_REAL)(4.6839329549841688511e-8));
  y = fma(y, t, (F_REAL)(2.0531376362205605667e-7));
  y = fma(y, t, (F_REAL)(1.1430194163665777613e-6));
  y = fma(y, t, (F_REAL)(8.2119674216909081213e-6));
  y = fma(y, t, (F_REAL)(0.000078637907961074304318));
  y = fma(y, t, (F_REAL)(0.0010637687855487403185));
  y = fma(y, t, (F_REAL)(0.022753072027361178926));
  return fma(y, t, (F_REAL)(1.0217607036601566214));
}

/* E1 for x > 0. */
static inline F_REAL F(exp1_right)(const F_REAL x) {
  const F_REAL one = (F_REAL)(1), b = fmin(x, one), c = fmax(x, one);
  const F_REAL r = one / c, near = F(exp1_near)(b) - log(b);
  const F_REAL middle = F(exp1_middle)(
      fmax(fma(r, (F_REAL)(8), (F_REAL)(-5)), (F_REAL)(-3)) / (F_REAL)(3));
  const F_REAL far = F(exp1_far)(fmin(fma(r, (F_REAL)(8), -one), one));
  const F_REAL e = exp(c * (F_REAL)(-0.5)) * r;
  const F_REAL sum = c <= (F_REAL)(4) ? middle : far;

  return x <= one ? near : sum * e * exp(c * (F_REAL)(-0.5));
}

/* Ei for x > 0. */
static inline F_REAL F(expi_right)(const F_REAL x) {
  const F_REAL b = fmin(x, (F_REAL)(6)), c = fmax(x, (F_REAL)(6));
  const F_REAL r = (F_REAL)(1) / c, half_e = exp(c * (F_REAL)(0.5));
  const F_REAL near = F(expi_near)(b / (F_REAL)(6)) + log(b);
  const F_REAL six = F(expi_6)(fma(r, (F_REAL)(24), (F_REAL)(-3)));
  const F_REAL dozen = F(expi_12)(fma(r, (F_REAL)(48), (F_REAL)(-3)));
  const F_REAL far = F(expi_24)(fma(r, (F_REAL)(48), (F_REAL)(-1)));
  const F_REAL sum = c <= (F_REAL)(12) ? six : c <= (F_REAL)(24) ? dozen : far;
  const F_REAL y = sum * r * half_e * half_e;

  return x <= (F_REAL)(6) ? near : (c == (F_REAL)(INFINITY) ? c : y);
}

static inline F_REAL F(exp1)(const F_REAL x) {
  return x > (F_REAL)(0)    ? F(exp1_right)(x)
         : x == (F_REAL)(0) ? (F_REAL)(INFINITY)
                            : (F_REAL)(NAN);
}

static inline F_REAL F(expi)(const F_REAL x) {
  const F_BOOL is_left = x < (F_REAL)(0);
  F_REAL y = F(expi_right)(fabs(x));

  if (F_ANY(is_left)) {
    const F_REAL left = -F(exp1_right)(fabs(x));
    y = is_left ? left : y;
  }
  return x != x ? x : (x == (F_REAL)(0) ? (F_REAL)(-INFINITY) : y);
}
