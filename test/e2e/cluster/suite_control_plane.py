"""suite_control_plane.py BUILD BINARIES KUBECTL: a real API server, etcd, controllers and containerd; our agent in
authority mode, the lab's pod runner, our scheduler. Twice, with the server's gate
InPlacePodVerticalScalingSchedulerPreemption off (no other program preempts for resizes) and on (the Node's field is
kept)."""
import sys

import control_plane_critical
import control_plane_faults
import control_plane_full
import control_plane_odd
import control_plane_policy
import control_plane_rights
import control_plane_room
from checks import conclude, title
from control_plane import RESIZE_GATE
from stage import Stage


def _begin(stage, scheduler_flags=()):
    return (stage.install() and stage.start_node() and stage.start_agent() and
            stage.start_scheduler(scheduler_flags))


def main(build, binaries, kubectl):
    title("control plane, the gate off: from a resize to the cgroup")
    with Stage(build, binaries, kubectl) as stage:
        if _begin(stage):
            control_plane_room.play(stage)
            title("control plane, the gate off: odd pods")
            control_plane_odd.play(stage)
            title("control plane, the gate off: critical pods")
            control_plane_critical.play(stage, True)
            title("control plane, the gate off: the node's policy by annotation")
            control_plane_policy.whose_policy(stage)
            control_plane_policy.annotation(stage)
            title("control plane, the gate off: faults")
            control_plane_faults.play(stage)
            title("control plane, the gate off: pending pods, in mode full")
            control_plane_full.play(stage)
            stage.end_programs()
    title("control plane: rights and admission policies")
    with Stage(build, binaries, kubectl) as stage:
        if stage.install() and stage.start_node():
            control_plane_rights.play(stage)
    title("control plane, the gate on: the node's policy by its field")
    with Stage(build, binaries, kubectl, [f"{RESIZE_GATE}=true"]) as stage:
        if _begin(stage, ["--yield-to="]):
            control_plane_policy.whose_policy(stage)
            control_plane_policy.field(stage)
            title("control plane, the gate on: critical pods")
            control_plane_critical.play(stage, False)
            stage.end_programs()
    conclude()


if __name__ == "__main__":
    main(*sys.argv[1:])
