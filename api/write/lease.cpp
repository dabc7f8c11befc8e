#include "api/write/lease.h"

#include <algorithm>
#include <limits>

#include "api/codec/decode_common.h"
#include "api/codec/field.h"
#include "api/codec/json.h"
#include "api/codec/timestamp.h"

namespace elbowroom::api {
namespace {

Result<policy::Time> time_of(const Field& spec, std::string_view key) {
  ASSIGN_OR_RETURN(const auto time, spec.time(key));
  return time.value_or(policy::Time{});
}

Result<Lease> decode(const Value& object) {
  const Field root(object);
  ASSIGN_OR_RETURN(Metadata metadata, decode_metadata(root));
  Lease lease{.uid = std::move(metadata.uid),
              .resource_version = std::move(metadata.resource_version)};
  ASSIGN_OR_RETURN(const Field spec, root.get("spec"));
  if (!spec.present()) return lease;
  using Int32 = std::numeric_limits<std::int32_t>;
  ASSIGN_OR_RETURN(lease.holder, spec.text("holderIdentity"));
  ASSIGN_OR_RETURN(const auto duration,
                   spec.integer("leaseDurationSeconds", Int32::min(), Int32::max()));
  lease.duration_seconds = std::max<std::int64_t>(0, duration.value_or(0));
  ASSIGN_OR_RETURN(const auto transitions,
                   spec.integer("leaseTransitions", Int32::min(), Int32::max()));
  lease.transitions = transitions.value_or(0);
  ASSIGN_OR_RETURN(lease.acquired, time_of(spec, "acquireTime"));
  ASSIGN_OR_RETURN(lease.renewed, time_of(spec, "renewTime"));
  return lease;
}

}  // namespace

Result<Lease> decode_lease(const Value& object) {
  auto decoded = decode(object);
  if (!decoded) {
    return std::unexpected(decoded.error().with("lease " + name_in_errors(object, true)));
  }
  return decoded;
}

std::string lease_body(std::string_view ns, std::string_view name, const Lease& lease) {
  Value metadata =
      json_map({{"namespace", json_text(std::string(ns))}, {"name", json_text(std::string(name))}});
  if (!lease.resource_version.empty()) {
    set_member(metadata, "resourceVersion", json_text(lease.resource_version));
    set_member(metadata, "uid", json_text(lease.uid));
  }
  return to_json(json_map(
      {{"apiVersion", json_text("coordination.k8s.io/v1")},
       {"kind", json_text("Lease")},
       {"metadata", std::move(metadata)},
       {"spec", json_map({{"holderIdentity", json_text(lease.holder)},
                          {"leaseDurationSeconds", json_number(lease.duration_seconds)},
                          {"acquireTime", json_text(format_micro_timestamp(lease.acquired))},
                          {"renewTime", json_text(format_micro_timestamp(lease.renewed))},
                          {"leaseTransitions", json_number(lease.transitions)}})}}));
}

}  // namespace elbowroom::api
