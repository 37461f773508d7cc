package tui_test

import (
	"os"
	"testing"

	"flightdesk/tui/widget/geomap"
)

// TestMain reads the names of towns: the app does so a moment after its start.
func TestMain(m *testing.M) {
	geomap.PreloadPlaces()
	os.Exit(m.Run())
}
