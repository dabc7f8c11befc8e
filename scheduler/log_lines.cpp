#include "scheduler/log_lines.h"

#include <variant>

#include "scheduler/collections.h"

namespace elbowroom::scheduler {
namespace {

using control::debug_line;
using control::lines_of;
using control::LogLines;

LogLines lines_of(const BindPod& bind) {
  return {{.level = daemon::LogLevel::Debug,
           .message = "binding a pod",
           .pod = name_of(bind.pod),
           .node = bind.node,
           .uid = bind.pod.uid}};
}

LogLines lines_of(const ReadBreaker& /*read*/) {
  return debug_line("reading what the circuit breaker counts");
}

LogLines lines_of(const WriteBreaker& /*write*/) {
  return debug_line("writing what the circuit breaker counts");
}

// Whatever else it can do: no line of its own.
template <class What>
LogLines lines_of(const What&) {
  return {};
}

}  // namespace

LogLines lines_of(const Effect& effect) {
  return std::visit([](const auto& what) { return lines_of(what); }, effect.what);
}

LogLines lines_of(const Observation& seen) {
  return control::lines_of_seen<Collection>(seen, kCollectionTable);
}

}  // namespace elbowroom::scheduler
