// The log of a daemon: created once in main, passed on by reference. Only wiring and main write to
// it; all other code returns an error or an observation.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

#include "daemon/log/journal_socket.h"
#include "daemon/log/log_line.h"

namespace elbowroom::daemon {

// Any thread may write. Lines are written to standard error or to the journal. A line that cannot
// be written is lost; no call blocks.
class Log {
 public:
  // `program` is the identifier in the journal, which listens at `journal`. If there is no journal,
  // format Journal becomes Text, and a line reports that.
  Log(std::string_view program, LogFormat format, LogLevel least,
      std::string_view journal = kJournalSocket);
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  ~Log();  // writes the counts of folded lines

  // `message`: lower case, no full stop, no names of objects; names are fields.
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

  // Writes the counts of folded lines that are due. A running loop calls it from time to time, so
  // that a count does not wait for the next line.
  void flush();

  // Returns how many lines were counted instead of written so far.
  [[nodiscard]] std::uint64_t suppressed() const;

 private:
  struct Backend;
  std::unique_ptr<Backend> backend_;
};

}  // namespace elbowroom::daemon
