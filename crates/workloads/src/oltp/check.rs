//! What types can't express about the workload `oltp`: ranges, and contradictory keys.

use super::script::statements_per_op;
use super::spec::{Oltp, ScriptName};
use crate::plan::{engine_name, in_range, Phase, PhaseName, PlanError, LOADERS_MAX};

/// `id` and `k` are signed 32-bit integers.
const TABLE_SIZE_MAX: u32 = i32::MAX as u32;
/// More tables than this are a mistake.
const TABLES_MAX: u32 = 10_000;
/// More statements of one kind per op than this are a mistake.
const TIMES_MAX: u32 = 10_000;

impl Oltp {
    /// Checks what types can't express.
    pub(super) fn check_keys(&self, phases: &[Phase]) -> Result<(), PlanError> {
        self.ranges()?;
        self.distribution.check("workload.distribution")?;
        engine_name(&self.engine)?;
        // A plan that only fills tables doesn't use these keys.
        if phases.iter().any(|phase| phase.name != PhaseName::Load) {
            self.op()?;
        }
        Ok(())
    }

    fn ranges(&self) -> Result<(), PlanError> {
        let ranges = [
            ("tables", self.tables, 1, TABLES_MAX),
            ("table_size", self.table_size, 1, TABLE_SIZE_MAX),
            ("range_size", self.range_size, 1, TABLE_SIZE_MAX),
            ("point_selects", self.point_selects, 0, TIMES_MAX),
            ("simple_ranges", self.simple_ranges, 0, TIMES_MAX),
            ("sum_ranges", self.sum_ranges, 0, TIMES_MAX),
            ("order_ranges", self.order_ranges, 0, TIMES_MAX),
            ("distinct_ranges", self.distinct_ranges, 0, TIMES_MAX),
            ("index_updates", self.index_updates, 0, TIMES_MAX),
            ("non_index_updates", self.non_index_updates, 0, TIMES_MAX),
            ("delete_inserts", self.delete_inserts, 0, TIMES_MAX),
            ("random_points", self.random_points, 1, TIMES_MAX),
            ("number_of_ranges", self.number_of_ranges, 1, TIMES_MAX),
            ("delta", self.delta, 0, TABLE_SIZE_MAX),
            ("loaders", self.loaders, 1, LOADERS_MAX),
        ];
        for (key, value, min, max) in ranges {
            in_range(key, value, min, max)?;
        }
        Ok(())
    }

    fn op(&self) -> Result<(), PlanError> {
        if statements_per_op(self) == 0 {
            let message = format!("an op of `{}` has no statements", self.script.as_str());
            let hint = "raise one of the numbers that are 0";
            return Err(PlanError::new("workload", &message, hint));
        }
        if self.has_ranges() && self.range_size > self.table_size {
            let message = format!(
                "{} ids are more than the {} rows of `table_size`",
                self.range_size, self.table_size
            );
            let hint = "lower it, or raise `table_size`";
            return Err(PlanError::new("workload.range_size", &message, hint));
        }
        Ok(())
    }

    fn has_ranges(&self) -> bool {
        let reads = matches!(
            self.script,
            ScriptName::OltpReadWrite | ScriptName::OltpReadOnly
        );
        let ranges = [
            self.simple_ranges,
            self.sum_ranges,
            self.order_ranges,
            self.distinct_ranges,
        ];
        reads && self.range_selects && ranges.iter().any(|&times| times > 0)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, Value};

    use super::*;
    use crate::plan::typed;

    /// Why a workload with these keys is refused: the error and its hint.
    fn refused(script: &str, change: Value) -> (String, String) {
        let error = read(script, change).unwrap_err();
        (error.to_string(), error.hint().to_owned())
    }

    fn read(script: &str, change: Value) -> Result<Oltp, PlanError> {
        let mut workload = json!({ "script": script });
        for (key, value) in change.as_object().unwrap() {
            workload[key] = value.clone();
        }
        let oltp: Oltp = typed(workload, "workload")?;
        let measure = json!({"name": "measure", "duration_s": 1.0});
        oltp.check_keys(&[typed(measure, "phases[0]")?])?;
        Ok(oltp)
    }

