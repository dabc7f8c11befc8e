#!/usr/bin/env python3
"""Runs the commands that README and docs/ show, as far as they need no cluster or only the lab, and compares what they
print with what the page shows. A command in a block that nothing here knows how to check is an error, so every command that
a page shows has been run. Of commands inside a sentence verbs and flags are checked.

What changes a machine is only looked up here, and run elsewhere: docs/install.md, docs/operate.md and docs/troubleshooting.md,
as they stand there, by test/e2e/systemd/session.sh; `kubectl apply -k` by test/e2e/cluster, and rendered by
test/packaging/kustomize.py; `helm` by test/e2e/chart; what ./dev demo plays by the test lab.demo; ./dev test and ./dev lint by .ci/run, its other verbs
by hand before a release.

usage: commands.py BIN [ROOT]     BIN: the folder with the programs
"""
import contextlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request

BLOCK = re.compile(r"(?ms)^```(sh|console)\n(.*?)^```$")
OTHER = re.compile(r"(?ms)^```(?!(?:sh|console)\n)([^\n]*)\n(.*?)^```$")
A_COMMAND = re.compile(r"(?m)^(?:\$ |# )?(?:sudo )?(?:elbowroomd?|elbowroom-(?:re)?scheduler|kubectl|systemctl|journalctl|apt|curl|\./dev) \S")
INLINE = re.compile(r"`((?:build/bin/)?(?:elbowroom|elbowroomd|elbowroom-scheduler|elbowroom-rescheduler)(?: [^`]+)?)`")
PROGRAM = re.compile(r"^(?:build/bin/)?(elbowroom|elbowroomd|elbowroom-scheduler|elbowroom-rescheduler)$")
PATIENCE = 60  # seconds that anything may take
POD = """apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default}
spec: {nodeName: node-1, containers: [{name: app, image: x, resources: {requests: {cpu: 500m, memory: 64Mi}}}]}
"""


class Wrong(Exception):
    """A page and the programs differ."""


class Checkout:
    def __init__(self, bin_folder, root):
        self.bin, self.root = bin_folder, root
        self.helps = {}

    def run(self, words, **more):
        """A program of ours, or any, with the checkout as its folder."""
        known = PROGRAM.match(words[0])
        if known:
            words = [str(self.bin / known[1]), *words[1:]]
        done = subprocess.run(words, cwd=self.root, capture_output=True, text=True, timeout=PATIENCE, check=False, **more)
        return done.returncode, done.stdout, done.stderr

    def help_of(self, words):
        """The help of the longest front part of the words that is a verb."""
        verb = list(words[:1])
        text = self.help_text(tuple(verb))
        for word in words[1:]:
            if not re.search(rf"(?m)^  {re.escape(word)} ", text.partition("Subcommands:")[2]):
                if "Subcommands:" in text and not word.startswith("-"):
                    raise Wrong(f"{' '.join(verb)} has no verb {word}")
                break
            verb.append(word)
            text = self.help_text(tuple(verb))
        return text

    def help_text(self, verb):
        if verb not in self.helps:
            status, out, err = self.run([*verb, "--help"])
            if status != 0:
                raise Wrong(f"{' '.join(verb)} --help: exit status {status}: {err.strip()}")
            self.helps[verb] = out
        return self.helps[verb]


def check_flags(checkout, words):
    """Every flag of the command is one of its verb."""
    text = checkout.help_of(words)
    for word in words:
        flag = word.partition("=")[0]
        if flag.startswith("-") and flag != "-" and not re.search(rf"(?<![\w-]){re.escape(flag)}(?![\w-])", text):
            raise Wrong(f"{' '.join(words)}: there is no {flag}")


def is_as_shown(shown, printed):
    """A line "..." of the page stands for any lines."""
    parts = [re.escape(part) for part in re.split(r"(?m)^\.\.\.\n", shown)]
    return re.fullmatch("(?s)" + "(?:.*\n)?".join(parts), printed) is not None


def check_simulation(checkout, words, shown):
    """A simulation of files of the checkout: it succeeds, and prints what the page shows, where it shows anything."""
    check_flags(checkout, words)
    status, out, err = checkout.run(words)
    if status != 0:
        raise Wrong(f"{' '.join(words)}: exit status {status}: {err.strip()}")
    if shown is not None and not is_as_shown(shown, out):
        raise Wrong(f"{' '.join(words)}: the page shows something else than\n{out}")


