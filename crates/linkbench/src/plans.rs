//! From settings to load plans: one that loads, one that sends requests. Their content is described
//! in docs/reference/load-plan.md, and read by the same code.

use std::collections::BTreeMap;

use kinds::load_plan::{Plan, SCHEMA};
use serde_json::{json, Map, Value};
use workloads::linkbench::Profile;
use workloads::plan::{PlanError, Secret};

use crate::config::{Address, Properties, Settings};
use crate::failure::{self, Failure};

/// Where to put the password when running a printed plan. Here it is passed on directly.
const PASSWORD: &str = "DYNO_LINKBENCH_PASSWORD";
/// LinkBench retries a refused transaction forever; this is the most that a plan allows.
const RETRIES: u16 = u16::MAX;
/// The package of LinkBench's classes.
const PACKAGE: &str = "com.facebook.LinkBench.";

/// The plan that creates and fills the tables.
pub fn load(settings: &Settings, seed: i64) -> Result<Plan, Failure> {
    let mut plan = common(settings, seed)?;
    if settings.disable_binlog {
        plan["session"] = json!(["SET SESSION sql_log_bin = 0"]);
    }
    plan["phases"] = json!([{ "name": "load" }]);
    read(&plan, settings)
}

/// The plan of the requests, with their warm-up.
pub fn request(settings: &Settings, seed: i64) -> Result<Plan, Failure> {
    let mut plan = common(settings, seed)?;
    plan["connections"] = json!(settings.requesters);
    let mut phases = Vec::new();
    if settings.warmup_s > 0 {
        phases.push(phase(settings, "warmup", settings.warmup_s as f64, None));
    }
    let requests = Some(settings.requests);
    phases.push(phase(
        settings,
        "measure",
        settings.max_time_s as f64,
        requests,
    ));
    plan["phases"] = Value::Array(phases);
    read(&plan, settings)
}

fn phase(settings: &Settings, name: &str, duration_s: f64, requests: Option<u64>) -> Value {
    let Some(rate_per_s) = settings.rate_per_s else {
        let mut phase = json!({ "name": name, "duration_s": duration_s });
        if let Some(requests) = requests {
            phase["ops"] = json!(requests);
        }
        return phase;
    };
    // Arrivals aren't limited by number: they last as long as the requests take at that rate.
    let enough_s = requests.map(|requests| requests as f64 / rate_per_s as f64);
    let duration_s = enough_s.map_or(duration_s, |enough_s| enough_s.min(duration_s));
    json!({
        "name": name,
        "arrivals": {
            "distribution": "poisson",
            "steps": [{ "duration_s": duration_s, "rate_per_s": rate_per_s }],
        },
    })
}

fn common(settings: &Settings, seed: i64) -> Result<Value, Failure> {
    let mut target = match &settings.address {
        Address::Socket(path) => json!({ "socket": path }),
        Address::Host(host, port) => json!({ "host": host, "port": port }),
    };
    target["user"] = json!(settings.user);
    target["database"] = json!(settings.schema);
    if settings.password.is_some() {
        target["password_env"] = json!(PASSWORD);
    }
    Ok(json!({
        "schema": SCHEMA,
        // Java's seeds are signed.
        "seed": seed as u64,
        "target": target,
        "retries": { "limit": RETRIES },
        "workload": workload(settings)?,
    }))
}

fn workload(settings: &Settings) -> Result<Value, Failure> {
    let mut keys = Map::new();
    keys.insert("kind".to_owned(), json!("linkbench"));
    keys.insert("ids".to_owned(), json!(settings.ids));
    keys.insert("first_id".to_owned(), json!(settings.first_id));
    keys.insert("loaders".to_owned(), json!(settings.loaders));
    keys.insert("properties".to_owned(), json!(changed(settings)));
    if let Some(path) = &settings.data_file {
        keys.insert("distribution".to_owned(), json!(path));
    }
    for (key, text) in &settings.own {
        let value = match key.as_str() {
            "partitions" => json!(text.parse::<u32>().map_err(|_| {
                failure::config(
                    format!("configuration key partitions is {text}"),
                    "give a number from 0 to 1024",
                )
            })?),
            _ => json!(text),
        };
        keys.insert(key.clone(), value);
    }
    Ok(Value::Object(keys))
}

