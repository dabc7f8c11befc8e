// The setup of the checked program on this machine: its unit, its configuration, its connection to
// the API server. It is parsed by the program's own code, so the doctor reports the same errors as
// the program.
#pragma once

#include <optional>
#include <string>

#include "agent/program/wiring.h"
#include "api/transport/access.h"
#include "api/transport/kubeconfig.h"
#include "base/result.h"
#include "cli/doctor/doctor_facts.h"
#include "daemon/config/config.h"

namespace elbowroom::cli {

// The command line; "": not given.
struct DoctorOptions {
  Program program = Program::Agent;
  std::string config{};
  std::string kubeconfig{};
  std::string context{};
  std::string node{};
  std::string mode{};
};

// The paths of a machine.
struct MachinePlaces {
  std::string configuration = "/etc/elbowroom";
  std::string processes = "/proc";
  std::string systemd = "/run/systemd/system";  // exists when systemd booted the machine
  std::string systemctl = "systemctl";
  std::string polkit = "/usr/share/dbus-1/system-services/org.freedesktop.PolicyKit1.service";
};

struct Setup {
  bool is_here = false;  // some part of that program is on this machine
  bool authority = false;
  daemon::Settings settings{};  // the defaults when the configuration is unusable
  agent::AgentOptions agent{};  // for an agent; without the API server's address
  std::optional<api::Access> access{};
};

// Fills the facts about configuration, kubeconfig, credentials and unit.
[[nodiscard]] Setup read_setup_facts(const DoctorOptions& ask, const MachinePlaces& places,
                                     const api::ApiEnvironment& environment, DoctorFacts& facts);

// Parses the output of `systemctl show` for one unit.
[[nodiscard]] UnitFacts unit_facts(const std::string& name, const std::string& shown);

// The expiry time of a JWT; nullopt for any other token.
[[nodiscard]] std::optional<policy::Time> end_of_token(std::string_view token);

}  // namespace elbowroom::cli
