"""suite_groups.py BUILD BINARIES KUBECTL [PART...]: a real API server that knows pod groups, etcd, and the
controller-manager that lets deleted groups go; elbowroom-scheduler in mode full with the rights of its manifests, three
nodes that a stand-in keeps. Parts: place, preempt, crash, refuse, served."""
import sys

import groups_crash
import groups_place
import groups_preempt
import groups_refuse
import groups_served
from checks import conclude, title
from groups_stage import GroupStage

PARTS = {"place": (groups_place, "gangs are placed, or wait"),
         "preempt": (groups_preempt, "groups as preemptors and as victims"),
         "refuse": (groups_refuse, "refused groups, priorities, and the end of a group"),
         "crash": (groups_crash, "a leader dies between two requests"),
         "served": (groups_served, "the older version alone, and none")}


def main(build, binaries, kubectl, *parts):
    title("groups: the cluster")
    with GroupStage(build, binaries, kubectl) as stage:
        if stage.begin():
            for part in parts or PARTS:
                play, words = PARTS[part]
                title(f"groups: {words}")
                play.play(stage)
            stage.end_scheduler()
    conclude()


if __name__ == "__main__":
    main(*sys.argv[1:])
