"""versions_groups: pod groups in the version of their kind that one Kubernetes version serves; before 1.36 it serves none."""
import groups_served
from checks import check
from groups_stage import GroupStage

# The first version is used. What 1.35 calls by the name of the gate is another thing: groups within a Workload.
SERVED = {36: ("v1alpha2",), 37: ("v1beta1", "v1alpha3")}
GATES = {36: ("GenericWorkload=true", "GangScheduling=true", "WorkloadAwarePreemption=true"),
         37: ("GenericWorkload=true", "PodGroupPreemptionPolicy=true")}
AS_ONE = {"v1alpha2": {"all": "PodGroup", "single": "Pod"}}  # a word there, a union since


class VersionGroups(GroupStage):
    def make_group(self, thing):
        spec, words = thing["spec"], AS_ONE.get(self.version)
        if words and "disruptionMode" in spec:
            spec = {**spec, "disruptionMode": words[next(iter(spec["disruptionMode"]))]}
        return super().make_group({**thing, "spec": spec})


def none_served(row, stage):
    """A note for the table, and what it rests on."""
    def looks():
        group = stage.admin.get("/apis/scheduling.k8s.io")
        kinds = [one["kind"] for version in group["versions"]
                 for one in stage.admin.get(f"/apis/{version['groupVersion']}")["resources"]]
        check("PodGroup" not in kinds, "the version has no kind PodGroup", kinds)
        return "no", "there is no kind PodGroup: pods are placed and removed one by one"
    row.play("groups", "pod groups", looks)


def play(row, build, binaries, kubectl):
    with VersionGroups(build, binaries, kubectl, GATES[row.minor], SERVED[row.minor]) as stage:
        if stage.begin():
            def whole():
                groups_served.goes_whole(stage)
                return stage.version, "with the API server's gate `GenericWorkload`, which is off by default"
            row.play("groups", "pod groups", whole)
