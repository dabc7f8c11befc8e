"""suite_chart.py FOLDER BINARIES KUBECTL HELM BUILD: the chart, rendered by Helm for each set of values and compared with what kustomize
builds; flags and configuration that its schema lets through, judged by the programs; then installed, upgraded, rolled back and uninstalled on a real API server, where each time `kubectl diff` of the overlay
finds nothing to change."""
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "test/e2e/cluster"), str(ROOT / "test/packaging")]
import chart  # noqa: E402  (its folder is known only now)
from chart_sets import CONFIG, SETS  # noqa: E402
from checks import check, conclude  # noqa: E402
from control_plane import ControlPlane  # noqa: E402
from ours import Kubectl  # noqa: E402
from unpacking import unpack  # noqa: E402

RELEASE = "elbowroom"
PROGRAMS = {"agent": "elbowroomd", "scheduler": "elbowroom-scheduler", "rescheduler": "elbowroom-rescheduler"}
BUDGET = {"apiVersion": "elbowroom.dev/v1alpha1", "kind": "DisruptionBudget", "metadata": {"name": "web"},
          "spec": {"selector": {"matchLabels": {"app": "web"}}, "minAvailable": 1}}
BUDGETS = "/apis/elbowroom.dev/v1alpha1/namespaces/default/disruptionbudgets"
KIND = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/disruptionbudgets.elbowroom.dev"
KEPT = "customresourcedefinition.apiextensions.k8s.io/disruptionbudgets.elbowroom.dev"
# What kubectl apply notes for itself, and what the server counts, is no part of an object.
DIFF = """#!/bin/sh
exec diff -u -N -I '^ *{"apiVersion"' -I '^  generation: ' "$@"
"""
COLUMN = "    - {name: Age, type: date"


def title(text):
    print(f"e2e chart: {text}", flush=True)


class Helm:
    """Runs Helm, with all that it keeps in the folder."""

    def __init__(self, program, folder, kubeconfig="/nonexistent"):
        self.program, self.folder = program, folder
        self.env = {**os.environ, "KUBECONFIG": str(kubeconfig), "HELM_DRIVER": "secret",
                    **{f"HELM_{each}_HOME": str(folder / f"helm-{each.lower()}") for each in ("CACHE", "CONFIG", "DATA")}}

    def __call__(self, *words):
        """(exit status, what it wrote to both)."""
        done = subprocess.run([self.program, *map(str, words)], env=self.env, capture_output=True, text=True, check=False)
        return done.returncode, (done.stdout + done.stderr).strip()

    def values(self, values):
        path = self.folder / "values.json"
        path.write_text(json.dumps(values))
        return ["--values", path]


def ignores_notes(folder):
    path = folder / "diff"
    path.write_text(DIFF)
    path.chmod(0o755)
    os.environ["KUBECTL_EXTERNAL_DIFF"] = str(path)


def renders(helm, folder, archive):
    """For each set of values Helm gives the objects that kustomize builds, and it refuses what the schema does not know."""
    status, said = helm("lint", "--strict", archive)
    check(status == 0, "helm lint --strict finds nothing", said)
    for number, (name, (namespace, values, overlay, files)) in enumerate(SETS.items()):
        made, place = folder / f"helm-{number}", folder / f"overlay-{number}"
        made.mkdir()
        status, text = helm("template", RELEASE, archive, "--namespace", namespace, *helm.values(values))
        if not check(status == 0, f"helm renders the set '{name}'", text):
            continue
        (made / "all.yaml").write_text(text)
        (made / "kustomization.yaml").write_text('resources: ["all.yaml"]\n')
        wrong = chart.differences(name, chart.objects(made), chart.by_kustomize(place, overlay, files))
        check(not wrong, "and these are the objects of its overlay", "\n".join(wrong))
    missed = [f"{values}: {said}" for values, name in chart.REFUSED
              for status, said in [helm("template", RELEASE, archive, *helm.values(values))] if status == 0 or name not in said]
    check(not missed, f"{len(chart.REFUSED)} values are refused under their names", "\n".join(missed))


