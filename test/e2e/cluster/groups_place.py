"""groups_place: a gang is placed whole, or waits and says for what."""
from api import conditions
from checks import check, note, sees, stays
from groups_objects import OURS, group, member, members
from objects import pod
from process import now


def play(stage):
    comes_late(stage)
    one_member_short(stage)
    short_of_room(stage)
    beside_other_kinds(stage)


def comes_late(stage):
    """The pods are there before their group, and one too few."""
    stage.make_pods(*members("early", 2, "1", "high"))
    sees("pods whose group does not exist wait, and say so", lambda: "does not exist" in stage.says("early-0"),
         more=lambda: conditions(stage.pod("early-0")))
    note(stage.says("early-0"))
    stage.make_group(group("early", 2, priority="high"))
    sees("its group comes, and both are placed", lambda: len(stage.bound("early-0", "early-1")) == 2,
         more=stage.scheduler.why_not_ready)
    stage.clear_all()


def one_member_short(stage):
    stage.make_group(group("train", 3, "all", "high"))
    stage.make_pods(*members("train", 2, "3", "high"))
    text = "minCount (3) cannot be satisfied: 0 scheduled, 2 remaining"
    sees(f"two of three members wait: {text}", lambda: text in stage.says("train-0") and text in stage.says("train-1"),
         more=lambda: stage.says("train-0"))
    sees("the group's condition says so", lambda: stage.group_has("train", "PodGroupInitiallyScheduled", status="False",
                                                                  reason="Unschedulable"))
    note(stage.group_says("train"))
    stays("neither is placed alone, for 2 s", lambda: not stage.bound("train-0", "train-1"), 2)
    since = now()
    stage.make_pods(member("train-2", "train", "3", "high"))
    names = ["train-0", "train-1", "train-2"]
    sees("the third one comes, and all three are placed", lambda: len(stage.bound(*names)) == 3,
         more=lambda: stage.says("train-2"))
    note(str(stage.bound(*names)))
    check(len(set(stage.bound(*names).values())) == 3, "each on a node of its own, as the room asks for")
    stage.times(since, placed=names)
    sees("PodGroupInitiallyScheduled is True", lambda: stage.group_has("train", "PodGroupInitiallyScheduled",
                                                                       status="True", reason="Scheduled"))
    note(stage.group_says("train"))
    one = conditions(stage.group("train"))["PodGroupInitiallyScheduled"]
    check(one.get("lastTransitionTime"), "its lastTransitionTime is written", one)
    stage.make_pods(member("train-3", "train", "3", "high"))
    sees("a fourth one finds no room", lambda: stage.says("train-3"))
    note(stage.says("train-3"))
    check(stage.group_has("train", "PodGroupInitiallyScheduled", status="True"), "the condition is not taken back")
    stage.clear_all()


def short_of_room(stage):
    stage.make_group(group("wide", 4, priority="high"))
    stage.make_pods(*members("wide", 4, "3", "high"))
    text = "minCount (4) cannot be satisfied: 3 scheduled, 1 remaining"
    sees(f"four members, and room for three: {text}", lambda: text in stage.says("wide-0"),
         more=lambda: stage.says("wide-0"))
    note(stage.says("wide-0"))
    sees("an event of the group says so, too", lambda: any(text in one for one in stage.told("wide", "FailedScheduling")),
         more=lambda: stage.told("wide"))
    stays("none is placed, for 2 s", lambda: not stage.bound("wide-0", "wide-1", "wide-2", "wide-3"), 2)
    status, said = stage.elbowroom("explain", "group", "default/wide")
    check(status == 0 and text in " ".join(said.split()), "`elbowroom explain group` reads it from the real server", said)
    status, said = stage.elbowroom("explain", "pod", "default/wide-0")
    check(status == 0 and "default/wide" in said, "`elbowroom explain pod` names a member's group", said)
    stage.clear_all()


def beside_other_kinds(stage):
    """A group without minCount, and a pod without a group."""
    stage.make_group(group("loose", priority="high"))
    stage.make_pods(*members("loose", 4, "3", "high"), pod("alone", None, "500m", "high", scheduler=OURS))
    names = [f"loose-{number}" for number in range(4)]
    sees("of a basic group's four pods the three are placed that have room", lambda: len(stage.bound(*names)) == 3 and
         [one for one in names if stage.says(one)], more=lambda: stage.bound(*names))
    sees("PodGroupInitiallyScheduled is True", lambda: stage.group_has("loose", "PodGroupInitiallyScheduled",
                                                                       status="True"))
    sees("a pod without a group is placed beside them", lambda: stage.bound("alone"))
    stage.clear_all()
