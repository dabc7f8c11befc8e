"""fake_stage: a stage whose nodes have no machine, with elbowroom-scheduler in mode full and the rights of
packaging/kustomize/scheduler-full."""
from checks import check
from groups_nodes import FakeNodes
from stage import Stage


class FakeStage(Stage):
    controllers_left_out = ("node-lifecycle-controller",)  # no machine renews the Leases of these nodes
    node_names = ()
    flags = ()

    def __init__(self, *args, **more):
        super().__init__(*args, **more)
        self.nodes = None

    def begin(self):
        status, said = self.install_part("scheduler-full")
        check(status == 0, "kubectl applies packaging/kustomize/scheduler-full", said)
        self.nodes = FakeNodes(self.admin, self.node_names)
        return self.start_scheduler(self.flags)

    def close(self):
        if self.nodes:
            self.nodes.stop()
        super().close()
