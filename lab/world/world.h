// The objects of a cluster with the semantics of the Kubernetes API: versions, watch history,
// subresources, deletion with grace, optimistic concurrency. It is pure and belongs to one thread
// at a time; its clock is told, never asked, and two worlds that are told the same hold the same
// objects, uids and versions included.
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
  std::size_t history = 4096;           // changes that a watch can resume from
  std::uint64_t uid_seed = 1;           // worlds that live after each other want different ones
  bool judges_capacity = false;         // refuse resizes above allocatable, as 1.36 and later do
  bool judges_features = false;         // refuse what the pod's node does not declare, as 1.36 does
  bool keeps_preemption_policy = true;  // Node.spec.podPreemptionPolicy: the 1.37 gate
  bool tracks_fields = false;           // keeps metadata.managedFields
  policy::Time began{};                 // when the objects that are always there were made
};

enum class Subresource { None, Status, Resize };

// Which object: `ns` is "" for kinds without namespaces.
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

// How something is written.
struct WriteOptions {
  bool dry_run = false;
  std::string manager{};  // who owns what is changed; "": nobody is noted down
  // What a patched object is read as before it is written; empty: as it is. Refuses what makes no
  // sense.
  std::function<Answer<Json>(Json)> read{};
  // metadata.managedFields as it is to be; nothing: what follows from the change.
  std::optional<Json> managed_fields{};
};

struct ListQuery {
  const Kind* kind = nullptr;
  std::string ns{};  // "" for all
  Selector selector{};
  std::size_t limit = 0;           // 0: no limit
  std::string continue_token{};    // of the page before
  std::string resource_version{};  // "", "0" or a number
  bool exact = false;              // resourceVersionMatch=Exact
};

struct WatchQuery {
  const Kind* kind = nullptr;
  std::string ns{};
  Selector selector{};
};

// An object that came, changed or went.
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

  // The version of the latest change; never 0.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  // That of the latest change of an object of the kind; 0: there was none.
  [[nodiscard]] std::uint64_t last_change(const Kind& kind) const;

  // 400 malformed, 403 admission, 404 no such namespace, 409 exists, 422 invalid.
  [[nodiscard]] Answer<Object> create(const Kind& kind, const std::string& ns, Json object,
                                      const WriteOptions& options = {});

  // Puts an object there as a file has it: status, uid and node are taken as they are, missing
  // namespaces are made, and what was there under that name is replaced. 400 and 422 as above.
  [[nodiscard]] Answer<Object> load(Json object);

  [[nodiscard]] Answer<Object> get(const Target& target) const;

  // For those who live in the same thread: the object itself, or nullptr; until the next write. And
  // all of a kind, by namespace and name.
  [[nodiscard]] const Object* peek_object(const Kind& kind, std::string_view ns,
                                          std::string_view name) const {
    return find(kind, ns, name);
  }
  [[nodiscard]] const Json* peek(const Kind& kind, std::string_view ns,
                                 std::string_view name) const {
    const Object* found = peek_object(kind, ns, name);
    return found == nullptr ? nullptr : &found->json();
  }
  [[nodiscard]] std::vector<const Json*> peek_all(const Kind& kind) const;
  // Which objects of the kind changed after that version, oldest first; an object that changed
  // twice is there twice. Nothing: the history is too short.
  [[nodiscard]] std::optional<std::vector<ChangedObject>> changed_after(
      const Kind& kind, std::uint64_t version) const;

  // {"items": [...], "metadata": {"resourceVersion", "continue", "remainingItemCount"}, ...}.
  // 410: a page of a list that has changed since; 504: a version that does not exist yet.
  [[nodiscard]] Answer<Json> list(const ListQuery& query) const;

  // PUT. 404; 409 where metadata.resourceVersion or uid is another; 422 invalid.
  [[nodiscard]] Answer<Object> update(const Target& target, const Json& object,
                                      const WriteOptions& options = {});

  // 404; 409 where the patch states another resourceVersion; 422 where it states another uid; 415.
  [[nodiscard]] Answer<Object> patch(const Target& target, PatchType type, const Json& patch,
                                     const WriteOptions& options = {});

  // Server-side apply; an object that is not there is created. 400 malformed; 409 where another
  // manager holds a field at another value and `force` is not set; 422 without a manager; 500 where
  // the configuration does not fit the kind.
  [[nodiscard]] Answer<Object> apply(const Target& target, Json config, bool force,
                                     WriteOptions options);

  // Pods that run go with grace (the answer is the pod, deletionTimestamp set; a later call may
  // only shorten it); all else is gone at once. 404; 409 where a precondition fails.
  [[nodiscard]] Answer<Object> remove(const Target& target, const DeleteOptions& options);

  // Binds a pod to a node. 404; 409 where it is bound or leaving already.
  [[nodiscard]] Answer<Object> bind(const std::string& ns, const std::string& name,
                                    const Json& binding, bool dry_run = false);

  // Evicts a pod, as far as the budget that covers it allows. 404; 409 where a precondition fails;
  // 429 where the budget has nothing left; 500 where two budgets cover the pod.
  [[nodiscard]] Answer<Object> evict(const std::string& ns, const std::string& name,
                                     const Json& eviction, bool dry_run = false);

  // What happened after that version, at most `most` events, oldest first. An object that enters
  // the selection is ADDED, one that leaves it DELETED. 410 where the history is too short.
  [[nodiscard]] Answer<std::vector<WatchEvent>> changes_after(const WatchQuery& query,
                                                              std::uint64_t version,
                                                              std::size_t most) const;

  // Forgets the watch history, as a compaction does: older versions are Expired from now on.
  void forget_history();

 private:
  struct Change {
    std::uint64_t version = 0;
    const Kind* kind = nullptr;
    std::string ns{};
    std::string name{};
    std::optional<Object> before{};  // nothing: it was not there
    Object after;                    // the last state of one that is gone
    bool is_gone = false;
  };
  using Objects = std::map<std::string, Object, std::less<>>;  // by "namespace/name"

  [[nodiscard]] const Object* find(const Kind& kind, std::string_view ns,
                                   std::string_view name) const;
  [[nodiscard]] Objects& objects_of(const Kind& kind) { return objects_[std::string(kind.plural)]; }
  [[nodiscard]] std::optional<PriorityOf> priority_of_class(std::string_view name) const;
  [[nodiscard]] Answer<Json> admit(const Kind& kind, Json object) const;
  [[nodiscard]] std::optional<ApiError> refuse_by_kind(const Kind& kind, const Json& before,
                                                       Json& after) const;
  [[nodiscard]] Answer<Json> replaced(const Target& target, const Json& live, Json wanted) const;
  [[nodiscard]] Answer<Object> write(const Target& target, const Object& before, Json wanted,
                                     const WriteOptions& options);
  [[nodiscard]] std::optional<ApiError> charge_budget(const Json& pod, bool dry_run);
  void stamp(const Kind& kind, const std::string& ns, Json& object);
  void note_owners(const Target& target, const Json& before, const WriteOptions& options,
                   Json& after) const;
  [[nodiscard]] std::string next_uid();
  // 422: it makes no sense, and nothing happened.
  [[nodiscard]] Answer<Object> commit(const Kind& kind, std::optional<Object> before, Json after);
  // Takes away what is stored; the answer is its last state.
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
