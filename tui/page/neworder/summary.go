package neworder

import (
	"cmp"
	"os"
	"path/filepath"
	"time"

	"flightdesk/tui/page"
)

// Summary returns what says in the background what is kept: the draft on the
// screen, or the one on disk; ok is false where there is none. One that cannot
// be read is left to the new order to tell of.
func (k *Drafts) Summary() func() (note page.DraftNote, ok bool) {
	if k.current != nil {
		note := noteOf(k.current)
		return func() (page.DraftNote, bool) { return note, note.Sites > 0 }
	}
	file := k.file()
	if k.folder == "" {
		return func() (note page.DraftNote, ok bool) { return note, false }
	}
	return func() (note page.DraftNote, ok bool) {
		data, err := os.ReadFile(file)
		if err != nil {
			return note, false
		}
		d, err := decode(data)
		if err != nil || d == nil {
			return note, false
		}
		note = noteOf(d)
		if info, err := os.Stat(file); err == nil {
			note.Saved = info.ModTime()
		}
		return note, note.Sites > 0
	}
}

func noteOf(d *Draft) page.DraftNote {
	note := page.DraftNote{Sites: len(d.Sites), Saved: time.Time{}}
	if name := d.Fields["orderName"]; len(name) > 0 {
		note.Name = name[0]
	}
	if len(d.Files) > 0 {
		note.Name = cmp.Or(note.Name, filepath.Base(d.Files[0].Path))
	}
	note.Name = cmp.Or(note.Name, d.origins(""))
	note.Name = cmp.Or(note.Name, "without a name")
	return note
}
