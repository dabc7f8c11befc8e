#!/usr/bin/env python3
"""A pod of the lab that is grown: `pod.py grow CPU` asks for it and waits until it is actual, `pod.py holds CPU` looks
whether it still is, and `pod.py displace CPU` asks for it beside a pod of lower priority that fills the node, and waits
until that one is gone, too. Makes the pods where they are not there. Each takes the pod's name last, else it is web."""
import json
import re
import sys
import time
import urllib.error
import urllib.request

SERVER = re.search(r"server: \"?(http://[^\s\"]+)", open("/e2e/lab.kubeconfig", encoding="utf-8").read())[1]
PODS = SERVER + "/api/v1/namespaces/default/pods"
RESOURCES = {"requests": {"cpu": "300m", "memory": "64Mi"}, "limits": {"cpu": "4", "memory": "64Mi"}}
NAME = sys.argv[3] if len(sys.argv) > 3 else "web"
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": NAME},
       "spec": {"nodeName": "node-1", "containers": [{"name": "app", "image": "x", "resources": RESOURCES}]}}


# The lab's node has 4 cpu.
LOW = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "low"},
       "spec": {"nodeName": "node-1", "priority": -10, "terminationGracePeriodSeconds": 1, "containers": [
           {"name": "app", "image": "x", "resources": {"requests": {"cpu": "3"}}}]}}


def ask(method, url, body=None, kind="application/json"):
    request = urllib.request.Request(url, method=method, data=json.dumps(body).encode() if body else None,
                                     headers={"Content-Type": kind})
    with urllib.request.urlopen(request, timeout=5) as answer:
        return json.load(answer)


def actual():
    """(phase, allocated, actual) cpu of the container."""
    status = ask("GET", PODS + "/" + NAME).get("status", {})
    one = (status.get("containerStatuses") or [{}])[0]
    return (status.get("phase"), one.get("allocatedResources", {}).get("cpu"),
            one.get("resources", {}).get("requests", {}).get("cpu"))


def wait_for(wanted):
    for _ in range(900):
        if actual() == wanted:
            return
        time.sleep(0.1)
    sys.exit(f"it is {actual()}, not {wanted}")


def phase_of_low():
    """"" once it is gone."""
    try:
        return ask("GET", PODS + "/low").get("status", {}).get("phase")
    except urllib.error.HTTPError as refused:
        if refused.code != 404:
            raise
        return ""


def wait_for_low(phase):
    for _ in range(900):
        if phase_of_low() == phase:
            return
        time.sleep(0.1)
    sys.exit(f"low is {phase_of_low()}, not {phase or 'gone'}")


def main(verb, cpu):
    if verb == "displace":
        ask("POST", PODS, LOW)
        wait_for_low("Running")
    if verb != "holds":
        try:
            ask("POST", PODS, POD)
            wait_for(("Running", "300m", "300m"))
        except urllib.error.HTTPError as refused:
            if refused.code != 409:
                raise
        patch = {"spec": {"containers": [{"name": "app", "resources": {"requests": {"cpu": cpu}}}]}}
        ask("PATCH", PODS + "/" + NAME + "/resize", patch, "application/strategic-merge-patch+json")
    if verb == "displace":
        wait_for_low("")
    wait_for(("Running", cpu, cpu))


if __name__ == "__main__":
    main(*sys.argv[1:3])
