#include "agent/checkpoint/checkpoint_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/durable_file.h"
#include "test/temporary_folder.h"

namespace elbowroom::agent {
namespace {

using ::testing::HasSubstr;

class Store : public ::testing::Test {
 protected:
  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  CheckpointStore store() const { return CheckpointStore(folder_.path().string(), disk_); }

  test::TemporaryFolder folder_;
  RealDisk disk_{};
};

TEST_F(Store, WhatCannotBeUsedIsMovedAside) {
  std::ofstream(file("allocations")) << "of a newer agent\n";
  const Restored restored = store().load();
  EXPECT_TRUE(restored.rebuilt);
  EXPECT_THAT(restored.trouble, HasSubstr("moved to"));
  EXPECT_FALSE(std::filesystem::exists(file("allocations")));
  EXPECT_TRUE(std::filesystem::exists(file("allocations.bad-1")));
}

TEST_F(Store, ALinkIsNotFollowed) {
  ASSERT_TRUE(store().save({}));
  std::filesystem::rename(file("allocations"), file("elsewhere"));
  std::filesystem::create_symlink(file("elsewhere"), file("allocations"));
  const Restored restored = store().load();
  EXPECT_TRUE(restored.rebuilt);
  EXPECT_THAT(restored.trouble, HasSubstr("it is a link, and none is followed; moved to"));
  EXPECT_TRUE(std::filesystem::is_symlink(file("allocations.bad-1")));
}

// Both are evidence; the next checkpoint would replace the previous one.
TEST_F(Store, ASpoiltPreviousCopyIsMovedAsideToo) {
  for (const bool is_newest_there : {true, false}) {
    if (is_newest_there) std::ofstream(file("allocations")) << "torn\n";
    std::ofstream(file("allocations.prev")) << "torn too\n";
    const Restored restored = store().load();
    EXPECT_TRUE(restored.rebuilt);
    EXPECT_THAT(restored.trouble, HasSubstr("moved to " + file("allocations.prev") + ".bad-"));
    EXPECT_THAT(restored.trouble, HasSubstr("rebuilt from what the API shows"));
    EXPECT_FALSE(std::filesystem::exists(file("allocations.prev")));
  }
  EXPECT_EQ(read_file(file("allocations.prev.bad-1"), 100).value_or(""), "torn too\n");
  EXPECT_EQ(read_file(file("allocations.prev.bad-2"), 100).value_or(""), "torn too\n");
  std::ofstream(file("allocations")) << "torn\n";
  std::ofstream(file("allocations.prev")) << "torn too\n";
  (void)store().load(CheckpointStore::Damaged::Leave);
  EXPECT_TRUE(std::filesystem::exists(file("allocations.prev")));
}

TEST_F(Store, APreviousCopyThatCanBeUsedStays) {
  ASSERT_TRUE(store().save({}));
  ASSERT_TRUE(store().save({}));
  std::ofstream(file("allocations")) << "torn\n";
  EXPECT_THAT(store().load().trouble, HasSubstr("the copy before it is used"));
  EXPECT_TRUE(std::filesystem::exists(file("allocations.prev")));
}

// A dry run may read the file of a running agent.
TEST_F(Store, ADryRunLeavesWhatItCannotUseWhereItIs) {
  std::ofstream(file("allocations")) << "of a newer agent\n";
  const Restored restored = store().load(CheckpointStore::Damaged::Leave);
  EXPECT_TRUE(restored.rebuilt);
  EXPECT_THAT(restored.trouble, HasSubstr("rebuilt from what the API shows"));
  EXPECT_EQ(read_file(file("allocations"), 100).value_or(""), "of a newer agent\n");
  EXPECT_FALSE(std::filesystem::exists(file("allocations.bad-1")));
}

}  // namespace
}  // namespace elbowroom::agent
