"""Tar archives of which every bit follows from what they hold, and an image as an archive of OCI's image layout 1.0."""
import datetime
import hashlib
import io
import json
import tarfile

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar"  # plain: what a compressor writes depends on its version
ARCHITECTURES = {"amd64": "amd64", "arm64": "arm64"}


def member(name, moment, kind, mode):
    found = tarfile.TarInfo(name)
    found.mtime, found.type, found.mode = moment, kind, mode
    return found


def add_file(archive, name, moment, mode, content):
    entry = member(name, moment, tarfile.REGTYPE, mode)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))


def tree(root, moment):
    """A folder as a tar archive: sorted, of account 0, all of one time, and with modes that the umask of the caller does not reach."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(root.rglob("*"), key=lambda each: each.relative_to(root).parts):
            name = str(path.relative_to(root))
            if path.is_symlink():
                entry = member(name, moment, tarfile.SYMTYPE, 0o777)
                entry.linkname = str(path.readlink())
                archive.addfile(entry)
            elif path.is_dir():
                archive.addfile(member(name, moment, tarfile.DIRTYPE, 0o1777 if name == "tmp" else 0o755))
            else:
                add_file(archive, name, moment, 0o755 if path.stat().st_mode & 0o100 else 0o644, path.read_bytes())
    return out.getvalue()


def written(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def digest_of(content):
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def descriptor(kind, content, **more):
    return {"mediaType": kind, "digest": digest_of(content), "size": len(content), **more}


def configuration(architecture, program, account, moment, labels, layer):
    created = datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return written({
        "architecture": ARCHITECTURES[architecture], "os": "linux", "created": created,
        "config": {"User": f"{account}:{account}", "Env": ["PATH=/usr/sbin:/usr/bin"], "Cmd": [program], "WorkingDir": "/",
                   "Labels": labels},
        "rootfs": {"type": "layers", "diff_ids": [digest_of(layer)]},
        "history": [{"created": created, "created_by": "elbowroom: packaging/image"}]})


def image_archive(reference, architecture, layer, config, moment):
    """(the archive's bytes, the digest of the manifest)"""
    manifest = written({"schemaVersion": 2, "mediaType": MANIFEST, "config": descriptor(CONFIG, config),
                        "layers": [descriptor(LAYER, layer)]})
    # podman reads the first name, containerd the second before it.
    names = {"org.opencontainers.image.ref.name": reference, "io.containerd.image.name": reference}
    listed = descriptor(MANIFEST, manifest, platform={"architecture": ARCHITECTURES[architecture], "os": "linux"}, annotations=names)
    index = written({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [listed]})
    blobs = {f"blobs/{digest_of(each).replace(':', '/')}": each for each in (layer, config, manifest)}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for folder in ("blobs", "blobs/sha256"):
            archive.addfile(member(folder, moment, tarfile.DIRTYPE, 0o755))
        for name, content in sorted({**blobs, "index.json": index, "oci-layout": written({"imageLayoutVersion": "1.0.0"})}.items()):
            add_file(archive, name, moment, 0o644, content)
    return out.getvalue(), listed["digest"]
