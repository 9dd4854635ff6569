//! The properties of each profile: facts from the files that come with LinkBench and its fork.

use super::Profile;

/// A name and its value.
pub type Value = (&'static str, &'static str);

/// Those of the workload at Facebook in 2011.
const OF_2011: [Value; 13] = [
    ("addlink", "8.9886601"),
    ("deletelink", "2.9907664"),
    ("updatelink", "8.0122125"),
    ("countlink", "4.8863567"),
    ("getlink", "0.5261142"),
    ("getlinklist", "50.7119145"),
    ("addnode", "2.5732789"),
    ("updatenode", "7.3664370"),
    ("deletenode", "1.0115914"),
    ("getnode", "12.9326683"),
    ("getlinklist_history", "0.3"),
    ("link_datasize", "8"),
    ("node_datasize", "128"),
];

/// Those of the fork.
const OF_2017: [Value; 13] = [
    ("addlink", "5.35038"),
    ("deletelink", "0.98401"),
    ("updatelink", "4.75589"),
    ("countlink", "4.27898"),
    ("getlink", "12.14725"),
    ("getlinklist", "22.57039"),
    ("addnode", "2.61198"),
    ("updatenode", "3.06256"),
    ("deletenode", "0.25166"),
    ("getnode", "43.98690"),
    ("getlinklist_history", "0.3"),
    ("link_datasize", "23"),
    ("node_datasize", "168"),
];

/// Those of both.
const OF_BOTH: [Value; 42] = [
    ("link_type_count", "2"),
    ("nlinks_func", "real"),
    ("randomid2max", "0"),
    ("id2gen_config", "0"),
    ("link_add_datagen", "MotifDataGenerator"),
    ("link_add_datagen_startbyte", "32"),
    ("link_add_datagen_endbyte", "100"),
    ("link_add_datagen_uniqueness", "0.225"),
    ("link_add_datagen_motif_length", "128"),
    ("link_up_datagen", "MotifDataGenerator"),
    ("link_up_datagen_startbyte", "32"),
    ("link_up_datagen_endbyte", "100"),
    ("link_up_datagen_uniqueness", "0.225"),
    ("link_up_datagen_motif_length", "128"),
    ("node_add_datagen", "MotifDataGenerator"),
    ("node_add_datagen_startbyte", "50"),
    ("node_add_datagen_endbyte", "220"),
    ("node_add_datagen_uniqueness", "0.63"),
    ("node_add_datagen_motif_length", "512"),
    ("node_up_datagen", "MotifDataGenerator"),
    ("node_up_datagen_startbyte", "50"),
    ("node_up_datagen_endbyte", "220"),
    ("node_up_datagen_uniqueness", "0.63"),
    ("node_up_datagen_motif_length", "512"),
    ("read_function", "ZipfDistribution"),
    ("read_shape", "0.8"),
    ("read_uncorr_blend", "99.5"),
    ("read_uncorr_function", "ZipfDistribution"),
    ("read_uncorr_shape", "0.8"),
    ("write_function", "ZipfDistribution"),
    ("write_shape", "0.741"),
    ("write_uncorr_blend", "95"),
    ("write_uncorr_function", "ZipfDistribution"),
    ("write_uncorr_shape", "0.741"),
    ("node_read_function", "ZipfDistribution"),
    ("node_read_shape", "0.625"),
    ("node_update_function", "ZipfDistribution"),
    ("node_update_shape", "0.606"),
    ("node_delete_function", "UniformDistribution"),
    ("node_delete_shape", "0"),
    ("link_multiget_dist", "GeometricDistribution"),
    ("link_multiget_dist_prob", "0.382"),
];

/// The minimum and maximum of links that a request for several asks for.
const SEVERAL: [Value; 2] = [
    ("link_multiget_dist_min", "1"),
    ("link_multiget_dist_max", "128"),
];

/// All properties of a profile.
pub fn values(profile: Profile) -> impl Iterator<Item = Value> {
    let own = match profile {
        Profile::FbAsCoded | Profile::FbAsConfigured => OF_2011,
        Profile::Mc2017 => OF_2017,
    };
    own.into_iter().chain(OF_BOTH).chain(SEVERAL)
}
