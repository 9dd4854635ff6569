//! What types can't express about a target and about a list of phases.

use std::collections::BTreeSet;

use super::limits::phase_limits;
use super::{Phase, PhaseName, PlanError, Target, Tls};

/// Checks that the address and the verification of the server are given without contradiction.
pub fn target(target: &Target) -> Result<(), PlanError> {
    let refuse = |message: &str, hint: &str| Err(PlanError::new("target", message, hint));
    match (&target.socket, &target.host) {
        (None, None) if target.noop => return Ok(()),
        (_, _) if target.noop => return refuse("`noop` is given with an address", "give one"),
        (None, None) => return refuse("neither `socket` nor `host` is given", "give one of them"),
        (Some(_), Some(_)) => return refuse("both `socket` and `host` are given", "give one"),
        (Some(_), None) if target.port.is_some() => {
            return refuse(
                "`port` is given with `socket`",
                "`port` goes with `host` only",
            );
        }
        (Some(_), None) | (None, Some(_)) => {}
    }
    match (target.tls, &target.ca_file) {
        (Tls::Verify | Tls::VerifyCa, None) => {
            refuse("`tls` is to verify, but there is no `ca_file`", "add it")
        }
        (Tls::Off | Tls::Required, Some(_)) => refuse(
            "`ca_file` is given, but `tls` is not `verify` or `verify_ca`",
            "write `tls`: `verify`",
        ),
        (Tls::Verify | Tls::VerifyCa, Some(_)) | (Tls::Off | Tls::Required, None) => Ok(()),
    }
}

/// Each phase at most once, and `load` first; `is_load`: the workload supports load models.
pub fn phases(phases: &[Phase], is_load: bool) -> Result<(), PlanError> {
    if phases.is_empty() {
        return Err(PlanError::new(
            "phases",
            "no phase is given",
            "give at least one",
        ));
    }
    let mut seen = BTreeSet::new();
    for (number, phase) in phases.iter().enumerate() {
        let path = format!("phases[{number}]");
        let name = phase.name.as_str();
        if !seen.insert(name) {
            let message = format!("phase `{name}` is given twice");
            return Err(PlanError::new(&path, &message, "give it once"));
        }
        if phase.name == PhaseName::Load && number > 0 {
            return Err(PlanError::new(
                &path,
                "phase `load` is not the first",
                "put it first",
            ));
        }
        phase_limits(&path, phase, is_load)?;
    }
    Ok(())
}
