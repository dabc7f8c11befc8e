#include "control/log_lines.h"

#include <utility>

namespace elbowroom::control {

using daemon::LogLevel;

LogLines debug_line(std::string message, std::string err) {
  return {{.level = LogLevel::Debug, .message = std::move(message), .err = std::move(err)}};
}

LogLines lines_of(const EmitEvent& event) {
  std::string told = event.in_log.empty() ? event.note : event.in_log;
  const bool is_of_pod = event.kind == Subject::Pod;
  if (!is_of_pod)
    told = std::string(to_string(event.kind)) + " " + name_of(event.regarding) + ": " + told;
  return {{.level = event.warning ? LogLevel::Warn : LogLevel::Info,
           .message = event.log_only ? "dry run: " + told : told,
           .pod = is_of_pod ? name_of(event.regarding) : "",
           .uid = event.regarding.uid,
           .reason = event.reason}};
}

LogLines lines_of(const MarkVictim& mark) {
  return {
      {.level = mark.clear ? LogLevel::Info : LogLevel::Debug,
       .message = mark.clear ? "taking back the mark of a pod that stays" : "marking a pod to go",
       .pod = name_of(mark.victim),
       .uid = mark.victim.uid}};
}

LogLines lines_of(const DeleteVictim& removal) {
  return {{.level = removal.dry_run ? LogLevel::Debug : LogLevel::Warn,
           .message = removal.dry_run ? "asking whether a pod may be deleted"
                                      : "deleting a pod to make room",
           .pod = name_of(removal.victim),
           .uid = removal.victim.uid}};
}

LogLines lines_of(const WriteLease& write) {
  return {{.level = LogLevel::Debug,
           .message = write.lease.holder.empty() ? "giving the Lease back" : "writing the Lease",
           .reason = write.lease.holder}};
}

LogLines lines_of(const GiveUpWrites& /*all*/) {
  return {{.level = LogLevel::Warn,
           .message =
               "giving up what the API server has not answered, to hand over; the next leader "
               "finishes what was marked"}};
}

LogLines lines_of(const DaemonEffect& effect) {
  return std::visit([](const auto& what) { return lines_of(what); }, effect.what);
}

LogLines failure_line(EffectId effect, const Error& error) {
  return debug_line("effect " + std::to_string(effect) + " failed", error.message);
}

void add_watch_lines(std::string_view what, const api::Freshness& before, const api::Freshness& now,
                     LogLines& lines) {
  const auto debug = [&](std::string message) {
    lines.push_back({.level = LogLevel::Debug, .message = std::move(message)});
  };
  if (now.lists > before.lists) debug("listing " + std::string(what));
  if (now.watches > before.watches) {
    debug("watching " + std::string(what) + ", watch " + std::to_string(now.watches));
  }
}

LogLines lines_of(const ApiRound& before, const ApiRound& now) {
  LogLines lines;
  for (std::size_t place = 0; place < now.collections.size(); ++place) {
    const CollectionRound& each = now.collections[place];
    add_watch_lines(each.row->words, before.freshness(place), each.freshness, lines);
  }
  return lines;
}

}  // namespace elbowroom::control
