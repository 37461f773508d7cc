package page

import (
	"path/filepath"
	"testing"
)

func TestGuestSeesNoPathsOfTheHost(t *testing.T) {
	host := filepath.Join(slash+"srv", "ssh")
	users := filepath.Join(host, "users")
	files := FileAccess{
		Confined: true,
		Folder:   filepath.Join(users, "user1", "files"),
		Samples:  filepath.Join(host, "surveys"),
	}
	for _, tt := range []struct{ text, want string }{
		{
			"only 1 GB free in " + filepath.Join(files.Folder, "deliveries"),
			"only 1 GB free in ~" + slash + "deliveries",
		},
		{
			filepath.Join(users, "user2", "account.json") + ": outside your folder",
			"…" + slash + "user2" + slash + "account.json: outside your folder",
		},
		{
			"open " + filepath.Join(users, "user1", "state", "drafts") + ": denied",
			"open …" + slash + "state" + slash + "drafts: denied",
		},
		{filepath.Join(files.Samples, "sites.kml"), "sample files" + slash + "sites.kml"},
		{filepath.Join(host, "host_ed25519"), "…" + slash + "host_ed25519"},
	} {
		if got := files.HidePaths(tt.text); got != tt.want {
			t.Errorf("HidePaths returns %q, want %q", got, tt.want)
		}
		if got := files.ShortPath(tt.text); got != tt.want {
			t.Errorf("ShortPath returns %q, want %q", got, tt.want)
		}
	}
	sample := filepath.Join(files.Samples, "sites.kml")
	if got := files.FullPath(files.ShortPath(sample)); got != sample {
		t.Errorf("the full path of a sample file is %q, want %q", got, sample)
	}
	files.Confined = false
	if got := files.HidePaths(files.Folder); got != files.Folder {
		t.Errorf("the user sees %q instead of %q", got, files.Folder)
	}
}
