"""image_companion: the agent as a DaemonSet: Ready with exactly its rights, and what it writes is about its own Node alone."""
import json

import image_pods
import ours
from api import STRATEGIC
from checks import check, sees, stays
from kubelet_companion import ANNOTATION
from objects import path, pod, resize
from stage import NODE

AGENT, PORT = "elbowroom-agent", 10361
BATCH = "/api/v1/namespaces/default/pods/batch"
CONDITION = "PodResizePreemptionDisabled"


def play(stage):
    if stage.apply("companion") and stage.sees_ready(AGENT, 1):
        runs(stage)
        writes(stage)
        explains(stage)
        refused = stage.refused()
        check(not refused, "nothing that it asked for was refused", refused)
        beside_a_package(stage)
        lacks_a_right(stage)


def runs(stage):
    one = stage.ready_of(AGENT)[0]
    image = one["spec"]["containers"][0]["image"]
    check(image == stage.images[f"localhost/{AGENT}"], "its pod names the image by version and digest", image)
    check(one["spec"]["nodeName"] == NODE and one["metadata"]["ownerReferences"][0]["kind"] == "DaemonSet", "a DaemonSet's, on its node")
    image_pods.confined(one)
    kinds = sorted(set(one["spec"]["volumes"][0]) - {"name"}), len(one["spec"]["volumes"])
    check(kinds == (["projected"], 1), "its one volume is its token and the cluster's certificate", kinds)


def defer(stage):
    stage.run(pod("web", NODE, "300m", "high"), pod("batch", NODE, "1500m", "low"))
    status, said = resize(stage.admin, "web", "900m")
    check(status == 200, "web asks for more than is free", said)
    sees("the kubelet says Deferred", lambda: stage.has("web", "PodResizePending", reason="Deferred"))


def has_condition(stage):
    return stage.has("web", CONDITION, status="True", reason="PreemptionDisabledByNodePolicy")


def writes(stage):
    """With a token that the kubelet fetched for the pod, and that names the Node."""
    stage.kubectl("annotate", "node", NODE, f"{ANNOTATION}=owner.example.com/x")
    defer(stage)
    sees(f"the DaemonSet's pod says {CONDITION}", lambda: has_condition(stage), more=lambda: stage.last_words(AGENT))


def explains(stage):
    status, text = stage.ask_pod(stage.ready_of(AGENT)[0], PORT, "/explain?pod=default/web")
    said = json.loads(text) if status == 200 else {}
    check(said.get("phase") == "Deferred" or "Deferred" in text, "it explains why web waits", text[:400])


def taken_away(stage):
    """The condition, by an administrator; it is put back."""
    stage.admin.patch(path("web") + "/status", {"status": {"conditions": [{"type": CONDITION, "$patch": "delete"}]}}, STRATEGIC)
    return sees(f"{CONDITION} is taken away, and put back", lambda: has_condition(stage))


def writers(stage):
    """[whether a pod's token wrote, for each write of a pod's status by the agents' account], from the server's audit log."""
    with open(stage.audit_log, encoding="utf-8") as file:
        asked = [json.loads(line) for line in file]
    return ["authentication.kubernetes.io/pod-name" in one["user"].get("extra", {}) for one in asked if one["verb"] == "patch" and
            one["objectRef"].get("subresource") == "status" and one["user"]["username"].endswith(f":{AGENT}")]


def beside_a_package(stage):
    """The agent of the host steps back for the DaemonSet's pod, says so, and writes once the pod is kept away."""
    account = stage.plane.account(AGENT, NODE)
    agent = stage.programs.start(ours.agent(stage.build, stage.folder, NODE, account, "", mode="companion"))
    name = stage.ready_of(AGENT)[0]["metadata"]["name"]
    says = lambda: f"the agent in pod kube-system/{name} is Ready on this node" in agent.why_not_ready()
    sees("the host's agent steps back and names the pod at /readyz", says, more=agent.why_not_ready)
    sees("and in its log", lambda: any("contention" in line and name in line for line in agent.last_lines()), more=agent.last_lines)
    taken_away(stage)
    check(writers(stage) and all(writers(stage)), "the pod alone has written", writers(stage))
    stage.kubectl("label", "node", NODE, "elbowroom.dev/agent=package")
    sees("the node is labelled for the package: the pod leaves", lambda: not stage.pods_of(AGENT))
    sees("the host's agent is ready at once", agent.is_ready, more=agent.why_not_ready)
    taken_away(stage)
    check(not writers(stage)[-1], "the host's agent has written it")
    stage.kubectl("label", "node", NODE, "elbowroom.dev/agent-")
    sees("the label goes: a pod waits, as the node is full with what web asks for",
         lambda: [one["status"]["phase"] for one in stage.pods_of(AGENT)] == ["Pending"])
    check(stage.admin.get(BATCH) and "deletionTimestamp" not in stage.admin.get(BATCH)["metadata"], "and batch is not removed for it")
    stage.admin.delete(BATCH, {"gracePeriodSeconds": 1})
    stage.sees_ready(AGENT, 1)
    sees("once batch is gone it is back, and the host's agent steps back again", lambda: not agent.is_ready())
    check(agent.stop() == 0, "the host's agent ends cleanly")


def lacks_a_right(stage):
    give_back = stage.without_right(AGENT, "pods", ["list", "watch"])
    stage.replace(AGENT)
    says = lambda: any("forbidden" in line for one in stage.pods_of(AGENT) for line in stage.log_of(one))
    sees("without the right to list pods it says so in its log", says, 60, more=lambda: stage.last_words(AGENT))
    stays("and is not Ready for 10 s", lambda: not stage.ready_of(AGENT), 10)
    give_back()
    stage.sees_ready(AGENT, 1)
