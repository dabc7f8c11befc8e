// The objects of a cluster with the semantics of the Kubernetes API: versions, watch history,
// subresources, graceful deletion, optimistic concurrency. It is pure and belongs to one thread at
// a time. Its caller sets its clock, and two worlds with the same inputs hold the same objects,
// uids and versions included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/apiserver/api_error.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"
#include "lab/world/object.h"
#include "lab/world/patch.h"
#include "lab/world/pod_rules.h"
#include "lab/world/selector.h"
#include "policy/model/time.h"

namespace elbowroom::lab {

struct WorldOptions {
  std::size_t history = 4096;       // changes that a watch can resume from
  std::uint64_t uid_seed = 1;       // worlds that follow each other need different ones
  bool validates_capacity = false;  // refuse resizes above allocatable, as 1.36 and later do
  // refuse features that the node does not declare, as 1.36 does
  bool validates_features = false;
  bool keeps_preemption_policy = true;  // Node.spec.podPreemptionPolicy: the 1.37 gate
  // spec.schedulingConstraints of pod groups: the gate TopologyAwareWorkloadScheduling
  bool keeps_group_constraints = false;
  GroupVersions serves_groups = GroupVersions::All;
  bool tracks_fields = false;  // keeps metadata.managedFields
  policy::Time began{};        // creation time of the objects that always exist
};

enum class Subresource { None, Status, Resize };

// Identifies an object; `ns` is "" for kinds without namespaces.
struct Target {
  const Kind* kind = nullptr;
  std::string ns{};
  std::string name{};
  Subresource subresource = Subresource::None;
};

struct DeleteOptions {
  std::optional<std::int64_t> grace_seconds{};
  std::string uid{};  // preconditions; "" for none
  std::string resource_version{};
  bool dry_run = false;
};

// How to write an object.
struct WriteOptions {
  bool dry_run = false;
  std::string manager{};  // the owner of what is changed; "": no owner is recorded
  // Transforms a patched object before it is written, or refuses it; empty: no change.
  std::function<Answer<Json>(Json)> read{};
  // The metadata.managedFields to store; nothing: computed from the change.
  std::optional<Json> managed_fields{};
};

struct ListQuery {
  const Kind* kind = nullptr;
  std::string ns{};  // "" for all
  Selector selector{};
  std::size_t limit = 0;           // 0: no limit
  std::string continue_token{};    // from the previous page
  std::string resource_version{};  // "", "0" or a number
  bool exact = false;              // resourceVersionMatch=Exact
};

struct WatchQuery {
  const Kind* kind = nullptr;
  std::string ns{};
  Selector selector{};
};

// An object that was created, changed or removed.
struct ChangedObject {
  std::string ns{};
  std::string name{};
  std::uint64_t version = 0;

  friend bool operator==(const ChangedObject&, const ChangedObject&) = default;
};

struct WatchEvent {
  std::string type{};  // ADDED, MODIFIED, DELETED
  Object object;
  std::uint64_t version = 0;
};

class World {
 public:
  explicit World(WorldOptions options);

  // Timestamps and deletion deadlines are taken from here.
  void set_time(policy::Time now) { now_ = now; }
  [[nodiscard]] policy::Time time() const { return now_; }

  // The versions in which pod groups are served; what is stored stays. May change, as with a
  // restart of the API server.
  void serve_groups(GroupVersions versions) { options_.serves_groups = versions; }
  [[nodiscard]] GroupVersions served_groups() const { return options_.serves_groups; }

  // The version of the latest change; never 0.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  // The version of the latest change to an object of the kind; 0: there was none.
  [[nodiscard]] std::uint64_t last_change(const Kind& kind) const;

  // 400 malformed, 403 admission, 404 no such namespace, 409 exists, 422 invalid.
  [[nodiscard]] Answer<Object> create(const Kind& asked, const std::string& ns, Json object,
                                      const WriteOptions& options = {});

  // Stores an object as a file has it: status, uid and node are taken as they are, missing
  // namespaces are created, and an object of that name is replaced. 400 and 422 as above.
  [[nodiscard]] Answer<Object> load(Json object);

  [[nodiscard]] Answer<Object> get(const Target& target) const;

  // For readers in the same thread: the object itself, or nullptr. Valid until the next write. The
  // second returns all objects of a kind, by namespace and name.
  [[nodiscard]] const Object* find_stored_object(const Kind& kind, std::string_view ns,
                                                 std::string_view name) const {
    return find(kind, ns, name);
  }
  [[nodiscard]] const Json* peek(const Kind& kind, std::string_view ns,
                                 std::string_view name) const {
    const Object* found = find_stored_object(kind, ns, name);
    return found == nullptr ? nullptr : &found->json();
  }
  [[nodiscard]] std::vector<const Json*> all_stored_objects(const Kind& kind) const;
  // The objects of the kind that changed after that version, oldest first; an object that changed
  // twice is listed twice. Nothing: the history is too short.
  [[nodiscard]] std::optional<std::vector<ChangedObject>> changed_after(
      const Kind& kind, std::uint64_t version) const;

