#include "api/write/debit.h"

#include "api/codec/json.h"
#include "api/codec/ledger_entries.h"
#include "api/transport/url.h"

namespace elbowroom::api {

std::string budgets_path(const std::string& ns) {
  return "/apis/elbowroom.dev/v1alpha1/namespaces/" + percent_encoded(ns) + "/disruptionbudgets";
}

std::string budget_path(const ObjectRef& budget) {
  return budgets_path(budget.ns) + "/" + percent_encoded(budget.name);
}

Result<Request> debit_request(const ObjectRef& budget, const std::string& version,
                              const policy::Ledger& ledger) {
  if (budget.ns.empty() || budget.name.empty() || budget.uid.empty() || version.empty()) {
    return failure(Code::Internal, "a debit needs the budget's namespace, name, uid and version");
  }
  Request request;
  request.method = Method::Patch;
  request.path = budget_path(budget) + "/status";
  request.content_type = kMergePatch;
  request.body = api::to_json(json_map(
      {{"metadata",
        json_map({{"uid", json_text(budget.uid)}, {"resourceVersion", json_text(version)}})},
       {"status", json_map({{"recentDisruptions", encode_ledger(ledger)}})}}));
  return request;
}

}  // namespace elbowroom::api
