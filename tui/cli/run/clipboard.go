package run

import (
	"os"

	native "github.com/atotto/clipboard"

	"flightdesk/tui/app/clipboard"
)

// ReachableClipboards says which clipboards can be reached from here.
func ReachableClipboards() clipboard.ClipboardAccess {
	var system func(string) error
	if !native.Unsupported {
		system = native.WriteAll
	}
	return clipboard.WayOf(os.Getenv, system)
}
