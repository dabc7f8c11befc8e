// Runs another program without a shell, and returns its output and how it ended. Only the
// destructor blocks, and only until a killed program has ended.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace elbowroom {

struct ProgramCall {
  std::string command{};  // with a slash a file, without one a name looked up in our PATH
  std::vector<std::string> arguments{};    // without the program's own name
  std::vector<std::string> environment{};  // NAME=VALUE; the complete environment
  // Standard input and error are ours, so that a person can answer questions. Otherwise there is no
  // input.
  bool has_terminal = false;
  std::size_t most_output = std::size_t{1} << 20;  // bytes; a program that writes more is killed
};

struct ProgramOutcome {
  int status = 0;           // exit status
  int signal = 0;           // the signal that ended it; 0: none
  std::string output{};     // standard output, whole unless is_overflow
  std::string complaint{};  // the first 4 KiB of standard error
  bool is_overflow = false;
};

class ChildProgram {
 public:
  // NotFound: the program does not exist; Denied: it may not be run; Exhausted: no process or
  // descriptor is available. The child has only the standard descriptors, no blocked or ignored
  // signals and, without a terminal, its own process group.
  [[nodiscard]] static Result<std::unique_ptr<ChildProgram>> start(const ProgramCall& call);

  // Kills the program if it still runs, including its process group.
  ~ChildProgram();
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  // Reads available output. Returns nothing while the program runs. Does not wait for programs that
  // it leaves running in the background.
  [[nodiscard]] std::optional<ProgramOutcome> poll();

  // May be signalled until poll() has returned the outcome; -1 from then on.
  [[nodiscard]] pid_t pid() const { return pid_; }

  // Descriptors that become readable when poll() has something to do; -1 for none.
  [[nodiscard]] std::array<int, 3> descriptors() const {
    return {process_.get(), output_.get(), complaint_.get()};
  }

 private:
  ChildProgram() = default;
  void kill() const;
  void drain();

  pid_t pid_ = -1;  // -1: already waited for
  bool has_group_ = false;
  std::size_t most_output_ = 0;
  Fd process_;
  Fd output_;
  Fd complaint_;
  ProgramOutcome outcome_{};
};

}  // namespace elbowroom
