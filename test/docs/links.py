#!/usr/bin/env python3
"""Checks that every relative link and every file that a page tells to use exists.

usage: links.py [ROOT]
"""
import pathlib
import re
import subprocess
import sys

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
EXAMPLE = re.compile(r"-f (docs/[\w./-]+)")


def pages(root):
    """The pages that git knows or would add."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
                            cwd=root, capture_output=True, text=True, check=True)
    return [root / name for name in sorted(set(listed.stdout.splitlines())) if (root / name).is_file()]


def dead(root, page):
    """The targets of the page that do not exist."""
    text = page.read_text(encoding="utf-8")
    targets = [page.parent / link for link in LINK.findall(text) if "://" not in link]
    targets += [root / example for example in EXAMPLE.findall(text)]
    return [target for target in targets if not target.exists()]


def main(root):
    found = [f"{page.relative_to(root)}: {target} is not there" for page in pages(root) for target in dead(root, page)]
    print("\n".join(found) or f"links of {len(pages(root))} pages: all there")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()))
