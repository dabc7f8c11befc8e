#include "daemon/program/crash_record.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/durable_file.h"
#include "test/temporary_folder.h"

namespace elbowroom::daemon {
namespace {

using namespace std::chrono_literals;

class Crashes : public ::testing::Test {
 protected:
  std::string file() const { return (folder_.path() / "crashes").string(); }
  void put(const std::string& text) const { std::ofstream(file()) << text; }
  std::string text() const { return read_file(file(), 4096).value_or("(none)"); }
  // Whether a start at that time, which ends by itself, finds itself in a loop.
  bool loops_at(std::chrono::seconds now) const {
    return CrashRecord(folder_.path().string(), now, disk_).is_loop();
  }
  // How long a start at that time has to wait, which then ends by itself.
  std::chrono::seconds wait_at(std::chrono::seconds now) const {
    return CrashRecord(folder_.path().string(), now, disk_).wait();
  }
  // A start that never ends: what it noted stays.
  void crash_after_start_at(std::chrono::seconds now) const {
    std::string noted;
    {
      const CrashRecord record(folder_.path().string(), now, disk_);
      noted = text();
    }
    put(noted);
  }

  test::TemporaryFolder folder_;
  RealDisk disk_{};
};

TEST_F(Crashes, FiveWithinTenMinutesAreALoop) {
  for (int i = 0; i < 5; ++i) crash_after_start_at(100s + i * 1s);
  EXPECT_EQ(text(), "crash 101\ncrash 102\ncrash 103\ncrash 104\nrunning\n");
  EXPECT_TRUE(loops_at(105s));
}

TEST_F(Crashes, FourAreNone) {
  for (int i = 0; i < 4; ++i) crash_after_start_at(100s + i * 1s);
  EXPECT_FALSE(loops_at(105s));
}

// It is reported when it ended, not when it began.
TEST_F(Crashes, TheFirstMayFollowAfterALongHealthyRun) {
  crash_after_start_at(100s);
  for (int i = 0; i < 4; ++i) crash_after_start_at(100000s + i * 1s);
  EXPECT_TRUE(loops_at(100004s));
}

TEST_F(Crashes, WhatIsTenMinutesAgoIsOver) {
  put("crash 100\ncrash 200\ncrash 201\ncrash 202\ncrash 203\n");
  EXPECT_FALSE(loops_at(701s));
  put("crash 100\ncrash 200\ncrash 201\ncrash 202\ncrash 203\n");
  EXPECT_TRUE(loops_at(700s));
}

TEST_F(Crashes, ALoopStaysOneHoweverLongItRuns) {
  put("crash 100\ncrash 101\ncrash 102\ncrash 103\ncrash 104\n");
  {
    const CrashRecord first(folder_.path().string(), 110s, disk_);
    EXPECT_TRUE(first.is_new_loop());
  }
  const CrashRecord later(folder_.path().string(), 99999s, disk_);
  EXPECT_TRUE(later.is_loop());
  EXPECT_FALSE(later.is_new_loop());
}

TEST_F(Crashes, AStartThatFailsIsNoCrashAndForgetsNothing) {
  for (int i = 0; i < 4; ++i) crash_after_start_at(100s + i * 1s);
  EXPECT_FALSE(loops_at(105s));
  EXPECT_EQ(text(), "crash 101\ncrash 102\ncrash 103\ncrash 105\n");
  crash_after_start_at(106s);
  EXPECT_TRUE(loops_at(107s));
}

TEST_F(Crashes, AnOrderlyStopForgetsThemAll) {
  put("crash 100\ncrash 101\ncrash 102\ncrash 103\ncrash 104\nloop\n");
  {
    CrashRecord record(folder_.path().string(), 110s, disk_);
    EXPECT_TRUE(record.is_loop());
    record.stopped();
  }
  EXPECT_FALSE(std::filesystem::exists(file()));
  EXPECT_FALSE(loops_at(111s));
}

TEST_F(Crashes, ALoopThatGoesOnDoesNotGrowTheFile) {
  for (int i = 0; i < 100; ++i) crash_after_start_at(100s + i * 1s);
  std::string latest;
  for (int at = 189; at < 200; ++at) latest += "crash " + std::to_string(at) + "\n";
  EXPECT_EQ(text(), latest + "loop\nrunning\n");
}

// The fifth crash makes the loop, whose first start is at once: it reports the loop.
TEST_F(Crashes, EachCrashOfALoopDoublesTheWaitUpToABound) {
  const std::vector<std::chrono::seconds> waits = {0s, 0s, 0s,  0s,  0s,  0s,  2s,
                                                   4s, 8s, 16s, 32s, 64s, 64s, 64s};
  for (std::size_t crashes = 0; crashes < waits.size(); ++crashes) {
    EXPECT_EQ(wait_at(100s), waits[crashes]) << crashes;
    crash_after_start_at(100s);
  }
}

TEST_F(Crashes, TheWaitIsCountedFromTheLastCrash) {
  const std::string seven =
      "crash 100\ncrash 101\ncrash 102\ncrash 103\ncrash 104\ncrash 105\ncrash 106\nloop\n";
  put(seven);
  EXPECT_EQ(wait_at(107s), 3s);
  put(seven);
  EXPECT_EQ(wait_at(110s), 0s);
  put(seven);
  EXPECT_EQ(wait_at(200s), 0s);
}

TEST_F(Crashes, WhatIsTenMinutesAgoIsWaitedForNoMore) {
  put("crash 100\ncrash 101\ncrash 102\ncrash 103\ncrash 104\ncrash 105\nloop\nrunning\n");
  EXPECT_EQ(wait_at(701s), 2s);  // this one, and all but the first
  put("crash 100\ncrash 101\ncrash 102\ncrash 103\ncrash 104\ncrash 105\nloop\nrunning\n");
  EXPECT_EQ(wait_at(800s), 0s);
}

// It crashes as soon as it may: how often that is within any ten minutes is the service manager's
// half second no more.
TEST_F(Crashes, ALoopThatGoesOnStartsNoOftenerThanEveryHalfMinute) {
  std::chrono::seconds now = 100s;
  int starts = 0;
  while (now < 100s + 2h) {
    const std::chrono::seconds wait = wait_at(now);
    now += wait;
    crash_after_start_at(now);
    now += 1s;
    ++starts;
  }
  EXPECT_LE(starts, 2 * 60 * 2);
}

TEST_F(Crashes, WhatIsNoTimeOfThisBootCountsNothing) {
  put("x\ncrash -1\ncrash 1 1\ncrash 99999999999999999999\ncrash 500\ncrash 501\ncrash\n"
      "crash 502\ncrash 503\n\n");
  EXPECT_FALSE(loops_at(400s));
  put(std::string(5000, '1'));  // more than is read
  EXPECT_FALSE(loops_at(400s));
}

TEST_F(Crashes, WithoutAFolderNothingIsCountedAndNothingIsWrong) {
  const CrashRecord none("", 5s, disk_);
  EXPECT_FALSE(none.is_loop());
  EXPECT_EQ(none.trouble(), "");
}

TEST_F(Crashes, AFolderThatIsGoneIsTold) {
  const CrashRecord gone((folder_.path() / "absent").string(), 5s, disk_);
  EXPECT_FALSE(gone.is_loop());
  EXPECT_NE(gone.trouble().find("absent/crashes"), std::string::npos);
}

}  // namespace
}  // namespace elbowroom::daemon
