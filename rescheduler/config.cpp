#include "rescheduler/config.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "api/codec/decode_move_rules.h"
#include "control/replica_keys.h"
#include "recording/record_limit.h"

namespace elbowroom::rescheduler {
namespace {

constexpr std::size_t kMostPathBytes = 200;

bool is_path(std::string_view path) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/-._").find(c) != std::string_view::npos;
  };
  return path.starts_with('/') && path.size() <= kMostPathBytes &&
         std::ranges::all_of(path, is_plain);
}

// All three keys, or none.
Result<void> add_webhook(const daemon::Settings& settings, ReschedulerOptions& options) {
  const bool listens = settings.is_set("webhookListen");
  for (const std::string_view key : {"webhookCert", "webhookKey"}) {
    if (settings.is_set(key) == listens) continue;
    const std::string flag = daemon::flag_of(key);
    return failure(Code::Invalid, listens ? "--webhook-listen takes --" + flag + ", too"
                                          : "--" + flag + " takes --webhook-listen, too");
  }
  if (!listens) return {};
  const std::string& path = settings.text("webhookPath");
  if (!is_path(path)) {
    return failure(Code::Invalid,
                   "--webhook-path must begin with / and hold letters, digits, /, -, . and _, at "
                   "most 200 of them");
  }
  options.webhook = {.server = {.listen = settings.address("webhookListen"),
                                .files = {.certificate = settings.text("webhookCert"),
                                          .key = settings.text("webhookKey")}},
                     .path = path,
                     .dry_run = settings.truth("dryRun")};
  return {};
}

}  // namespace

daemon::Schema rescheduler_schema() {
  daemon::Schema schema{.kind = "ReschedulerConfiguration",
                        .keys = daemon::common_keys("127.0.0.1:10363")};
  schema.keys.push_back(control::leader_elect_key());
  schema.keys.push_back(control::lease_namespace_key("where the Lease elbowroom-rescheduler is"));
  schema.keys.push_back({.name = "dryRun",
                         .kind = daemon::Key::Kind::Bool,
                         .fallback = "false",
                         .help = "decide and explain, but write nothing"});
  schema.keys.push_back({.name = "webhookListen",
                         .kind = daemon::Key::Kind::Address,
                         .help = "where reviews of evictions are answered over TLS; unset: nowhere",
                         .may_be_empty = true});
  schema.keys.push_back({.name = "webhookCert",
                         .kind = daemon::Key::Kind::Path,
                         .help = "the webhook's certificate, PEM, read again when it changes",
                         .may_be_empty = true});
  schema.keys.push_back({.name = "webhookKey",
                         .kind = daemon::Key::Kind::Path,
                         .help = "the key of webhookCert, PEM, without a passphrase",
                         .may_be_empty = true});
  schema.keys.push_back(
      {.name = "webhookPath",
       .kind = daemon::Key::Kind::Text,
       .fallback = "/review",
       .help = "the path that the API server posts reviews to; a random one keeps others out",
       .secret = true});
  for (const std::string_view key : api::move_rules_keys()) {
    schema.keys.push_back({.name = key,
                           .kind = daemon::Key::Kind::Block,
                           .help = "of moves: instead of the ConfigMap (docs/rescheduler.md)"});
  }
  return schema;
}

Result<std::optional<policy::MoveRules>> own_rules(const daemon::Settings& settings) {
  for (const std::string_view key : api::move_rules_keys()) {
    if (!settings.is_set(key)) continue;
    auto rules = api::decode_move_rules(settings.blocks);
    if (rules) return *std::move(rules);
    const std::string& origin = settings.at(key).origin;  // FILE: line L, of the key itself
    return std::unexpected(rules.error().with(origin.substr(0, origin.rfind(": line "))));
  }
  return std::nullopt;
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
  RETURN_IF_ERROR(add_webhook(settings, options));
  ASSIGN_OR_RETURN(options.reactor.rules, own_rules(settings));
  options.worker.lease_namespace = lease_namespace;
  options.worker.identity = self;
  options.worker.leader_elect = options.reactor.leader_elect;
  options.worker.seed = std::hash<std::string>()(self);
  return options;
}

}  // namespace elbowroom::rescheduler
