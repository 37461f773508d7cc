package ordering

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"flightdesk/config/atomicfile"
	"flightdesk/tui/format"
)

// StoredDraft is a draft that is kept.
type StoredDraft struct {
	Name  string    // of its file, "" for the one that is worked on
	Title string    // what people know it by
	Sites int       // how many it has
	Saved time.Time // zero where that is not known
	Draft *Draft    // nil where it cannot be read

	Holder *atomicfile.LockHolder // who else has it open, nil for nobody

	resumes bool // the new order goes on with it
}

// StoredDrafts reads the drafts beside the one that is worked on, the newest first.
// It is for the background.
func (k *Drafts) StoredDrafts(context.Context) ([]StoredDraft, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	all, err := k.listDrafts()
	return slices.DeleteFunc(all, func(s StoredDraft) bool { return s.resumes }), err
}

// ListStored returns what lists in the background the drafts that are kept: first
// the one on the screen, or that the new order goes on with, where it has sites;
// then the others.
func (k *Drafts) ListStored() func() []StoredDraft {
	var first []StoredDraft
	if shown := k.Current; shown != nil && len(shown.Sites) > 0 {
		first = []StoredDraft{{Title: titleOf(shown), Sites: len(shown.Sites)}}
	}
	return func() []StoredDraft {
		k.mu.Lock()
		defer k.mu.Unlock()
		all, _ := k.listDrafts()
		var others []StoredDraft
		for _, s := range all {
			switch {
			case !s.resumes:
				others = append(others, s)
			case s.Sites > 0:
				s.Name = ""
				first = append(first, s)
			}
		}
		return append(first, others...)
	}
}

// listDrafts reads the drafts that are not open here, the newest first. mu is held.
func (k *Drafts) listDrafts() ([]StoredDraft, error) {
	saved := map[string]time.Time{}
	for name := range k.memory {
		saved[name] = time.Time{}
	}
	entries, err := os.ReadDir(k.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list drafts: %w", err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			saved[e.Name()] = info.ModTime()
		}
	}
	var list []StoredDraft
	for name, at := range saved {
		if _, own := k.locks[name]; !own && draftNumber(name) >= 0 {
			list = append(list, k.describeFile(name, at))
		}
	}
	slices.SortFunc(list, func(a, b StoredDraft) int {
		return cmp.Or(b.Saved.Compare(a.Saved), draftNumber(b.Name)-draftNumber(a.Name))
	})
	i := slices.IndexFunc(
		list,
		func(s StoredDraft) bool { return s.Draft != nil && !s.Draft.Aside && s.Holder == nil },
	)
	if i >= 0 && !k.read.Load() {
		list[i].resumes = true
	}
	return list, nil
}

// describeFile reads a draft that is not open here. mu is held.
func (k *Drafts) describeFile(name string, saved time.Time) StoredDraft {
	one := StoredDraft{Name: name, Title: name + ", which could not be read", Saved: saved}
	data, err := k.readFile(name)
	if d, bad := decodeDraft(data); err == nil && bad == nil {
		one.Draft, one.Title, one.Sites = d, titleOf(d), len(d.Sites)
	}
	if elsewhere, ok := errors.AsType[*OpenElsewhereError](k.claim(name)); ok {
		one.Holder = &elsewhere.Holder
	} else {
		_ = k.release(name)
	}
	return one
}

// titleOf returns what people know a draft by.
func titleOf(d *Draft) string {
	file := ""
	if len(d.Files) > 0 {
		file = d.Files[0].Name()
	}
	return cmp.Or(d.FieldValue("orderName"), file, d.SiteOrigins(""), "Untitled draft")
}

// Describe says how many sites a draft has, how old it is, and who else has it open.
func (s *StoredDraft) Describe(now time.Time) string {
	text := format.Count(s.Sites, "site", "sites")
	if !s.Saved.IsZero() {
		text += ", saved " + format.Ago(s.Saved, now)
	}
	if s.Holder != nil {
		text += ", open in " + WindowName(*s.Holder)
	}
	return text
}
