#!/usr/bin/env python3
"""Shows forbidden.py what it must find, and what it must leave alone."""

import unittest

import forbidden

HEADER = "// What it is.\n#pragma once\n"
FOUND = [
    ("base/a.cpp", "// TO" "DO: later\n", "work left open"),
    ("test/unit/base/a_test.cpp", "std::this_thread::sleep_for(1s);\n", "wait for a condition"),
    ("agent/a.cpp", "worker.detach();\n", "joined by its owner"),
    ("agent/a.cpp", "#include <format>\n", "libstdc++ 12"),
    ("policy/a.cpp", "std::string quoted(std::string_view text);\n", "in_quotes"),
    ("agent/a.cpp", "f();  // NOLINT\n", "name the check"),
    ("agent/a.cpp", "class PodManager {};\n", "says nothing"),
    ("agent/pod_utils.cpp", "int x;\n", "name its one noun"),
    ("test/a.py", "archive.extract" "all(folder)\n", "takes no filter"),
    ("docs/a.md", "see /ho" "me/someone/x\n", "one machine"),
    ("docs/a.md", "see ../sha" "red/x\n", "outside the repository"),
    ("base/a.h", "// What it is.\nint x();\n", "without #pragma once"),
    ("base/a.h", "#pragma once\nint x();\n", "open with what it is"),
]
CLEAN = [
    ("base/a.cpp", "// TO" "DO(#12): when the API has it\n"),
    ("base/a.h", HEADER + "struct HandlerTable;\n"),
    ("base/a.cpp", "f();  // NOLINT(misc-no-recursion): bounded by the depth of the document\n"),
    ("base/a.cpp", "out << std::quoted(text) << is_quoted(text);\n"),
    ("README.md", "files in /var/lib/elbowroom and test/work/x\n"),
]


class Forbidden(unittest.TestCase):
    def test_what_it_must_find(self):
        for name, text, expected in FOUND:
            with self.subTest(name=name, text=text):
                self.assertIn(expected, "\n".join(forbidden.offences_in(name, text)))

    def test_what_it_must_leave_alone(self):
        for name, text in CLEAN:
            with self.subTest(name=name, text=text):
                self.assertEqual(forbidden.offences_in(name, text), [])


if __name__ == "__main__":
    unittest.main()
