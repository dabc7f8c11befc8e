// Checks of the machine: runtime, cgroups, disk, clock and kubelet.
#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include "cli/doctor/doctor_checks.h"
#include "cli/doctor/repairs.h"
#include "cri/pod_cgroup.h"

namespace elbowroom::cli {
namespace {

constexpr std::uint64_t kRoomNeeded = std::uint64_t{1} << 20;
constexpr std::uint64_t kRoomWished = std::uint64_t{16} << 20;
constexpr std::uint64_t kFilesNeeded = 16;

// ---- the runtime ----

// "containerd" or "crio".
std::string runtime_service(const RuntimeFacts& runtime) {
  return runtime.socket.path.contains("crio") ? "crio" : "containerd";
}

Commands socket_commands(const DoctorFacts& facts) {
  const RuntimeFacts& runtime = *facts.runtime;
  if (!runtime.other_socket.empty()) {
    return set_key(facts, "runtimeEndpoint", "unix:" + runtime.other_socket);
  }
  const Commands start = {"systemctl restart " + runtime_service(runtime)};
  if (runtime.socket.kind == FileFacts::Kind::Missing) return start;
  return joined_commands({"mv -T --backup=numbered " + shell_word(runtime.socket.path) + " " +
                          shell_word(runtime.socket.path + ".old")},
                         start);
}

Verdict socket_there(const DoctorFacts& facts) {
  if (!facts.runtime) return skip(facts.runtime.why_not);
  const RuntimeFacts& runtime = *facts.runtime;
  if (runtime.socket.kind == FileFacts::Kind::Socket) {
    return pass(runtime.socket.path + " is a socket");
  }
  return fail(runtime.socket.kind == FileFacts::Kind::Missing
                  ? "there is no container runtime's socket " + runtime.socket.path
                  : runtime.socket.path + " is no socket",
              "start the container runtime, or set runtimeEndpoint to its socket",
              socket_commands(facts));
}

// Any user that may write to it is root on this machine.
Verdict socket_closed(const DoctorFacts& facts) {
  if (!facts.runtime) return skip(facts.runtime.why_not);
  const FileFacts& socket = facts.runtime->socket;
  if (socket.kind != FileFacts::Kind::Socket) return skip("there is no socket");
  if ((socket.mode & 0002) == 0) return pass("not everybody may use it");
  return fail("everybody may write to " + socket.path +
                  ", and whoever does can become root on this machine",
              "close it, and set its group in the runtime's configuration",
              {"chmod 0660 " + shell_word(socket.path)});
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
              "restart the container runtime, and look at its log; it has to serve CRI v1 there",
              {"systemctl restart " + runtime_service(runtime)});
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
              "restart the service", restart(facts));
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
              "/sys/fs/cgroup)",
              groups.is_usual_one
                  ? set_key(facts, "cgroupRoot", "/sys/fs/cgroup")
                  : Commands{"mount -t cgroup2 cgroup2 " + shell_word(groups.root)});
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
  if (facts.runtime && facts.runtime->trouble) return skip("the runtime does not say its driver");
  std::optional<cri::CgroupDriver> told;
  if (facts.runtime && facts.runtime->driver) told = *facts.runtime->driver;
  if (groups.configured && told && *groups.configured != *told) {
    return fail("cgroupDriver is " + std::string(cri::word_of(*groups.configured)) +
                    ", and the runtime uses " + std::string(cri::word_of(*told)),
                "leave cgroupDriver out (auto), or set it to " + std::string(cri::word_of(*told)),
                set_key(facts, "cgroupDriver", std::string(cri::word_of(*told))));
  }
  const cri::CgroupDriver counts =
      groups.configured.value_or(told.value_or(cri::CgroupDriver::Cgroupfs));
  if (groups.found && *groups.found != counts) {
    return fail("pods' groups here were made by the driver " +
                    std::string(cri::word_of(*groups.found)) + ", and " +
                    std::string(cri::word_of(counts)) + " is used",
                "set cgroupDriver: " + std::string(cri::word_of(*groups.found)) +
                    ", or start the pods again after the runtime's driver was changed",
                set_key(facts, "cgroupDriver", std::string(cri::word_of(*groups.found))));
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
    return fail(groups.bus_error, "start the system bus, or set podCgroups: leave",
                joined_commands({"systemctl start dbus.socket"}, restart(facts)));
  }
  if (facts.unit && facts.unit->loaded && facts.unit->user != "root" && !groups.polkit) {
    return fail("no polkit is there to let " + facts.unit->user + " size pods' slices",
                "install polkit, or set podCgroups: leave", {"apt install polkitd"});
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
  return fail(folder.path + " is no folder", "move it away, or set stateDir to another directory",
              joined_commands({"mv -T --backup=numbered " + shell_word(folder.path) + " " +
                               shell_word(folder.path + ".old")},
                              restart(facts)));
}

