"""volumes_play: what pods with claims go through, with the real volume binder of kube-controller-manager."""
from checks import check, note, sees, stays
from objects import NAMESPACE
from volumes_stage import CLAIMS, VOLUMES, claim, local_volume, stored_pod

SELECTED = "volume.kubernetes.io/selected-node"
IN_USE = "ReadWriteOncePod access mode already in-use by another pod"


def chooses_a_volume(stage):
    """The smallest that fits, and the pod follows it."""
    stage.make_volume("big", "node-1", size="9Gi")
    stage.make_volume("small", "node-2", size="1Gi")
    stage.make_volume("right", "node-3", size="3Gi")
    stage.make_claim("data")
    stage.make_pod("web", "data")
    sees("the pod is bound", lambda: stage.node_of("web"), more=lambda: stage.says("web"))
    chosen = stage.volume_of("data")
    check(chosen in ("big", "right"), "after its claim", chosen)
    check({"big": "node-1", "right": "node-3"}.get(chosen) == stage.node_of("web"), "where the volume is",
          (chosen, stage.node_of("web")))
    mark = stage.volume(chosen)["metadata"].get("annotations", {}).get("pv.kubernetes.io/bound-by-controller")
    check(mark == "yes", "the volume says that no user reserved it", mark)


def follows_a_bound_claim(stage):
    stage.make_volume("disk", "node-2")
    stage.make_claim("data")
    stage.make_pod("first", "data")
    sees("the first pod is on the volume's node", lambda: stage.node_of("first") == "node-2",
         more=lambda: stage.says("first"))
    stage.make_pod("second", "data")
    sees("the second one with the same claim, too", lambda: stage.node_of("second") == "node-2",
         more=lambda: stage.says("second"))
    stage.make_pod("giant", "data", cpu="3900m")
    sees("one that has no room there says so of each node",
         lambda: "1 Insufficient cpu, 2 node(s) didn't match PersistentVolume's node affinity" in stage.says("giant"),
         more=lambda: stage.says("giant"))
    note(stage.says("giant"))


def never_gives_one_volume_twice(stage):
    stage.make_volume("only", "node-1")
    for name in ("a", "b"):
        stage.make_claim(name)
        stage.make_pod(f"pod-{name}", name)
    sees("one of two pods gets the only volume", lambda: any(stage.node_of(f"pod-{one}") for one in "ab"))
    sees("the other says what it lacks", lambda: any(
        "didn't find available persistent volumes to bind" in stage.says(f"pod-{one}") for one in "ab"),
        more=lambda: [stage.says(f"pod-{one}") for one in "ab"])
    stays("and waits, for 3 s", lambda: sum(bool(stage.node_of(f"pod-{one}")) for one in "ab") == 1, 3)
    stage.make_volume("more", "node-3")
    sees("until there is another one", lambda: all(stage.node_of(f"pod-{one}") for one in "ab"),
         more=lambda: [stage.says(f"pod-{one}") for one in "ab"])
    check({stage.volume_of("a"), stage.volume_of("b")} == {"only", "more"}, "each claim has one volume of its own",
          [stage.volume_of("a"), stage.volume_of("b")])


def holds_a_claim_for_one_pod(stage):
    stage.make_volume("disk", "node-1", mode="ReadWriteOncePod")
    stage.make_claim("data", mode="ReadWriteOncePod")
    stage.make_pod("holder", "data", priority="middle")
    sees("the first pod uses the claim", lambda: stage.node_of("holder") == "node-1",
         more=lambda: stage.says("holder"))
    stage.make_pod("lesser", "data", priority="low")
    sees("a less important one waits", lambda: IN_USE in stage.says("lesser"), more=lambda: stage.says("lesser"))
    stage.make_pod("vital", "data", priority="high")
    sees("a more important one has the holder removed", lambda: not stage.pod("holder"))
    sees("and uses the claim", lambda: stage.node_of("vital") == "node-1", more=lambda: stage.says("vital"))
    check(not stage.node_of("lesser"), "the lesser one still waits")


def has_a_volume_made(stage):
    """The suite is the provisioner."""
    stage.make_claim("data", storage_class="made")
    stage.make_pod("web", "data")
    selected = sees("the claim is given a node", lambda: stage.claim("data").get("metadata", {}).get(
        "annotations", {}).get(SELECTED), more=lambda: stage.says("web"))
    check(not stage.node_of("web"), "the pod is not bound before its claim")
    stage.admin.patch(f"{CLAIMS}/data", {"metadata": {"annotations": {SELECTED: None}}})
    sees("when no volume can be made there it is given a node again", lambda: stage.claim("data")["metadata"].get(
        "annotations", {}).get(SELECTED), more=lambda: stage.says("web"))
    one = stage.claim("data")
    node = one["metadata"]["annotations"][SELECTED]
    note(f"first {selected}, then {node}")
    made = local_volume("made-1", node)
    made["spec"] |= {"storageClassName": "made", "claimRef": {
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "default", "name": "data",
        "uid": one["metadata"]["uid"]}}
    stage.admin.make(VOLUMES, made)
    sees("once it is made there, the pod is bound there", lambda: stage.node_of("web") == node,
         more=lambda: stage.says("web"))
    check(stage.volume_of("data") == "made-1", "after its claim")


def says_what_is_missing(stage):
    stage.make_pod("web", "nothing")
    sees("a pod without its claim says so", lambda: 'persistentvolumeclaim "nothing" not found' in stage.says("web"),
         more=lambda: stage.says("web"))
    stage.admin.make(f"{NAMESPACE}/pods", _ephemeral("scratch"))
    sees("the claim of an ephemeral volume is made, and the pod waits for a volume",
         lambda: stage.claim("scratch-data") and "didn't find available" in stage.says("scratch"),
         more=lambda: stage.says("scratch"))
    stage.make_volume("disk", "node-3")
    sees("and is bound where one is", lambda: stage.node_of("scratch") == "node-3",
         more=lambda: stage.says("scratch"))


def _ephemeral(name):
    made = stored_pod(name, "")
    made["spec"]["volumes"] = [{"name": "data", "ephemeral": {"volumeClaimTemplate": {"spec": claim("")["spec"]}}}]
    return made


PARTS = [("the choice of a volume", chooses_a_volume), ("a bound claim", follows_a_bound_claim),
         ("two pods, one volume", never_gives_one_volume_twice), ("ReadWriteOncePod", holds_a_claim_for_one_pod),
         ("a volume that is made", has_a_volume_made), ("what is missing", says_what_is_missing)]
