#include "lab/node/fake_runtime.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "lab/node/runtime_rules.h"

namespace elbowroom::lab {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kLongestStop = std::chrono::hours(1);
constexpr std::size_t kMaxCalls = 100'000;

std::unexpected<Error> unknown(const std::string& id) {
  return failure(Code::NotFound, "an error occurred when try to find \"" + id + "\": not found");
}

// Far above what the kernel accepts; products of two stay within 64 bits.
bool is_plausible(const cri::RuntimeResources& size) {
  constexpr std::int64_t kMost = 1'000'000'000;
  return size.cpu_quota_us <= kMost && size.cpu_period_us >= 0 && size.cpu_period_us <= kMost &&
         size.cpu_shares >= 0 && size.cpu_shares <= kMost;
}

}  // namespace

std::string FakeCriRuntime::next_id() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id(64, '0');
  std::uint64_t number = ++ids_;
  for (std::size_t i = id.size(); number != 0; number >>= 4U) id[--i] = kDigits[number & 15U];
  id[0] = 'e';
  return id;
}

std::string FakeCriRuntime::name_of(const std::string& id) const {
  if (const auto it = containers_.find(id); it != containers_.end()) {
    return name_of(it->second.sandbox_id) + "/" + it->second.spec.name;
  }
  const auto it = sandboxes_.find(id);
  return it == sandboxes_.end() ? "" : it->second.spec.ns + "/" + it->second.spec.name;
}

std::optional<FakeRuntimeFault> FakeCriRuntime::take_fault(std::string_view method,
                                                           const std::string& id, bool hangs) {
  const auto container = containers_.find(id);
  const std::string name = container == containers_.end() ? "" : container->second.spec.name;
  const auto it = std::ranges::find_if(faults_, [&](const FakeRuntimeFault& fault) {
    return (fault.kind == FakeRuntimeFault::Kind::Hang) == hangs &&
           (fault.method.empty() || fault.method == method) &&
           (fault.container.empty() || fault.container == name);
  });
  if (it == faults_.end()) return std::nullopt;
  FakeRuntimeFault fault = *it;
  if (--it->times <= 0) faults_.erase(it);
  return fault;
}

bool FakeCriRuntime::is_hanging(std::string_view method, const std::string& id) {
  return take_fault(method, id, true).has_value();
}

template <class Change>
Result<void> FakeCriRuntime::call(std::string_view method, const std::string& id,
                                  const cri::RuntimeResources& size, Change change) {
  RuntimeCall written{.sequence = calls_.size() + 1,
                      .method = std::string(method),
                      .object = id,
                      .name = name_of(id),
                      .size = size};
  const auto fault = take_fault(method, id, false);
  Result<void> result;
  if (!fault || fault->kind == FakeRuntimeFault::Kind::ApplyAndFail) result = change();
  const bool fails = fault && (fault->kind == FakeRuntimeFault::Kind::Refuse ||
                               fault->kind == FakeRuntimeFault::Kind::ApplyAndFail);
  if (fails && result) result = failure(Code::Invalid, fault->message);
  if (!result) written.outcome = result.error().message;
  if (calls_.size() < kMaxCalls) calls_.push_back(std::move(written));
  return result;
}

Result<std::string> FakeCriRuntime::run_sandbox(const cri::SandboxSpec& spec) {
  const std::string id = next_id();
  RETURN_IF_ERROR(call("RunPodSandbox", id, {}, [&]() -> Result<void> {
    if (!spec.cgroup_parent.empty()) {
      if (auto added = cgroups_.add(spec.cgroup_parent); !added) return added;
    }
    sandboxes_[id] = {.id = id, .spec = spec, .created_at_ns = now_ns_};
    return {};
  }));
  return id;
}

