// Extracts the items of a List in protobuf while it arrives, as list_items.h does for JSON. The
// kind of the list must precede its first item; items of another kind are never returned.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "api/codec/wire_fields.h"
#include "api/watch/list_items.h"
#include "base/document.h"
#include "base/result.h"

namespace elbowroom::api {

class ProtobufList {
 public:
  // `kind`: of the items, like "Pod".
  explicit ProtobufList(std::string kind, ListLimits limits = {})
      : kind_(std::move(kind)), limits_(limits) {}

  // Calls f with the message of every complete item; f returns false to stop. Exhausted: a limit;
  // Invalid: bytes that are not such a list. Then nothing more can be fed.
  [[nodiscard]] Result<void> feed(std::string_view bytes,
                                  const std::function<bool(std::string_view)>& f);

  // The list without its items, as its JSON would be: kind and metadata; or the Status received
  // instead of a list. Invalid: it is incomplete.
  [[nodiscard]] Result<Value> head() const;

 private:
  enum class Step { Taken, Wait, Stopped };

  [[nodiscard]] Result<Step> take(std::string_view rest, std::size_t& used,
                                  const std::function<bool(std::string_view)>& f);
  [[nodiscard]] Result<Step> take_field(const WireHead& head, std::string_view rest,
                                        std::size_t& used,
                                        const std::function<bool(std::string_view)>& f);
  [[nodiscard]] Result<void> enter(const WireHead& head);
  [[nodiscard]] bool is_list() const { return named_ == kind_ + "List"; }

  std::string kind_;
  ListLimits limits_;
  std::size_t seen_ = 0;
  std::string waiting_{};  // the beginning of an incomplete field
  bool has_magic_ = false;
  bool is_inside_ = false;  // inside the object
  bool was_inside_ = false;
  bool is_stopped_ = false;
  std::size_t left_ = 0;  // the rest of the object, if inside
  std::string named_{};   // the kind of the envelope
  std::string metadata_{};
  std::string status_{};  // the object, if it is a Status
};

}  // namespace elbowroom::api
