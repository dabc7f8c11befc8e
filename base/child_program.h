// Another program that runs for us, without a shell: its output and how it ended. Nothing here
// waits but the destructor, and that only until a killed process is gone.
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
  std::string command{};  // with a slash a file, without one a name to be found in our PATH
  std::vector<std::string> arguments{};    // without the program's own name
  std::vector<std::string> environment{};  // NAME=VALUE; the whole of it
  // Standard input and error are ours, for a person to answer questions; else there is no input.
  bool has_terminal = false;
  std::size_t most_output = std::size_t{1} << 20;  // bytes; what writes more is killed
};

struct ProgramOutcome {
  int status = 0;           // exit status
  int signal = 0;           // that ended it; 0: it ended by itself
  std::string output{};     // standard output, whole unless is_overflow
  std::string complaint{};  // the first 4 KiB of standard error
  bool is_overflow = false;
};

class ChildProgram {
 public:
  // NotFound: there is no such program; Denied: it may not be run; Exhausted: no process or
  // descriptor to be had. The child has only the standard descriptors, no signal blocked or
  // ignored, and, without a terminal, a process group of its own.
  [[nodiscard]] static Result<std::unique_ptr<ChildProgram>> start(const ProgramCall& call);

  // Kills what still runs, its process group included.
  ~ChildProgram();
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  // Takes what has come. Nothing: it still runs. What it leaves running in the background is not
  // waited for.
  [[nodiscard]] std::optional<ProgramOutcome> poll();

  // Ours to signal until poll() has told the end; -1 from then on.
  [[nodiscard]] pid_t pid() const { return pid_; }

  // Descriptors that become readable when poll() has something to do; -1 for none.
  [[nodiscard]] std::array<int, 3> descriptors() const {
    return {process_.get(), output_.get(), complaint_.get()};
  }

 private:
  ChildProgram() = default;
  void kill() const;
  void drain();

  pid_t pid_ = -1;  // -1: it was waited for
  bool has_group_ = false;
  std::size_t most_output_ = 0;
  Fd process_;
  Fd output_;
  Fd complaint_;
  ProgramOutcome outcome_{};
};

}  // namespace elbowroom
