#!/usr/bin/env python3
"""Checks the alerts and the dashboard against the reference of metrics (docs/metrics.md): names, labels and their values;
each alert is in docs/alerts.md, fires when it should, and is silent when it should be, in installations without a part too: by promtool, of Debian's package
prometheus, which ./dev puts into build/tools. Without it the alerts are not played, and the test says that it was skipped.

usage: alerts.py
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = ROOT / "packaging/monitoring/elbowroom.rules.yaml"
DASHBOARD = ROOT / "packaging/monitoring/elbowroom.dashboard.json"
METRIC = re.compile(r"^\| `([a-z_]+)` \| (\w+) \| (.*?) \| ")
SELECTED = re.compile(r"\b(?P<name>(?:elbowroom|process)_[a-z_]+)(?:\{(?P<labels>[^}]*)\})?")
FROM_PROMETHEUS = {"job", "instance"}
SKIPPED = 77

# For each alert: series by which it fires, the minute at which it does, and the same when all is well. "a+bxn" is n steps of b.
AGENT = '{job="elbowroomd",instance="n1"}'
SCHEDULER = '{job="elbowroom-scheduler",instance="s1"}'
DAY = 86400
CASES = {
    "AgentDown": ([(f"up{AGENT}", "0x20")], 10, [(f"up{AGENT}", "1x20")]),
    "SchedulerDown": ([(f"up{SCHEDULER}", "0x20")], 10, [(f"up{SCHEDULER}", "1x20"), ('up{job="elbowroom-scheduler",instance="s2"}', "0x20")]),
    "SchedulerNoLeader": ([(f"elbowroom_scheduler_leader{SCHEDULER}", "0x20")], 5,
                          [(f"elbowroom_scheduler_leader{SCHEDULER}", "1x20"),
                           ('elbowroom_scheduler_leader{instance="s2"}', "0x20")]),
    "ReschedulerNoLeader": ([('elbowroom_rescheduler_leader{instance="r1"}', "0x20")], 8,
                            [('elbowroom_rescheduler_leader{instance="r1"}', "1x20")]),
    "BudgetStatusNotWritten": ([('elbowroom_rescheduler_status_writes_total{result="failed"}', "0+1x40")], 25,
                               [('elbowroom_rescheduler_status_writes_total{result="conflict"}', "0+1x40")]),
    "MovedPodsComeBack": ([('elbowroom_rescheduler_moves_came_back_total{policy="UnderutilizedNode"}', "0+1x60")], 40,
                          [('elbowroom_rescheduler_moves_came_back_total{policy="UnderutilizedNode"}', "0x60")]),
    "MovesGainNothing": ([('elbowroom_rescheduler_move_gain_promised_points_total{policy="UnderutilizedNode"}', "0+20x60"),
                          ('elbowroom_rescheduler_move_gain_achieved_points_total{policy="UnderutilizedNode"}', "0+1x60")], 50,
                         [('elbowroom_rescheduler_move_gain_promised_points_total{policy="UnderutilizedNode"}', "0+20x60"),
                          ('elbowroom_rescheduler_move_gain_achieved_points_total{policy="UnderutilizedNode"}', "0+19x60")]),
    "TwoLeaders": ([(f"elbowroom_scheduler_leader{SCHEDULER}", "1x20"), ('elbowroom_scheduler_leader{instance="s2"}', "1x20")],
                   5, [(f"elbowroom_scheduler_leader{SCHEDULER}", "1x20")]),
    "Restarts": ([(f"elbowroom_start_time_seconds{AGENT}", "0+100x30")], 20,
                 [(f"elbowroom_start_time_seconds{AGENT}", "0x10 600x20")]),
    "LoopHangs": ([(f"elbowroom_loop_last_success_timestamp_seconds{AGENT}", "0x20")], 10,
                  [(f"elbowroom_loop_last_success_timestamp_seconds{AGENT}", "0+60x20")]),
    "NotReady": ([('elbowroom_ready{check="disk"}', "0x20")], 15, [('elbowroom_ready{check="disk"}', "1x5 0x5 1x10")]),
    "Contended": ([(f"elbowroom_contended{AGENT}", "0x5 1x5")], 7, [(f"elbowroom_contended{AGENT}", "0x20")]),
    "SafeMode": ([(f"elbowroom_safe_mode{AGENT}", "0x5 1x5")], 7, [(f"elbowroom_safe_mode{AGENT}", "0x20")]),
    "StateNotWritable": ([('elbowroom_state_write_errors_total{errno_class="passing"}', "0+1x30")], 15,
                         [('elbowroom_state_write_errors_total{errno_class="passing"}', "3x30")]),
    "StateCorruption": ([('elbowroom_state_corruptions_total{file="allocations"}', "1x5")], 2,
                        [('elbowroom_state_corruptions_total{file="allocations"}', "0x5")]),
    "ViewStale": ([('elbowroom_cache_staleness_seconds{resource="pods"}', "0+60x30")], 20,
                  [('elbowroom_cache_staleness_seconds{resource="pods"}', "60x30")]),
    "NotPermitted": ([('elbowroom_apiserver_requests_total{code="403",verb="LIST",resource="pods"}', "0+1x40")], 25,
                     [('elbowroom_apiserver_requests_total{code="409",verb="LIST",resource="pods"}', "0+1x40")]),
    "RuntimeUnavailable": ([('elbowroom_cri_requests_total{code="Unavailable"}', "0+1x20")], 10,
                           [('elbowroom_cri_requests_total{code="OK"}', "0+1x20")]),
    "ResizeDeferredLong": ([(f"elbowroom_deferred_age_seconds{AGENT}", "0+60x60")], 40,
                           [(f"elbowroom_deferred_age_seconds{AGENT}", "0+60x20 0x40")]),
    "ResizeErrors": ([('elbowroom_resize_outcomes_total{outcome="error"}', "0+1x20")], 10,
                     [('elbowroom_resize_outcomes_total{outcome="completed"}', "0+1x20")]),
    "ActuationMismatch": ([('elbowroom_actuation_mismatch{resource="cpu"}', "1x30")], 20,
                          [('elbowroom_actuation_mismatch{resource="cpu"}', "1x10 0x20")]),
    "DisruptionRateHigh": ([('elbowroom_disruptions_total{instance="s1"}', "0+2x20"),
                            ('elbowroom_disruptions_total{instance="n1"}', "0+2x20")], 12,
                           [('elbowroom_disruptions_total{instance="s1"}', "0+1x20")]),
    "BreakerOpen": ([('elbowroom_disruption_budget_remaining{kind="stop"}', "0x20")], 15,
                    [('elbowroom_disruption_budget_remaining{kind="stop"}', "3x20")]),
    "RemovalRefused": ([('elbowroom_disruption_blocked_total{by="refused"}', "0 1x20")], 5,
                       [('elbowroom_disruption_blocked_total{by="budget"}', "0 1x20")]),
    "CertificateExpires": ([('elbowroom_certificate_expiration_timestamp_seconds{certificate="webhook"}', f"{7 * DAY}x20")], 15,
                           [('elbowroom_certificate_expiration_timestamp_seconds{certificate="client"}', "0x20"),
                            ('elbowroom_certificate_expiration_timestamp_seconds{certificate="webhook"}', f"{8 * DAY}x20")]),
    "WebhookUnanswered": ([('elbowroom_rescheduler_webhook_unanswered_total{instance="r1"}', "0 1x20")], 5,
                          [('elbowroom_rescheduler_webhook_unanswered_total{instance="r1"}', "3x20"),
                           ('elbowroom_rescheduler_webhook_late_total{instance="r1"}', "0x20")]),
    "ConfigReloadFailed": ([(f"elbowroom_config_last_reload_successful{AGENT}", "0x20")], 10,
                           [(f"elbowroom_config_last_reload_successful{AGENT}", "1x20")]),
    "FencedWrites": ([(f"elbowroom_scheduler_fenced_writes_total{SCHEDULER}", "0 1x20")], 5,
                     [(f"elbowroom_scheduler_fenced_writes_total{SCHEDULER}", "1x20")]),
    "BudgetsBroken": ([(f"elbowroom_scheduler_budget_violations_total{SCHEDULER}", "0 1x20")], 5,
                      [(f"elbowroom_scheduler_budget_violations_total{SCHEDULER}", "0x20")]),
    "Disagreement": ([(f"elbowroom_scheduler_disagreements_total{SCHEDULER}", "0 1x20")], 5,
                     [(f"elbowroom_scheduler_disagreements_total{SCHEDULER}", "0x20")]),
    "Quarantined": ([(f"elbowroom_quarantined_objects{AGENT}", "1x20")], 10, [(f"elbowroom_quarantined_objects{AGENT}", "0x20")]),
    "EventsDropped": ([('elbowroom_events_dropped_total{cause="refused"}', "0+1x40")], 25,
                      [('elbowroom_events_dropped_total{cause="refused"}', "5x40")]),
}

# What the daemons of an installation show when all is well, minute by minute for ten hours.
HOURS = 10
WELL = {"elbowroom_start_time_seconds": "0", "elbowroom_config_last_reload_successful": "1", "elbowroom_quarantined_objects": "0",
        "elbowroom_deferred_age_seconds": "0", 'elbowroom_cache_staleness_seconds{resource="pods"}': "5",
        'elbowroom_certificate_expiration_timestamp_seconds{certificate="client"}': "0",
        'elbowroom_loop_last_success_timestamp_seconds{loop="api"}': "0+60", 'elbowroom_events_dropped_total{cause="refused"}': "0",
        'elbowroom_apiserver_requests_total{verb="LIST",resource="pods",code="200"}': "0+1"}
PARTS = {
    "elbowroomd": WELL | {
        'elbowroom_ready{check="api"}': "1", "elbowroom_contended": "0", "elbowroom_safe_mode": "0",
        'elbowroom_disruption_budget_remaining{kind="stop"}': "10", 'elbowroom_actuation_mismatch{resource="cpu"}': "0",
        'elbowroom_state_corruptions_total{file="allocations"}': "0"},
    "elbowroom-scheduler": WELL | {"elbowroom_scheduler_leader": "1", 'elbowroom_disruption_blocked_total{by="refused"}': "0"},
    "elbowroom-rescheduler": WELL | {
        "elbowroom_rescheduler_leader": "1", 'elbowroom_rescheduler_status_writes_total{result="failed"}': "0",
        'elbowroom_rescheduler_move_gain_promised_points_total{policy="UnderutilizedNode"}': "0",
        'elbowroom_rescheduler_move_gain_achieved_points_total{policy="UnderutilizedNode"}': "0"}}


def metrics():
    """{name: {label: values}}; of a metric that both programs have, what either may show."""
    found = {}
    for line in (ROOT / "docs/metrics.md").read_text(encoding="utf-8").splitlines():
        if match := METRIC.match(line):
            labels = found.setdefault(match[1], {})
            for part in match[3].split("; "):
                label, _, values = part.partition(":")
                labels.setdefault(label.strip("` "), set()).update(filter(None, values.strip().split(", ")))
            if match[2] == "histogram":
                for suffix in ("_bucket", "_sum", "_count"):
                    found[match[1] + suffix] = labels
    return found


def wrong_names(where, expression, known):
    wrong = []
    for match in SELECTED.finditer(expression):
        name = match["name"]
        if name not in known:
            wrong.append(f"{where}: {name} is not in docs/metrics.md")
            continue
        for label, values in re.findall(r'(\w+)=~?"([^"]*)"', match["labels"] or ""):
            if label in FROM_PROMETHEUS:
                continue
            if label not in known[name]:
                wrong.append(f"{where}: {name} has no label {label}")
            wrong += [f"{where}: {name}: {label} is never {value}" for value in values.split("|")
                      if label in known[name] and value not in known[name][label]]
    return wrong


def rules():
    """(alert, expression), a line each in the file."""
    return re.findall(r"(?m)^  - alert: (\w+)\n    expr: (.*)$", RULES.read_text())


def expressions():
    yield from rules()
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        for target in panel.get("targets", []):
            yield f"panel {panel['title']!r}", target["expr"]


def shown_by(part, minutes):
    """The series of a part whose last replica goes after so many minutes."""
    replica = f'job="{part}",instance="{part}-1"'
    for name, values in ({"up": "1"} | PARTS[part]).items():
        labels = f"{name[:-1]},{replica}}}" if name.endswith("}") else f"{name}{{{replica}}}"
        yield {"series": labels, "values": f"{values}x{minutes} stale"}


def firing_at(hours, expected):
    return {"expr": 'count by (alertname) (ALERTS{alertstate="firing"})', "eval_time": f"{hours * 60:.0f}m",
            "exp_samples": [{"labels": f'{{alertname="{each}"}}', "value": 1} for each in expected]}


def installations():
    """Without a part no alert fires; where the last scheduler goes after an hour one does, and ends."""
    for without in (None, *PARTS):
        series = [each for part in PARTS if part != without for each in shown_by(part, HOURS * 60)]
        yield {"interval": "1m", "input_series": series,
               "promql_expr_test": [firing_at(hours, []) for hours in (0.2, 1, 4, HOURS - 1)]}
    series = [each for part in PARTS for each in shown_by(part, 60 if part == "elbowroom-scheduler" else HOURS * 60)]
    yield {"interval": "1m", "input_series": series,
           "promql_expr_test": [firing_at(1, []), firing_at(1.5, ["ElbowroomSchedulerDown"]), firing_at(3, [])]}


def played(folder):
    """The file of tests for promtool: each alert fires alone by its series, and none by the other ones."""
    tests = list(installations())
    for name, (series, minute, well) in CASES.items():
        for given, expected in ((series, [{"labels": f'{{alertname="Elbowroom{name}"}}', "value": 1}]), (well, [])):
            expression = f'count by (alertname) (ALERTS{{alertstate="firing",alertname="Elbowroom{name}"}})'
            tests.append({
                "interval": "1m",
                "input_series": [{"series": each, "values": values} for each, values in given],
                "promql_expr_test": [{"expr": expression, "eval_time": f"{minute}m", "exp_samples": expected}]})
    path = folder / "elbowroom.test.yaml"
    path.write_text(json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": tests}))  # is YAML too
    return path


def main():
    known = metrics()
    wrong = [each for where, expression in expressions() for each in wrong_names(where, expression, known)]
    alerts = [alert for alert, _ in rules()]
    page = (ROOT / "docs/alerts.md").read_text(encoding="utf-8")
    wrong += [f"{each}: docs/alerts.md does not say what to do" for each in alerts if f"## {each}\n" not in page]
    wrong += [f"{each}: no test plays it" for each in alerts if each.removeprefix("Elbowroom") not in CASES]
    promtool = shutil.which("promtool") or shutil.which(ROOT / "build/tools/promtool")
    if promtool:
        with tempfile.TemporaryDirectory() as made:
            for words in (["check", "rules", RULES], ["test", "rules", played(pathlib.Path(made))]):
                done = subprocess.run([promtool, *words], capture_output=True, text=True, check=False)
                wrong += (done.stdout + done.stderr).strip().splitlines()[:20] if done.returncode else []
    elif not wrong:
        print("alerts: promtool is not there to play them (./dev test fetches it); their names are checked")
        return SKIPPED
    print("\n".join(wrong) or f"alerts: {len(alerts)}, each fires and is silent when it should")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
