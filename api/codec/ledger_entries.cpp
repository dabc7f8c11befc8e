#include "api/codec/ledger_entries.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/field.h"
#include "api/codec/json.h"
#include "api/codec/timestamp.h"

namespace elbowroom::api {
namespace {

Result<policy::LedgerEntry> decode_entry(const Field& at) {
  policy::LedgerEntry entry;
  ASSIGN_OR_RETURN(entry.pod, at.text("pod"));
  ASSIGN_OR_RETURN(entry.uid, at.text("uid"));
  if (entry.uid.empty()) return at.refuse("uid", "must be given");
  ASSIGN_OR_RETURN(const auto time, at.time("time"));
  if (!time) return at.refuse("time", "must be given");
  entry.time = *time;
  ASSIGN_OR_RETURN(entry.by, at.text("by"));
  return entry;
}

}  // namespace

Result<policy::Ledger> decode_ledger(const Value& budget) {
  const Field root(budget);
  ASSIGN_OR_RETURN(const Field status, root.get("status"));
  ASSIGN_OR_RETURN(const Field list, status.get("recentDisruptions"));
  ASSIGN_OR_RETURN(const std::size_t count, list.size());
  if (count > policy::kMostLedgerEntries) {
    return status.refuse("recentDisruptions", "has more than " +
                                                  std::to_string(policy::kMostLedgerEntries) +
                                                  " entries: delete the oldest");
  }
  policy::Ledger ledger;
  for (std::size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(policy::LedgerEntry entry, decode_entry(list.item(i)));
    ledger.push_back(std::move(entry));
  }
  return ledger;
}

Value encode_ledger(const policy::Ledger& ledger) {
  std::vector<Value> entries;
  for (const policy::LedgerEntry& each : ledger) {
    const auto time = std::chrono::floor<std::chrono::seconds>(each.time);
    Value entry = json_map({{"pod", json_text(each.pod)},
                            {"uid", json_text(each.uid)},
                            {"time", json_text(format_timestamp(time))}});
    if (!each.by.empty()) set_member(entry, "by", json_text(each.by));
    entries.push_back(std::move(entry));
  }
  return json_list(std::move(entries));
}

}  // namespace elbowroom::api
