#include "lab/node/fake_cgroups.h"

#include <fstream>
#include <system_error>

namespace elbowroom::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kNoMemoryLimit = 9'223'372'036'854'771'712;  // as the kernel writes it

// Writes atomically: a reader never finds a partial figure.
void put(const fs::path& file, const std::string& text) {
  const fs::path beside = file.parent_path() / ".being-written";
  {
    std::ofstream out(beside, std::ios::trunc);
    out << text << "\n";
  }
  std::error_code ignored;
  fs::rename(beside, file, ignored);
}

bool is_memory_file(std::string_view file) { return file.starts_with("memory."); }

}  // namespace

Result<FakeCgroups> FakeCgroups::make(const fs::path& root) {
  std::error_code error;
  for (const char* hierarchy : {"cpu", "memory"}) {
    fs::create_directories(root / hierarchy, error);
    if (error) {
      return failure(Code::Unavailable, "make " + (root / hierarchy).string() + ": " +
                                            error.message() + "; choose another folder");
    }
  }
  FakeCgroups made(root);
  made.make_files("/");
  return made;
}

fs::path FakeCgroups::path_of(const std::string& group, std::string_view file) const {
  const fs::path below = fs::path(group).relative_path();
  return root_ / (is_memory_file(file) ? "memory" : "cpu") / below / file;
}

void FakeCgroups::make_files(const std::string& group) const {
  const auto unless_there = [&](const char* file, const std::string& text) {
    const fs::path path = path_of(group, file);
    std::error_code error;
    if (!fs::exists(path, error)) put(path, text);
  };
  unless_there("cpu.shares", "1024");
  unless_there("cpu.cfs_period_us", "100000");
  unless_there("cpu.cfs_quota_us", "-1");
  unless_there("cgroup.procs", "");
  unless_there("memory.limit_in_bytes", std::to_string(kNoMemoryLimit));
  unless_there("memory.usage_in_bytes", "0");
  unless_there("memory.stat", "cache 0\nrss 0\ntotal_inactive_file 0");
}

Result<void> FakeCgroups::add(const std::string& group) const {
  const fs::path path = fs::path(group).relative_path();
  std::string above;
  for (const fs::path& part : path) {
    if (part == ".." || part == "." || part.empty()) {
      return failure(Code::Invalid, "cgroup " + group + ": not a plain path");
    }
    above += "/" + part.string();
    std::error_code error;
    fs::create_directories(path_of(above, "cpu.shares").parent_path(), error);
    fs::create_directories(path_of(above, "memory.stat").parent_path(), error);
    if (error) return failure(Code::Unavailable, "make cgroup " + above + ": " + error.message());
    make_files(above);
  }
  return {};
}

void FakeCgroups::remove(const std::string& group) const {
  if (fs::path(group).relative_path().empty()) return;
  std::error_code ignored;
  fs::remove_all(path_of(group, "cpu.shares").parent_path(), ignored);
  fs::remove_all(path_of(group, "memory.stat").parent_path(), ignored);
}

std::optional<std::int64_t> FakeCgroups::read(const std::string& group,
                                              std::string_view file) const {
  std::ifstream in(path_of(group, file));
  std::int64_t figure = 0;
  if (!(in >> figure)) return std::nullopt;
  return figure;
}

void FakeCgroups::write(const std::string& group, std::string_view file,
                        std::int64_t figure) const {
  put(path_of(group, file), std::to_string(figure));
}

void FakeCgroups::set_memory_use(const std::string& group, std::int64_t bytes,
                                 std::int64_t inactive_file) const {
  write(group, "memory.usage_in_bytes", bytes);
  put(path_of(group, "memory.stat"), "cache " + std::to_string(inactive_file) + "\nrss " +
                                         std::to_string(bytes - inactive_file) +
                                         "\ntotal_inactive_file " + std::to_string(inactive_file));
}

}  // namespace elbowroom::lab
