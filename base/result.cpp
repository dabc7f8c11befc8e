#include "base/result.h"

namespace elbowroom {

std::string_view to_string(Code code) {
  switch (code) {
    case Code::Invalid:
      return "Invalid";
    case Code::NotFound:
      return "NotFound";
    case Code::Conflict:
      return "Conflict";
    case Code::Gone:
      return "Gone";
    case Code::Denied:
      return "Denied";
    case Code::Unavailable:
      return "Unavailable";
    case Code::Exhausted:
      return "Exhausted";
    case Code::Internal:
      return "Internal";
  }
  return "Internal";
}

}  // namespace elbowroom
