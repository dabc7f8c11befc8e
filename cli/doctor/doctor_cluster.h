// What `elbowroom doctor` reads from the API server. It reads, reviews its own rights, and sends
// the one dry run of docs/decisions/0016; it writes nothing.
#pragma once

#include <span>
#include <string>

#include "api/transport/access.h"
#include "api/transport/rbac_rule.h"
#include "cli/doctor/doctor_facts.h"

namespace elbowroom::cli {

struct ClusterQuestions {
  std::string node{};                       // an agent's; "" for the others'
  std::string lease_namespace{};            // "" for an agent's
  std::string lease{};                      // its name
  std::span<const api::RbacRule> rights{};  // what the program needs
};

// Fills the facts about server, rights, node, other programs and the Lease.
void read_cluster_facts(const api::Access& access, const ClusterQuestions& questions,
                        DoctorFacts& facts);

// The same when no server can be reached.
void skip_cluster(const std::string& why, const ClusterQuestions& questions, DoctorFacts& facts);

}  // namespace elbowroom::cli
