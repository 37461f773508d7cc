package ordering

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// asideName is the name of the n-th draft that was put aside.
func asideName(n int) string { return "draft-" + strconv.Itoa(n) + ".json" }

// asideNumber is the number in such a name, 0 for any other file.
func asideNumber(name string) int {
	digits, ok := strings.CutPrefix(strings.TrimSuffix(name, ".json"), "draft-")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || asideName(n) != name {
		return 0
	}
	return n
}

// StoredDraft is a draft that was put aside.
type StoredDraft struct {
	Name  string
	Note  DraftNote
	Draft *Draft // nil where it cannot be read
}

// Stored reads the drafts that were put aside, the newest first. It is for the
// background.
func (k *Drafts) Stored() ([]StoredDraft, error) {
	names, err := k.store.names()
	if err != nil {
		return nil, fmt.Errorf("list drafts: %w", err)
	}
	var list []StoredDraft
	for name, at := range names {
		if asideNumber(name) == 0 {
			continue
		}
		one := StoredDraft{Name: name, Note: DraftNote{Name: name + ", which cannot be read", Saved: at}}
		data, err := k.store.read(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if d, bad := decode(data); err == nil && bad == nil {
			one.Draft, one.Note = d, noteOf(d)
			one.Note.Saved = at
		}
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b StoredDraft) int {
		return cmp.Or(b.Note.Saved.Compare(a.Note.Saved), asideNumber(b.Name)-asideNumber(a.Name))
	})
	return list, nil
}

// Begin makes d the draft that is worked on. What it returns, for the
// background, puts the one before aside, writes d, and takes away the file of
// that name, from which d was read; "" for none.
func (k *Drafts) Begin(d *Draft, from string) func() error {
	var before *Draft
	unread := k.Current == nil && k.folder != ""
	if k.Current != nil && len(k.Current.Sites) > 0 {
		before = k.Current.Clone()
	}
	k.Current = d
	k.Version++
	version, as := k.Version, d.Clone()
	if unread {
		k.unread.Store(int64(version))
	}
	return func() error {
		if err := k.putAside(before); err != nil {
			return fmt.Errorf("put the draft aside: %w", err)
		}
		data, err := encode(as)
		if err == nil && k.folder != "" {
			err = k.write(version, data)
		}
		if err == nil && from != "" {
			err = k.store.remove(from)
		}
		if err != nil {
			return fmt.Errorf("keep draft: %w", err)
		}
		return nil
	}
}

// putAside keeps a draft, where there is one, under a name of its own.
func (k *Drafts) putAside(d *Draft) error {
	if d == nil {
		return nil
	}
	data, err := encode(d)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.writeAside(data)
}

// saveUnread puts the draft on disk aside, as it is, where a version is about to
// take its place that does not come of it. mu is held.
func (k *Drafts) saveUnread(version int) error {
	from := k.unread.Load()
	if from == 0 || int64(version) < from {
		return nil
	}
	data, err := k.store.read(present)
	if err == nil {
		err = k.writeAside(data)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	k.unread.CompareAndSwap(from, 0)
	return nil
}

func (k *Drafts) writeAside(data []byte) error {
	names, err := k.store.names()
	if err != nil {
		return err
	}
	last := 0
	for name := range names {
		last = max(last, asideNumber(name))
	}
	return k.store.write(asideName(last+1), data)
}

// RemoveStored deletes a draft that was put aside, and returns what puts it
// back. It is for the background.
func (k *Drafts) RemoveStored(name string) (restore func() error, err error) {
	data, err := k.store.read(name)
	if err == nil {
		err = k.store.remove(name)
	}
	if err != nil {
		return nil, fmt.Errorf("forget draft: %w", err)
	}
	return func() error { return k.store.write(name, data) }, nil
}
