package ordering

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"flightdesk/config/atomicfile"
)

// asideName returns the name of the n-th draft that was put aside.
func asideName(n int) string { return "draft-" + strconv.Itoa(n) + ".json" }

// asideNumber returns the number in such a name, 0 for any other file.
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

	Holder *atomicfile.LockHolder // who else has it open, nil for nobody
}

// StoredDrafts reads the drafts that were put aside, the newest first. It is for the
// background.
func (k *Drafts) StoredDrafts() ([]StoredDraft, error) {
	names, err := k.store.fileTimes()
	if err != nil {
		return nil, fmt.Errorf("list drafts: %w", err)
	}
	k.mu.Lock()
	own := k.name
	k.mu.Unlock()
	var list []StoredDraft
	for name, at := range names {
		if name == own || asideNumber(name) == 0 && (name != present || own == "") {
			continue
		}
		one := StoredDraft{Name: name, Note: DraftNote{Name: name + ", which could not be read", Saved: at}}
		data, err := k.store.readFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if d, bad := decodeDraft(data); err == nil && bad == nil {
			one.Draft, one.Note = d, noteOf(d)
			one.Note.Saved = at
		}
		if k.folder != "" {
			one.Holder = k.otherHolder(name)
		}
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b StoredDraft) int {
		return cmp.Or(b.Note.Saved.Compare(a.Note.Saved), asideNumber(b.Name)-asideNumber(a.Name))
	})
	return list, nil
}

// BeginDraft makes d the draft that is worked on. What it returns, for the
// background, puts the one before aside, writes d, and takes away the file of
// that name, from which d was read; "" for none.
func (k *Drafts) BeginDraft(d *Draft, from string) func() error {
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
			return fmt.Errorf("keep the other draft: %w", err)
		}
		data, err := encodeDraft(as)
		if err == nil && k.folder != "" {
			err = k.writeDraft(version, data)
		}
		if err == nil && from != "" {
			err = k.dropTaken(from)
		}
		if err != nil {
			return fmt.Errorf("save draft: %w", err)
		}
		return nil
	}
}

// putAside keeps a draft, where there is one, under a name of its own.
func (k *Drafts) putAside(d *Draft) error {
	if d == nil {
		return nil
	}
	data, err := encodeDraft(d)
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
	data, err := k.store.readFile(k.name)
	if err == nil && k.known == nil {
		if err = k.writeAside(data); err == nil {
			k.noteContent(data) // what is put aside may be replaced
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	k.unread.CompareAndSwap(from, 0)
	return nil
}

// writeAside keeps a draft under a name that is free. mu is held.
func (k *Drafts) writeAside(data []byte) error {
	name, lock, err := k.freeName()
	if err != nil {
		return err
	}
	return errors.Join(k.store.writeFile(name, data), unlockDraft(lock))
}

// dropTaken deletes the file of a draft that was taken up.
func (k *Drafts) dropTaken(name string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return errors.Join(k.store.removeFile(name), k.putBack(name))
}

// RemoveStored deletes a draft that was put aside, and returns what puts it
// back. One that is open in another window stays, and so does one whose order
// was sent. It is for the background.
func (k *Drafts) RemoveStored(name string) (restore func() error, err error) {
	lock, err := k.claimFile(name)
	if err != nil {
		return nil, fmt.Errorf("delete draft: %w", err)
	}
	defer func() { err = errors.Join(err, unlockDraft(lock)) }()
	data, err := k.store.readFile(name)
	if d, bad := decodeDraft(data); err == nil && bad == nil && d.Pending {
		err = errors.New("the order may have been placed; check it first")
	}
	if err == nil {
		err = k.store.removeFile(name)
	}
	if err != nil {
		return nil, fmt.Errorf("delete draft: %w", err)
	}
	return func() error { return k.store.writeFile(name, data) }, nil
}
