"""suite_image.py BUILD BINARIES KUBECTL: the images of `./dev package image` as pods of a real kubelet, by the manifests as they
stand, against a real API server with RBAC."""
import sys

import image_companion
import image_pods
import image_stage
import kubelet
from checks import check, conclude, sees, stays, title
from image_stage import ImageStage

DAEMONS = {"elbowroom-scheduler": 10362, "elbowroom-rescheduler": 10363}


def run_by_manifests(stage):
    if not stage.apply():
        return
    for name in DAEMONS:
        if not stage.sees_ready(name, 2):
            continue
        for pod in stage.ready_of(name):
            image = pod["spec"]["containers"][0]["image"]
            check(image == stage.images[f"localhost/{name}"], f"{name}: its pod names the image by version and digest", image)
            image_pods.confined(pod)
    refused = stage.refused()
    check(not refused, "nothing that they asked for was refused", refused)


def lack_an_image(stage):
    """The node loses the images, as by the kubelet's own hand: nobody is asked for them, and a second import suffices."""
    stage.drop_images()
    for name in DAEMONS:
        stage.replace(name)
        waits = lambda name=name: stage.waits_of(name) == {"ErrImageNeverPull"}
        sees(f"{name} without its image waits, and it is not pulled", waits, 60, more=lambda name=name: stage.last_words(name))
    stage.import_images()
    for name in DAEMONS:
        stage.sees_ready(name, 2)


def lack_a_right(stage):
    """One right less: a new pod does not become ready, and says what it may not."""
    for name, port in DAEMONS.items():
        give_back = stage.without_right(name, "pods", ["list", "watch"])
        stage.replace(name)
        says = lambda name=name: any("forbidden" in line and "pods" in line for pod in stage.pods_of(name) for line in stage.log_of(pod))
        sees(f"{name} without the right to list pods says so in its log", says, 60, more=lambda name=name: stage.last_words(name))
        why = lambda name=name, port=port: [stage.ask_pod(pod, port, "/readyz?verbose") for pod in stage.pods_of(name)]
        sees("and at /readyz", lambda why=why: any(status != 200 and "forbidden" in text for status, text in why()), more=why)
        stays("no pod of it is Ready for 10 s", lambda name=name: not stage.ready_of(name), 10)
        give_back()
        stage.sees_ready(name, 2)


def main(build, binaries, kubectl):
    why = kubelet.why_not() or image_stage.why_not(build)
    if why:
        title(f"image: skipped: {why}")
        return
    title("image: the Deployments' pods")
    with ImageStage(build, binaries, kubectl) as stage:
        if stage.start():
            run_by_manifests(stage)
            lack_an_image(stage)
            lack_a_right(stage)
    title("image: the companion's DaemonSet")
    with ImageStage(build, binaries, kubectl) as stage:
        if stage.start():
            image_companion.play(stage)
    conclude()


if __name__ == "__main__":
    main(*sys.argv[1:])
