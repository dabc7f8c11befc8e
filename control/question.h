// A question that another thread puts to the reactor's, and waits for the answer a bounded time.
#pragma once

#include <chrono>
#include <future>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "page/page_part.h"

namespace elbowroom::control {

// Why is this pod, pod group or disruption budget as it is? Answered with JSON text; "": there is
// nothing to say of it.
struct Question {
  std::string pod{};    // NAMESPACE/NAME
  std::string group{};  // the same; one of the three
  std::string budget{};
  std::promise<std::string> answer{};
};

// What is there for the page?
struct PageQuestion {
  page::PageAsked asked{};
  std::promise<page::PagePart> answer{};
};

// How is the daemon?
template <class Status>
struct Checkup {
  std::promise<Status> answer{};
};

// nullopt: the reactor did not take the question, or did not answer, in time.
template <class Answer, class Inbox, class Asked>
[[nodiscard]] std::optional<Answer> ask(Inbox& inbox, Asked question) {
  constexpr std::chrono::seconds kAnswerWithin{2};
  std::future<Answer> answer = question.answer.get_future();
  const std::stop_token never;
  const auto until = std::chrono::steady_clock::now() + kAnswerWithin;
  if (!inbox.put(std::move(question), never, until)) return std::nullopt;
  if (answer.wait_for(kAnswerWithin) != std::future_status::ready) return std::nullopt;
  return answer.get();
}

}  // namespace elbowroom::control
