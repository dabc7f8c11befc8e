"""What Debian's package manager says of this system."""
import subprocess


def said(*words):
    """What a program prints; "" where it fails or is not there."""
    try:
        return subprocess.run(words, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""


def version_of(package):
    """As it is installed, of the first architecture; "" where it is not."""
    return (said("dpkg-query", "-W", "-f", "${Version}\n", package).splitlines() or [""])[0] if package else ""
