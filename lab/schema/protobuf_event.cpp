#include "lab/schema/protobuf_event.h"

#include <cstdint>

#include "lab/schema/protobuf_object.h"
#include "lab/schema/wire_bytes.h"

namespace elbowroom::lab {
namespace {

std::string frame_of(std::string_view type, std::string_view enveloped) {
  std::string extension;
  write_bytes(extension, 1, enveloped);
  std::string event;
  write_bytes(event, 1, type);
  write_bytes(event, 2, extension);
  const auto length = static_cast<std::uint32_t>(event.size());
  std::string frame;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    frame.push_back(static_cast<char>(length >> shift & 0xFFU));
  }
  return frame + event;
}

}  // namespace

std::string protobuf_event(std::string_view type, const Kind& kind, const Json& object) {
  return frame_of(type, protobuf_object(kind, object));
}

std::string protobuf_error_event(const Json& status) {
  std::string details;
  write_number(details, 5, integer_at(status, {"details", "retryAfterSeconds"}).value_or(0));
  std::string message;
  write_bytes(message, 1, "");
  write_bytes(message, 2, text_at(status, {"status"}));
  write_bytes(message, 3, text_at(status, {"message"}));
  write_bytes(message, 4, text_at(status, {"reason"}));
  write_bytes(message, 5, details);
  write_number(message, 6, integer_at(status, {"code"}).value_or(0));
  return frame_of("ERROR", protobuf_envelope("v1", "Status", message));
}

}  // namespace elbowroom::lab