def programs_take(folder, build):
    """What the schema lets through, the programs do."""
    config = folder / "rescheduler.yaml"
    config.write_text(CONFIG)
    asked = [("elbowroom-rescheduler", f"--config={config}")]
    asked += [(PROGRAMS[part], flag) for part, flags in chart.TAKEN.items() for flag in flags]
    if not all((build / "bin" / name).exists() for name, _ in asked):
        print(f"skipped: no programs in {build}/bin that could judge flags and configuration")
        return
    for name, flag in asked:
        done = subprocess.run([build / "bin" / name, "--check-config", flag], capture_output=True, text=True, check=False)
        check(done.returncode == 0, f"{name} takes {flag.replace(str(folder), '')}", done.stderr)


class Cluster:
    def __init__(self, folder, plane, kubectl, helm, archive):
        self.folder, self.plane, self.kubectl, self.helm, self.archive = folder, plane, kubectl, helm, archive

    def run(self, what, *words):
        status, said = self.helm(*words)
        return check(status == 0, what, said)

    def overlay(self, name):
        return self.folder / f"overlay-{list(SETS).index(name)}"

    def is_as(self, name):
        """The server has what the overlay of this set would make of it."""
        status, said = self.kubectl("diff", "--server-side", "--force-conflicts", "-k", str(self.overlay(name)))
        check(status == 0, f"the server has the objects of the set '{name}'", said)

    def left(self, name):
        """The overlay's objects that the server still has."""
        return self.kubectl("get", "-k", str(self.overlay(name)), "--ignore-not-found", "-o", "name")[1].splitlines()

    def upgrade(self, name):
        namespace, values, _, _ = SETS[name]
        self.run(f"helm upgrades to the set '{name}'", "upgrade", RELEASE, self.archive, "-n", namespace, *self.helm.values(values))
        self.is_as(name)

    def revision(self):
        return json.loads(self.helm("list", "-n", "kube-system", "-o", "json")[1])[0]["revision"]

    def with_new_column(self):
        """The chart, of a later version in which the kind has another column."""
        with tarfile.open(self.archive) as opened:
            unpack(opened, self.folder)
        path = self.folder / "elbowroom/templates/crd-disruptionbudget.yaml"
        text = path.read_text()
        path.write_text(text.replace(COLUMN, "    - {name: Expected, type: integer, jsonPath: .status.expectedPods}\n" + COLUMN))
        return self.folder / "elbowroom"

    def columns(self):
        return [each["name"] for each in self.plane.admin.get(KIND)["spec"]["versions"][0]["additionalPrinterColumns"]]


def written():
    """The commands of Helm in docs/install.md, in their order."""
    section = (ROOT / "docs/install.md").read_text().partition("\n## Chart\n")[2].partition("\n## ")[0]
    return [shlex.split(line)[1:] for line in section.splitlines() if line.startswith("helm ")]


def is_as_written(cluster):
    """docs/install.md, as it stands there, where the chart is below the folder that one is in."""
    os.chdir(cluster.folder)
    for words, outcome in zip(written(), ("default", "full", "default", None), strict=True):
        cluster.run(f"helm {' '.join(words)}", *words)
        if outcome:
            cluster.is_as(outcome)
    check(cluster.left("full") == [KEPT], "only the kind stays", cluster.left("full"))


def lives(cluster):
    cluster.run("helm installs", "install", RELEASE, cluster.archive, "-n", "kube-system")
    cluster.upgrade("full")
    cluster.upgrade("webhook")
    check(not [each for each in cluster.left("full") if "scheduler-full" in each], "what is in no later set is gone", cluster.left("full"))
    before = cluster.revision()
    status, said = cluster.helm("upgrade", RELEASE, cluster.archive, "-n", "kube-system", "--set", "scheduler.moed=full")
    check(status != 0 and "moed" in said and cluster.revision() == before, "an unknown key is refused, and nothing changes", said)
    cluster.upgrade("companion")
    cluster.run("helm rolls back to the first", "rollback", RELEASE, "1", "-n", "kube-system")
    cluster.is_as("default")
    extra = [each for name in ("webhook", "companion") for each in cluster.left(name) if each not in cluster.left("default")]
    check(not extra, "what came later is gone", extra)