Result<void> FakeCriRuntime::stop_sandbox(const std::string& id) {
  return call("StopPodSandbox", id, {}, [&]() -> Result<void> {
    const auto it = sandboxes_.find(id);
    // like containerd: no error when nothing is left to stop
    if (it == sandboxes_.end()) return {};
    it->second.state = cri::SandboxState::NotReady;
    for (auto& [key, container] : containers_) {
      if (container.sandbox_id == id) end(container, kKilledExit);
    }
    return {};
  });
}

Result<void> FakeCriRuntime::remove_sandbox(const std::string& id) {
  return call("RemovePodSandbox", id, {}, [&]() -> Result<void> {
    const auto it = sandboxes_.find(id);
    if (it == sandboxes_.end()) return {};
    for (auto& [key, container] : containers_) {
      if (container.sandbox_id == id) end(container, kKilledExit);
    }
    std::erase_if(containers_, [&](const auto& entry) { return entry.second.sandbox_id == id; });
    const std::string group = it->second.spec.cgroup_parent;
    sandboxes_.erase(it);
    const bool shared = std::ranges::any_of(
        sandboxes_, [&](const auto& entry) { return entry.second.spec.cgroup_parent == group; });
    if (!group.empty() && !shared) cgroups_.remove(group);
    return {};
  });
}

Result<std::string> FakeCriRuntime::create_container(const std::string& sandbox_id,
                                                     const cri::ContainerSpec& spec) {
  const std::string id = next_id();
  RETURN_IF_ERROR(call("CreateContainer", id, spec.resources, [&]() -> Result<void> {
    if (!sandboxes_.contains(sandbox_id)) return unknown(sandbox_id);
    containers_[id] = {.id = id,
                       .sandbox_id = sandbox_id,
                       .spec = spec,
                       .stored = spec.resources,
                       .created_at_ns = now_ns_};
    return {};
  }));
  return id;
}

std::string FakeCriRuntime::cgroup_of(const FakeContainer& container) const {
  const auto it = sandboxes_.find(container.sandbox_id);
  const std::string parent = it == sandboxes_.end() ? "" : it->second.spec.cgroup_parent;
  return (parent.empty() ? "/lab" : parent) + "/" + container.id;
}

void FakeCriRuntime::write_size(const FakeContainer& container) const {
  const std::string group = cgroup_of(container);
  const cri::RuntimeResources& size = container.stored;
  if (size.cpu_shares > 0) cgroups_.write(group, "cpu.shares", size.cpu_shares);
  if (size.cpu_period_us > 0) cgroups_.write(group, "cpu.cfs_period_us", size.cpu_period_us);
  if (size.cpu_quota_us != 0) cgroups_.write(group, "cpu.cfs_quota_us", size.cpu_quota_us);
  if (size.memory_limit_bytes != 0) {
    cgroups_.write(group, "memory.limit_in_bytes",
                   size.memory_limit_bytes < 0 ? 9'223'372'036'854'771'712
                                               : size.memory_limit_bytes / 4096 * 4096);
  }
}

Result<void> FakeCriRuntime::refuse_size(const FakeContainer& container,
                                         const cri::RuntimeResources& size) const {
  const std::string group = cgroup_of(container);
  const std::string prefix = group + "/";
  if (!is_plausible(size)) return refused_quota(prefix);
  const std::string parent = group.substr(0, group.rfind('/'));
  const cri::RuntimeResources pod{
      .cpu_quota_us = cgroups_.read(parent, "cpu.cfs_quota_us").value_or(0),
      .cpu_period_us = cgroups_.read(parent, "cpu.cfs_period_us").value_or(0)};
  return check_container_size(
      size, merged_size(container.stored, size),
      {.memory_use_bytes = container.memory_use_bytes, .group = pod, .cgroup = prefix});
}

