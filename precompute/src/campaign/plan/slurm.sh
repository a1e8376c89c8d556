#!/usr/bin/env bash
# @TITLE@, on Slurm. Made by 'campaign plan --emit slurm'.
#
# Run it where sbatch is. It submits what is not there yet, and so it does when it is run again. Jobs are named 'yarnwise'; merges submit
# what comes next, and a last one looks after all of them: what was lost is submitted again.
#
#   YARNWISE_SBATCH   further options for sbatch, such as "--partition=long --time=4:00:00 --account=fabrics"
#   YARNWISE_BAKE     the program, if it is another than when this was made
#
#SBATCH --requeue
#SBATCH --open-mode=append
set -u

program=${YARNWISE_BAKE:-@PROGRAM@}
campaign=@CAMPAIGN@
folder=@FOLDER@
logs=@LOGS@
threads=@THREADS@
memory=@MEMORY@M
# Tasks of an array: indices stay below the default MaxArraySize.
most=1001
# How often what is lost or fails is submitted.
attempts=3
# How long a task should take, s.
seconds=@SECONDS@

rests=@RESTS@
bundles=@BUNDLES@
cuts=@CUTS@

# name_rest I, name_bundle I, name_cut I: sets names, and files that are there when they are done; name_cut also shards.
name_rest() {
    case $1 in
@REST_CASES@
    esac
}
name_bundle() {
    case $1 in
@BUNDLE_CASES@
    esac
}
name_cut() {
    case $1 in
@CUT_CASES@
    esac
}

# is_done WHAT I
is_done() {
    local names files shards file
    "name_$1" "$2"
    for file in "${files[@]}"; do
        [ -e "$file" ] || return 1
    done
}

# missing WHAT COUNT: numbers of what is not done.
missing() {
    local i
    for ((i = 0; i < $2; i++)); do
        is_done "$1" "$i" || printf '%d\n' "$i"
    done
}

# submit OPTION... -- ARGUMENT...: one job of this script; prints its number.
submit() {
    local options=() log=%j id
    while [ "$1" != -- ]; do
        [[ $1 != --array=* ]] || log=%A_%a
        options+=("$1")
        shift
    done
    shift
    # shellcheck disable=SC2086 # several words
    id=$(sbatch --parsable --job-name=yarnwise --comment="$plan" --chdir="$folder" --output="$logs/$log.out" \
        --cpus-per-task="$threads" --mem="$memory" ${YARNWISE_SBATCH:-} "${options[@]}" "$plan" job "$plan" "$@") || return
    printf '%s' "${id%%;*}"
}

# after JOB...: the option that waits for jobs to end, in whatever way; nothing without jobs.
after() {
    local IFS=:
    [ $# -eq 0 ] || printf '%s' "--dependency=afterany:$*"
}

# submit_arrays WHAT COUNT OPTION...: what is not done, in arrays; adds their numbers to jobs.
submit_arrays() {
    local what=$1 list indices first i id
    mapfile -t list < <(missing "$what" "$2")
    shift 2
    while [ ${#list[@]} -gt 0 ]; do
        first=${list[0]}
        indices=()
        for i in "${list[@]}"; do
            [ $((i - first)) -ge "$most" ] || indices+=($((i - first)))
        done
        list=("${list[@]:${#indices[@]}}")
        id=$(submit "$@" --array="$(IFS=, && echo "${indices[*]}")" -- "$what" "$first") || exit
        jobs+=("$id")
    done
}

submit_all() {
    local jobs=() rest i wait id
    submit_arrays rest "$rests"
    rest=("${jobs[@]}")
    wait=$(after "${rest[@]}")
    submit_arrays bundle "$bundles" ${wait:+"$wait"}
    for i in $(missing cut "$cuts"); do
        id=$(submit ${wait:+"$wait"} -- merge "$i" 0 "") || exit
        jobs+=("$id")
    done
    if [ ${#jobs[@]} -gt 0 ]; then
        id=$(submit "$(after "${jobs[@]}")" -- watch "$1") || exit
        echo "submitted: ${jobs[*]}, and $id to look after them"
    else
        echo "all is done"
    fi
}

# Runs a command; what may succeed later, or was killed, is retried.
try() {
    local wait code
    for wait in 1 5 15 30 60 0; do
        "$@"
        code=$?
        case $code in 0 | 1 | 2 | 101) return $code ;; esac
        [ "$wait" -eq 0 ] || echo "ended with $code, retried in $wait s" >&2
        sleep "$wait"
    done
    return $code
}

# merge I ATTEMPT NEXT: unites the shards of a bake and submits what comes next; NEXT is what came next the last time.
merge() {
    local names files shards next code work count=0 again=0 id
    name_cut "$1"
    next=$("$program" campaign merge "$campaign" "${names[0]}" --little "$seconds" --threads "$threads")
    code=$?
    echo "$next"
    case $code in
    0)
        [[ $next == "next: "* ]] || return 0
        [ "$next" != "$3" ] || again=$(($2 + 1))
        ;;
    1 | 2 | 101) return $code ;;
    # Shards that are missing, a full disk, another process: a shard that has nothing to do ends at once.
    *) again=$(($2 + 1)) ;;
    esac
    [ "$again" -le "$attempts" ] || return $code
    if [ "$code" -eq 0 ]; then
        work=${next##*about }
        work=${work%% *}
        count=$(((work + seconds * threads - 1) / (seconds * threads)))
    fi
    [ "$count" -gt 0 ] && [ "$count" -lt "$shards" ] || count=$shards
    id=$(submit --array="1-$count" -- shard "$1" "$count") || return
    submit "$(after "$id")" -- merge "$1" "$again" "$next" >/dev/null
}

# watch ATTEMPT: waits for what the merges have submitted, and submits what was lost.
watch() {
    local others
    [ -n "$(missing rest "$rests")$(missing bundle "$bundles")$(missing cut "$cuts")" ] || return 0
    mapfile -t others < <(squeue --noheader --user="$(id -un)" --format='%A %k' |
        while read -r id comment; do [ "$comment" != "$plan" ] || [ "$id" = "$SLURM_JOB_ID" ] || echo "$id"; done | sort -u)
    if [ ${#others[@]} -gt 0 ]; then
        submit "$(after "${others[@]}")" -- watch "$1" >/dev/null
    elif [ "$1" -lt "$attempts" ]; then
        submit_all $(($1 + 1))
    else
        echo "not done after $attempts attempts; the reasons are in $logs" >&2
        return 1
    fi
}

if [ "${1:-}" != job ]; then
    plan=$(readlink -f "$0")
    cd "$folder" && mkdir -p "$logs" || exit
    submit_all 1
    exit
fi
plan=$2
shift 2
names=() files=() shards=1
case $1 in
rest | bundle)
    "name_$1" $(($2 + SLURM_ARRAY_TASK_ID))
    try "$program" campaign run "$campaign" --only "${names[@]}" --threads "$threads"
    ;;
shard)
    name_cut "$2"
    try "$program" campaign shard "$campaign" "${names[0]}" "$SLURM_ARRAY_TASK_ID/$3" --threads "$threads"
    ;;
merge) merge "$2" "$3" "$4" ;;
watch) watch "$2" ;;
esac
