#include "api/watch/protobuf_list.h"

#include <algorithm>
#include <utility>

#include "api/codec/json.h"
#include "api/codec/protobuf_object.h"

namespace elbowroom::api {
namespace {

constexpr std::size_t kMaxKind = 256;

constexpr std::uint32_t kTypeMeta = 1;  // of the envelope
constexpr std::uint32_t kRaw = 2;
constexpr std::uint32_t kMetadata = 1;  // of a list
constexpr std::uint32_t kItems = 2;

std::unexpected<Error> too_large(std::string_view what, std::size_t limit) {
  return failure(Code::Exhausted,
                 std::string(what) + " is larger than " + std::to_string(limit) + " bytes");
}

}  // namespace

Result<void> ProtobufList::feed(std::string_view bytes,
                                const std::function<bool(std::string_view)>& f) {
  if (is_stopped_) return {};
  seen_ += bytes.size();
  if (limits_.before + seen_ > limits_.bytes) return too_large("the list", limits_.bytes);
  // Most chunks are read in place; an incomplete field waits for the next chunk.
  std::string_view rest = bytes;
  const bool waited = !waiting_.empty();
  if (waited) {
    waiting_ += bytes;
    rest = waiting_;
  }
  while (!is_stopped_) {
    std::size_t used = 0;
    ASSIGN_OR_RETURN(const Step step, take(rest, used, f));
    rest.remove_prefix(used);
    if (step == Step::Wait) break;
    is_stopped_ = step == Step::Stopped;
  }
  if (waited) {
    waiting_.erase(0, waiting_.size() - rest.size());
  } else {
    waiting_ = rest;
  }
  return {};
}

Result<ProtobufList::Step> ProtobufList::take(std::string_view rest, std::size_t& used,
                                              const std::function<bool(std::string_view)>& f) {
  if (!has_magic_) {
    if (rest.size() < kProtobufMagic.size()) return Step::Wait;
    if (!rest.starts_with(kProtobufMagic)) {
      return failure(Code::Invalid, "the list does not begin as Kubernetes' protobuf does");
    }
    has_magic_ = true;
    used = kProtobufMagic.size();
    return Step::Taken;
  }
  if (is_inside_ && left_ == 0) is_inside_ = false;
  if (rest.empty()) return Step::Wait;
  ASSIGN_OR_RETURN(const auto head, wire_head(rest));
  if (!head) return Step::Wait;
  if (is_inside_ && head->length + head->size > left_) {
    return failure(Code::Invalid, "the protobuf is broken: an item reaches beyond its list");
  }
  if (!is_inside_ && head->number == kRaw && head->type == WireType::Bytes && is_list()) {
    RETURN_IF_ERROR(enter(*head));
    used = head->length;
    return Step::Taken;
  }
  return take_field(*head, rest, used, f);
}

// Does not wait until the object is complete.
Result<void> ProtobufList::enter(const WireHead& head) {
  if (std::exchange(was_inside_, true)) {
    return failure(Code::Invalid, "the envelope has two objects");
  }
  if (head.size > limits_.bytes) return too_large("the list", limits_.bytes);
  is_inside_ = true;
  left_ = head.size;
  return {};
}

Result<ProtobufList::Step> ProtobufList::take_field(
    const WireHead& head, std::string_view rest, std::size_t& used,
    const std::function<bool(std::string_view)>& f) {
  const bool is_item = is_inside_ && head.number == kItems;
  const std::size_t limit = is_item ? limits_.item_bytes : limits_.head_bytes;
  if (head.size > limit) {
    return too_large(is_item ? "an item of the list" : "the head of the list", limit);
  }
  if (rest.size() < head.length + head.size) return Step::Wait;
  used = head.length + head.size;
  if (is_inside_) left_ -= used;
  if (head.type != WireType::Bytes) return Step::Taken;
  const std::string_view bytes = rest.substr(head.length, head.size);
  if (is_item) return f(bytes) ? Step::Taken : Step::Stopped;
  if (is_inside_) {
    if (head.number == kMetadata) metadata_ = bytes;
    return Step::Taken;
  }
  if (head.number == kTypeMeta) {
    ASSIGN_OR_RETURN(const Value type, protobuf_message("TypeMeta", bytes));
    named_ = text_at(type, "kind").substr(0, kMaxKind);
    return Step::Taken;
  }
  if (head.number != kRaw) return Step::Taken;
  if (named_ != "Status") {
    return failure(Code::Invalid, "the body is no " + kind_ + "List but \"" + named_ + "\"");
  }
  status_ = bytes;
  was_inside_ = true;
  return Step::Taken;
}

Result<Value> ProtobufList::head() const {
  const bool is_whole = was_inside_ && waiting_.empty() && (!is_inside_ || left_ == 0);
  if (!is_whole) return failure(Code::Invalid, "the list ends in the middle");
  if (!is_list()) {
    ASSIGN_OR_RETURN(Value status, protobuf_message("Status", status_));
    set_member(status, "kind", json_text("Status"));
    return status;
  }
  ASSIGN_OR_RETURN(Value metadata, protobuf_message("ListMeta", metadata_));
  return json_map({{"kind", json_text(named_)}, {"metadata", std::move(metadata)}});
}

}  // namespace elbowroom::api
