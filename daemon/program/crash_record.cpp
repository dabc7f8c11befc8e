#include "daemon/program/crash_record.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/backoff.h"
#include "base/durable_file.h"

namespace elbowroom::daemon {
namespace {

constexpr std::size_t kMostBytes = 4096;
constexpr std::size_t kMostDoublings = 6;
constexpr std::size_t kMostKept = CrashRecord::kMost + kMostDoublings;
static_assert(CrashRecord::kLongestWait == std::chrono::seconds(1U << kMostDoublings));
constexpr std::string_view kCrash = "crash ";
constexpr std::string_view kLoop = "loop";
constexpr std::string_view kRunning = "running";

// Returns the wait after this many recent crashes, counted from the last one.
std::chrono::seconds wait_after(std::size_t crashes) {
  if (crashes <= CrashRecord::kMost) return {};
  return backoff_delay(std::chrono::seconds(1), CrashRecord::kLongestWait,
                       static_cast<unsigned>(crashes - CrashRecord::kMost));
}

// Parses a line "crash SECONDS"; none: another line, or malformed.
std::optional<std::int64_t> crash_in(std::string_view line) {
  if (!line.starts_with(kCrash)) return std::nullopt;
  line.remove_prefix(kCrash.size());
  std::int64_t at = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), at);
  if (error != std::errc() || end != line.data() + line.size() || at < 0) return std::nullopt;
  return at;
}

}  // namespace

CrashRecord::CrashRecord(const std::string& folder, std::chrono::seconds since_boot,
                         const Disk& disk)
    : disk_(disk) {
  if (folder.empty()) return;
  path_ = folder + "/crashes";
  if (read()) crashes_.push_back(since_boot.count());
  const auto window = std::chrono::seconds(kWindow).count();
  std::erase_if(crashes_, [&](std::int64_t at) {
    return at > since_boot.count() || since_boot.count() - at > window;
  });
  is_loop_ = was_loop_ || crashes_.size() >= kMost;
  while (crashes_.size() > kMostKept) crashes_.pop_front();
  if (!crashes_.empty()) {
    const auto passed = since_boot - std::chrono::seconds(crashes_.back());
    wait_ = std::max(wait_after(crashes_.size()) - passed, {});
  }
  write(true);
}

// Returns true if the previous run has no recorded end.
bool CrashRecord::read() {
  const auto text = read_file(path_, kMostBytes, disk_);
  if (!text) {
    if (text.error().code != Code::NotFound) trouble_ = text.error().message;
    return false;
  }
  bool was_running = false;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (const auto at = crash_in(line)) crashes_.push_back(*at);
    was_loop_ = was_loop_ || line == kLoop;
    was_running = was_running || line == kRunning;
  }
  return was_running;
}

// Not durable: an earlier boot is irrelevant anyway.
void CrashRecord::write(bool is_running) {
  std::string text;
  for (const std::int64_t at : crashes_) text += std::string(kCrash) + std::to_string(at) + "\n";
  if (is_loop_) text += std::string(kLoop) + "\n";
  if (is_running) text += std::string(kRunning) + "\n";
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
  const int fd = disk_.open(path_, kFlags, 0600);
  const bool written = fd >= 0 && disk_.write(fd, text) == static_cast<ssize_t>(text.size());
  if (!written) trouble_ = path_ + ": " + std::generic_category().message(errno);
  if (fd >= 0) disk_.close(fd);
}

void CrashRecord::stopped() {
  if (!path_.empty()) (void)disk_.unlink(path_);
  path_.clear();
}

CrashRecord::~CrashRecord() {
  if (!path_.empty()) write(false);
}

std::string runtime_directory() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): before any thread
  const char* folders = std::getenv("RUNTIME_DIRECTORY");
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
