"""suite_volumes.py BUILD BINARIES KUBECTL: a real API server, etcd, and the controller-manager with its volume binder;
elbowroom-scheduler in mode full with the rights of its manifests, three nodes that a stand-in keeps. Local volumes of a
class that waits for its first consumer, and volumes that the suite makes as a provisioner does."""
import sys

import volumes_play
from checks import conclude, title
from volumes_stage import VolumeStage


def main(build, binaries, kubectl):
    title("volumes: the cluster")
    with VolumeStage(build, binaries, kubectl) as stage:
        if stage.begin():
            for words, play in volumes_play.PARTS:
                title(f"volumes: {words}")
                play(stage)
                stage.clear_all()
            stage.end_scheduler()
    conclude()


if __name__ == "__main__":
    main(*sys.argv[1:])
