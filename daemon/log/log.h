// The log of a daemon: made once in main, handed on by reference. Only wiring and main write to it;
// everybody else returns an error or an observation.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

#include "daemon/log/journal_socket.h"
#include "daemon/log/log_line.h"

namespace elbowroom::daemon {

// Any thread may write. Lines go to standard error, or to the journal; a line that cannot be
// written is lost, and nothing waits for it.
class Log {
 public:
  // `program` is the identifier in the journal, which listens at `journal`. Journal where there is
  // no journal becomes Text, with a line that says so.
  Log(std::string_view program, LogFormat format, LogLevel least,
      std::string_view journal = kJournalSocket);
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  ~Log();  // writes the counts of folded lines

  // `message`: lower case, no full stop; no names of objects, these are fields.
  void write(LogLevel level, std::string_view message, std::span<const Field> fields);

  void debug(std::string_view message, std::initializer_list<Field> fields = {}) {
    write(LogLevel::Debug, message, fields);
  }
  void info(std::string_view message, std::initializer_list<Field> fields = {}) {
    write(LogLevel::Info, message, fields);
  }
  void warn(std::string_view message, std::initializer_list<Field> fields = {}) {
    write(LogLevel::Warn, message, fields);
  }
  void error(std::string_view message, std::initializer_list<Field> fields = {}) {
    write(LogLevel::Error, message, fields);
  }

  // Any thread may call it.
  void set_level(LogLevel least);

  // Writes the counts of folded lines that are due. To be called now and then by a loop that turns
  // anyway, so that a count does not wait for the next line.
  void flush();

  // Lines that were counted instead of written, so far.
  [[nodiscard]] std::uint64_t suppressed() const;

 private:
  struct Backend;
  std::unique_ptr<Backend> backend_;
};

}  // namespace elbowroom::daemon
