#include "base/child_program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>

extern "C" {  // glibc 2.36 does not declare it
#include <sys/pidfd.h>
}

namespace elbowroom {
namespace {

constexpr std::size_t kMostComplaint = 4096;
// A killed program that still runs after this time hangs in the kernel. It is left to init.
constexpr int kKillWaitMs = 1000;

std::unexpected<Error> failed(const std::string& what, int number) {
  const Code code = number == ENOENT                        ? Code::NotFound
                    : number == EACCES || number == ENOEXEC ? Code::Denied
                                                            : Code::Exhausted;
  return failure(code, what + ": " + std::generic_category().message(number));
}

struct Pipe {
  Fd ours{};
  Fd theirs{};
};

Result<Pipe> open_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failed("open a pipe", errno);
  Pipe pipe{Fd(ends[0]), Fd(ends[1])};
  ::fcntl(pipe.ours.get(), F_SETFL, O_NONBLOCK);  // not the child's end: programs expect blocking
  return pipe;
}

// The attributes of the child, destroyed with this object.
class Spawning {
 public:
  Spawning() {
    posix_spawn_file_actions_init(&files_);
    posix_spawnattr_init(&attributes_);
  }
  ~Spawning() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  Spawning(const Spawning&) = delete;
  Spawning& operator=(const Spawning&) = delete;

  void set_files(const Pipe& output, const Pipe& complaint, bool has_terminal) {
    if (!has_terminal) {
      posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    }
    posix_spawn_file_actions_adddup2(&files_, output.theirs.get(), STDOUT_FILENO);
    if (!has_terminal) {
      posix_spawn_file_actions_adddup2(&files_, complaint.theirs.get(), STDERR_FILENO);
    }
    posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1);
  }

  // In its own process group, the child would be stopped as soon as it reads from the terminal.
  void set_attributes(bool has_terminal) {
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    const int group = has_terminal ? 0 : POSIX_SPAWN_SETPGROUP;
    posix_spawnattr_setflags(
        &attributes_, static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group));
  }

  // Returns 0 or an errno value.
  int run(pid_t& pid, const ProgramCall& call) const {
    std::vector<std::string> words = {call.command};
    words.insert(words.end(), call.arguments.begin(), call.arguments.end());
    std::vector<std::string> environment = call.environment;
    return posix_spawnp(&pid, call.command.c_str(), &files_, &attributes_, pointers(words).data(),
                        pointers(environment).data());
  }

 private:
  // Pointers as C requires them: mutable, although nothing writes to them, and null-terminated.
  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (std::string& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
  }

  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

// True while more may come.
bool read_into(const Fd& from, std::string& into, std::size_t most, bool& is_overflow) {
  std::array<char, 16'384> piece{};
  while (true) {
    const ssize_t got = ::read(from.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN;
    if (got == 0) return false;
    const auto room = most - std::min(most, into.size());
    const auto size = static_cast<std::size_t>(got);
    into.append(piece.data(), std::min(room, size));
    if (size > room) is_overflow = true;
    if (size > room && room == 0) return true;  // read in pieces, so that a flood cannot block us
  }
}

}  // namespace

Result<std::unique_ptr<ChildProgram>> ChildProgram::start(const ProgramCall& call) {
  ASSIGN_OR_RETURN(Pipe output, open_pipe());
  ASSIGN_OR_RETURN(Pipe complaint, open_pipe());
  Spawning spawning;
  spawning.set_files(output, complaint, call.has_terminal);
  spawning.set_attributes(call.has_terminal);
  auto program = std::unique_ptr<ChildProgram>(new ChildProgram());
  if (const int number = spawning.run(program->pid_, call); number != 0) {
    program->pid_ = -1;
    return failed(call.command, number);
  }
  program->has_group_ = !call.has_terminal;
  program->most_output_ = call.most_output;
  program->process_ = Fd(::pidfd_open(program->pid_, 0));
  if (!program->process_.is_open()) return failed(call.command + ": follow its end", errno);
  program->output_ = std::move(output.ours);
  program->complaint_ = std::move(complaint.ours);
  return program;
}

ChildProgram::~ChildProgram() {
  if (pid_ < 0) return;
  kill();
  pollfd end{.fd = process_.get(), .events = POLLIN, .revents = 0};
  if (process_.is_open()) ::poll(&end, 1, kKillWaitMs);
  ::waitpid(pid_, nullptr, WNOHANG);
}

// The pid is ours until the program has been waited for, so no other process can be hit.
void ChildProgram::kill() const { ::kill(has_group_ ? -pid_ : pid_, SIGKILL); }

void ChildProgram::drain() {
  bool is_cut = false;  // a long error output is not a failure
  if (output_.is_open() &&
      !read_into(output_, outcome_.output, most_output_, outcome_.is_overflow)) {
    output_ = Fd();
  }
  if (complaint_.is_open() && !read_into(complaint_, outcome_.complaint, kMostComplaint, is_cut)) {
    complaint_ = Fd();
  }
}

std::optional<ProgramOutcome> ChildProgram::poll() {
  if (pid_ < 0) return outcome_;
  // Checked before the pipes are emptied: what the program wrote before its end is in them then.
  pollfd end{.fd = process_.get(), .events = POLLIN, .revents = 0};
  bool is_over = ::poll(&end, 1, 0) > 0;
  drain();
  if (outcome_.is_overflow && !is_over) {
    kill();
    is_over = ::poll(&end, 1, kKillWaitMs) > 0;
  }
  if (!is_over) return std::nullopt;
  int how = 0;
  if (::waitpid(pid_, &how, WNOHANG) != pid_) return std::nullopt;
  pid_ = -1;
  process_ = Fd();
  output_ = Fd();
  complaint_ = Fd();
  if (WIFEXITED(how)) outcome_.status = WEXITSTATUS(how);
  if (WIFSIGNALED(how)) outcome_.signal = WTERMSIG(how);
  return outcome_;
}

}  // namespace elbowroom
