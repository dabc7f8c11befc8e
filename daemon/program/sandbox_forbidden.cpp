// Acts that must be denied. The arguments are chosen so that a permitted call fails right after the
// permission check, or changes only the child process.
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "base/fd.h"
#include "daemon/program/sandbox.h"

namespace elbowroom::daemon {
namespace {

constexpr long kNobody = 0x454c424f;  // an unused key
constexpr int kVirtualSockets = 40;   // AF_VSOCK

constexpr const char* kSlash = "/";
constexpr const char* kNoKind = "elbowroom-none";
constexpr const char* kNoMount = "/proc/self";
constexpr const char* kNoFile = "/proc/self/none";

using Arguments = std::array<long, 5>;

long address_of(const char* text) {
  return static_cast<long>(reinterpret_cast<std::intptr_t>(text));
}

// Returns whether the kernel permits the call. Any other error comes after that check.
int permission(long number, const Arguments& with) {
  if (::syscall(number, with[0], with[1], with[2], with[3], with[4]) != -1) return 0;
  return errno == EPERM || errno == EACCES ? errno : 0;
}

SandboxAct call(std::string name, long number, Arguments with = {}) {
  return {.name = std::move(name),
          .act = [number, with](const Surroundings&) { return permission(number, with); },
          .call = number};
}

SandboxAct file(std::string name, std::function<int(const Surroundings&)> act) {
  return {.name = std::move(name), .absence_is_denial = true, .act = std::move(act)};
}

// systemd replaces hidden paths with empty ones for privileged readers, so an empty file counts as
// hidden.
int try_read(const std::string& path) {
  const Fd opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!opened.is_open()) return errno;
  char byte = 0;
  const ssize_t got = ::read(opened.get(), &byte, 1);
  if (got < 0) return errno == EAGAIN ? 0 : errno;
  return got == 0 ? EACCES : 0;
}

// Opens for writing and writes nothing. A file that this creates is removed again.
int try_write(const std::string& path) {
  const bool was_there = ::access(path.c_str(), F_OK) == 0;
  const Fd opened(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
  if (!opened.is_open()) return errno;
  if (!was_there) ::unlink(path.c_str());
  return 0;
}

int try_list(const std::string& path) {
  DIR* const folder = ::opendir(path.c_str());
  if (folder == nullptr) return errno;
  int entries = 0;
  while (::readdir(folder) != nullptr) ++entries;  // NOLINT(concurrency-mt-unsafe): one thread
  ::closedir(folder);
  return entries > 2 ? 0 : EACCES;
}

int try_socket(int family, int type, int protocol) {
  const Fd made(::socket(family, type | SOCK_CLOEXEC, protocol));
  return made.is_open() ? 0 : errno;
}

int try_connect(const std::string& path) {
  const Fd made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (!made.is_open()) return errno;
  if (path.size() >= sizeof(address.sun_path)) return ENOENT;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  return ::connect(made.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 ? 0
                                                                                            : errno;
}

// Replaces this child with a shell that does nothing; its exit status is the result.
int try_shell(const char* path) {
  ::execl(path, path, "-c", "exit 0", nullptr);
  return errno;
}

// Runs a script whose interpreter does not exist. Where execution is forbidden, the kernel says so
// before it looks for the interpreter. Never an existing program: one that runs itself would never
// end.
int try_run_from(const std::string& folder) {
  const std::string path = folder + "/.elbowroom-selftest-" + std::to_string(::getpid());
  constexpr std::string_view kText = "#!/.elbowroom-selftest/nowhere\n";
  Fd made(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0700));
  if (!made.is_open()) return errno;
  const bool written = ::write(made.get(), kText.data(), kText.size()) > 0;
  made = Fd();  // a file open for writing cannot be executed
  if (written) ::execl(path.c_str(), path.c_str(), nullptr);
  const int error = errno;
  ::unlink(path.c_str());
  return error == EACCES || error == EPERM ? error : 0;
}

int write_and_execute(const Surroundings&) {
  void* const memory =
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? errno : 0;
}

int make_executable(const Surroundings&) {
  void* const memory =
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 0;
  return ::mprotect(memory, 4096, PROT_READ | PROT_EXEC) == 0 ? 0 : errno;
}

// Returns a file in the first writable folder; "" if there is none.
std::string temporary_file() {
  for (const char* folder : {"/tmp", "/var/tmp", "/dev/shm"}) {
    const std::string path =
        std::string(folder) + "/.elbowroom-selftest-" + std::to_string(::getpid());
    const Fd made(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (made.is_open()) return path;
  }
  return {};
}

int set_user_id(const Surroundings&) {
  const std::string path = temporary_file();
  if (path.empty()) return EACCES;
  const int error = ::chmod(path.c_str(), S_ISUID | 0700) == 0 ? 0 : errno;
  ::unlink(path.c_str());
  return error;
}

int make_device(const Surroundings&) {
  const std::string path = temporary_file();
  if (path.empty()) return EACCES;
  ::unlink(path.c_str());
  const int error = ::mknod(path.c_str(), S_IFCHR | 0600, ::makedev(1, 3)) == 0 ? 0 : errno;
  ::unlink(path.c_str());
  return error;
}

int make_group(const Surroundings&) {
  const std::string path = "/sys/fs/cgroup/elbowroom-selftest-" + std::to_string(::getpid());
  if (::mkdir(path.c_str(), 0700) != 0) return errno;
  ::rmdir(path.c_str());
  return 0;
}

int join_namespace(const Surroundings&) {
  const Fd own(::open("/proc/self/ns/uts", O_RDONLY | O_CLOEXEC));
  return permission(SYS_setns, {own.get(), 0});
}

std::vector<SandboxAct> calls() {
  std::vector<SandboxAct> all = {
      call("mount", SYS_mount, {address_of(kNoKind), address_of(kSlash), address_of(kNoKind)}),
      call("umount", SYS_umount2, {address_of(kNoMount)}),
      call("pivot_root", SYS_pivot_root),
      call("chroot", SYS_chroot, {address_of(kSlash)}),
      call("a user namespace", SYS_unshare, {CLONE_NEWUSER}),
      call("a mount namespace", SYS_unshare, {CLONE_NEWNS}),
      call("a network namespace", SYS_unshare, {CLONE_NEWNET}),
      call("ptrace", SYS_ptrace, {0xffff}),
      call("read another process", SYS_process_vm_readv),
      call("kexec_load", SYS_kexec_load, {0, 0, 0, 0x8000}),
      call("init_module", SYS_init_module),
      call("finit_module", SYS_finit_module, {-1}),
      call("delete_module", SYS_delete_module),
      call("reboot", SYS_reboot),
      call("swapon", SYS_swapon),
      call("swapoff", SYS_swapoff, {address_of(kNoFile)}),
      call("settimeofday", SYS_settimeofday),
      call("clock_settime", SYS_clock_settime),
      call("sethostname", SYS_sethostname, {0, -1}),
      call("setdomainname", SYS_setdomainname, {0, -1}),
      call("add_key", SYS_add_key),
      call("keyctl", SYS_keyctl),
      call("io_uring_setup", SYS_io_uring_setup),
      call("io_setup", SYS_io_setup),
      call("bpf", SYS_bpf),
      call("perf_event_open", SYS_perf_event_open),
      call("userfaultfd", SYS_userfaultfd),
      call("setuid", SYS_setuid),
      call("setgid", SYS_setgid),
      call("setgroups", SYS_setgroups),
      call("acct", SYS_acct, {address_of(kNoFile)}),
      call("quotactl", SYS_quotactl),
      call("shmget", SYS_shmget, {kNobody, 0, 0}),
      call("msgget", SYS_msgget, {kNobody, 0}),
      call("semget", SYS_semget, {kNobody, 0, 0}),
      call("open_by_handle_at", SYS_open_by_handle_at, {-1}),
      call("fanotify_init", SYS_fanotify_init),
      call("the kernel's log", SYS_syslog, {10}),
  };
  all.push_back({.name = "setns", .act = join_namespace, .call = SYS_setns});
  return all;
}

SandboxAct reading(const char* path) {
  return file(std::string("read ") + path, [path](const Surroundings&) { return try_read(path); });
}

SandboxAct writing(const char* path) {
  return file(std::string("write ") + path,
              [path](const Surroundings&) { return try_write(path); });
}

void add_files(SandboxOf of, std::vector<SandboxAct>& all) {
  for (const char* path :
       {"/etc/shadow", "/etc/gshadow", "/etc/kubernetes/admin.conf",
        "/var/lib/kubelet/pki/kubelet-client-current.pem", "/proc/1/environ", "/proc/kcore",
        "/dev/mem", "/dev/kmsg", "/sys/kernel/debug/sched/debug"}) {
    all.push_back(reading(path));
  }
  for (const char* path :
       {"/etc/.elbowroom-selftest", "/usr/.elbowroom-selftest", "/var/.elbowroom-selftest",
        "/opt/.elbowroom-selftest", "/run/.elbowroom-selftest", "/boot/.elbowroom-selftest",
        "/proc/sys/kernel/core_pattern", "/sys/kernel/mm/transparent_hugepage/enabled"}) {
    all.push_back(writing(path));
  }
  all.push_back(file("write its configuration", [](const Surroundings& at) {
    return at.config.empty() ? ENOENT : try_write(at.config);
  }));
  all.push_back(file("write its own program", [](const Surroundings&) {
    // Not opened: a running executable is busy for every caller.
    return ::faccessat(AT_FDCWD, "/proc/self/exe", W_OK, AT_EACCESS) == 0 ? 0 : errno;
  }));
  all.push_back(file("list the homes", [](const Surroundings&) { return try_list("/root"); }));
  all.push_back(file("a signal to systemd",
                     [](const Surroundings&) { return ::kill(1, 0) == 0 ? 0 : errno; }));
  if (of == SandboxOf::Authority) {
    all.push_back(file("systemd's own socket",
                       [](const Surroundings&) { return try_connect("/run/systemd/private"); }));
    all.push_back(file("a bus of its own making", [](const Surroundings&) {
      return try_write("/run/dbus/.elbowroom-selftest");
    }));
    return;
  }
  all.push_back(file("the container runtime", [](const Surroundings&) {
    const int containerd = try_connect("/run/containerd/containerd.sock");
    return containerd == 0 ? 0 : try_connect("/run/crio/crio.sock");
  }));
  // In authority the same user may have systemd size the slices of pods.
  all.push_back(file("the system bus", [](const Surroundings&) {
    return try_connect("/run/dbus/system_bus_socket");
  }));
  all.push_back(file("a control group", make_group));
}

void add_programs(std::vector<SandboxAct>& all) {
  all.push_back(file("run a shell", [](const Surroundings&) {
    const int error = try_shell("/bin/sh");
    return error == ENOENT ? try_shell("/usr/bin/sh") : error;
  }));
  for (const char* folder : {"/tmp", "/var/tmp", "/dev/shm", "/run"}) {
    all.push_back(file(std::string("run what is written to ") + folder,
                       [folder](const Surroundings&) { return try_run_from(folder); }));
  }
  all.push_back(file("run what is written to its state", [](const Surroundings& at) {
    return at.state_folder.empty() ? ENOENT : try_run_from(at.state_folder);
  }));
  all.push_back({.name = "memory that is written and executed", .act = write_and_execute});
  all.push_back({.name = "memory that becomes executable", .act = make_executable});
}

void add_sockets(std::vector<SandboxAct>& all) {
  const auto add = [&](const char* name, int family, int type, int protocol) {
    all.push_back(
        file(name, [=](const Surroundings&) { return try_socket(family, type, protocol); }));
  };
  add("netlink", AF_NETLINK, SOCK_RAW, 0);
  add("packets", AF_PACKET, SOCK_RAW, 0);
  add("raw IP", AF_INET, SOCK_RAW, 1);
  add("virtual sockets", kVirtualSockets, SOCK_STREAM, 0);
}

void add_powers(std::vector<SandboxAct>& all) {
  all.push_back({.name = "a set-user-id file", .act = set_user_id});
  all.push_back({.name = "a device", .act = make_device});
  all.push_back({.name = "real-time priority", .act = [](const Surroundings&) {
                   const sched_param one{.sched_priority = 1};
                   return ::sched_setscheduler(0, SCHED_FIFO, &one) == 0 ? 0 : errno;
                 }});
  all.push_back({.name = "a better priority", .act = [](const Surroundings&) {
                   return ::setpriority(PRIO_PROCESS, 0, -5) == 0 ? 0 : errno;
                 }});
  all.push_back({.name = "another personality",
                 .act = [](const Surroundings&) { return ::personality(8) == -1 ? errno : 0; }});
}

}  // namespace

std::vector<SandboxAct> forbidden_acts(SandboxOf of) {
  std::vector<SandboxAct> all = calls();
  add_files(of, all);
  add_programs(all);
  add_sockets(all);
  add_powers(all);
  return all;
}

}  // namespace elbowroom::daemon
