// Checks of the unit and its daemon.
#include <array>
#include <string>

#include "cli/doctor/doctor_checks.h"
#include "cli/doctor/repairs.h"

namespace elbowroom::cli {
namespace {

constexpr int kManyRestarts = 5;

// ---- the unit ----

std::string why_no_unit(const DoctorFacts& facts) {
  if (!facts.unit) return facts.unit.why_not;
  return facts.unit->loaded ? "" : "there is no unit " + facts.unit->name;
}

Verdict unit_user(const DoctorFacts& facts) {
  if (const std::string why = why_no_unit(facts); !why.empty()) return skip(why);
  const UnitFacts& unit = *facts.unit;
  if (unit.user_exists) return pass("the user " + unit.user + " exists");
  return fail("there is no user " + unit.user + ", as whom the service runs",
              "make it, or install the package again", {"systemd-sysusers"});
}

Verdict unit_alone(const DoctorFacts& facts) {
  if (const std::string why = why_no_unit(facts); !why.empty()) return skip(why);
  if (!facts.unit->other_runs) return pass("the unit of the other mode is off");
  const std::string other =
      facts.unit->name == "elbowroomd" ? "elbowroomd-authority" : "elbowroomd";
  return fail("the units of both modes are enabled, and each stops the other",
              "disable the one that is not wanted: elbowroomd is wanted beside a kubelet, "
              "elbowroomd-authority in its place. To keep " +
                  facts.unit->name,
              {"systemctl disable --now " + other, "systemctl enable --now " + facts.unit->name});
}

Verdict unit_read(const DoctorFacts& facts) {
  if (const std::string why = why_no_unit(facts); !why.empty()) return skip(why);
  if (!facts.unit->stale) return pass("systemd has read it as it is now");
  return warn("the file of " + facts.unit->name + " has changed since systemd read it",
              "let systemd read it",
              {"systemctl daemon-reload", "systemctl restart " + facts.unit->name});
}

std::string remedy_for_exit(const UnitFacts& unit) {
  const std::string rest = "; once that is mended, start it";
  const std::string journal = "journalctl -n 50 -u " + unit.name;
  if (unit.exit_status == 78) return "the journal names the key or the file: " + journal + rest;
  if (unit.exit_status == 2)
    return "a flag in a drop-in is wrong: systemctl cat " + unit.name + rest;
  if (unit.exit_status == 75)
    return "another agent has the state directory: stop it, then start it";
  return "the journal says why: " + journal + rest;
}

// A drop-in that has the unit wait for the kubeconfig that the configuration names.
Commands await_named(const DoctorFacts& facts) {
  const std::string folder = "/etc/systemd/system/" + facts.unit->name + ".service.d";
  return {"mkdir -p " + folder,
          "printf '[Unit]\\nConditionPathExists=\\nConditionPathExists=%s\\n' " +
              shell_word(facts.kubeconfig.file.path) + " >" + folder + "/kubeconfig.conf",
          "systemctl daemon-reload", "systemctl start " + facts.unit->name};
}

Verdict unit_runs(const DoctorFacts& facts) {
  if (const std::string why = why_no_unit(facts); !why.empty()) return skip(why);
  const UnitFacts& unit = *facts.unit;
  if (unit.active) return pass(unit.name + " is active");
  if (unit.unmet) {
    if (unit.awaited.kind == FileFacts::Kind::Missing) {
      return fail(unit.name + " waits for " + unit.awaited.path +
                      ", which is not there: the configuration names " + facts.kubeconfig.file.path,
                  "put the kubeconfig there and name it so (docs/install.md), or let the unit wait "
                  "for the other one",
                  await_named(facts));
    }
    return fail(unit.name + " waited for a file that was not there when it was started", "start it",
                {"systemctl start " + unit.name});
  }
  if (unit.starting) {
    return fail(unit.name + " is not up" + (unit.status.empty() ? "" : ": it " + unit.status),
                remedy_for_exit(unit), restart(facts));
  }
  if (unit.failed) {
    return fail(unit.name + " failed, with exit status " + std::to_string(unit.exit_status),
                remedy_for_exit(unit), restart(facts));
  }
  return fail(unit.name + " does not run", "start it, now and with the machine",
              {"systemctl enable --now " + unit.name});
}

Verdict unit_enabled(const DoctorFacts& facts) {
  if (const std::string why = why_no_unit(facts); !why.empty()) return skip(why);
  const UnitFacts& unit = *facts.unit;
  if (unit.enabled) return pass("it starts with the machine");
  return warn(unit.name + " runs, but does not start with the machine", "enable it",
              {"systemctl enable " + unit.name});
}

Verdict unit_steady(const DoctorFacts& facts) {
  if (const std::string why = why_no_unit(facts); !why.empty()) return skip(why);
  const UnitFacts& unit = *facts.unit;
  if (unit.restarts < kManyRestarts) return pass("systemd had no reason to start it over and over");
  return warn(unit.name + " was started again " + std::to_string(unit.restarts) + " times",
              "the journal says why it ended each time: journalctl -u " + unit.name);
}

// ---- the daemon ----

std::string why_no_daemon(const DoctorFacts& facts) {
  if (!facts.daemon) return facts.daemon.why_not;
  if (!facts.daemon->silence.empty()) return "nobody answers at " + facts.daemon->address;
  return facts.daemon->is_ours ? "" : "somebody else answers at " + facts.daemon->address;
}

Verdict port_free(const DoctorFacts& facts) {
  if (!facts.daemon) return skip(facts.daemon.why_not);
  const DaemonFacts& daemon = *facts.daemon;
  if (!daemon.silence.empty() || daemon.is_ours) return pass("no other program answers there");
  return fail(
      "another program answers at " + daemon.address + ", where " + name_of(facts.program) +
          " listens",
      "stop that program, or set listen: to another port",
      daemon.free_address.empty() ? Commands() : set_key(facts, "listen", daemon.free_address));
}

Verdict daemon_answers(const DoctorFacts& facts) {
  if (!facts.daemon) return skip(facts.daemon.why_not);
  const DaemonFacts& daemon = *facts.daemon;
  const bool should_run = facts.unit && facts.unit->active;
  if (daemon.silence.empty()) return pass("it answers at " + daemon.address);
  if (!should_run) return skip("no service of ours runs here");
  return fail(daemon.silence, "restart it; was listen: changed without a restart?", restart(facts));
}

Verdict daemon_turns(const DoctorFacts& facts) {
  if (const std::string why = why_no_daemon(facts); !why.empty()) return skip(why);
  if (facts.daemon->hung.empty()) return pass("its loops turn");
  return fail("/livez: " + facts.daemon->hung.front(),
              "the watchdog restarts it, or you; report it with the journal's lines before",
              restart(facts));
}

Verdict daemon_ready(const DoctorFacts& facts) {
  if (const std::string why = why_no_daemon(facts); !why.empty()) return skip(why);
  if (facts.daemon->failed.empty()) return pass("/readyz is well");
  return fail("/readyz: " + facts.daemon->failed.front(),
              "do what the line says; docs/troubleshooting.md has each check");
}

Verdict daemon_version(const DoctorFacts& facts) {
  if (const std::string why = why_no_daemon(facts); !why.empty()) return skip(why);
  const std::string& version = facts.daemon->version;
  if (version.empty()) return skip("it does not say its version");
  if (version == facts.own_version) return pass("it is of version " + version);
  return warn("what runs is version " + version + ", and this is " + facts.own_version,
              "restart the service after an upgrade, and upgrade both packages");
}

constexpr std::array kChecks = {
    Check{"unit.user", Check::Of::All, unit_user},
    Check{"unit.alone", Check::Of::Agent, unit_alone},
    Check{"unit.read", Check::Of::All, unit_read},
    Check{"unit.runs", Check::Of::All, unit_runs},
    Check{"unit.enabled", Check::Of::All, unit_enabled},
    Check{"unit.steady", Check::Of::All, unit_steady},
    Check{"daemon.port", Check::Of::All, port_free},
    Check{"daemon.answers", Check::Of::All, daemon_answers},
    Check{"daemon.turns", Check::Of::All, daemon_turns},
    Check{"daemon.ready", Check::Of::All, daemon_ready},
    Check{"daemon.version", Check::Of::All, daemon_version},
};

}  // namespace

std::span<const Check> unit_checks() { return kChecks; }

}  // namespace elbowroom::cli
