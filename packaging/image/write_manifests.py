#!/usr/bin/env python3
"""Copies the manifests, and names in them the images that were made by their digest, too.

usage: write_manifests.py MANIFESTS_FOLDER IMAGES.json OUT_FOLDER     IMAGES.json: what write_images.py writes
"""
import json
import pathlib
import re
import shutil
import sys


def with_digest(text, image):
    """A kustomization's text; what it says of other images stays."""
    entry = re.compile(rf"(?m)^- name: {re.escape(image['name'])}\n  newTag: (\S+)\n")
    found = entry.search(text)
    if found and found[1] != image["newTag"]:
        sys.exit(f"{image['name']}: the manifests name version {found[1]}, and the image is of {image['newTag']}")
    return entry.sub(lambda named: f"{named[0]}  digest: {image['digest']}\n", text)


def main():
    source, images, out = (pathlib.Path(each) for each in sys.argv[1:])
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(source, out)
    images_made = json.loads(images.read_text(encoding="utf-8"))
    texts = {path: path.read_text(encoding="utf-8") for path in out.rglob("kustomization.yaml")}
    for image in images_made:
        changed = {path: with_digest(text, image) for path, text in texts.items()}
        if changed == texts:
            sys.exit(f"{source}: no kustomization.yaml names {image['name']}")
        texts = changed
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
