#!/usr/bin/env python3
"""Faults planted in a machine: in its files, sockets, servers and units. For each, exactly one check of `elbowroom doctor` fails,
the one named here, and what it prints to run repairs the fault: the doctor then finds nothing that fails. The machine is one of
its own (machine.py): real programs, real files, a real kubectl; where no systemd runs, units.py starts the units.

usage: faults.py BIN [--all | PART_OF_A_NAME...]     BIN: the folder with the programs

Without more words, as ctest runs it, it plants the first fault of each check, and of each kind of machine that finds it by that
check: another program, mode or login has other repairs. The others vary what breaks, and run with --all, or by a part of their
names. So the most telling fault of a check stands first. Two machines take turns at them: most of it is waiting.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import machine
import secured_api
from machine import CONFIG, NAME, PORT

FAULTS = []
TURN = "ELBOWROOM_TURN"  # 0 or 1: every second fault


def fault(check, **where):
    """Names the check that finds the fault which the function plants."""
    def add(plant):
        FAULTS.append((plant.__name__, check, where, plant))
        return plant
    return add


def replace(path, old, new):
    text = pathlib.Path(path).read_text()
    if old not in text:
        raise AssertionError(f"{path} has no {old}")
    pathlib.Path(path).write_text(text.replace(old, new, 1))


def append(path, line):
    with open(path, "a", encoding="utf-8") as file:
        file.write(line + "\n")


def restart(m):
    subprocess.run(["systemctl", "restart", m.unit], check=True)


def lose_right(m, verb, resource, role=None, kind="clusterroles"):
    rules = next(each for (of, _, name), each in m.api.objects.items() if of == kind and name == (role or m.role))["rules"]
    for rule in rules:
        if resource in rule["resources"] and verb in rule["verbs"]:
            others = [each for each in rule["resources"] if each != resource]
            rules.append({**rule, "resources": [resource], "verbs": [each for each in rule["verbs"] if each != verb]})
            rule["resources"] = others


# ---- the configuration ----

@fault("config.valid")
def a_misspelt_key(m):
    replace(m.config, "nodeName:", "nodeNmae:")
    restart(m)


@fault("config.valid")
def a_key_that_nobody_knows(m):
    append(m.config, "colour: blue")
    restart(m)


@fault("config.valid")
def a_misspelt_value(m):
    append(m.config, "logLevel: inof")
    restart(m)


@fault("config.valid")
def a_configuration_of_another_program(m):
    replace(m.config, "kind: AgentConfiguration", "kind: SchedulerConfiguration")
    restart(m)


@fault("config.valid", mode="authority")
def a_misspelt_value_in_authority(m):
    append(m.config, "cgroupDriver: auot")
    restart(m)


@fault("config.valid", program="scheduler")
def a_misspelt_key_of_the_scheduler(m):
    append(m.config, "yeildTo: default-scheduler")
    restart(m)


@fault("config.mode")
def a_configuration_that_everybody_may_change(m):
    m.config.chmod(0o666)


# ---- the kubeconfig ----

@fault("kubeconfig.found")
def no_kubeconfig(m):
    m.kubeconfig.unlink()
    restart(m)


@fault("kubeconfig.found")
def another_kubeconfig_is_named(m):
    replace(m.config, "kubeconfig: /etc/elbowroom/kubeconfig", "kubeconfig: /etc/elbowroom/kubeconfg")
    restart(m)


@fault("kubeconfig.found")
def no_kubeconfig_is_named(m):
    replace(m.config, "kubeconfig: /etc/elbowroom/kubeconfig\n", "")
    restart(m)


@fault("kubeconfig.found")
def a_folder_as_kubeconfig(m):
    m.kubeconfig.unlink()
    m.kubeconfig.mkdir()
    restart(m)


@fault("kubeconfig.valid")
def a_kubeconfig_that_is_cut(m):
    m.kubeconfig.write_text(m.kubeconfig.read_text()[:200])
    restart(m)


@fault("kubeconfig.valid")
def a_kubeconfig_with_a_password(m):
    m.write_kubeconfig(m.kubeconfig, {"username": "me", "password": "secret"}, {"certificate-authority": f"{CONFIG}/ca.crt"})
    m.close_file(m.kubeconfig)
    restart(m)


@fault("kubeconfig.valid", program="scheduler")
def a_context_that_does_not_exist(m):
    replace(m.kubeconfig, '"current-context": "own"', '"current-context": "other"')
    restart(m)


@fault("kubeconfig.mode")
def a_kubeconfig_that_everybody_may_read(m):
    m.kubeconfig.chmod(0o644)


@fault("kubeconfig.for-service")
def a_kubeconfig_of_root_alone(m):
    m.kubeconfig.chmod(0o600)
    restart(m)


@fault("kubeconfig.for-service")
def a_folder_of_root_alone(m):
    CONFIG.chmod(0o700)


@fault("kubeconfig.for-service")
def an_authority_of_root_alone(m):
    (CONFIG / "ca.crt").chmod(0o600)


@fault("kubeconfig.hidden")
def a_kubeconfig_that_the_unit_hides(m):
    pathlib.Path("/etc/kubernetes").mkdir(exist_ok=True)
    shutil.copy(m.kubeconfig, "/etc/kubernetes/agent.conf")
    m.close_file(pathlib.Path("/etc/kubernetes/agent.conf"))
    replace(m.config, "/etc/elbowroom/kubeconfig", "/etc/kubernetes/agent.conf")


@fault("kubeconfig.hidden")
def an_authority_that_the_unit_hides(m):
    pathlib.Path("/etc/kubernetes/pki").mkdir(parents=True, exist_ok=True)
    shutil.move(CONFIG / "ca.crt", "/etc/kubernetes/pki/ca.crt")
    replace(m.kubeconfig, "/etc/elbowroom/ca.crt", "/etc/kubernetes/pki/ca.crt")


# ---- credentials ----

@fault("credentials.files")
def no_authority(m):
    (CONFIG / "ca.crt").unlink()
    restart(m)


@fault("credentials.files")
def an_authority_without_a_certificate(m):
    (CONFIG / "ca.crt").write_text("it will be put here\n")
    restart(m)


@fault("credentials.files")
def no_token(m):
    (CONFIG / "token").unlink()
    restart(m)


@fault("credentials.files")
def an_empty_token(m):
    (CONFIG / "token").write_text("\n")
    restart(m)


@fault("credentials.files", login="certificate")
def no_client_key(m):
    (CONFIG / "own.key").unlink()
    restart(m)


@fault("credentials.files", login="certificate")
def no_client_certificate(m):
    (CONFIG / "own.crt").unlink()
    restart(m)


@fault("credentials.certificate", login="certificate")
def a_client_certificate_that_has_expired(m):
    user = f"/CN=system:serviceaccount:kube-system:{m.role}"
    m.api.authority.issue(CONFIG / "own", user, start=-7200, end=-60)
    m.close_file(CONFIG / "own.key")
    restart(m)


@fault("credentials.certificate", login="certificate")
def a_client_certificate_that_is_not_good_yet(m):
    user = f"/CN=system:serviceaccount:kube-system:{m.role}"
    m.api.authority.issue(CONFIG / "own", user, start=3600, end=7200)
    m.close_file(CONFIG / "own.key")


@fault("credentials.key", login="certificate")
def the_key_of_another_certificate(m):
    m.api.authority.issue("/run/test/other", "/CN=other")
    shutil.copyfile("/run/test/other.key", CONFIG / "own.key")
    restart(m)


@fault("credentials.authority")
def an_authority_that_has_expired(m):
    m.api.authority.sign(m.api.folder / "server.csr", CONFIG / "ca.crt", start=-7200, end=-60)
    restart(m)


@fault("credentials.token")
def a_token_that_has_expired(m):
    (CONFIG / "token").write_text(secured_api.token_with_end(time.time() - 60))
    restart(m)


@fault("credentials.token", login="static")
def a_token_in_the_kubeconfig_that_has_expired(m):
    replace(m.kubeconfig, m.login["token"], secured_api.token_with_end(time.time() - 60))
    restart(m)


@fault("credentials.program")
def a_credential_program_that_is_not_installed(m):
    exec_user = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "/usr/bin/get-my-token",
                          "interactiveMode": "Never"}}
    m.write_kubeconfig(m.kubeconfig, exec_user, {"certificate-authority": f"{CONFIG}/ca.crt"})
    m.close_file(m.kubeconfig)
    restart(m)


# ---- the API server ----

@fault("server.encrypted")
def a_server_without_tls(m):
    replace(m.kubeconfig, f"https://{NAME}", "http://10.0.0.1")
    restart(m)


@fault("server.reachable")
def a_server_at_another_port(m):
    replace(m.kubeconfig, f":{PORT}", f":{PORT + 1}")
    restart(m)


@fault("server.reachable", program="rescheduler")
def a_server_without_an_address(m):
    replace(m.kubeconfig, NAME, "nowhere.elbowroom.test")
    restart(m)


@fault("server.tls")
def the_authority_of_another_cluster(m):
    shutil.copyfile(m.api.other_authority.certificate, CONFIG / "ca.crt")
    restart(m)


@fault("server.tls")
def a_server_under_a_name_that_its_certificate_lacks(m):
    replace(m.kubeconfig, NAME, "other.elbowroom.test")
    restart(m)


@fault("server.tls")
def a_server_whose_certificate_has_expired(m):
    m.api.issue_server_certificate(start=-7200, end=-60)
    restart(m)


@fault("server.credentials", login="certificate")
def a_client_certificate_of_another_cluster(m):
    m.api.other_authority.issue(CONFIG / "own", f"/CN=system:serviceaccount:kube-system:{m.role}")
    m.close_file(CONFIG / "own.key")
    restart(m)


@fault("server.credentials")
def a_token_of_another_cluster(m):
    (CONFIG / "token").write_text(secured_api.token_with_end(time.time() + 3600))
    restart(m)


@fault("server.credentials", login="static", program="scheduler")
def a_token_in_the_kubeconfig_of_another_cluster(m):
    replace(m.kubeconfig, m.login["token"], secured_api.token_with_end(time.time() + 3600))
    restart(m)


# ---- rights ----

@fault("rights.bound")
def a_role_that_nobody_is_bound_to(m):
    del m.api.objects[("clusterrolebindings", "", m.role)]
    restart(m)


@fault("rights.list-nodes")
def no_right_to_list_nodes(m):
    lose_right(m, "list", "nodes")
    restart(m)


@fault("rights.list-pods")
def no_right_to_list_pods(m):
    lose_right(m, "list", "pods")
    restart(m)


@fault("rights.patch-pods-status")
def no_right_to_write_conditions(m):
    lose_right(m, "patch", "pods/status")


@fault("rights.delete-pods", mode="authority")
def no_right_to_delete_pods(m):
    lose_right(m, "delete", "pods")


@fault("rights.create-leases", program="scheduler")
def no_right_to_be_the_first_to_lead(m):
    lose_right(m, "create", "leases", kind="roles")


@fault("rights.create-pods-eviction", program="rescheduler")
def no_right_to_evict(m):
    lose_right(m, "create", "pods/eviction")


# ---- the Node ----

@fault("node.there")
def a_name_that_no_node_has(m):
    replace(m.config, "nodeName: node-1", "nodeName: node-l")
    restart(m)


# ---- runtime and control groups ----

@fault("runtime.socket", mode="authority")
def a_runtime_that_does_not_run(m):
    m.systemctl("stop", "containerd")
    pathlib.Path("/run/containerd/containerd.sock").unlink()


@fault("runtime.socket", mode="authority")
def a_file_in_the_place_of_the_socket(m):
    m.systemctl("stop", "containerd")
    pathlib.Path("/run/containerd/containerd.sock").unlink()
    pathlib.Path("/run/containerd/containerd.sock").touch()


@fault("runtime.socket", mode="authority")
def the_socket_of_another_runtime(m):
    append(m.config, "runtimeEndpoint: unix:///run/dockershim.sock")
    restart(m)


@fault("runtime.socket-mode", mode="authority")
def a_socket_that_everybody_may_use(m):
    pathlib.Path("/run/containerd/containerd.sock").chmod(0o666)


@fault("runtime.answers", mode="authority")
def a_runtime_that_hangs(m):
    subprocess.run(["kill", "-STOP", m.property("MainPID", "containerd")], check=True)


@fault("cgroups.mounted", mode="authority")
def control_groups_that_are_elsewhere(m):
    append(m.config, "cgroupRoot: /var/lib")
    restart(m)


@fault("cgroups.driver", mode="authority")
def another_cgroup_driver_than_the_runtime_has(m):
    append(m.config, "cgroupDriver: systemd")
    append(m.config, "podCgroups: leave")
    restart(m)


# ---- the disk ----

@fault("disk.state", mode="authority")
def a_file_in_the_place_of_the_state_directory(m):
    m.systemctl("stop", m.unit)
    shutil.rmtree("/var/lib/elbowroom")
    pathlib.Path("/var/lib/elbowroom").touch()
    m.systemctl("start", m.unit)


@fault("disk.mode", mode="authority")
def a_state_directory_that_everybody_may_read(m):
    pathlib.Path("/var/lib/elbowroom").chmod(0o755)


@fault("disk.mode", mode="authority")
def a_state_directory_of_root(m):
    subprocess.run(["chown", "-R", "root:root", "/var/lib/elbowroom"], check=True)


@fault("disk.writable", mode="authority")
def a_disk_that_is_read_only(m):
    m.systemctl("stop", m.unit)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/var/lib/elbowroom"], check=True)
    subprocess.run("chown _elbowroom:_elbowroom /var/lib/elbowroom; chmod 0700 /var/lib/elbowroom;"
                   "mount -o remount,ro /var/lib/elbowroom", shell=True, check=True)
    m.systemctl("start", m.unit)


@fault("disk.checkpoint", mode="authority")
def a_checkpoint_that_is_damaged(m):
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "default"},
           "spec": {"nodeName": "node-1", "containers": [{"name": "app", "image": "x", "resources": {"requests": {"cpu": "1"}}}]}}
    subprocess.run(["kubectl", "create", "--validate=false", "-f", "-"], input=json.dumps(pod), text=True, check=True,
                   capture_output=True)
    folder = pathlib.Path("/var/lib/elbowroom")
    machine.until(lambda: any(path.is_file() for path in folder.iterdir()), lambda: "no checkpoint was written")
    for path in folder.iterdir():
        path.write_bytes(b"\0" * 100)


@fault("disk.alone", mode="authority")
def a_second_agent(m):
    m.systemctl("stop", m.unit)
    other = subprocess.Popen(["elbowroomd", "--config", m.config, "--mode", "authority", "--listen", "127.0.0.1:10999"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, user="_elbowroom", group="_elbowroom")
    machine.until(lambda: m.listens(10999), lambda: "the second agent")
    m.servers.append(other)
    m.systemctl("start", m.unit)


# ---- units ----

@fault("beside.kubelet", mode="authority")
def a_kubelet_beside_authority(m):
    m.serve_health()
    restart(m)


@fault("unit.user")
def a_user_that_was_deleted(m):
    m.systemctl("stop", m.unit)
    for name in ("passwd", "group", "shadow", "gshadow"):
        path = pathlib.Path("/etc", name)
        lines = [line for line in path.read_text().splitlines(True) if not line.startswith("_elbowroom:")]
        path.write_text("".join(lines))
    m.systemctl("start", m.unit)


@fault("unit.alone")
def both_units_enabled(m):
    m.systemctl("enable", "elbowroomd-authority")


@fault("unit.runs")
def a_unit_that_was_stopped(m):
    m.systemctl("disable", "--now", m.unit)


@fault("unit.runs", program="scheduler")
def a_scheduler_that_was_stopped(m):
    m.systemctl("stop", m.unit)


@fault("unit.runs")
def a_kubeconfig_that_came_after_the_start(m):
    kept = m.kubeconfig.read_bytes()
    m.kubeconfig.unlink()
    restart(m)
    m.kubeconfig.write_bytes(kept)
    m.close_file(m.kubeconfig)


@fault("unit.runs")
def a_unit_that_waits_for_another_kubeconfig(m):
    m.kubeconfig.rename(CONFIG / "agent.kubeconfig")
    replace(m.config, "/etc/elbowroom/kubeconfig", "/etc/elbowroom/agent.kubeconfig")
    restart(m)


# ---- the daemon ----

@fault("daemon.port")
def another_program_at_its_port(m):
    m.systemctl("stop", m.unit)
    m.serve_health(10361)
    m.systemctl("start", m.unit)


@fault("daemon.port", program="rescheduler")
def another_program_at_the_port_of_the_rescheduler(m):
    m.systemctl("stop", m.unit)
    m.serve_health(10363)
    m.systemctl("start", m.unit)


@fault("daemon.answers")
def a_port_that_was_changed_without_a_restart(m):
    append(m.config, "listen: 127.0.0.1:10900")


@fault("daemon.answers", program="scheduler")
def a_daemon_that_was_stopped_by_a_signal(m):
    subprocess.run(["kill", "-STOP", str(m.pid())], check=True)


def failed(m):
    return {check: each["cause"] for check, each in m.doctor().items() if each["result"] == "FAIL"}


def tried(m, name, check, where, plant):
    """What is wrong with the doctor's answer; "": nothing."""
    m.reset(**where)
    machine.until(lambda: not failed(m), lambda: f"not well at first: {failed(m)}")
    plant(m)
    machine.until(lambda: failed(m), lambda: "the doctor finds nothing")
    found = m.doctor()
    fails = [each for each in found if found[each]["result"] == "FAIL"]
    if fails != [check]:
        return f"FAIL of {fails}, not of {check} alone: " + "; ".join(found[each]["cause"] for each in fails)
    astray = [each for each in found if found[each]["waitsFor"] not in ("", check)]
    if astray:
        return f"{astray} wait for another check than {check}"
    lines = m.repair(check)
    if lines != found[check]["commands"]:
        return f"the text has {lines}, JSON {found[check]['commands']}"
    if not lines:
        return "nothing to run is printed"
    machine.until(lambda: not failed(m), lambda: f"after {lines}: {failed(m)}")
    return ""


