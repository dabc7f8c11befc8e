#include "base/durable_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace elbowroom {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMost = 1 << 20;

// Fails one call with a number, or stops there as a kill -9 does: everything later fails too.
class FaultyDisk final : public Disk {
 public:
  struct Fault {
    int call = -1;  // the first is 0
    int number = EIO;
    bool stops = false;
  };
  explicit FaultyDisk(Fault fault, std::size_t most_at_once = kMost)
      : fault_(fault), most_at_once_(most_at_once) {}

  int calls() const { return calls_; }

  int open(const std::string& path, int flags, mode_t mode) const override {
    return fails("open") ? -1 : real_.open(path, flags, mode);
  }
  ssize_t write(int fd, std::string_view bytes) const override {
    if (fails("write")) return -1;
    return real_.write(fd, bytes.substr(0, most_at_once_));
  }
  int fsync(int fd) const override { return fails("fsync") ? -1 : real_.fsync(fd); }
  int link(const std::string& from, const std::string& to) const override {
    return fails("link") ? -1 : real_.link(from, to);
  }
  int rename(const std::string& from, const std::string& to) const override {
    return fails("rename") ? -1 : real_.rename(from, to);
  }
  int unlink(const std::string& path) const override {
    return fails("unlink") ? -1 : real_.unlink(path);
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  bool fails(const char* name) const {
    names_.emplace_back(name);
    const int call = calls_++;
    if (call != fault_.call && !(fault_.stops && call > fault_.call)) return false;
    errno = fault_.number;
    return true;
  }

  RealDisk real_;
  Fault fault_;
  std::size_t most_at_once_;
  mutable int calls_ = 0;
  mutable std::vector<std::string> names_;
};

class DurableFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "durable-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    path_ = folder_ + "/allocations";
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string content(const std::string& path) {
    const auto read = read_file(path, kMost);
    return read ? *read : "(" + std::string(to_string(read.error().code)) + ")";
  }
  static std::size_t open_descriptors() {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
  }

  std::string folder_;
  std::string path_;
};

