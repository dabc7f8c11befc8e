// Acts that must succeed: small versions of everything the service does in operation.
#include <dirent.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "base/fd.h"
#include "daemon/program/sandbox.h"

namespace elbowroom::daemon {
namespace {

SandboxAct need(std::string name, std::function<int(const Surroundings&)> act) {
  return {.name = std::move(name), .expected = Expected::Works, .act = std::move(act)};
}

int done(bool good) { return good ? 0 : errno; }
int opened(int fd) { return done(Fd(fd).is_open()); }

int read_some(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char byte = 0;
  if (!file.is_open() || ::read(file.get(), &byte, 1) < 0) return errno;
  return 0;
}

int list(const std::string& path) {
  DIR* const folder = ::opendir(path.c_str());
  if (folder == nullptr) return errno;
  ::closedir(folder);
  return 0;
}

using Found = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Found look_up(const std::string& host, std::uint16_t port) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found);
  return {failed == 0 ? found : nullptr, ::freeaddrinfo};
}

// A refused connection is not caused by the sandbox.
int reach_server(const Surroundings& at) {
  const Found found = look_up(at.server_host, at.server_port);
  if (!found) return EHOSTUNREACH;
  int error = EHOSTUNREACH;
  for (const addrinfo* each = found.get(); each != nullptr; each = each->ai_next) {
    const Fd made(::socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!made.is_open()) {
      error = errno;
      continue;
    }
    if (::connect(made.get(), each->ai_addr, each->ai_addrlen) == 0) return 0;
    error = errno;
    if (error == ECONNREFUSED) return 0;
  }
  return error;
}

