package tui_test

import (
	"os"
	"testing"

	"flightdesk/tui/widget/geomap"
)

// TestMain loads the place names, which the app loads shortly after its start.
func TestMain(m *testing.M) {
	geomap.PreloadPlaces()
	os.Exit(m.Run())
}
