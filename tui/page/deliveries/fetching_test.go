package deliveries

import (
	"testing"

	"flightdesk/api/fetch"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/page"
)

func TestCancellingNoDownloadsAsksNothing(t *testing.T) {
	env := &page.Env{}
	env.Profile.Downloads = deliveries.NewDownloads(fetch.Options{Dir: t.TempDir()}, nil)
	selection := &rowSelection{
		shelf:   &deliveries.PackageShelf{},
		current: func() *row { return nil },
		marked:  map[string]bool{},
	}
	fetching := &fetchActions{env: env, shelf: selection.shelf, selection: selection}
	if cmd := fetching.stopItems(nil); cmd != nil {
		t.Error("a dialog is opened although no file is being downloaded")
	}
}
