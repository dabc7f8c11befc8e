"""suite_vpa.py BUILD BINARIES KUBECTL VPA: the Vertical Pod Autoscaler beside the real API server, kubelet and
kube-scheduler, every gate of Kubernetes at its default, and elbowroom-scheduler, which makes room for what VPA asks for. VPA is the
folder with its programs and manifests."""
import sys

import vpa_fallback
import vpa_play
from checks import check, conclude, title
from vpa_stage import VpaStage, wants_fallback


def main(build, binaries, kubectl, vpa):
    title("vpa: the cluster")
    with VpaStage(build, binaries, kubectl, vpa) as stage:
        if stage.begin():
            for name, mode, held in (("web", "InPlaceOrRecreate", "1300m"), ("api", "InPlace", "700m")):
                title(f"vpa: mode {mode}")
                vpa_play.grows(stage, name, mode, held)
            title("vpa: whose a recommendation is")
            vpa_play.belongs_to_its_recommender(stage)
            title("vpa: what VPA does by itself")
            vpa_play.without_elbowroom(stage)
            stage.clear_workloads()
            title("vpa: a placeholder makes room")
            vpa_play.takes_a_placeholder(stage)
            stage.clear_workloads()
            if wants_fallback():
                title("vpa: a victim outlasts VPA's five minutes")
                vpa_fallback.play(stage)
            check(stage.scheduler.stop() == 0, "elbowroom-scheduler ends cleanly")
    conclude()


if __name__ == "__main__":
    main(*sys.argv[1:])
