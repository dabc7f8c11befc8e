#include "cli/uninstall/uninstall.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <tuple>
#include <utility>

#include "api/codec/json.h"
#include "api/codec/object_ref.h"
#include "api/transport/status_error.h"
#include "api/transport/url.h"
#include "api/write/lease.h"
#include "cli/output/table.h"

namespace elbowroom::cli {
namespace {

constexpr ClusterKind kNodes{.group = "", .version = "v1", .name = "Node", .plural = "nodes"};
constexpr ClusterKind kPods{.group = "", .version = "v1", .name = "Pod", .plural = "pods"};
constexpr std::array kPodGroups{
    ClusterKind{"scheduling.k8s.io", "v1beta1", "PodGroup", "podgroups"},
    ClusterKind{"scheduling.k8s.io", "v1alpha3", "PodGroup", "podgroups"},
    ClusterKind{"scheduling.k8s.io", "v1alpha2", "PodGroup", "podgroups"}};
constexpr ClusterKind kLeases{
    .group = "coordination.k8s.io", .version = "v1", .name = "Lease", .plural = "leases"};
constexpr ClusterKind kConfigMaps{
    .group = "", .version = "v1", .name = "ConfigMap", .plural = "configmaps"};

// Where the rescheduler stores it, whatever the namespace of the Leases is.
constexpr std::string_view kSystem = "kube-system";
constexpr std::string_view kAgent = "elbowroom-agent";
constexpr std::array kPrograms = {"elbowroom-scheduler", "elbowroom-rescheduler"};

constexpr int kAttempts = 3;
constexpr int kUnprocessable = 422;  // of a JSON patch: a test that fails

struct OwnObject {
  ClusterKind kind{};
  std::string ns{};
  std::string name{};
};

std::vector<OwnObject> own_objects(const std::string& lease_namespace) {
  return {{kLeases, lease_namespace, "elbowroom-rescheduler"},
          {kLeases, lease_namespace, "elbowroom-scheduler"},
          {kLeases, lease_namespace, "elbowroom-scheduler-breaker"},
          {kConfigMaps, std::string(kSystem), "elbowroom-rescheduler-rests"}};
}

std::string path_of(const OwnObject& of) {
  const std::string base = of.kind.group.empty() ? "/api/" : "/apis/" + std::string(of.kind.group);
  return base + (of.kind.group.empty() ? "" : "/") + std::string(of.kind.version) + "/namespaces/" +
         api::percent_encoded(of.ns) + "/" + std::string(of.kind.plural) + "/" +
         api::percent_encoded(of.name);
}

std::string_view text_in(const Value& object, std::initializer_list<std::string_view> path) {
  const Value* found = api::value_at(object, path);
  return found == nullptr ? std::string_view() : std::string_view(found->text);
}

// A Pod of a DaemonSet: other users choose the labels of theirs.
bool is_agent(const Value& pod, std::string_view ns) {
  const Value* owners = api::value_at(pod, {"metadata", "ownerReferences"});
  const bool is_of_daemon_set =
      owners != nullptr && std::ranges::any_of(owners->items, [](const Value& each) {
        return api::text_at(each, "kind") == "DaemonSet";
      });
  return is_of_daemon_set && api::ref_of(pod).ns == ns &&
         text_in(pod, {"metadata", "labels", "app.kubernetes.io/name"}) == kAgent &&
         !text_in(pod, {"spec", "nodeName"}).empty();
}

// Finds all, and removes it one by one.
class Uninstall {
 public:
  Uninstall(ClusterReader& reader, ClusterWriter& writer, const UninstallWish& wish)
      : reader_(reader), writer_(writer), wish_(wish) {}

  [[nodiscard]] Result<UninstallReport> run(policy::Time now);

 private:
  [[nodiscard]] Result<void> find(policy::Time now);
  void find_in(const Value& object);
  void find_in_groups();
  void note_running(const Value& lease, const std::string& program, policy::Time now);
  void remove(UninstallRow& row);
  [[nodiscard]] Result<std::optional<Leftover>> found_again(const Leftover& leftover);

