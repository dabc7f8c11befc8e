"""suite_rescheduler.py BUILD BINARIES KUBECTL: a real API server, etcd and controllers, elbowroom-scheduler, and
elbowroom-rescheduler with the rights of its manifests, which moves pods."""
import sys

import rescheduler_moves
from checks import conclude, title
from rescheduler_stage import ReschedulerStage


def main(build, binaries, kubectl):
    title("rescheduler: the cluster")
    with ReschedulerStage(build, binaries, kubectl) as stage:
        if stage.install() and stage.begin():
            title("rescheduler: moves")
            rescheduler_moves.play(stage, "elbowroom")
    conclude()


if __name__ == "__main__":
    main(*sys.argv[1:])
