#include "cli/doctor/doctor_cluster.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "api/codec/decode_node.h"
#include "api/codec/json.h"
#include "api/codec/object_ref.h"
#include "api/codec/timestamp.h"
#include "api/transport/curl_transport.h"
#include "api/transport/status_error.h"
#include "api/watch/server_version.h"
#include "api/write/policy_probe.h"
#include "base/document.h"
#include "base/document_text.h"
#include "cli/input/blocking_call.h"
#include "cli/output/progress.h"
#include "daemon/config/suggestion.h"
#include "scheduler/collections.h"

namespace elbowroom::cli {
namespace {

constexpr std::chrono::seconds kPatience{10};
constexpr std::chrono::milliseconds kTurn{500};  // a line of progress moves as often
constexpr std::string_view kReviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
constexpr std::string_view kGate = "InPlacePodVerticalScalingSchedulerPreemption=true";
constexpr std::string_view kSchedulers = "component=kube-scheduler";
constexpr std::string_view kApiServers = "component=kube-apiserver";
constexpr std::array<std::string_view, 2> kGroupGates = {"GenericWorkload",
                                                         "PodGroupPreemptionPolicy"};
constexpr std::string_view kUpdaters = "app=vpa-updater";  // by VPA's manifests
constexpr std::string_view kChartUpdaters =
    "app.kubernetes.io/name=vertical-pod-autoscaler,app.kubernetes.io/component=updater";
constexpr std::string_view kDeschedulers = "app.kubernetes.io/name=descheduler";
constexpr std::string_view kPods = "/api/v1/pods";
constexpr std::string_view kNodes = "/api/v1/nodes";

api::Request get(std::string_view path, api::Query query = {}) {
  api::Request request;
  request.path = std::string(path);
  request.query = std::move(query);
  request.lane = api::Lane::Unlimited;  // a user's few requests
  request.deadline = kPatience;
  return request;
}

api::Request post(std::string_view path, const Value& body) {
  api::Request request = get(path);
  request.method = api::Method::Post;
  request.content_type = std::string(api::kJson);
  request.body = to_json_line(body);
  return request;
}

using Answer = Result<api::Response>;

// Sends requests to one server, one after the other or several at once.
class ServerReader {
 public:
  explicit ServerReader(const api::Access& access)
      : transport_(access, {.user_agent = "elbowroom/" ELBOWROOM_VERSION " (linux)"}) {}

  [[nodiscard]] std::vector<Answer> ask(std::vector<api::Request> requests) {
    std::vector<std::optional<Answer>> answers(requests.size());
    std::size_t open = requests.size();
    for (std::size_t i = 0; i < requests.size(); ++i) {
      transport_.send(std::move(requests[i]), [&answers, &open, i](Answer got) {
        progress().tell("asking the API server");
        answers[i].emplace(std::move(got));
        --open;
      });
    }
    while (open > 0) {
      transport_.run_once(kTurn);
      progress().tell_again();
    }
    std::vector<Answer> all;
    for (std::optional<Answer>& each : answers) all.push_back(*std::move(each));
    return all;
  }
  [[nodiscard]] Answer ask(api::Request request) {
    return answered(transport_, std::move(request));
  }
  // The document of a successful answer.
  [[nodiscard]] Result<Value> read(api::Request request) {
    const api::Method method = request.method;
    ASSIGN_OR_RETURN(const api::Response response, ask(std::move(request)));
    if (!api::is_success(response)) return std::unexpected(api::error_from(response, method));
    return parse_json(response.body);
  }

