#include "api/codec/managed_fields.h"

#include <cstddef>
#include <ranges>

#include "api/codec/json.h"
#include "api/codec/timestamp.h"

namespace elbowroom::api {
namespace {

constexpr std::size_t kMostEntries = 100;

}  // namespace

std::optional<policy::Time> status_written_by(const Value& object, std::string_view manager) {
  const Value* entries = value_at(object, {"metadata", "managedFields"});
  if (entries == nullptr || entries->kind != Value::Kind::List) return std::nullopt;
  std::optional<policy::Time> latest;
  for (const Value& entry : entries->items | std::views::take(kMostEntries)) {
    if (text_at(entry, "manager") != manager) continue;
    if (text_at(entry, "subresource") != "status") continue;
    const auto time = parse_timestamp(text_at(entry, "time"));
    if (time && (!latest || *time > *latest)) latest = *time;
  }
  return latest;
}

}  // namespace elbowroom::api
