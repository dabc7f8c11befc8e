// Reuses libcurl's handles for single requests: setting one up costs more than what differs from
// request to request. A handle that was set up for an earlier way to the server has another number,
// and is set up again.
#pragma once

#include <curl/curl.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace elbowroom::api {

struct EasyHandle {
  EasyHandle() = default;
  ~EasyHandle();
  EasyHandle(const EasyHandle&) = delete;
  EasyHandle& operator=(const EasyHandle&) = delete;

  CURL* easy = nullptr;
  curl_slist* connect_to = nullptr;  // libcurl reads it for every request
  std::uint64_t set_up_for = 0;      // which way to the server; 0: none yet
};

class EasyHandles {
 public:
  // nullptr: libcurl is out of memory.
  [[nodiscard]] std::unique_ptr<EasyHandle> take();
  // Returns the handle of a request that is off the wire. Drops everything specific to the request.
  void give_back(std::unique_ptr<EasyHandle> handle);

 private:
  std::vector<std::unique_ptr<EasyHandle>> kept_;
};

}  // namespace elbowroom::api
