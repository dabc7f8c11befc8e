#include "cri/cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "base/fd.h"
#include "cri/convert.h"

namespace elbowroom::cri {
namespace {

constexpr std::size_t kMaxParts = 16;
constexpr std::size_t kMaxPartBytes = 255;
constexpr std::size_t kMaxFileBytes = std::size_t{64} << 10;
// On version 1 the kernel reports "no limit" as the largest number of whole pages.
constexpr std::int64_t kUnlimitedBytes = std::int64_t{1} << 62;

// The remedy, where it does not depend on the group.
std::string_view remedy_for(int number) {
  switch (number) {
    case EACCES:
    case EPERM:
      return ": run this program by its unit, which has the right to, or as root";
    case EROFS:
      return ": mount the control groups writable, or set podCgroups: leave";
    default:
      return {};
  }
}

// The failure of a system call on `what`, from errno.
std::unexpected<Error> failed(const std::string& doing, const std::string& what) {
  const int number = errno;
  Code code = Code::Internal;
  switch (number) {
    case ENOENT:
    case ENODEV:
    case ENOTDIR:
      code = Code::NotFound;
      break;
    case EACCES:
    case EPERM:
    case EROFS:
      code = Code::Denied;
      break;
    case EBUSY:
      code = Code::Conflict;
      break;
    case EINVAL:
    case ELOOP:
    case ERANGE:
      code = Code::Invalid;
      break;
    default:
      break;
  }
  return failure(code, doing + " " + what + ": " + std::generic_category().message(number) +
                           std::string(remedy_for(number)));
}

Fd open_folder(int parent, const char* name) {
  return Fd(openat(parent, name, O_DIRECTORY | O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
}

// Opens the folder of a group below `root`, or returns the error.
Result<Fd> open_group(const Fd& root, const CgroupPath& group) {
  Fd at;
  for (const std::string& part : group.parts()) {
    at = open_folder(at.is_open() ? at.get() : root.get(), part.c_str());
    if (!at.is_open()) return failed("open cgroup", group.text());
  }
  return at;
}

std::string file_in(const CgroupPath& group, const char* file) { return group.text() + "/" + file; }

Result<std::string> read_file(const Fd& folder, const CgroupPath& group, const char* name) {
  const Fd file(openat(folder.get(), name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file.is_open()) return failed("read cgroup", file_in(group, name));
  std::string text(kMaxFileBytes, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("read cgroup", file_in(group, name));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// The kernel's files have no length. The plain files that replace them in the lab are never
// truncated, and their first line is the new value at every moment, because another process reads
// them meanwhile.
Result<void> write_file(const Fd& folder, const CgroupPath& group, const char* name,
                        const std::string& value) {
  const Fd file(openat(folder.get(), name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  const std::string doing = "write " + value + " to cgroup";
  struct stat before{};
  if (!file.is_open() || fstat(file.get(), &before) != 0) {
    return failed(doing, file_in(group, name));
  }
  const auto size = static_cast<off_t>(value.size());
  const bool is_longer = before.st_size > size;
  const std::string line = is_longer ? value + "\n" : value;
  // A single write: the kernel takes each write as a complete value.
  ssize_t put = -1;
  do {
    put = ::write(file.get(), line.data(), line.size());
  } while (put < 0 && errno == EINTR);
  if (put != static_cast<ssize_t>(line.size()) || (is_longer && ftruncate(file.get(), size) != 0)) {
    return failed(doing, file_in(group, name));
  }
  return {};
}

// The first line of a file that holds one value.
Result<std::string> read_value(const Fd& folder, const CgroupPath& group, const char* name) {
  ASSIGN_OR_RETURN(std::string text, read_file(folder, group, name));
  // Another process may truncate a plain file just before writing it.
  if (text.empty()) {
    ASSIGN_OR_RETURN(text, read_file(folder, group, name));
  }
  return text.substr(0, text.find('\n'));
}

// "max" and negative numbers are -1.
std::optional<std::int64_t> parse_amount(std::string_view text) {
  if (text == "max") return -1;
  if (!text.empty() && text.front() == '-') {
    return text.size() > 1 && text.size() < 32 &&
                   std::ranges::all_of(
                       text.substr(1), [](char c) { return c >= '0' && c <= '9'; })
               ? std::optional<std::int64_t>(-1)
               : std::nullopt;
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value >= static_cast<std::uint64_t>(kUnlimitedBytes) ? -1
                                                              : static_cast<std::int64_t>(value);
}

Result<std::int64_t> no_number(const CgroupPath& group, const char* name) {
  return failure(Code::Invalid, "read cgroup " + file_in(group, name) + ": not a number");
}

Result<std::int64_t> read_amount(const Fd& folder, const CgroupPath& group, const char* name) {
  ASSIGN_OR_RETURN(const std::string text, read_value(folder, group, name));
  const std::optional<std::int64_t> amount = parse_amount(text);
  return amount ? Result<std::int64_t>(*amount) : no_number(group, name);
}

// The figure after `key` in a file of "key figure" lines; 0 where no line has the key.
Result<std::int64_t> read_stat(const Fd& folder, const CgroupPath& group, const char* name,
                               std::string_view key) {
  ASSIGN_OR_RETURN(const std::string text, read_file(folder, group, name));
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ' ') continue;
    const std::optional<std::int64_t> amount = parse_amount(line.substr(key.size() + 1));
    if (!amount || *amount < 0) return no_number(group, name);
    return *amount;
  }
  return 0;
}

// Opens the group and creates missing parts. `hand_down` is called with each folder before a group
// is created in it.
template <class HandDown>
Result<void> make_group(const Fd& root, const CgroupPath& group, HandDown hand_down) {
  Fd at;
  for (const std::string& part : group.parts()) {
    const Fd& parent = at.is_open() ? at : root;
    RETURN_IF_ERROR(hand_down(parent));
    if (mkdirat(parent.get(), part.c_str(), 0755) != 0 && errno != EEXIST) {
      return failed("create cgroup", group.text());
    }
    Fd next = open_folder(parent.get(), part.c_str());
    if (!next.is_open()) return failed("create cgroup", group.text());
    at = std::move(next);
  }
  return {};
}

Result<void> remove_group(const Fd& root, const CgroupPath& group) {
  Fd at;
  for (std::size_t i = 0; i + 1 < group.parts().size(); ++i) {
    at = open_folder(at.is_open() ? at.get() : root.get(), group.parts()[i].c_str());
    if (!at.is_open())
      return errno == ENOENT ? Result<void>() : failed("remove cgroup", group.text());
  }
  const int parent = at.is_open() ? at.get() : root.get();
  if (unlinkat(parent, group.parts().back().c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) {
    return failed("remove cgroup", group.text());
  }
  return {};
}

}  // namespace

Result<CgroupPath> CgroupPath::parse(std::string_view text) {
  CgroupPath path;
  std::string_view rest = text;
  const auto refused = [&] {
    return failure(Code::Invalid, "cgroup path of " + std::to_string(text.size()) +
                                      " bytes: not of the form /a/b with up to 16 plain names");
  };
  if (!rest.starts_with('/')) return refused();
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view part = rest.substr(0, rest.find('/'));
    rest.remove_prefix(part.size());
    const bool is_plain = !part.empty() && part != "." && part != ".." &&
                          part.size() <= kMaxPartBytes &&
                          std::ranges::all_of(part, [](char c) { return c >= 0x20 && c < 0x7f; });
    if (!is_plain || path.parts_.size() == kMaxParts) return refused();
    path.parts_.emplace_back(part);
  }
  return path;
}

std::string CgroupPath::text() const {
  std::string text;
  for (const std::string& part : parts_) text += "/" + part;
  return text;
}

Result<CgroupPath> CgroupPath::child(std::string_view name) const {
  return name.contains('/') ? parse("") : parse(text() + "/" + std::string(name));
}

struct Cgroups::Root {
  CgroupVersion version = CgroupVersion::V1;
  Fd cpu;     // on version 2 the unified hierarchy
  Fd memory;  // version 1 only

  [[nodiscard]] const Fd& memory_root() const {
    return version == CgroupVersion::V1 ? memory : cpu;
  }
};

Cgroups::Cgroups(std::unique_ptr<Root> root) : root_(std::move(root)) {}
Cgroups::Cgroups(Cgroups&&) noexcept = default;
Cgroups& Cgroups::operator=(Cgroups&&) noexcept = default;
Cgroups::~Cgroups() = default;

Result<Cgroups> Cgroups::open(const std::string& root) {
  const Fd folder(::open(root.c_str(), O_DIRECTORY | O_RDONLY | O_CLOEXEC));
  if (!folder.is_open() && (errno == EACCES || errno == EPERM)) {
    return failed("open cgroup root", root);
  }
  if (!folder.is_open()) {
    Error error = failed("open cgroup root", root).error();
    error.message += ": mount the control groups there, or set cgroupRoot to where they are";
    return std::unexpected(std::move(error));
  }
  auto opened = std::make_unique<Root>();
  if (faccessat(folder.get(), "cgroup.controllers", F_OK, 0) == 0) {
    opened->version = CgroupVersion::V2;
    opened->cpu = Fd(openat(folder.get(), ".", O_DIRECTORY | O_RDONLY | O_CLOEXEC));
  } else {
    // Links are followed here: cpu is often a link to cpu,cpuacct.
    opened->cpu = Fd(openat(folder.get(), "cpu", O_DIRECTORY | O_RDONLY | O_CLOEXEC));
    opened->memory = Fd(openat(folder.get(), "memory", O_DIRECTORY | O_RDONLY | O_CLOEXEC));
  }
  if (!opened->cpu.is_open() || !opened->memory_root().is_open()) {
    return failure(Code::Invalid,
                   "cgroup root " + root +
                       ": neither cgroup.controllers (version 2) nor cpu/ and "
                       "memory/ (version 1) is in it; mount one, or set cgroupRoot to "
                       "where they are (usually /sys/fs/cgroup)");
  }
  return Cgroups(std::move(opened));
}

CgroupVersion Cgroups::version() const { return root_->version; }

Result<void> Cgroups::reach(const CgroupPath& group) const {
  RETURN_IF_ERROR(open_group(root_->cpu, group));
  RETURN_IF_ERROR(open_group(root_->memory_root(), group));
  return {};
}

bool Cgroups::exists(const CgroupPath& group) const { return reach(group).has_value(); }

Result<void> Cgroups::create(const CgroupPath& group) const {
  if (root_->version == CgroupVersion::V1) {
    const auto nothing = [](const Fd&) { return Result<void>(); };
    RETURN_IF_ERROR(make_group(root_->cpu, group, nothing));
    return make_group(root_->memory, group, nothing);
  }
  return make_group(root_->cpu, group, [&](const Fd& parent) {
    return write_file(parent, group, "cgroup.subtree_control", "+cpu +memory");
  });
}

Result<void> Cgroups::remove(const CgroupPath& group) const {
  RETURN_IF_ERROR(remove_group(root_->cpu, group));
  return root_->version == CgroupVersion::V1 ? remove_group(root_->memory, group) : Result<void>();
}

Result<RuntimeResources> Cgroups::read(const CgroupPath& group) const {
  ASSIGN_OR_RETURN(const Fd cpu, open_group(root_->cpu, group));
  RuntimeResources read;
  if (root_->version == CgroupVersion::V1) {
    ASSIGN_OR_RETURN(read.cpu_shares, read_amount(cpu, group, "cpu.shares"));
    ASSIGN_OR_RETURN(read.cpu_quota_us, read_amount(cpu, group, "cpu.cfs_quota_us"));
    ASSIGN_OR_RETURN(read.cpu_period_us, read_amount(cpu, group, "cpu.cfs_period_us"));
    ASSIGN_OR_RETURN(const Fd memory, open_group(root_->memory, group));
    ASSIGN_OR_RETURN(read.memory_limit_bytes, read_amount(memory, group, "memory.limit_in_bytes"));
    return read;
  }
  ASSIGN_OR_RETURN(read.cpu_weight, read_amount(cpu, group, "cpu.weight"));
  ASSIGN_OR_RETURN(const std::string cpu_max, read_value(cpu, group, "cpu.max"));
  const std::size_t space = cpu_max.find(' ');
  const auto quota = parse_amount(std::string_view(cpu_max).substr(0, space));
  const auto period =
      parse_amount(space == std::string::npos ? std::string_view()
                                              : std::string_view(cpu_max).substr(space + 1));
  if (!quota || !period) return std::unexpected(no_number(group, "cpu.max").error());
  read.cpu_quota_us = *quota;
  read.cpu_period_us = *period;
  ASSIGN_OR_RETURN(read.memory_limit_bytes, read_amount(cpu, group, "memory.max"));
  return read;
}

Result<MemoryUse> Cgroups::memory_use(const CgroupPath& group) const {
  ASSIGN_OR_RETURN(const Fd memory, open_group(root_->memory_root(), group));
  const bool is_v1 = root_->version == CgroupVersion::V1;
  MemoryUse use;
  ASSIGN_OR_RETURN(use.bytes,
                   read_amount(memory, group, is_v1 ? "memory.usage_in_bytes" : "memory.current"));
  ASSIGN_OR_RETURN(use.inactive_file, read_stat(memory, group, "memory.stat",
                                                is_v1 ? "total_inactive_file" : "inactive_file"));
  if (use.bytes < 0) return std::unexpected(no_number(group, "memory usage").error());
  return use;
}

Result<void> Cgroups::set_cpu_shares(const CgroupPath& group, std::int64_t shares,
                                     WeightMap map) const {
  const std::int64_t within = std::clamp(shares, kMinShares, kMaxShares);
  ASSIGN_OR_RETURN(const Fd cpu, open_group(root_->cpu, group));
  if (root_->version == CgroupVersion::V1) {
    return write_file(cpu, group, "cpu.shares", std::to_string(within));
  }
  return write_file(cpu, group, "cpu.weight", std::to_string(weight_for(within, map)));
}

Result<void> Cgroups::set_cpu_quota(const CgroupPath& group, std::int64_t quota_us,
                                    std::int64_t period_us) const {
  ASSIGN_OR_RETURN(const Fd cpu, open_group(root_->cpu, group));
  const std::int64_t period = period_us > 0 ? period_us : kDefaultPeriodUs;
  if (root_->version == CgroupVersion::V2) {
    const std::string quota = quota_us > 0 ? std::to_string(quota_us) : "max";
    return write_file(cpu, group, "cpu.max", quota + " " + std::to_string(period));
  }
  ASSIGN_OR_RETURN(const std::int64_t present, read_amount(cpu, group, "cpu.cfs_period_us"));
  if (present != period) {
    // Without a quota every period is accepted. With one, the kernel compares the shares of parent
    // and child at every write.
    RETURN_IF_ERROR(write_file(cpu, group, "cpu.cfs_quota_us", "-1"));
    RETURN_IF_ERROR(write_file(cpu, group, "cpu.cfs_period_us", std::to_string(period)));
  }
  return write_file(cpu, group, "cpu.cfs_quota_us", quota_us > 0 ? std::to_string(quota_us) : "-1");
}

Result<void> Cgroups::set_memory_limit(const CgroupPath& group, std::int64_t bytes) const {
  ASSIGN_OR_RETURN(const Fd memory, open_group(root_->memory_root(), group));
  if (root_->version == CgroupVersion::V2) {
    return write_file(memory, group, "memory.max", bytes > 0 ? std::to_string(bytes) : "max");
  }
  return write_file(memory, group, "memory.limit_in_bytes",
                    bytes > 0 ? std::to_string(bytes) : "-1");
}

Result<void> Cgroups::set(const CgroupPath& group, const RuntimeResources& to) const {
  if (to.memory_limit_bytes != 0) RETURN_IF_ERROR(set_memory_limit(group, to.memory_limit_bytes));
  if (to.cpu_quota_us != 0) {
    RETURN_IF_ERROR(set_cpu_quota(group, to.cpu_quota_us, to.cpu_period_us));
  }
  if (to.cpu_shares != 0) RETURN_IF_ERROR(set_cpu_shares(group, to.cpu_shares));
  return {};
}

Result<void> check_memory_limit(std::string_view whose, std::int64_t limit, const MemoryUse& use) {
  if (limit <= 0 || use.working_set() < limit) return {};
  return failure(Code::Conflict, "attempting to set " + std::string(whose) + " memory limit (" +
                                     std::to_string(limit) + ") below current usage (" +
                                     std::to_string(use.working_set()) + ")");
}

}  // namespace elbowroom::cri
