#include "agent/checkpoint/state_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "test/temporary_folder.h"

namespace elbowroom::agent {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr ::uid_t kStranger = 54321;

class StateLock : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.path(name); }
  // "" where it is taken.
  static std::string said(const std::string& directory) {
    const auto lock = lock_state(directory);
    return lock ? "" : std::string(to_string(lock.error().code)) + ": " + lock.error().message;
  }
  static bool is_root() { return ::geteuid() == 0; }

  test::TemporaryFolder folder_;
};

TEST_F(StateLock, MakesWhatIsMissingForItsOwnerAlone) {
  EXPECT_EQ(said(path("a/b/state")), "");
  struct stat facts{};
  ASSERT_EQ(::stat(path("a/b/state").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0700U);
  EXPECT_EQ(said(path("a/b/state/")), "") << "a slash at the end";
  EXPECT_EQ(said(path("a/./c/../b/state")), "");
  EXPECT_FALSE(fs::exists(path("a/c")));
}

TEST_F(StateLock, OneAtATime) {
  const auto first = lock_state(path("state"));
  ASSERT_TRUE(first);
  EXPECT_THAT(said(path("state")), HasSubstr("Unavailable: state directory " + path("state")));
}

TEST_F(StateLock, ALinkInItsPlaceIsNotFollowed) {
  fs::create_directory(path("real"));
  fs::permissions(path("real"), fs::perms::owner_all);
  fs::create_directory_symlink(path("real"), path("state"));
  EXPECT_THAT(said(path("state")), HasSubstr("Invalid: state directory " + path("state") +
                                             ": it cannot be opened: Not a directory"));
  EXPECT_THAT(said(path("state/")), HasSubstr("it cannot be opened")) << "a slash follows links";
  EXPECT_EQ(said(path("real")), "");
}

TEST_F(StateLock, ALinkInThePlaceOfAParentIsRootsOrRefused) {
  fs::create_directory(path("real"));
  fs::create_directory_symlink(path("real"), path("link"));
  if (is_root()) {
    EXPECT_EQ(said(path("link/state")), "");
    EXPECT_TRUE(fs::is_directory(path("real/state")));
    ASSERT_EQ(::lchown(path("link").c_str(), kStranger, kStranger), 0);
  }
  EXPECT_THAT(said(path("link/other")), HasSubstr("Too many levels of symbolic links"));
  EXPECT_FALSE(fs::exists(path("real/other")));
}

TEST_F(StateLock, OneToWhichOthersMayWriteIsRefused) {
  fs::create_directory(path("state"));
  for (const ::mode_t mode : {0770U, 0707U, 0720U, 01777U}) {
    ASSERT_EQ(::chmod(path("state").c_str(), mode), 0);
    EXPECT_THAT(said(path("state")),
                HasSubstr("others than its owner may write to it: chmod 0700 " + path("state")))
        << std::oct << mode;
  }
  for (const ::mode_t mode : {0700U, 0755U}) {
    ASSERT_EQ(::chmod(path("state").c_str(), mode), 0);
    EXPECT_EQ(said(path("state")), "") << std::oct << mode;
  }
  if (!is_root()) return;
  ASSERT_EQ(::chown(path("state").c_str(), kStranger, kStranger), 0);
  EXPECT_THAT(said(path("state")), HasSubstr("it belongs to another user (uid 54321)"));
}

TEST_F(StateLock, AFileIsNone) {
  folder_.write("state", "x");
  EXPECT_THAT(said(path("state")), HasSubstr("it cannot be opened"));
  EXPECT_THAT(said(path("state/below")), HasSubstr("it cannot be made: Not a directory"));
}

}  // namespace
}  // namespace elbowroom::agent
