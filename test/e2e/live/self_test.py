#!/usr/bin/env python3
"""The comparison of end states can fail: each kind of difference is found, and is the only one. usage: self_test.py"""
import copy
import unittest

import compare
import live

POD = {"metadata": {"name": "web", "namespace": "default", "uid": "u"},
       "spec": {"nodeName": "node1", "overhead": {"cpu": "100m"},
                "initContainers": [{"name": "step", "resources": {"requests": {"memory": "3Gi"}}},
                                   {"name": "side", "restartPolicy": "Always", "resources": {"requests": {"cpu": "500m"}}}],
                "containers": [{"name": "app", "resources": {"requests": {"cpu": "2", "memory": "1Gi"}}}, {"name": "bare"}]},
       "status": {"phase": "Running",
                  "containerStatuses": [{"name": "app", "allocatedResources": {"cpu": "1", "memory": "1Gi"},
                                         "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}, {"name": "bare"}],
                  "conditions": [{"type": "Ready", "status": "True"}, {"type": "Initialized", "status": "True"},
                                 {"type": "PodResizePending", "status": "True", "reason": "Deferred"}]}}
TIMELINE = {"events": [{"pod": "default/web", "victims": ["default/a"]}, {"pod": "default/a", "victims": []}],
            "final": {"pods": [{"pod": "default/web", "phase": "Running", "node": "node1", "nominatedNode": "",
                                "requests": {"desired": {"cpu": "2600m", "memory": "3Gi"},
                                             "allocated": {"cpu": "1600m", "memory": "3Gi"},
                                             "actual": {"cpu": "1600m", "memory": "3Gi"}},
                                "conditions": [{"type": "PodResizePending", "status": "True", "reason": "Deferred"}]}]}}


def live_state(change=lambda pod: None, victims=("default/a",)):
    pod = copy.deepcopy(POD)
    change(pod)
    return {"pods": {"default/web": compare.live_pod(pod)}, "victims": {"default/web": set(victims)} if victims else {}}


class Comparison(unittest.TestCase):
    def check(self, state, *lines):
        self.assertEqual(compare.differences(state, compare.virtual_state(TIMELINE)), list(lines))

    def test_equal_states_do_not_differ(self):
        self.check(live_state())

    def test_other_victims(self):
        self.check(live_state(victims=["default/b"]), "default/web: its victims are ['default/b'], not ['default/a']")

    def test_no_victims(self):
        self.check(live_state(victims=[]), "default/web: its victims are none, not ['default/a']")

    def test_phase(self):
        self.check(live_state(lambda pod: pod["status"].update(phase="Pending")), "default/web: phase is Pending, not Running")

    def test_node(self):
        self.check(live_state(lambda pod: pod["spec"].pop("nodeName")), "default/web: node is empty, not node1")

    def test_nominated_node(self):
        self.check(live_state(lambda pod: pod["status"].update(nominatedNodeName="node2")),
                   "default/web: nominatedNode is node2, not empty")

    def test_desired(self):
        def shrink(pod):
            pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "1500m"
        self.check(live_state(shrink), "default/web: desired cpu is 2.1, not 2.6")

    def test_an_absent_allocation_is_as_requested(self):
        def forget(pod):
            del pod["status"]["containerStatuses"][0]["allocatedResources"]
        self.check(live_state(forget), "default/web: allocated cpu is 2.6, not 1.6")

    def test_actual(self):
        def grow(pod):
            pod["status"]["containerStatuses"][0]["resources"]["requests"]["memory"] = "4Gi"
        self.check(live_state(grow), "default/web: actual memory is 4.29497e+09, not 3.22123e+09")

    def test_condition_of_another_reason(self):
        self.check(live_state(lambda pod: pod["status"]["conditions"][2].update(reason="Waiting")),
                   "default/web: condition PodResizePending is True/Waiting, not True/Deferred")

    def test_absent_condition(self):
        self.check(live_state(lambda pod: pod["status"]["conditions"].pop()),
                   "default/web: condition PodResizePending is absent, not True/Deferred")

    def test_housekeeping_counts_where_it_is_false(self):
        self.check(live_state(lambda pod: pod["status"]["conditions"][0].update(status="False")),
                   "default/web: condition Ready is False/, not absent")

    def test_a_pod_too_few_and_one_too_many(self):
        state = live_state()
        state["pods"]["default/other"] = state["pods"].pop("default/web")
        self.check(state, "default/other: exists", "default/web: does not exist")

    def test_names_that_controllers_make_are_compared_without_their_letters(self):
        first, second = live_state()["pods"]["default/web"], live_state(lambda pod: pod["status"].update(phase="Failed"))["pods"]["default/web"]
        one = {"pods": {"default/web-5d4-bcdfg": first, "default/web-5d4-hjklm": second}, "victims": {}}
        other = {"pods": {"default/web-5d4-vwxz2": second, "default/web-5d4-zzzzz": first}, "victims": {}}
        self.assertEqual(compare.differences(one, other), [])
        other["pods"]["default/web-5d4-zzzzz"] = second
        self.assertNotEqual(compare.differences(one, other), [])

    def test_a_victim_is_a_terminating_pod_with_a_mark(self):
        pod = {"metadata": {}, "status": {"conditions": [
            {"type": "DisruptionTarget", "status": "True", "message": "elbowroom-scheduler: room (for uid u-1, generation 2)"}]}}
        self.assertIsNone(compare.preemptor_uid(pod))
        pod["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        self.assertEqual(compare.preemptor_uid(pod), "u-1")


class ExceptionsOfScenarios(unittest.TestCase):
    def test_what_is_listed_is_excused_and_must_occur(self):
        exceptions = live.Exceptions("# a comment\na | default/web: exists | its reason\n")
        self.assertEqual(exceptions.left("a", ["default/web: exists"]), [])
        self.assertEqual(exceptions.left("a", []), ["exceptions.txt: not needed: default/web: exists"])
        self.assertEqual(exceptions.left("b", ["default/web: exists"]), ["default/web: exists"])

    def test_what_may_happen_need_not(self):
        exceptions = live.Exceptions("a | sometimes: default/web: exists | its reason\n")
        self.assertEqual(exceptions.left("a", ["default/web: exists"]), [])
        self.assertEqual(exceptions.left("a", []), [])
        self.assertEqual(exceptions.left("a", ["default/b: exists"]), ["default/b: exists"])

    def test_a_line_without_a_reason_is_an_error(self):
        with self.assertRaises((AssertionError, ValueError)):
            live.Exceptions("a | default/web: exists | \n")

    def test_every_exception_names_a_scenario(self):
        listed = live.Exceptions((live.HERE / "exceptions.txt").read_text(encoding="utf-8"))
        self.assertEqual([name for name in listed.of if not (live.SCENARIOS / f"{name}.yaml").exists()], [])

    def test_the_sample_names_twenty_scenarios_that_are_played(self):
        listed = live.Exceptions((live.HERE / "exceptions.txt").read_text(encoding="utf-8"))
        names = (live.HERE / "sample.txt").read_text(encoding="utf-8").split()
        self.assertEqual(len(set(names)), 20)
        self.assertEqual([name for name in names if not (live.SCENARIOS / f"{name}.yaml").exists() or not listed.is_played(name)], [])


if __name__ == "__main__":
    unittest.main()
