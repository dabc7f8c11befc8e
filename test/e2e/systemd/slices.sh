# Slices of pods sized by the systemd that runs here, in the sandbox and with the rights of the agent in authority. Played
# by session.sh, whose words it uses. Slice_e2e does what the agent does for one pod.
pod=kubepods-burstable-pod0f1e_2d3c.slice
group=/kubepods.slice/kubepods-burstable.slice/$pod

# The agent's unit with another program in it; what that said is in slice.out.
in_sandbox() {
  local others='Type|NotifyAccess|ExecStart|ExecReload|Watchdog.*|Restart.*|Conflicts|ConditionPathExists'
  systemctl cat $authority | sed -E "/^($others)=/d" >/run/systemd/system/slice-e2e.service
  cat >>/run/systemd/system/slice-e2e.service <<UNIT
[Service]
Type=oneshot
ExecStart=$*
BindReadOnlyPaths=/e2e/slice_e2e /usr/bin/busctl
StandardOutput=truncate:/e2e/slice.out
StandardError=inherit
UNIT
  rm -f slice.out
  systemctl daemon-reload
  systemctl start slice-e2e.service || { cat slice.out && false; }
}
not_in_sandbox() { ! in_sandbox "$1"; }
says() { grep -qxF -- "$1" slice.out || { cat slice.out && false; }; }
# holds FILE VALUE: the file of the slice on whichever hierarchy it is.
holds() {
  local file
  for file in /sys/fs/cgroup/{,cpu/,memory/}"${group#/}/$1"; do
    [ ! -e "$file" ] || { content "$file" "$2" || { echo "$file: $(cat "$file")" && false; }; return; }
  done
  echo "no $1 of $group"
  return 1
}
# manager METHOD ARGUMENTS: a call to systemd, as a command.
manager() {
  echo "/usr/bin/busctl --system call org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager $*"
}
refused_by_polkit() {
  ! in_sandbox "$1" >/dev/null 2>&1 && grep -qi 'access denied\|interactive authentication required' slice.out
}

# In nspawn the hierarchies of version 1 can only be read; systemd looks for what it may write when it starts. run.sh sweeps.
for each in cpu memory; do
  [ ! -d /sys/fs/cgroup/$each ] || mount -o remount,bind,rw /sys/fs/cgroup/$each
done
systemctl daemon-reexec
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  weight=CPUWeight memory=MemoryMax
else
  weight=CPUShares memory=MemoryLimit
fi
is "something runs in a pod's slice" systemd-run -q --unit=in-pod --slice=$pod sleep infinity

is "the agent's user sizes it from its sandbox" in_sandbox "/e2e/slice_e2e $group 1000 1501 134217728"
is "and reads back what it asked for, but for whole percents" says "request 1000 limit 1510 memory 134217728"
shown() {
  has $weight $pod "$1" && has CPUQuotaPerSecUSec $pod "$2" && has $memory $pod "$3"
}
if [ $weight = CPUWeight ]; then first=39 second=20; else first=1024 second=512; fi
is "systemd has it as its own" shown $first 1.510000s 134217728
files_hold() {
  if [ $weight = CPUWeight ]; then
    holds cpu.weight "$1" && holds cpu.max "$2 100000" && holds memory.max "$3"
  else
    holds cpu.shares "$1" && holds cpu.cfs_quota_us "$2" && holds cpu.cfs_period_us 100000 && holds memory.limit_in_bytes "$3"
  fi
}
is "the kernel has it" files_hold $first 151000 134217728
systemctl daemon-reload
is "a reload of systemd changes nothing of it" shown $first 1.510000s 134217728
is "nor in the kernel" files_hold $first 151000 134217728
if [ $weight = CPUWeight ]; then file=/sys/fs/cgroup$group/cpu.weight; else file=/sys/fs/cgroup/cpu$group/cpu.shares; fi
echo 77 >$file
systemctl daemon-reload
is "what is written into the file alone, a reload undoes" content $file $first
is "smaller again" in_sandbox "/e2e/slice_e2e $group 500 500 67108864"
is "and read back" says "request 500 limit 500 memory 67108864"
systemctl daemon-reload
is "after a reload too" files_hold $second 50000 67108864
is "limits go" in_sandbox "/e2e/slice_e2e $group 500 0 0"
is "and are gone" says "request 500 limit 0 memory 0"
systemctl daemon-reload
is "for systemd too" shown $second infinity infinity

is "of a pod's slice it may set what is a slice's" in_sandbox "$(manager SetUnitProperties "sba(sv) $pod true 1 TasksMax t 100")"
for unit in kubepods.slice kubepods-burstable.slice system.slice $authority; do
  is "of $unit it may set nothing" refused_by_polkit "$(manager SetUnitProperties "sba(sv) $unit true 1 TasksMax t 100")"
done
is "it may stop no pod's slice" refused_by_polkit "$(manager StopUnit "ss $pod replace")"
rule=/usr/share/polkit-1/rules.d/50-elbowroom-agent.rules
mv $rule rule.aside
systemctl restart polkit.service
is "without the rule it may not" not_in_sandbox "/e2e/slice_e2e $group 1000 0 0"
is "and is told what is missing" grep -qF "the rule of the package elbowroom-agent" slice.out
mv rule.aside $rule
systemctl restart polkit.service
is "and with it, it goes on" in_sandbox "/e2e/slice_e2e $group 1000 0 0"
systemctl stop in-pod.service $pod
rm -f /run/systemd/system/slice-e2e.service
systemctl daemon-reload
