#include "cli/evict/node_avoidance.h"

#include <utility>

#include "api/codec/timestamp.h"
#include "api/transport/status_error.h"

namespace elbowroom::cli {
namespace {

constexpr int kMostConflicts = 5;
constexpr int kUnprocessable = 422;  // of a JSON patch: a test that fails, among others

std::string name_of(const std::string& node) {
  return "node " + node + ": metadata.annotations[" + std::string(api::kPreferAvoidPods) + "]";
}

bool is_same(const api::NodeAnnotation& one, const api::NodeAnnotation& other) {
  return one.uid == other.uid && one.has_annotations == other.has_annotations &&
         one.value == other.value;
}

std::unexpected<Error> keeps_changing(const std::string& node) {
  return failure(Code::Conflict,
                 name_of(node) + " is written by others all the time: try again later");
}

}  // namespace

Result<policy::Time> NodeAvoidance::ask(const AvoidanceWish& wish) {
  ASSIGN_OR_RETURN(const api::AvoidChange change, put(wish, true));
  return change.written.until;
}

Result<policy::Time> NodeAvoidance::write(const AvoidanceWish& wish) {
  node_ = wish.node;
  auto change = put(wish, false);
  if (change) return change->written.until;
  if (change.error().code == Code::Unavailable) take_back();  // it may have been written
  written_.reset();
  return std::unexpected(change.error());
}

Result<api::AvoidChange> NodeAvoidance::put(const AvoidanceWish& wish, bool dry_run) {
  for (int attempt = 0; attempt < kMostConflicts; ++attempt) {
    ASSIGN_OR_RETURN(const api::NodeAnnotation now, read(wish.node));
    auto entries = api::AvoidEntries::parse(now.value);
    if (!entries) {
      return failure(Code::Invalid, name_of(wish.node) + " cannot be read, and is left as it is: " +
                                        entries.error().message);
    }
    ASSIGN_OR_RETURN(const policy::Time server, writer_.server_time());
    const auto time = std::chrono::floor<std::chrono::seconds>(server);
    auto change = entries->put({.controller = wish.controller,
                                .pod_uid = wish.pod_uid,
                                .by = "elbowroom",
                                .evicted = time,
                                .until = time + wish.lasts});
    if (!change) return std::unexpected(change.error().with(name_of(wish.node)));
    if (!dry_run) written_ = *change;
    const auto stored = store(now, entries->text(), dry_run);
    if (stored) return *std::move(change);
    if (stored.error().code != Code::Conflict) return std::unexpected(stored.error());
  }
  return keeps_changing(wish.node);
}

Result<api::NodeAnnotation> NodeAvoidance::read(const std::string& node) {
  ASSIGN_OR_RETURN(const Value object, writer_.read(api::node_object_path(node)));
  auto annotation = api::annotation_in(object, api::kPreferAvoidPods);
  if (!annotation) return std::unexpected(annotation.error().with("node " + node));
  return annotation;
}

// The server answers 422 both where the annotation has changed and where it does not take the new
// value.
Result<void> NodeAvoidance::store(const api::NodeAnnotation& read,
                                  const std::optional<std::string>& value, bool dry_run) {
  api::Request request = api::annotation_request(read, value);
  if (dry_run) request.query.emplace_back("dryRun", "All");
  ASSIGN_OR_RETURN(const api::Response answer, writer_.send(std::move(request)));
  if (api::is_success(answer)) return {};
  const api::Status status = api::status_from(answer, api::Method::Patch);
  if (status.code == kUnprocessable) {
    ASSIGN_OR_RETURN(const api::NodeAnnotation now, this->read(read.node));
    if (!is_same(read, now)) return failure(Code::Conflict, status.message);
  }
  return std::unexpected(api::error_from(status).with(name_of(read.node)));
}

void NodeAvoidance::take_back() {
  const auto change = std::exchange(written_, {});
  if (!change) return;
  const auto removed = remove(*change);
  if (removed || removed.error().code == Code::NotFound) return;
  tell_("take the entry back: " + removed.error().message + "; it counts until " +
        api::format_timestamp(change->written.until));
}

Result<void> NodeAvoidance::remove(const api::AvoidChange& change) {
  for (int attempt = 0; attempt < kMostConflicts; ++attempt) {
    ASSIGN_OR_RETURN(const api::NodeAnnotation now, read(node_));
    ASSIGN_OR_RETURN(api::AvoidEntries entries, api::AvoidEntries::parse(now.value));
    ASSIGN_OR_RETURN(const policy::Time time, writer_.server_time());
    if (!entries.take_back(change, time)) return {};
    const auto stored = store(now, entries.text(), false);
    if (stored || stored.error().code != Code::Conflict) return stored;
  }
  return keeps_changing(node_);
}

}  // namespace elbowroom::cli
