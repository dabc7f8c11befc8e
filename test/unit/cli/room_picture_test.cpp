#include "cli/output/room_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/document_text.h"
#include "command_line.h"

namespace elbowroom::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kDecision = R"({
  "pod": "default/web", "node": "node1", "verdict": "Deferred",
  "requests": {"desired": {"cpu": "2"}, "allocated": {"cpu": "1"}, "actual": {"cpu": "1"}},
  "room": {"allocatable": {"cpu": "4"}, "holders": [
    {"pod": "default/keep", "uid": "u-1", "held": {"cpu": "1"}},
    {"pod": "default/go", "uid": "u-2", "held": {"cpu": "2"}}]},
  "preemption": {"victims": [{"pod": "default/go", "uid": "u-2"}]}})";

std::string drawn(const std::string& json) {
  const auto value = parse_json(json);
  EXPECT_TRUE(value) << value.error().message;
  return value ? room_picture(*value) : "";
}

std::size_t times(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

// The bar is 720 wide and stands for 4 cpu.
TEST(RoomPicture, ShowsWhoHoldsTheRoomNowAndThen) {
  const std::string picture = drawn(kDecision);
  EXPECT_THAT(picture, HasSubstr("<text class=\"head\" x=\"8\" y=\"44.0\">cpu, of 4</text>"));
  EXPECT_EQ(times(picture,
                  "default/go: 2</title><rect class=\"goes\" x=\"70.0\" y=\"52.0\" "
                  "width=\"360.0\""),
            1U);
  EXPECT_EQ(times(picture, "</title><rect class=\"goes\""), 1U) << "it is gone then";
  EXPECT_THAT(picture, HasSubstr(">goes: default/go</text>"));
  EXPECT_THAT(picture, HasSubstr(">allocatable</text>"));
  EXPECT_EQ(times(picture, "default/keep: 1</title><rect class=\"stays\""), 2U);
  EXPECT_EQ(times(picture, "default/web: 1</title><rect class=\"own\""), 2U);
  EXPECT_THAT(picture, HasSubstr("default/web grows: 1</title><rect class=\"grows\" x=\"430.0\" "
                                 "y=\"100.0\" width=\"180.0\""));
  EXPECT_EQ(times(picture, "<line class=\"most\" x1=\"790.0\""), 2U);
  EXPECT_THAT(picture, Not(HasSubstr("memory")));
}

TEST(RoomPicture, WhereNoPodGoesTheGrowthIsBeyondTheLine) {
  std::string json = kDecision;
  json.replace(json.find("u-2\"}]}}"), 8, "u-9\"}]}}");
  const std::string picture = drawn(json);
  EXPECT_EQ(times(picture, "class=\"goes\""), 0U);
  EXPECT_EQ(times(picture, "<line class=\"most\" x1=\"646.0\""), 2U);  // 4 of 5
}

TEST(RoomPicture, NamesOfOthersAreTextAlone) {
  std::string json = kDecision;
  json.replace(json.find("default/keep"), 12, "<script>\\u001b[31m&\\\"");
  const std::string picture = drawn(json);
  EXPECT_THAT(picture, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(picture, Not(HasSubstr("<script")));
  EXPECT_THAT(picture, Not(HasSubstr("\x1b")));
}

TEST(RoomPicture, OfManyHoldersTheSmallestAreOnePart) {
  std::string holders;
  for (int i = 0; i < 1000; ++i) {
    holders +=
        std::string(i == 0 ? "" : ",") + R"({"pod": "p", "uid": "u", "held": {"cpu": "1m"}})";
  }
  const std::string picture =
      drawn(R"({"room": {"allocatable": {"cpu": "4"}, "holders": [)" + holders + "]}}");
  EXPECT_EQ(times(picture, "</title><rect class=\"stays\""), 402U);
  EXPECT_THAT(picture, HasSubstr("800 more pods: 800m"));
}

TEST(RoomPicture, IsWrittenBesideTheAnswer) {
  const Folder folder;
  const std::string file = folder.file("in.yaml", R"(kind: Node
metadata: {name: n}
status: {allocatable: {cpu: 4, pods: 9}}
---
kind: Pod
metadata: {name: web, namespace: default, uid: u}
spec: {nodeName: n, containers: [{name: app, resources: {requests: {cpu: 1}}}]}
)");
  const auto resize = [&](const std::string& svg) {
    return run(
        {"simulate", "resize", "default/web", "-f", file, "--set", "app:cpu=2", "--svg", svg});
  };
  const Outcome plain =
      run({"simulate", "resize", "default/web", "-f", file, "--set", "app:cpu=2"});
  const Outcome drawn = resize(folder.path() + "/room.svg");
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_EQ(drawn.out, plain.out);
  EXPECT_THAT(folder.text("room.svg"), HasSubstr("default/web grows: 1"));
  const Outcome refused = resize(folder.path() + "/none/room.svg");
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("/none/room.svg: No such file or directory"));
}

}  // namespace
}  // namespace elbowroom::cli
