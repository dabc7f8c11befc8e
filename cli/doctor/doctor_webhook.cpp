#include "cli/doctor/doctor_webhook.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "api/codec/base64.h"
#include "api/codec/decode_move_rules.h"
#include "api/codec/json.h"
#include "api/transport/certificate.h"
#include "api/transport/credential_file.h"
#include "api/transport/curl_transport.h"
#include "api/transport/status_error.h"
#include "cli/doctor/doctor_machine.h"
#include "cli/input/blocking_call.h"
#include "rescheduler/config.h"

namespace elbowroom::cli {
namespace {

constexpr std::string_view kRegistration =
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/elbowroom-rescheduler";
constexpr std::chrono::seconds kPatience{5};

// The object; none: there is none.
Result<std::optional<Value>> object_at(api::Transport& transport, std::string path) {
  api::Request request;
  request.path = std::move(path);
  request.lane = api::Lane::Unlimited;
  request.deadline = kPatience;
  ASSIGN_OR_RETURN(const api::Response answer, answered(transport, std::move(request)));
  if (answer.status == 404) return std::nullopt;
  if (!api::is_success(answer)) {
    return std::unexpected(api::error_from(answer, api::Method::Get));
  }
  ASSIGN_OR_RETURN(Value object, parse_json(answer.body));
  return std::optional(std::move(object));
}

// ---- the certificate here ----

void take_pair(const daemon::Settings& settings, WebhookFacts& facts) {
  if (!settings.is_set("webhookListen")) return;
  facts.listen = daemon::to_string(settings.address("webhookListen"));
  const std::string& path = settings.text("webhookCert");
  const auto certificate = api::read_credential(path);
  const auto key = api::read_credential(settings.text("webhookKey"));
  if (!certificate || !key) {
    facts.pair_error = (certificate ? key : certificate).error().message;
    return;
  }
  if (const auto pair = api::check_pair(*certificate, *key); !pair) {
    facts.pair_error = "webhookCert and webhookKey: " + pair.error().message;
    return;
  }
  if (const auto validity = api::validity_of(*certificate)) {
    facts.certificate = Dates{.what = "the certificate " + path, .validity = *validity};
  }
}

// ---- the registration ----

// Where the API server asks, and how it is reached from here.
struct Target {
  std::string url{};    // as the API server asks
  std::string name{};   // that the certificate is for; "": the URL's host
  std::string reach{};  // the URL that is asked from here; "": there is none
};

Result<Target> target_of(api::Transport& transport, const Value& config, const std::string& here) {
  if (std::string url(api::text_at(config, "url")); !url.empty()) return Target{url, "", url};
  const Value* service = config.find("service");
  if (service == nullptr) return failure(Code::Invalid, "clientConfig has no url and no service");
  const std::string ns(api::text_at(*service, "namespace"));
  const std::string name(api::text_at(*service, "name"));
  const std::string port = std::to_string(api::integer_at(*service, "port", 443));
  const std::string path(api::text_at(*service, "path"));
  Target target;
  target.name = name + "." + ns + ".svc";
  target.url = "https://" + target.name + ":" + port + path;
  if (!here.empty()) {
    target.reach = "https://" + here + path;
    return target;
  }
  ASSIGN_OR_RETURN(const auto object,
                   object_at(transport, "/api/v1/namespaces/" + api::percent_encoded(ns) +
                                            "/services/" + api::percent_encoded(name)));
  if (!object) return failure(Code::NotFound, "no Service " + ns + "/" + name + " exists");
  const Value* spec = object->find("spec");
  const std::string address(spec == nullptr ? "" : api::text_at(*spec, "clusterIP"));
  if (!address.empty() && address != "None")
    target.reach = "https://" + address + ":" + port + path;
  return target;
}

// The authority's PEM; "": the webhook names none, or it cannot be used.
std::string take_authority(const Value& config, WebhookFacts& facts) {
  const std::string bundle(api::text_at(config, "caBundle"));
  if (bundle.empty()) {
    if (config.find("url") == nullptr)
      facts.authority_error = "caBundle is empty: no certificate of the webhook is trusted";
    return "";
  }
  const auto pem = api::decode_base64(bundle);
  const auto validity = pem ? api::validity_of(*pem) : std::unexpected(pem.error());
  if (!validity) {
    facts.authority_error = "caBundle: " + validity.error().message;
    return "";
  }
  facts.authority = Dates{.what = "the authority in caBundle", .validity = *validity};
  return *pem;
}

// Any answer to a request that is no review is a good one.
std::optional<Error> connection_error(const Target& target, const std::string& authority) {
  const auto url = api::parse_server_url(target.reach);
  if (!url) return url.error();
  api::Access access;
  access.server = *url;
  if (!authority.empty()) access.authority_pem = authority;
  access.tls_server_name = target.name;
  api::CurlTransport transport(access, transport_options());
  api::Request request;
  request.lane = api::Lane::Unlimited;
  request.deadline = kPatience;
  const auto answer = answered(transport, std::move(request));
  return answer ? std::nullopt : std::optional(answer.error());
}

// `here`: ADDR:PORT of the webhook on this machine; "": none.
void take_registration(api::Transport& transport, const Value& object, const std::string& here,
                       WebhookFacts& facts) {
  const Value* webhooks = object.find("webhooks");
  if (webhooks == nullptr || webhooks->items.empty()) return;
  const Value& first = webhooks->items.front();
  const Value* config = first.find("clientConfig");
  if (config == nullptr) return;
  facts.is_registered = true;
  facts.failure_policy = api::text_at(first, "failurePolicy");
  const std::string authority = take_authority(*config, facts);
  const auto target = target_of(transport, *config, here);
  if (!target) {
    facts.connection = target.error();
    return;
  }
  facts.address = target->url;
  if (!facts.authority_error.empty()) {
    facts.not_connected = "caBundle cannot be used: see webhook.authority";
  } else if (target->reach.empty()) {
    facts.not_connected = "its Service has no address";
  } else {
    facts.connection = connection_error(*target, authority);
  }
}

// ---- the rules ----

Look<bool> whether_it_refuses(api::Transport& transport, const daemon::Settings& settings) {
  const auto own = rescheduler::own_rules(settings);
  if (!own) return Look<bool>::not_seen(own.error().message);
  if (*own) return (*own)->webhook.refuses_when_unsure;
  const std::string path = "/api/v1/namespaces/" + std::string(api::kMoveRulesNamespace) +
                           "/configmaps/" + std::string(api::kMoveRulesName);
  const auto map = object_at(transport, path);
  if (!map) return Look<bool>::not_seen(map.error().message);
  const Value* data = *map ? (*map)->find("data") : nullptr;
  const std::string text(data == nullptr ? "" : api::text_at(*data, api::kMoveRulesKey));
  if (text.empty()) return policy::WebhookRules{}.refuses_when_unsure;
  const auto rules = api::decode_move_rules(text);
  if (!rules) return Look<bool>::not_seen("the ConfigMap of moves: " + rules.error().message);
  return rules->webhook.refuses_when_unsure;
}

}  // namespace

WebhookFacts webhook_facts(const api::Access& access, const daemon::Settings& settings) {
  WebhookFacts facts;
  take_pair(settings, facts);
  api::CurlTransport transport(access, transport_options());
  const auto object = object_at(transport, std::string(kRegistration));
  if (!object) {
    facts.unread = "its registration could not be read: " + object.error().message;
    return facts;
  }
  const std::string here =
      facts.listen.empty() ? "" : daemon::to_string(reached_at(settings.address("webhookListen")));
  if (*object) take_registration(transport, **object, here, facts);
  facts.refuses_when_unsure = whether_it_refuses(transport, settings);
  return facts;
}

}  // namespace elbowroom::cli
