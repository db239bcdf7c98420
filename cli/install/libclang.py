"""Prints the folder of a libclang that bindgen can use: one that loads and parses the headers which C sources include.

Looks where clang-sys does (LIBCLANG_PATH, llvm-config, /usr), and tries what it finds: the file alone says too little, for
libclang-cpp.so is another library, and libclang's runtime package comes without the compiler's own headers (stddef.h).
Exit status 1 with a line if there is none. Installs nothing.
"""
import ctypes
import glob
import os
import re
import subprocess
import sys

NAMES = ("libclang.so", "libclang-*.so", "libclang.so.*", "libclang-*.so.*")
FOLDERS = ("/usr/local/llvm*/lib*", "/usr/local/lib*/*/*", "/usr/local/lib*/*", "/usr/local/lib*",
           "/usr/lib*/*/*", "/usr/lib*/*", "/usr/lib*")
SOURCE = b"#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\nsize_t of_no_importance;\n"


class UnsavedFile(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("contents", ctypes.c_char_p), ("length", ctypes.c_ulong)]


def folders():
    if os.environ.get("LIBCLANG_PATH"):
        path = os.environ["LIBCLANG_PATH"]
        return [path if os.path.isdir(path) else os.path.dirname(path)]
    found = []
    try:
        config = [os.environ.get("LLVM_CONFIG_PATH", "llvm-config"), "--libdir"]
        found.append(subprocess.run(config, capture_output=True, text=True, check=True, timeout=20).stdout.strip())
    except (OSError, subprocess.SubprocessError):
        pass
    for pattern in FOLDERS:
        found += sorted(path for path in glob.glob(pattern) if os.path.isdir(path))
    return found


def libraries():
    """Newest first, by the version in the name, as clang-sys chooses."""
    found = {}
    for folder in folders():
        for name in NAMES:
            for path in glob.glob(os.path.join(glob.escape(folder), name)):
                if "-cpp." not in os.path.basename(path):
                    found.setdefault(os.path.realpath(path), path)
    def version(path):
        return [int(number) for number in re.findall(r"\d+", os.path.basename(os.path.realpath(path)))]
    return sorted(found.values(), key=version, reverse=True)


def problem(path):
    """Why bindgen could not use it; None if it can."""
    try:
        clang = ctypes.CDLL(path)
        clang.clang_createIndex.restype = ctypes.c_void_p
        clang.clang_parseTranslationUnit.restype = ctypes.c_void_p
        clang.clang_getNumDiagnostics.argtypes = [ctypes.c_void_p]
    except (OSError, AttributeError) as error:
        return str(error)
    index = ctypes.c_void_p(clang.clang_createIndex(0, 0))
    file = UnsavedFile(b"try.c", SOURCE, len(SOURCE))
    unit = clang.clang_parseTranslationUnit(index, b"try.c", None, 0, ctypes.byref(file), 1, 0)
    if not unit:
        return "does not parse C"
    return "does not find the compiler's headers (stddef.h)" if clang.clang_getNumDiagnostics(unit) else None


def main():
    problems = []
    for path in libraries():
        found = problem(path)
        if found is None:
            print(os.path.dirname(path))
            return 0
        problems.append(f"{path}: {found}")
    print("; ".join(problems) or "no libclang found", file=sys.stderr)
    return 1


sys.exit(main())
