package neworder

import (
	"path/filepath"
	"testing"

	"flightdesk/tui/page"
)

func TestOnlyTheHomeFolderIsShortened(t *testing.T) {
	files := &page.FileAccess{Home: filepath.FromSlash("/home/u")}
	for text, want := range map[string]string{
		"open /home/u/x: none": "open ~/x: none", "/home/u/x": "~/x", "/mnt/home/u/x": "/mnt/home/u/x",
	} {
		if got := shortPaths(files, filepath.FromSlash(text)); got != filepath.FromSlash(want) {
			t.Errorf("%s is %s", text, got)
		}
	}
}
