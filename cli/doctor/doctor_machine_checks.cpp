// Checks of the machine: runtime, cgroups, disk, clock, the unit and its daemon.
#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include "cli/doctor/doctor_checks.h"
#include "cri/pod_cgroup.h"

namespace elbowroom::cli {
namespace {

constexpr std::uint64_t kRoomNeeded = std::uint64_t{1} << 20;
constexpr std::uint64_t kRoomWished = std::uint64_t{16} << 20;
constexpr std::uint64_t kFilesNeeded = 16;
constexpr int kManyRestarts = 5;

// ---- the runtime ----

Verdict socket_there(const DoctorFacts& facts) {
  if (!facts.runtime) return skip(facts.runtime.why_not);
  const RuntimeFacts& runtime = *facts.runtime;
  if (runtime.socket.kind == FileFacts::Kind::Socket) {
    return pass(runtime.socket.path + " is a socket");
  }
  return fail(runtime.socket.kind == FileFacts::Kind::Missing
                  ? "there is no container runtime's socket " + runtime.socket.path
                  : runtime.socket.path + " is no socket",
              "start the container runtime (systemctl start containerd), or set runtimeEndpoint to "
              "its socket");
}

// Any user that may write to it is root on this machine.
Verdict socket_closed(const DoctorFacts& facts) {
  if (!facts.runtime) return skip(facts.runtime.why_not);
  const FileFacts& socket = facts.runtime->socket;
  if (socket.kind != FileFacts::Kind::Socket) return skip("there is no socket");
  if ((socket.mode & 0002) == 0) return pass("not everybody may use it");
  return fail("everybody may write to " + socket.path +
                  ", and whoever does can become root on this machine",
              "chmod 0660 " + socket.path + ", and set its group in the runtime's configuration");
}

std::string why_no_runtime(const DoctorFacts& facts) {
  if (!facts.runtime) return facts.runtime.why_not;
  if (facts.runtime->socket.kind != FileFacts::Kind::Socket) return "there is no socket";
  return facts.runtime->trouble ? "the runtime does not answer" : "";
}

Verdict runtime_answers(const DoctorFacts& facts) {
  if (!facts.runtime) return skip(facts.runtime.why_not);
  const RuntimeFacts& runtime = *facts.runtime;
  if (runtime.socket.kind != FileFacts::Kind::Socket) return skip("there is no socket");
  if (!runtime.trouble)
    return pass(runtime.version.name + " " + runtime.version.version + " answers");
  if (runtime.trouble->code == Code::Denied) {
    return skip("you may not use " + runtime.socket.path + ": run this as root");
  }
  return fail(runtime.trouble->message,
              "restart the container runtime, and look at its log; it has to serve CRI v1 there");
}

Verdict runtime_ready(const DoctorFacts& facts) {
  if (const std::string why = why_no_runtime(facts); !why.empty()) return skip(why);
  const cri::RuntimeReadiness& readiness = facts.runtime->readiness;
  if (readiness.runtime && readiness.network) return pass("it says that it is ready");
  return warn(std::string("the runtime says that its ") +
                  (readiness.runtime ? "network" : "runtime") +
                  " is not ready: " + readiness.reason,
              readiness.runtime ? "put a network configuration into /etc/cni/net.d"
                                : "restart the container runtime, and look at its log");
}

bool is_old_containerd(const cri::RuntimeVersion& version) {
  if (version.name != "containerd") return false;
  int major = 0;
  int minor = 0;
  const std::string_view text = version.version.starts_with('v')
                                    ? std::string_view(version.version).substr(1)
                                    : std::string_view(version.version);
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, major);
  if (first.ec != std::errc{} || first.ptr == end) return false;
  if (std::from_chars(first.ptr + 1, end, minor).ec != std::errc{}) return false;
  return major < 1 || (major == 1 && minor < 6);
}

Verdict runtime_new_enough(const DoctorFacts& facts) {
  if (const std::string why = why_no_runtime(facts); !why.empty()) return skip(why);
  const cri::RuntimeVersion& version = facts.runtime->version;
  if (version.api != "v1") {
    return fail(version.name + " " + version.version + " speaks CRI " + version.api + ", not v1",
                "upgrade the container runtime");
  }
  if (!is_old_containerd(version)) return pass("CRI v1");
  return fail("containerd " + version.version + " is older than 1.6, which first tells sizes",
              "upgrade containerd to 1.6 or later");
}

// A unit that bind-mounted the folder keeps seeing the replaced folder.
Verdict runtime_not_renewed(const DoctorFacts& facts) {
  if (!facts.runtime) return skip(facts.runtime.why_not);
  const Look<bool>& renewed = facts.runtime->renewed;
  if (!renewed) return skip(renewed.why_not);
  if (!*renewed) return pass("the service sees the folder that is there now");
  return fail("the folder of " + facts.runtime->socket.path +
                  " was made anew after the service started, which still sees the old one",
              "systemctl restart " + (facts.unit ? facts.unit->name : "elbowroomd-authority"));
}

// ---- cgroups ----

std::string why_no_cgroups(const DoctorFacts& facts) {
  if (!facts.cgroups) return facts.cgroups.why_not;
  return facts.cgroups->version ? "" : facts.cgroups->root + " holds no control groups";
}

Verdict cgroups_mounted(const DoctorFacts& facts) {
  if (!facts.cgroups) return skip(facts.cgroups.why_not);
  const CgroupFacts& groups = *facts.cgroups;
  if (groups.version) {
    return pass(groups.root + " holds control groups of version " +
                (*groups.version == cri::CgroupVersion::V2 ? "2" : "1"));
  }
  return fail(groups.trouble,
              "mount the control groups there, or set cgroupRoot to where they are (usually "
              "/sys/fs/cgroup)");
}

Verdict controllers(const DoctorFacts& facts) {
  if (const std::string why = why_no_cgroups(facts); !why.empty()) return skip(why);
  const CgroupFacts& groups = *facts.cgroups;
  if (groups.missing.empty()) return pass("the controllers cpu and memory are there");
  return fail("the controller " + groups.missing.front() + " is not in " + groups.root,
              "boot without cgroup_disable=, and with systemd.unified_cgroup_hierarchy=1 where "
              "version 1 is mounted beside it");
}

Verdict cgroups_readable(const DoctorFacts& facts) {
  if (const std::string why = why_no_cgroups(facts); !why.empty()) return skip(why);
  const CgroupFacts& groups = *facts.cgroups;
  if (groups.unreadable.empty()) return pass("pods' groups can be read");
  return fail("a pod's control group cannot be read: " + groups.unreadable,
              "run the agent by its unit elbowroomd-authority, which has the right to, or as root; "
              "in a container mount " +
                  groups.root + " from the host");
}

Verdict cgroups_writable(const DoctorFacts& facts) {
  if (const std::string why = why_no_cgroups(facts); !why.empty()) return skip(why);
  const CgroupFacts& groups = *facts.cgroups;
  if (!groups.manages) return skip("pods' own groups are left alone (podCgroups: leave)");
  if (!groups.unreadable.empty()) return skip("see cgroups.readable");
  if (groups.unwritable.empty()) return pass("pods' groups can be written");
  return fail("a pod's control group cannot be written: " + groups.unwritable,
              "mount " + groups.root +
                  " writable, run the agent by its unit "
                  "elbowroomd-authority, or set podCgroups: leave");
}

// The driver in effect: the setting, else the runtime's answer, else cgroupfs.
Verdict driver_agrees(const DoctorFacts& facts) {
  if (const std::string why = why_no_cgroups(facts); !why.empty()) return skip(why);
  const CgroupFacts& groups = *facts.cgroups;
  std::optional<cri::CgroupDriver> told;
  if (facts.runtime && facts.runtime->driver) told = *facts.runtime->driver;
  if (groups.configured && told && *groups.configured != *told) {
    return fail("cgroupDriver is " + std::string(cri::word_of(*groups.configured)) +
                    ", and the runtime uses " + std::string(cri::word_of(*told)),
                "leave cgroupDriver out (auto), or set it to " + std::string(cri::word_of(*told)));
  }
  const cri::CgroupDriver counts =
      groups.configured.value_or(told.value_or(cri::CgroupDriver::Cgroupfs));
  if (groups.found && *groups.found != counts) {
    return fail("pods' groups here were made by the driver " +
                    std::string(cri::word_of(*groups.found)) + ", and " +
                    std::string(cri::word_of(counts)) + " is used",
                "set cgroupDriver: " + std::string(cri::word_of(*groups.found)) +
                    ", or start the pods again after the runtime's driver was changed");
  }
  return pass("the driver is " + std::string(cri::word_of(counts)));
}

Verdict driver_supported(const DoctorFacts& facts) {
  if (const std::string why = why_no_cgroups(facts); !why.empty()) return skip(why);
  const CgroupFacts& groups = *facts.cgroups;
  const bool is_systemd =
      groups.configured.value_or(facts.runtime && facts.runtime->driver
                                     ? *facts.runtime->driver
                                     : groups.found.value_or(cri::CgroupDriver::Cgroupfs)) ==
      cri::CgroupDriver::Systemd;
  if (!is_systemd || !groups.manages)
    return pass("pods' groups are resized as their driver allows");
  if (!groups.bus_error.empty()) {
    return fail(groups.bus_error, "systemctl start dbus.socket, or set podCgroups: leave");
  }
  if (facts.unit && facts.unit->loaded && facts.unit->user != "root" && !groups.polkit) {
    return fail("no polkit is there to let " + facts.unit->user + " size pods' slices",
                "apt install polkitd, or set podCgroups: leave");
  }
  return pass("systemd can be asked to size pods' slices");
}

// ---- the disk ----

std::string why_no_state(const DoctorFacts& facts) {
  if (!facts.state) return facts.state.why_not;
  return facts.state->folder.kind == FileFacts::Kind::Folder
             ? ""
             : "there is no folder " + facts.state->folder.path;
}

Verdict state_there(const DoctorFacts& facts) {
  if (!facts.state) return skip(facts.state.why_not);
  const FileFacts& folder = facts.state->folder;
  if (folder.kind == FileFacts::Kind::Folder) return pass(folder.path + " is there");
  if (folder.kind == FileFacts::Kind::Missing) {
    return warn("there is no state directory " + folder.path + " yet",
                "it is made at the first start; where it cannot be: mkdir -m 0700 " + folder.path +
                    ", owned by the user that elbowroomd runs as");
  }
  return fail(folder.path + " is no folder", "move it away, or set stateDir to another directory");
}

Verdict state_mode(const DoctorFacts& facts) {
  if (const std::string why = why_no_state(facts); !why.empty()) return skip(why);
  const FileFacts& folder = facts.state->folder;
  if ((folder.mode & 0077) != 0) {
    return fail("others than its owner may look into " + folder.path + " or change it",
                "chmod 0700 " + folder.path);
  }
  if (facts.unit && facts.unit->loaded && folder.owner != facts.unit->user) {
    return fail(folder.path + " belongs to " + folder.owner + ", and the service runs as " +
                    facts.unit->user,
                "chown -R " + facts.unit->user + ":" + facts.unit->user + " " + folder.path);
  }
  return pass("it is its owner's alone");
}

Verdict state_writable(const DoctorFacts& facts) {
  if (const std::string why = why_no_state(facts); !why.empty()) return skip(why);
  const std::string& path = facts.state->folder.path;
  if (!facts.state->read_only) return pass("its file system takes writes");
  return fail(
      "the file system of " + path + " is read-only",
      "mount it again for writing (mount -o remount,rw), and look with dmesg why it is not");
}

Verdict state_room(const DoctorFacts& facts) {
  if (const std::string why = why_no_state(facts); !why.empty()) return skip(why);
  const StateFacts& state = *facts.state;
  const std::string& path = state.folder.path;
  if (state.free_bytes < kRoomNeeded) {
    return fail("the disk of " + path + " is full: no resize is allocated until there is room",
                "free some space there, 16 MiB are enough; it goes on by itself");
  }
  if (state.free_files < kFilesNeeded) {
    return fail("the file system of " + path + " has no inodes left",
                "remove some files there; it goes on by itself");
  }
  if (state.free_bytes < kRoomWished) {
    return warn("less than 16 MiB are free on the disk of " + path, "free some space there");
  }
  return pass("there is room");
}

Verdict checkpoint_good(const DoctorFacts& facts) {
  if (const std::string why = why_no_state(facts); !why.empty()) return skip(why);
  if (!facts.state->folder.closed.empty()) {
    return skip("you may not look into " + facts.state->folder.path + ": run this as root");
  }
  if (facts.state->trouble.empty()) return pass("the allocations there can be read");
  return fail(facts.state->trouble,
              "nothing by hand: at its next start the agent moves it aside, takes the copy before "
              "it, and rebuilds the rest from the API; look why the disk damages files");
}

Verdict nothing_set_aside(const DoctorFacts& facts) {
  if (const std::string why = why_no_state(facts); !why.empty()) return skip(why);
  if (!facts.state->folder.closed.empty()) {
    return skip("you may not look into " + facts.state->folder.path + ": run this as root");
  }
  if (facts.state->set_aside.empty()) return pass("no damaged one was set aside");
  return warn(
      "a checkpoint that could not be read was set aside: " + facts.state->set_aside.front(),
      "look why (the disk, a second writer), then remove that file");
}

Verdict state_alone(const DoctorFacts& facts) {
  if (const std::string why = why_no_state(facts); !why.empty()) return skip(why);
  const std::optional<int> holder = facts.state->holder;
  if (!holder) return pass("no process has taken it");
  if (!facts.unit || !facts.unit->loaded) return pass("an agent has taken it");
  if (facts.unit->pid == *holder) return pass("the service has taken it");
  return fail(
      "another process, " + std::to_string(*holder) + ", has taken " + facts.state->folder.path,
      "stop that agent, or set stateDir to another directory for one of the two");
}

// ---- clock and kubelet ----

Verdict clock_kept(const DoctorFacts& facts) {
  if (!facts.clock_set) return skip(facts.clock_set.why_not);
  if (*facts.clock_set) return pass("somebody keeps this machine's clock");
  return warn("nobody keeps this machine's clock: it will drift from the others'",
              "timedatectl set-ntp true, or run chrony");
}

Verdict kubelet_as_mode_wants(const DoctorFacts& facts) {
  if (!facts.kubelet) return skip(facts.kubelet.why_not);
  const bool is_there = *facts.kubelet != api::HttpAnswer::Nobody;
  if (facts.authority && is_there && !facts.dry_run) {
    return fail("a kubelet answers on this machine, and beside one mode authority does not start",
                "set mode: companion (systemctl enable --now elbowroomd), or stop the kubelet; if "
                "that is no kubelet, set kubeletHealthz");
  }
  if (!facts.authority && !is_there) {
    return warn(
        "no kubelet answers on this machine, and as a companion the agent resizes nothing",
        "start the kubelet, set kubeletHealthz to where it answers, or set mode: authority");
  }
  return pass(is_there ? "a kubelet answers here" : "no kubelet answers here");
}

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
              "systemd-sysusers, or install the package again");
}

