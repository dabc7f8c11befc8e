// Reads objects and whole collections of one cluster, a page at a time. It sends only GET, and
// every answer is bounded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/transport/access.h"
#include "api/transport/transport.h"
#include "base/document.h"
#include "base/result.h"
#include "policy/model/time.h"

namespace elbowroom::cli {

// A kind as the API serves it.
struct ClusterKind {
  std::string_view group{};  // "" for the core group
  std::string_view version{};
  std::string_view name{};    // "Pod"
  std::string_view plural{};  // "pods"

  friend bool operator==(const ClusterKind&, const ClusterKind&) = default;
};

// "pods", "poddisruptionbudgets.policy": the resource in a right.
[[nodiscard]] std::string resource_of(const ClusterKind& kind);

struct ListRequest {
  ClusterKind kind{};
  std::string ns{};  // "" for all
  std::string field_selector{};
  std::string label_selector{};
};

// "list pods in namespace default": the verb and resource of a right.
[[nodiscard]] std::string right_for(const ListRequest& ask);

// The answer of a list: its items with kind and apiVersion, as `kubectl get` writes them.
using Listed = Result<std::vector<Value>>;

class ClusterReader {
 public:
  explicit ClusterReader(const api::Access& access);
  // `server`: for messages.
  ClusterReader(std::string server, std::unique_ptr<api::Transport> transport);

  // Errors name the object and the server. NotFound: no such object, or no such kind.
  [[nodiscard]] Result<Value> get(const ClusterKind& kind, const std::string& ns,
                                  const std::string& name);

  // Lists all at once, each in pages; answers in the order of the asks. NotFound: the kind is not
  // served in that version. A list that changes between pages is read again in one piece.
  // Exhausted: a list of more than 1 GiB.
  [[nodiscard]] std::vector<Listed> list(const std::vector<ListRequest>& asks);

  // The server's clock at its last answer to a list; none: it did not say.
  [[nodiscard]] std::optional<policy::Time> server_time() const { return server_time_; }

  // The requests that were sent so far.
  [[nodiscard]] std::int64_t calls() const { return calls_; }

  // "https://host:6443".
  [[nodiscard]] const std::string& server() const { return server_; }

 private:
  struct Listing;
  void fetch_page(Listing& listing);
  [[nodiscard]] Result<void> take_page(Listing& listing, const api::Response& page);
  [[nodiscard]] Error told(const Error& error, const std::string& doing) const;

  std::string server_;
  std::size_t open_ = 0;  // lists in progress
  std::optional<policy::Time> server_time_{};
  std::unique_ptr<api::Transport> transport_;
  std::int64_t calls_ = 0;
};

}  // namespace elbowroom::cli
