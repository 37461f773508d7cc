package fetch

import (
	"testing"
	"time"
)

// The check of a large file can take longer than its first link is valid.
func TestAChangedFileIsComparedByTheNewestLink(t *testing.T) {
	s := newStorage(t, file("map.tif", 1000))
	d := queue(t, "", nil)
	d.fetch(s.delivery())
	folder := newLockedFolder(d.dir, s.delivery())
	if err := folder.openShared(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.closeShared() })
	listed := s.delivery().Files[0]
	folder.files[listed.ID] = listed
	existing := existingFile{q: d.Queue, folder: folder, name: "map.tif", id: listed.ID}
	info, err := folder.root.Lstat("map.tif")
	if err != nil {
		t.Fatal(err)
	}
	outdated, _ := folder.fetchedEntry(listed.ID)
	outdated.Digests = Digests{SHA256: "00"}
	outdated.Modified = info.ModTime().Add(-time.Hour)

	s.expire()
	if err := folder.renewLinks(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	present, err := existing.findFetched(t.Context(), info, outdated)
	if err != nil || present == nil || present.SHA256 == outdated.SHA256 {
		t.Errorf("%+v, %v", present, err)
	}
}
