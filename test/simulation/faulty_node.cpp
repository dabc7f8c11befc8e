#include "test/simulation/faulty_node.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "api/transport/kubeconfig.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::test {

using lab::Json;
using lab::list_at;
using lab::text_at;
using lab::World;
using lab::testing::pod_object;
using lab::testing::pod_target;

bool FaultyDisk::fails() const {
  errno = failure.load();
  return errno != 0;
}
int FaultyDisk::open(const std::string& path, int flags, mode_t mode) const {
  return fails() ? -1 : real_.open(path, flags, mode);
}
ssize_t FaultyDisk::write(int fd, std::string_view bytes) const {
  return fails() ? -1 : real_.write(fd, bytes);
}
int FaultyDisk::fsync(int fd) const { return fails() ? -1 : real_.fsync(fd); }
int FaultyDisk::link(const std::string& from, const std::string& to) const {
  return fails() ? -1 : real_.link(from, to);
}
int FaultyDisk::rename(const std::string& from, const std::string& to) const {
  return fails() ? -1 : real_.rename(from, to);
}
int FaultyDisk::unlink(const std::string& path) const { return fails() ? -1 : real_.unlink(path); }

FaultyNode::FaultyNode() {
  auto cluster = lab::Cluster::start({.agents = false, .folder = folder(), .complain = {}});
  if (!cluster) throw std::runtime_error(cluster.error().message);
  cluster_ = *std::move(cluster);
  api_ = Gate::before_port(cluster_->api().port());
  runtime_ = Gate::before_socket(cluster_->runtime(0).endpoint().substr(7), folder() / "gate.sock");
  api_->open();
  runtime_->open();
  std::filesystem::create_directories(state_dir());
  std::filesystem::permissions(state_dir(), std::filesystem::perms::owner_all);
  EXPECT_TRUE(lab::comes_true([&] { return cluster_->is_ready(); }, kPatience));
}

FaultyNode::~FaultyNode() {
  cluster_->api().clear_faults();
  cluster_->runtime(0).clear_faults();
  stop_agent();
}

std::string FaultyNode::endpoint() const { return "unix://" + (folder() / "gate.sock").string(); }

std::string FaultyNode::kubeconfig() const {
  std::string text = cluster_->api().kubeconfig();
  const std::string url = cluster_->api().url();
  return text.replace(text.find(url), url.size(),
                      "http://127.0.0.1:" + std::to_string(api_->port()));
}

void FaultyNode::start_agent() {
  const auto access = api::access_from({{.path = "kubeconfig", .text = kubeconfig()}});
  ASSERT_TRUE(access) << access.error().message;
  agent::AgentOptions options{
      .reactor = {.node_name = "node-1", .authority = true, .critical_preemption = true},
      .runtime = {.endpoint = endpoint(),
                  .cgroup_root = cluster_->cgroup_root(0).string(),
                  .driver = cri::CgroupDriver::Cgroupfs,
                  .poll_every = std::chrono::milliseconds(50)},
      .access = *access,
      .state_dir = state_dir()};
  auto opened = agent::Agent::open(std::move(options),
                                   {.changed = [](const agent::Snapshot&) {},
                                    .performed = [](const agent::Effect&) {},
                                    .trouble =
                                        [this](const std::string& what) {
                                          const std::lock_guard lock(mutex_);
                                          troubles_.push_back(what);
                                        },
                                    .alive = [](std::string_view) {}},
                                   disk_);
  ASSERT_TRUE(opened) << opened.error().message;
  agent_ = *std::move(opened);
  thread_ = std::jthread(
      [agent = agent_.get()](const std::stop_token& stop) noexcept { agent->run(stop); });
}

void FaultyNode::stop_agent() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  agent_.reset();
}

void FaultyNode::create(const std::string& name, const std::string& cpu, int priority) {
  Json pod = pod_object(name, "node-1");
  pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = cpu;
  if (priority != 0) pod["spec"]["priority"] = priority;
  pod["metadata"]["namespace"] = "default";
  load(pod);
  EXPECT_TRUE(lab::comes_true([&] { return text_at(get(name), {"status", "phase"}) == "Running"; },
                              kPatience));
}

void FaultyNode::load(const Json& object) {
  const auto made = cluster_->api().with_world([&](World& world) { return world.load(object); });
  EXPECT_EQ(lab::testing::message_of(made), "");
}