/// The properties that differ from the profile: so the shipped files have none.
fn changed(settings: &Settings) -> Properties {
    let named = settings.own.get("profile");
    let profile = match named {
        Some(name) => serde_json::from_value(json!(name)).ok(),
        None => Some(Profile::default()),
    };
    // An unknown profile has no properties; it is refused when the plan is read.
    let of_profile: BTreeMap<&str, &str> =
        profile.into_iter().flat_map(Profile::properties).collect();
    let is_other = |key: &str, value: &str| match of_profile.get(key) {
        Some(known) => !says_the_same(value, known),
        None => true,
    };
    let given = settings.workload.iter();
    given
        .filter(|(key, value)| is_other(key, value))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// True for equal numbers and words, and for a class with its package.
fn says_the_same(value: &str, known: &str) -> bool {
    match (value.parse::<f64>(), known.parse::<f64>()) {
        (Ok(value), Ok(known)) => value == known,
        _ => {
            let class = value.strip_prefix(PACKAGE);
            let class = class.and_then(|rest| rest.split_once('.'));
            let class = class.map_or(value, |(_, class)| class);
            class.eq_ignore_ascii_case(known)
        }
    }
}

fn read(plan: &Value, settings: &Settings) -> Result<Plan, Failure> {
    let mut plan = Plan::read(&plan.to_string()).map_err(|error| of_plan(&error))?;
    plan.target.password = settings.password.clone().map(Secret);
    Ok(plan)
}

/// A plan's error refers to a place in the plan, which the user didn't write.
fn of_plan(error: &PlanError) -> Failure {
    let text = error.to_string();
    let mut message = text.as_str();
    for place in ["workload.properties.", "workload."] {
        message = message.strip_prefix(place).unwrap_or(message);
    }
    failure::config(format!("configuration key {message}"), error.hint())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::settings_of;

    #[test]
    fn a_closed_load_has_limits() {
        let settings = settings_of("requesters=4\nrequests=10\nmaxtime=7\nwarmup_time=3");
        let (warmup, measure) = (
            phase(&settings, "warmup", 3.0, None),
            phase(&settings, "measure", 7.0, Some(settings.requests)),
        );
        assert_eq!(warmup, json!({ "name": "warmup", "duration_s": 3.0 }));
        assert_eq!(
            measure,
            json!({ "name": "measure", "duration_s": 7.0, "ops": 40 })
        );
    }

    #[test]
    fn a_rate_makes_the_load_open() {
        let settings = settings_of("requesters=4\nrequests=10\nmaxtime=70\nrequestrate=2");
        let phase = phase(&settings, "measure", 70.0, Some(settings.requests));
        let step = &phase["arrivals"]["steps"][0];
        assert_eq!(step, &json!({ "duration_s": 5.0, "rate_per_s": 8 }));
    }

    #[test]
    fn a_plan_has_no_password() {
        let settings = settings_of("password=geheim\nsocket=/s\nprofile=mc-2017\npartitions=0");
        let plan = common(&settings, -1).unwrap();
        assert!(!plan.to_string().contains("geheim"));
        assert_eq!(plan["seed"], json!(u64::MAX));
        assert_eq!(plan["target"]["socket"], json!("/s"));
        assert_eq!(plan["workload"]["partitions"], json!(0));
        assert_eq!(plan["workload"]["profile"], json!("mc-2017"));
    }

    #[test]
    fn the_shipped_files_are_the_first_profile() {
        assert_eq!(changed(&settings_of("")), Properties::new());
        let other = settings_of("addlink = 9.0\nnlinks_func = REAL\nrandomid2max = 7");
        let keys: Vec<String> = changed(&other).into_keys().collect();
        assert_eq!(keys, ["addlink", "randomid2max"]);
        let of_2017 = changed(&settings_of("profile=mc-2017"));
        assert_eq!(of_2017["addlink"], "8.9886601");
        assert!(!of_2017.contains_key("read_shape"));
    }
}
