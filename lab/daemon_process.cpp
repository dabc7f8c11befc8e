#include "lab/daemon_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/durable_file.h"

namespace elbowroom::lab {

void pause_between_polls() {
  constexpr int kMilliseconds = 5;
  (void)::poll(nullptr, 0, kMilliseconds);
}

Result<DaemonProcess> DaemonProcess::start(const std::string& program,
                                           const std::vector<std::string>& arguments,
                                           const std::string& log_file) {
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  constexpr int kAppend = O_WRONLY | O_CREAT | O_APPEND;
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log_file.c_str(), kAppend, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  // The child does not inherit this process's blocked and ignored signals.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);

  pid_t pid = -1;
  const int failed = posix_spawn(&pid, program.c_str(), &files, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) return std::unexpected(error_of_errno(failed, "start", program));
  return DaemonProcess(pid);
}

DaemonProcess& DaemonProcess::operator=(DaemonProcess&& other) noexcept {
  if (this != &other) {
    kill();
    pid_ = std::exchange(other.pid_, -1);
  }
  return *this;
}

void DaemonProcess::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

Result<int> DaemonProcess::stop(std::chrono::milliseconds patience) {
  if (pid_ <= 0) return failure(Code::NotFound, "stop the agent: it does not run");
  ::kill(pid_, SIGTERM);
  int status = 0;
  const bool ended =
      comes_true([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; }, patience);
  if (!ended) {
    kill();
    return failure(Code::Unavailable, "stop the agent: it did not end in time");
  }
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace elbowroom::lab
