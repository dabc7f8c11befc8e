#!/bin/bash
# What only a machine of its own has: cgroup version 2, on which nothing but systemd's own limits hold. Played by vm.sh in an
# emulated one, with real containers; a line for each thing that was seen, exit status 1 if one was not.
set -u
cd /e2e || exit 1
patience=120 # everything takes ten times as long
source ./words.sh

group() { echo "/sys/fs/cgroup$(property ControlGroup "$1")"; }
# in_group UNIT FILE VALUE
in_group() { content "$(group "$1")/$2" "$3" || { echo "$2 of $1: $(cat "$(group "$1")/$2")" && false; }; }

# The agent's unit with another program in it, without the throttling that would make it slow; what that said is in instead.out.
instead() {
  local others='Type|NotifyAccess|ExecStart|ExecReload|Watchdog.*|Restart.*|Conflicts|ConditionPathExists|MemoryHigh|SyslogIdentifier'
  systemctl cat $agent | sed -E "/^($others)=/d" >/run/systemd/system/instead.service
  cat >>/run/systemd/system/instead.service <<UNIT
[Service]
Type=oneshot
ExecStart=/usr/bin/python3 -B /usr/lib/elbowroom-instead.py
ExecPaths=/usr/bin
StandardOutput=truncate:/e2e/instead.out
StandardError=inherit
UNIT
  cat >/usr/lib/elbowroom-instead.py
  rm -f instead.out
  systemctl daemon-reload
  systemctl start instead.service
}
too_much_memory() { ! instead <<<'x = b"x" * (256 << 20); print("had it")' && ! grep -q . instead.out; }
killed() { has ExecMainStatus instead.service 9; }
too_many_tasks() {
  instead <<'PYTHON'
import os, threading
end, started = threading.Event(), 1
try:
    while started < 100:
        threading.Thread(target=end.wait).start()
        started += 1
except RuntimeError:
    print(started, flush=True)
os._exit(0)
PYTHON
}

is "cgroups are of version 2" test "$(stat -fc %T /sys/fs/cgroup)" = cgroup2fs
echo "        $(uname -r), $(systemctl --version | head -n 1)"
is "the packages install" install elbowroom_*.deb elbowroom-agent_*.deb elbowroom-scheduler_*.deb
mkdir -p /run/containerd
mkfifo lab.ready
elbowroom lab up --nodes 1 --agents none --scheduler none --runtime-dir /run/containerd \
  --kubeconfig-out /e2e/lab.kubeconfig >lab.ready 2>lab.log &
lab=$!
read -r line <lab.ready
is "a lab is up" test "${line%%:*}" = ready
for file in $kubeconfig /etc/elbowroom/scheduler.kubeconfig; do cp lab.kubeconfig $file; done
systemd-tmpfiles --create elbowroom-agent.conf elbowroom-scheduler.conf
chmod 0660 /run/containerd/node-1.sock
cat >>$config <<'CONFIG'
nodeName: node-1
runtimeEndpoint: unix:///run/containerd/node-1.sock
cgroupRoot: /run/containerd/node-1.cgroup
kubeletHealthz: ""
CONFIG

# --- limits
limits_hold() {
  is "$1 has its limits in the kernel: at most $2 bytes of memory" in_group "$1" memory.max "$2"
  is "  throttled from $3 bytes" in_group "$1" memory.high "$3"
  is "  nothing swapped" in_group "$1" memory.swap.max 0
  is "  at most $4 tasks" in_group "$1" pids.max "$4"
  is "  five times the usual weight" in_group "$1" cpu.weight 500
}
for unit in $agent elbowroom-scheduler.service; do is "$unit starts and says READY" systemctl start $unit; done
is "the agent becomes ready" soon ready 10361
is "the scheduler becomes ready" soon ready 10362
limits_hold $agent 134217728 100663296 32
is "  25165824 bytes that others do not get" in_group $agent memory.min 25165824
limits_hold elbowroom-scheduler.service 1073741824 939524096 32
echo "        most memory so far: elbowroomd $(cat "$(group $agent)/memory.peak"), elbowroom-scheduler" \
  "$(cat "$(group elbowroom-scheduler.service)/memory.peak")"
is "what takes more memory than that" too_much_memory
is "is killed" killed
is "what starts more tasks than that" too_many_tasks
is "starts 32" content instead.out 32

# --- sandbox
for unit in $agent elbowroom-scheduler.service; do try_sandbox $unit; done
is "$authority starts" systemctl start $authority
is "and becomes ready" soon ready 10361
limits_hold $authority 134217728 100663296 64
try_sandbox $authority
is "ready after it" soon ready 10361
is "a pod grows" python3 pod.py grow 500m

# --- slices of pods
is "polkit runs" systemctl start polkit.service
source ./slices.sh

# --- real containers
systemctl stop $authority elbowroom-scheduler.service
kill $lab
mkdir -p bin && mv runtime_e2e pods_e2e bin/ && cp /usr/bin/elbowroom /usr/sbin/elbowroomd bin/
echo "--- runtime"
./runtime/run.sh /e2e || failed=1
exit $failed
