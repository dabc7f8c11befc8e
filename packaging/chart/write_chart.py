#!/usr/bin/env python3
"""Makes the Helm chart of packaging/kustomize: the same manifests, with values in the places that edits.py names. Every bit of the
archive follows from the sources, the version and the images.

usage: write_chart.py VERSION OUT_FOLDER [IMAGES.json]     OUT_FOLDER/elbowroom-VERSION.tgz
IMAGES.json: what packaging/image/write_images.py writes; the default values name these images by their digest
"""
import io
import json
import pathlib
import re
import struct
import sys
import tarfile
import zlib

from edits import CONDITIONS, FILES, MORE, STAYS
from values import values_text

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "image"))
from archive import add_file  # noqa: E402  (its folder is known only now)

MOMENT = 0  # seconds since 1970, of every file
MOST_STORED = 65535


def edited(name, text, edits):
    for old, new in edits:
        if text.count(f"{old}\n") != 1:
            sys.exit(f"packaging/kustomize/{name}: has this {text.count(old + chr(10))} times, and not once, so edits.py is of no use:\n{old}")
        text = text.replace(f"{old}\n", f"{new}\n")
    return text


def conditional(condition, text):
    return f"{{{{- if {condition} }}}}\n{text}{{{{- end }}}}\n"


def object_template(name, text, edits):
    kind = re.search(r"(?m)^kind: (\S+)$", text)[1]
    stays = (name, re.search(r"(?m)^  name: (\S+)$", text)[1]) in STAYS  # and its subjects go with the release
    about, at, rest = text.partition("\nsubjects:\n") if stays else ("", "", text)
    text = about + at + re.sub(r"(?m)^( *)namespace: kube-system$", r"\1namespace: {{ toJson .Release.Namespace }}", rest)
    text = edited(name, text, edits.get(kind, []))
    condition = CONDITIONS.get((name, kind))
    return conditional(condition, text) if condition else text


def template(name, condition, edits):
    text = (HERE.parent / "kustomize" / name).read_text(encoding="utf-8")
    if "{{" in text:
        sys.exit(f"packaging/kustomize/{name}: Helm would take its {{{{ for a template")
    objects = [object_template(name, each + "\n", edits) for each in text.rstrip("\n").split("\n---\n")]
    return conditional(condition, "---\n".join(objects))


def with_digests(schema, version, images):
    """The schema's text; the digest of each image is its default."""
    for image in images:
        if image["newTag"] != version:
            sys.exit(f"{image['name']}: of version {image['newTag']}, and the chart is of {version}: ./dev package image")
        plain = f'"repository": "{image["name"]}", "tag": "", "digest": "'
        if schema.count(f'{plain}"') != 1:
            sys.exit(f"values.schema.json: does not name {image['name']} once")
        schema = schema.replace(plain, f"{plain}{image['digest']}")
    return schema


def chart(version, images):
    """{path in the chart: its text}"""
    schema = with_digests((HERE / "values.schema.json").read_text(encoding="utf-8"), version, images)
    found = {"Chart.yaml": (HERE / "Chart.yaml").read_text(encoding="utf-8").replace("@VERSION@", version),
             "LICENSE": (HERE.parents[1] / "LICENSE").read_text(encoding="utf-8"),
             "values.schema.json": schema, "values.yaml": values_text(json.loads(schema)),
             "templates/NOTES.txt": (HERE / "NOTES.txt").read_text(encoding="utf-8")}
    made = {name: template(name, *each) for name, each in FILES.items()}
    made |= {name: conditional(*each) for name, each in MORE.items()}
    return found | {f"templates/{name.replace('/', '-')}": text for name, text in made.items()}


def stored(content):
    """As gzip without compression: what a compressor writes depends on its version."""
    blocks = [content[at:at + MOST_STORED] for at in range(0, len(content), MOST_STORED)]
    out = [b"\x1f\x8b\x08" + bytes(6) + b"\xff"]
    for number, block in enumerate(blocks, 1):
        out += [struct.pack("<BHH", number == len(blocks), len(block), len(block) ^ 0xFFFF), block]
    return b"".join([*out, struct.pack("<II", zlib.crc32(content), len(content))])


def archived(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, text in sorted(files.items()):
            add_file(archive, f"elbowroom/{name}", MOMENT, 0o644, text.encode())
    return stored(out.getvalue())


def main():
    version, out = sys.argv[1], pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    images = json.loads(pathlib.Path(sys.argv[3]).read_text(encoding="utf-8")) if len(sys.argv) > 3 else []
    (out / f"elbowroom-{version}.tgz").write_bytes(archived(chart(version, images)))


if __name__ == "__main__":
    main()
