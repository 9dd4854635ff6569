//! Each distribution against its own formula, with fixed seeds.

use load::Purpose;
use serde_json::json;

use super::*;

const DRAWS: usize = 200_000;
const VALUES: usize = 1000;

/// How often each of 1..=1000 was drawn.
fn counts(distribution: &Distribution) -> Vec<usize> {
    let sampler = Sampler::new(distribution, 1, VALUES as i64);
    let mut stream = Purpose::new(7, "test").stream(0);
    let mut counts = vec![0; VALUES];
    for _ in 0..DRAWS {
        counts[usize::try_from(sampler.draw(&mut stream)).unwrap() - 1] += 1;
    }
    counts
}

/// Kolmogorov-Smirnov: the greatest distance to `cdf`, which gets values from 1 on. For a correct
/// formula it exceeds the limit for fewer than one in 10,000 seeds (even fewer for discrete
/// values).
fn follows(distribution: &Distribution, cdf: impl Fn(f64) -> f64) {
    let mut below = 0;
    for (place, count) in counts(distribution).into_iter().enumerate() {
        below += count;
        let value = (place + 1) as f64;
        let distance = (below as f64 / DRAWS as f64 - cdf(value)).abs();
        let limit = 2.23 / (DRAWS as f64).sqrt();
        assert!(distance < limit, "{distribution:?} at {value}: {distance}");
    }
}

/// P(mean of 12 uniform numbers < x): the Irwin-Hall distribution.
fn bates(x: f64) -> f64 {
    let (mut sum, mut term) = (0.0, 1.0);
    for k in 0..=12 {
        let base = 12.0 * x - f64::from(k);
        if base <= 0.0 {
            break;
        }
        sum += term * base.powi(12);
        term *= -f64::from(12 - k) / f64::from(k + 1);
    }
    // 12!
    (sum / 479_001_600.0).clamp(0.0, 1.0)
}

#[test]
fn uniform_has_each_value_equally_often() {
    follows(&Distribution::Uniform {}, |value| value / 1000.0);
    let expected = DRAWS as f64 / VALUES as f64;
    let counts = counts(&Distribution::Uniform {});
    let chi_square: f64 = counts
        .iter()
        .map(|&count| (count as f64 - expected).powi(2) / expected)
        .sum();
    // 999 degrees of freedom: mean 999, standard deviation 45.
    assert!((819.0..1179.0).contains(&chi_square), "{chi_square}");
}

#[test]
fn gaussian_is_the_mean_of_twelve() {
    follows(&Distribution::Gaussian { iter: 12 }, |value| {
        bates(value / 1000.0)
    });
}

#[test]
fn special_is_a_hot_zone_in_a_bell() {
    let special = Distribution::default();
    follows(&special, |value| {
        let cold = bates(value / 999.0);
        // u of the hot values is in [0.25, 1), spread over 10.99 from 494.505 on.
        let hot = ((value - 494.505) / 10.99 - 0.25).clamp(0.0, 0.75);
        0.25 * cold + hot
    });
    let counts = counts(&special);
    let hot: usize = counts[497..=505].iter().sum();
    let share = hot as f64 / DRAWS as f64;
    // 75 %, plus what the bell adds there.
    assert!((0.75..0.78).contains(&share), "{share}");
    assert!(counts[496] < counts[498] / 10 && counts[506] < counts[504] / 10);
}

#[test]
fn pareto_has_38_percent_on_the_first_of_a_thousand() {
    let power = 0.2_f64.ln() / 0.8_f64.ln();
    follows(&Distribution::Pareto { h: 0.2 }, |value| {
        (value / 1000.0).powf(1.0 / power)
    });
    let first = counts(&Distribution::Pareto { h: 0.2 })[0] as f64 / DRAWS as f64;
    assert!((0.375..0.39).contains(&first), "{first}");
}

#[test]
fn zipfian_follows_zipfs_law() {
    for exp in [0.0, 0.5, 0.8, 1.0, 1.5, 4.0] {
        let weight = |rank: usize| (rank as f64).powf(-exp);
        let mut total = 0.0;
        let sums: Vec<f64> = (1..=VALUES)
            .map(|rank| {
                total += weight(rank);
                total
            })
            .collect();
        follows(&Distribution::Zipfian { exp }, |value| {
            sums[value as usize - 1] / total
        });
    }
}

#[test]
fn each_rank_of_a_short_zipfian_comes_as_often_as_it_should() {
    let (values, exp) = (8, 0.8);
    let sampler = Sampler::new(&Distribution::Zipfian { exp }, 11, 18);
    let mut stream = Purpose::new(3, "test").stream(0);
    let mut counts = [0.0_f64; 8];
    for _ in 0..DRAWS {
        counts[usize::try_from(sampler.draw(&mut stream) - 11).unwrap()] += 1.0;
    }
    let weights: Vec<f64> = (1..=values)
        .map(|rank| f64::from(rank).powf(-exp))
        .collect();
    let total: f64 = weights.iter().sum();
    let chi_square: f64 = counts
        .iter()
        .zip(&weights)
        .map(|(count, weight)| {
            let expected = DRAWS as f64 * weight / total;
            (count - expected).powi(2) / expected
        })
        .sum();
    // 7 degrees of freedom: above 30 once in 10,000.
    assert!(chi_square < 30.0, "{chi_square}");
}

#[test]
fn every_distribution_stays_in_its_range() {
    let all = [
        Distribution::Uniform {},
        Distribution::Gaussian { iter: 1 },
        Distribution::default(),
        Distribution::Special {
            iter: 1,
            pct: 100,
            res: 99,
        },
        Distribution::Pareto { h: 0.01 },
        Distribution::Pareto { h: 0.99 },
        Distribution::Zipfian { exp: 0.0 },
        Distribution::Zipfian { exp: 10.0 },
    ];
    for distribution in all {
        for (min, max) in [(1, 1), (0, 0), (-3, -2), (1, 10), (5, i64::from(i32::MAX))] {
            let sampler = Sampler::new(&distribution, min, max);
            let mut stream = Purpose::new(1, "test").stream(0);
            for _ in 0..2000 {
                let value = sampler.draw(&mut stream);
                assert!((min..=max).contains(&value), "{distribution:?}: {value}");
            }
        }
    }
}

#[test]
fn a_kind_alone_has_the_defaults() {
    let read = |value| serde_json::from_value::<Distribution>(value);
    let special = read(json!({"kind": "special"})).unwrap();
    assert_eq!(special, Distribution::default());
    let zipfian = read(json!({"kind": "zipfian"})).unwrap();
    assert_eq!(zipfian, Distribution::Zipfian { exp: 0.8 });
    assert!(read(json!({"kind": "uniform", "iter": 12})).is_err());
    assert!(read(json!({"kind": "normal"})).is_err());
}
