#include "test/simulation/agent_world.h"

#include <algorithm>
#include <stdexcept>

#include "agent/recording/recording_text.h"
#include "cri/convert.h"
#include "policy/model/charge.h"
#include "policy/model/removal_mark.h"
#include "policy/resize/resize.h"

namespace elbowroom::test {
namespace {

// Like a runtime: 0 keeps a value, -1 removes a limit.
void apply(cri::RuntimeResources& have, const cri::RuntimeResources& to) {
  const auto one = [](std::int64_t& value, std::int64_t wish) {
    if (wish != 0) value = wish < 0 ? 0 : wish;
  };
  one(have.cpu_shares, to.cpu_shares);
  one(have.cpu_quota_us, to.cpu_quota_us);
  one(have.cpu_period_us, to.cpu_period_us);
  one(have.memory_limit_bytes, to.memory_limit_bytes);
}

policy::Resources amounts_of(policy::MilliCpu cpu, policy::Bytes memory) {
  policy::Resources of;
  of.cpu = cpu;
  of.memory = memory;
  return of;
}

// The pod's own cgroup: a limit only where each container has one.
cri::RuntimeResources group_of_all(const policy::Pod& pod) {
  policy::Requirements sum;
  bool has_cpu_limit = true;
  bool has_memory_limit = true;
  for (const policy::Container& each : pod.containers) {
    policy::add_to(sum.requests, each.desired.requests);
    policy::add_to(sum.limits, each.desired.limits);
    has_cpu_limit = has_cpu_limit && each.desired.limits.cpu.value != 0;
    has_memory_limit = has_memory_limit && each.desired.limits.memory.value != 0;
  }
  if (!has_cpu_limit) sum.limits.cpu = {};
  if (!has_memory_limit) sum.limits.memory = {};
  return cri::resources_for(sum);
}

std::string in_words(const cri::RuntimeResources& size) {
  return "shares=" + std::to_string(size.cpu_shares) +
         " quota=" + std::to_string(size.cpu_quota_us) +
         " memory=" + std::to_string(size.memory_limit_bytes);
}

}  // namespace

AgentWorld::AgentWorld(policy::Node node, agent::ReactorOptions options)
    : node_(std::move(node)), options_(std::move(options)) {
  options_.node_name = node_.name;
}

void AgentWorld::add(policy::Pod pod) {
  agent::PodReport report;
  for (const policy::Container& container : pod.containers) {
    report.containers[container.name] = {.id = "c-" + pod.name + "-" + container.name,
                                         .state = policy::RunState::Running,
                                         .size = cri::resources_for(container.desired)};
  }
  if (options_.manage_pod_cgroups) report.pod_cgroup = group_of_all(pod);
  runtime_[pod.uid] = report;
  api_[pod.uid] = std::move(pod);
}

policy::Pod& AgentWorld::by_name(const std::string& name) {
  for (auto& [uid, pod] : api_) {
    if (pod.name == name) return pod;
  }
  throw std::logic_error("no pod " + name);
}

const policy::Pod& AgentWorld::pod(const std::string& name) const {
  return const_cast<AgentWorld*>(this)->by_name(name);
}

bool AgentWorld::exists(const std::string& name) const {
  return std::ranges::any_of(api_, [&](const auto& entry) { return entry.second.name == name; });
}

cri::RuntimeResources AgentWorld::size_of(const std::string& name) const {
  return runtime_.at(pod(name).uid).containers.at("app").size.value();
}

std::optional<cri::RuntimeResources> AgentWorld::group_of(const std::string& name) const {
  return runtime_.at(pod(name).uid).pod_cgroup;
}

void AgentWorld::observe(auto what) { seen_.push_back({now_, std::move(what)}); }

void AgentWorld::resize(const std::string& name, std::int64_t cpu_m, std::int64_t memory) {
  policy::Pod& pod = by_name(name);
  pod.containers[0].desired.requests.cpu.value = cpu_m;
  pod.containers[0].desired.requests.memory.value = memory;
  if (!policy::is_zero(pod.containers[0].desired.limits)) {
    pod.containers[0].desired.limits = amounts_of({2 * cpu_m}, {2 * memory});
  }
  ++pod.generation;
  observe(agent::PodSeen{pod});
}

void AgentWorld::disable_resize_preemption(std::vector<std::string> owners) {
  node_.resize_preemption_owners = std::move(owners);
  observe(agent::NodeSeen{node_});
}

void AgentWorld::start() {
  seen_.clear();
  effects_.clear();
  auto restored = disk_.empty() ? Result<agent::Checkpoint>(agent::Checkpoint{})
                                : agent::decode_checkpoint(disk_);
  if (!restored) broken_.push_back("checkpoint: " + restored.error().message);
  durable_ = restored.value_or(agent::Checkpoint{});
  options_.boot = {.id = "run-1", .at_start = options_.boot.at_start + now_.since_start};
  reactor_ = std::make_unique<agent::Reactor>(options_, durable_, !restored.has_value());
  now_.since_start = {};
  observe(agent::NodeSeen{node_});
  agent::PodsListed list;
  for (const auto& [uid, pod] : api_) list.pods.push_back(pod);
  observe(std::move(list));
  observe(agent::RuntimeSeen{runtime_});
}

bool AgentWorld::step() {
  if (!effects_.empty()) {
    const agent::Effect effect = std::move(effects_.front());
    effects_.pop_front();
    perform(effect);
    return true;
  }
  if (seen_.empty()) return false;
  agent::Observation seen = std::move(seen_.front());
  seen_.pop_front();
  now_.since_start += std::chrono::milliseconds(1);
  now_.wall += std::chrono::milliseconds(1);
  seen.at = now_;
  const std::unique_ptr<agent::Reactor> twin = ++observed_ % 5 == 0 ? twin_from_text() : nullptr;
  agent::Effects effects = reactor_->handle(seen);
  if (twin && (twin->handle(seen) != effects || twin->state() != reactor_->state())) {
    broken_.emplace_back("a reactor that begins from the state's text does otherwise");
  }
  for (agent::Effect& effect : effects) effects_.push_back(std::move(effect));
  return true;
}

// What a recording that begins here would be replayed by.
std::unique_ptr<agent::Reactor> AgentWorld::twin_from_text() {
  auto read = agent::read_line(agent::header_line({"", options_, reactor_->state()}));
  if (!read) {
    broken_.push_back("the state cannot be read back: " + read.error().message);
    return nullptr;
  }
  auto& header = std::get<agent::RecordingHeader>(*read);
  return std::make_unique<agent::Reactor>(std::move(header.options), std::move(header.state));
}

void AgentWorld::settle(std::size_t steps) {
  for (std::size_t i = 0; i < steps; ++i) {
    if (step() || end_victims()) continue;
    const auto wake = reactor_->next_wake();
    // Victims end at once here, so their deadlines need no wait.
    if (!wake || *wake > now_.since_start + std::chrono::minutes(2)) return;
    now_.wall += *wake - now_.since_start;
    now_.since_start = *wake;
    observe(agent::TimePassed{});
  }
  broken_.push_back("did not come to rest");
}

bool AgentWorld::end_victims() {
  const auto at = std::ranges::find_if(
      api_, [](const auto& entry) { return policy::is_terminating(entry.second); });
  if (at == api_.end()) return false;
  const std::string uid = at->first;
  runtime_.erase(uid);
  api_.erase(at);
  observe(agent::RuntimeSeen{runtime_});
  observe(agent::PodGone{uid});
  return true;
}

void AgentWorld::perform(const agent::Effect& effect) {
  const bool kill = kill_at_ == performed_++;
  if (kill && !kill_after_effect_) return start();
  std::visit([&](const auto& what) { perform_one(effect.id, what); }, effect.what);
  check_held();
  if (kill) start();
}

void AgentWorld::perform_one(agent::EffectId id, const agent::SaveCheckpoint& save) {
  if (std::exchange(fail_save_, false)) {
    return observe(agent::Failed{id, {Code::Exhausted, "no space left on device", {}}});
  }
  ++saves_;
  disk_ = agent::encode(save.checkpoint);
  durable_ = save.checkpoint;
  observe(agent::Done{.effect = id});
}

void AgentWorld::perform_one(agent::EffectId id, const agent::Actuate& actuate) {
  if (!runtime_.contains(actuate.pod_uid)) {
    return observe(agent::Failed{id, {Code::NotFound, "no such pod", {}}});
  }
  std::visit([&](const auto& step) { step_done(id, actuate, step); }, actuate.step);
}

void AgentWorld::step_done(agent::EffectId id, const agent::Actuate& of,
                           const policy::UpdateContainer& update) {
  const cri::RuntimeResources to = cri::update_for(update.before, update.after);
  check_durable(of.pod_uid, update.name, to);
  agent::ContainerReport& container = runtime_[of.pod_uid].containers[update.name];
  const bool fails = std::exchange(fail_update_, false);
  if (!fails || apply_failed_update_) apply(*container.size, to);
  calls_.push_back(of.pod + " " + in_words(to));
  check_within(of);
  if (fails) {
    return observe(agent::Failed{id, {Code::Unavailable, "the runtime did not answer", {}}});
  }
  observe(agent::Done{.effect = id, .size = container.size});
}

void AgentWorld::step_done(agent::EffectId id, const agent::Actuate& of,
                           const policy::RestartContainer& restart) {
  calls_.push_back(of.pod + " restart");
  // The pod runner restarts it with its allocated size.
  runtime_[of.pod_uid].containers[restart.name].size =
      cri::resources_for(durable_.pods.at(of.pod_uid).containers.at(restart.name));
  observe(agent::Done{.effect = id});
  observe(agent::RuntimeSeen{runtime_});
}

void AgentWorld::step_done(agent::EffectId id, const agent::Actuate& of,
                           const policy::SetPod& set) {
  std::optional<cri::RuntimeResources>& have = runtime_[of.pod_uid].pod_cgroup;
  if (!have) have.emplace();
  const cri::RuntimeResources whole =
      cri::resources_for({.requests = amounts_of(set.bounds.cpu_request, policy::Bytes{}),
                          .limits = amounts_of(set.bounds.cpu_limit.value_or(policy::MilliCpu{}),
                                               set.bounds.memory_limit.value_or(policy::Bytes{}))});
  switch (set.setting) {
    case policy::PodSetting::MemoryLimit:
      have->memory_limit_bytes = whole.memory_limit_bytes;
      break;
    case policy::PodSetting::CpuLimit:
      have->cpu_quota_us = whole.cpu_quota_us;
      have->cpu_period_us = whole.cpu_period_us;
      break;
    case policy::PodSetting::CpuRequest:
      have->cpu_shares = whole.cpu_shares;
      break;
  }
  calls_.push_back(of.pod + " pod " + in_words(*have));
  check_within(of);
  observe(agent::Done{.effect = id, .size = have});
}

void AgentWorld::perform_one(agent::EffectId id, const agent::WriteStatus& write) {
  if (hold_writes_) return;
  const auto at = api_.find(write.pod_uid);
  if (at == api_.end()) return observe(agent::Failed{id, {Code::NotFound, "no such pod", {}}});
  policy::Pod& pod = at->second;
  for (const policy::Condition& condition : write.set) {
    std::erase_if(pod.conditions, [&](const auto& c) { return c.type == condition.type; });
    pod.conditions.insert(pod.conditions.begin(), condition);
  }
  for (const std::string& type : write.remove) {
    std::erase_if(pod.conditions, [&](const auto& c) { return c.type == type; });
  }
  for (policy::Container& container : pod.containers) {
    const auto figures = write.containers.find(container.name);
    if (figures == write.containers.end()) continue;
    container.allocated_requests = figures->second.allocated;
    container.actual_requests = figures->second.actual.requests;
    container.actual_limits = figures->second.actual.limits;
    const auto durable = durable_.pods.find(pod.uid);
    if (durable == durable_.pods.end() ||
        durable->second.containers.at(container.name).requests != figures->second.allocated) {
      broken_.push_back("status of " + pod.name + " shows an allocation that is not durable");
    }
  }
  observe(agent::PodSeen{pod});
  observe(agent::Done{.effect = id});
}

void AgentWorld::perform_one(agent::EffectId id, const agent::MarkVictim& mark) {
  const auto at = api_.find(mark.victim.uid);
  if (at == api_.end()) return observe(agent::Failed{id, {Code::NotFound, "no such pod", {}}});
  std::erase_if(at->second.conditions,
                [](const auto& c) { return c.type == policy::kDisruptionTarget; });
  if (!mark.clear) at->second.conditions.push_back(mark.condition);
  observe(agent::PodSeen{at->second});
  observe(agent::Done{.effect = id});
}

void AgentWorld::perform_one(agent::EffectId id, const agent::DeleteVictim& victim) {
  const auto at = api_.find(victim.victim.uid);
  if (at == api_.end()) return observe(agent::Failed{id, {Code::NotFound, "no such pod", {}}});
  if (victim.dry_run) return observe(agent::Done{.effect = id});
  if (!policy::removal_mark(at->second)) broken_.push_back("removed without a mark: " + at->first);
  if (durable_.removals.empty()) broken_.push_back("removed without an intent: " + at->first);
  if (!policy::is_terminating(at->second)) removed_.push_back(at->second.name);
  at->second.deletion = now_.wall + std::chrono::seconds(30);
  at->second.deletion_grace_seconds = 30;
  observe(agent::PodSeen{at->second});
  observe(agent::Done{.effect = id});
}

void AgentWorld::perform_one(agent::EffectId /*id*/, const agent::EmitEvent& event) {
  events_.push_back(event.reason + " " + event.pod);
}

void AgentWorld::perform_one(agent::EffectId id, const agent::AnnotateNode& annotate) {
  node_.critical_preemption_by_node = annotate.critical_preemption;
  observe(agent::NodeSeen{node_});
  observe(agent::Done{.effect = id});
}

void AgentWorld::perform_one(agent::EffectId id, const agent::ReadBudgets& /*read*/) {
  observe(agent::BudgetsRead{.effect = id, .budgets = {}, .server = now_.wall});
}

void AgentWorld::perform_one(agent::EffectId id, const agent::EnterVictim& /*enter*/) {
  observe(agent::Done{.effect = id});
}

void AgentWorld::check_durable(const std::string& uid, const std::string& container,
                               const cri::RuntimeResources& to) {
  const auto pod = durable_.pods.find(uid);
  if (pod == durable_.pods.end()) {
    broken_.push_back("actuated without an allocation: " + uid);
    return;
  }
  const auto wanted = cri::resources_for(pod->second.containers.at(container));
  const auto have = runtime_[uid].containers[container].size.value();
  const auto known = [](std::int64_t value, std::int64_t allocated, std::int64_t actual) {
    return value <= 0 || value == allocated || value == actual;
  };
  if (!known(to.cpu_shares, wanted.cpu_shares, have.cpu_shares) ||
      !known(to.memory_limit_bytes, wanted.memory_limit_bytes, have.memory_limit_bytes)) {
    broken_.push_back("actuated what is not durable: " + uid + " " + in_words(to));
  }
}

// No limit of a container exceeds its pod's, at any instant.
void AgentWorld::check_within(const agent::Actuate& of) {
  const agent::PodReport& pod = runtime_[of.pod_uid];
  if (!pod.pod_cgroup) return;
  const auto exceeds = [](std::int64_t inner, std::int64_t outer) {
    return inner > 0 && outer > 0 && inner > outer;
  };
  for (const auto& [name, container] : pod.containers) {
    if (exceeds(container.size->memory_limit_bytes, pod.pod_cgroup->memory_limit_bytes) ||
        exceeds(container.size->cpu_quota_us, pod.pod_cgroup->cpu_quota_us)) {
      broken_.push_back("container " + name + " of " + of.pod + " exceeds its pod");
    }
  }
}

// The sum of what the agent has allocated or the runtime still grants never rises above
// allocatable.
void AgentWorld::check_held() {
  policy::Resources held;
  for (const auto& [uid, pod] : api_) {
    policy::Pod with = pod;
    const auto durable = durable_.pods.find(uid);
    for (policy::Container& container : with.containers) {
      if (durable == durable_.pods.end()) break;
      container.allocated_requests = durable->second.containers.at(container.name).requests;
    }
    policy::add_to(held, policy::held_charge(with));
  }
  if (held.cpu > held_before_.cpu && held.cpu > node_.allocatable.cpu) {
    broken_.push_back("held cpu rose to " + std::to_string(held.cpu.value));
  }
  held_before_ = held;
}

}  // namespace elbowroom::test
