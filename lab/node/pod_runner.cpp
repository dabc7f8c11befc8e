#include "lab/node/pod_runner.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "api/codec/decode_pod.h"
#include "api/codec/json.h"
#include "api/transport/curl_transport.h"
#include "api/watch/watcher.h"
#include "base/document.h"
#include "lab/node/node_report.h"
#include "lab/node/pod_report.h"
#include "policy/model/charge.h"
#include "policy/model/rejected_pods.h"

namespace elbowroom::lab {
namespace {

using Clock = Mailbox<int>::Clock;
using namespace std::chrono_literals;

constexpr auto kRetry = 1s;
constexpr auto kNodeRetry = 2s;
constexpr auto kReadPatience = 5s;
constexpr auto kNodeInterval = 30s;
constexpr auto kLeaseInterval = 10s;
constexpr auto kSandboxDeadline = 60s;
constexpr auto kContainerDeadline = 30s;
constexpr std::size_t kMostStoppers = 64;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// 0 if it is not a number: then versions cannot be compared.
std::uint64_t version_of(const Json& object) {
  const std::string text = text_at(object, {"metadata", "resourceVersion"});
  std::uint64_t version = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

Result<Json> json_of(const Value& value) { return parse_object(api::to_json(value)); }

// A 4xx other than 409 and 429: the server understood the request, and a retry gets the same
// answer.
bool is_refusal(const Error& error) {
  return error.code == Code::Invalid || error.code == Code::Denied ||
         error.code == Code::NotFound || error.code == Code::Gone;
}

}  // namespace

Result<std::unique_ptr<PodRunner>> PodRunner::make(api::Access access,
                                                   std::string_view runtime_endpoint,
                                                   PodRunnerOptions options) {
  ASSIGN_OR_RETURN(auto runtime, cri::Client::open(runtime_endpoint));
  std::optional<cri::Cgroups> cgroups;
  if (!options.cgroup_root.empty()) {
    ASSIGN_OR_RETURN(cgroups, cri::Cgroups::open(options.cgroup_root));
  }
  return std::unique_ptr<PodRunner>(
      new PodRunner(std::move(access), std::move(runtime), std::move(options), std::move(cgroups)));
}

PodRunner::PodRunner(api::Access access, std::unique_ptr<cri::Client> runtime,
                     PodRunnerOptions options, std::optional<cri::Cgroups> cgroups)
    : access_(std::move(access)),
      runtime_(std::move(runtime)),
      options_(std::move(options)),
      cgroups_(std::move(cgroups)),
      poll_(*runtime_) {}

PodRunner::~PodRunner() = default;

Result<void> PodRunner::run(const std::stop_token& stop) {
  stop_ = stop;
  api::CurlTransport transport(
      access_, {.user_agent = "elbowroom-lab/" ELBOWROOM_VERSION, .calls = {10ms, 100}});
  api::Client client(transport, "elbowroom-lab");
  transport_ = &transport;
  client_ = &client;
  const auto hear = [this](api::WatchReport<Json> news) {
    if (auto* all = std::get_if<api::Replaced<Json>>(&news)) put(Listed{std::move(all->objects)});
    if (auto* one = std::get_if<api::Upserted<Json>>(&news)) put(Changed{std::move(one->object)});
    if (auto* gone = std::get_if<api::Removed>(&news)) put(Gone{gone->ref.uid});
  };
  api::Watcher<Json> watcher(transport,
                             {.path = "/api/v1/pods",
                              .kind = "Pod",
                              .field_selector = "spec.nodeName=" + options_.node_name},
                             {}, json_of, hear);
  watcher.start();
  {
    std::jthread api_thread(
        [&transport](const std::stop_token& own) noexcept { transport.run(own); });
    while (!stop.stop_requested() && !refused_) {
      const auto view = poll_runtime();
      update_node();
      renew_lease();
      if (view) sync_pods(*view);
      auto news = news_.take(stop, Clock::now() + options_.poll);
      while (news) {
        take(std::move(*news));
        news = news_.try_take();
      }
    }
  }
  stoppers_.clear();  // their calls end at their deadlines
  transport_ = nullptr;
  client_ = nullptr;
  if (refused_) return std::unexpected(refused_->with("register node " + options_.node_name));
  return {};
}

Result<void> PodRunner::adopt(std::vector<Json> pods) {
  for (Json& pod : pods) learn(std::move(pod));
  for (const auto& [uid, known] : pods_) {
    auto adopted = adopt(known.pod);
    if (!adopted) return std::unexpected(adopted.error().with(policy::key_of(known.pod.value)));
  }
  return {};
}

Result<void> PodRunner::adopt(const NodePod& pod) {
  const auto has_begun = [](const policy::Container& container) {
    return container.state != policy::RunState::None;
  };
  if (policy::is_finished(pod.value) || std::ranges::none_of(pod.value.containers, has_begun)) {
    return {};
  }
  RETURN_IF_ERROR(run_sandbox(pod, {}));
  ASSIGN_OR_RETURN(const cri::RuntimeView view, poll_.poll());
  const cri::RuntimePod* runtime = view.find(pod.value.uid);
  if (runtime == nullptr) return failure(Code::Internal, "its sandbox is not listed");
  for (const policy::Container& container : pod.value.containers) {
    if (!has_begun(container)) continue;
    ASSIGN_OR_RETURN(const std::string id,
                     start_container(pod, runtime->sandbox_id, {.name = container.name}));
    if (container.state == policy::RunState::Terminated) {
      RETURN_IF_ERROR(runtime_->stop_container(id, 0s, kContainerDeadline));
    }
  }
  return {};
}

void PodRunner::put(News news) { (void)news_.put(std::move(news), stop_, Clock::now() + 30s); }

void PodRunner::complain(const std::string& what) {
  if (options_.complain) options_.complain(what);
}

void PodRunner::send(api::Method method, std::string path, std::string content_type,
                     std::string body, api::Client::Raw done) {
  transport_->post([client = client_, method, path = std::move(path),
                    type = std::move(content_type), body = std::move(body),
                    done = std::move(done)]() mutable {
    client->request(method, std::move(path), {}, std::move(type), std::move(body), std::move(done));
  });
}

std::string PodRunner::pod_path(const NodePod& pod, const char* subresource) const {
  return "/api/v1/namespaces/" + pod.value.ns + "/pods/" + pod.value.name + subresource;
}

void PodRunner::take(News news) {
  std::visit([this](auto& what) { on(std::move(what)); }, news);
}

void PodRunner::learn(Json object) {
  const auto document = parse_json(to_text(object));
  auto value = document
                   ? api::decode_pod_as(
                         {.source = api::Source::Server, .terms = api::Terms::Skipped}, *document)
                   : Result<policy::Pod>(std::unexpected(document.error()));
  if (!value) {
    complain("cannot run a pod: " + value.error().message);
    return;
  }
  if (value->node != options_.node_name) return;
  Known& known = pods_[value->uid];
  // The answer to our own write may be newer than what the watch sent.
  if (version_of(object) < version_of(known.pod.object)) return;
  known.pod = {.object = Object(std::move(object)), .value = std::move(*value)};
}

void PodRunner::on(Listed listed) {
  std::vector<std::string> there;
  for (Json& pod : listed.pods) {
    there.push_back(text_at(pod, {"metadata", "uid"}));
    learn(std::move(pod));
  }
  for (auto& [uid, known] : pods_) {
    if (std::ranges::find(there, uid) == there.end()) known.is_gone = true;
  }
}

void PodRunner::on(Changed changed) { learn(std::move(changed.pod)); }

void PodRunner::on(const Gone& gone) {
  if (const auto it = pods_.find(gone.uid); it != pods_.end()) it->second.is_gone = true;
}

void PodRunner::on(Written written) {
  const auto it = pods_.find(written.uid);
  if (it == pods_.end()) return;
  it->second.is_writing = false;
  if (written.object) {
    if (!written.object->is_null()) {
      learn(std::move(*written.object));
    } else {
      it->second.not_before =
          Clock::now() + kRetry;  // the pod was removed: the watch reports what became of it
    }
    return;
  }
  const Error& error = written.object.error();
  if (error.code == Code::NotFound) {
    it->second.is_gone = true;
    return;
  }
  // After a conflict a newer object is on its way: what was read is stale.
  it->second.not_before = Clock::now() + (error.code == Code::Conflict ? 50ms : 1000ms);
  if (error.code != Code::Conflict) complain(error.message);
}

void PodRunner::on(ReadAgain read) {
  const auto it = pods_.find(read.uid);
  if (it == pods_.end()) return;
  Known& known = it->second;
  known.is_reading = false;
  if (read.object) {
    known.was_read = text_at(*read.object, {"metadata", "uid"}) == read.uid;
    if (known.was_read) return learn(std::move(*read.object));
    known.is_gone = true;
  } else if (read.object.error().code == Code::NotFound) {
    known.is_gone = true;
  } else {
    complain(read.object.error().message);
    known.not_before = Clock::now() + kRetry;
  }
}

void PodRunner::on(const OwnWritten& written) {
  Own& own = written.is_lease ? lease_ : node_;
  own.is_being_written = false;
  own.next = Clock::now() + (written.is_lease ? kLeaseInterval : kNodeInterval);
  if (written.outcome) {
    own.is_known = true;
    if (written.is_lease) return;
    was_registered_ = true;
    if (reported_ready_ != runtime_status_.trouble.empty())
      own.next = {};  // it changed in the meantime
    return;
  }
  const Code code = written.outcome.error().code;
  if (written.was_creation && code == Code::Conflict) {
    own.is_known = true;  // it exists already: update it
    own.next = {};
    was_registered_ = was_registered_ || !written.is_lease;
    return;
  }
  if (written.was_creation && !was_registered_ && is_refusal(written.outcome.error())) {
    refused_ = written.outcome.error();
    return;
  }
  if (code == Code::NotFound) own.is_known = false;
  own.next = Clock::now() + kNodeRetry;
  complain(written.outcome.error().message);
}

void PodRunner::on(const Stopped& stopped) {
  stoppers_.erase(stopped.uid);
  const auto it = pods_.find(stopped.uid);
  if (it == pods_.end()) return;
  it->second.is_stopping = false;
  if (stopped.outcome) return;
  complain(stopped.outcome.error().message);
  it->second.not_before = Clock::now() + kRetry;
}

void PodRunner::update_node() {
  if (!options_.writes_node || !is_due(node_)) return;
  reported_ready_ = runtime_status_.trouble.empty();
  if (reported_ready_ && runtime_status_.name.empty()) {
    const auto version = runtime_->version();
    if (version) runtime_status_.name = version->name + "://" + version->version;
  }
  const Json node = node_object(options_, runtime_status_, now_ns());
  if (!node_.is_known) {
    write_own(false, api::Method::Post, "/api/v1/nodes", node);
    return;
  }
  const Json status = {{"status",
                        {{"capacity", node["status"]["capacity"]},
                         {"allocatable", node["status"]["allocatable"]},
                         {"nodeInfo", node["status"]["nodeInfo"]},
                         {"declaredFeatures", node["status"]["declaredFeatures"]},
                         {"conditions", node["status"]["conditions"]}}}};
  write_own(false, api::Method::Patch, "/api/v1/nodes/" + options_.node_name + "/status", status);
}

// Only when the Node exists: programs that watch Leases look for it.
void PodRunner::renew_lease() {
  if ((options_.writes_node && !node_.is_known) || !is_due(lease_)) return;
  const Json lease = node_lease(options_.node_name, now_ns());
  if (lease_.is_known) {
    write_own(true, api::Method::Patch, node_lease_path(options_.node_name),
              {{"spec", lease["spec"]}});
  } else {
    write_own(true, api::Method::Post, node_lease_path(""), lease);
  }
}

bool PodRunner::is_due(const Own& own) { return !own.is_being_written && Clock::now() >= own.next; }

void PodRunner::write_own(bool is_lease, api::Method method, std::string path, const Json& what) {
  (is_lease ? lease_ : node_).is_being_written = true;
  const bool creates = method == api::Method::Post;
  send(method, std::move(path), std::string(creates ? api::kJson : api::kStrategicMergePatch),
       to_text(what), [this, is_lease, creates](const Result<api::Response>& response) {
         put(OwnWritten{is_lease, creates,
                        response ? Result<void>() : std::unexpected(response.error())});
       });
}

// Also runs while there are no pods: schedulers need to know whether the node is ready.
std::optional<cri::RuntimeView> PodRunner::poll_runtime() {
  auto view = poll_.poll();
  const bool was_up = runtime_status_.trouble.empty();
  if (view.has_value() != was_up || runtime_status_.since_ns == 0) {
    runtime_status_.since_ns = now_ns();
    node_.next = {};
  }
  if (view) {
    if (runtime_error_) complain("the runtime answers again");
    runtime_error_.reset();
    runtime_status_.trouble.clear();
    return std::move(*view);
  }
  if (!runtime_error_ || runtime_error_->code != view.error().code) {
    complain("the runtime does not answer: " + view.error().message);
  }
  runtime_error_ = view.error();
  runtime_status_.trouble = view.error().message;
  return std::nullopt;
}

void PodRunner::sync_pods(const cri::RuntimeView& view) {
  std::vector<std::string> done;
  for (auto& [uid, known] : pods_) {
    const cri::RuntimePod* runtime = view.find(uid);
    if (known.is_gone && runtime == nullptr && !known.is_stopping) {
      done.push_back(uid);
    } else if (Clock::now() >= known.not_before) {
      look_after(uid, known, runtime);
    }
  }
  for (const std::string& uid : done) pods_.erase(uid);
}

void PodRunner::look_after(const std::string& uid, Known& known, const cri::RuntimePod* runtime) {
  if (known.is_stopping) return;
  known.has_begun = known.has_begun || runtime != nullptr;
  if (!known.is_gone && !known.has_begun && holds_back(uid, known)) return;
  known.has_begun = true;
  known.orders.has_exited = has_exited(known.pod.object);
  if (known.orders.has_exited && runtime != nullptr) exit_containers(*runtime);
  if (!known.is_gone) {
    if (reads_first(uid, known, runtime)) return;
    judge_ends(known.pod, runtime, known.orders);
  }
  if (!known.is_gone && !known.is_writing) report(uid, known, runtime);
  const auto steps = known.is_gone ? steps_without_object(*runtime)
                                   : next_steps(known.pod, runtime, now_ns(), known.orders);
  for (const PodStep& step : steps) {
    if (const auto* stop = std::get_if<StopContainers>(&step)) {
      stop_containers(uid, known, *stop);
    } else if (std::holds_alternative<DeleteObject>(step)) {
      if (!known.is_writing) delete_object(uid, known);
    } else if (const auto performed = perform(known, runtime, step); !performed) {
      complain(policy::key_of(known.pod.value) + ": " + performed.error().message);
      known.not_before = Clock::now() + kRetry;
      return;
    }
  }
}

// Two programs' watches may lag: the agent stops a container only after the API shows its new size,
// so the pod is read after the end was seen. Without an answer the end is judged by what is known.
bool PodRunner::reads_first(const std::string& uid, Known& known, const cri::RuntimePod* runtime) {
  if (runtime == nullptr || policy::is_terminating(known.pod.value)) return false;
  std::set<std::string> ended;
  for (const policy::Container& container : known.pod.value.containers) {
    const auto it = runtime->containers.find(container.name);
    if (it == runtime->containers.end() || !may_restart_for_resize(container)) continue;
    const cri::RuntimeContainer& there = it->second;
    const bool is_new = !known.orders.ends.contains(there.id);
    if (there.state == cri::ContainerState::Exited && is_new) ended.insert(there.id);
  }
  if (ended.empty()) return false;
  if (ended == known.read_for && known.was_read) return false;
  if (known.is_reading) return true;
  if (ended != known.read_for) {
    known.read_for = std::move(ended);
    known.read_since = Clock::now();
  } else if (Clock::now() > known.read_since + kReadPatience) {
    return false;
  }
  known.was_read = false;
  known.is_reading = true;
  send(api::Method::Get, pod_path(known.pod, ""), "", "",
       [this, uid](const Result<api::Response>& response) {
         put(ReadAgain{uid, response ? parse_object(response->body)
                                     : Result<Json>(std::unexpected(response.error()))});
       });
  return true;
}

// Admission, as in a kubelet: of pods that do not fit none starts.
bool PodRunner::holds_back(const std::string& uid, Known& known) {
  if (!options_.writes_node) return false;  // what the Node has is not known here
  const policy::Pod& pod = known.pod.value;
  if (!policy::has_not_begun(pod) || policy::is_terminating(pod)) return false;
  policy::Node own;
  own.allocatable.cpu = options_.cpu;
  own.allocatable.memory = options_.memory;
  own.allowed_pods = options_.pods;
  std::vector<const policy::Pod*> others;
  for (const auto& [other, each] : pods_) {
    if (other == uid || each.is_gone || !policy::holds_room(each.pod.value)) continue;
    const bool comes_after = !each.has_begun && policy::awaits_admission(each.pod.value) &&
                             !policy::is_admitted_before(each.pod.value, pod);
    if (!comes_after) others.push_back(&each.pod.value);
  }
  const auto now = Clock::now();
  if (!known.waits_since) known.waits_since = now;
  const Admitted admitted =
      admit(own, pod, others,
            std::chrono::duration_cast<std::chrono::milliseconds>(now - *known.waits_since),
            policy::Time(std::chrono::duration_cast<std::chrono::microseconds>(
                std::chrono::nanoseconds(now_ns()))));
  if (admitted.verdict == Admission::Start) return false;
  if (admitted.verdict == Admission::Wait || known.is_writing) return true;
  const Json status = rejected_status(known.pod, admitted.rejection);
  if (const auto patch = status_patch(known.pod.object, status)) write_status(uid, known, *patch);
  return true;
}

void PodRunner::exit_containers(const cri::RuntimePod& runtime) {
  if (!options_.exit_container) return;
  for (const auto& [name, container] : runtime.containers) {
    if (container.state == cri::ContainerState::Running) options_.exit_container(container.id);
  }
}

void PodRunner::report(const std::string& uid, Known& known, const cri::RuntimePod* runtime) {
  Json status = has_exited(known.pod.object)
                    ? reported_status(never_restarted(known.pod), runtime, now_ns())
                    : reported_status(known.pod, runtime, now_ns(), known.orders);
  if (runtime != nullptr && known.ip_of != runtime->sandbox_id) {
    // Once for each sandbox; repeated for one that has no address yet.
    const auto sandbox = runtime_->sandbox_status(runtime->sandbox_id);
    known.ip = sandbox ? sandbox->ip : "";
    if (!known.ip.empty()) known.ip_of = runtime->sandbox_id;
  }
  add_pod_level(known.pod, status);
  // A running sandbox has its network, too.
  const bool has_sandbox = runtime != nullptr && runtime->sandbox_state == cri::SandboxState::Ready;
  set_pod_condition(status, "PodReadyToStartContainers", has_sandbox, "",
                    known.pod.value.generation, now_ns());
  add_place(known.pod, options_.node_ip, known.ip, now_ns(), status);
  if (const auto patch = status_patch(known.pod.object, status)) write_status(uid, known, *patch);
}

void PodRunner::write_status(const std::string& uid, Known& known, const Json& patch) {
  known.is_writing = true;
  send(api::Method::Patch, pod_path(known.pod, "/status"), std::string(api::kStrategicMergePatch),
       to_text(patch), [this, uid](const Result<api::Response>& response) {
         put(Written{uid, response ? parse_object(response->body)
                                   : Result<Json>(std::unexpected(response.error()))});
       });
}

Result<void> PodRunner::perform(Known& known, const cri::RuntimePod* runtime, const PodStep& step) {
  if (const auto* sandbox = std::get_if<RunSandbox>(&step)) {
    return run_sandbox(known.pod, *sandbox);
  }
  if (const auto* container = std::get_if<StartContainer>(&step)) {
    const auto started = start_container(known.pod, runtime->sandbox_id, *container);
    return started ? Result<void>() : std::unexpected(started.error());
  }
  if (const auto* sandbox = std::get_if<RemoveSandbox>(&step)) {
    return remove_sandbox(known.pod, sandbox->id);
  }
  return {};
}

Result<void> PodRunner::run_sandbox(const NodePod& pod, const RunSandbox& step) {
  const policy::Qos qos = policy::qos_of(pod.value);
  ASSIGN_OR_RETURN(std::string parent,
                   cri::cgroup_parent_of(options_.cgroup_driver, qos, pod.value.uid));
  if (!cgroups_) {
    ASSIGN_OR_RETURN(
        const std::string id,
        runtime_->run_sandbox(sandbox_spec(pod, step.attempt, parent), kSandboxDeadline));
    (void)id;
    return {};
  }
  ASSIGN_OR_RETURN(const cri::CgroupPath group,
                   cri::pod_cgroup_of(options_.cgroup_driver, qos, pod.value.uid));
  RETURN_IF_ERROR(cgroups_->create(group));
  ASSIGN_OR_RETURN(
      const std::string id,
      runtime_->run_sandbox(sandbox_spec(pod, step.attempt, std::move(parent)), kSandboxDeadline));
  (void)id;
  // Comes afterwards, because in a tree that is not a kernel's the runtime creates the files. The
  // containers are not started yet.
  return cri::create_pod_cgroup(*cgroups_, group, starting_bounds(pod.value));
}

Result<std::string> PodRunner::start_container(const NodePod& pod, const std::string& sandbox_id,
                                               const StartContainer& step) {
  const auto spec = container_spec(pod, step);
  if (!spec) return failure(Code::Internal, "no container " + step.name + " in the spec");
  ASSIGN_OR_RETURN(
      const std::string parent,
      cri::cgroup_parent_of(options_.cgroup_driver, policy::qos_of(pod.value), pod.value.uid));
  if (!step.replaces.empty()) {
    RETURN_IF_ERROR(runtime_->remove_container(step.replaces, kContainerDeadline));
  }
  ASSIGN_OR_RETURN(const std::string id,
                   runtime_->create_container(sandbox_id, sandbox_spec(pod, 0, parent), *spec,
                                              kContainerDeadline));
  RETURN_IF_ERROR(runtime_->start_container(id, kContainerDeadline));
  return id;
}

Result<void> PodRunner::remove_sandbox(const NodePod& pod, const std::string& sandbox_id) {
  RETURN_IF_ERROR(runtime_->stop_sandbox(sandbox_id, kSandboxDeadline));
  RETURN_IF_ERROR(runtime_->remove_sandbox(sandbox_id, kSandboxDeadline));
  if (!cgroups_) return {};
  ASSIGN_OR_RETURN(
      const cri::CgroupPath group,
      cri::pod_cgroup_of(options_.cgroup_driver, policy::qos_of(pod.value), pod.value.uid));
  return cgroups_->remove(group);
}

void PodRunner::stop_containers(const std::string& uid, Known& known, const StopContainers& step) {
  if (stoppers_.size() >= kMostStoppers) return;  // the next round comes soon
  known.is_stopping = true;
  const auto stop_them = [this, uid, step]() noexcept {
    const std::chrono::seconds grace(std::clamp<std::int64_t>(step.grace_seconds, 0, 3600));
    Result<void> outcome;
    for (const std::string& id : step.ids) {
      auto stopped = runtime_->stop_container(id, grace, grace + 10s);
      if (!stopped && stopped.error().code != Code::NotFound) outcome = std::move(stopped);
    }
    put(Stopped{uid, std::move(outcome)});
  };
  stoppers_.insert_or_assign(uid, std::jthread(stop_them));
}

void PodRunner::delete_object(const std::string& uid, Known& known) {
  known.is_writing = true;
  const Json options = {{"apiVersion", "v1"},
                        {"kind", "DeleteOptions"},
                        {"gracePeriodSeconds", 0},
                        {"preconditions", {{"uid", uid}}}};
  send(api::Method::Delete, pod_path(known.pod, ""), std::string(api::kJson), to_text(options),
       [this, uid](const Result<api::Response>& response) {
         // The answer adds nothing: the watch reports that the pod is gone.
         put(Written{uid, response ? Result<Json>(Json())
                                   : Result<Json>(std::unexpected(response.error()))});
       });
}

}  // namespace elbowroom::lab
