#include "daemon/metrics/process_usage.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/fd.h"

namespace elbowroom::daemon {
namespace {

std::int64_t ms_of(const timeval& time) {
  return std::int64_t{time.tv_sec} * 1000 + std::int64_t{time.tv_usec} / 1000;
}

std::string status_text() {
  const Fd file(::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> buffer{};  // the kernel writes about 1.5 KiB
  const ssize_t got = file.is_open() ? ::read(file.get(), buffer.data(), buffer.size()) : -1;
  return got > 0 ? std::string(buffer.data(), static_cast<std::size_t>(got)) : std::string();
}

// Returns the value of a line such as "VmRSS:        12345 kB", in bytes.
std::optional<std::int64_t> kilobytes_of(std::string_view status, std::string_view line) {
  const std::size_t at = status.find(line);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = status.substr(at + line.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  std::int64_t kilobytes = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), kilobytes);
  if (error != std::errc() || kilobytes > (std::int64_t{1} << 50)) return std::nullopt;
  return kilobytes * 1024;
}

std::optional<std::int64_t> count_open_files() {
  std::error_code error;
  std::filesystem::directory_iterator each("/proc/self/fd", error);
  std::int64_t count = -1;  // one entry is the folder being read
  for (; !error && each != std::filesystem::directory_iterator(); each.increment(error)) ++count;
  if (error) return std::nullopt;
  return count;
}

void append(std::string& text, std::string_view name, std::string_view type, std::string_view help,
            const std::string& value) {
  text.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ").append(name);
  text.append(" ").append(type).append("\n").append(name).append(" ").append(value).append("\n");
}

std::string seconds_of(std::int64_t ms) {
  const std::string fraction = std::to_string(ms % 1000);
  return std::to_string(ms / 1000) + "." + std::string(3 - fraction.size(), '0') + fraction;
}

}  // namespace

ProcessUsage process_usage() {
  ProcessUsage usage;
  rusage times{};
  if (::getrusage(RUSAGE_SELF, &times) == 0) {
    usage.cpu_ms = ms_of(times.ru_utime) + ms_of(times.ru_stime);
  }
  const std::string status = status_text();
  usage.resident_bytes = kilobytes_of(status, "VmRSS:");
  usage.anonymous_bytes = kilobytes_of(status, "RssAnon:");
  usage.open_files = count_open_files();
  return usage;
}

std::string to_metrics_text(const ProcessUsage& usage) {
  std::string text;
  if (usage.cpu_ms) {
    append(text, "process_cpu_seconds_total", "counter", "User and system cpu time spent",
           seconds_of(*usage.cpu_ms));
  }
  if (usage.resident_bytes) {
    append(text, "process_resident_memory_bytes", "gauge", "Resident memory",
           std::to_string(*usage.resident_bytes));
  }
  if (usage.anonymous_bytes) {
    append(text, "process_anonymous_memory_bytes", "gauge",
           "Resident memory that is no file's: what is ours alone",
           std::to_string(*usage.anonymous_bytes));
  }
  if (usage.open_files) {
    append(text, "process_open_fds", "gauge", "Open file descriptors",
           std::to_string(*usage.open_files));
  }
  return text;
}

}  // namespace elbowroom::daemon
