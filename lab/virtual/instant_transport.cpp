#include "lab/virtual/instant_transport.h"

#include <algorithm>
#include <utility>

#include "api/transport/http_date.h"
#include "lab/virtual/virtual_transport.h"

namespace elbowroom::lab {

void InstantTransport::send(api::Request request, Done done) {
  post([this, request = std::move(request), done = std::move(done)]() mutable {
    api::Response response = response_of(service_.answer(request_of(request)));
    response.date = api::format_http_date(clock_.wall);
    done(std::move(response));
  });
}

api::Ticket InstantTransport::stream(api::Request request, api::StreamCallbacks callbacks) {
  const bool is_watch =
      std::ranges::any_of(request.query, [](const auto& each) { return each.first == "watch"; });
  if (!is_watch) {
    send(std::move(request), std::move(callbacks.done));
    return {};
  }
  post([done = std::move(callbacks.done)]() mutable {
    done(failure(Code::Invalid, "this server has no watches"));
  });
  return {};
}

api::Ticket InstantTransport::after(api::Clock::duration /*delay*/,
                                    std::move_only_function<void()> f) {
  post(std::move(f));
  return {};
}

void InstantTransport::post(std::move_only_function<void()> f) { posted_.push_back(std::move(f)); }

void InstantTransport::run_once(api::Clock::duration /*max_wait*/) {
  for (std::size_t left = posted_.size(); left > 0; --left) {
    auto f = std::move(posted_.front());
    posted_.pop_front();
    f();
  }
}

}  // namespace elbowroom::lab
