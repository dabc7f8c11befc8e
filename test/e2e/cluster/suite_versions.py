"""suite_versions.py BUILD BINARIES KUBECTL [MINOR...]: API server, controllers and kubelet of each Kubernetes version that
go/versions names ("1.33" and so on; those given, else all), with etcd and containerd as the other suites use them. What
each version has shown is written to record/versions.json and from there to the table in docs/compatibility.md."""
import os
import shutil
import subprocess
import sys
import tempfile

import kubelet
import versions_authority
import versions_groups
import versions_kubelet
import versions_table
from checks import check, conclude, title
from control_plane import RESIZE_GATE
from stage import Stage
from versions_row import COLUMNS, Row
from versions_stage import VersionStage, linked, says_of_itself

HERE = os.path.dirname(os.path.abspath(__file__))


def known():
    return sorted(os.listdir(os.path.join(HERE, "go", "versions")), key=lambda one: int(one.split(".")[1]))


def patch_of(minor):
    with open(os.path.join(HERE, "go", "versions", minor, "go.mod"), encoding="ascii") as file:
        return next(line.split()[-1] for line in file if "k8s.io/kubernetes v" in line).removeprefix("v")


def programs_of(minor):
    """The folder of the version's programs; "" where they cannot be built here."""
    built = subprocess.run([os.path.join(HERE, "programs.sh"), "version", minor], stdout=subprocess.PIPE, text=True,
                           check=False)
    if built.returncode == 77:
        title(f"versions: {minor} skipped: {built.stdout.strip()}")
        return ""
    built.check_returncode()
    return built.stdout.strip()


def with_kubelet(row, build, binaries, kubectl):
    with VersionStage(build, binaries, kubectl) as stage:
        if not stage.install():
            return
        stage.kubectl("delete", "crd", "disruptionbudgets.elbowroom.dev")
        if row.minor not in versions_groups.SERVED:
            versions_groups.none_served(row, stage)
        if stage.start_kubelet() and stage.start_companion() and stage.start_scheduler():
            versions_kubelet.play(row, stage)
            stage.end_programs()


def with_authority(row, build, binaries, kubectl, has_field):
    with VersionStage(build, binaries, kubectl) as stage:
        if stage.install() and stage.start_node() and stage.start_agent() and stage.start_scheduler():
            versions_authority.play(row, stage, has_field)
    if has_field:
        with Stage(build, binaries, kubectl, [f"{RESIZE_GATE}=true"]) as stage:
            if stage.install() and stage.start_node() and stage.start_agent() and stage.start_scheduler(["--yield-to="]):
                versions_authority.kept_field(row, stage)
                stage.end_programs()


def one_version(row, build, binaries, kubectl):
    has_field = RESIZE_GATE in says_of_itself(f"{binaries}/kube-apiserver")
    with_kubelet(row, build, binaries, kubectl)
    with_authority(row, build, binaries, kubectl, has_field)
    if row.minor in versions_groups.SERVED:
        versions_groups.play(row, build, binaries, kubectl)
    check(row.is_whole(), f"{row.version}: each column of the table was played", set(COLUMNS) - set(row.cells))


def main(build, binaries, kubectl, *minors):
    if kubelet.why_not():
        title(f"versions: skipped: {kubelet.why_not()}")
        return
    for minor in minors or known():
        if not (of_version := programs_of(minor)):
            continue
        folder = tempfile.mkdtemp(prefix="elbowroom-version-", dir="/tmp")
        try:
            row = Row(patch_of(minor))
            one_version(row, build, linked(f"{folder}/bin", binaries, of_version), kubectl)
            versions_table.record(row)
            versions_table.main()
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    conclude()


if __name__ == "__main__":
    main(*sys.argv[1:])
