#include "recording/recording_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "base/durable_file.h"
#include "test/temporary_folder.h"

namespace elbowroom::recording {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr std::string_view kHeader = R"({"recording":"test"})";

// No more than `room` bytes can be written.
class SmallDisk final : public Disk {
 public:
  explicit SmallDisk(std::size_t room) : room_(room) {}
  int open(const std::string& path, int flags, mode_t mode) const override {
    return real_.open(path, flags, mode);
  }
  ssize_t write(int fd, std::string_view bytes) const override {
    if (room_ == 0) errno = ENOSPC;
    if (room_ == 0) return -1;
    const ssize_t written = real_.write(fd, bytes.substr(0, room_));
    room_ -= static_cast<std::size_t>(written);
    return written;
  }
  int fsync(int fd) const override { return real_.fsync(fd); }
  int link(const std::string& from, const std::string& to) const override {
    return real_.link(from, to);
  }
  int rename(const std::string& from, const std::string& to) const override {
    return real_.rename(from, to);
  }
  int unlink(const std::string& path) const override { return real_.unlink(path); }

 private:
  RealDisk real_{};
  mutable std::size_t room_;
};

class Recording : public ::testing::Test {
 protected:
  std::string path(const std::string& name = "rec") const {
    return (folder_.path() / name).string();
  }
  std::string content(const std::string& name) const {
    return read_file(path(name), 1 << 24).value_or("(none)");
  }
  std::uint64_t bytes_in_all() const {
    std::uint64_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(folder_.path())) bytes += entry.file_size();
    return bytes;
  }
  std::vector<std::string> lines(const std::string& name) const {
    std::vector<std::string> all;
    auto reader = RecordingReader::open(path(name));
    EXPECT_TRUE(reader);
    for (;;) {
      const auto line = reader->next();
      if (!line || !*line) return all;
      all.push_back(std::to_string((*line)->number) + ((*line)->torn ? " torn " : " ") +
                    (*line)->text);
    }
  }

  test::TemporaryFolder folder_;
  RealDisk disk_;
};

TEST_F(Recording, FilesAreReplacedInTurnAndNeverHoldMoreThanTheLimit) {
  constexpr std::uint64_t kLimit = 4000;
  RecordingWriter writer(path(), kLimit, disk_);
  int begun = 0;
  for (int i = 0; i < 1000; ++i) {
    if (writer.is_full()) {
      ASSERT_TRUE(writer.begin(kHeader));
      ++begun;
    }
    ASSERT_TRUE(writer.add("line " + std::to_string(i)));
    ASSERT_LE(bytes_in_all(), kLimit);
  }
  EXPECT_GT(begun, 5);
  for (const std::string name : {"rec", "rec.1", "rec.2", "rec.3"}) {
    EXPECT_THAT(content(name), ::testing::StartsWith(kHeader)) << name;
  }
  EXPECT_FALSE(fs::exists(path("rec.4")));
  EXPECT_THAT(content("rec"), HasSubstr("line 999\n"));
  struct stat about{};
  ASSERT_EQ(::stat(path().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
}

TEST_F(Recording, APlaceIsLookedAtBeforeAnythingIsWritten) {
  EXPECT_TRUE(check_place(path()));
  EXPECT_FALSE(fs::exists(path()));
  std::ofstream(path("notes")) << "dear diary\n";
  EXPECT_THAT(check_place(path("notes")).error().message, HasSubstr("is no recording"));
  EXPECT_THAT(check_place(path("no/rec")).error().message, HasSubstr("no/"));
  EXPECT_FALSE(check_place(folder_.path().string()));
}

TEST_F(Recording, WhatWasThereBeforeIsKeptUnlessItIsTooLarge) {
  std::ofstream(path()) << kHeader << "\nearlier\n";
  std::ofstream(path("rec.1")) << kHeader << "\n" << std::string(5000, 'x') << "\n";
  RecordingWriter writer(path(), 4000, disk_);
  ASSERT_TRUE(writer.begin(kHeader));
  EXPECT_THAT(content("rec.1"), HasSubstr("earlier"));
  EXPECT_FALSE(fs::exists(path("rec.2")));
}

TEST_F(Recording, WhatIsNoRecordingIsLeftAlone) {
  RecordingWriter writer(path(), 4000, disk_);
  const auto refused = [&] {
    const auto begun = writer.begin(kHeader);
    return begun ? "" : begun.error().message;
  };
  std::ofstream(path()) << "root:x:0:0\n";
  EXPECT_THAT(refused(), HasSubstr("is no recording"));
  EXPECT_EQ(content("rec"), "root:x:0:0\n");
  fs::remove(path());
  fs::create_symlink(path("target"), path());
  EXPECT_NE(refused(), "");
  EXPECT_FALSE(fs::exists(path("target")));
  fs::remove(path());
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  EXPECT_THAT(refused(), HasSubstr("is no recording"));
  fs::remove(path());
  std::ofstream(path("rec.3")) << "precious";
  EXPECT_THAT(refused(), HasSubstr("rec.3 is no recording"));
  fs::remove(path("rec.3"));
  // What a crash of the machine may leave.
  std::ofstream(path()) << std::string(100, '\0');
  EXPECT_EQ(refused(), "");
}

TEST_F(Recording, AFullDiskIsAnError) {
  const SmallDisk disk(30);
  RecordingWriter writer(path(), 4000, disk);
  ASSERT_TRUE(writer.begin(kHeader));
  const auto added = writer.add("a line that does not fit");
  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().message, HasSubstr("no space left"));
  EXPECT_EQ(lines("rec").back(), "2 torn a line th");
}

TEST_F(Recording, ALineWithoutPlaceIsRefusedWhole) {
  RecordingWriter writer(path(), 400, disk_);
  EXPECT_THAT(writer.begin(R"({"recording":")" + std::string(200, 'x')).error().message,
              HasSubstr("raise recordLimit"));
  ASSERT_TRUE(writer.begin(kHeader));
  EXPECT_EQ(writer.add(std::string(200, 'x')).error().code, Code::Exhausted);
  EXPECT_EQ(lines("rec"), (std::vector<std::string>{"1 " + std::string(kHeader)}));
}

TEST_F(Recording, LinesAreReadWhateverTheirLength) {
  std::ofstream(path()) << "a\n\n" << std::string(200'000, 'b') << "\nc";
  EXPECT_EQ(lines("rec"),
            (std::vector<std::string>{"1 a", "2 ", "3 " + std::string(200'000, 'b'), "4 torn c"}));
  std::ofstream(path()) << std::string(kMostRecordedLine + 100'000, 'x');
  auto reader = RecordingReader::open(path());
  ASSERT_TRUE(reader);
  EXPECT_THAT(reader->next().error().message, HasSubstr("line 1 is longer than 16 MiB"));
  EXPECT_FALSE(RecordingReader::open(path("absent")));
  EXPECT_FALSE(RecordingReader::open(folder_.path().string()));
}

}  // namespace
}  // namespace elbowroom::recording