def check_dev(checkout, words, _):
    usage = checkout.run(["./dev"])[1] + checkout.run(["./dev"])[2]
    if not re.search(rf"(?m)^  (?:\w+, )*{re.escape(words[1])}\b", usage):
        raise Wrong(f"{' '.join(words)}: ./dev has no such verb")
    if words[1:3] == ["bench", "cluster"]:
        suite = (checkout.root / "test/e2e/cluster/suite_bench.py").read_text(encoding="utf-8")
        for word in words[3:]:
            if not word.isdigit() and f'"{word}"' not in suite:
                raise Wrong(f"{' '.join(words)}: there is no such load")


def check_kustomization(checkout, words, _):
    """That it renders is packaging.kustomize's business, also of those that ./dev package image writes."""
    folder = words[-1].replace("build/packages/kustomize", "packaging/kustomize", 1)
    if not (checkout.root / folder / "kustomization.yaml").is_file():
        raise Wrong(f"{' '.join(words)}: there is no kustomization in {words[-1]}")


# ---- with the lab ----


@contextlib.contextmanager
def started(words, until, **more):
    """A program that runs until it is not needed any more; yields what `until` matched first in what it says."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more) as process:
        stuck = threading.Timer(PATIENCE, process.kill)
        stuck.start()
        try:
            said = ""
            for line in process.stdout:
                said += line
                found = until.search(line)
                if found:
                    break
            else:
                raise Wrong(f"{' '.join(words)} ended: {said}")
            drain = threading.Thread(target=process.stdout.read, daemon=True)
            drain.start()
            yield found
        finally:
            stuck.cancel()
            process.terminate()
            process.wait(PATIENCE)


def lab(checkout, folder, *more):
    words = [str(checkout.bin / "elbowroom"), "lab", "up", "--kubeconfig-out", str(folder / "kubeconfig"), *more]
    return started(words, re.compile("^ready: KUBECONFIG="))


def check_kubectl(checkout, commands):
    """The block's commands one after the other, against a lab; those that watch are asked for what there is."""
    if shutil.which("kubectl") is None:
        return "skipped: there is no kubectl"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "pod.yaml").write_text(POD)
        with lab(checkout, folder):
            for words in commands:
                words = [word for word in words if word != "-w"]
                done = subprocess.run([*words, "--kubeconfig", str(folder / "kubeconfig")], cwd=folder, text=True,
                                      capture_output=True, timeout=PATIENCE, check=False)
                if done.returncode != 0:
                    raise Wrong(f"{' '.join(words)}: exit status {done.returncode}: {done.stderr.strip()}")
    return f"{len(commands)} commands"


def lab_where_web_waits(checkout, folder):
    """A lab whose default/web waits for room that is never made."""
    waits = str(checkout.root / "docs/examples/held-charge.yaml")
    return lab(checkout, folder, "--agents", "none", "--scheduler", "none", "-f", waits)


def check_explanation(checkout, words, shown):
    """The page's explanation is the one whose situation the tests know; and the command works as it stands there."""
    known = checkout.root / "test/tables/explain/two-resources.txt"
    if shown is not None and shown != known.read_text():
        raise Wrong(f"{' '.join(words)}: the page shows something else than {known.name}")
    with tempfile.TemporaryDirectory() as name, lab_where_web_waits(checkout, pathlib.Path(name)):
        status, out, err = checkout.run(words, env=os.environ | {"KUBECONFIG": f"{name}/kubeconfig"})
        if status != 0 or not out.startswith("pod default/web on node node1: its resize "):
            raise Wrong(f"{' '.join(words)}: exit status {status}: {out}{err}")


def check_view(checkout, words, _):
    """The command works as it stands there, in a cluster where a resize waits that nobody makes room for: status calls that wrong."""
    with tempfile.TemporaryDirectory() as name, lab_where_web_waits(checkout, pathlib.Path(name)):
        status, out, err = checkout.run(words, env=os.environ | {"KUBECONFIG": f"{name}/kubeconfig"})
    if status != (1 if words[1] == "status" else 0) or "default/web" not in out:
        raise Wrong(f"{' '.join(words)}: exit status {status}: {out}{err}")


def check_group_explanation(checkout, words, shown):
    """The page's explanation of a pod group is that of an example; and the command works as it stands there."""
    waits = str(checkout.root / "docs/examples/pending-gang.yaml")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with lab(checkout, folder, "--cpu", "100m", "--agents", "none", "--scheduler", "none", "-f", waits):
            status, out, err = checkout.run(words, env=os.environ | {"KUBECONFIG": f"{name}/kubeconfig"})
    if status != 0 or (shown is not None and out != shown):
        raise Wrong(f"{' '.join(words)}: exit status {status}: {out}{err}")


