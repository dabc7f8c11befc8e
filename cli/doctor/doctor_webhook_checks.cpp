// Checks of the webhook that reviews evictions: registered, its certificate and authority valid,
// reachable, and of one mind with the server about what happens without a sure answer.
#include <array>
#include <string>

#include "cli/doctor/doctor_checks.h"

namespace elbowroom::cli {
namespace {

constexpr const char* kManifest = "packaging/kustomize/rescheduler-webhook";

// Why there is nothing to look at; "": the server asks a webhook.
std::string not_asked_reason(const DoctorFacts& facts) {
  if (!facts.webhook) return facts.webhook.why_not;
  if (!facts.webhook->unread.empty()) return facts.webhook->unread;
  return facts.webhook->is_registered ? "" : "no webhook of evictions is registered";
}

Verdict registered(const DoctorFacts& facts) {
  if (!facts.webhook) return skip(facts.webhook.why_not);
  const WebhookFacts& webhook = *facts.webhook;
  if (!webhook.unread.empty()) return skip(webhook.unread);
  if (webhook.is_registered) return pass("the API server asks " + webhook.address);
  if (webhook.listen.empty()) return skip("the webhook of evictions is not used");
  return warn("webhookListen is " + webhook.listen +
                  ", but no ValidatingWebhookConfiguration elbowroom-rescheduler exists: the API "
                  "server asks nobody",
              std::string("kubectl apply -k ") + kManifest + ", or leave webhookListen out");
}

Verdict certificate(const DoctorFacts& facts) {
  if (!facts.webhook) return skip(facts.webhook.why_not);
  const WebhookFacts& webhook = *facts.webhook;
  if (webhook.listen.empty()) return skip("no configuration here names a certificate of a webhook");
  const std::string remedy =
      "have it issued again, and put it there with its key: both are read again within seconds";
  if (!webhook.pair_error.empty()) return fail(webhook.pair_error, remedy);
  if (!webhook.certificate) return skip("the certificate could not be read");
  return judge_dates(facts.now, *webhook.certificate, remedy);
}

Verdict authority(const DoctorFacts& facts) {
  if (const std::string why = not_asked_reason(facts); !why.empty()) return skip(why);
  const WebhookFacts& webhook = *facts.webhook;
  const std::string remedy =
      "put the certificate of the authority that issues the webhook's into caBundle, or let "
      "cert-manager do it";
  if (!webhook.authority_error.empty()) return fail(webhook.authority_error, remedy);
  if (!webhook.authority) return skip("the API server trusts the authorities of its machine");
  return judge_dates(facts.now, *webhook.authority, remedy);
}

Verdict reachable(const DoctorFacts& facts) {
  if (const std::string why = not_asked_reason(facts); !why.empty()) return skip(why);
  const WebhookFacts& webhook = *facts.webhook;
  if (!webhook.not_connected.empty()) return skip(webhook.not_connected);
  if (!webhook.connection) return pass(webhook.address + " answers with a certificate to trust");
  if (webhook.connection->code == Code::Denied) {
    return fail(webhook.connection->message,
                "let the authority of caBundle issue the webhook's certificate, for the name that "
                "the API server asks for");
  }
  return warn(webhook.connection->message,
              "a replica of elbowroom-rescheduler must run with --webhook-listen, and the API "
              "server must reach it; from here it may be out of reach all the same");
}

Verdict policies(const DoctorFacts& facts) {
  if (const std::string why = not_asked_reason(facts); !why.empty()) return skip(why);
  const WebhookFacts& webhook = *facts.webhook;
  if (!webhook.refuses_when_unsure) return skip(webhook.refuses_when_unsure.why_not);
  const bool refuses = *webhook.refuses_when_unsure;
  const std::string both = std::string("whenUnsure is ") + (refuses ? "refuse" : "allow") +
                           " and failurePolicy is " + webhook.failure_policy;
  if (refuses == (webhook.failure_policy == "Fail")) return pass(both);
  return warn(both + ": an eviction without a sure answer " +
                  (refuses ? "is refused by a replica, and passes where none answers"
                           : "passes at a replica, and is refused where none answers"),
              "set refuse with Fail, or allow with Ignore (docs/webhook.md)");
}

constexpr std::array kChecks = {
    Check{"webhook.registered", Check::Of::Rescheduler, registered},
    Check{"webhook.certificate", Check::Of::Rescheduler, certificate},
    Check{"webhook.authority", Check::Of::Rescheduler, authority},
    Check{"webhook.reachable", Check::Of::Rescheduler, reachable},
    Check{"webhook.policies", Check::Of::Rescheduler, policies},
};

}  // namespace

std::span<const Check> webhook_checks() { return kChecks; }

}  // namespace elbowroom::cli
