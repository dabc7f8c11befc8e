// A folder that looks like mounted cgroups, for tests: plain files with the kernel's names. It only
// stores values; no kernel refuses one here.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "cri/cgroup.h"
#include "test/temporary_folder.h"

namespace elbowroom::cri {

class TempCgroups {
 public:
  explicit TempCgroups(CgroupVersion version) : version_(version) {
    if (version == CgroupVersion::V2) {
      write("cgroup.controllers", "cpu memory\n");
      write("cgroup.subtree_control", "");
    } else {
      std::filesystem::create_directory(folder_.path() / "cpu,cpuacct");
      std::filesystem::create_directory_symlink("cpu,cpuacct", folder_.path() / "cpu");
      std::filesystem::create_directory(folder_.path() / "memory");
    }
  }

  [[nodiscard]] std::string root() const { return folder_.path().string(); }

  // A group as the kernel makes one: no limits, 1024 shares.
  void add(const std::string& group) const {
    if (version_ == CgroupVersion::V1) {
      write("cpu" + group + "/cpu.shares", "1024\n");
      write("cpu" + group + "/cpu.cfs_quota_us", "-1\n");
      write("cpu" + group + "/cpu.cfs_period_us", "100000\n");
      write("memory" + group + "/memory.limit_in_bytes", "9223372036854771712\n");
      write("memory" + group + "/memory.usage_in_bytes", "0\n");
      write("memory" + group + "/memory.stat", "");
      return;
    }
    write(group.substr(1) + "/cgroup.subtree_control", "");
    write(group.substr(1) + "/cpu.weight", "39\n");
    write(group.substr(1) + "/cpu.max", "max 100000\n");
    write(group.substr(1) + "/memory.max", "max\n");
    write(group.substr(1) + "/memory.current", "0\n");
    write(group.substr(1) + "/memory.stat", "");
  }

  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((folder_.path() / file).parent_path());
    std::ofstream(folder_.path() / file, std::ios::trunc) << text;
  }

  [[nodiscard]] std::string text(const std::string& file) const {
    std::ifstream in(folder_.path() / file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  CgroupVersion version_;
  test::TemporaryFolder folder_;
};

}  // namespace elbowroom::cri
