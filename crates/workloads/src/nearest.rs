//! Which known word a misspelt one was meant to be: one measure for the whole program.

/// Less similar than this is another word, not a slip.
const LIKENESS_MIN: f64 = 0.7;
/// Fewer common letters at the beginning mean nothing.
const BEGINNING_MIN: usize = 3;
/// The share of the shorter word that must be common.
const BEGINNING_SHARE_MIN: f64 = 0.8;

/// The known word most similar to `seen`, in any case; `None` if none is similar.
pub fn nearest<'a>(seen: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let seen = seen.to_lowercase();
    known
        .into_iter()
        .map(|name| (likeness(&seen, &name.to_lowercase()), name))
        .filter(|&(likeness, _)| likeness >= LIKENESS_MIN)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, name)| name)
}

/// 1 for equal words, less with each letter that is wrong, missing or swapped. A truncated word, or
/// one with another ending, such as `maximum` for `max`, is just similar enough.
fn likeness(seen: &str, name: &str) -> f64 {
    let likeness = strsim::normalized_damerau_levenshtein(seen, name);
    let common = seen.chars().zip(name.chars()).take_while(|(a, b)| a == b);
    let common = common.count();
    let shorter = seen.chars().count().min(name.chars().count());
    let begins_alike = common as f64 >= BEGINNING_SHARE_MIN * shorter as f64;
    match begins_alike && common >= BEGINNING_MIN {
        true => likeness.max(LIKENESS_MIN),
        false => likeness,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_found_and_another_word_is_not() {
        let of = |seen| nearest(seen, ["requesters", "requests", "port", "max"]);
        assert_eq!(of("requestors"), Some("requesters"));
        assert_eq!(of("REQUEST"), Some("requests"));
        assert_eq!(of("prot"), Some("port"));
        assert_eq!(of("report"), None);
    }

    #[test]
    fn a_word_may_be_cut_short_or_end_otherwise() {
        let of = |seen| nearest(seen, ["iterations", "max", "mix", "compare"]);
        assert_eq!(of("iter"), Some("iterations"));
        assert_eq!(of("maximum"), Some("max"));
        assert_eq!(of("comparing"), Some("compare"));
        assert_eq!(of("it"), None);
        assert_eq!(of("combine"), None);
    }
}