def check_eviction(checkout, words, shown):
    """The command evicts a pod of a controller as it stands there, and says what the page shows."""
    owner = "ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: web-1, controller: true}]"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "pod.yaml").write_text(POD.replace("namespace: default}", f"namespace: default, {owner}}}"))
        # Controllers would collect a pod whose owner is not there.
        with lab(checkout, folder, "--agents", "none", "--scheduler", "none", "--controllers", "none", "-f",
                 str(folder / "pod.yaml")):
            status, out, err = checkout.run(words, env=os.environ | {"KUBECONFIG": f"{name}/kubeconfig"})
    timeless = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
    if status != 0 or (shown is not None and timeless.sub("T", out) != timeless.sub("T", shown)):
        raise Wrong(f"{' '.join(words)}: exit status {status}: {out}{err}")


def fetched(url):
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def check_scheduler(checkout, commands):
    """A scheduler beside the lab, where default/web waits for room, is asked what the page asks it."""
    urls = [words[1] for words in commands if words[0] == "curl"]
    kubectl = [words for words in commands if words[0] == "kubectl" and "port-forward" not in words]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        kubeconfig = str(folder / "kubeconfig")
        words = [str(checkout.bin / "elbowroom-scheduler"), "--kubeconfig", kubeconfig, "--dry-run", "--yield-to=",
                 "--listen=127.0.0.1:0", "--log-format=text"]
        with lab_where_web_waits(checkout, folder), started(words, re.compile(r"listening on ([\w.:]+)")) as listening:
            server = f"http://{listening[1]}"
            await_decision(f"{server}/explain?pod=default/web")
            for url in urls:
                status, body = fetched(re.sub(r"^[\w.:]+", server, url, count=1))
                if status != 200 or not body:
                    raise Wrong(f"curl {url}: status {status}: {body}")
            check_explained_by(checkout, server)
            if shutil.which("kubectl") is not None:
                for each in kubectl:
                    status, _, err = checkout.run([*each, "--kubeconfig", kubeconfig])
                    if status != 0:
                        raise Wrong(f"{' '.join(each)}: exit status {status}: {err.strip()}")
    return f"{len(urls)} questions and {len(kubectl)} commands"


def check_dry_run(checkout, commands):
    """A scheduler that only says what it would do: it decides, and removes no pod."""
    words = commands[0]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        file = str(folder / "kubeconfig")
        ours = [str(checkout.bin / PROGRAM.match(words[0])[1]), *(file if word == "FILE" else word for word in words[1:])]
        with lab_where_web_waits(checkout, folder), \
                started([*ours, "--yield-to=", "--listen=127.0.0.1:0"], re.compile(r"listening on ([\w.:]+)")) as listening:
            await_decision(f"http://{listening[1]}/explain?pod=default/web")
            server = re.search(r"server: (\S+)", (folder / "kubeconfig").read_text())[1].strip('"')
            pods = json.loads(fetched(f"{server}/api/v1/pods")[1])["items"]
            if gone := [pod["metadata"]["name"] for pod in pods if "deletionTimestamp" in pod["metadata"]]:
                raise Wrong(f"{' '.join(words)}: {gone} were asked to go")
    return f"{len(commands)} command, {len(pods)} pods stay"


def check_recordings(checkout, commands):
    """The first command records, as often as the others want files of it; then they are run as they stand there."""
    record, replays = commands[0], commands[1:]
    file_name = pathlib.PurePath(record[record.index("--record") + 1]).name
    wanted = {word for words in replays for word in words if word.startswith(file_name)}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        more = ["--kubeconfig", str(folder / "kubeconfig"), "--listen=127.0.0.1:0", "--log-format=text"]
        more += ["--node-name=node-1"] if record[0] == "elbowroomd" else []
        with lab(checkout, folder, "--agents", "none", "--scheduler", "none"):
            file = folder / file_name
            for before in range(len(wanted)):
                with started([str(checkout.bin / record[0]), "--record", str(file), *more], re.compile("listening on")):
                    # The one before goes aside with the first thing that is seen.
                    await_that(lambda count=before: len(list(folder.glob(f"{file_name}*"))) > count and
                               '"node' in file.read_text(), f"{file_name}: nothing was recorded")
        for words in replays:
            check_flags(checkout, words)
            done = subprocess.run([str(checkout.bin / words[0]), *words[1:]], cwd=folder, capture_output=True, text=True,
                                  timeout=PATIENCE, check=False)
            if done.returncode != 0:
                raise Wrong(f"{' '.join(words)}: exit status {done.returncode}: {done.stdout}{done.stderr}")
    return f"{len(wanted)} recordings and {len(replays)} replays"