Verdict state_mode(const DoctorFacts& facts) {
  if (const std::string why = why_no_state(facts); !why.empty()) return skip(why);
  const FileFacts& folder = facts.state->folder;
  if ((folder.mode & 0077) != 0) {
    return fail("others than its owner may look into " + folder.path + " or change it", "close it",
                {"chmod 0700 " + shell_word(folder.path)});
  }
  if (facts.unit && facts.unit->loaded && folder.owner != facts.unit->user) {
    return fail(folder.path + " belongs to " + folder.owner + ", and the service runs as " +
                    facts.unit->user,
                "give it to the service",
                {"chown -R " + shell_word(facts.unit->user + ":" + facts.unit->user) + " " +
                 shell_word(folder.path)});
  }
  return pass("it is its owner's alone");
}

Verdict state_writable(const DoctorFacts& facts) {
  if (const std::string why = why_no_state(facts); !why.empty()) return skip(why);
  const std::string& path = facts.state->folder.path;
  if (!facts.state->read_only) return pass("its file system takes writes");
  return fail("the file system of " + path + " is read-only",
              "mount it again for writing, and look with dmesg why it is not",
              {"mount -o remount,rw \"$(findmnt -n -o TARGET -T " + shell_word(path) + ")\""});
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
              "at its next start the agent moves it aside, takes the copy before "
              "it, and rebuilds the rest from the API; look why the disk damages files",
              restart(facts));
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
      "stop that agent, or set stateDir to another directory for one of the two",
      *holder > 0 ? joined_commands({"kill " + std::to_string(*holder)}, restart(facts))
                  : Commands());
}

// ---- clock and kubelet ----

Verdict clock_kept(const DoctorFacts& facts) {
  if (!facts.clock_set) return skip(facts.clock_set.why_not);
  if (*facts.clock_set) return pass("somebody keeps this machine's clock");
  return warn("nobody keeps this machine's clock: it will drift from the others'",
              "let NTP keep it, or run chrony", {"timedatectl set-ntp true"});
}

Commands companion_commands(const DoctorFacts& facts) {
  if (!facts.unit || !facts.unit->loaded) return set_key(facts, "mode", "companion");
  return {"systemctl disable --now elbowroomd-authority", "systemctl enable --now elbowroomd"};
}

Verdict kubelet_as_mode_wants(const DoctorFacts& facts) {
  if (!facts.kubelet) return skip(facts.kubelet.why_not);
  const bool is_there = *facts.kubelet != api::HttpAnswer::Nobody;
  if (facts.authority && is_there && !facts.dry_run) {
    return fail("a kubelet answers on this machine, and beside one mode authority does not start",
                "set mode: companion, or stop the kubelet; if that is no kubelet, set "
                "kubeletHealthz",
                companion_commands(facts));
  }
  if (!facts.authority && !is_there) {
    return warn(
        "no kubelet answers on this machine, and as a companion the agent resizes nothing",
        "start the kubelet, set kubeletHealthz to where it answers, or set mode: authority");
  }
  return pass(is_there ? "a kubelet answers here" : "no kubelet answers here");
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
};

}  // namespace

std::span<const Check> machine_checks() { return kChecks; }

}  // namespace elbowroom::cli