def first_of_each(faults):
    firsts = {}
    for each in faults:
        firsts.setdefault((each[1], *sorted(each[2].items())), each)
    return [*firsts.values()]


def chosen_by(words):
    if words == ("--all",):
        return FAULTS
    return [each for each in FAULTS if any(part in each[0] for part in words)] if words else first_of_each(FAULTS)


def main(programs, *words):
    m = machine.Machine(pathlib.Path(programs).resolve())
    bad = 0
    chosen = chosen_by(words)[int(os.environ.get(TURN, "0"))::2 if TURN in os.environ else 1]
    for name, check, where, plant in chosen:
        begun = time.monotonic()
        try:
            wrong = tried(m, name, check, where, plant)
        except (AssertionError, IndexError, subprocess.SubprocessError) as error:
            wrong = f"{type(error).__name__} {error} {getattr(error, 'stderr', '')}"
        bad += bool(wrong)
        print(f"{'FAILED' if wrong else 'ok'} {name} ({check}), {time.monotonic() - begun:.1f} s {wrong}", flush=True)
    m.end()
    print(f"{len(chosen)} faults, {bad} not as they should be")
    return 1 if bad or not chosen else 0


def by_two_machines(arguments):
    both = [subprocess.Popen([sys.executable, "-B", *arguments], env={**os.environ, TURN: turn}) for turn in ("0", "1")]
    ended = {each.wait() for each in both}
    return ended.pop() if len(ended) == 1 else 1


if __name__ == "__main__":
    if TURN not in os.environ and len(chosen_by(tuple(sys.argv[2:]))) > 1:
        sys.exit(by_two_machines(sys.argv))
    machine.enter(sys.argv)
    sys.exit(main(*sys.argv[1:]))