TEST_F(DurableFile, ReplacesAndKeepsThePreviousCopy) {
  ASSERT_TRUE(replace_file(path_, "one"));
  EXPECT_EQ(content(path_), "one");
  EXPECT_EQ(content(previous_of(path_)), "(NotFound)");
  ASSERT_TRUE(replace_file(path_, "two"));
  ASSERT_TRUE(replace_file(path_, ""));
  EXPECT_EQ(content(path_), "");
  EXPECT_EQ(content(previous_of(path_)), "two");
  struct stat facts{};
  ASSERT_EQ(::stat(path_.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2);
}

TEST_F(DurableFile, SyncsTheFileBeforeItsRenameAndTheFolderAfter) {
  const FaultyDisk disk({});
  ASSERT_TRUE(replace_file(path_, "one", disk));
  EXPECT_EQ(disk.names(), (std::vector<std::string>{"unlink", "open", "write", "fsync", "unlink",
                                                    "link", "rename", "open", "fsync"}));
}

TEST_F(DurableFile, ShortAndInterruptedWritesAreCarriedOn) {
  const FaultyDisk disk({.call = 3, .number = EINTR}, 7);
  ASSERT_TRUE(replace_file(path_, "more than seven bytes of text", disk));
  EXPECT_EQ(content(path_), "more than seven bytes of text");
}

// Whatever call fails, by an error or by the end of the process: the file holds one of both
// contents, whole, nothing is leaked, and the next replace works.
TEST_F(DurableFile, AnyCallMayFail) {
  for (const bool stops : {false, true}) {
    for (const int number : {ENOSPC, EDQUOT, EROFS, EIO, EACCES, EPERM}) {
      for (int call = 0;; ++call) {
        ASSERT_TRUE(replace_file(path_, "zero"));
        ASSERT_TRUE(replace_file(path_, "one"));
        const std::size_t descriptors = open_descriptors();
        const FaultyDisk disk({call, number, stops});
        const auto replaced = replace_file(path_, "two", disk);
        EXPECT_EQ(open_descriptors(), descriptors);
        if (call >= disk.calls()) {
          EXPECT_TRUE(replaced);
          break;
        }
        const std::string now = fs::exists(path_) ? content(path_) : content(previous_of(path_));
        EXPECT_TRUE(now == "one" || now == "two") << now << " after call " << call;
        if (replaced) {
          EXPECT_EQ(now, "two") << call;
          EXPECT_EQ(number, EPERM) << "only a missing hard link may be made up for";
        } else {
          EXPECT_TRUE(replaced.error().message.find(folder_) != std::string::npos);
        }
        ASSERT_TRUE(replace_file(path_, "three"));
        EXPECT_EQ(content(path_), "three");
        EXPECT_FALSE(fs::exists(path_ + ".tmp"));
      }
    }
  }
}

TEST_F(DurableFile, ErrorsNameThePathAndTheRemedy) {
  const auto error = [&](int number) {
    const auto replaced = replace_file(path_, "one", FaultyDisk({2, number, false}));
    return std::string(to_string(replaced.error().code)) + " " + replaced.error().message;
  };
  EXPECT_EQ(error(ENOSPC), "Unavailable write " + path_ +
                               ".tmp: no space left on device: free some space on its file system");
  EXPECT_EQ(error(EROFS), "Unavailable write " + path_ +
                              ".tmp: read-only file system: mount its file system writable");
  EXPECT_EQ(error(EACCES),
            "Denied write " + path_ + ".tmp: permission denied: give this user access to it");
  EXPECT_FALSE(fs::exists(path_ + ".tmp"));
  EXPECT_EQ(replace_file(folder_ + "/no/file", "x").error().code, Code::NotFound);
  EXPECT_EQ(replace_file(folder_ + "/" + std::string(300, 'x'), "x").error().code, Code::Invalid);
}

TEST_F(DurableFile, WithoutHardLinksThePreviousCopyIsKeptByName) {
  ASSERT_TRUE(replace_file(path_, "one"));
  ASSERT_TRUE(replace_file(path_, "two", FaultyDisk({5, EPERM, false})));
  EXPECT_EQ(content(path_), "two");
  EXPECT_EQ(content(previous_of(path_)), "one");
}

TEST_F(DurableFile, ATemporaryFileThatIsALinkIsNotFollowed) {
  std::ofstream(folder_ + "/other") << "theirs";
  fs::create_symlink(folder_ + "/other", path_ + ".tmp");
  ASSERT_TRUE(replace_file(path_, "ours"));
  EXPECT_EQ(content(folder_ + "/other"), "theirs");
  EXPECT_EQ(content(path_), "ours");
}

TEST_F(DurableFile, ReadingIsBounded) {
  ASSERT_TRUE(replace_file(path_, "12345"));
  EXPECT_EQ(*read_file(path_, 5), "12345");
  const auto larger = read_file(path_, 4);
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.error().code, Code::Exhausted);
  EXPECT_EQ(larger.error().message, "read " + path_ + ": more than 4 bytes: is it the right file?");
  // Reports no size, and has content.
  EXPECT_FALSE(read_file("/proc/self/status", kMost)->empty());
}

TEST_F(DurableFile, OnlyRegularFilesAreRead) {
  EXPECT_EQ(read_file(folder_, kMost).error().code, Code::Invalid);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(read_file(path_, kMost).error().code, Code::Invalid);
  EXPECT_EQ(read_file("/dev/zero", kMost).error().code, Code::Invalid);
}

TEST_F(DurableFile, ABadFileIsMovedAsideFiveTimesAtMost) {
  for (int i = 1; i <= 7; ++i) {
    ASSERT_TRUE(replace_file(path_, std::to_string(i)));
    const auto aside = move_aside(path_);
    ASSERT_TRUE(aside);
    EXPECT_EQ(*aside, path_ + ".bad-" + std::to_string(std::min(i, 5)));
    EXPECT_EQ(content(*aside), std::to_string(i));
    EXPECT_FALSE(fs::exists(path_));
  }
  EXPECT_EQ(content(path_ + ".bad-1"), "1");
  EXPECT_EQ(move_aside(path_).error().code, Code::NotFound);
}

}  // namespace
}  // namespace elbowroom
