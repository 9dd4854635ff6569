//! Turns properties into numbers.
//!
//! Kept in all profiles, as in the original and its fork: a motif is 512 bytes long whatever
//! `motif_length` says, and a request for several links asks for one more than was drawn. Kept in
//! all but `fb-as-configured`: uncorrelated writes use the properties of uncorrelated reads.

use std::collections::BTreeMap;

use super::values::values;
use super::{habits, Choice, Parameters, Profile, Several};
use crate::linkbench::access::Law;
use crate::linkbench::neighbours::Ends;
use crate::linkbench::payload::{Alphabet, Size};
use crate::plan::PlanError;

/// The ops, in the order used to draw one.
const MIX: [&str; 10] = [
    "addlink",
    "deletelink",
    "updatelink",
    "countlink",
    "getlink",
    "getlinklist",
    "addnode",
    "updatenode",
    "deletenode",
    "getnode",
];
/// How far the percentages may be from 100.
const MIX_SLACK: f64 = 1e-5;
const LINK_DATA_MAX: u32 = 254;
const NODE_DATA_MAX: u32 = (1 << 20) - 1;
const MOTIF: usize = 512;
/// What a property `link_multiget_dist` may ask for at most.
const SEVERAL_MAX: u64 = 10_000;

/// The names of all properties that the workload accepts.
pub const PROPERTIES: [&str; 57] = [
    "addlink",
    "addnode",
    "countlink",
    "deletelink",
    "deletenode",
    "getlink",
    "getlinklist",
    "getlinklist_history",
    "getnode",
    "id2gen_config",
    "link_add_datagen",
    "link_add_datagen_endbyte",
    "link_add_datagen_motif_length",
    "link_add_datagen_startbyte",
    "link_add_datagen_uniqueness",
    "link_datasize",
    "link_multiget_dist",
    "link_multiget_dist_max",
    "link_multiget_dist_min",
    "link_multiget_dist_prob",
    "link_type_count",
    "link_up_datagen",
    "link_up_datagen_endbyte",
    "link_up_datagen_motif_length",
    "link_up_datagen_startbyte",
    "link_up_datagen_uniqueness",
    "nlinks_func",
    "node_add_datagen",
    "node_add_datagen_endbyte",
    "node_add_datagen_motif_length",
    "node_add_datagen_startbyte",
    "node_add_datagen_uniqueness",
    "node_datasize",
    "node_delete_function",
    "node_delete_shape",
    "node_read_function",
    "node_read_shape",
    "node_up_datagen",
    "node_up_datagen_endbyte",
    "node_up_datagen_motif_length",
    "node_up_datagen_startbyte",
    "node_up_datagen_uniqueness",
    "node_update_function",
    "node_update_shape",
    "randomid2max",
    "read_function",
    "read_shape",
    "read_uncorr_blend",
    "read_uncorr_function",
    "read_uncorr_shape",
    "updatelink",
    "updatenode",
    "write_function",
    "write_shape",
    "write_uncorr_blend",
    "write_uncorr_function",
    "write_uncorr_shape",
];

impl Parameters {
    /// The parameters of a profile with some properties changed. Errors name the property.
    pub fn new(
        profile: Profile,
        properties: &BTreeMap<String, String>,
    ) -> Result<Parameters, PlanError> {
        if let Some(name) = properties.keys().find(|name| !is_known(name)) {
            return Err(PlanError::unknown(
                "workload.properties",
                "property",
                name,
                &PROPERTIES,
            ));
        }
        let mut all: BTreeMap<&str, &str> = values(profile).collect();
        all.extend(properties.iter().map(|(name, value)| (&**name, &**value)));
        Properties { all }.parameters(profile)
    }
}

fn is_known(name: &str) -> bool {
    PROPERTIES.contains(&name)
}

/// Properties by name; all of them are there.
struct Properties<'a> {
    all: BTreeMap<&'a str, &'a str>,
}

