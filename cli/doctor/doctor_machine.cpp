#include "cli/doctor/doctor_machine.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "agent/checkpoint/checkpoint.h"
#include "agent/checkpoint/checkpoint_store.h"
#include "agent/program/config.h"
#include "api/transport/curl_transport.h"
#include "base/disk.h"
#include "base/durable_file.h"
#include "cli/doctor/file_facts.h"
#include "cli/input/blocking_call.h"
#include "cli/input/daemon_build.h"
#include "cri/client.h"
#include "cri/system_units.h"

namespace elbowroom::cli {
namespace {

constexpr std::chrono::milliseconds kKubeletPatience{1000};
constexpr std::chrono::seconds kDaemonPatience{5};
constexpr std::size_t kMostCheckpoint = std::size_t{16} << 20;
constexpr const char* kUsualCgroups = "/sys/fs/cgroup";
constexpr const char* kCompanion = "not used in mode companion";

std::string reason() { return std::generic_category().message(errno); }

// ---- the runtime ----

// Whether the service sees another folder at that path than we do.
Look<bool> is_renewed(const std::string& socket, const MachinePlaces& places,
                      const Look<UnitFacts>& unit) {
  if (!unit || unit->pid == 0) return Look<bool>::not_seen("no service of ours runs here");
  const std::string folder = std::filesystem::path(socket).parent_path().string();
  struct stat ours{};
  struct stat theirs{};
  if (::stat(folder.c_str(), &ours) != 0) return Look<bool>::not_seen("there is no " + folder);
  const std::string seen = places.processes + "/" + std::to_string(unit->pid) + "/root" + folder;
  if (::stat(seen.c_str(), &theirs) != 0) {
    if (errno == ENOENT) return true;
    return Look<bool>::not_seen("you may not look at the service's files (" + reason() +
                                "): run this as root");
  }
  return ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino;
}

void ask_runtime(RuntimeFacts& facts) {
  auto client = cri::Client::open(facts.endpoint);
  if (!client) {
    facts.trouble = client.error();
    return;
  }
  auto version = (*client)->version();
  if (!version) {
    facts.trouble = version.error();
    return;
  }
  facts.version = *std::move(version);
  if (auto readiness = (*client)->status()) facts.readiness = *std::move(readiness);
  const auto driver = (*client)->cgroup_driver();
  facts.driver = driver ? Look<cri::CgroupDriver>(*driver)
                        : Look<cri::CgroupDriver>::not_seen("the runtime does not say");
}

// The socket of a runtime where it usually is, unless that is `other_than`; "": there is none.
std::string usual_socket(const std::string& other_than) {
  const std::string endpoint = agent::common_endpoint();
  const auto usual = cri::Client::socket_path(endpoint);
  if (!usual || *usual == other_than) return {};
  const std::string path(*usual);
  return file_facts(path).kind == FileFacts::Kind::Socket ? path : std::string();
}

RuntimeFacts runtime_facts(const Setup& setup, const MachinePlaces& places,
                           const Look<UnitFacts>& unit) {
  RuntimeFacts facts{.endpoint = setup.agent.runtime.endpoint};
  if (const auto path = cri::Client::socket_path(facts.endpoint)) {
    facts.socket = file_facts(std::string(*path));
  }
  facts.other_socket = usual_socket(facts.socket.path);
  facts.renewed = is_renewed(facts.socket.path, places, unit);
  if (facts.socket.kind == FileFacts::Kind::Socket) ask_runtime(facts);
  return facts;
}

// ---- cgroups ----

// The parent cgroup of all pods, and the driver that creates it.
struct PodsCgroup {
  const char* name;
  cri::CgroupDriver driver;
};

void look_into(const cri::Cgroups& groups, const PodsCgroup& of, CgroupFacts& facts) {
  const auto path = cri::CgroupPath::parse(of.name);
  if (!path || !groups.exists(*path)) return;
  // After a change of the driver, the previous driver's cgroups stay, empty.
  facts.found = of.driver;
  if (const auto read = groups.read(*path); !read) facts.unreadable = read.error().message;
  const std::string file =
      facts.root + (facts.version == cri::CgroupVersion::V2
                        ? std::string(of.name) + "/memory.max"
                        : "/memory" + std::string(of.name) + "/memory.limit_in_bytes");
  if (::access(file.c_str(), W_OK) != 0) facts.unwritable = file + ": " + reason();
}

std::vector<std::string> missing_controllers(const std::string& root) {
  const auto text = read_file(root + "/cgroup.controllers", 4096);
  std::vector<std::string> missing;
  for (const std::string name : {"cpu", "memory"}) {
    const std::string words = " " + text.value_or("") + " ";
    const bool is_there = words.contains(" " + name + " ") || words.contains(" " + name + "\n");
    if (!is_there) missing.push_back(name);
  }
  return missing;
}

// Sends no request: checks only that the bus exists and greets.
std::string bus_error() {
  cri::SystemUnits units(cri::real_sd_bus());
  if (const auto runs = units.systemd_runs(); !runs) return runs.error().message;
  const auto reached = units.reach();
  return reached ? "" : reached.error().message;
}

CgroupFacts cgroup_facts(const Setup& setup, const MachinePlaces& places) {
  CgroupFacts facts{.root = setup.agent.runtime.cgroup_root,
                    .configured = setup.agent.runtime.driver,
                    .manages = setup.agent.runtime.manage_pod_cgroups,
                    .polkit = ::access(places.polkit.c_str(), F_OK) == 0};
  if (facts.manages) facts.bus_error = bus_error();
  const auto groups = cri::Cgroups::open(facts.root);
  facts.is_usual_one = groups || cri::Cgroups::open(kUsualCgroups).has_value();
  if (!groups) {
    facts.trouble = groups.error().message;
    return facts;
  }
  facts.version = groups->version();
  if (facts.version == cri::CgroupVersion::V2) facts.missing = missing_controllers(facts.root);
  for (const PodsCgroup& of : {PodsCgroup{"/kubepods.slice", cri::CgroupDriver::Systemd},
                               PodsCgroup{"/kubepods", cri::CgroupDriver::Cgroupfs}}) {
    if (!facts.found) look_into(*groups, of, facts);
  }
  return facts;
}

// ---- the disk ----

void take_room(StateFacts& facts) {
  struct statvfs about{};
  if (::statvfs(facts.folder.path.c_str(), &about) != 0) return;
  facts.read_only = (about.f_flag & ST_RDONLY) != 0;
  facts.free_bytes = static_cast<std::uint64_t>(about.f_bavail) * about.f_frsize;
  // Some file systems have no inode limit, and report 0 inodes.
  facts.free_files = about.f_files == 0 ? UINT64_MAX : about.f_favail;
}

void take_checkpoint(StateFacts& facts) {
  const RealDisk disk;
  const std::string path = agent::CheckpointStore(facts.folder.path, disk).path();
  const auto text = read_file(path, kMostCheckpoint);
  if (text) {
    if (const auto decoded = agent::decode_checkpoint(*text); !decoded) {
      facts.trouble = path + ": " + decoded.error().message;
    }
  } else if (text.error().code != Code::NotFound) {
    facts.trouble = text.error().message;
  }
  std::error_code error;
  for (std::filesystem::directory_iterator at(facts.folder.path, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.contains(".bad-")) facts.set_aside.push_back(at->path().string());
  }
  std::ranges::sort(facts.set_aside);
}

StateFacts state_facts(const Setup& setup, const MachinePlaces& places) {
  StateFacts facts{.folder = file_facts(setup.agent.state_dir)};
  if (facts.folder.kind != FileFacts::Kind::Folder) return facts;
  take_room(facts);
  if (facts.folder.closed.empty()) take_checkpoint(facts);
  struct stat about{};
  const auto locks = read_file(places.processes + "/locks", std::size_t{1} << 20);
  if (locks && ::stat(facts.folder.path.c_str(), &about) == 0) {
    facts.holder = holder_in(*locks, about.st_ino);
  }
  return facts;
}

// ---- clock, kubelet, daemon ----

Look<bool> clock_is_set() {
  timex how{};
  if (::adjtimex(&how) < 0) {
    return Look<bool>::not_seen("the kernel does not say how the clock is kept: " + reason());
  }
  return (how.status & STA_UNSYNC) == 0;
}

Look<api::HttpAnswer> kubelet_here(const Setup& setup) {
  if (!setup.settings.is_set("kubeletHealthz")) {
    return Look<api::HttpAnswer>::not_seen("kubeletHealthz is empty");
  }
  const std::string where = daemon::to_string(setup.settings.address("kubeletHealthz"));
  return api::http_answer("http://" + where + "/healthz", kKubeletPatience);
}

Result<std::string> page_of(api::CurlTransport& transport, const std::string& path,
                            api::Query query) {
  api::Request request;
  request.path = path;
  request.query = std::move(query);
  request.lane = api::Lane::Unlimited;
  request.deadline = kDaemonPatience;
  ASSIGN_OR_RETURN(api::Response answer, answered(transport, std::move(request)));
  return std::move(answer).body;
}

// "[-]NAME failed: WHY", without the mark.
std::vector<std::string> failed_lines(std::string_view page) {
  std::vector<std::string> failed;
  while (!page.empty()) {
    const std::string_view line = page.substr(0, page.find('\n'));
    page.remove_prefix(std::min(page.size(), line.size() + 1));
    if (line.starts_with("[-]")) failed.emplace_back(line.substr(3));
  }
  return failed;
}

// Identifies a program by its metric.
void recognise(std::string_view metrics, Program program, DaemonFacts& facts) {
  const DaemonBuild build = daemon_build_in(metrics);
  facts.is_ours = build.program == name_of(program);
  facts.version = build.version;
}

// A port near that one at which nobody answers; "": none.
std::string free_address(daemon::Address address) {
  constexpr std::uint16_t kAway = 10;  // the next ones are those of our other daemons
  for (int i = 1; i <= kAway && address.port < UINT16_MAX - kAway; ++i) {
    address.port = static_cast<std::uint16_t>(address.port + (i == 1 ? kAway : 1));
    const std::string at = daemon::to_string(address);
    if (api::http_answer("http://" + at + "/", kKubeletPatience) == api::HttpAnswer::Nobody) {
      return at;
    }
  }
  return {};
}

Look<DaemonFacts> look_at_daemon(const Setup& setup, Program program) {
  const daemon::Address address = reached_at(setup.settings.address("listen"));
  if (address.port == 0) return Look<DaemonFacts>::not_seen("listen: names no port");
  DaemonFacts facts{.address = daemon::to_string(address)};
  api::Access access;
  const auto url = api::parse_server_url("http://" + facts.address);
  if (!url) return Look<DaemonFacts>::not_seen(url.error().message);
  access.server = *url;
  api::CurlTransport transport(access, {});
  const auto metrics = page_of(transport, "/metrics", {});
  if (!metrics) {
    facts.silence = metrics.error().message;
    return facts;
  }
  recognise(*metrics, program, facts);
  if (!facts.is_ours) {
    facts.free_address = free_address(address);
    return facts;
  }
  if (const auto live = page_of(transport, "/livez", {{"verbose", ""}})) {
    facts.hung = failed_lines(*live);
  }
  if (const auto ready = page_of(transport, "/readyz", {{"verbose", ""}})) {
    facts.failed = failed_lines(*ready);
  }
  return facts;
}

// Skips all facts about the agent in authority mode.
void skip_authority(const std::string& why, DoctorFacts& facts) {
  facts.runtime = Look<RuntimeFacts>::not_seen(why);
  facts.cgroups = Look<CgroupFacts>::not_seen(why);
  facts.state = Look<StateFacts>::not_seen(why);
}

}  // namespace

daemon::Address reached_at(daemon::Address listen) {
  if (listen.host == "0.0.0.0") listen.host = "127.0.0.1";
  if (listen.host == "::") listen.host = "::1";
  return listen;
}

// "1: FLOCK  ADVISORY  WRITE 4711 fd:01:1234567 0 EOF"
std::optional<int> holder_in(std::string_view locks, std::uint64_t inode) {
  const std::string wanted = ":" + std::to_string(inode) + " ";
  while (!locks.empty()) {
    const std::string_view line = locks.substr(0, locks.find('\n'));
    locks.remove_prefix(std::min(locks.size(), line.size() + 1));
    const std::size_t kind = line.find(" WRITE ");
    if (!line.contains(" FLOCK ") || !line.contains(wanted) || kind == std::string_view::npos) {
      continue;
    }
    const std::string_view number = line.substr(kind + 7);
    int pid = 0;
    (void)std::from_chars(number.data(), number.data() + number.size(), pid);
    return pid;
  }
  return std::nullopt;
}

void read_machine_facts(const Setup& setup, const MachinePlaces& places, DoctorFacts& facts) {
  if (!setup.is_here) {
    const std::string why = "no " + name_of(facts.program) +
                            " is set up on this machine, or --config has to name its file";
    skip_authority(why, facts);
    facts.clock_set = Look<bool>::not_seen(why);
    facts.kubelet = Look<api::HttpAnswer>::not_seen(why);
    facts.daemon = Look<DaemonFacts>::not_seen(why);
    return;
  }
  facts.clock_set = clock_is_set();
  facts.daemon = look_at_daemon(setup, facts.program);
  if (facts.program != Program::Agent) return;
  facts.kubelet = kubelet_here(setup);
  if (!facts.authority) return skip_authority(kCompanion, facts);
  facts.runtime = runtime_facts(setup, places, facts.unit);
  facts.cgroups = cgroup_facts(setup, places);
  facts.state = state_facts(setup, places);
}

}  // namespace elbowroom::cli