def await_that(holds, otherwise):
    for _ in range(PATIENCE * 20):
        if holds():
            return
        threading.Event().wait(0.05)
    raise Wrong(otherwise)


def await_decision(url):
    """Until the scheduler has judged the pod."""
    def is_decided():
        status, body = fetched(url)
        return status == 200 and json.loads(body)["result"]

    await_that(is_decided, f"{url}: nothing is decided")


def check_explained_by(checkout, server):
    """explain pod --server, of the scheduler."""
    words = ["elbowroom", "explain", "pod", "default/web", "--server", server]
    status, out, err = checkout.run(words)
    if status != 0 or "decided:    pods would be removed for it " not in out:
        raise Wrong(f"{' '.join(words)}: exit status {status}: {out}{err}")
    status, out, err = checkout.run([*words, "-o", "json"])
    if status != 0 or json.loads(out)["result"] != "preempt":
        raise Wrong(f"{' '.join(words)} -o json: exit status {status}: {out}{err}")


# ---- what changes a machine, and so is only looked up ----


def text_of(checkout, pattern):
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(checkout.root.glob(pattern)))


def check_units(checkout, words, _):
    """systemctl: of units that we ship."""
    for unit in [word for word in words[2:] if not word.startswith("-")]:
        if not (checkout.root / f"systemd/{unit}.service").is_file():
            raise Wrong(f"{' '.join(words)}: there is no unit {unit}")


def check_journal(checkout, words, _):
    """journalctl: of what one of our programs says."""
    if PROGRAM.match(words[words.index("-t") + 1]) is None:
        raise Wrong(f"{' '.join(words)}: no program of ours has that name")


def check_packages(checkout, words, _):
    """apt install: of packages that we build."""
    for name in [re.match(r"\./([a-z-]+)_", word) for word in words[2:]]:
        if name is None or f"\nPackage: {name[1]}\n" not in text_of(checkout, "packaging/deb/control"):
            raise Wrong(f"{' '.join(words)}: no such package is built")


def check_import(checkout, words, _):
    """sh import.sh: what ./dev package image writes; run by test/packaging/image.py and ./dev e2e image."""
    if f'out / "{words[1]}"' not in text_of(checkout, "packaging/image/*.py"):
        raise Wrong(f"{' '.join(words)}: ./dev package image writes no such file")


def check_file_put(checkout, words, _):
    """install -m MODE -g GROUP FILE PLACE: a group that we make, a place that a unit waits for."""
    if f"u {words[words.index('-g') + 1]} " not in text_of(checkout, "systemd/*.sysusers"):
        raise Wrong(f"{' '.join(words)}: no package makes that group")
    if f"={words[-1]}\n" not in text_of(checkout, "systemd/*.service"):
        raise Wrong(f"{' '.join(words)}: no unit waits for that file")


def check_question(checkout, words, _):
    """curl: at the address where a daemon listens by default."""
    address = re.match(r"(?:http://)?([\w.:]+)/(?:readyz|livez|metrics|explain|configz)", words[-1])
    if address is None or address[1] not in text_of(checkout, "docs/configuration.md"):
        raise Wrong(f"{' '.join(words)}: no daemon listens there by default")


def check_made(checkout, words, made):
    """The words that name a file of build/packages: one that is made of this version."""
    version = re.search(r"project\(elbowroom VERSION ([0-9.]+)", text_of(checkout, "CMakeLists.txt"))[1]
    for file in re.findall(r"build/packages/(\S+)", " ".join(words)):
        if file not in [each.replace("VERSION", version) for each in made]:
            raise Wrong(f"{' '.join(words)}: build/packages/{file} is not made")


def check_plugin(checkout, words, _):
    """Of the archive that we make; test/e2e/chart unpacks it, and installs it with krew."""
    check_made(checkout, words, ["krew/elbowroom.yaml", "elbowroom_VERSION_linux_amd64.tar.gz"])


