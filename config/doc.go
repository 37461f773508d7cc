// Package config reads config.toml: the profiles, the sources of their API keys, the theme and
// the folders. [Load] returns the [Config]; [Config.Resolve] returns the [Settings] of one
// profile.
//
//	c, err := config.Load(config.SystemEnv())
//	if err != nil {
//		return err // every error of the file, with its line
//	}
//	settings, err := c.Resolve("prod", false) // not for the operations API
//	if err != nil {
//		return err
//	}
//	key, err := settings.Key(ctx) // from the keyring, a command, a file or a variable
//	client, err := api.NewClient(settings.BaseURL, api.WithKey(key.Reveal()))
//
// The file:
//
//	default_profile = "prod"            # needed with two profiles or more
//	theme = "auto"                      # auto, dark, light, high-contrast, none
//	glyphs = "auto"                     # what the terminal shows: auto, unicode, ascii
//	areas = "auto"                      # auto (by size), hectares, km2 or acres; a profile can set these three too
//	times = "local"                     # local, or site: flights in site time
//	notices = "auto"                    # notifications of the terminal: auto, bell, off
//	download_dir = "~/Surveys"
//
//	[profiles.prod]
//	base_url = "https://desk.example/api/v1/public"
//	legacy_base_url = "https://desk.example/api/v2"
//	ops_url = "https://desk.example/api/ops/v1"
//	ca_file = "company-ca.pem"          # a relative path starts at this file's folder
//	state = "north"                     # folder name of its drafts and offline data; kept when the profile is renamed
//	company = "ACME Geo GmbH"           # shown, and suggested for new orders
//	band = "live"                       # environment, for the header colour: live, test or demo
//	read_only = true
//	credential = { keyring = "prod" }
//	ops_credential = { command = ["pass", "show", "flightdesk/ops"], timeout = "20s" }
//
//	[themes.harbour]                    # theme = "harbour" uses it
//	base = "light"                      # dark, light or high-contrast
//	accent = "#00695c"                  # one of the colours:
//	# surfaces: page, raised, selected, selected_area (inside the selected polygon of a map), rule
//	# texts: text, muted, accent, good, bad, pending, in_progress, attention (needs a decision)
//	# header: band_text, band_live, band_test, band_demo
//
//	[keys.orders]                       # keyboard keys of one page; tui/KEYS.md lists pages and actions
//	refresh = ["r", "f5"]               # a key, or a list of keys, in place of the app's own
//
// A credential is one of: keyring (the account name; the service name is
// "flightdesk"), env (the name of a variable), command (a program and its
// arguments, run without a shell, whose first line of output is the key), or
// file (readable by its owner only; its first line is the key). Keys
// themselves are never part of the file.
//
// The variables FLIGHTDESK_BASE_URL, FLIGHTDESK_LEGACY_BASE_URL,
// FLIGHTDESK_API_KEY, FLIGHTDESK_OPS_URL and FLIGHTDESK_OPS_KEY override the
// profile. FLIGHTDESK_CONFIG names the file, if it is not in the platform's
// configuration folder.
//
// All errors of a file are reported, not only the first, each with file, line and key. Messages
// and formatted values never contain an API key. If a variable changes the address to another
// origin, the profile's key is not sent.
package config
