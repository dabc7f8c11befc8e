"""suite_budgets.py BUILD BINARIES KUBECTL [PART...]: a real API server and etcd; elbowroom-rescheduler with the rights of its
manifests. Parts: kind, keeper."""
import sys

import budgets_keeper
import budgets_kind
from checks import conclude, title
from stage import Stage

PARTS = {"kind": (budgets_kind, "the kind, as the server judges it"),
         "keeper": (budgets_keeper, "the status is kept")}


def main(build, binaries, kubectl, *parts):
    title("budgets: the cluster")
    with Stage(build, binaries, kubectl) as stage:
        if stage.install():
            for part in parts or PARTS:
                play, words = PARTS[part]
                title(f"budgets: {words}")
                play.play(stage)
    conclude()


if __name__ == "__main__":
    main(*sys.argv[1:])
