"""A Slurm of its own on this machine, for tests: munged, slurmctld and some slurmd, with their own folder, ports and key, that go when it closes.

    with Cluster(nodes=2) as cluster:
        subprocess.run(["sinfo"], env=cluster.environment)
"""

import getpass
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel")
# where daemons are that a user's PATH may lack
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin:/sbin"
SECONDS = 60  # that a daemon may take to be there


def missing():
    """The first of the programs that this machine lacks; None: it has all."""
    return next((name for name in PROGRAMS if not shutil.which(name, path=PATH)), None)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Cluster:
    def __init__(self, nodes=2, processors=1, configuration=""):
        self.folder = tempfile.mkdtemp(prefix="lockstep-slurm-")
        self.names = [f"node{k}" for k in range(nodes)]
        self.processes = {}
        self.socket = os.path.join(self.folder, "munge.socket")
        self.file = os.path.join(self.folder, "slurm.conf")
        self.environment = dict(os.environ, SLURM_CONF=self.file, PATH=PATH)
        for name in [n for n in self.environment if n.startswith(("SLURM_", "SBATCH_")) and n != "SLURM_CONF"]:
            del self.environment[name]
        self.write(processors, configuration)

    def write(self, processors, configuration):
        control, *ports = free_ports(1 + len(self.names))
        host = socket.gethostname()
        nodes = "".join(f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={processors} RealMemory=4096\n"
                        for name, port in zip(self.names, ports))
        # SlurmdTimeout: after so many seconds a node that does not answer is down, and what ran there is queued again.
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(f"""ClusterName=lockstep
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control}
SlurmUser={getpass.getuser()}
SlurmdUser={getpass.getuser()}
AuthType=auth/munge
AuthInfo=socket={self.socket}
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
ReturnToService=2
SlurmctldTimeout=10
SlurmdTimeout=6
KillWait=2
MinJobAge=10
SlurmctldParameters=enable_configless
SchedulerParameters=batch_sched_delay=0,sched_min_interval=1000,sched_interval=1,bf_interval=1
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool-%n
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd-%n.pid
SlurmctldLogFile={self.folder}/slurmctld.log
SlurmdLogFile={self.folder}/slurmd-%n.log
{configuration}
{nodes}PartitionName=short Nodes=ALL Default=YES MaxTime=INFINITE State=UP
""")

    # ---- Daemons ----

    def start(self, name, *words):
        log = open(os.path.join(self.folder, f"{name}.out"), "ab")
        self.processes[name] = subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                start_new_session=True)
        log.close()

    def start_munge(self):
        key = os.path.join(self.folder, "munge.key")
        with open(key, "wb") as file:
            file.write(os.urandom(128))
        os.chmod(key, 0o400)
        os.chmod(self.folder, 0o755)
        self.start("munged", "munged", "--foreground", "--force", f"--socket={self.socket}", f"--key-file={key}",
                   f"--pid-file={self.folder}/munged.pid", f"--seed-file={self.folder}/munged.seed", f"--log-file={self.folder}/munged.log")
        self.wait(lambda: os.path.exists(self.socket), "munged")

    def start_controller(self):
        self.start("slurmctld", "slurmctld", "-D", "-f", self.file)

    def start_node(self, name):
        self.start(name, "slurmd", "-D", "-N", name, "-f", self.file)

    def __enter__(self):
        try:
            self.start_munge()
            self.start_controller()
            for name in self.names:
                self.start_node(name)
            self.wait(lambda: self.states().count("idle") == len(self.names), "the nodes")
        except BaseException:
            self.__exit__()
            raise
        return self

    def wait(self, is_there, what):
        end = time.monotonic() + SECONDS
        while not is_there():
            if time.monotonic() > end:
                raise RuntimeError(f"{what} did not come up:\n{self.logs()}")
            time.sleep(0.1)

    def kill(self, name):
        """The daemon, at once, and with a node all that runs on it: as when its machine loses power."""
        process = self.processes.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if name in self.names:
            for pid in self.node_processes(name):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass

    def node_processes(self, name):
        """What slurmd started on the node: jobs know it by SLURMD_NODENAME, slurmstepd by the folder that it was started with."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    of_job = f"SLURM_CONF={self.file}".encode() in file.read().split(b"\0")
                with open(f"/proc/{pid}/environ", "rb") as file:
                    on_node = f"SLURMD_NODENAME={name}".encode() in file.read().split(b"\0")
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    is_step = file.read().startswith(b"slurmstepd")
            except OSError:
                continue
            if of_job and on_node and int(pid) != os.getpid() or is_step and self.is_step_of(pid, name):
                found.append(int(pid))
        return found

    def is_step_of(self, pid, name):
        try:
            links = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
        except OSError:
            return False
        return any(link.startswith(f"{self.folder}/slurmd-{name}") for link in links)

    def states(self):
        done = subprocess.run(["sinfo", "--noheader", "--Node", "--format=%T"], env=self.environment, capture_output=True, text=True)
        return done.stdout.split()

    def logs(self):
        text = ""
        for name in sorted(os.listdir(self.folder)):
            if name.endswith((".log", ".out")):
                with open(os.path.join(self.folder, name), encoding="utf-8", errors="replace") as file:
                    text += f"--- {name}\n{file.read()[-1500:]}\n"
        return text

    def __exit__(self, *_):
        subprocess.run(["scancel", f"--user={getpass.getuser()}"], env=self.environment, capture_output=True, timeout=30)
        for name in list(self.processes):
            self.kill(name)
        shutil.rmtree(self.folder, ignore_errors=True)
