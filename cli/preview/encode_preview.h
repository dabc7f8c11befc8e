// A preview as the document of -o json and yaml, kind Preview. Every key is always present; a part
// that is not known is {"notKnown": why}.
#pragma once

#include "base/document.h"
#include "cli/preview/preview.h"

namespace elbowroom::cli {

[[nodiscard]] Value encode_preview(const Preview& preview);

}  // namespace elbowroom::cli
