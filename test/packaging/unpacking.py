"""Archives of ours are unpacked as they are, by every Python from 3.11.0 on: extractall() takes a filter since 3.11.4, and wants one
since 3.12."""
import tarfile


def unpack(archive, folder):
    archive.extractall(folder, **({"filter": "fully_trusted"} if hasattr(tarfile, "fully_trusted_filter") else {}))
