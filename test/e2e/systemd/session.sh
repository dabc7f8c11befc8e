#!/bin/bash
# What people do with the packages, in a system of its own: install, start, reload, break, upgrade, remove.
# A line for each thing that was seen; exit status 1 if one was not.
set -u
cd /e2e || exit 1
source ./words.sh

named_before_killed() {
  journal $agent | grep -E 'loop reactor has not turned|Watchdog timeout' | head -n 1 | grep -q turned
}
said_by() { [[ $(property StatusText "$1") == *"$2"* ]]; }

# --- installed, and nothing configured
is "the packages install" install elbowroom_*.deb elbowroom-scheduler_*.deb
is "the agent's as docs/install.md has it" written install.md 1
for unit in $agent elbowroom-scheduler.service; do
  is "$unit is enabled" systemctl is-enabled $unit
  is "$unit without a kubeconfig is inactive" has ActiveState $unit inactive
  is "$unit says once which file it waits for" told_once $unit "unmet condition check (ConditionPathExists="
  is "$unit does not try again" has NRestarts $unit 0
done
is "$authority is not enabled" test "$(systemctl is-enabled $authority)" = disabled
is "the agent's user is there" getent passwd _elbowroom
is "the scheduler's user is there" getent passwd _elbowroom-scheduler
is "pages of the manual are there" bash -c "dpkg -L elbowroom-agent | grep -q man8/elbowroomd.8.gz"
is "the command line runs" elbowroom --version
is "and as a plugin" kubectl-elbowroom --version

# --- beside a kubelet
mkdir -p /run/containerd
mkfifo lab.ready
elbowroom lab up --nodes 1 --agents none --scheduler none --runtime-dir /run/containerd \
  --kubeconfig-out /e2e/lab.kubeconfig >lab.ready 2>lab.log &
read -r line <lab.ready
is "a lab is up" test "${line%%:*}" = ready
for file in $kubeconfig /etc/elbowroom/scheduler.kubeconfig; do
  cp lab.kubeconfig $file
  chmod 0600 $file
done
printf 'nodeName: node-1\n' >>$config
is "tmpfiles gives the kubeconfigs to their groups" \
  systemd-tmpfiles --create elbowroom-agent.conf elbowroom-scheduler.conf
is "and to nobody else" test "$(stat -c '%a %U %G' $kubeconfig)" = "640 root _elbowroom"
rm $kubeconfig
cp lab.kubeconfig agent.kubeconfig
is "$agent starts and says READY, as docs/install.md has it" written install.md 2
is "with its kubeconfig for nobody else either" test "$(stat -c '%a %U %G' $kubeconfig)" = "640 root _elbowroom"
is "elbowroom-scheduler.service starts and says READY" systemctl start elbowroom-scheduler
for unit in $agent elbowroom-scheduler.service; do is "$unit is active" has ActiveState $unit active; done
is "the agent becomes ready" soon ready 10361
is "the scheduler becomes ready" soon ready 10362
is "the scheduler leads" soon lists 10362 metrics "elbowroom_scheduler_leader 1"
for unit in $agent elbowroom-scheduler.service; do
  pid=$(property MainPID $unit)
  is "$unit has no capability" grep -q '^CapEff:.0000000000000000$' /proc/"$pid"/status
  is "$unit gains no privileges" grep -q '^NoNewPrivs:.1$' /proc/"$pid"/status
  is "$unit is filtered by seccomp" grep -q '^Seccomp:.2$' /proc/"$pid"/status
  is "$unit is exposed at most 1.5 as it runs" systemd-analyze security --no-pager --threshold=15 $unit
done
for unit in $agent elbowroom-scheduler.service; do try_sandbox $unit; done
is "both are ready again" soon ready 10361
is "the doctor finds nothing that fails" elbowroom doctor
is "the looks of docs/operate.md work" written operate.md 1
is "and by --program scheduler neither" elbowroom doctor --program scheduler

# --- what the doctor finds, and whether its remedy is one
sed -i 's,^kubeconfig: .*,kubeconfig: /etc/elbowroom/other,' $config
systemctl stop $agent
mv $kubeconfig /etc/elbowroom/other
systemctl start $agent
is "the doctor names the file that the unit waits for in vain" finds unit.runs \
  "waits for $kubeconfig, which is not there: the configuration names /etc/elbowroom/other"
is "its remedy can be run as it stands there, and the unit starts" bash -ec "$(remedy unit.runs)"
is "and is active" has ActiveState $agent active
is "and the agent becomes ready" soon ready 10361
rm -r /etc/systemd/system/$agent.d
systemctl daemon-reload
mv /etc/elbowroom/other $kubeconfig
sed -i "s,^kubeconfig: .*,kubeconfig: $kubeconfig," $config
chmod 0700 /etc/elbowroom
is "the doctor names the folder that the service may not enter" finds kubeconfig.for-service "may not enter /etc/elbowroom"
is "where it does not start" bash -c "! systemctl restart $agent"
is "its remedy can be run as it stands there" bash -ec "$(remedy kubeconfig.for-service)"
is "with it the unit starts" systemctl start $agent
is "and the agent is ready" soon ready 10361
chgrp root /etc/elbowroom
chmod 0755 /etc/elbowroom

