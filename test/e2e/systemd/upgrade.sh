# shellcheck shell=bash
# Packages of an earlier commit (earlier.sh), upgraded to these and back: with allocations on the disk, with programs of
# both versions side by side, and with a resize that both have to work on. Sourced by session.sh, in authority.

# Between one process of the unit and the next one that is READY, in microseconds.
away() { echo $(($(property ActiveEnterTimestampMonotonic "$1") - $(property ActiveExitTimestampMonotonic "$1"))); }
of() { readlink "/proc/$(property MainPID "$1")/exe" | xargs sha256sum | cut -d' ' -f1; }

# now_is UNIT WHOSE: the unit runs the program of that package, and is ready.
now_is() {
  local unit=$1 program=$2 port=$3 whose=$4
  is "$program is the $whose one" test "$(of "$unit")" = "$(sha256sum <"$whose/$program" | cut -d' ' -f1)"
  is "and is ready" soon ready "$port"
}

for whose in earlier later; do
  mkdir -p $whose
  packages=(./elbowroom*_*.deb)
  [ $whose = later ] || packages=(./earlier-packages/elbowroom*_*.deb)
  for deb in "${packages[@]}"; do dpkg-deb --fsys-tarfile "$deb" | tar -xf - -C $whose --wildcards --transform 's,.*/,,' './usr/*bin/elbowroom*'; done
done
agent_is() { now_is $authority elbowroomd 10361 "$1"; }
scheduler_is() { now_is elbowroom-scheduler.service elbowroom-scheduler 10362 "$1"; }

# --- back, with what the later ones wrote
# It would leave the first 30 s to kube-scheduler.
echo 'yieldTo: ""' >>/etc/elbowroom/scheduler.yaml
is "the scheduler runs" systemctl restart elbowroom-scheduler
is "the earlier packages install over these" install earlier-packages/elbowroom{,-agent,-scheduler}_*.deb
agent_is earlier
scheduler_is earlier
is "the allocation is still there" python3 pod.py holds 500m
is "the earlier ones grow a pod" python3 pod.py grow 600m
is "and remove another for it" python3 pod.py displace 3

# --- the agent alone is upgraded: it reads what the earlier one wrote
pid=$(property MainPID elbowroom-scheduler.service)
is "an upgrade of agent and command line installs without a question" install elbowroom_*.deb elbowroom-agent_*.deb
agent_is later
echo "        $(away $authority) µs away"
is "it was away for a stop and a start alone" test "$(away $authority)" -lt $((patience * 1000000))
is "the scheduler was not restarted" has MainPID elbowroom-scheduler.service "$pid"
is "the other unit of the agent was not started" has ActiveState $agent inactive
is "the configuration is mine" test "$(sha256sum <$config)" = "$before"
is "the allocation is still there" python3 pod.py holds 3
is "the pod shrinks" python3 pod.py grow 600m
is "a later agent and an earlier scheduler make room" python3 pod.py displace 3

# --- the scheduler, too, and the agent back
is "the scheduler is upgraded" install elbowroom-scheduler_*.deb
scheduler_is later
is "the agent goes back" install earlier-packages/elbowroom-agent_*.deb
agent_is earlier
is "with its allocation" python3 pod.py holds 3
is "the pod shrinks" python3 pod.py grow 600m
is "an earlier agent and a later scheduler make room" python3 pod.py displace 3

# --- all of them
is "all are upgraded" install elbowroom{,-agent,-scheduler}_*.deb
agent_is later
is "with its allocation" python3 pod.py holds 3
is "the pod shrinks" python3 pod.py grow 600m
is "and the later ones make room, for another pod" python3 pod.py displace 3 other
is "which shrinks" python3 pod.py grow 300m other
is "the configuration is mine" test "$(sha256sum <$config)" = "$before"