Result<void> FakeCriRuntime::start_container(const std::string& id) {
  return call("StartContainer", id, {}, [&]() -> Result<void> {
    const auto it = containers_.find(id);
    if (it == containers_.end()) return unknown(id);
    FakeContainer& container = it->second;
    if (container.state != cri::ContainerState::Created) {
      return failure(Code::Invalid, "container is in a state that cannot be started");
    }
    RETURN_IF_ERROR(cgroups_.add(cgroup_of(container)));
    RETURN_IF_ERROR(refuse_size(container, container.stored));
    write_size(container);
    container.state = cri::ContainerState::Running;
    container.started_at_ns = now_ns_;
    if (container.spec.annotations.contains(kEndsAtOnce)) end(container, 0);
    return {};
  });
}

void FakeCriRuntime::end(FakeContainer& container, std::int32_t exit_code) {
  if (container.state == cri::ContainerState::Exited) return;
  container.state = cri::ContainerState::Exited;
  container.exit_code = exit_code;
  container.reason = exit_reason(exit_code);
  container.finished_at_ns = now_ns_;
  container.memory_use_bytes = 0;
  cgroups_.remove(cgroup_of(container));
}

Result<void> FakeCriRuntime::stop_container(const std::string& id, bool killed) {
  return call("StopContainer", id, {}, [&]() -> Result<void> {
    const auto it = containers_.find(id);
    if (it == containers_.end()) return {};
    end(it->second, killed ? kKilledExit : 0);
    return {};
  });
}

Result<void> FakeCriRuntime::remove_container(const std::string& id) {
  return call("RemoveContainer", id, {}, [&]() -> Result<void> {
    const auto it = containers_.find(id);
    if (it == containers_.end()) return {};
    end(it->second, kKilledExit);
    containers_.erase(it);
    return {};
  });
}

Result<void> FakeCriRuntime::update_container(const std::string& id,
                                              const cri::RuntimeResources& size) {
  return call("UpdateContainerResources", id, size, [&]() -> Result<void> {
    const auto it = containers_.find(id);
    if (it == containers_.end()) return unknown(id);
    FakeContainer& container = it->second;
    const bool runs = container.state == cri::ContainerState::Running;
    if (runs) RETURN_IF_ERROR(refuse_size(container, size));
    container.stored = merged_size(container.stored, size);
    if (runs) write_size(container);
    return {};
  });
}

std::int64_t FakeCriRuntime::terminates_after_ms(const std::string& id) const {
  const auto it = containers_.find(id);
  if (it == containers_.end()) return 0;
  const auto found = it->second.spec.annotations.find(kTerminatesAfter);
  if (found == it->second.spec.annotations.end()) return 0;
  return std::min(termination_time(found->second).value_or(0ms), kLongestStop).count();
}

Result<void> FakeCriRuntime::exit_container(const std::string& id, std::int32_t exit_code) {
  const auto it = containers_.find(id);
  if (it == containers_.end()) return unknown(id);
  end(it->second, exit_code);
  return {};
}

Result<void> FakeCriRuntime::use_memory(const std::string& id, std::int64_t bytes,
                                        std::int64_t inactive_file) {
  const auto it = containers_.find(id);
  if (it == containers_.end() || it->second.state != cri::ContainerState::Running) {
    return unknown(id);
  }
  it->second.memory_use_bytes = bytes;
  const std::string group = cgroup_of(it->second);
  cgroups_.set_memory_use(group, bytes, inactive_file);
  std::int64_t total = 0;
  for (const auto& [key, container] : containers_) {
    if (container.sandbox_id == it->second.sandbox_id) total += container.memory_use_bytes;
  }
  cgroups_.set_memory_use(group.substr(0, group.rfind('/')), total, inactive_file);
  return {};
}

const FakeContainer* FakeCriRuntime::find(std::string_view pod, std::string_view name) const {
  const FakeContainer* latest = nullptr;
  for (const auto& [id, container] : containers_) {
    if (container.spec.name != name || name_of(container.sandbox_id) != pod) continue;
    if (latest == nullptr || container.spec.attempt >= latest->spec.attempt) latest = &container;
  }
  return latest;
}

}  // namespace elbowroom::lab
