package ordering

import (
	"cmp"
	"os"
	"path/filepath"
	"time"
)

// Summary returns what says in the background what is kept: the draft on the
// screen, or the one on disk, and how many were put aside; where there is none
// of the former, the newest of the latter. ok is false where there is nothing.
// One that cannot be read is left to the new order to tell of.
func (k *Drafts) Summary() func() (note DraftNote, ok bool) {
	shown := k.Current
	var note DraftNote
	if shown != nil {
		note = noteOf(shown)
	}
	return func() (DraftNote, bool) {
		if shown == nil && k.folder != "" {
			note = k.onDisk()
		}
		aside, err := k.Stored()
		n := group(len(aside))
		switch {
		case err != nil || len(aside) == 0:
		case note.Sites == 0:
			note = aside[0].Note
			note.Name = n + " saved: " + note.Name
		default:
			note.Name += ", " + n + " saved"
		}
		return note, note.Sites > 0
	}
}

// onDisk is the draft on disk in short, empty where there is none.
func (k *Drafts) onDisk() (note DraftNote) {
	k.mu.Lock()
	path := k.file()
	k.mu.Unlock()
	data, err := os.ReadFile(path)
	if err != nil {
		return note
	}
	d, err := decode(data)
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
	note.Name = cmp.Or(note.Name, d.Origins(""))
	note.Name = cmp.Or(note.Name, "Untitled draft")
	return note
}

// DraftNote is a draft in short.
type DraftNote struct {
	Name  string
	Sites int
	Saved time.Time // zero where that is not known
}