def check_chart(checkout, words, _):
    """helm: of the chart that we make, with values that it has. test/e2e/chart runs what docs/install.md says."""
    check_made(checkout, words, ["elbowroom-VERSION.tgz"])
    for word in [words[at + 1] for at, each in enumerate(words) if each == "--set"]:
        values = json.loads(text_of(checkout, "packaging/chart/values.schema.json"))
        for key in word.partition("=")[0].split("."):
            if key not in values.get("properties", {}):
                raise Wrong(f"{' '.join(words)}: the chart has no value {word}")
            values = values["properties"][key]


# ---- pages ----

# How a command is checked, by how it begins; the first that fits.
CHECKS = [
    (r"(build/bin/)?elbowroom (simulate|preview|explain) [^|]*(-f|run) (docs|test)/", check_simulation),
    (r"build/bin/elbowroom (status|preview|top|explain pod default/web)$", check_view),
    (r"elbowroom explain pod ", check_explanation),
    (r"elbowroom explain group ", check_group_explanation),
    (r"elbowroom evict ", check_eviction),
    (r"(build/bin/)?elbowroom(d|-scheduler|-rescheduler)? ", lambda checkout, words, _: check_flags(checkout, words)),
    (r"\./dev \w+", check_dev),
    (r"kubectl apply -k ", check_kustomization),
    (r"kubectl krew install |tar -xzf build/packages/", check_plugin),
    (r"helm (install|upgrade|rollback|uninstall) ", check_chart),
    (r"systemctl (start|enable|disable|reload|status) ", check_units),
    (r"journalctl ", check_journal),
    (r"apt install ", check_packages),
    (r"sh import\.sh$", check_import),
    (r"install -m ", check_file_put),
    (r"curl ", check_question),
]
# Blocks that need the lab, by the page and how they begin.
WITH_LAB = {
    ("docs/lab.md", "kubectl apply -f pod.yaml"): check_kubectl,
    ("docs/recording.md", "elbowroomd --record"): check_recordings,
    ("docs/recording.md", "elbowroom-scheduler --record"): check_recordings,
    ("docs/scheduler.md", "build/bin/elbowroom-scheduler --kubeconfig FILE"): check_dry_run,
    ("docs/scheduler.md", "kubectl -n kube-system port-forward"): check_scheduler,
}


def commands_of(kind, text):
    """Pairs of a command's words and what the block shows of its output, or None."""
    if kind == "console":
        first, _, shown = text.partition("\n")
        return [(shlex.split(first.removeprefix("$ "), comments=True), shown)]
    return [(shlex.split(line, comments=True), None) for line in text.splitlines() if line.strip()]


def check_block(checkout, page, kind, text):
    for (name, beginning), check in WITH_LAB.items():
        if page == name and text.startswith(beginning):
            print(f"{page}: {check(checkout, [words for words, _ in commands_of(kind, text)])} with the lab")
            return
    for words, shown in commands_of(kind, text):
        line = " ".join(words)
        check = next((check for beginning, check in CHECKS if re.match(beginning, line)), None)
        if check is None:
            raise Wrong(f"{line}: nothing in {pathlib.Path(__file__).name} says how to check this")
        check(checkout, [word for word in words if word not in ("...", "&")], shown)


def check_page(checkout, page):
    wrong, count = [], 0
    text = page.read_text(encoding="utf-8")
    name = str(page.relative_to(checkout.root))
    for kind, block in BLOCK.findall(text):
        count += 1
        try:
            check_block(checkout, name, kind, block)
        except Wrong as error:
            wrong.append(f"{name}: {error}")
    for language, block in OTHER.findall(BLOCK.sub("", text)):
        if found := A_COMMAND.search(block):
            wrong.append(f"{name}: `{found[0].strip()}...` in a block of {language or 'no language'}: name it sh or console")
    for command in INLINE.findall(text):
        try:
            check_flags(checkout, shlex.split(command))
        except Wrong as error:
            wrong.append(f"{name}: `{command}`: {error}")
    return wrong, count


def main(bin_folder, root):
    checkout = Checkout(bin_folder, root)
    wrong, count = [], 0
    pages = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]
    for page in pages:
        found, blocks = check_page(checkout, page)
        wrong += found
        count += blocks
    print("\n".join(wrong) or f"{count} blocks of {len(pages)} pages are as the pages say")
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    os.environ.pop("KUBECONFIG", None)
    here = pathlib.Path(__file__).resolve().parents[2]
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else here))