 private:
  api::CurlTransport transport_;
};

// ---- the server itself ----

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "[::1]" || host.starts_with("127.");
}

// "Sat, 21 Nov 2026 13:40:00 GMT", to the second.
std::optional<std::chrono::system_clock::time_point> time_of(const std::string& date) {
  std::tm parts{};
  if (::strptime(date.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts) == nullptr) return std::nullopt;
  return std::chrono::system_clock::from_time_t(::timegm(&parts));
}

// An answer's date is truncated to the second and was written between `asked` and `came`: a
// difference within these bounds is none.
Look<std::chrono::seconds> ahead_of_us(const std::string& date,
                                       std::chrono::system_clock::time_point asked,
                                       std::chrono::system_clock::time_point came) {
  const auto theirs = time_of(date);
  if (!theirs) return Look<std::chrono::seconds>::not_seen("the server does not say its time");
  using std::chrono::floor;
  using std::chrono::seconds;
  if (*theirs > came) return floor<seconds>(*theirs - came);
  if (*theirs + seconds(1) < asked) return -floor<seconds>(asked - *theirs - seconds(1));
  return seconds(0);
}

void take_version(const Answer& answer, ServerFacts& server) {
  if (!api::is_success(*answer)) return;
  const api::ServerVersion said = api::server_version_from(answer->body);
  server.version = said.text;
  server.major = said.major;
  server.minor = said.minor;
}

// By the remedies of api/transport/tls_error.cpp.
Distrust distrust_in(const Error& error) {
  if (error.code != Code::Denied) return Distrust::None;
  const std::string& said = error.message;
  if (said.contains("vouches for the server")) return Distrust::Authority;
  if (said.contains("this machine's clock says")) return Distrust::Dates;
  if (said.contains("is for other names")) return Distrust::Name;
  const bool is_ours = said.contains("says the server: renew it") ||
                       said.contains("the server does not take ") ||
                       said.contains("the server wants a client certificate");
  return is_ours ? Distrust::Ours : Distrust::Other;
}

// Whether the server answers; false when no further request makes sense.
bool check_connection(ServerReader& asker, ServerFacts& server) {
  const auto asked = std::chrono::system_clock::now();
  const Answer answer = asker.ask(get("/version"));
  const auto came = std::chrono::system_clock::now();
  if (!answer) {
    server.connection = answer.error();
    server.distrust = distrust_in(answer.error());
    return false;
  }
  server.ahead = ahead_of_us(answer->date, asked, came);
  if (answer->status == 401) {
    server.login = api::error_from(*answer, api::Method::Get);
    return false;
  }
  take_version(answer, server);
  return true;
}

// The user name at the server; false when the server does not accept our credentials.
bool read_identity(ServerReader& asker, ServerFacts& server) {
  const Value review = map_value({member("apiVersion", text_value("authentication.k8s.io/v1")),
                                  member("kind", text_value("SelfSubjectReview"))});
  const Answer answer =
      asker.ask(post("/apis/authentication.k8s.io/v1/selfsubjectreviews", review));
  if (!answer) return true;  // no information
  if (answer->status == 401) {
    server.login = api::error_from(*answer, api::Method::Post);
    return false;
  }
  const auto document = parse_json(answer->body);
  if (!document || !api::is_success(*answer)) return true;  // an older server
  if (const Value* name = api::value_at(*document, {"status", "userInfo", "username"})) {
    server.user = name->text;
  }
  return true;
}

void take_readiness(ServerReader& asker, ServerFacts& server) {
  const Answer answer = asker.ask(get("/readyz"));
  if (!answer) {
    server.readiness = answer.error();
  } else if (answer->status >= 500) {
    server.readiness = api::error_from(*answer, api::Method::Get).with("/readyz");
  }
}

std::set<std::string, std::less<>> texts_in(const Value& document, std::string_view list,
                                            std::string_view key) {
  std::set<std::string, std::less<>> all;
  if (const Value* items = document.find(list)) {
    for (const Value& each : items->items) all.emplace(api::text_at(each, key));
  }
  return all;
}

void take_groups(ServerReader& asker, std::span<const api::RbacRule> rights, ServerFacts& server) {
  const auto document = asker.read(get("/apis"));
  if (!document) {
    server.not_served =
        Look<std::vector<std::string>>::not_seen("/apis: " + document.error().message);
    server.budgets = Look<bool>::not_seen("/apis: " + document.error().message);
    return;
  }
  std::set<std::string, std::less<>> served;
  bool has_ours = false;
  if (const Value* groups = document->find("groups")) {
    for (const Value& group : groups->items) {
      has_ours = has_ours || api::text_at(group, "name") == "elbowroom.dev";
      served.merge(texts_in(group, "versions", "groupVersion"));
    }
  }
  std::vector<std::string> missing;
  for (const api::RbacRule& right : rights) {
    if (right.group.empty() || right.group == "elbowroom.dev") continue;
    std::string name = std::string(right.group) + "/v1";
    if (!served.contains(name) && std::ranges::find(missing, name) == missing.end()) {
      missing.push_back(std::move(name));
    }
  }
  server.not_served = std::move(missing);
  server.budgets = has_ours ? Look<bool>(served.contains("elbowroom.dev/v1alpha1"))
                            : Look<bool>::not_seen("DisruptionBudgets are not installed");
}

// The newest version that serves them, of those that the server lists.
void take_pod_groups(ServerReader& asker, ServerFacts& server) {
  const control::CollectionRow& row = scheduler::row_of(scheduler::Collection::PodGroups);
  const std::string group = "/apis/" + std::string(row.group);
  const auto listed = asker.read(get(group));
  if (!listed && listed.error().code != Code::NotFound) {
    server.pod_groups = Look<std::string>::not_seen(group + ": " + listed.error().message);
    return;
  }
  server.pod_groups = std::string();
  if (!listed) return;
  const auto versions = texts_in(*listed, "versions", "version");
  for (const std::string_view version :
       {row.version, row.older_versions[0], row.older_versions[1]}) {
    if (version.empty() || !versions.contains(version)) continue;
    const auto document = asker.read(get(group + "/" + std::string(version)));
    if (!document || !texts_in(*document, "resources", "name").contains(row.resource)) continue;
    server.pod_groups = std::string(version);
    return;
  }
}

void take_resizes(ServerReader& asker, ServerFacts& server) {
  const auto document = asker.read(get("/api/v1"));
  server.resizes =
      document ? Look<bool>(texts_in(*document, "resources", "name").contains("pods/resize"))
               : Look<bool>::not_seen("/api/v1: " + document.error().message);
}

// ---- rights ----

api::Request may_we(const RightFacts& asked) {
  const api::RbacRule& right = asked.right;
  const std::size_t slash = std::min(right.resource.find('/'), right.resource.size());
  const std::string resource(right.resource.substr(0, slash));
  const std::string part(right.resource.substr(std::min(slash + 1, right.resource.size())));
  Value about = map_value({member("verb", text_value(std::string(right.verb))),
                           member("group", text_value(std::string(right.group))),
                           member("resource", text_value(resource))});
  if (!part.empty()) api::set_member(about, "subresource", text_value(part));
  if (!asked.ns.empty()) api::set_member(about, "namespace", text_value(asked.ns));
  if (!right.name.empty()) api::set_member(about, "name", text_value(std::string(right.name)));
  return post(
      kReviews,
      map_value({member("apiVersion", text_value("authorization.k8s.io/v1")),
                 member("kind", text_value("SelfSubjectAccessReview")),
                 member("spec", map_value({member("resourceAttributes", std::move(about))}))}));
}

Look<bool> allowed_by(const Answer& answer) {
  if (!answer) return Look<bool>::not_seen("nobody said what we may do: " + answer.error().message);
  if (!api::is_success(*answer)) {
    return Look<bool>::not_seen("nobody said what we may do: " +
                                api::error_from(*answer, api::Method::Post).message);
  }
  const auto document = parse_json(answer->body);
  const Value* allowed = document ? api::value_at(*document, {"status", "allowed"}) : nullptr;
  if (allowed == nullptr) return Look<bool>::not_seen("nobody said what we may do");
  return allowed->text == "true";
}

void take_rights(ServerReader& asker, DoctorFacts& facts) {
  std::vector<api::Request> requests;
  for (const RightFacts& each : facts.rights) requests.push_back(may_we(each));
  requests.push_back(may_we({.right = {.verb = "*", .group = "*", .resource = "*"}}));
  const std::vector<Answer> answers = asker.ask(std::move(requests));
  for (std::size_t i = 0; i < facts.rights.size(); ++i) {
    facts.rights[i].allowed = allowed_by(answers[i]);
  }
  facts.may_do_all = allowed_by(answers.back());
}

// ---- the Node ----

std::string text_in(const Value& object, std::initializer_list<std::string_view> path) {
  const Value* found = api::value_at(object, path);
  return found != nullptr && found->kind == Value::Kind::String ? found->text : std::string();
}

void describe(const Value& object, NodeFacts& node) {
  node.exists = true;
  node.kubelet = text_in(object, {"status", "nodeInfo", "kubeletVersion"});
  node.runtime = text_in(object, {"status", "nodeInfo", "containerRuntimeVersion"});
  const auto decoded = api::decode_node(object);
  if (!decoded) return;
  node.ready = decoded->ready == policy::NodeReady::True;
  node.owners = decoded->resize_preemption_owners;
  node.malformed = decoded->malformed_owners;
  node.removes_itself = decoded->critical_preemption_by_node;
}

std::string near_name(ServerReader& asker, const std::string& name) {
  const auto all = asker.read(get(kNodes, {{"limit", "500"}}));
  if (!all) return {};
  std::set<std::string, std::less<>> names;
  if (const Value* items = all->find("items")) {
    for (const Value& each : items->items) names.insert(api::ref_of(each).name);
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto near = daemon::closest(name, views);
  if (near) return std::string(*near);
  return names.size() == 1 ? *names.begin() : std::string();
}

Look<NodeFacts> look_at_node(ServerReader& asker, const std::string& name) {
  const auto listed = asker.read(get(kNodes, {{"fieldSelector", "metadata.name=" + name}}));
  if (!listed) return Look<NodeFacts>::not_seen("list nodes: " + listed.error().message);
  NodeFacts node{.name = name};
  const Value* items = listed->find("items");
  if (items != nullptr && !items->items.empty()) {
    describe(items->items.front(), node);
  } else {
    node.near = near_name(asker, name);
  }
  return node;
}

// The Node on which the field is probed: the agent's own, or any.
std::string probed_node(ServerReader& asker, const ClusterQuestions& questions,
                        const DoctorFacts& facts) {
  if (facts.node) return facts.node->exists ? facts.node->name : std::string();
  if (!questions.node.empty()) return {};
  const auto listed = asker.read(get(kNodes, {{"limit", "1"}}));
  const Value* items = listed ? listed->find("items") : nullptr;
  return items != nullptr && !items->items.empty() ? api::ref_of(items->items.front()).name
                                                   : std::string();
}

Look<bool> probe(ServerReader& asker, const std::string& node) {
  if (node.empty()) return Look<bool>::not_seen("there is no Node to ask about");
  api::Request request =
      get(api::node_path(node), {{"dryRun", "All"}, {"fieldManager", "elbowroom"}});
  request.method = api::Method::Patch;
  request.content_type = std::string(api::kMergePatch);
  request.body = std::string(api::kPolicyProbe);
  Answer answer = asker.ask(std::move(request));
  if (answer && !api::is_success(*answer)) {
    answer = std::unexpected(api::error_from(*answer, api::Method::Patch));
  }
  const auto kept = api::keeps_policy_field(answer);
  return kept ? Look<bool>(*kept)
              : Look<bool>::not_seen("the dry run that asks was refused: " + kept.error().message);
}

// ---- other programs ----

// A container of the pod is started with a word that contains the text.
bool is_started_with(const Value& pod, std::string_view text) {
  const Value* containers = api::value_at(pod, {"spec", "containers"});
  if (containers == nullptr) return false;
  for (const Value& container : containers->items) {
    for (const char* list : {"command", "args"}) {
      const Value* words = container.find(list);
      if (words == nullptr) continue;
      for (const Value& word : words->items) {
        if (word.text.contains(text)) return true;
      }
    }
  }
  return false;
}

bool has_gate(const Value& pod) { return is_started_with(pod, kGate); }

Result<std::vector<std::string>> pods_labelled(ServerReader& asker, std::string_view label,
                                               bool (*counts)(const Value&)) {
  ASSIGN_OR_RETURN(
      const Value listed,
      asker.read(get(kPods, {{"labelSelector", std::string(label)}, {"limit", "100"}})));
  std::set<std::string> names;
  if (const Value* items = listed.find("items")) {
    for (const Value& pod : items->items) {
      if (counts(pod)) names.insert(to_string(api::ref_of(pod)));
    }
  }
  return std::vector(names.begin(), names.end());
}

constexpr std::int64_t kVpaPatience = 300;  // seconds; hard-coded there
constexpr int kMostPages = 20;
constexpr std::string_view kPage = "500";

// "NAMESPACE/NAME (600 s)" for a running pod whose grace period is that long; "" for any other.
std::string as_slow(const Value& pod) {
  const Value* spec = pod.find("spec");
  const Value* status = pod.find("status");
  if (spec == nullptr || status == nullptr || api::text_at(*status, "phase") != "Running")
    return "";
  const std::int64_t grace = api::integer_at(*spec, "terminationGracePeriodSeconds");
  if (grace < kVpaPatience) return "";
  return to_string(api::ref_of(pod)) + " (" + std::to_string(grace) + " s)";
}

// Of the first 10,000 pods.
Result<std::vector<std::string>> slow_pods(ServerReader& asker) {
  std::vector<std::string> slow;
  std::string token;
  for (int page = 0; page < kMostPages; ++page) {
    api::Query query = {{"limit", std::string(kPage)}};
    if (!token.empty()) query.emplace_back("continue", token);
    ASSIGN_OR_RETURN(const Value listed, asker.read(get(kPods, std::move(query))));
    if (const Value* items = listed.find("items")) {
      for (const Value& pod : items->items) slow.push_back(as_slow(pod));
    }
    const Value* metadata = listed.find("metadata");
    token = metadata == nullptr ? "" : std::string(api::text_at(*metadata, "continue"));
    if (token.empty()) break;
  }
  std::erase(slow, "");
  return slow;
}

Look<PreemptorFacts> look_at_preemptors(ServerReader& asker) {
  constexpr auto kAny = [](const Value&) { return true; };
  PreemptorFacts facts;
  struct Kind {
    std::string_view label;
    bool (*counts)(const Value&);
    std::vector<std::string>& to;
  };
  for (const Kind& kind :
       {Kind{kSchedulers, has_gate, facts.gated}, Kind{kUpdaters, kAny, facts.updaters},
        Kind{kChartUpdaters, kAny, facts.updaters},
        Kind{kDeschedulers, kAny, facts.deschedulers}}) {
    const auto found = pods_labelled(asker, kind.label, kind.counts);
    if (!found) return Look<PreemptorFacts>::not_seen("list pods: " + found.error().message);
    kind.to.insert(kind.to.end(), found->begin(), found->end());
  }
  if (facts.updaters.empty()) return facts;
  auto slow = slow_pods(asker);
  if (!slow) return Look<PreemptorFacts>::not_seen("list pods: " + slow.error().message);
  facts.slow = *std::move(slow);
  return facts;
}

Look<GroupGateFacts> look_at_group_gates(ServerReader& asker) {
  const auto listed =
      asker.read(get(kPods, {{"labelSelector", std::string(kApiServers)}, {"limit", "100"}}));
  if (!listed) return Look<GroupGateFacts>::not_seen("list pods: " + listed.error().message);
  const Value* items = listed->find("items");
  if (items == nullptr || items->items.empty()) {
    return Look<GroupGateFacts>::not_seen("no pod of kube-apiserver shows its feature gates");
  }
  GroupGateFacts gates;
  for (const std::string_view gate : kGroupGates) {
    const auto says = [&](std::string_view how) {
      const std::string words = std::string(gate) + "=" + std::string(how);
      return std::ranges::any_of(items->items,
                                 [&](const Value& pod) { return is_started_with(pod, words); });
    };
    if (says("false")) {
      gates.off.emplace_back(gate);
    } else if (says("true")) {
      gates.on.emplace_back(gate);
    }
  }
  return gates;
}

Look<LeaseFacts> look_at_lease(ServerReader& asker, const std::string& ns,
                               const std::string& name) {
  const auto listed = asker.read(
      get("/apis/coordination.k8s.io/v1/namespaces/" + api::percent_encoded(ns) + "/leases",
          {{"fieldSelector", "metadata.name=" + name}}));
  if (!listed) return Look<LeaseFacts>::not_seen("list leases: " + listed.error().message);
  LeaseFacts lease;
  const Value* items = listed->find("items");
  const Value* spec =
      items != nullptr && !items->items.empty() ? items->items.front().find("spec") : nullptr;
  if (spec == nullptr) return lease;
  lease.exists = true;
  lease.holder = api::text_at(*spec, "holderIdentity");
  const auto renewed = api::parse_timestamp(api::text_at(*spec, "renewTime"));
  // Clocks may differ, so a leader counts for four times its lease duration.
  const std::chrono::seconds lasts(api::integer_at(*spec, "leaseDurationSeconds", 15));
  lease.expired = !renewed || *renewed + 4 * lasts < std::chrono::system_clock::now();
  return lease;
}

std::vector<RightFacts> asked(const ClusterQuestions& questions) {
  std::vector<RightFacts> rights;
  for (const api::RbacRule& right : questions.rights) {
    const bool follows_lease = right.ns == "kube-system";
    rights.push_back(
        {.right = right, .ns = follows_lease ? questions.lease_namespace : std::string(right.ns)});
  }
  return rights;
}

void skip_rest(const std::string& why, DoctorFacts& facts) {
  for (RightFacts& each : facts.rights) each.allowed = Look<bool>::not_seen(why);
  facts.may_do_all = Look<bool>::not_seen(why);
  facts.node = Look<NodeFacts>::not_seen(why);
  facts.keeps_policy = Look<bool>::not_seen(why);
  facts.preemptors = Look<PreemptorFacts>::not_seen(why);
  facts.group_gates = Look<GroupGateFacts>::not_seen(why);
  facts.lease = Look<LeaseFacts>::not_seen(why);
}

}  // namespace

void skip_cluster(const std::string& why, const ClusterQuestions& questions, DoctorFacts& facts) {
  facts.server = Look<ServerFacts>::not_seen(why);
  facts.rights = asked(questions);
  skip_rest(why, facts);
}

void read_cluster_facts(const api::Access& access, const ClusterQuestions& questions,
                        DoctorFacts& facts) {
  ServerReader asker(access);
  facts.rights = asked(questions);
  facts.server = ServerFacts{.url = api::to_string(access.server),
                             .encrypted = access.server.scheme == "https",
                             .on_loopback = is_loopback(access.server.host)};
  ServerFacts& server = *facts.server.seen;
  if (!check_connection(asker, server) || !read_identity(asker, server)) {
    skip_rest(server.connection ? server.url + " does not answer"
                                : "the API server does not take our credentials",
              facts);
    return;
  }
  take_readiness(asker, server);
  take_groups(asker, questions.rights, server);
  take_resizes(asker, server);
  take_pod_groups(asker, server);
  take_rights(asker, facts);
  facts.node = questions.node.empty() ? Look<NodeFacts>::not_seen("it has no Node")
                                      : look_at_node(asker, questions.node);
  facts.keeps_policy = probe(asker, probed_node(asker, questions, facts));
  facts.preemptors = look_at_preemptors(asker);
  facts.group_gates = look_at_group_gates(asker);
  facts.lease = questions.lease_namespace.empty()
                    ? Look<LeaseFacts>::not_seen("an agent has no Lease")
                    : look_at_lease(asker, questions.lease_namespace, questions.lease);
}

}  // namespace elbowroom::cli
