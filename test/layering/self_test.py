#!/usr/bin/env python3
"""Plants violations in a scratch tree and sees that check.py finds each, and nothing in clean code."""

import pathlib
import tempfile
import unittest

import check

PLANTED = [
    ("policy/a.h", '#include "base/result.h"', "may include only policy"),
    ("policy/a.h", '#  include "api/pod.h"', "may include only policy"),
    ("policy/a.h", "#include <policy/../api/pod.h>", "from the root"),
    ("policy/a.h", "#include <mutex>", "policy is pure"),
    ("policy/a.h", "#include <iostream>", "policy is pure"),
    ("policy/a.cpp", "auto t = std::chrono::steady_clock::now();", "clock"),
    ("policy/a.cpp", "int x = rand();", "random"),
    ("policy/a.cpp", "std::unordered_map<int, int> m;", "unordered"),
    ("policy/a.cpp", "double share = 0.5;", "floating point"),
    ("policy/a.cpp", "float share = 0;", "floating point"),
    ("policy/a.cpp", "std::jthread worker;", "threads"),
    ("policy/a.cpp", 'spdlog::info("x");', "does I/O"),
    ("policy/a.cpp", "Result<int> f();", "cannot fail"),
    ("policy/a.cpp", "std::expected<int, int> f();", "cannot fail"),
    ("policy/a.cpp", "std::map<const Pod*, int> m;", "ordered by pointer"),
    ("policy/a.cpp", "auto* pod = new Pod;", "policy is values"),
    ("base/a.cpp", '#include "policy/model/pod.h"', "may include only base"),
    ("base/a.cpp", "#include <curl/curl.h>", "only api may include"),
    ("api/a.cpp", '#include "cri/client.h"', "may include only"),
    ("cri/a.cpp", '#include "api/write/client.h"', "may include only"),
    ("daemon/a.cpp", '#include "policy/model/pod.h"', "may include only"),
    ("agent/a.cpp", '#include "lab/world/world.h"', "may include only"),
    ("control/a.cpp", '#include "cluster/packed_pod.h"', "may include only"),
    ("agent/a.cpp", '#include "scheduler/waiting/queue.h"', "may include only"),
    ("agent/a.cpp", '#include "reactor.h"', "from the root"),
    ("lab/a.cpp", '#include "cli/verb.h"', "may include only"),
    ("api/a.cpp", "#include <grpcpp/channel.h>", "only cri lab may include"),
    ("policy/model/a.h", '#include "policy/placement/schedule.h"', "may include of policy/ only model"),
]

CLEAN = {
    "policy/a.h": '#include <vector>\n#include "policy/model/pod.h"\n// now() and double are only words here\n'
                  'inline const char* kText = "a float is new";\nstruct A { A(const A&) = delete; };\n'
                  "constexpr long kBig = 1'000'000;\n",
    "base/a.cpp": '#include <thread>\n#include <yaml-cpp/parser.h>\n#include "base/result.h"\nauto t = clock.now();\n',
    "agent/a.cpp": '#include "api/pod.h"\n#include "cri/client.h"\n#include "daemon/loop.h"\n',
    "cli/a.cpp": '#include <CLI/CLI.hpp>\n#include "lab/world/world.h"\n',
    "lab/a.cpp": '#include <grpcpp/server.h>\n#include "cri/runtime.grpc.pb.h"\n',
}


def offences_of(files):
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return check.offences(root)


class Layering(unittest.TestCase):
    def test_sub_folders_are_one_level_deep_and_known(self):
        with tempfile.TemporaryDirectory() as scratch:
            for name in ("policy/other/a.h", "api/codec/deep/a.h"):
                path = pathlib.Path(scratch, name)
                path.parent.mkdir(parents=True)
                path.write_text("int a;\n", encoding="utf-8")
            found = check.offences(pathlib.Path(scratch))
        self.assertEqual([each.split(": ")[0] for each in found], ["api/codec/deep/a.h:0", "policy/other/a.h:0"])

    def test_every_planted_violation_is_found_on_its_line(self):
        for name, line, expected in PLANTED:
            with self.subTest(name=name, line=line):
                found = offences_of({name: "// a comment\n" + line + "\n"})
                self.assertTrue(any(f.startswith(f"{name}:2: ") and expected in f for f in found), found)

    def test_clean_code_has_no_offence(self):
        self.assertEqual(offences_of(CLEAN), [])

    def test_no_arrow_points_up(self):
        order = list(check.MAY_INCLUDE)
        for folder, allowed in check.MAY_INCLUDE.items():
            for target in allowed.split():
                self.assertLess(order.index(target), order.index(folder), f"{folder} -> {target}")


if __name__ == "__main__":
    unittest.main()
