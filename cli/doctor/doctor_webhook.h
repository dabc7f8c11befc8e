// What `elbowroom doctor` reads about the webhook that reviews evictions: its certificate here, its
// registration at the API server, and whether a TLS session with it comes about. It asks for no
// review.
#pragma once

#include "api/transport/access.h"
#include "cli/doctor/doctor_facts.h"
#include "daemon/config/config.h"

namespace elbowroom::cli {

// `settings`: of elbowroom-rescheduler.
[[nodiscard]] WebhookFacts webhook_facts(const api::Access& access,
                                         const daemon::Settings& settings);

}  // namespace elbowroom::cli
