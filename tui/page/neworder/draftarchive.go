package neworder

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/page"
	"flightdesk/tui/theme"
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

// kept is a draft that was put aside.
type kept struct {
	name  string
	note  page.DraftNote
	draft *Draft // nil where it cannot be read
}

// aside reads the drafts that were put aside, the newest first. It is for the
// background.
func (k *Drafts) aside() ([]kept, error) {
	names, err := k.store.names()
	if err != nil {
		return nil, fmt.Errorf("list drafts: %w", err)
	}
	var list []kept
	for name, at := range names {
		if asideNumber(name) == 0 {
			continue
		}
		one := kept{name: name, note: page.DraftNote{Name: name + ", which cannot be read", Saved: at}}
		data, err := k.store.read(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if d, bad := decode(data); err == nil && bad == nil {
			one.draft, one.note = d, noteOf(d)
			one.note.Saved = at
		}
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b kept) int {
		return cmp.Or(b.note.Saved.Compare(a.note.Saved), asideNumber(b.name)-asideNumber(a.name))
	})
	return list, nil
}

// begin makes d the draft that is worked on. What it returns, for the
// background, puts the one before aside, writes d, and takes away the file of
// that name, from which d was read; "" for none.
func (k *Drafts) begin(d *Draft, from string) func() error {
	var before *Draft
	unread := k.current == nil && k.folder != ""
	if k.current != nil && len(k.current.Sites) > 0 {
		before = k.current.clone()
	}
	k.current = d
	k.version++
	version, as := k.version, d.clone()
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

// Kept writes what the drafts returned, in the background, and says what is
// wrong with it.
func Kept(write func() error) tea.Cmd {
	return func() tea.Msg {
		if err := write(); err != nil {
			return page.ToastMsg{Role: theme.Bad, Text: err.Error()}
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