def keeps_the_kind(cluster):
    cluster.run("helm upgrades to a chart whose kind has another column", "upgrade", RELEASE, cluster.with_new_column(), "-n", "kube-system")
    check("Expected" in cluster.columns(), "the kind is upgraded with the chart", cluster.columns())
    cluster.plane.admin.make(BUDGETS, BUDGET)
    cluster.run("helm uninstalls", "uninstall", RELEASE, "-n", "kube-system")
    left = cluster.left("default")
    check(left == [KEPT], "only the kind stays", left)
    check(cluster.plane.admin.get(f"{BUDGETS}/web") is not None, "and with it the budgets")
    cluster.run("helm installs beside the kind", "install", RELEASE, cluster.archive, "-n", "kube-system")
    cluster.is_as("default")
    check("Expected" not in cluster.columns(), "and the kind is the chart's again", cluster.columns())
    cluster.run("helm uninstalls once more", "uninstall", RELEASE, "-n", "kube-system")
    cluster.kubectl("delete", "-k", str(cluster.overlay("default")), "--ignore-not-found")


def takes_over(cluster):
    """What kubectl applied before becomes the release's."""
    status, said = cluster.kubectl("apply", "-k", str(cluster.overlay("default")))
    check(status == 0, "kubectl applies the manifests", said)
    status, said = cluster.helm("install", RELEASE, cluster.archive, "-n", "kube-system")
    check(status != 0, "helm does not install over them unasked", said)
    cluster.run("helm takes them over", "install", RELEASE, cluster.archive, "-n", "kube-system", "--take-ownership",
                "--server-side=false")
    cluster.is_as("default")
    cluster.upgrade("full")
    cluster.run("helm uninstalls them", "uninstall", RELEASE, "-n", "kube-system")


def goes_elsewhere(cluster):
    namespace, values, _, _ = SETS["elsewhere"]
    cluster.run("helm installs in a namespace of its own, and takes over the kind that the other release left", "install", RELEASE,
                cluster.archive, "-n", namespace, "--create-namespace", "--take-ownership", *cluster.helm.values(values))
    cluster.is_as("elsewhere")
    account = f"--as=system:serviceaccount:{namespace}:elbowroom-rescheduler"
    may = lambda where, *words: cluster.kubectl("auth", "can-i", *words, "-n", where, account)[1].strip()
    for words in (("list", "configmaps/elbowroom-rescheduler"), ("watch", "configmaps/elbowroom-rescheduler"), ("create", "configmaps"),
                  ("update", "configmaps/elbowroom-rescheduler-rests")):
        said = may("kube-system", *words), may(namespace, *words)
        check(said == ("yes", "no"), f"its rescheduler may {' '.join(words)} in kube-system, and not in its own namespace", said)
    said = may("kube-system", "create", "leases"), may(namespace, "create", "leases")
    check(said == ("no", "yes"), "and it leads by a Lease in its own namespace", said)


def main(folder, binaries, kubectl, helm, build):
    folder, build = pathlib.Path(folder), pathlib.Path(build).absolute()
    os.environ["PATH"] = f"{pathlib.Path(kubectl).parent}:{os.environ['PATH']}"  # chart.py calls it by its name
    (folder / "build").mkdir()
    chart.written(folder / "build/packages")
    archive = folder / f"build/packages/elbowroom-{chart.VERSION}.tgz"
    ignores_notes(folder)
    title("each set of values")
    renders(Helm(helm, folder), folder, archive)
    programs_take(folder, build)
    title("a real API server")
    plane = ControlPlane(str(folder / "plane"), binaries, is_durable=False)
    try:
        plane.start()
        admin = plane.user("owner", "owner", ["system:masters"])
        cluster = Cluster(folder, plane, Kubectl(kubectl, admin, str(folder)), Helm(helm, folder, admin), archive)
        for act in (is_as_written, lives, keeps_the_kind, takes_over, goes_elsewhere):
            act(cluster)
    finally:
        plane.stop()
    conclude()


if __name__ == "__main__":
    main(*sys.argv[1:])
