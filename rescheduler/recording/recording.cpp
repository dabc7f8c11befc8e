#include "rescheduler/recording/recording.h"

namespace elbowroom::rescheduler {

Result<recording::ReplayReport> replay(recording::RecordingReader& from,
                                       const ReplayOptions& options) {
  return recording::replay<Recording>(from, options);
}

}  // namespace elbowroom::rescheduler