Verdict unit_alone(const DoctorFacts& facts) {
  if (const std::string why = why_no_unit(facts); !why.empty()) return skip(why);
  if (!facts.unit->other_runs) return pass("the unit of the other mode is off");
  return fail("the units of both modes are enabled, and each stops the other",
              "systemctl disable --now the one that is not wanted: elbowroomd beside a kubelet, "
              "elbowroomd-authority in its place");
}

Verdict unit_read(const DoctorFacts& facts) {
  if (const std::string why = why_no_unit(facts); !why.empty()) return skip(why);
  if (!facts.unit->stale) return pass("systemd has read it as it is now");
  return warn("the file of " + facts.unit->name + " has changed since systemd read it",
              "systemctl daemon-reload; systemctl restart " + facts.unit->name);
}

std::string remedy_for_exit(int status) {
  if (status == 78) return "the journal names the key or the file: journalctl -n 5 -u ";
  if (status == 2) return "a flag in a drop-in is wrong: systemctl cat ";
  if (status == 75) return "another agent has the state directory: stop it, then systemctl start ";
  return "the journal says why: journalctl -n 50 -u ";
}

Verdict unit_runs(const DoctorFacts& facts) {
  if (const std::string why = why_no_unit(facts); !why.empty()) return skip(why);
  const UnitFacts& unit = *facts.unit;
  if (unit.active) return pass(unit.name + " is active");
  if (unit.unmet) {
    // A separate check covers the file that it waits for.
    if (facts.kubeconfig.file.kind == FileFacts::Kind::Missing) return skip("see kubeconfig.found");
    if (unit.awaited.kind == FileFacts::Kind::Missing) {
      return fail(unit.name + " waits for " + unit.awaited.path +
                      ", which is not there: the configuration names " + facts.kubeconfig.file.path,
                  "put the kubeconfig there and name it so (docs/install.md), or let the unit wait "
                  "for the other one: systemctl edit " +
                      unit.name + ", [Unit], ConditionPathExists=, ConditionPathExists=" +
                      facts.kubeconfig.file.path);
    }
    return fail(unit.name + " waited for a file that was not there when it was started",
                "systemctl start " + unit.name);
  }
  if (unit.starting) {
    return fail(unit.name + " is not up" + (unit.status.empty() ? "" : ": it " + unit.status),
                remedy_for_exit(unit.exit_status) + unit.name);
  }
  if (unit.failed) {
    return fail(unit.name + " failed, with exit status " + std::to_string(unit.exit_status),
                remedy_for_exit(unit.exit_status) + unit.name);
  }
  return fail(unit.name + " does not run", "systemctl enable --now " + unit.name);
}

