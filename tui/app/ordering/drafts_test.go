package ordering

import (
	"os"
	"path/filepath"
	"testing"
)

// The program can end before a function runs in the background.
func TestTheDraftOnDiskIsSetAsideWhicheverIsWrittenFirst(t *testing.T) {
	for name, first := range map[string]func(k *Drafts) error{
		"the end":      (*Drafts).Flush,
		"a change":     func(k *Drafts) error { return k.Save(k.Current)() },
		"its deletion": func(k *Drafts) error { return k.RemoveCurrent()() },
	} {
		folder := t.TempDir()
		k := NewDrafts(folder)
		before := []byte(`{"Fields":{"orderName":["before"]}}`)
		if err := os.WriteFile(filepath.Join(folder, draftName(0)), before, 0o600); err != nil {
			t.Fatal(err)
		}
		begun := NewDraft()
		addSite(begun, "begun")
		later := k.BeginDraft(begun)
		for _, do := range []func() error{func() error { return first(k) }, later, later} {
			if err := do(); err != nil {
				t.Fatal(err)
			}
		}
		list, err := k.StoredDrafts(t.Context())
		if err != nil || len(list) != 1 || list[0].Title != "before" {
			t.Fatalf("%s: set aside are %+v, %v", name, list, err)
		}
		if got, err := os.ReadFile(filepath.Join(folder, list[0].Name)); err != nil || string(got) != string(before) {
			t.Errorf("%s: set aside is %s, %v", name, got, err)
		}
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
		next, err := window(t, folder)
		if deleted := name == "its deletion"; err != nil || deleted != (len(next.Current.Sites) == 0) {
			t.Errorf("%s: the next run goes on with %+v, %v", name, next.Current, err)
		}
	}
}
