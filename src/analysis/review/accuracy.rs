/// How fast the accuracy of a move falls with its loss; fitted by `examples/accuracy.rs` (`docs/analysis.md`).
pub const ACCURACY_DECAY: f64 = 2.6;

/// The accuracy of a move that has lost so much of the chance to win: from 100 for nothing to about 7 for all of it.
///
/// ```
/// use tengen::analysis::accuracy_of;
///
/// assert_eq!(accuracy_of(0.0), 100.0);
/// assert!(accuracy_of(0.1) < accuracy_of(0.05));
/// ```
pub fn accuracy_of(loss: f64) -> f64 {
    100.0 * (-ACCURACY_DECAY * loss.clamp(0.0, 1.0).sqrt()).exp()
}

/// The accuracy of a player, from those of the moves: their geometric mean. None of no moves.
pub fn mean_accuracy(accuracies: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u32);
    for accuracy in accuracies {
        sum += accuracy.ln();
        count += 1;
    }
    (count > 0).then(|| (sum / f64::from(count)).exp().clamp(0.0, 100.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_bad_move_weighs_more_than_a_good_one_mends() {
        let mean = |losses: &[f64]| mean_accuracy(losses.iter().copied().map(accuracy_of));
        assert_eq!(mean(&[]), None);
        assert!(mean(&[0.0, 0.0, 0.0]).is_some_and(|mean| mean > 99.999));
        let (Some(even), Some(uneven)) = (mean(&[0.09, 0.09]), mean(&[0.0, 0.36])) else {
            panic!("two moves have a mean");
        };
        // The roots of the losses add up to the same.
        assert!((even - uneven).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn an_accuracy_lies_between_0_and_100_and_falls_with_the_loss(one in 0.0..=1.0_f64, other in 0.0..=1.0_f64) {
            let (less, more) = (one.min(other), one.max(other));
            let (best, worst) = (accuracy_of(less), accuracy_of(more));
            prop_assert!((0.0..=100.0).contains(&worst) && worst <= best && best <= 100.0);
            let mean = mean_accuracy([best, worst].into_iter()).unwrap_or_default();
            prop_assert!(worst - 1e-9 <= mean && mean <= best + 1e-9);
        }
    }
}
