#!/bin/bash
# Run a Dyno experiment on nodes of a Slurm cluster: sbatch examples/slurm.sh EXPERIMENT [OPTIONS]
#
# The first node runs the servers and Dyno, the others make the load. All need this folder and
# Dyno at the same paths, as a shared file system has them.
#SBATCH --job-name=dyno
#SBATCH --nodes=3
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --time=02:00:00
set -eu

work="$PWD/dyno-$SLURM_JOB_ID"
hosts="$work/hosts.toml"
mkdir "$work"
mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")

address_of() {
    getent ahostsv4 "$1" | awk 'NR == 1 { print $1 }'
}

{
    echo 'schema = 1'
    for i in "${!nodes[@]}"; do
        role=load
        if [ "$i" = 0 ]; then role=server; fi
        printf '[[host]]\nname = "%s%d"\naddress = "%s"\nroles = ["%s"]\n' \
            "$role" "$i" "$(address_of "${nodes[$i]}")" "$role"
    done
} >"$hosts"

dyno hosts setup --hosts "$hosts"
dyno hosts up --hosts "$hosts" >"$work/up.log" 2>&1 &
for i in "${!nodes[@]}"; do
    if [ "$i" = 0 ]; then continue; fi
    srun --nodes=1 --ntasks=1 --nodelist="${nodes[$i]}" \
        dyno hosts agent "load$i" --hosts "$hosts" >"$work/load$i.log" 2>&1 &
done
# The agents end with this script, whatever ends it.
trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT

for _ in $(seq 60); do
    if dyno hosts check --hosts "$hosts" >"$work/check.log" 2>&1; then break; fi
    sleep 2
done
dyno hosts check --hosts "$hosts"
dyno run "$@" --hosts "$hosts"
