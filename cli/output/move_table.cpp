#include "cli/output/move_table.h"

#include <vector>

#include "cli/output/table.h"

namespace elbowroom::cli {

std::string move_table(const policy::MovePlan& plan) {
  std::string out;
  if (plan.moves.empty()) {
    out = "no pod would be moved\n";
  } else {
    std::vector<std::vector<std::string>> rows = {
        {"MOVES", "FROM", "TO", "GAIN", "POLICY", "COULD GO TO", "WHY"}};
    for (const policy::Move& each : plan.moves) {
      const std::string others =
          std::to_string(each.could.size()) + (each.could.size() == 1 ? " node" : " nodes");
      rows.push_back({each.pod, each.from, each.expected, std::to_string(each.gain) + "%",
                      std::string(to_string(each.policy)), others, each.why});
    }
    const std::size_t moved = plan.moves.size();
    out = std::to_string(moved) + (moved == 1 ? " pod would be moved" : " pods would be moved");
    const std::size_t blocked = plan.blocked.size();
    if (blocked > 0)
      out += ", " + std::to_string(blocked) + (blocked == 1 ? " is" : " are") + " blocked";
    out += "\n\n" + to_table(rows);
  }
  if (plan.blocked.empty()) return out;
  std::vector<std::vector<std::string>> rows = {{"BLOCKED", "POLICY", "BY"}};
  for (const policy::BlockedMove& each : plan.blocked) {
    rows.push_back({each.pod, std::string(to_string(each.policy)), each.by});
  }
  return out + "\n" + to_table(rows);
}

}  // namespace elbowroom::cli
