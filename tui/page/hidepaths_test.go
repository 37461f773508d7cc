package page

import (
	"path/filepath"
	"testing"
)

func TestAGuestSeesNoPathsOfTheHost(t *testing.T) {
	users := filepath.Join(string(filepath.Separator)+"srv", "ssh", "users")
	files := FileAccess{
		Confined: true, Folder: filepath.Join(users, "user1", "files"),
		Samples: filepath.Join(string(filepath.Separator)+"srv", "ssh", "surveys"),
	}
	slash := string(filepath.Separator)
	for text, want := range map[string]string{
		"needs 2 GB, but only 1 GB free in " + filepath.Join(files.Folder, "deliveries"): "needs 2 GB, but only 1 GB free in ~" + slash + "deliveries",
		filepath.Join(users, "user2", "account.json") + ": outside your folder":          "…" + slash + "user2" + slash + "account.json: outside your folder",
		"open " + filepath.Join(users, "user1", "state", "drafts") + ": denied":          "open …" + slash + "state" + slash + "drafts: denied",
		filepath.Join(files.Samples, "sites.kml"):                                        "sample files" + slash + "sites.kml",
		filepath.Join(string(filepath.Separator)+"srv", "ssh", "host_ed25519"):           "…" + slash + "host_ed25519",
	} {
		if got := files.HidePaths(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if got := files.ShortPath(text); got != want {
			t.Errorf("short: %q, want %q", got, want)
		}
	}
	sample := filepath.Join(files.Samples, "sites.kml")
	if got := files.FullPath(files.ShortPath(sample)); got != sample {
		t.Errorf("a sample file is at %q", got)
	}
	files.Confined = false
	if got := files.HidePaths(files.Folder); got != files.Folder {
		t.Errorf("%q of the user", got)
	}
}
