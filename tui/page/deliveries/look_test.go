package deliveries

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"flightdesk/api/fetch"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

func TestOnlyWhatIsBelowTheFolderIsOpened(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	for _, path := range []string{filepath.Join(dir, "a.jpg"), filepath.Join(out, "b.jpg")} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(out, "b.jpg"), filepath.Join(dir, "link.jpg")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(out, "b.jpg"), filepath.Join(dir, "..", "x"), filepath.Join(dir, "link.jpg"), filepath.Join(dir, "gone.jpg"), "-version", "http://example.com/a.jpg"} {
		if got, err := localPath(dir, path, false); err == nil {
			t.Errorf("%s is opened as %s", path, got)
		}
	}
	for path, folder := range map[string]bool{filepath.Join(dir, "a.jpg"): false, dir: true} {
		if _, err := localPath(dir, path, folder); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestAProgramThatDoesNotStartIsSaid(t *testing.T) {
	env := &page.Env{}
	env.Profile.Downloads = deliveries.NewDownloads(fetch.Options{Dir: t.TempDir()}, nil)
	for _, want := range []error{nil, errors.New("no program")} {
		env.Files.Opener = func(string) error { return want }
		said, ok := openLocal(page.Base{Env: env}, env.Profile.Downloads.Dir(), true)().(page.ToastMsg)
		if !ok || (said.Role == theme.Bad) != (want != nil) {
			t.Errorf("%v is said as %+v", want, said)
		}
	}
}
