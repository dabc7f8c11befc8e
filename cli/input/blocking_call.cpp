#include "cli/input/blocking_call.h"

#include <chrono>
#include <optional>
#include <utility>

namespace elbowroom::cli {

Result<api::Response> answered(api::CurlTransport& transport, api::Request request) {
  std::optional<Result<api::Response>> answer;
  transport.send(std::move(request),
                 [&answer](Result<api::Response> got) { answer.emplace(std::move(got)); });
  while (!answer) transport.run_once(std::chrono::seconds(1));
  return *std::move(answer);
}

}  // namespace elbowroom::cli