void FaultyNode::remove(const std::string& name) {
  const auto removed = cluster_->api().with_world(
      [&](World& world) { return world.remove(pod_target(name), {.grace_seconds = 0}); });
  EXPECT_EQ(lab::testing::outcome(removed), "ok");
}

void FaultyNode::resize(const std::string& name, const std::string& cpu) {
  const Json resources = {{"requests", {{"cpu", cpu}}}};
  const Json patch = {
      {"spec", {{"containers", Json::array({{{"name", "app"}, {"resources", resources}}})}}}};
  const auto resized = cluster_->api().with_world([&](World& world) {
    return world.patch(pod_target(name, lab::Subresource::Resize), lab::PatchType::StrategicMerge,
                       patch);
  });
  EXPECT_EQ(lab::testing::outcome(resized), "ok");
}

Json FaultyNode::get(const std::string& name) {
  const auto pod =
      cluster_->api().with_world([&](World& world) { return world.get(pod_target(name)); });
  return pod ? *pod : Json();
}

bool FaultyNode::has_event(const std::string& reason) {
  const auto events = cluster_->api().with_world([](World& world) {
    return world.list({.kind = lab::find_kind("events.k8s.io", "v1", "events")});
  });
  return events && std::ranges::any_of(list_at(*events, {"items"}), [&](const Json& each) {
           return text_at(each, {"reason"}) == reason;
         });
}

std::string FaultyNode::reason_of_pending(const std::string& name) {
  const Json pod = get(name);
  for (const Json& condition : list_at(pod, {"status", "conditions"})) {
    if (text_at(condition, {"type"}) == "PodResizePending") return text_at(condition, {"reason"});
  }
  return "";
}

std::string FaultyNode::allocated_cpu(const std::string& name) {
  const Json pod = get(name);
  const Json& all = list_at(pod, {"status", "containerStatuses"});
  return all.empty() ? "" : text_at(all[0], {"allocatedResources", "cpu"});
}

std::string FaultyNode::actual_cpu(const std::string& name) {
  const Json pod = get(name);
  const Json& all = list_at(pod, {"status", "containerStatuses"});
  return all.empty() ? "" : text_at(all[0], {"resources", "requests", "cpu"});
}

std::int64_t FaultyNode::shares(const std::string& name) {
  return cluster_->runtime(0).with_runtime([&](lab::FakeCriRuntime& runtime) -> std::int64_t {
    const auto* app = runtime.find("default/" + name, "app");
    return app == nullptr ? -1 : app->stored.cpu_shares;
  });
}

std::size_t FaultyNode::updates() {
  return cluster_->runtime(0).with_runtime([&](lab::FakeCriRuntime& runtime) {
    return static_cast<std::size_t>(
        std::ranges::count(runtime.calls(), "UpdateContainerResources", &lab::RuntimeCall::method));
  });
}

bool FaultyNode::gets_ready() {
  return lab::comes_true(
      [&] {
        const auto now = agent_->check_up();
        return now && std::ranges::all_of(now->checks, &agent::ReadyCheck::ok);
      },
      kPatience);
}

bool FaultyNode::complains(const std::string& check, const std::string& what) {
  return lab::comes_true(
      [&] {
        const auto now = agent_->check_up();
        return now && std::ranges::any_of(now->checks, [&](const agent::ReadyCheck& each) {
                 return each.name == check && !each.ok && each.why.find(what) != std::string::npos;
               });
      },
      kPatience);
}

bool FaultyNode::gets(const std::string& name, const std::string& cpu) {
  return lab::comes_true(
      [&] {
        const Json pod = get(name);
        bool quiet = true;
        for (const Json& condition : list_at(pod, {"status", "conditions"})) {
          quiet = quiet && !text_at(condition, {"type"}).starts_with("PodResize");
        }
        return quiet && actual_cpu(name) == cpu && allocated_cpu(name) == cpu;
      },
      kPatience);
}

std::string FaultyNode::health() {
  const auto now = agent_->check_up();
  if (!now) return "the reactor does not answer";
  std::string all;
  for (const agent::ReadyCheck& each : now->checks) {
    all += each.name + (each.ok ? ": ok\n" : ": " + each.why + "\n");
  }
  return all;
}

std::vector<std::string> FaultyNode::remedies_text() {
  const std::lock_guard lock(mutex_);
  return troubles_;
}

}  // namespace elbowroom::test
