//! Numbers of a command line: integers with a suffix, columns with an index, lists of clients.

use crate::failure::{exit, Failure};
use workloads::slap::Columns;

/// An integer; K is 1024, and so on.
pub fn whole(name: &str, text: &str) -> Result<u64, Failure> {
    let failure = |code, what: &str| {
        let message = format!("Error while setting value '{text}' to '{name}'");
        Failure::new(
            code,
            format!("{message}: {what}"),
            "give a whole number, such as 10 or 2K",
        )
    };
    let trimmed = text.trim();
    if trimmed.starts_with('-') {
        return Err(failure(exit::OUT_OF_BOUNDS, "it is below 0"));
    }
    let digits = trimmed.trim_start_matches('+');
    let end = digits.find(|c: char| !c.is_ascii_digit());
    let (digits, suffix) = digits.split_at(end.unwrap_or(digits.len()));
    let shift = match suffix.to_ascii_lowercase().as_str() {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        "p" => 50,
        "e" => 60,
        _ => {
            return Err(failure(
                exit::NOT_A_NUMBER,
                "suffixes are K, M, G, T, P and E",
            ))
        }
    };
    // mysqlslap takes a missing number as 0.
    let number = if digits.is_empty() {
        Ok(0)
    } else {
        digits.parse::<u64>()
    };
    let number = number
        .ok()
        .and_then(|number| number.checked_mul(1 << shift));
    number.ok_or_else(|| failure(exit::OUT_OF_BOUNDS, "it is greater than 2^64 - 1"))
}

/// `N` or `N:I`: the number of columns, each with an index if I isn't 0.
pub fn columns(name: &str, text: &str) -> Result<Columns, Failure> {
    let (count, index) = text.split_once(':').unwrap_or((text, "0"));
    let read = |text: &str| text.trim().parse::<usize>().ok().filter(|&n| n <= 4096);
    match (read(count), read(index)) {
        (Some(count), Some(index)) => Ok(Columns {
            count,
            indexed: index != 0,
        }),
        _ => Err(Failure::refused(
            format!("--{name}={text}: neither a number of columns nor NUMBER:INDEX"),
            format!("give a number, such as --{name}=2 or --{name}=2:1, with 4096 columns at most"),
        )),
    }
}

/// Numbers of clients. A 0 ends the list, as in mysqlslap; the flag is true if it did.
pub fn concurrency(text: &str) -> Result<(Vec<usize>, bool), Failure> {
    let refuse = |piece: &str| {
        Failure::refused(
            format!("--concurrency={text}: '{piece}' isn't a number of clients"),
            "give numbers from 1, such as --concurrency=1,25,50",
        )
    };
    let mut found = Vec::new();
    for piece in text.split(',') {
        match piece.trim().parse::<usize>() {
            Ok(0) if !found.is_empty() => return Ok((found, true)),
            Ok(clients) if clients > 0 => found.push(clients),
            _ => return Err(refuse(piece)),
        }
    }
    Ok((found, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_powers_of_1024() {
        let found = ["3", "3k", "2M", "", "+1", "0"].map(|text| whole("x", text).unwrap());
        assert_eq!(found, [3, 3072, 2 << 20, 0, 1, 0]);
    }

    #[test]
    fn wrong_numbers_have_the_codes_of_mysqlslap() {
        let cases = [
            ("x", exit::NOT_A_NUMBER),
            ("1.5", exit::NOT_A_NUMBER),
            ("0x10", exit::NOT_A_NUMBER),
            ("-1", exit::OUT_OF_BOUNDS),
            ("99999999999999999999", exit::OUT_OF_BOUNDS),
            ("18446744073709551615k", exit::OUT_OF_BOUNDS),
        ];
        for (text, code) in cases {
            assert_eq!(whole("x", text).unwrap_err().code, code, "{text}");
        }
    }

    #[test]
    fn a_zero_ends_a_list_of_clients() {
        assert_eq!(concurrency("2,0,3").unwrap(), (vec![2], true));
        assert_eq!(concurrency("1, 25,50").unwrap(), (vec![1, 25, 50], false));
        for text in ["0", "0,2", "", "x", "1,,2", "-1"] {
            assert!(concurrency(text).is_err(), "{text}");
        }
    }

    #[test]
    fn columns_may_have_an_index() {
        let of = |text| columns("number-int-cols", text).map(|found| (found.count, found.indexed));
        assert_eq!(of("2").unwrap(), (2, false));
        assert_eq!(of("2:1").unwrap(), (2, true));
        assert_eq!(of("0:0").unwrap(), (0, false));
        assert!(of("").is_err() && of("a:1").is_err() && of("5000").is_err());
    }
}
