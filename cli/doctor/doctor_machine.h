// What `elbowroom doctor` finds on the machine it runs on. It only reads: it sends the runtime
// three requests that change nothing, and takes no lock.
#pragma once

#include <optional>
#include <string>

#include "cli/doctor/doctor_facts.h"
#include "cli/doctor/doctor_setup.h"
#include "daemon/http/address.h"

namespace elbowroom::cli {

// Fills the facts about runtime, cgroups, state directory, clock, kubelet and daemon.
void read_machine_facts(const Setup& setup, const MachinePlaces& places, DoctorFacts& facts);

// The address at which a server that listens there is reached from the same machine.
[[nodiscard]] daemon::Address reached_at(daemon::Address listen);

// The process that holds a lock on the file of that inode, according to /proc/locks. A process of
// another container appears as 0 there, and counts.
[[nodiscard]] std::optional<int> holder_in(std::string_view locks, std::uint64_t inode);

}  // namespace elbowroom::cli
