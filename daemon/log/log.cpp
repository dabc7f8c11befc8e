#include "daemon/log/log.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <chrono>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "daemon/log/log_folding.h"

namespace elbowroom::daemon {
namespace {

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return spdlog::level::debug;
    case LogLevel::Info:
      return spdlog::level::info;
    case LogLevel::Warn:
      return spdlog::level::warn;
    case LogLevel::Error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

LogLevel level_of(spdlog::level::level_enum level) {
  if (level <= spdlog::level::debug) return LogLevel::Debug;
  if (level == spdlog::level::warn) return LogLevel::Warn;
  return level >= spdlog::level::err ? LogLevel::Error : LogLevel::Info;
}

// Folds lines and passes the rest to the sink that writes. The lock of base_sink guards its state.
class FoldingSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  FoldingSink(LogFormat format, std::string name, spdlog::sink_ptr writes)
      : format_(format), name_(std::move(name)), writes_(std::move(writes)) {}

  void drain() {
    const std::scoped_lock lock(mutex_);
    pass_on(folding_.due(LogFolding::Time::max()));
  }

  [[nodiscard]] std::uint64_t suppressed() {
    const std::scoped_lock lock(mutex_);
    return folding_.suppressed();
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& msg) override {
    const std::string text(msg.payload.data(), msg.payload.size());
    pass_on(folding_.add(level_of(msg.level), text, LogFolding::Time::clock::now()));
  }
  void flush_() override {
    pass_on(folding_.due(LogFolding::Time::clock::now()));
    writes_->flush();
  }
  void set_formatter_(std::unique_ptr<spdlog::formatter> formatter) override {
    writes_->set_formatter(std::move(formatter));
  }

 private:
  void pass_on(const std::vector<LogFolding::Line>& lines) {
    for (const LogFolding::Line& line : lines) {
      const std::string text = with_repeats(format_, line.text, line.repeats);
      writes_->log({name_, spdlog_level(line.level), text});
    }
  }

  const LogFormat format_;
  const std::string name_;
  const spdlog::sink_ptr writes_;
  LogFolding folding_;
};

// The lock of FoldingSink protects it.
class JournalSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  JournalSink(JournalSocket socket, const std::string& program)
      : socket_(std::move(socket)), first_("SYSLOG_IDENTIFIER=" + program + "\n") {}

 protected:
  void sink_it_(const spdlog::details::log_msg& msg) override {
    (void)socket_.send(first_ + std::string(msg.payload.data(), msg.payload.size()) + "\n");
  }
  void flush_() override {}

 private:
  const JournalSocket socket_;
  const std::string first_;
};

// The journal adds the time itself; only JSON has the braces.
const char* pattern_of(LogFormat format) {
  switch (format) {
    case LogFormat::Json:
      return R"({"ts":"%Y-%m-%dT%H:%M:%S.%eZ",%v})";
    case LogFormat::Text:
      return "%Y-%m-%dT%H:%M:%S.%eZ %v";
    case LogFormat::Journal:
      return "%v";
  }
  return "%v";
}

}  // namespace

struct Log::Backend {
  LogFormat format = LogFormat::Text;
  std::shared_ptr<FoldingSink> sink;  // shared because spdlog requires it
  spdlog::logger logger;

  Backend(const std::string& program, LogFormat wanted, LogLevel least, spdlog::sink_ptr writes)
      : format(wanted),
        sink(std::make_shared<FoldingSink>(wanted, program, std::move(writes))),
        logger(program, sink) {
    logger.set_formatter(std::make_unique<spdlog::pattern_formatter>(
        pattern_of(wanted), spdlog::pattern_time_type::utc));
    logger.set_level(spdlog_level(least));
    logger.set_error_handler([](const std::string&) {});  // the line is lost, see log.h
  }
};

Log::Log(std::string_view program, LogFormat format, LogLevel least, std::string_view journal) {
  const std::string name(program);
  Result<JournalSocket> socket = failure(Code::Unavailable, "");
  if (format == LogFormat::Journal) socket = JournalSocket::open(journal);
  if (socket) {
    backend_ = std::make_unique<Backend>(name, format, least,
                                         std::make_shared<JournalSink>(*std::move(socket), name));
    return;
  }
  const bool is_missing = format == LogFormat::Journal;
  backend_ = std::make_unique<Backend>(name, is_missing ? LogFormat::Text : format, least,
                                       std::make_shared<spdlog::sinks::stderr_sink_st>());
  if (is_missing) {
    warn("there is no journal: logging text to standard error", {{"err", socket.error().message}});
  }
}

Log::~Log() { backend_->sink->drain(); }

void Log::write(LogLevel level, std::string_view message, std::span<const Field> fields) {
  if (!backend_->logger.should_log(spdlog_level(level))) return;
  const std::string line = format_line(backend_->format, level, message, fields);
  backend_->logger.log(spdlog_level(level), spdlog::string_view_t(line.data(), line.size()));
}

std::uint64_t Log::suppressed() const { return backend_->sink->suppressed(); }
void Log::set_level(LogLevel least) { backend_->logger.set_level(spdlog_level(least)); }

void Log::flush() { backend_->logger.flush(); }

}  // namespace elbowroom::daemon
