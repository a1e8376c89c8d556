#!/usr/bin/env bash
# run_slurm.sh FOLDER PLAN DATABASE...: runs the script PLAN on a Slurm of three nodes on this machine until all DATABASES are there; in the
# middle a task and a node are killed. Prints what happened.
#
# It runs in name spaces of its own (see engines.rs): no network but the loopback, and no process that outlives it. All files are in FOLDER.
set -u
folder=$1 plan=$2
shift 2
patience=400
export SLURM_CONF=$folder/slurm.conf

fail() {
    echo "FAILED: $*"
    tail -n 20 "$folder"/*.out "$folder"/logs/* 2>/dev/null
    exit 1
}

configure() {
    mkdir -p "$folder"/{state,munge,cgroup,logs}
    chmod 700 "$folder/munge"
    head -c 128 /dev/urandom >"$folder/munge/key"
    chmod 600 "$folder/munge/key"
    cat >"$folder/cgroup.conf" <<END
CgroupPlugin=cgroup/v1
CgroupMountpoint=$folder/cgroup
CgroupAutomount=no
END
    : >"$folder/plugstack.conf"
    cat >"$SLURM_CONF" <<END
ClusterName=yarnwise
SlurmctldHost=localhost(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket,cred_expire=5
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
AccountingStoreFlags=job_comment
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmUser=root
SlurmdTimeout=5
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool.%n
SlurmdPidFile=$folder/slurmd.%n.pid
SlurmctldPidFile=$folder/slurmctld.pid
PlugStackConfig=$folder/plugstack.conf
MpiDefault=none
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,sched_min_interval=0,defer_batch
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=17001 CPUs=1 RealMemory=4000 State=UNKNOWN
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=17002 CPUs=1 RealMemory=4000 State=UNKNOWN
NodeName=n3 NodeHostname=localhost NodeAddr=127.0.0.1 Port=17003 CPUs=1 RealMemory=4000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
}

start_node() {
    slurmd -D -N "$1" >>"$folder/$1.out" 2>&1 &
    eval "node_$1=$!"
}

# wait_for SECONDS WHAT COMMAND...: until COMMAND succeeds.
wait_for() {
    local until=$((SECONDS + $1)) what=$2
    shift 2
    until "$@"; do
        [ "$SECONDS" -lt "$until" ] || fail "$what does not happen"
        sleep 0.05
    done
}

idle_nodes() { [ "$(sinfo --noheader --format='%D %t' 2>/dev/null)" = "3 idle" ]; }

# tasks NODE WHAT: processes of a node whose command line has WHAT.
tasks() {
    local process
    for process in /proc/[0-9]*; do
        tr '\0' '\n' 2>/dev/null <"$process/environ" | grep -qx "SLURMD_NODENAME=$1" || continue
        tr '\0' ' ' 2>/dev/null <"$process/cmdline" | grep -q "$2" && echo "${process#/proc/}"
    done
}

# A shard at work on any node is killed; it is retried by its own job.
kill_task() {
    local node found
    for node in n1 n2 n3; do
        found=$(tasks $node "yarnwise-bake campaign shard" | head -n 1)
        [ -n "$found" ] && kill -9 "$found" && echo "killed a shard on $node" && return
    done
    return 1
}

# A node with a shard at work is gone at once: its daemon, those that look after its jobs, and the jobs.
kill_node() {
    local node process job jobs
    for node in n1 n2 n3; do
        [ -n "$(tasks $node "yarnwise-bake campaign shard")" ] || continue
        jobs=$(squeue --noheader --nodelist=$node --states=R --format=%A)
        process=node_$node
        kill -9 "${!process}"
        for job in $jobs; do
            grep -lsa "^slurmstepd: \[$job\." /proc/[0-9]*/cmdline | cut -d/ -f3 | xargs -r kill -9
        done
        tasks $node . | xargs -r kill -9 2>/dev/null
        echo "killed node $node"
        killed=$node
        return
    done
    return 1
}

all_there() {
    local file
    for file in "$@"; do [ -e "$file" ] || return 1; done
}

queue_is_empty() { [ -z "$(squeue --noheader)" ]; }

# Names are only looked up where there is an address besides those of the loopback, even that of 127.0.0.1: one of those that are for examples.
ip link set lo up && ip address add 192.0.2.1/32 dev lo || fail "the loopback cannot be set up"
configure
munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munge/pid" \
    --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" >"$folder/munge.out" 2>&1 &
wait_for 30 "munge" [ -S "$folder/munge/socket" ]
slurmctld -D -c >"$folder/slurmctld.out" 2>&1 &
for node in n1 n2 n3; do start_node $node; done
wait_for 60 "three idle nodes" idle_nodes
echo "three nodes after $SECONDS s"
bash "$plan" || fail "the plan is not submitted"
wait_for 120 "a shard at work" kill_task
wait_for 120 "a node with a shard at work" kill_node
start_node "$killed"
wait_for $((patience - SECONDS)) "every database" all_there "$@"
wait_for 30 "an empty queue" queue_is_empty
echo "done after $SECONDS s"
