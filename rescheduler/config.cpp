#include "rescheduler/config.h"

#include <functional>

#include "control/replica_keys.h"
#include "recording/record_limit.h"

namespace elbowroom::rescheduler {

daemon::Schema rescheduler_schema() {
  daemon::Schema schema{.kind = "ReschedulerConfiguration",
                        .keys = daemon::common_keys("127.0.0.1:10363")};
  schema.keys.push_back(control::leader_elect_key());
  schema.keys.push_back(control::lease_namespace_key("where the Lease elbowroom-rescheduler is"));
  schema.keys.push_back({.name = "dryRun",
                         .kind = daemon::Key::Kind::Bool,
                         .fallback = "false",
                         .help = "decide and explain, but write nothing"});
  return schema;
}

Result<ReschedulerOptions> Config::own_options(const daemon::Settings& settings,
                                               const std::string& self) {
  ReschedulerOptions options;
  options.record = settings.text("record");
  ASSIGN_OR_RETURN(options.record_limit, recording::record_limit(settings));
  options.reactor.dry_run = settings.truth("dryRun");
  options.reactor.leader_elect = settings.truth("leaderElect");
  options.reactor.elector.identity = self;
  ASSIGN_OR_RETURN(const std::string lease_namespace, control::lease_namespace(settings));
  options.worker = {.lease_namespace = lease_namespace,
                    .identity = self,
                    .leader_elect = options.reactor.leader_elect,
                    .seed = std::hash<std::string>()(self)};
  return options;
}

}  // namespace elbowroom::rescheduler
