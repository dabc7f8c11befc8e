// How the program that the doctor looks at is set up here: its unit, its configuration, its way to
// the API server. It is read as the program itself reads it, so what the doctor says of a key is
// what the program would say.
#pragma once

#include <optional>
#include <string>

#include "agent/wiring.h"
#include "api/transport/access.h"
#include "api/transport/kubeconfig.h"
#include "base/result.h"
#include "cli/doctor/doctor_facts.h"
#include "daemon/config/config.h"

namespace elbowroom::cli {

// What the command line asks for; "": not given.
struct DoctorAsk {
  Program program = Program::Agent;
  std::string config{};
  std::string kubeconfig{};
  std::string context{};
  std::string node{};
  std::string mode{};
};

// Where things are on a machine.
struct MachinePlaces {
  std::string configuration = "/etc/elbowroom";
  std::string processes = "/proc";
  std::string systemd = "/run/systemd/system";  // is there where systemd booted the machine
  std::string systemctl = "systemctl";
  std::string polkit = "/usr/share/dbus-1/system-services/org.freedesktop.PolicyKit1.service";
};

struct Setup {
  bool is_here = false;  // there is something of that program on this machine
  bool authority = false;
  daemon::Settings settings{};  // the defaults where the configuration is of no use
  agent::AgentOptions agent{};  // of an agent; without its way to the API server
  std::optional<api::Access> access{};
};

// Fills the facts about configuration, kubeconfig, credentials and unit.
[[nodiscard]] Setup look_at_setup(const DoctorAsk& ask, const MachinePlaces& places,
                                  const api::ApiEnvironment& environment, DoctorFacts& facts);

// What `systemctl show` printed of one unit.
[[nodiscard]] UnitFacts unit_facts(const std::string& name, const std::string& shown);

// When a token that is a JWT ends; nullopt for any other.
[[nodiscard]] std::optional<policy::Time> end_of_token(std::string_view token);

}  // namespace elbowroom::cli
