// Cuts the items out of a List in protobuf while it is still coming, as list_items.h does for JSON.
// What kind of list it is has to be said before the first item; what is an item of another one is
// never handed out.
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
  // `kind`: of the items, "Pod".
  explicit ProtobufList(std::string kind, ListLimits limits = {})
      : kind_(std::move(kind)), limits_(limits) {}

  // Calls f with the message of every item that is complete; f answers false to stop. Exhausted: a
  // limit; Invalid: bytes that are no such list. Nothing more can be fed then.
  [[nodiscard]] Result<void> feed(std::string_view bytes,
                                  const std::function<bool(std::string_view)>& f);

  // The list without its items, as its JSON would be: kind and metadata; or the Status that came in
  // place of a list. Invalid: it is not complete.
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
  std::string waiting_{};  // the beginning of what is not whole yet
  bool has_magic_ = false;
  bool is_inside_ = false;  // of the object
  bool was_inside_ = false;
  bool is_stopped_ = false;
  std::size_t left_ = 0;  // of the object, where inside
  std::string named_{};   // the kind of the envelope
  std::string metadata_{};
  std::string status_{};  // the object, where it is a Status
};

}  // namespace elbowroom::api
