#include "base/fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace elbowroom {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

std::array<Fd, 2> pipe_ends() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  return {Fd(ends[0]), Fd(ends[1])};
}

TEST(Fd, ClosesWhatItOwns) {
  int number = -1;
  {
    const auto ends = pipe_ends();
    number = ends[0].get();
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Fd, MovingHandsOverAndAssigningClosesTheFormerOne) {
  auto ends = pipe_ends();
  const int first = ends[0].get();
  const int second = ends[1].get();
  Fd owner = std::move(ends[0]);
  EXPECT_EQ(owner.get(), first);
  owner = std::move(ends[1]);
  EXPECT_EQ(owner.get(), second);
  EXPECT_FALSE(is_open(first));
  EXPECT_TRUE(is_open(second));
}

TEST(Fd, ReleaseLeavesItOpen) {
  auto ends = pipe_ends();
  const int number = ends[0].release();
  EXPECT_FALSE(ends[0].is_open());
  ends[0] = Fd();
  EXPECT_TRUE(is_open(number));
  EXPECT_EQ(::close(number), 0);
}

}  // namespace
}  // namespace elbowroom
