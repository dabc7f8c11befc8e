#include "lab/virtual/fault_text.h"

#include <cerrno>

namespace elbowroom::lab {

std::string to_string(const ApiFault& fault) {
  switch (fault.kind) {
    case ApiFault::Kind::Refused:
      return "Refused";
    case ApiFault::Kind::Hang:
      return "Hang";
    case ApiFault::Kind::Slow:
      return "Slow";
    case ApiFault::Kind::HalfReply:
      return "HalfReply";
    case ApiFault::Kind::Status:
      return "Status/" + std::to_string(fault.code) +
             (fault.retry_after.count() > 0 ? "/Retry-After" : "");
    case ApiFault::Kind::LostReply:
      return "LostReply";
    case ApiFault::Kind::WatchSilent:
      return "WatchSilent";
    case ApiFault::Kind::WatchClosed:
      return fault.delay.count() > 0 ? "WatchBroken" : "WatchClosed";
    case ApiFault::Kind::WatchStale:
      return "WatchStale";
    case ApiFault::Kind::WatchGone:
      return "WatchGone";
    case ApiFault::Kind::WatchGoneEvent:
      return "WatchGoneEvent";
    case ApiFault::Kind::Duplicate:
      return "Duplicate";
    case ApiFault::Kind::Reordered:
      return "Reordered";
  }
  return "?";
}

std::string to_string(const RuntimeFault& fault) {
  switch (fault.kind) {
    case RuntimeFault::Kind::Hang:
      return "RuntimeHang";
    case RuntimeFault::Kind::Late:
      return "RuntimeLate";
    case RuntimeFault::Kind::AppliedButError:
      return "RuntimeAppliedButError";
    case RuntimeFault::Kind::NotApplied:
      return "RuntimeNotApplied";
    case RuntimeFault::Kind::Restart:
      return "RuntimeRestart";
  }
  return "?";
}

std::string to_string(const DiskFault& fault) {
  std::string name = fault.error == ENOSPC ? "ENOSPC" : "EIO";
  switch (fault.call) {
    case DiskCall::Open:
      return name + "/open";
    case DiskCall::Write:
      return name + "/write";
    case DiskCall::Fsync:
      return name + "/fsync";
    case DiskCall::Rename:
      return name + "/rename";
  }
  return name;
}

}  // namespace elbowroom::lab
