// Control groups as files, version 1 and 2: reads and writes the sizes and memory use of a group. A
// group is named by a checked path ("/kubepods/podX") below a root, which can be any folder. No
// link is followed below the root, and nothing outside it is touched.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cri/types.h"

namespace elbowroom::cri {

enum class CgroupVersion { V1, V2 };

// The path of a group: "/a/b", no empty part, no "." and "..", no control character; at most 16
// parts of 255 bytes.
class CgroupPath {
 public:
  [[nodiscard]] static Result<CgroupPath> parse(std::string_view text);
  [[nodiscard]] const std::vector<std::string>& parts() const { return parts_; }
  [[nodiscard]] std::string text() const;
  // The group `name` in this one.
  [[nodiscard]] Result<CgroupPath> child(std::string_view name) const;

 private:
  std::vector<std::string> parts_;
};

struct MemoryUse {
  std::int64_t bytes = 0;          // everything that is charged
  std::int64_t inactive_file = 0;  // cache that the kernel reclaims first

  // A memory limit must stay above this.
  [[nodiscard]] std::int64_t working_set() const {
    return bytes > inactive_file ? bytes - inactive_file : 0;
  }
  friend bool operator==(const MemoryUse&, const MemoryUse&) = default;
};

// The control groups below one root. Errors of all calls: NotFound (no such group: it may just have
// been removed), Denied (no permission, or read-only), Conflict (busy: a memory limit below the
// usage), Invalid (the kernel refuses the value, or a file contains no number), Internal. Messages
// name the group and the file.
class Cgroups {
 public:
  // `root` is /sys/fs/cgroup or a similar tree: version 2 if it contains cgroup.controllers,
  // version 1 if it contains cpu/ and memory/. Otherwise Invalid.
  [[nodiscard]] static Result<Cgroups> open(const std::string& root);
  Cgroups(Cgroups&& other) noexcept;
  Cgroups& operator=(Cgroups&& other) noexcept;
  ~Cgroups();

  [[nodiscard]] CgroupVersion version() const;

  [[nodiscard]] bool exists(const CgroupPath& group) const;
  // The same, with the reason: NotFound, or Denied.
  [[nodiscard]] Result<void> reach(const CgroupPath& group) const;
  // Creates the group and its parents, each with cpu and memory enabled for its children. An
  // existing group is left unchanged.
  [[nodiscard]] Result<void> create(const CgroupPath& group) const;
  // Removes an empty group. A group that does not exist is not an error.
  [[nodiscard]] Result<void> remove(const CgroupPath& group) const;

  // A limit that is not set is -1. Version 2 has cpu_weight, version 1 cpu_shares.
  [[nodiscard]] Result<RuntimeResources> read(const CgroupPath& group) const;
  [[nodiscard]] Result<MemoryUse> memory_use(const CgroupPath& group) const;

  // On version 2, `shares` are converted by the linear map.
  [[nodiscard]] Result<void> set_cpu_shares(const CgroupPath& group, std::int64_t shares,
                                            WeightMap map = WeightMap::Linear) const;
  // No limit: `quota_us` 0 or less. The period is written only where it differs.
  [[nodiscard]] Result<void> set_cpu_quota(const CgroupPath& group, std::int64_t quota_us,
                                           std::int64_t period_us) const;
  // No limit: 0 or less.
  [[nodiscard]] Result<void> set_memory_limit(const CgroupPath& group, std::int64_t bytes) const;
  // Sets several figures, like a runtime call: 0 leaves a figure unchanged, -1 removes a limit.
  // Order: memory, quota, shares; stops at the first failure.
  [[nodiscard]] Result<void> set(const CgroupPath& group, const RuntimeResources& to) const;

 private:
  struct Root;
  explicit Cgroups(std::unique_ptr<Root> root);
  std::unique_ptr<Root> root_;
};

// Succeeds if the limit is above what is in use. Otherwise Conflict, with both figures: the kernel
// would refuse the limit (version 1) or kill for it (version 2). `whose` is "pod" or "container
// \"app\"". A limit of 0 or less is no limit and succeeds.
[[nodiscard]] Result<void> check_memory_limit(std::string_view whose, std::int64_t limit,
                                              const MemoryUse& use);

}  // namespace elbowroom::cri