Verdict unit_enabled(const DoctorFacts& facts) {
  if (const std::string why = why_no_unit(facts); !why.empty()) return skip(why);
  const UnitFacts& unit = *facts.unit;
  if (!unit.active) return skip("see unit.runs");
  if (unit.enabled) return pass("it starts with the machine");
  return warn(unit.name + " runs, but does not start with the machine",
              "systemctl enable " + unit.name);
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

Verdict daemon_answers(const DoctorFacts& facts) {
  if (!facts.daemon) return skip(facts.daemon.why_not);
  const DaemonFacts& daemon = *facts.daemon;
  const bool should_run = facts.unit && facts.unit->active;
  if (daemon.silence.empty() && !daemon.is_ours) {
    return fail("another program answers at " + daemon.address + ", where " +
                    name_of(facts.program) + " listens",
                "stop that program, or set listen: to another port");
  }
  if (daemon.silence.empty()) return pass("it answers at " + daemon.address);
  if (!should_run) return skip("no service of ours runs here");
  return fail(daemon.silence, "systemctl restart " + facts.unit->name +
                                  "; was listen: changed "
                                  "without a restart?");
}

Verdict daemon_turns(const DoctorFacts& facts) {
  if (const std::string why = why_no_daemon(facts); !why.empty()) return skip(why);
  if (facts.daemon->hung.empty()) return pass("its loops turn");
  return fail("/livez: " + facts.daemon->hung.front(),
              "the watchdog restarts it; report it with the journal's lines before");
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
    Check{"runtime.socket", Check::Of::Agent, socket_there},
    Check{"runtime.socket-mode", Check::Of::Agent, socket_closed},
    Check{"runtime.answers", Check::Of::Agent, runtime_answers},
    Check{"runtime.ready", Check::Of::Agent, runtime_ready},
    Check{"runtime.version", Check::Of::Agent, runtime_new_enough},
    Check{"runtime.renewed", Check::Of::Agent, runtime_not_renewed},
    Check{"cgroups.mounted", Check::Of::Agent, cgroups_mounted},
    Check{"cgroups.controllers", Check::Of::Agent, controllers},
    Check{"cgroups.driver", Check::Of::Agent, driver_agrees},
    Check{"cgroups.driver-supported", Check::Of::Agent, driver_supported},
    Check{"cgroups.readable", Check::Of::Agent, cgroups_readable},
    Check{"cgroups.writable", Check::Of::Agent, cgroups_writable},
    Check{"disk.state", Check::Of::Agent, state_there},
    Check{"disk.mode", Check::Of::Agent, state_mode},
    Check{"disk.writable", Check::Of::Agent, state_writable},
    Check{"disk.room", Check::Of::Agent, state_room},
    Check{"disk.checkpoint", Check::Of::Agent, checkpoint_good},
    Check{"disk.set-aside", Check::Of::Agent, nothing_set_aside},
    Check{"disk.alone", Check::Of::Agent, state_alone},
    Check{"clock.kept", Check::Of::All, clock_kept},
    Check{"beside.kubelet", Check::Of::Agent, kubelet_as_mode_wants},
    Check{"unit.user", Check::Of::All, unit_user},
    Check{"unit.alone", Check::Of::Agent, unit_alone},
    Check{"unit.read", Check::Of::All, unit_read},
    Check{"unit.runs", Check::Of::All, unit_runs},
    Check{"unit.enabled", Check::Of::All, unit_enabled},
    Check{"unit.steady", Check::Of::All, unit_steady},
    Check{"daemon.answers", Check::Of::All, daemon_answers},
    Check{"daemon.turns", Check::Of::All, daemon_turns},
    Check{"daemon.ready", Check::Of::All, daemon_ready},
    Check{"daemon.version", Check::Of::All, daemon_version},
};

}  // namespace

std::span<const Check> machine_checks() { return kChecks; }

}  // namespace elbowroom::cli