int listen_on_loopback(const Surroundings&) {
  const Fd made(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return done(made.is_open() &&
              ::bind(made.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
              ::listen(made.get(), 8) == 0);
}

// A machine without IPv6 does not need it.
int internet6(const Surroundings&) {
  if (::access("/proc/self/net/if_inet6", F_OK) != 0) return 0;
  return opened(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

int connect_to(const std::string& path, int type) {
  const Fd made(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return ENAMETOOLONG;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  return done(made.is_open() &&
              ::connect(made.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
}

// The socket that systemd names, also in a unit that does not notify.
int notify(const Surroundings&) {
  const char* named = ::getenv("NOTIFY_SOCKET");  // NOLINT(concurrency-mt-unsafe): one thread
  const bool is_path = named != nullptr && named[0] == '/';
  return connect_to(is_path ? named : "/run/systemd/notify", SOCK_DGRAM);
}

int a_thread(const Surroundings&) {
  bool ran = false;
  std::jthread([&ran] { ran = true; }).join();
  return ran ? 0 : EAGAIN;
}

int a_signal(const Surroundings&) {
  sigset_t none;
  sigemptyset(&none);
  return opened(::signalfd(-1, &none, SFD_CLOEXEC));
}

int pipes(const Surroundings&) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno;
  const Fd read_end(ends[0]);
  const Fd write_end(ends[1]);
  return 0;
}

int random_bytes(const Surroundings&) {
  std::array<char, 16> bytes{};
  return done(::getrandom(bytes.data(), bytes.size(), 0) > 0);
}

int since_boot(const Surroundings&) {
  timespec now{};
  return done(::clock_gettime(CLOCK_BOOTTIME, &now) == 0);
}

int memory(const Surroundings&) {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  void* const got =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return done(got != MAP_FAILED);
}

std::string own_name(const std::string& folder, const char* end) {
  return folder + "/.elbowroom-selftest-" + std::to_string(::getpid()) + end;
}

int temporary_file(const Surroundings&) {
  const std::string path = own_name("/tmp", "");
  const int error =
      opened(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (error == 0) ::unlink(path.c_str());
  return error;
}

// As the checkpoint is written: exclusive, synced, linked, renamed, its folder synced.
int state_file(const Surroundings& at) {
  const Fd folder(::open(at.state_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return errno;
  const std::string begun = own_name(at.state_folder, ".tmp");
  const std::string before = own_name(at.state_folder, ".prev");
  const std::string whole = own_name(at.state_folder, "");
  const Fd file(::open(begun.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  const int error = done(file.is_open() && ::write(file.get(), "x", 1) == 1 &&
                         ::fsync(file.get()) == 0 && ::link(begun.c_str(), before.c_str()) == 0 &&
                         ::rename(begun.c_str(), whole.c_str()) == 0 && ::fsync(folder.get()) == 0);
  for (const std::string& each : {begun, before, whole}) ::unlink(each.c_str());
  return error;
}

int a_child(const Surroundings&) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  return done(child > 0 && ::waitpid(child, nullptr, 0) == child);
}

// The folder itself, and the files that the kernel creates in it.
int write_groups(const Surroundings& at) {
  const std::string memory_tree = at.cgroup_root + "/memory";
  const bool is_split = ::access(memory_tree.c_str(), F_OK) == 0;
  const std::string& tree = is_split ? memory_tree : at.cgroup_root;
  return done(::faccessat(AT_FDCWD, tree.c_str(), W_OK, AT_EACCESS) == 0);
}

void add_agents(const Surroundings& at, std::vector<SandboxAct>& all) {
  all.push_back(need("the boot's id", [](const Surroundings&) {
    return read_some("/proc/sys/kernel/random/boot_id");
  }));
  all.push_back(
      need("memory figures", [](const Surroundings&) { return read_some("/proc/meminfo"); }));
  if (!at.state_folder.empty()) all.push_back(need("its state", state_file));
}

// Without a system bus, systemd creates no pod cgroups.
int system_bus(const Surroundings&) {
  constexpr const char* kSocket = "/run/dbus/system_bus_socket";
  return ::access(kSocket, F_OK) != 0 ? 0 : connect_to(kSocket, SOCK_STREAM);
}

void add_authoritys(std::vector<SandboxAct>& all) {
  all.push_back(need("the container runtime", [](const Surroundings& at) {
    return connect_to(at.runtime_socket, SOCK_STREAM);
  }));
  all.push_back(
      need("control groups", [](const Surroundings& at) { return list(at.cgroup_root); }));
  all.push_back(need("sizes of control groups", write_groups));
  all.push_back(need("the system bus", system_bus));
}

void add_files(const Surroundings& at, std::vector<SandboxAct>& all) {
  if (!at.config.empty()) {
    all.push_back(
        need("its configuration", [](const Surroundings& of) { return read_some(of.config); }));
  }
  if (!at.kubeconfig.empty()) {
    all.push_back(
        need("its kubeconfig", [](const Surroundings& of) { return read_some(of.kubeconfig); }));
  }
  if (!at.server_host.empty()) all.push_back(need("the API server", reach_server));
  all.push_back(need("hosts", [](const Surroundings&) { return read_some("/etc/hosts"); }));
  all.push_back(need("libraries", [](const Surroundings&) { return list("/usr/lib"); }));
  all.push_back(
      need("its own figures", [](const Surroundings&) { return read_some("/proc/self/status"); }));
  all.push_back(need("its own files", [](const Surroundings&) { return list("/proc/self/fd"); }));
  all.push_back(need("a temporary file", temporary_file));
}

void add_kernels(std::vector<SandboxAct>& all) {
  all.push_back(need(
      "names", [](const Surroundings&) { return look_up("localhost", 80) ? 0 : EHOSTUNREACH; }));
  all.push_back(need("a port to listen on", listen_on_loopback));
  all.push_back(need("IPv6", internet6));
  all.push_back(need("datagrams", [](const Surroundings&) {
    return opened(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  }));
  all.push_back(need("the service manager", notify));
  all.push_back(need("the journal", [](const Surroundings&) {
    return connect_to("/run/systemd/journal/socket", SOCK_DGRAM);
  }));
  all.push_back(need("long lines to the journal", [](const Surroundings&) {
    return opened(::memfd_create("elbowroom-selftest", MFD_CLOEXEC));
  }));
  all.push_back(need("a thread", a_thread));
  all.push_back(
      need("epoll", [](const Surroundings&) { return opened(::epoll_create1(EPOLL_CLOEXEC)); }));
  all.push_back(
      need("eventfd", [](const Surroundings&) { return opened(::eventfd(0, EFD_CLOEXEC)); }));
  all.push_back(need("a timer", [](const Surroundings&) {
    return opened(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
  }));
  all.push_back(need("signals", a_signal));
  all.push_back(need("pipes", pipes));
  all.push_back(need("random bytes", random_bytes));
  all.push_back(need("the time since the boot", since_boot));
  all.push_back(need("memory", memory));
  all.push_back(need("a child", a_child));
}

}  // namespace

std::vector<SandboxAct> needed_acts(const Surroundings& at) {
  std::vector<SandboxAct> all;
  add_files(at, all);
  add_kernels(all);
  if (at.of != SandboxOf::Scheduler) add_agents(at, all);
  if (at.of == SandboxOf::Authority) add_authoritys(all);
  return all;
}

}  // namespace elbowroom::daemon
