#include "cli/output/move_explanation_text.h"

#include <cstdint>
#include <string_view>
#include <utility>

#include "api/codec/json.h"
#include "cli/output/wrapped_text.h"

namespace elbowroom::cli {
namespace {

using api::text_at;

std::string budget_in_words(const Value& budget) {
  const std::int64_t allowed = api::integer_at(budget, "disruptionsAllowed");
  std::string words = std::string(text_at(budget, "budget")) + " allows " +
                      std::to_string(allowed) +
                      (allowed == 1 ? " disruption now" : " disruptions now");
  if (const auto next = text_at(budget, "nextAllowedTime"); !next.empty()) {
    words += ", and the next at " + std::string(next);
  }
  return words;
}

}  // namespace

bool is_move_explanation(const Value& document) {
  return text_at(document, "kind") == "BudgetsOfPod";
}

std::string move_explanation_text(const Value& document) {
  std::string out = titled_row("pod", std::string(text_at(document, "pod")));
  if (const Value* move = document.find("move")) {
    out += titled_row("move", text_at(*move, "why"));
    if (const auto owner = text_at(*move, "owner"); !owner.empty()) {
      const auto until = text_at(*move, "ownerRestsUntil");
      out += titled_row("owner", std::string(owner) +
                                     (until.empty() ? ", which may be moved"
                                                    : ", which rests until " + std::string(until)));
    }
  }
  const Value* budgets = document.find("budgets");
  if (budgets == nullptr || budgets->items.empty()) return out + titled_row("budgets", "none");
  std::string_view title = "budgets";
  for (const Value& each : budgets->items) {
    out += titled_row(std::exchange(title, ""), budget_in_words(each));
  }
  return out;
}

}  // namespace elbowroom::cli
