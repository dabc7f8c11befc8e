"""bench_floor: what the calls of a removal and of a binding cost by themselves. bin/floor_calls sends them over the same
TLS to the same server, with libcurl and nothing else, to the same pods, for which no scheduler runs."""
import json
import subprocess

# load: what is called for each result, in that order
CALLS = {"resizes": ("mark,delete", "read,mark,delete", "mark,delete,event"), "placements": ("bind", "bind,event")}
AT_ONCE = 24  # as many as ours has on their way


def _lines(ground, nodes):
    """NAMESPACE POD UID NODE PREEMPTOR of each pod that is removed or bound."""
    pods = [one["metadata"] for one in ground.api.get(ground.place)["items"]]
    wanted = [one for one in pods if one["name"].startswith(ground.FLOOR)]
    return "".join(f"{ground.namespace} {one['name']} {one['uid']} bench-{at % nodes} "
                   f"web-{one['name'].rsplit('-', 1)[1]}\n" for at, one in enumerate(wanted))


def floor_row(program, plane, token, ground, nodes, calls):
    """Makes the calls; the figures that a scheduler's row has, too, and the cpu for each call."""
    argv = [program, f"https://127.0.0.1:{plane.port}", plane.authority.certificate, token, str(AT_ONCE), calls]
    done = subprocess.run(argv, input=_lines(ground, nodes), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"floor_calls {calls}: {done.stdout}{done.stderr}")
    said = json.loads(done.stdout)
    return {"scheduler": f"floor: {calls.replace(',', ', ')}", "is_done": True, "seconds": said["seconds"],
            "per_second": round(ground.count / said["seconds"], 1), "cpu_ms": round(said["cpu_ms"] / ground.count, 3),
            "cpu_ms_a_call": said["each_ms"], "peak_mib": said["peak_mib"], "calls": said["calls"]}