  ClusterReader& reader_;
  ClusterWriter& writer_;
  const UninstallWish& wish_;
  UninstallReport report_{};
};

void Uninstall::find_in(const Value& object) {
  auto found = leftovers_in(object);
  if (!found) {
    report_.notes.push_back(std::string(api::text_at(object, "kind")) + " " +
                            to_string(api::ref_of(object)) + ": " + found.error().message);
    return;
  }
  for (Leftover& each : *found) report_.rows.push_back({.leftover = std::move(each)});
}

// In the first version that is served. The rest is worth having where the right to read is missing.
void Uninstall::find_in_groups() {
  for (const ClusterKind& kind : kPodGroups) {
    Listed groups = std::move(reader_.list({{.kind = kind}}).front());
    if (!groups && groups.error().code == Code::NotFound) continue;
    if (!groups) {
      report_.notes.push_back("PodGroups: " + groups.error().message);
      return;
    }
    std::ranges::sort(*groups, {}, [](const Value& each) { return api::ref_of(each); });
    for (const Value& each : *groups) find_in(each);
    return;
  }
}

void Uninstall::note_running(const Value& lease, const std::string& program, policy::Time now) {
  const auto read = api::decode_lease(lease);
  if (!read || read->holder.empty()) return;
  if (read->renewed + std::chrono::seconds(read->duration_seconds) < now) return;
  report_.running.push_back(program + " (" + read->holder + " holds Lease " +
                            to_string(api::ref_of(lease)) + ")");
}

Result<void> Uninstall::find(policy::Time now) {
  std::vector<Listed> lists = reader_.list({{.kind = kPods}, {.kind = kNodes}});
  now = reader_.server_time().value_or(now);
  std::size_t agents = 0;
  for (Listed& list : lists) {
    if (!list) return std::unexpected(list.error());
    std::ranges::sort(*list, {}, [](const Value& each) { return api::ref_of(each); });
    for (const Value& each : *list) {
      find_in(each);
      if (api::text_at(each, "kind") == "Pod" && is_agent(each, wish_.lease_namespace)) ++agents;
    }
  }
  if (agents > 0) {
    report_.running.push_back("elbowroomd (" + std::to_string(agents) +
                              (agents == 1 ? " Pod of a DaemonSet)" : " Pods of a DaemonSet)"));
  }
  find_in_groups();
  for (const OwnObject& each : own_objects(wish_.lease_namespace)) {
    const auto object = reader_.get(each.kind, each.ns, each.name);
    if (!object && object.error().code == Code::NotFound) continue;
    if (!object) return std::unexpected(object.error());
    if (std::ranges::find(kPrograms, each.name) != kPrograms.end()) {
      note_running(*object, each.name, now);
    }
    ASSIGN_OR_RETURN(Leftover leftover, leftover_object(*object, path_of(each)));
    leftover.kind = each.kind.name;
    report_.rows.push_back({.leftover = std::move(leftover)});
  }
  return {};
}

// None: it is there no more.
Result<std::optional<Leftover>> Uninstall::found_again(const Leftover& leftover) {
  auto object = writer_.read(leftover.path);
  if (!object && object.error().code == Code::NotFound) return std::nullopt;
  if (!object) return std::unexpected(object.error());
  std::vector<Leftover> now;
  if (leftover.kind == "Lease" || leftover.kind == "ConfigMap") {
    ASSIGN_OR_RETURN(Leftover whole, leftover_object(*object, leftover.path));
    whole.kind = leftover.kind;
    return whole;
  }
  api::set_member(*object, "kind", api::json_text(leftover.kind));
  ASSIGN_OR_RETURN(now, leftovers_in(*object));
  const auto of_same = std::ranges::find_if(now, [&](const Leftover& each) {
    // The number of entries may be another one.
    const auto from = [](const std::string& what) { return what.substr(what.find("annotation")); };
    return leftover.kind != "Node" || from(each.what) == from(leftover.what);
  });
  return of_same == now.end() ? std::nullopt : std::optional(std::move(*of_same));
}

void Uninstall::remove(UninstallRow& row) {
  row.result = RemovalResult::Changed;
  row.why = "it is written by others all the time: try again later";
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto answer = writer_.send(row.leftover.removal);
    if (answer && api::is_success(*answer)) {
      row.result = RemovalResult::Removed;
      row.why.clear();
      return;
    }
    const Error why =
        answer ? api::error_from(*answer, row.leftover.removal.method) : answer.error();
    const bool has_changed = why.code == Code::Conflict || why.code == Code::NotFound ||
                             (answer && answer->status == kUnprocessable);
    Result<std::optional<Leftover>> again = std::unexpected(why);
    if (has_changed) again = found_again(row.leftover);
    if (again && !*again) {
      row.result = RemovalResult::Absent;
      row.why.clear();
      return;
    }
    if (!again) {
      row.result = RemovalResult::Failed;
      row.why = again.error().message;
      return;
    }
    row.leftover = **std::move(again);
  }
}

Result<UninstallReport> Uninstall::run(policy::Time now) {
  report_.is_dry_run = wish_.is_dry_run;
  RETURN_IF_ERROR(find(now));
  report_.is_refused = !report_.running.empty() && !wish_.is_forced && !wish_.is_dry_run;
  if (report_.is_refused) {
    for (UninstallRow& each : report_.rows) each.result = RemovalResult::Kept;
  }
  if (wish_.is_dry_run || report_.is_refused) return std::move(report_);
  for (UninstallRow& each : report_.rows) remove(each);
  return std::move(report_);
}

Value text_list(const std::vector<std::string>& texts) {
  std::vector<Value> list;
  for (const std::string& each : texts) list.push_back(api::json_text(each));
  return api::json_list(std::move(list));
}

}  // namespace

