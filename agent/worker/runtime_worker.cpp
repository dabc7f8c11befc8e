#include "agent/worker/runtime_worker.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "cri/convert.h"
#include "cri/pod_slice.h"

namespace elbowroom::agent {
namespace {

using Clock = std::chrono::steady_clock;

// Every so many polls all sizes are read again, because another program may write cgroups.
constexpr int kReadAllEvery = 30;
constexpr std::chrono::seconds kInboxPatience{5};
constexpr std::chrono::milliseconds kLookAtEndings{100};
// The longest grace period for a container's end; afterwards the runtime kills it.
constexpr std::chrono::hours kLongestGrace{24};
constexpr std::chrono::seconds kCallMargin{5};  // for the runtime's part of a stop
constexpr std::array kQosClasses = {policy::Qos::Burstable, policy::Qos::Guaranteed,
                                    policy::Qos::BestEffort};

policy::RunState state_of(cri::ContainerState state) {
  switch (state) {
    case cri::ContainerState::Created:
      return policy::RunState::Waiting;
    case cri::ContainerState::Running:
      return policy::RunState::Running;
    case cri::ContainerState::Exited:
      return policy::RunState::Terminated;
    case cri::ContainerState::Unknown:
      return policy::RunState::None;
  }
  return policy::RunState::None;
}

bool equal(const RuntimeSeen& a, const RuntimeSeen& b) { return a.pods == b.pods; }

}  // namespace

Result<std::unique_ptr<RuntimeWorker>> RuntimeWorker::open(RuntimeOptions options, Inbox& inbox) {
  ASSIGN_OR_RETURN(auto client, cri::Client::open(options.endpoint));
  ASSIGN_OR_RETURN(auto cgroups, cri::Cgroups::open(options.cgroup_root));
  return std::unique_ptr<RuntimeWorker>(
      new RuntimeWorker(std::move(options), inbox, std::move(client), std::move(cgroups)));
}

RuntimeWorker::RuntimeWorker(RuntimeOptions options, Inbox& inbox,
                             std::unique_ptr<cri::Client> client, cri::Cgroups cgroups)
    : options_(std::move(options)),
      inbox_(inbox),
      client_(std::move(client)),
      cgroups_(std::move(cgroups)),
      units_(*options_.bus),
      poll_(*client_) {}

void RuntimeWorker::run(const std::stop_token& stop, const std::function<void()>& alive) {
  client_->end_with(stop);
  if (options_.called) client_->tell(options_.called);
  Clock::time_point next_poll = Clock::now();
  while (!stop.stop_requested()) {
    alive();
    auto began = Clock::now();
    if (began >= next_poll) {
      poll(stop);
      next_poll = Clock::now() + options_.poll_every;
    }
    follow_endings(stop);
    auto worked = Clock::now() - began;
    const auto look = endings_.empty() ? next_poll : Clock::now() + kLookAtEndings;
    if (auto effect = steps_.take(stop, std::min(next_poll, look))) {
      began = Clock::now();
      act(*effect, stop);
      worked += Clock::now() - began;
    }
    if (options_.turned) options_.turned(worked);
  }
}

void RuntimeWorker::tell(Seen seen, const std::stop_token& stop) {
  // Never dropped, because the outcome of a step is reported once. If the reactor accepts nothing,
  // its own watchdog reports that.
  Message value(std::move(seen));
  while (!stop.stop_requested()) {
    // A mailbox that did not take the value has not moved from it.
    // NOLINTNEXTLINE(bugprone-use-after-move): see put() in base/mailbox.h
    if (inbox_.put(std::move(value), stop, Clock::now() + kInboxPatience)) return;
  }
}

// ---- polls ----

void RuntimeWorker::find_out_about_runtime() {
  if (asked_runtime_) return;
  const auto version = client_->version();
  if (!version) return;
  runtime_name_ = version->name;
  const auto told = client_->cgroup_driver();  // older runtimes do not report it
  driver_ = options_.driver.value_or(told.value_or(cri::CgroupDriver::Cgroupfs));
  foreign_driver_.clear();
  if (told && *told != driver_) {
    foreign_driver_ = "cgroupDriver is " + std::string(word_of(driver_)) +
                      ", and the runtime's is " + std::string(word_of(*told)) +
                      ": leave cgroupDriver out (auto), or set it to " +
                      std::string(word_of(*told));
  }
  asked_runtime_ = true;
}

Result<cri::RuntimeView> RuntimeWorker::look() {
  find_out_about_runtime();
  if (!foreign_driver_.empty()) return failure(Code::Invalid, foreign_driver_);
  if (options_.manage_pod_cgroups && driver_ == cri::CgroupDriver::Systemd) {
    RETURN_IF_ERROR(units_.systemd_runs());
  }
  return poll_.poll();
}

// Reported once, and again when the reason changes.
void RuntimeWorker::lost(const Error& why, const std::stop_token& stop) {
  told_.reset();
  asked_runtime_ = false;
  if (std::exchange(trouble_, why.message) != why.message) tell(RuntimeLost{why.message}, stop);
}

void RuntimeWorker::poll(const std::stop_token& stop) {
  if (++polls_ % kReadAllEvery == 0) {
    poll_.expect_all();
    sizes_.clear();
    pod_sizes_.clear();
  }
  const auto view = look();
  if (!view) return lost(view.error(), stop);
  groups_ = {.has_found = !pod_sizes_.empty()};
  RuntimeSeen seen;
  for (const auto& [uid, pod] : view->pods) seen.pods.emplace(uid, report_of(pod));
  if (const auto ours = groups_are_ours(); !ours) return lost(ours.error(), stop);
  trouble_.clear();

  const auto is_gone = [&](const auto& entry) { return !seen.pods.contains(entry.first); };
  std::erase_if(pod_sizes_, is_gone);
  std::erase_if(asked_quotas_, is_gone);
  if (told_ && equal(*told_, seen)) return;
  told_ = seen;
  tell(std::move(seen), stop);
}

Result<cri::CgroupPath> RuntimeWorker::pod_group_of(const std::string& uid,
                                                    cri::CgroupDriver driver) const {
  for (const policy::Qos qos : kQosClasses) {
    const auto path = cri::pod_cgroup_of(driver, qos, uid);
    if (!path) continue;
    const auto reached = cgroups_.reach(*path);
    if (reached) return *path;
    if (reached.error().code == Code::Denied) return std::unexpected(reached.error());
  }
  return failure(Code::NotFound,
                 "no cgroup of the pod was found below the cgroup root: see that cgroupRoot and "
                 "cgroupDriver are the runtime's");
}

void RuntimeWorker::note_group(const std::string& uid, const Result<cri::CgroupPath>& group) {
  if (group) {
    groups_.has_found = true;
  } else if (group.error().code == Code::Denied) {
    groups_.forbidden = group.error();
  } else {
    groups_.missing = uid;
  }
}

// Fails if cgroups may not be read, or if a cgroup is missing where our driver creates it and
// exists where the other one does: unknown cgroups are not resized.
Result<void> RuntimeWorker::groups_are_ours() const {
  if (groups_.forbidden) return std::unexpected(*groups_.forbidden);
  if (groups_.has_found || groups_.missing.empty()) return {};
  const cri::CgroupDriver other = driver_ == cri::CgroupDriver::Systemd
                                      ? cri::CgroupDriver::Cgroupfs
                                      : cri::CgroupDriver::Systemd;
  if (!pod_group_of(groups_.missing, other)) return {};
  const std::string theirs(word_of(other));
  return failure(Code::Invalid, "the pods' control groups were made by the driver " + theirs +
                                    ", and cgroupDriver is " + std::string(word_of(driver_)) +
                                    ": set cgroupDriver: " + theirs +
                                    ", or start the pods again after the runtime's was changed");
}

Result<cri::RuntimeResources> RuntimeWorker::read_pod(const std::string& uid,
                                                      const cri::CgroupPath& group) const {
  ASSIGN_OR_RETURN(cri::RuntimeResources read, cgroups_.read(group));
  const auto asked = asked_quotas_.find(uid);
  return asked == asked_quotas_.end() ? read : cri::as_requested(read, asked->second);
}

PodReport RuntimeWorker::report_of(const cri::RuntimePod& pod) {
  PodReport report;
  // Looking for the cgroup takes a few stat calls, so only if part of it is not known yet.
  const bool unread = std::ranges::any_of(pod.containers, [&](const auto& entry) {
    return entry.second.state == cri::ContainerState::Running && !sizes_.contains(entry.second.id);
  });
  std::optional<cri::CgroupPath> group;
  if (unread || !pod_sizes_.contains(pod.uid)) {
    const auto found = pod_group_of(pod.uid, driver_);
    if (unread || found) note_group(pod.uid, found);
    if (found) group = *found;
  }
  for (const auto& [name, container] : pod.containers) {
    ContainerReport each{
        .id = container.id, .state = state_of(container.state), .may_swap = container.may_swap};
    if (container.created) each.memory_request = container.created->requests.memory;
    if (container.state == cri::ContainerState::Running) {
      each.size = size_of(container, group ? &*group : nullptr);
    }
    report.containers.emplace(name, std::move(each));
  }
  if (!options_.manage_pod_cgroups) return report;
  if (const auto known = pod_sizes_.find(pod.uid); known != pod_sizes_.end()) {
    report.pod_cgroup = known->second;
  } else if (group) {
    const auto read = read_pod(pod.uid, *group);
    if (read) report.pod_cgroup = pod_sizes_[pod.uid] = *read;
    if (!read && read.error().code == Code::Denied) groups_.forbidden = read.error();
  }
  return report;
}

std::optional<cri::RuntimeResources> RuntimeWorker::size_of(const cri::RuntimeContainer& container,
                                                            const cri::CgroupPath* pod_group) {
  if (const auto known = sizes_.find(container.id); known != sizes_.end()) return known->second;
  std::optional<cri::RuntimeResources> in_cgroup;
  if (pod_group != nullptr) {
    const auto path = cri::container_cgroup_of(driver_, *pod_group, container.id, runtime_name_);
    if (path) {
      const auto read = cgroups_.read(*path);
      if (read) in_cgroup = *read;
      if (!read && read.error().code == Code::Denied) {
        groups_.forbidden = read.error();
        return std::nullopt;
      }
    }
  }
  auto actual = cri::actual_of(container.resources, in_cgroup);
  if (actual) sizes_[container.id] = *actual;
  return actual;
}

// ---- steps ----

void RuntimeWorker::act(const Effect& effect, const std::stop_token& stop) {
  const auto* actuate = std::get_if<Actuate>(&effect.what);
  if (actuate == nullptr) return;
  for (const policy::CheckMemory& each : actuate->checks) {
    if (auto checked = check(*actuate, each); !checked) {
      return report(effect.id, actuate->pod, std::unexpected(std::move(checked).error()), stop);
    }
  }
  if (const auto* restart = std::get_if<policy::RestartContainer>(&actuate->step)) {
    auto begun = begin_restart(effect.id, *actuate, *restart);
    if (begun) return;
    return report(effect.id, actuate->pod, std::unexpected(std::move(begun).error()), stop);
  }
  const auto* set = std::get_if<policy::SetPod>(&actuate->step);
  report(effect.id, actuate->pod,
         set != nullptr ? set_pod(*actuate, *set)
                        : update(*actuate, std::get<policy::UpdateContainer>(actuate->step)),
         stop);
}

void RuntimeWorker::report(EffectId id, const std::string& pod,
                           Result<std::optional<cri::RuntimeResources>> size,
                           const std::stop_token& stop) {
  told_.reset();  // the next poll reports what it sees, whatever was reported before
  if (size) {
    tell(Done{.effect = id, .size = *size}, stop);
  } else {
    tell(Failed{.effect = id, .error = size.error().with("pod " + pod)}, stop);
  }
}

Result<void> RuntimeWorker::begin_restart(EffectId id, const Actuate& actuate,
                                          const policy::RestartContainer& restart) {
  ASSIGN_OR_RETURN(const std::string container, id_of(actuate, restart.name));
  const std::chrono::seconds grace{std::clamp<std::int64_t>(
      actuate.grace_seconds, 0, std::chrono::seconds(kLongestGrace).count())};
  endings_.emplace(id, Ending{actuate.pod, client_->begin_stop_container(container, grace,
                                                                         grace + kCallMargin)});
  return {};
}

void RuntimeWorker::follow_endings(const std::stop_token& stop) {
  for (auto at = endings_.begin(); at != endings_.end();) {
    auto outcome = at->second.stop.poll();
    if (!outcome) {
      ++at;
      continue;
    }
    using Size = std::optional<cri::RuntimeResources>;
    Result<Size> size = Size();
    if (!*outcome) size = std::unexpected(std::move(*outcome).error());
    report(at->first, at->second.pod, std::move(size), stop);
    at = endings_.erase(at);
  }
}

Result<cri::CgroupPath> RuntimeWorker::group_of(const Actuate& actuate,
                                                const std::string& container) const {
  ASSIGN_OR_RETURN(const cri::CgroupPath pod, pod_group_of(actuate.pod_uid, driver_));
  if (container.empty()) return pod;
  const auto id = actuate.container_ids.find(container);
  if (id == actuate.container_ids.end()) {
    return failure(Code::NotFound, "container " + container + " does not run");
  }
  return cri::container_cgroup_of(driver_, pod, id->second, runtime_name_);
}

Result<void> RuntimeWorker::check(const Actuate& actuate, const policy::CheckMemory& check) {
  ASSIGN_OR_RETURN(const cri::CgroupPath group, group_of(actuate, check.container));
  ASSIGN_OR_RETURN(const cri::MemoryUse use, cgroups_.memory_use(group));
  const std::string whose =
      check.container.empty() ? "pod" : "container \"" + check.container + "\"";
  return cri::check_memory_limit(whose, check.limit.value, use);
}

Result<std::string> RuntimeWorker::id_of(const Actuate& actuate, const std::string& name) {
  const auto id = actuate.container_ids.find(name);
  if (id == actuate.container_ids.end()) {
    return failure(Code::NotFound, "container " + name + " does not run");
  }
  sizes_.erase(id->second);
  poll_.expect(id->second);
  return id->second;
}

Result<std::optional<cri::RuntimeResources>> RuntimeWorker::set_pod(const Actuate& actuate,
                                                                    const policy::SetPod& set) {
  ASSIGN_OR_RETURN(const cri::CgroupPath group, group_of(actuate, ""));
  pod_sizes_.erase(actuate.pod_uid);
  if (driver_ == cri::CgroupDriver::Systemd) {
    // Before the call: one that times out may still take effect.
    if (set.setting == policy::PodSetting::CpuLimit) {
      asked_quotas_[actuate.pod_uid] = cri::pod_settings(set.bounds).cpu_quota_us;
    }
    RETURN_IF_ERROR(cri::set_pod_slice(units_, cgroups_.version(), group, set, actuate.weights));
  } else {
    RETURN_IF_ERROR(cri::set_pod(cgroups_, group, set, actuate.weights));
  }
  ASSIGN_OR_RETURN(pod_sizes_[actuate.pod_uid], read_pod(actuate.pod_uid, group));
  return std::optional(pod_sizes_[actuate.pod_uid]);
}

Result<std::optional<cri::RuntimeResources>> RuntimeWorker::update(
    const Actuate& actuate, const policy::UpdateContainer& update) {
  ASSIGN_OR_RETURN(const std::string id, id_of(actuate, update.name));
  RETURN_IF_ERROR(client_->update_container(id, cri::update_for(update.before, update.after)));

  // Reads back the present size; if the cgroup cannot be found, the runtime's report is used.
  ASSIGN_OR_RETURN(const cri::RuntimeContainer status, client_->container_status(id));
  std::optional<cri::RuntimeResources> in_cgroup;
  if (const auto group = group_of(actuate, update.name)) {
    if (const auto read = cgroups_.read(*group)) in_cgroup = *read;
  }
  auto actual = cri::actual_of(status.resources, in_cgroup);
  if (actual) sizes_[id] = *actual;
  return actual;
}

}  // namespace elbowroom::agent
