#include "agent/checkpoint/checkpoint.h"

#include <gtest/gtest.h>

#include <string>

#include "base/checksum.h"
#include "test/pods.h"

namespace elbowroom::agent {
namespace {

Checkpoint sample() {
  Checkpoint of;
  PodAllocation& web = of.pods["u-1"];
  web.ns = "default";
  web.name = "web";
  web.generation = 3;
  web.containers["app"] = {.requests = test::amounts(1500, 2 * test::kGi),
                           .limits = test::amounts(2000, 4 * test::kGi)};
  of.removals.push_back(
      {.preemptor_uid = "u-1", .generation = 3, .victims = {{"u-2", "default", "batch"}}});
  return of;
}

// Version 1, byte by byte: agents of later versions must read what this one wrote.
constexpr const char* kBody =
    R"({"pods":{"u-1":{"containers":{"app":{"limits":{"cpu":2000,"memory":4294967296},)"
    R"("requests":{"cpu":1500,"memory":2147483648}}},"generation":3,"name":"web",)"
    R"("namespace":"default","podLevel":{"limits":{},"requests":{}}}},)"
    R"("removals":[{"generation":3,"preemptor":"u-1",)"
    R"("victims":[{"name":"batch","namespace":"default","uid":"u-2"}]}]})"
    "\n";

// The text after a valid first line.
std::string signed_text(const std::string& body) {
  char line[80];
  std::snprintf(line, sizeof line, "crc32c=%08x bytes=%zu\n", crc32c(body), body.size());
  return "elbowroom-allocations v1 " + std::string(line) + body;
}

TEST(Checkpoint, VersionOneIsWrittenAsEver) {
  const std::string text = encode(sample());
  EXPECT_EQ(text.substr(text.find('\n') + 1), kBody);
  EXPECT_EQ(text.substr(0, text.find('\n')), "elbowroom-allocations v1 crc32c=07bce651 bytes=328");
}

// The order of keys is that of their bytes, whatever the order of resources is elsewhere.
TEST(Checkpoint, WhateverTheNamesAreTheBytesStay) {
  Checkpoint of;
  PodAllocation& odd = of.pods["u-\"1\""];
  odd.ns = "back\\slash";
  odd.name = "tab\there, \x01, \x7f, \xff and \xc3\xa4";
  odd.containers["b"].requests = {.cpu = {1}, .memory = {2}, .ephemeral_storage = {3}};
  odd.containers["b"].requests.others = {{"a/b", 4}, {"example.com/gpu", 5}, {"z", 6}};
  odd.containers["a"] = {};
  of.removals = {
      {.preemptor_uid = "u", .boot = "run-1", .deferred_at = std::chrono::milliseconds(7)},
      {.preemptor_uid = "v", .victims = {{"1", "n", "x"}, {"2", "n", "y"}}}};
  const std::string text = encode(of);
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            R"({"pods":{"u-\"1\"":{"containers":{"a":{"limits":{},"requests":{}},"b":{"limits":{},)"
            R"("requests":{"a/b":4,"cpu":1,"ephemeral-storage":3,"example.com/gpu":5,"memory":2,)"
            R"("z":6}}},"generation":0,"name":"tab\there, \u0001, )"
            "\x7f, \xef\xbf\xbd and \xc3\xa4"
            R"(","namespace":"back\\slash","podLevel":{"limits":{},"requests":{}}}},)"
            R"("removals":[{"boot":"run-1","deferredAtMs":7,"generation":0,"preemptor":"u",)"
            R"("victims":[]},{"generation":0,"preemptor":"v","victims":[)"
            R"({"name":"x","namespace":"n","uid":"1"},{"name":"y","namespace":"n","uid":"2"}]}]})"
            "\n");
}

TEST(Checkpoint, ReadsWhatItWrote) {
  for (const Checkpoint& each : {Checkpoint{}, sample()}) {
    const auto read = decode_checkpoint(encode(each));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, each);
  }
}

// Later fields are omitted where they are empty, and may be missing.
TEST(Checkpoint, ReadsOlderOnes) {
  const std::string generation = "\"generation\":3,\"name\":\"web\"";
  std::string body = kBody;
  body.replace(body.find(generation), generation.size(), "\"name\":\"web\"");
  const auto read = decode_checkpoint(signed_text(body));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->pods.at("u-1").generation, 0);
  EXPECT_TRUE(read->counted.empty());
}

TEST(Checkpoint, KeepsWhatTheCircuitBreakerCounts) {
  Checkpoint of;
  of.counted = {{.preemptor_uid = "u", .victims = 3, .boot = "run-1", .at = std::chrono::hours(1)}};
  const std::string text = encode(of);
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            R"({"counted":[{"atMs":3600000,"boot":"run-1","preemptor":"u","victims":3}],)"
            R"("pods":{},"removals":[]})"
            "\n");
  EXPECT_EQ(decode_checkpoint(text).value_or(Checkpoint{}), of);
  const std::string endless =
      R"({"counted":[{"atMs":0,"boot":"","preemptor":"u","victims":9223372036854775807}],)"
      R"("pods":{},"removals":[]})";
  EXPECT_EQ(decode_checkpoint(signed_text(endless))->counted.front().victims, 1'000'000U);
  for (const char* wrong : {R"({"counted":{},"pods":{},"removals":[]})",
                            R"({"counted":[{"atMs":0}],"pods":{},"removals":[]})"}) {
    EXPECT_FALSE(decode_checkpoint(signed_text(wrong))) << wrong;
  }
}

TEST(Checkpoint, EveryChangedByteIsFound) {
  const std::string text = encode(sample());
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string changed = text;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      EXPECT_FALSE(decode_checkpoint(changed)) << "byte " << at;
    }
  }
}

TEST(Checkpoint, EveryTornEndIsFound) {
  const std::string text = encode(sample());
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto read = decode_checkpoint(text.substr(0, size));
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.error().code, Code::Invalid);
  }
  EXPECT_FALSE(decode_checkpoint(text + "\n"));
}

TEST(Checkpoint, FiguresThatCannotBeAreRefusedByName) {
  const std::string body = kBody;
  const auto refused = [&](const std::string& what, const std::string& by) {
    std::string changed = body;
    changed.replace(changed.find(what), what.size(), by);
    const auto read = decode_checkpoint(signed_text(changed));
    return read ? "accepted" : read.error().message;
  };
  ASSERT_TRUE(decode_checkpoint(signed_text(body)));
  EXPECT_NE(refused("1500", "-1").find("\"cpu\""), std::string::npos);
  EXPECT_NE(refused("1500", "9223372036854775808").find("\"cpu\""), std::string::npos);
  EXPECT_NE(refused("1500", "1.5").find("\"cpu\""), std::string::npos);
  EXPECT_NE(refused("\"web\"", "7").find("\"name\""), std::string::npos);
  EXPECT_NE(refused("\"removals\"", "\"other\"").find("\"removals\""), std::string::npos);
  EXPECT_NE(refused("\"generation\":3", "\"generation\":\"3\"").find("generation"),
            std::string::npos);
  EXPECT_FALSE(decode_checkpoint(signed_text(std::string(100'000, '['))));
}

}  // namespace
}  // namespace elbowroom::agent