  // {"items": [...], "metadata": {"resourceVersion", "continue", "remainingItemCount"}, ...}.
  // 410: a page of a list that has changed since; 504: a version that does not exist yet.
  [[nodiscard]] Answer<Json> list(const ListQuery& query) const;

  // PUT. 404; 409 when metadata.resourceVersion or uid differs; 422 invalid.
  [[nodiscard]] Answer<Object> update(const Target& asked, const Json& object,
                                      const WriteOptions& options = {});

  // 404; 409 when the patch states another resourceVersion; 422 when it states another uid; 415.
  [[nodiscard]] Answer<Object> patch(const Target& asked, PatchType type, const Json& patch,
                                     const WriteOptions& options = {});

  // Server-side apply; creates a missing object. 400 malformed; 409 when another manager owns a
  // field at another value and `force` is not set; 422 without a manager; 500 when the
  // configuration does not fit the kind.
  [[nodiscard]] Answer<Object> apply(const Target& asked, Json config, bool force,
                                     WriteOptions options);

  // A running pod is deleted gracefully: the answer is the pod with deletionTimestamp set, and a
  // later call may only shorten its grace period. All other objects are deleted at once. 404; 409
  // when a precondition fails.
  [[nodiscard]] Answer<Object> remove(const Target& asked, const DeleteOptions& options);

  // Binds a pod to a node. 404; 409 when it is bound or terminating already.
  [[nodiscard]] Answer<Object> bind(const std::string& ns, const std::string& name,
                                    const Json& binding, bool dry_run = false);

  // Evicts a pod if the budget that covers it allows it. 404; 409 when a precondition fails; 429
  // when the budget allows no more disruptions; 500 when two budgets cover the pod.
  [[nodiscard]] Answer<Object> evict(const std::string& ns, const std::string& name,
                                     const Json& eviction, bool dry_run = false);

  // The changes after that version, at most `most` events, oldest first. An object that enters the
  // selection is ADDED, one that leaves it DELETED. 410 when the history is too short.
  [[nodiscard]] Answer<std::vector<WatchEvent>> changes_after(const WatchQuery& query,
                                                              std::uint64_t version,
                                                              std::size_t most) const;

  // Drops the watch history, as a compaction does: older versions are Expired from then on.
  void forget_history();

 private:
  struct Change {
    std::uint64_t version = 0;
    const Kind* kind = nullptr;
    std::string ns{};
    std::string name{};
    std::optional<Object> before{};  // nothing: it did not exist
    Object after;                    // for a removed object, its last state
    bool is_gone = false;
  };
  using Objects = std::map<std::string, Object, std::less<>>;  // by "namespace/name"

  [[nodiscard]] const Object* find(const Kind& kind, std::string_view ns,
                                   std::string_view name) const;
  [[nodiscard]] Objects& objects_of(const Kind& kind) { return objects_[std::string(kind.plural)]; }
  [[nodiscard]] std::optional<PriorityOf> priority_of_class(std::string_view name) const;
  [[nodiscard]] Answer<Json> admit(const Kind& kind, Json object) const;
  [[nodiscard]] Answer<Json> admit_from_file(const Kind& kind, const std::string& ns,
                                             Json object) const;
  [[nodiscard]] std::optional<ApiError> refuse_by_kind(const Kind& kind, const Json& before,
                                                       Json& after) const;
  [[nodiscard]] Answer<Json> replaced(const Target& target, const Json& live, Json wanted) const;
  [[nodiscard]] Answer<Object> write(const Target& target, const Object& before, Json wanted,
                                     const WriteOptions& options);
  [[nodiscard]] std::optional<ApiError> charge_budget(const Json& pod, bool dry_run);
  void stamp(const Kind& kind, const std::string& ns, Json& object);
  void update_managers(const Target& target, const Json& before, const WriteOptions& options,
                       Json& after) const;
  [[nodiscard]] std::string next_uid();
  // 422: the object is invalid, and nothing is stored.
  [[nodiscard]] Answer<Object> commit(const Kind& kind, std::optional<Object> before, Json after);
  // Removes a stored object and returns its last state.
  [[nodiscard]] Object drop(const Kind& kind, const Object& stored, Json last);
  void drop_all_in(std::string_view ns);
  void remember(Change change);

  WorldOptions options_;
  policy::Time now_{};
  std::uint64_t version_ = 1;
  std::uint64_t forgotten_ = 0;  // changes up to this version are no longer known
  std::uint64_t uids_ = 0;
  std::map<std::string, Objects, std::less<>> objects_;            // by plural
  std::map<std::string, std::uint64_t, std::less<>> last_change_;  // by plural
  std::deque<Change> history_;
};

}  // namespace elbowroom::lab
