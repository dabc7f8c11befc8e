// A recording on disk: lines of text in a file that is replaced when it is full. Every file begins
// with a line that a reader needs to understand the rest, so each can be read on its own, and all
// of them together never hold more than the limit.
//
//   FILE (being written) --full--> FILE.1 --> FILE.2 --> FILE.3 --> gone
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

// Each line is written at once, so all of them survive the death of the program, though not that of
// the machine. After an error nothing more may be written.
// Whether a recording may be written there, as far as it can be told without writing; the error
// says what is in the way.
[[nodiscard]] Result<void> check_place(const std::string& path);

class RecordingWriter {
 public:
  // FILE and the three before it share `limit` bytes; `disk` must outlive the writer.
  RecordingWriter(std::string path, std::uint64_t limit, const Disk& disk);

  // Puts what is there aside and begins a new file, mode 0600, with that line. Refuses to touch
  // anything that is no recording.
  [[nodiscard]] Result<void> begin(std::string_view first_line);

  // The next thing that is recorded belongs into a new file.
  [[nodiscard]] bool is_full() const { return !file_.is_open() || size_ >= share_ - share_ / 8; }

  // Exhausted where the line has no place in this file any more.
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

// The lines of one file, one by one.
class RecordingReader {
 public:
  struct Line {
    std::size_t number = 0;  // from 1
    std::string text{};
    bool torn = false;  // the file ends in the middle of it
  };

  // Invalid: no regular file; NotFound, Denied, Unavailable as read_file.
  [[nodiscard]] static Result<RecordingReader> open(const std::string& path);

  // The lines of a text, as if it had been a file's.
  [[nodiscard]] static RecordingReader of_text(std::string text);

  // nullopt at the end. Invalid: a line that is too long.
  [[nodiscard]] Result<std::optional<Line>> next();

 private:
  RecordingReader(std::string path, Fd file) : path_(std::move(path)), file_(std::move(file)) {}
  [[nodiscard]] Result<bool> fill();

  std::string path_;
  Fd file_;
  std::string buffer_{};
  std::size_t start_ = 0;    // of what was not handed out yet
  std::size_t scanned_ = 0;  // up to where there is no end of a line
  std::size_t number_ = 0;
  bool ended_ = false;
};

}  // namespace elbowroom::recording
