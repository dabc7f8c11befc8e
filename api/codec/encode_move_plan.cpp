#include "api/codec/encode_move_plan.h"

#include <utility>
#include <vector>

#include "api/codec/report_text.h"
#include "base/document_text.h"

namespace elbowroom::api {

using report::text;
using report::texts;

Value encode_move_plan(const policy::MovePlan& plan) {
  std::vector<Value> moves;
  for (const policy::Move& each : plan.moves) {
    moves.push_back(map_value({
        member("pod", text(each.pod)),
        member("uid", text(each.uid)),
        member("from", text(each.from)),
        member("policy", text(to_string(each.policy))),
        member("gain", number_value(each.gain)),
        member("could", texts(each.could)),
        member("expected", text(each.expected)),
        member("why", text(each.why)),
    }));
  }
  std::vector<Value> blocked;
  for (const policy::BlockedMove& each : plan.blocked) {
    blocked.push_back(map_value({
        member("pod", text(each.pod)),
        member("uid", text(each.uid)),
        member("policy", text(to_string(each.policy))),
        member("by", text(each.by)),
    }));
  }
  return map_value({
      member("apiVersion", text("elbowroom.dev/v1alpha1")),
      member("kind", text("RescheduleDecision")),
      member("moves", list_value(std::move(moves))),
      member("blocked", list_value(std::move(blocked))),
  });
}

}  // namespace elbowroom::api