impl Properties<'_> {
    fn parameters(&self, profile: Profile) -> Result<Parameters, PlanError> {
        let (split, aim, writes) = habits(profile);
        let write_uncorrelated = match profile {
            Profile::FbAsConfigured => "write_uncorr",
            Profile::FbAsCoded | Profile::Mc2017 => "read_uncorr",
        };
        self.one_of("nlinks_func", &["real"])?;
        Ok(Parameters {
            mix: self.mix()?,
            history: self.number("getlinklist_history", 0.0, 100.0)? / 100.0,
            types: self.whole_number("link_type_count", 1, 1000)?,
            split,
            ends: Ends {
                aim,
                random_below: self.whole_number("randomid2max", 0, u64::from(u32::MAX))?,
                own: self.whole_number("id2gen_config", 0, 1)? == 1,
            },
            writes,
            link_read: self.choice("read", "read_uncorr")?,
            link_write: self.choice("write", write_uncorrelated)?,
            node_read: self.law("node_read")?,
            node_update: self.law("node_update")?,
            node_delete: self.law("node_delete")?,
            several: self.several()?,
            link_size: Size::new(self.median("link_datasize")?, LINK_DATA_MAX),
            node_size: Size::new(self.median("node_datasize")?, NODE_DATA_MAX),
            link_add: self.alphabet("link_add")?,
            link_update: self.alphabet("link_up")?,
            node_add: self.alphabet("node_add")?,
            node_update_data: self.alphabet("node_up")?,
        })
    }

    fn mix(&self) -> Result<[f64; 10], PlanError> {
        let (mut mix, mut sum) = ([0.0; 10], 0.0);
        for (upto, name) in mix.iter_mut().zip(MIX) {
            sum += self.number(name, 0.0, 100.0)?;
            *upto = sum;
        }
        if (sum - 100.0).abs() > MIX_SLACK {
            let message = format!("the percentages of the ten ops add up to {sum}");
            let hint = "make them add up to 100; those that aren't given are the profile's";
            return Err(PlanError::new("workload.properties", &message, hint));
        }
        Ok(mix)
    }

    fn choice(&self, name: &str, uncorrelated: &str) -> Result<Choice, PlanError> {
        let share = self.number(&format!("{uncorrelated}_blend"), 0.0, 100.0)? / 100.0;
        let law = self.law(uncorrelated)?;
        Ok(Choice {
            correlated: self.law(name)?,
            uncorrelated: (share > 0.0).then_some((share, law)),
        })
    }

    fn law(&self, name: &str) -> Result<Law, PlanError> {
        let function = format!("{name}_function");
        match self.one_of(&function, &["ZipfDistribution", "UniformDistribution"])? {
            "ZipfDistribution" => {
                let shape = self.number(&format!("{name}_shape"), 0.0, 0.999)?;
                Ok(Law::Zipf(shape))
            }
            _ => Ok(Law::Uniform),
        }
    }

    fn several(&self) -> Result<Several, PlanError> {
        if self.text("link_multiget_dist").is_empty() {
            return Ok(Several::One);
        }
        self.one_of("link_multiget_dist", &["GeometricDistribution"])?;
        let min = self.whole_number("link_multiget_dist_min", 0, SEVERAL_MAX)?;
        Ok(Several::Geometric {
            min,
            max: self.whole_number("link_multiget_dist_max", min + 1, SEVERAL_MAX)?,
            p: self.number("link_multiget_dist_prob", 0.001, 0.999)?,
        })
    }

    fn alphabet(&self, name: &str) -> Result<Alphabet, PlanError> {
        let generator = format!("{name}_datagen");
        let known = ["MotifDataGenerator", "UniformDataGenerator"];
        let motif = self.one_of(&generator, &known)? == known[0];
        let first = self.whole_number(&format!("{generator}_startbyte"), 0, 254)?;
        let last = self.whole_number(&format!("{generator}_endbyte"), first + 1, 255)?;
        // It has no effect, but a mistake in it is reported.
        self.whole_number(&format!("{generator}_motif_length"), 1, 1 << 20)?;
        let uniqueness = self.number(&format!("{generator}_uniqueness"), 0.0, 1.0)?;
        Ok(Alphabet {
            first: first as u8,
            last: last as u8,
            uniqueness: if motif { uniqueness } else { 1.0 },
            motif: MOTIF,
        })
    }

    fn median(&self, name: &str) -> Result<f64, PlanError> {
        self.number(name, 0.1, 1e6)
    }

    fn text(&self, name: &str) -> &str {
        self.all.get(name).copied().unwrap_or_default().trim()
    }

    /// One of the names, with or without its package.
    fn one_of(&self, name: &str, known: &[&'static str]) -> Result<&'static str, PlanError> {
        let text = self.text(name);
        let class = text.rsplit('.').next().unwrap_or(text);
        let found = known.iter().find(|one| **one == class);
        found.copied().ok_or_else(|| {
            let hint = format!("this program knows {}", known.join(" and "));
            PlanError::new(&at(name), &format!("`{text}`"), &hint)
        })
    }

    fn number(&self, name: &str, min: f64, max: f64) -> Result<f64, PlanError> {
        let text = self.text(name);
        match text.parse::<f64>() {
            Ok(value) if value >= min && value <= max => Ok(value),
            _ => Err(outside(name, text, min, max)),
        }
    }

    fn whole_number(&self, name: &str, min: u64, max: u64) -> Result<u64, PlanError> {
        let text = self.text(name);
        match text.parse::<u64>() {
            Ok(value) if (min..=max).contains(&value) => Ok(value),
            _ => Err(outside(name, text, min, max)),
        }
    }
}

fn at(name: &str) -> String {
    format!("workload.properties.{name}")
}

fn outside<T: std::fmt::Display>(name: &str, text: &str, min: T, max: T) -> PlanError {
    let hint = format!("give a number from {min} to {max}");
    PlanError::new(&at(name), &format!("`{text}`"), &hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(profile: Profile, properties: &[(&str, &str)]) -> Result<Parameters, PlanError> {
        let own = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        Parameters::new(profile, &properties.iter().map(own).collect())
    }

    #[test]
    fn every_property_of_a_profile_is_known_and_every_known_one_has_a_value() {
        for profile in [Profile::FbAsCoded, Profile::FbAsConfigured, Profile::Mc2017] {
            let mut names: Vec<&str> = values(profile).map(|(name, _)| name).collect();
            names.sort_unstable();
            assert_eq!(names, PROPERTIES);
            let mix = read(profile, &[]).unwrap().mix;
            assert!((mix[9] - 100.0).abs() < 1e-5);
        }
    }

    #[test]
    fn uncorrelated_writes_go_by_their_own_properties_as_configured_only() {
        let write = |profile| read(profile, &[]).unwrap().link_write;
        for profile in [Profile::FbAsCoded, Profile::Mc2017] {
            let uncorrelated = Some((0.995, Law::Zipf(0.8)));
            assert_eq!(write(profile).uncorrelated, uncorrelated);
            assert_eq!(write(profile).correlated, Law::Zipf(0.741));
        }
        let uncorrelated = Some((0.95, Law::Zipf(0.741)));
        assert_eq!(write(Profile::FbAsConfigured).uncorrelated, uncorrelated);
    }

    #[test]
    fn requests_for_several_ask_for_as_many_as_the_original() {
        let several = read(Profile::FbAsCoded, &[]).unwrap().several;
        assert_eq!(
            (several.at(0.0), several.at(0.1), several.at(1.0)),
            (1, 2, 127)
        );
        let mean = (0..100_000)
            .map(|i| several.at(f64::from(i) / 1e5))
            .sum::<u64>() as f64
            / 1e5;
        assert!((mean - 3.618).abs() < 0.01, "{mean}");
        let as_meant = read(Profile::FbAsCoded, &[("link_multiget_dist_min", "0")]);
        let several = as_meant.unwrap().several;
        let mean = (0..100_000)
            .map(|i| several.at(f64::from(i) / 1e5))
            .sum::<u64>() as f64
            / 1e5;
        assert!((mean - 2.618).abs() < 0.01, "{mean}");
    }

    #[test]
    fn mistakes_are_told_by_name() {
        for (name, value, message) in [
            ("getlinklst", "1", "did you mean `getlinklist`?"),
            ("addlink", "9", "add up to 100.01"),
            ("addlink", "x", "addlink: `x`"),
            ("read_function", "real", "read_function: `real`"),
            ("nlinks_func", "const", "this program knows real"),
            ("read_shape", "1.5", "0 to 0.999"),
            ("link_add_datagen_endbyte", "20", "33 to 255"),
            ("link_datasize", "nan", "0.1 to 1000000"),
            ("id2gen_config", "2", "0 to 1"),
        ] {
            let error = read(Profile::FbAsCoded, &[(name, value)]).unwrap_err();
            let text = format!("{error} {}", error.hint());
            assert!(text.contains(message), "{text}");
        }
    }

    #[test]
    fn values_are_taken_as_files_have_them() {
        let package = "com.facebook.LinkBench.distributions.UniformDistribution ";
        let found = read(
            Profile::FbAsCoded,
            &[("node_read_function", package), ("link_multiget_dist", " ")],
        )
        .unwrap();
        assert_eq!(
            (found.node_read, found.several),
            (Law::Uniform, Several::One)
        );
    }
}
