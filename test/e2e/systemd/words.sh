# The words in which sessions are written; sourced by them. `is` prints a line for each thing that was
# seen, and notes in $failed where one was not.
failed=0
patience=${patience:-10} # seconds
agent=elbowroomd.service
authority=elbowroomd-authority.service
kubeconfig=/etc/elbowroom/kubeconfig
config=/etc/elbowroom/config.yaml
state=/var/lib/elbowroom

# is WHAT COMMAND...: seen, or what came instead.
is() {
  local what=$1 said
  shift
  if said=$("$@" 2>&1); then
    echo "ok      $what"
  else
    echo "FAILED  $what: $(echo "$said" | tail -n 8 | tr '\n' ' ')"
    failed=1
  fi
}

# soon COMMAND...: within $patience.
soon() {
  local end=$((SECONDS + patience))
  while [ $SECONDS -le $end ]; do
    "$@" >/dev/null 2>&1 && return 0
    sleep 0.1
  done
  "$@"
}

property() { systemctl show -P "$1" "$2"; }
has() { [ "$(property "$1" "$2")" = "$3" ] || { echo "$1 of $2 is $(property "$1" "$2")" && false; }; }
has_not() { [ "$(property "$1" "$2")" != "$3" ]; }
journal() { journalctl -q --no-pager -o cat -u "$1"; }
told() { journal "$1" | grep -qF -- "$2"; }
told_once() { [ "$(journal "$1" | grep -cF -- "$2")" = 1 ]; }
answers() { curl -sf --max-time 3 "http://127.0.0.1:$1/$2"; }
ready() { answers "$1" readyz; }
lists() { answers "$1" "$2" | grep -qxF -- "$3"; }
install() { dpkg -i "$@" >>dpkg.log 2>&1 || { tail -n 5 dpkg.log && false; }; }
in_events() { curl -sf "$(sed -n 's/^ *server: //p' lab.kubeconfig)/apis/events.k8s.io/v1/events" | grep -qF -- "$1"; }
# block PAGE LANGUAGE NUMBER: what stands there.
block() { awk -v wanted="$3" -v opens="^\`\`\`$2\$" '$0 ~ opens { here = ++number == wanted; next } /^```$/ { here = 0 } here' "$1"; }
# written PAGE NUMBER: runs the page's block of commands of that number, as it stands there but for FILE.
written() { bash -eux -c "$(block "$1" sh "$2" | sed "s,\<FILE\>,$config,")"; }
# finds CHECK TEXT: the doctor does, as a failure; remedy CHECK: what it says is to be run.
finds() { elbowroom doctor -o json | of_check "$1" cause | grep -F -- "$2"; }
remedy() { elbowroom doctor -o json | of_check "$1" commands; }
of_check() {
  python3 -c 'import json, sys
for each in json.load(sys.stdin)["checks"]:
    if each["check"] == sys.argv[1] and each["result"] == "FAIL":
        told = each[sys.argv[2]]
        print(told if isinstance(told, str) else "\n".join(told))' "$@"
}
content() { [ "$(cat "$1")" = "$2" ]; }

# The drop-in of docs/security.md, which is the companion's; of other units the same with what they start.
selftest_before() {
  if [ "$1" = $agent ] && [ -e security.md ]; then
    block security.md ini 1
  else
    systemctl cat "$1" | sed -n 's/^ExecStart=\(.*\)/[Service]\nExecStartPre=\1 selftest --sandbox/p'
  fi
}

# The program's own selftest before a start of the unit. Unexpected outcomes are in the journal; a start that fails it does
# not happen.
selftest() {
  local folder=/run/systemd/system/$1.d outcome
  mkdir -p "$folder"
  selftest_before "$1" >"$folder/selftest.conf"
  echo "TimeoutStartSec=$((patience * 6))" >>"$folder/selftest.conf" # an emulated machine that others slow down
  systemctl daemon-reload
  systemctl restart "$1"
  outcome=$?
  rm -r "$folder"
  systemctl daemon-reload
  journal "$1" | grep -E '  (ALLOWED|FAILS)  | forbidden acts denied' | tail -n 6
  [ $outcome = 0 ] || systemctl restart "$1"
  return $outcome
}

# The sandbox of a unit, tried by probe.py and by the program itself, with what they counted.
try_sandbox() {
  is "forbidden acts are denied and needed ones work in $1" python3 probe.py "$1"
  tail -n 1 acts.out | sed 's/^/        /'
  is "and its own selftest says so before a start" selftest "$1"
  journal "$1" | grep 'forbidden acts denied' | tail -n 1 | sed 's/^/        /'
}
