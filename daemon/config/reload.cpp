#include "daemon/config/reload.h"

#include "base/notify.h"

namespace elbowroom::daemon {

Result<Settings> read_again(const Schema& schema, const ConfigSource& source) {
  Settings settings = defaults(schema);
  if (!source.file.empty()) {
    ASSIGN_OR_RETURN(settings, settings_from_file(schema, source.file));
  }
  return with_flags(std::move(settings), source.flags);
}

void reload(Log& log, ReloadMetrics& figures, const std::function<Result<Taken>()>& plan_and_swap) {
  notify_reloading();
  if (const auto taken = plan_and_swap()) {
    log.set_level(log_level_from(taken->settings.text("logLevel")));
    figures.taken(taken->settings);
    std::string changed;
    for (const std::string& key : taken->changed) changed += (changed.empty() ? "" : ", ") + key;
    log.info("configuration reloaded: " + (changed.empty() ? "nothing changed" : changed));
  } else {
    figures.refused();
    log.error("configuration not reloaded: the old one stays", {{"err", taken.error().message}});
  }
  notify_ready();
}

}  // namespace elbowroom::daemon
