package ordering

import (
	"os"
	"path/filepath"
	"testing"
)

// The end of the program can come before what was started in the background.
func TestADraftOnDiskIsPutAsideWhoeverWritesFirst(t *testing.T) {
	for name, first := range map[string]func(k *Drafts) error{
		"the end":      (*Drafts).Flush,
		"a change":     func(k *Drafts) error { return k.Keep(k.Current)() },
		"its deletion": func(k *Drafts) error { return k.Forget()() },
	} {
		k := NewDrafts(t.TempDir())
		before := []byte(`{"Fields":{"orderName":["before"]}}`)
		if err := os.WriteFile(k.draftFile(), before, 0o600); err != nil {
			t.Fatal(err)
		}
		later := k.BeginDraft(NewDraft(), "")
		for _, do := range []func() error{func() error { return first(k) }, later} {
			if err := do(); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(filepath.Join(k.folder, asideName(1)))
		if err != nil || string(got) != string(before) {
			t.Errorf("%s: put aside is %s, %v", name, got, err)
		}
		if _, err := os.Stat(filepath.Join(k.folder, asideName(2))); !os.IsNotExist(err) {
			t.Errorf("%s: it is put aside twice", name)
		}
	}
}
