"""Runs a HyperQueue job file on a server and workers on this machine; in the middle a task and a worker are killed.

    run_hyperqueue.py FOLDER PLAN       the test; prints what happened
    run_hyperqueue.py FOLDER --worker N a worker, started by it

The Python package has no program `hq`, so the job file is read here and submitted by the package's own interface. It runs workers as threads
of the process that has the server; a worker of its own process is made from a server that is not used and the address of the one that is.
"""
import fcntl
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import time
import tomllib

from hyperqueue import Job, LocalCluster
from hyperqueue.cluster import WorkerConfig
from hyperqueue.ffi.protocol import ResourceRequest

PATIENCE = 400
WORKERS = 3


def set_up_loopback():
    """The loopback of a new name space is down."""
    SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(control, SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | IFF_UP))


def access(folder):
    return folder / "hq-current" / "access.json"


def worker(folder, number):
    own = folder / f"worker-{number}"
    cluster = LocalCluster(str(own))
    there = json.loads(access(folder / "server").read_text())
    there["worker"]["host"] = "127.0.0.1"
    here = access(own).resolve()
    here.chmod(0o600)
    here.write_text(json.dumps(there))
    cluster.start_worker(WorkerConfig(cores=1))
    print("ready", flush=True)
    signal.pause()


def start_worker(folder, number):
    command = [sys.executable, __file__, str(folder), "--worker", str(number)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    # The package prints a table about its server first.
    while (line := process.stdout.readline()) != "ready\n":
        assert line, f"worker {number} does not start"
    return process


def submit(client, plan, folder):
    job = Job(max_fails=1, name=plan.get("name"))
    tasks = {}
    for task in plan["task"]:
        request = task["request"][0]["resources"]
        tasks[task["id"]] = job.program(
            task["command"], cwd=task["cwd"], deps=[tasks[needed] for needed in task["deps"]],
            stdout=str(folder / f"{task['id']}.out"), stderr=str(folder / f"{task['id']}.err"),
            resources=ResourceRequest(cpus=request["cpus"]))
    return client.submit(job), len(tasks)


def parents():
    """The parent of each process, and its command line."""
    out = {}
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            stat = (process / "stat").read_text()
            line = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        out[int(process.name)] = (int(stat[stat.rindex(")") + 2:].split()[1]), line)
    return out


def shard_under(pid):
    """A process that solves a shard and descends from this one."""
    processes = parents()
    for found, (parent, line) in processes.items():
        if "yarnwise-bake campaign shard" in line and not line.startswith("sh "):
            above = parent
            while above in processes and above != pid:
                above = processes[above][0]
            if above == pid:
                return found
    return None


def wait_for_shard(process, until):
    while (found := shard_under(process.pid)) is None:
        assert time.time() < until, "no shard is at work"
        time.sleep(0.02)
    return found


def main(folder, plan):
    set_up_loopback()
    until = time.time() + PATIENCE
    server = LocalCluster(str(folder / "server"))
    workers = [start_worker(folder, number) for number in range(WORKERS)]
    client = server.client()
    submitted, count = submit(client, tomllib.loads(plan.read_text()), folder)
    print(f"submitted {count} tasks")
    os.kill(wait_for_shard(workers[0], until), signal.SIGKILL)
    print("killed a shard")
    wait_for_shard(workers[1], until)
    workers[1].kill()
    print("killed a worker")
    workers[1] = start_worker(folder, WORKERS)
    signal.alarm(max(1, int(until - time.time())))
    failed = client.wait_for_jobs([submitted], raise_on_error=False)
    if not failed:
        for task, why in client.get_failed_tasks(submitted).items():
            print("FAILED:", task, why.error, pathlib.Path(why.stderr or os.devnull).read_text()[-2000:])
        sys.exit(1)
    print("done")
    # Nothing waits for the workers: what is left ends with the name space.
    os._exit(0)


if sys.argv[2] == "--worker":
    worker(pathlib.Path(sys.argv[1]), sys.argv[3])
else:
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
