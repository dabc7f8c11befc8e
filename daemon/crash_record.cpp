#include "daemon/crash_record.h"

#include <fcntl.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <system_error>

#include "base/durable_file.h"

namespace elbowroom::daemon {
namespace {

constexpr std::size_t kMostBytes = 4096;

// Of the starts that the file tells, one line each in seconds, those within the window: the latest
// kMost. What is no number, or is yet to come, is none.
std::deque<std::int64_t> starts_in(std::string_view text, std::chrono::seconds now) {
  std::deque<std::int64_t> starts;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    std::int64_t at = 0;
    const auto read = std::from_chars(line.data(), line.data() + line.size(), at);
    const bool is_number = read.ec == std::errc() && read.ptr == line.data() + line.size();
    const auto window = std::chrono::seconds(CrashRecord::kWindow).count();
    if (!is_number || at < 0 || at > now.count() || now.count() - at > window) continue;
    starts.push_back(at);
    if (starts.size() > CrashRecord::kMost) starts.pop_front();
  }
  return starts;
}

}  // namespace

CrashRecord::CrashRecord(const std::string& folder, std::chrono::seconds since_boot,
                         const Disk& disk)
    : disk_(disk) {
  if (folder.empty()) return;
  path_ = folder + "/starts";
  const auto text = read_file(path_, kMostBytes, disk_);
  if (!text && text.error().code != Code::NotFound) trouble_ = text.error().message;
  const std::deque<std::int64_t> starts = starts_in(text ? *text : "", since_boot);
  crashes_ = starts.size();
  std::string stamps;
  for (const std::int64_t each : starts) stamps += std::to_string(each) + "\n";
  note(stamps + std::to_string(since_boot.count()) + "\n");
}

// Not durable: a boot that is over counts no more anyway.
void CrashRecord::note(std::string_view stamps) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
  const int fd = disk_.open(path_, kFlags, 0600);
  const bool written = fd >= 0 && disk_.write(fd, stamps) == static_cast<ssize_t>(stamps.size());
  if (!written) trouble_ = path_ + ": " + std::generic_category().message(errno);
  if (fd >= 0) disk_.close(fd);
}

CrashRecord::~CrashRecord() {
  if (!path_.empty()) (void)disk_.unlink(path_);
}

std::string runtime_directory() {
  const char* folders =
      std::getenv("RUNTIME_DIRECTORY");  // NOLINT(concurrency-mt-unsafe): one thread
  if (folders == nullptr) return {};
  const std::string_view all = folders;
  return std::string(all.substr(0, all.find(':')));
}

std::chrono::seconds since_boot() {
  timespec now{};
  (void)::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::seconds(now.tv_sec);
}

}  // namespace elbowroom::daemon
