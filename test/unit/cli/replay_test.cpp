// `elbowroom replay` as a user runs it, on the recordings of test/recordings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/document.h"
#include "base/durable_file.h"
#include "command_line.h"
#include "test/checkout.h"

namespace elbowroom::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kRecording = std::string(test::kData) + "/recordings/up-and-down.jsonl";

class Replay : public ::testing::Test {
 protected:
  // The recording, with one word of one event changed.
  std::string changed() const {
    std::string text = read_file(kRecording, 1 << 20).value_or("");
    const std::string was = R"("reason":"ResizeStarted")";
    text.replace(text.find(was), was.size(), R"("reason":"Resize\u001b[31m")");
    return folder_.file("changed.jsonl", text);
  }

  Folder folder_;
};

TEST_F(Replay, TheSameEffectsAreSuccess) {
  const Outcome ran = run(
      {"replay", kRecording, std::string(test::kData) + "/recordings/critical-preemption.jsonl"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("gave the same"), HasSubstr("critical-preemption")));
}

TEST_F(Replay, OthersAreShownWithTheirPlaceAndFitForATerminal) {
  const Outcome ran = run({"replay", changed()});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, AllOf(HasSubstr(": other effects than recorded"), HasSubstr("\n  - "),
                             HasSubstr("\n  + "), HasSubstr("ResizeStarted")));
  EXPECT_EQ(ran.out.find('\x1b'), std::string::npos);

  const Outcome json = run({"replay", "-o", "json", changed(), kRecording});
  EXPECT_EQ(json.status, 1);
  const auto document = parse_json(json.out);
  ASSERT_TRUE(document) << json.out;
  EXPECT_EQ(document->find("kind")->text, "ReplayReport");
  EXPECT_EQ(document->find("same")->text, "false");
  ASSERT_EQ(document->find("files")->items.size(), 2U);
  EXPECT_EQ(document->find("files")->items[1].find("same")->text, "true");
}

TEST_F(Replay, AChangedRecordingIsRewritten) {
  const std::string path = changed();
  const Outcome ran = run({"replay", "--rewrite", path});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("rewritten: 1 of "));
  EXPECT_EQ(run({"replay", path}).status, 0);
  EXPECT_EQ(read_file(path, 1 << 20).value_or(""), read_file(kRecording, 1 << 20).value_or("-"));
}

TEST_F(Replay, EachObservationIsShown) {
  const Outcome ran = run({"replay", "--show", "--until", "7", kRecording});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("2  +0."), HasSubstr("node node-1 seen"),
                             HasSubstr("    -> #1 annotate node node-1")));
}

TEST_F(Replay, WhatIsNoRecordingIsNamedWithItsLine) {
  const Outcome later =
      run({"replay", folder_.file("later", "{\"recording\":\"elbowroomd\",\"format\":2}\n")});
  EXPECT_EQ(later.status, 1);
  EXPECT_THAT(later.err, HasSubstr("later: line 1: it is of format 2"));
  EXPECT_THAT(run({"replay", folder_.file("text", "hello\n")}).err, HasSubstr("text: line 1: "));
  EXPECT_EQ(run({"replay", folder_.path() + "/absent"}).status, 1);
  EXPECT_EQ(run({"replay"}).status, 2);
  EXPECT_EQ(run({"replay", "--until", "x", kRecording}).status, 2);
  EXPECT_EQ(run({"replay", "--show", "-o", "json", kRecording}).status, 2);
}

}  // namespace
}  // namespace elbowroom::cli
