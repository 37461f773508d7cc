package ordering

import (
	"cmp"
	"os"
	"path/filepath"
	"time"

	"flightdesk/tui/format"
)

// ListStored returns what lists in the background the drafts that are kept: first
// that on the screen, or the one on disk, without a name of its own, where it has
// sites; then those put aside. One that cannot be read is left to the new order
// to tell of.
func (k *Drafts) ListStored() func() []StoredDraft {
	var first []StoredDraft
	shown := k.Current
	if shown != nil && len(shown.Sites) > 0 {
		first = []StoredDraft{{Note: noteOf(shown)}}
	}
	return func() []StoredDraft {
		if note := k.onDisk(); shown == nil && note.Sites > 0 {
			first = []StoredDraft{{Note: note}}
		}
		aside, err := k.StoredDrafts()
		if err != nil {
			return first
		}
		return append(first, aside...)
	}
}

// onDisk returns the draft on disk in short, empty where there is none.
func (k *Drafts) onDisk() (note DraftNote) {
	if k.folder == "" {
		return note
	}
	k.mu.Lock()
	path := k.draftFile()
	k.mu.Unlock()
	data, err := os.ReadFile(path)
	if err != nil {
		return note
	}
	d, err := decodeDraft(data)
	if err != nil || d == nil {
		return note
	}
	note = noteOf(d)
	if info, err := os.Stat(path); err == nil {
		note.Saved = info.ModTime()
	}
	return note
}

func noteOf(d *Draft) DraftNote {
	note := DraftNote{Sites: len(d.Sites), Saved: time.Time{}}
	if name := d.Fields["orderName"]; len(name) > 0 {
		note.Name = name[0]
	}
	if len(d.Files) > 0 {
		note.Name = cmp.Or(note.Name, filepath.Base(d.Files[0].Path))
	}
	note.Name = cmp.Or(note.Name, d.SiteOrigins(""))
	note.Name = cmp.Or(note.Name, "Untitled draft")
	return note
}

// Describe says how many sites a draft has, how old it is, and who else has it open.
func (s *StoredDraft) Describe(now time.Time) string {
	text := format.Count(s.Note.Sites, "site", "sites")
	if !s.Note.Saved.IsZero() {
		text += ", saved " + format.Ago(s.Note.Saved, now)
	}
	if s.Holder != nil {
		text += ", open in " + WindowName(*s.Holder)
	}
	return text
}

// DraftNote is a draft in short.
type DraftNote struct {
	Name  string
	Sites int
	Saved time.Time // zero where that is not known
}
