// The settings files, which Python reads (python/leadline/cli/settings.py).
#pragma once

namespace leadline::exec {

bool has_settings_file();

}  // namespace leadline::exec
