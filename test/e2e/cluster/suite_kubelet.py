"""suite_kubelet.py BUILD BINARIES KUBECTL: the real kubelet with containerd, and beside it elbowroomd in companion
mode and our scheduler. First with every gate off, then with
InPlacePodVerticalScalingSchedulerPreemption on in all three programs and kube-scheduler beside ours."""
import sys

import kubelet
import kubelet_beside
import kubelet_companion
import kubelet_critical
from checks import conclude, title
from control_plane import RESIZE_GATE
from stage import Stage


def _begin(stage, gates=None):
    return (stage.install() and stage.start_kubelet(gates) and stage.start_companion() and stage.start_scheduler())


def main(build, binaries, kubectl):
    if kubelet.why_not():
        title(f"kubelet: skipped: {kubelet.why_not()}")
        return
    title("kubelet, gates off: companion and scheduler")
    with Stage(build, binaries, kubectl) as stage:
        if _begin(stage):
            kubelet_companion.play(stage)
            title("kubelet, gates off: a critical pod")
            kubelet_critical.play(stage, False)
            stage.end_programs()
    title("kubelet, gates on: beside kube-scheduler")
    with Stage(build, binaries, kubectl, [f"{RESIZE_GATE}=true"]) as stage:
        if _begin(stage, {RESIZE_GATE: True}):
            kube_scheduler = stage.plane.start_scheduler()
            kubelet_beside.play(stage)
            title("kubelet, gates on: a critical pod")
            kubelet_critical.play(stage, True)
            kube_scheduler.stop()
            title("kubelet, gates on, kube-scheduler away")
            kubelet_beside.alone(stage)
            stage.end_programs()
    conclude()


if __name__ == "__main__":
    main(*sys.argv[1:])
