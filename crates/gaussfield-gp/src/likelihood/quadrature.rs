//! Moments of log-concave terms under a Gaussian by Gauss–Legendre panels.

/// Abscissas and weights of the 16-point Gauss–Legendre rule on [−1, 1], positive half.
const RULE: [(f64, f64); 8] = [
    (0.095_012_509_837_637_44, 0.189_450_610_455_068_5),
    (0.281_603_550_779_258_9, 0.182_603_415_044_923_6),
    (0.458_016_777_657_227_4, 0.169_156_519_395_002_54),
    (0.617_876_244_402_643_7, 0.149_595_988_816_576_73),
    (0.755_404_408_355_003, 0.124_628_971_255_533_87),
    (0.865_631_202_387_831_7, 0.095_158_511_682_492_78),
    (0.944_575_023_073_232_6, 0.062_253_523_938_647_89),
    (0.989_400_934_991_649_9, 0.027_152_459_411_754_095),
];

/// Visits every abscissa with its weight, over the panels between sorted breaks.
pub(super) fn panels(breaks: &[f64], mut visit: impl FnMut(f64, f64)) {
    for pair in breaks.windows(2) {
        let (middle, half) = (0.5 * (pair[0] + pair[1]), 0.5 * (pair[1] - pair[0]));
        if half > 0.0 {
            for &(x, weight) in &RULE {
                visit(middle - half * x, half * weight);
                visit(middle + half * x, half * weight);
            }
        }
    }
}
