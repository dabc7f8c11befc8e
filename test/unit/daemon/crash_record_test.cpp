#include "daemon/crash_record.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "base/durable_file.h"
#include "test/unit/lab/scratch_folder.h"

namespace elbowroom::daemon {
namespace {

using namespace std::chrono_literals;

class Crashes : public ::testing::Test {
 protected:
  std::string file() const { return (folder_.path() / "starts").string(); }
  void told(const std::string& stamps) const { std::ofstream(file()) << stamps; }
  // Whether a start at that time finds itself in a loop, where it ends in an orderly way.
  bool loops_at(std::chrono::seconds now) const {
    return CrashRecord(folder_.path().string(), now, disk_).is_loop();
  }
  // A start that never ends: what it noted stays.
  void crash_at(std::chrono::seconds now) const {
    auto record = std::make_unique<CrashRecord>(folder_.path().string(), now, disk_);
    const std::string noted = read_file(file(), 4096).value_or("");
    record.reset();
    told(noted);
  }

  lab::testing::ScratchFolder folder_;
  RealDisk disk_{};
};

TEST_F(Crashes, FiveWithinTenMinutesAreALoop) {
  for (int i = 0; i < 4; ++i) crash_at(100s + i * 1s);
  EXPECT_EQ(read_file(file(), 4096).value_or(""), "100\n101\n102\n103\n");
  crash_at(104s);
  EXPECT_TRUE(loops_at(105s));
}

TEST_F(Crashes, FourAreNone) {
  for (int i = 0; i < 4; ++i) crash_at(100s + i * 1s);
  EXPECT_FALSE(loops_at(105s));
}

TEST_F(Crashes, WhatIsTenMinutesAgoIsOver) {
  told("100\n200\n201\n202\n203\n");
  EXPECT_FALSE(loops_at(701s));
  told("100\n200\n201\n202\n203\n");
  EXPECT_TRUE(loops_at(700s));
}

TEST_F(Crashes, AnOrderlyEndForgetsThemAll) {
  told("100\n101\n102\n103\n104\n");
  EXPECT_TRUE(loops_at(110s));
  EXPECT_FALSE(std::filesystem::exists(file()));
  EXPECT_FALSE(loops_at(111s));
}

TEST_F(Crashes, ALoopThatGoesOnDoesNotGrowTheFile) {
  for (int i = 0; i < 100; ++i) crash_at(100s + i * 1s);
  EXPECT_EQ(read_file(file(), 4096).value_or(""), "194\n195\n196\n197\n198\n199\n");
  EXPECT_TRUE(loops_at(200s));
}

TEST_F(Crashes, WhatIsNoTimeOfThisBootCountsNothing) {
  told("x\n-1\n1 1\n99999999999999999999\n500\n501\n502\n503\n\n");
  EXPECT_FALSE(loops_at(400s));
  told(std::string(5000, '1'));  // more than is read
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
  EXPECT_NE(gone.trouble().find("absent/starts"), std::string::npos);
}

}  // namespace
}  // namespace elbowroom::daemon
