#include "recording/recording_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/durable_file.h"

namespace elbowroom::recording {
namespace {

constexpr int kKept = 3;  // in addition to the file being written
constexpr std::size_t kChunk = std::size_t{64} << 10;
constexpr std::string_view kBeginning = "{\"recording\":";

std::unexpected<Error> failed(std::string_view what, std::string_view path) {
  return std::unexpected(error_of_errno(errno, what, path));
}

std::string earlier(const std::string& path, int age) {
  return age == 0 ? path : path + "." + std::to_string(age);
}

// Returns the size of the file at the place of a recording; nullopt if there is none. Valid are an
// empty file, one that a machine crash left without content, and a recording.
Result<std::optional<std::uint64_t>> size_of_ours(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open() && errno == ENOENT) return std::nullopt;
  if (!file.is_open()) return failed("look at", path);
  struct stat about{};
  if (::fstat(file.get(), &about) < 0) return failed("look at", path);
  std::array<char, kBeginning.size()> bytes{};
  const ssize_t got = S_ISREG(about.st_mode) ? ::read(file.get(), bytes.data(), bytes.size()) : -1;
  const std::string_view front(bytes.data(), got < 0 ? 0 : static_cast<std::size_t>(got));
  const bool ours = got == 0 || (got > 0 && (front[0] == '\0' || kBeginning.starts_with(front)));
  if (ours) return static_cast<std::uint64_t>(about.st_size);
  return failure(Code::Invalid, path + " is no recording and is left alone: name another file");
}

}  // namespace

Result<void> check_place(const std::string& path) {
  RETURN_IF_ERROR(size_of_ours(path));
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return {};
  return failed("write into", folder);
}

RecordingWriter::RecordingWriter(std::string path, std::uint64_t limit, const Disk& disk)
    : path_(std::move(path)), share_(limit / (kKept + 1)), disk_(disk) {}

// Earlier files larger than a share (from a larger limit) are removed, too.
Result<void> RecordingWriter::put_aside() const {
  for (int age = kKept; age >= 0; --age) {
    const std::string path = earlier(path_, age);
    ASSIGN_OR_RETURN(const auto size, size_of_ours(path));
    if (!size) continue;
    if (age == kKept || *size > share_) {
      if (disk_.unlink(path) < 0 && errno != ENOENT) return failed("remove", path);
    } else if (disk_.rename(path, earlier(path_, age + 1)) < 0) {
      return failed("rename", path);
    }
  }
  return {};
}

Result<void> RecordingWriter::begin(std::string_view first_line) {
  file_ = Fd();
  RETURN_IF_ERROR(put_aside());
  file_ = Fd(disk_.open(
      path_, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (!file_.is_open()) return failed("create", path_);
  size_ = 0;
  auto added = add(first_line);
  if (!added && added.error().code == Code::Exhausted) {
    return failure(Code::Exhausted, path_ + ": the state alone takes " +
                                        std::to_string(first_line.size()) +
                                        " bytes, more than a file may hold: raise recordLimit");
  }
  return added;
}

Result<void> RecordingWriter::add(std::string_view line) {
  if (line.size() >= kMostRecordedLine || size_ + line.size() + 1 > share_) {
    return failure(Code::Exhausted,
                   path_ + " has no place for a line of " + std::to_string(line.size()) + " bytes");
  }
  std::string text(line);
  text += '\n';
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t written = disk_.write(file_.get(), rest);
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = EIO;
    if (written <= 0) return failed("write", path_);
    size_ += static_cast<std::uint64_t>(written);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<RecordingReader> RecordingReader::open(const std::string& path) {
  Fd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open()) return failed("open", path);
  struct stat about{};
  if (::fstat(file.get(), &about) < 0) return failed("look at", path);
  if (!S_ISREG(about.st_mode)) {
    return failure(Code::Invalid, path + " is no regular file: name a recording");
  }
  return RecordingReader(path, std::move(file));
}

RecordingReader RecordingReader::of_text(std::string text) {
  RecordingReader reader("the text", Fd());
  reader.buffer_ = std::move(text);
  reader.ended_ = true;
  return reader;
}

// Returns true if there is more to read.
Result<bool> RecordingReader::fill() {
  if (ended_) return false;
  buffer_.erase(0, start_);
  scanned_ -= start_;
  start_ = 0;
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kChunk);
  ssize_t got = -1;
  do {
    got = ::read(file_.get(), buffer_.data() + before, kChunk);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return failed("read", path_);
  buffer_.resize(before + static_cast<std::size_t>(got));
  ended_ = got == 0;
  return !ended_;
}

Result<std::optional<RecordingReader::Line>> RecordingReader::next() {
  for (;;) {
    const std::size_t end = buffer_.find('\n', scanned_);
    if (end != std::string::npos) {
      Line line{.number = ++number_, .text = buffer_.substr(start_, end - start_)};
      start_ = scanned_ = end + 1;
      return line;
    }
    scanned_ = buffer_.size();
    if (scanned_ - start_ > kMostRecordedLine) {
      return failure(Code::Invalid, path_ + ": line " + std::to_string(number_ + 1) +
                                        " is longer than 16 MiB: this is no recording");
    }
    ASSIGN_OR_RETURN(const bool more, fill());
    if (more) continue;
    if (start_ == buffer_.size()) return std::nullopt;
    Line line{.number = ++number_, .text = buffer_.substr(start_), .torn = true};
    start_ = scanned_ = buffer_.size();
    return line;
  }
}

}  // namespace elbowroom::recording
