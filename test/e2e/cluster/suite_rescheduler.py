"""suite_rescheduler.py BUILD BINARIES KUBECTL: a real API server, etcd and controllers, elbowroom-scheduler and kube-scheduler,
and elbowroom-rescheduler with the rights of its manifests, which moves pods of the one and then of the other. ELBOWROOM_LONG=1:
at rest nothing is evicted for ten minutes, in place of one."""
import sys

import rescheduler_moves
from checks import conclude, title
from rescheduler_stage import ReschedulerStage


def main(build, binaries, kubectl):
    title("rescheduler: the cluster")
    with ReschedulerStage(build, binaries, kubectl) as stage:
        if stage.install() and stage.begin():
            title("rescheduler: moves, with elbowroom-scheduler")
            rescheduler_moves.play(stage, "elbowroom")
            title("rescheduler: moves, with kube-scheduler")
            stage.plane.start_scheduler()
            rescheduler_moves.play(stage, "default-scheduler")
    conclude()


if __name__ == "__main__":
    main(*sys.argv[1:])
