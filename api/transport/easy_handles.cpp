#include "api/transport/easy_handles.h"

#include <utility>

namespace elbowroom::api {
namespace {

// More than are ever busy at once over the permitted connections.
constexpr std::size_t kMostKept = 64;

}  // namespace

EasyHandle::~EasyHandle() {
  if (easy != nullptr) curl_easy_cleanup(easy);
  curl_slist_free_all(connect_to);
}

std::unique_ptr<EasyHandle> EasyHandles::take() {
  if (!kept_.empty()) {
    std::unique_ptr<EasyHandle> handle = std::move(kept_.back());
    kept_.pop_back();
    return handle;
  }
  auto handle = std::make_unique<EasyHandle>();
  handle->easy = curl_easy_init();
  return handle->easy == nullptr ? nullptr : std::move(handle);
}

void EasyHandles::give_back(std::unique_ptr<EasyHandle> handle) {
  if (handle == nullptr || kept_.size() >= kMostKept) return;
  // No pointer to the finished request, and none of its credentials, may remain.
  curl_easy_setopt(handle->easy, CURLOPT_PRIVATE, nullptr);
  curl_easy_setopt(handle->easy, CURLOPT_ERRORBUFFER, nullptr);
  curl_easy_setopt(handle->easy, CURLOPT_HEADERDATA, nullptr);
  curl_easy_setopt(handle->easy, CURLOPT_WRITEDATA, nullptr);
  curl_easy_setopt(handle->easy, CURLOPT_HTTPHEADER, nullptr);
  curl_easy_setopt(handle->easy, CURLOPT_POSTFIELDS, nullptr);
  kept_.push_back(std::move(handle));
}

}  // namespace elbowroom::api
