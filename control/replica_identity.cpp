#include "control/replica_identity.h"

#include <random>
#include <string_view>

#include "base/host_name.h"

namespace elbowroom::control {

std::string replica_identity() {
  std::random_device dice;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string uuid = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx";  // version 4
  for (char& each : uuid) {
    if (each == 'x') each = kDigits[dice() % kDigits.size()];
    if (each == 'y') each = kDigits[8 + dice() % 4];
  }
  return host_name() + "_" + uuid;
}

}  // namespace elbowroom::control
