#!/usr/bin/env python3
"""Lets a copy of quiche call congestion controllers of ours: puts the lines of native-host/quic/quiche/VERSION.lines
into it, and the folder's files of Rust beside them.

    quiche_lines.py FOLDER QUICHE     exit status 3, a line on standard error and no change in QUICHE where its files
                                      are not those that the lines were written for

Does not fetch or build (quic.sh does). Holds no text of quiche's: a place is a file, its SHA-256 and a line's number.
"""

import hashlib
import os
import re
import shutil
import sys

UNKNOWN = 3


class Unknown(Exception):
    pass


def places(text):
    """{file: (SHA-256, {line number: [lines to follow it]})} of a .lines file."""
    found = {}
    lines = None
    for row in text.splitlines():
        if not row or row.startswith("#"):
            continue
        word, rest = row.split(" ", 1)
        if word == "file":
            file, digest = rest.split(" ")
            lines = {}
            found[file] = (digest, lines)
        else:
            lines.setdefault(int(word), []).append(rest)
    return found


def inserted(content, digest, lines, name):
    """The bytes of a file with its lines in place."""
    if hashlib.sha256(content).hexdigest() != digest:
        raise Unknown(f"{name} is not the file that they were written for")
    result = []
    for number, line in enumerate(content.decode().splitlines(keepends=True), 1):
        result.append(line)
        result.extend(f"{each}\n" for each in lines.get(number, []))
    return "".join(result).encode()


def version_of(quiche):
    with open(os.path.join(quiche, "Cargo.toml"), encoding="utf-8") as manifest:
        found = re.search(r'^name = "quiche"\nversion = "([^"]+)"', manifest.read(), re.MULTILINE)
    return found.group(1) if found else "without a version"


def main():
    folder, quiche = sys.argv[1:]
    version = version_of(quiche)
    try:
        try:
            with open(os.path.join(folder, f"{version}.lines"), encoding="utf-8") as file:
                found = places(file.read())
        except FileNotFoundError:
            raise Unknown(f"there is no {version}.lines") from None
        changed = {}
        for name, (digest, lines) in found.items():
            with open(os.path.join(quiche, name), "rb") as file:
                changed[name] = inserted(file.read(), digest, lines, name)
    except (Unknown, OSError) as error:
        print(f"quiche {version} cannot be given congestion controllers of ours: {error}", file=sys.stderr)
        sys.exit(UNKNOWN)
    for name, content in changed.items():
        with open(os.path.join(quiche, name), "wb") as file:
            file.write(content)
    for name in sorted(os.listdir(folder)):
        if name.endswith(".rs"):
            shutil.copy(os.path.join(folder, name), os.path.join(quiche, "src", "recovery", "congestion"))


main()
