#include "base/child_program.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>

namespace elbowroom {
namespace {

using testing::HasSubstr;

// Waits for the program's end, by its own descriptors; nothing after 20 s.
std::optional<ProgramOutcome> end_of(ChildProgram& program) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < deadline) {
    if (auto outcome = program.poll()) return outcome;
    std::array<pollfd, 3> ready{};
    for (std::size_t i = 0; i < ready.size(); ++i) {
      ready[i] = {.fd = program.descriptors()[i], .events = POLLIN, .revents = 0};
    }
    ::poll(ready.data(), ready.size(), 1000);
  }
  return std::nullopt;
}

ProgramCall shell(const std::string& script) {
  return {.command = "/bin/sh", .arguments = {"-c", script}, .environment = {"A=b c"}};
}

ProgramOutcome run(const ProgramCall& call) {
  auto program = ChildProgram::start(call);
  if (!program) return {.status = -1, .complaint = program.error().message};
  return end_of(**program).value_or(ProgramOutcome{.status = -2});
}

TEST(ChildProgram, SaysWhatItWroteAndHowItEnded) {
  const auto fine = run(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(fine.status, 3);
  EXPECT_EQ(fine.signal, 0);
  EXPECT_EQ(fine.output, "out\n");
  EXPECT_EQ(fine.complaint, "err\n");
  EXPECT_EQ(run(shell("kill -9 $$")).signal, SIGKILL);
}

TEST(ChildProgram, ArgumentsAreNoShellWords) {
  const auto echo = run({.command = "echo", .arguments = {"$HOME; id", "a  b", ""}});
  EXPECT_EQ(echo.output, "$HOME; id a  b \n");
}

TEST(ChildProgram, HasOnlyWhatItIsGiven) {
  EXPECT_EQ(run({.command = "env", .environment = {"A=b c"}}).output, "A=b c\n");
  EXPECT_EQ(run(shell("cat; echo end")).output, "end\n") << "no input";
  const Fd secret(::dup(2));
  // What `ls` itself opens is the folder.
  EXPECT_EQ(run(shell("ls -1 /proc/self/fd | wc -l")).output, "4\n");
}

TEST(ChildProgram, SignalsAreAsAtTheStart) {
  sigset_t set;
  sigset_t before;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  const auto ended = run(shell("kill -TERM $$; sleep 20"));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(ended.signal, SIGTERM);
}

TEST(ChildProgram, WhatCannotBeRunIsNamed) {
  const auto missing = ChildProgram::start({.command = "/nowhere/aws"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::NotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("/nowhere/aws: No such file"));
  const auto folder = ChildProgram::start({.command = "/tmp"});
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, Code::Denied);
}

TEST(ChildProgram, AFloodIsCutAndItsWriterKilled) {
  ProgramCall flood = shell("yes");
  flood.most_output = 1000;
  const auto ended = run(flood);
  EXPECT_TRUE(ended.is_overflow);
  EXPECT_EQ(ended.output.size(), 1000U);
  EXPECT_EQ(ended.signal, SIGKILL);
  EXPECT_EQ(run(shell("head -c 1000000 /dev/zero >&2; echo fine")).output, "fine\n")
      << "a long complaint is only cut";
}

TEST(ChildProgram, WhatItLeavesBehindIsNotWaitedFor) {
  EXPECT_EQ(run(shell("sleep 20 & echo done")).output, "done\n");
}

TEST(ChildProgram, OneThatIsGivenUpIsKilledWithItsChildren) {
  const std::string path = testing::TempDir() + "elbowroom-" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const Fd pipe(::open(path.c_str(), O_RDONLY | O_NONBLOCK));
  {
    auto program = ChildProgram::start(shell("(echo up; sleep 20) > " + path + " & wait"));
    ASSERT_TRUE(program);
    pollfd up{.fd = pipe.get(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&up, 1, 20'000), 1);
  }
  std::array<char, 8> text{};
  ASSERT_EQ(::read(pipe.get(), text.data(), text.size()), 3);
  // Its writer has ended: the pipe ends.
  pollfd down{.fd = pipe.get(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(::poll(&down, 1, 10'000), 1);
  EXPECT_EQ(::read(pipe.get(), text.data(), text.size()), 0);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace elbowroom
