// The output of a driver of this suite: a line for each expectation that was met or missed. A line
// that begins with FAILED makes the driver exit with 1.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "base/result.h"

namespace elbowroom::e2e {

inline int failures = 0;  // of this driver, which has one thread that checks

inline bool check(bool holds, const std::string& what) {
  std::printf("%s %s\n", holds ? "ok    " : "FAILED", what.c_str());
  std::fflush(stdout);
  if (!holds) ++failures;
  return holds;
}

template <class T>
bool check(const Result<T>& result, const std::string& what) {
  return check(result.has_value(), result ? what : what + ": " + result.error().message);
}

// Reports whether every expectation was met; the driver's exit status.
inline int conclude() {
  std::printf("%s\n", failures == 0 ? "all was seen" : "NOT all was seen");
  return failures == 0 ? 0 : 1;
}

// Runs `program VERB DIR` until it ends; its exit status.
inline int run(const std::string& program, const std::string& verb, const std::string& dir) {
  const pid_t child = fork();
  if (child == 0) {
    execl(program.c_str(), program.c_str(), verb.c_str(), dir.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace elbowroom::e2e
