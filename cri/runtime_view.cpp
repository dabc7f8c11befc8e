#include "cri/runtime_view.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace elbowroom::cri {
namespace {

template <class Entry>
bool is_later(const Entry& a, const Entry& b) {
  return std::tie(a.attempt, a.created_at_ns, a.id) > std::tie(b.attempt, b.created_at_ns, b.id);
}

// A running container's sizes are read again when the container, its state or its start time is
// new. An ended container has no sizes.
bool is_settled(const RuntimeContainer& known, const RuntimeContainer& listed) {
  return known.state == listed.state && known.attempt == listed.attempt &&
         known.created_at_ns == listed.created_at_ns;
}

// The listed container, plus what only its status contains.
RuntimeContainer merged(const RuntimeContainer& listed, const RuntimeContainer& status) {
  RuntimeContainer container = listed;
  container.state = status.state;
  container.started_at_ns = status.started_at_ns;
  container.finished_at_ns = status.finished_at_ns;
  container.exit_code = status.exit_code;
  container.reason = status.reason;
  container.message = status.message;
  container.resources = status.resources;
  return container;
}

}  // namespace

const RuntimePod* RuntimeView::find(std::string_view uid) const {
  const auto at = pods.find(uid);
  return at == pods.end() ? nullptr : &at->second;
}

const RuntimeContainer* RuntimeView::find(std::string_view uid, std::string_view container) const {
  const RuntimePod* pod = find(uid);
  if (pod == nullptr) return nullptr;
  const auto at = pod->containers.find(container);
  return at == pod->containers.end() ? nullptr : &at->second;
}

RuntimeView view_of(const std::vector<Sandbox>& sandboxes,
                    const std::vector<RuntimeContainer>& containers) {
  RuntimeView view;
  std::map<std::string_view, const Sandbox*> latest;  // by pod uid
  for (const Sandbox& sandbox : sandboxes) {
    if (sandbox.pod_uid.empty()) {
      ++view.unlabelled;
      continue;
    }
    const Sandbox*& held = latest[sandbox.pod_uid];
    if (held == nullptr || is_later(sandbox, *held)) held = &sandbox;
  }
  for (const auto& [uid, sandbox] : latest) {
    view.pods.emplace(
        uid,
        RuntimePod{sandbox->pod_uid, sandbox->ns, sandbox->name, sandbox->id, sandbox->state, {}});
  }
  for (const RuntimeContainer& container : containers) {
    const auto pod = view.pods.find(container.pod_uid);
    if (container.name.empty() || pod == view.pods.end()) {
      ++view.unlabelled;
      continue;
    }
    const auto [held, is_first] = pod->second.containers.try_emplace(container.name, container);
    if (!is_first && is_later(container, held->second)) held->second = container;
  }
  return view;
}

void RuntimePoll::expect(const std::string& container_id) { known_.erase(container_id); }

void RuntimePoll::expect_all() { known_.clear(); }

Result<RuntimeView> RuntimePoll::poll(std::chrono::milliseconds deadline) {
  const auto end = std::chrono::steady_clock::now() + 5 * deadline;
  ASSIGN_OR_RETURN(const std::vector<Sandbox> sandboxes, client_.list_sandboxes(deadline));
  ASSIGN_OR_RETURN(const std::vector<RuntimeContainer> listed, client_.list_containers(deadline));
  RuntimeView view = view_of(sandboxes, listed);

  std::map<std::string, RuntimeContainer, std::less<>> asked;
  for (auto& [uid, pod] : view.pods) {
    for (auto at = pod.containers.begin(); at != pod.containers.end();) {
      RuntimeContainer& container = at->second;
      const auto known = known_.find(container.id);
      if (known != known_.end() && is_settled(known->second, container)) {
        container = merged(container, known->second);
      } else {
        if (std::chrono::steady_clock::now() > end) {
          return failure(Code::Unavailable,
                         "poll runtime: it answers, but too slowly to see all of "
                         "its containers");
        }
        Result<RuntimeContainer> status = client_.container_status(container.id, deadline);
        if (!status && status.error().code == Code::NotFound) {
          at = pod.containers.erase(at);
          continue;
        }
        if (!status) return std::unexpected(std::move(status).error());
        container = merged(container, *status);
      }
      asked.insert_or_assign(container.id, container);
      ++at;
    }
  }
  known_ = std::move(asked);
  return view;
}

}  // namespace elbowroom::cri
