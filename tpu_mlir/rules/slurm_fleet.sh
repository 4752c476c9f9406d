#!/usr/bin/env bash
# Builds the networks of a workspace on the machines of a Slurm cluster, in shards:
#   slurm_fleet.sh SHARDS SCRATCH PATTERN FLAGS...
# PATTERN: //... or a part of it; FLAGS: of bazel build, a shared cache among them.
# Called in the workspace, which all machines see by this path, as they see
# SCRATCH. Each shard has a Bazel and outputs of its own, so what is built has to
# go to a cache (--remote_cache or --disk_cache); a build with the same flags
# takes it from there. A shard that a machine loses is queued again. Leaves with the
# highest exit code of the shards; what they said is in SCRATCH/shard_*.log.
set -euo pipefail
if (($# < 4)) || ! [[ $1 =~ ^[1-9][0-9]*$ && $* == *_cache=* ]]; then
  sed -n '2,10s/^# //p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
shards="$1" scratch="$(mkdir -p "$2" && cd "$2" && pwd)" pattern="$3"
shift 3
bazel query "attr(tags, '[\[ ]tpu_model[,\]]', $pattern)" | sort >"$scratch/targets"
echo "$(wc -l <"$scratch/targets") networks in $shards shards"
cat >"$scratch/shard.sh" <<'END'
#!/usr/bin/env bash
scratch="$1" shards="$2"
shift 2
shard="$SLURM_ARRAY_TASK_ID"
mapfile -t targets < <(awk -v n="$shards" -v i="$shard" 'NR % n == i' "$scratch/targets")
((${#targets[@]})) || exit 0
root="${TMPDIR:-/tmp}/slurm_fleet_$(id -u)_$SLURM_ARRAY_JOB_ID.$shard"
trap 'bazel --output_user_root="$root" shutdown; chmod -R u+w "$root"; rm -rf "$root"' EXIT
bazel --output_user_root="$root" build --symlink_prefix=/ --noshow_progress --keep_going --output_groups=+reports "$@" "${targets[@]}"
END
sbatch --wait --requeue --job-name=tpu_models --array="0-$((shards - 1))" --output="$scratch/shard_%a.log" "$scratch/shard.sh" "$scratch" "$shards" "$@"
