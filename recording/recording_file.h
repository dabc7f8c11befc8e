// A recording on disk: lines of text in a file that is replaced when it is full. Every file begins
// with a line that a reader needs for the rest, so each file can be read on its own. All of them
// together never exceed the limit.
//
//   FILE (being written) --full--> FILE.1 --> FILE.2 --> FILE.3 --> deleted
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/disk.h"
#include "base/fd.h"
#include "base/result.h"

namespace elbowroom::recording {

// The longest line that is written or read.
inline constexpr std::size_t kMostRecordedLine = std::size_t{16} << 20;

inline constexpr std::uint64_t kLeastRecordLimit = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kUsualRecordLimit = std::uint64_t{64} << 20;

// Checks without writing whether a recording can be written there; the error names the obstacle.
[[nodiscard]] Result<void> check_place(const std::string& path);

// Each line is written at once, so all lines survive a crash of the program, but not one of the
// machine. After an error nothing more may be written.
class RecordingWriter {
 public:
  // FILE and its three predecessors share `limit` bytes; `disk` must outlive the writer.
  RecordingWriter(std::string path, std::uint64_t limit, const Disk& disk);

  // Rotates existing files and begins a new file, mode 0600, with that line. Refuses to touch a
  // file that is not a recording.
  [[nodiscard]] Result<void> begin(std::string_view first_line);

  // True if the next record must go into a new file.
  [[nodiscard]] bool is_full() const { return !file_.is_open() || size_ >= share_ - share_ / 8; }

  // Exhausted: the line does not fit into this file.
  [[nodiscard]] Result<void> add(std::string_view line);

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[nodiscard]] Result<void> put_aside() const;

  std::string path_;
  std::uint64_t share_;
  const Disk& disk_;
  Fd file_{};
  std::uint64_t size_ = 0;
};

// Reads the lines of one file, one by one.
class RecordingReader {
 public:
  struct Line {
    std::size_t number = 0;  // from 1
    std::string text{};
    bool torn = false;  // the file ends inside this line
  };

  // Invalid: not a regular file; NotFound, Denied, Unavailable as read_file.
  [[nodiscard]] static Result<RecordingReader> open(const std::string& path);

  // Reads the lines of a text as if they came from a file.
  [[nodiscard]] static RecordingReader of_text(std::string text);

  // Returns nullopt at the end. Invalid: a line is too long.
  [[nodiscard]] Result<std::optional<Line>> next();

 private:
  RecordingReader(std::string path, Fd file) : path_(std::move(path)), file_(std::move(file)) {}
  [[nodiscard]] Result<bool> fill();

  std::string path_;
  Fd file_;
  std::string buffer_{};
  std::size_t start_ = 0;    // of the data not returned yet
  std::size_t scanned_ = 0;  // no line end before this offset
  std::size_t number_ = 0;
  bool ended_ = false;
};

}  // namespace elbowroom::recording
