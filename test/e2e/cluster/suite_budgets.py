"""suite_budgets.py BUILD BINARIES KUBECTL [PART...]: a real API server, etcd and controllers; our scheduler, rescheduler and
`elbowroom evict`, with the rights of the manifests. Parts: kind, keeper, evict, leaders."""
import sys

import budgets_evict
import budgets_keeper
import budgets_kind
import budgets_leaders
from budgets_stage import BudgetStage
from checks import conclude, title
from stage import Stage

PARTS = {"kind": (budgets_kind, "the kind, as the server judges it"),
         "keeper": (budgets_keeper, "the status is kept")}
WITH_NODES = {"evict": (budgets_evict, "evictions beside the disruption controller"),
              "leaders": (budgets_leaders, "the ledger through a change of leaders")}


def main(build, binaries, kubectl, *parts):
    title("budgets: the cluster")
    for kind, of_kind in ((Stage, PARTS), (BudgetStage, WITH_NODES)):
        wanted = [part for part in of_kind if part in (parts or of_kind)]
        if not wanted:
            continue
        with kind(build, binaries, kubectl) as stage:
            if not stage.install() or (kind is BudgetStage and not stage.begin()):
                continue
            for part in wanted:
                play, words = of_kind[part]
                title(f"budgets: {words}")
                play.play(stage)
    conclude()


if __name__ == "__main__":
    main(*sys.argv[1:])
