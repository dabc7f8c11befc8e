// What `elbowroom doctor` sees of the machine it runs on. It only looks; the runtime is asked three
// questions that change nothing, and no lock is taken.
#pragma once

#include <optional>
#include <string>

#include "cli/doctor/doctor_facts.h"
#include "cli/doctor/doctor_setup.h"

namespace elbowroom::cli {

// Fills the facts about runtime, control groups, state directory, clock, kubelet and daemon.
void look_at_machine(const Setup& setup, const MachinePlaces& places, DoctorFacts& facts);

// The process that holds a lock on the file of that inode, by what /proc/locks says; a process of
// another container is 0 there, and counts.
[[nodiscard]] std::optional<int> holder_in(std::string_view locks, std::uint64_t inode);

}  // namespace elbowroom::cli
