#include "agent/checkpoint/state_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace elbowroom::agent {
namespace {

std::unexpected<Error> refused(Code code, const std::string& directory, const std::string& why) {
  return failure(code, "state directory " + directory + ": " + why);
}

std::string reason() { return std::generic_category().message(errno); }

}  // namespace

Result<Fd> lock_state(const std::string& directory) {
  // If a parent cannot be created, neither can the last part, whose error is reported.
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(directory).parent_path(), ignored);
  const bool made = ::mkdir(directory.c_str(), 0700) == 0 || errno == EEXIST;
  const std::string why_not = made ? "" : reason();
  Fd lock(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock.is_open()) {
    return refused(
        Code::Invalid, directory,
        (made ? "it cannot be opened: " + reason() : "it cannot be made: " + why_not) +
            ": make it a directory of the user that elbowroomd runs as, or set stateDir");
  }
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno == EWOULDBLOCK) {
    return refused(Code::Unavailable, directory,
                   "another agent uses it, and two would overwrite each other's allocations: stop "
                   "that one, or set stateDir to another directory");
  }
  return refused(
      Code::Invalid, directory,
      "it cannot be locked: " + reason() + ": set stateDir to a directory on a local file system");
}

}  // namespace elbowroom::agent