std::string_view to_string(RemovalResult result) {
  constexpr std::array<std::string_view, 6> kWords = {"WouldRemove", "Removed", "Absent",
                                                      "Changed",     "Failed",  "Kept"};
  return kWords[static_cast<std::size_t>(result)];
}

bool UninstallReport::is_done() const {
  return std::ranges::none_of(rows, [](const UninstallRow& each) {
    return each.result == RemovalResult::Changed || each.result == RemovalResult::Failed;
  });
}

Result<UninstallReport> uninstall(ClusterReader& reader, ClusterWriter& writer,
                                  const UninstallWish& wish, policy::Time now) {
  return Uninstall(reader, writer, wish).run(now);
}

Value encode_uninstall(const UninstallReport& report) {
  std::vector<Value> rows;
  for (const UninstallRow& each : report.rows) {
    rows.push_back(api::json_map({{"kind", api::json_text(each.leftover.kind)},
                                  {"object", api::json_text(each.leftover.object)},
                                  {"what", api::json_text(each.leftover.what)},
                                  {"result", api::json_text(std::string(to_string(each.result)))},
                                  {"why", api::json_text(each.why)}}));
  }
  return api::json_map({{"apiVersion", api::json_text("elbowroom.dev/v1alpha1")},
                        {"kind", api::json_text("UninstallReport")},
                        {"dryRun", api::json_bool(report.is_dry_run)},
                        {"refused", api::json_bool(report.is_refused)},
                        {"running", text_list(report.running)},
                        {"leftovers", api::json_list(std::move(rows))},
                        {"notes", text_list(report.notes)}});
}

std::string uninstall_text(const UninstallReport& report) {
  std::string text;
  for (const std::string& each : report.running) text += "still runs: " + each + "\n";
  if (report.is_refused) {
    text += "nothing is removed while a program runs: stop it first, or add --force\n";
  } else if (report.is_dry_run && !report.running.empty()) {
    text += "--yes removes nothing while a program runs: stop it first, or add --force\n";
  }
  for (const std::string& each : report.notes) text += "not read: " + each + "\n";
  if (report.rows.empty()) return text + "nothing of Elbowroom is left in the cluster\n";
  std::vector<std::vector<std::string>> rows = {{"KIND", "OBJECT", "RESULT", "WHAT"}};
  for (const UninstallRow& each : report.rows) {
    rows.push_back({each.leftover.kind, each.leftover.object, std::string(to_string(each.result)),
                    each.leftover.what + (each.why.empty() ? "" : ": " + each.why)});
  }
  return text + to_table(rows);
}

}  // namespace elbowroom::cli
