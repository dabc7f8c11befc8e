#include "api/watch/frames.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace elbowroom::api {
namespace {

std::string frame(const std::string& text) {
  return std::string{'\0', '\0', '\0', static_cast<char>(text.size())} + text;
}

TEST(Frames, AnySplitGivesTheSameFrames) {
  const std::string stream = frame("one") + frame("") + frame(std::string(90, 'x')) +
                             frame("three") + frame("begun").substr(0, 6);
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    Frames frames(100);
    std::string out;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      EXPECT_TRUE(frames.feed(std::string_view(stream).substr(at, piece), [&](auto text) {
        out += std::string(text) + "|";
        return true;
      }));
    }
    EXPECT_EQ(out, "one|" + std::string(90, 'x') + "|three|") << "in pieces of " << piece;
    EXPECT_EQ(frames.rest(), frame("begun").substr(0, 6));
  }
}

TEST(Frames, AFrameThatIsTooLongIsExhausted) {
  Frames frames(4);
  const auto take = [](std::string_view) { return true; };
  EXPECT_TRUE(frames.feed(frame("1234"), take));
  const auto fed = frames.feed(frame("12345").substr(0, 4), take);
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().code, Code::Exhausted);
  EXPECT_EQ(fed.error().message, "a frame of the stream is longer than 4 bytes");
}

TEST(Frames, WhoeverStopsGetsNoMoreAndMayEndIt) {
  auto frames = std::make_unique<Frames>(100);
  int count = 0;
  EXPECT_TRUE(frames->feed(frame("one") + frame("two"), [&](std::string_view text) {
    ++count;
    frames.reset();
    EXPECT_EQ(text, "one");
    return false;
  }));
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace elbowroom::api