    #[test]
    fn numbers_out_of_range_are_refused_by_name() {
        for (key, value) in [
            ("tables", 0_u32),
            ("tables", 10_001),
            ("table_size", 0),
            ("table_size", 2_147_483_648),
            ("range_size", 0),
            ("loaders", 0),
            ("random_points", 0),
            ("number_of_ranges", 0),
        ] {
            let (error, hint) = refused("oltp_read_write", json!({ key: value }));
            assert_eq!(error, format!("workload.{key}: {value}"));
            assert!(hint.starts_with("give a number from "), "{hint}");
        }
    }

    #[test]
    fn an_unknown_script_or_key_is_told_the_nearest() {
        let (error, hint) = refused("oltp_readwrite", json!({}));
        assert_eq!(error, "workload.script: unknown value `oltp_readwrite`");
        assert_eq!(hint, "did you mean `oltp_read_write`?");
        let (error, hint) = refused("oltp_insert", json!({"table_sizes": 1}));
        assert_eq!(error, "workload: unknown key `table_sizes`");
        assert_eq!(hint, "did you mean `table_size`?");
    }

    #[test]
    fn a_range_must_fit_in_the_table_if_there_are_ranges() {
        let small = || json!({"table_size": 99});
        let (error, _) = refused("oltp_read_only", small());
        let text = "workload.range_size: 100 ids are more than the 99 rows of `table_size`";
        assert_eq!(error, text);
        assert!(read("oltp_write_only", small()).is_ok());
        let without = json!({"table_size": 99, "range_selects": false});
        assert!(read("oltp_read_only", without).is_ok());
    }

    #[test]
    fn an_op_must_have_statements() {
        let none = json!({"point_selects": 0, "range_selects": false});
        let (error, _) = refused("oltp_read_only", none.clone());
        assert_eq!(
            error,
            "workload: an op of `oltp_read_only` has no statements"
        );
        assert!(read("oltp_read_write", none).is_ok());
        let (error, _) = refused("oltp_update_index", json!({"index_updates": 0}));
        assert_eq!(
            error,
            "workload: an op of `oltp_update_index` has no statements"
        );
    }

    #[test]
    fn distributions_are_checked_by_kind() {
        let with = |distribution: Value| {
            refused("oltp_read_only", json!({ "distribution": distribution })).0
        };
        let error = with(json!({"kind": "pareto", "h": 1.0}));
        assert_eq!(error, "workload.distribution: `h` is 1");
        let error = with(json!({"kind": "special", "res": 100}));
        assert_eq!(error, "workload.distribution: `res` is 100");
        let error = with(json!({"kind": "zipfian", "exp": -0.1}));
        assert_eq!(error, "workload.distribution: `exp` is -0.1");
        let error = with(json!({"kind": "gaussian", "iter": 0}));
        assert_eq!(error, "workload.distribution: `iter` is 0");
        let error = with(json!({"kind": "normal"}));
        assert_eq!(error, "workload.distribution.kind: unknown value `normal`");
    }

    #[test]
    fn an_engine_is_one_word() {
        let (error, _) = refused("oltp_insert", json!({"engine": "x */ ;"}));
        assert_eq!(error, "workload.engine: `x */ ;` isn't an engine's name");
    }

    #[test]
    fn what_was_read_is_written_back_with_every_default() {
        let oltp = read("oltp_read_write", json!({})).unwrap();
        let written = serde_json::to_value(&oltp).unwrap();
        let distribution = json!({"kind": "special", "iter": 12, "pct": 1, "res": 75});
        assert_eq!(written["distribution"], distribution);
        assert_eq!(written["table_size"], 10_000);
        assert_eq!(written["engine"], "innodb");
        assert_eq!(written.as_object().unwrap().len(), 25);
    }
}
