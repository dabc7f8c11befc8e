#include "cli/input/blocking_call.h"

#include <chrono>
#include <optional>
#include <utility>

#include "cli/output/progress.h"

namespace elbowroom::cli {
namespace {

constexpr std::chrono::milliseconds kTurn{500};  // a line of progress moves as often

}  // namespace

api::TransportOptions transport_options() {
  api::TransportOptions options;
  options.user_agent = "elbowroom/" ELBOWROOM_VERSION " (linux)";
  return options;
}

Result<api::Response> answered(api::Transport& transport, api::Request request) {
  std::optional<Result<api::Response>> answer;
  transport.send(std::move(request),
                 [&answer](Result<api::Response> got) { answer.emplace(std::move(got)); });
  while (!answer) {
    transport.run_once(kTurn);
    progress().tell_again();
  }
  return *std::move(answer);
}

}  // namespace elbowroom::cli