# --- reload
sed -i 's/^logFormat: .*/&\nlogLevel: debug/' $config
is "reload, as docs/operate.md has it" written operate.md 2
is "says what changed" soon told $agent "configuration reloaded: logLevel"
echo 'nodeNmae: x' >>$config
is "reload of a wrong file" systemctl reload $agent
is "is refused with the key and what was meant" soon told $agent "did you mean nodeName?"
is "and the agent goes on" has ActiveState $agent active
sed -i '/nodeNmae/d' $config

# --- broken
mkdir -p /run/systemd/system/$agent.d
printf '[Service]\nWatchdogSec=2s\nTimeoutAbortSec=1s\n' >/run/systemd/system/$agent.d/quick.conf
systemctl daemon-reload
systemctl restart $agent
before=$(property MainPID $agent)
python3 hold.py "$before" >held 2>&1 &
is "its loops stand still" soon grep -qx held held
is "the watchdog kills a process whose loop hangs" soon told $agent "Watchdog timeout"
is "after the log has named the loop" named_before_killed
is "and it is started again" soon has_not MainPID $agent "$before"
is "and becomes ready" soon ready 10361
before=$(property MainPID $agent)
restarts=$(property NRestarts $agent)
kill -SEGV "$before"
is "a crash is followed by a start" soon has NRestarts $agent $((restarts + 1))
is "and the agent becomes ready" soon ready 10361
for crash in 3 4 5; do
  before=$(property MainPID $agent)
  kill -SEGV "$before"
  is "crash $crash is followed by a start" soon has_not MainPID $agent "$before"
  is "that lists its pods" soon lists 10361 metrics 'elbowroom_ready{check="pods"} 1'
done
is "after five crashes the agent only observes" lists 10361 metrics "elbowroom_safe_mode 1"
is "and says so where it is asked" bash -c "curl -s http://127.0.0.1:10361/readyz?verbose | grep -q '\[-\]crashes failed'"
is "and in an event on the Node" soon in_events SafeModeEntered
kill -SEGV "$(property MainPID $agent)"
is "after the next crash it waits before it starts" soon said_by $agent "starts only in 2 s"
is "and is not up meanwhile" has ActiveState $agent activating
is "then it observes" soon lists 10361 metrics "elbowroom_safe_mode 1"
kill -SEGV "$(property MainPID $agent)"
is "after one more it waits for longer" soon said_by $agent "starts only in 4 s"
is "a restart is not waited for" systemctl restart $agent
is "until it is restarted" soon ready 10361
is "and then it acts again" lists 10361 metrics "elbowroom_safe_mode 0"
rm -r /run/systemd/system/$agent.d
systemctl daemon-reload
systemctl stop $agent
echo 'nodeNmae: x' >>$config
is "a wrong configuration does not start" bash -c "! systemctl start $agent"
is "with exit status 78" has ExecMainStatus $agent 78
is "says the line and the key" told $agent "nodeNmae"
is "and is not tried again" has NRestarts $agent 0
sed -i '/nodeNmae/d' $config
systemctl reset-failed $agent

# --- in authority
chmod 0660 /run/containerd/node-1.sock
cat >>$config <<'CONFIG'
runtimeEndpoint: unix:///run/containerd/node-1.sock
cgroupRoot: /run/containerd/node-1.cgroup
kubeletHealthz: ""
CONFIG
is "the mode is changed, as docs/install.md has it" written install.md 3
is "$authority is active" has ActiveState $authority active
is "and becomes ready, over a socket of root's" soon ready 10361
pid=$(property MainPID $authority)
is "it has one capability" grep -q '^CapEff:.0000000000000002$' /proc/"$pid"/status
is "it is exposed at most 2.5 as it runs" systemd-analyze security --no-pager --threshold=25 $authority
try_sandbox $authority
is "ready after it" soon ready 10361
is "the doctor finds nothing that fails, as docs/troubleshooting.md asks it" written troubleshooting.md 1
is "the two do not run at once" bash -c "systemctl start $agent && ! systemctl is-active $authority"
is "and back" systemctl start $authority
is "ready again" soon ready 10361
is "a pod grows" python3 pod.py grow 500m
is "its allocation is on the disk" bash -c "grep -rq 500 $state"

# --- upgrade, and back
echo '# mine' >>$config
before=$(sha256sum <$config)
if [ -d earlier-packages ]; then
  source ./upgrade.sh
else
  echo "skipped an upgrade from an earlier commit: $(cat no-upgrade)"
fi

# --- slices of pods
source ./slices.sh

# --- gone
is "remove" dpkg -r elbowroom-agent elbowroom-scheduler
is "nothing runs" bash -c "! pgrep elbowroomd && ! pgrep elbowroom-sched"
is "the allocations are kept" test -s "$(find $state -type f | head -n 1)"
is "the configuration is kept" test -s $config
is "install again" install elbowroom-agent_*.deb
is "with my configuration" test "$(sha256sum <$config)" = "$before"
is "purge" dpkg -P elbowroom-agent elbowroom-scheduler elbowroom
is "the allocations are gone" test ! -e $state
is "the configuration is gone" test ! -e $config
is "no unit is left" bash -c "! systemctl list-unit-files | grep -q elbowroom"
is "no link is left" test -z "$(find /etc/systemd/system -name '*elbowroom*')"
exit $failed
