#include "control/served_version.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "api/codec/json.h"
#include "api/transport/status_error.h"

namespace elbowroom::control {
namespace {

std::string group_path(const CollectionRow& row) { return "/apis/" + std::string(row.group); }

Result<Value> document_in(const Result<api::Response>& answer) {
  if (!answer) return std::unexpected(answer.error());
  if (!api::is_success(*answer)) {
    return std::unexpected(api::error_from(*answer, api::Method::Get));
  }
  return parse_json(answer->body);
}

const Value* list_at(const Value& object, std::string_view key) {
  const Value* list = object.find(key);
  return list != nullptr && list->kind == Value::Kind::List ? list : nullptr;
}

bool is_absent(const Result<Value>& document) {
  return !document && document.error().code == Code::NotFound;
}

}  // namespace

Result<std::vector<std::string>> versions_in(const Value& group) {
  const Value* list = list_at(group, "versions");
  if (list == nullptr) return failure(Code::Invalid, "the answer is no APIGroup");
  std::vector<std::string> versions;
  for (const Value& each : list->items) versions.emplace_back(api::text_at(each, "version"));
  return versions;
}

Result<bool> has_resource(const Value& list, std::string_view resource) {
  const Value* resources = list_at(list, "resources");
  if (resources == nullptr) return failure(Code::Invalid, "the answer is no APIResourceList");
  return std::ranges::any_of(
      resources->items, [&](const Value& each) { return api::text_at(each, "name") == resource; });
}

ServedVersion::ServedVersion(api::Transport& transport, const CollectionRow& row)
    : transport_(transport), row_(row) {}

void ServedVersion::ask(Done done) {
  done_ = std::move(done);
  get(group_path(row_), [this](Result<Value> group) { take_group(std::move(group)); });
}

void ServedVersion::get(std::string path, Take take) {
  api::Request request;
  request.path = path;
  transport_.send(std::move(request), [path = std::move(path), take = std::move(take)](
                                          const Result<api::Response>& answer) mutable {
    auto document = document_in(answer);
    if (!document) document = std::unexpected(document.error().with("GET " + path));
    take(std::move(document));
  });
}

void ServedVersion::take_group(Result<Value> group) {
  if (is_absent(group)) return end("");
  if (!group) return end(std::unexpected(std::move(group).error()));
  const auto served = versions_in(*group);
  if (!served) return end(std::unexpected(served.error().with("GET " + group_path(row_))));
  left_.clear();
  const auto consider = [&](std::string_view version) {
    const bool is_there = std::ranges::find(*served, version) != served->end();
    if (!version.empty() && is_there) left_.push_back(version);
  };
  for (const std::string_view older : row_.older_versions | std::views::reverse) consider(older);
  consider(row_.version);
  ask_next();
}

void ServedVersion::ask_next() {
  if (left_.empty()) return end("");
  get(group_path(row_) + "/" + std::string(left_.back()),
      [this](Result<Value> list) { take_resources(std::move(list)); });
}

void ServedVersion::take_resources(Result<Value> list) {
  const std::string_view version = left_.back();
  left_.pop_back();
  if (is_absent(list)) return ask_next();
  if (!list) return end(std::unexpected(std::move(list).error()));
  const auto has = has_resource(*list, row_.resource);
  if (!has) {
    const std::string path = group_path(row_) + "/" + std::string(version);
    return end(std::unexpected(has.error().with("GET " + path)));
  }
  if (!*has) return ask_next();
  end(version);
}

void ServedVersion::end(Result<std::string_view> answer) {
  std::exchange(done_, nullptr)(std::move(answer));
}

}  // namespace elbowroom::control
