package files

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"strings"
	"time"

	"flightdesk/config/atomicfile"
)

// Folder keeps files in a folder that they cannot leave.
type Folder struct {
	root   *os.Root
	opened time.Time     // by the clock of the file system
	grace  time.Duration // what is younger than that may be another process's
}

// SharedGrace is how old a file is at least that a process may drop which others
// use the store beside: nothing takes as long to be kept.
const SharedGrace = 24 * time.Hour

// unfinished begins the names of files that are being written.
const unfinished = "new."

// OpenFolder opens a folder, which it makes for its owner only, and drops what
// writing left unfinished.
func OpenFolder(dir string) (*Folder, error) { return openFolder(dir, 0) }

// OpenSharedFolder does what OpenFolder does for a folder that other processes use, too.
func OpenSharedFolder(dir string) (*Folder, error) { return openFolder(dir, SharedGrace) }

func openFolder(dir string, grace time.Duration) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{root: root, grace: grace}
	now, err := f.diskTime()
	f.opened = now.Add(-grace)
	if err == nil {
		err = f.sweepPartial()
	}
	if err != nil {
		return nil, errors.Join(mapError(err), root.Close())
	}
	return f, nil
}

// diskTime reads the clock that the times of files are from, which need not be this
// machine's. It also shows that files can be written here.
func (f *Folder) diskTime() (time.Time, error) {
	name := unfinished + "clock" + rand.Text()
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return time.Time{}, err
	}
	info, err := file.Stat()
	if err = errors.Join(err, file.Close(), f.root.Remove(name)); err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

func (f *Folder) sweepPartial() error {
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if info, gone := e.Info(); gone != nil || f.grace > 0 && !info.ModTime().Before(f.opened) {
			continue
		}
		if strings.HasPrefix(e.Name(), unfinished) {
			if err := f.root.Remove(e.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}

// Claim has the folder belong to an owner, or returns [ErrOwned].
func (f *Folder) Claim(_ context.Context, owner string) error {
	read := func() (string, error) {
		id, err := f.root.ReadFile(ownerName)
		if errors.Is(err, fs.ErrNotExist) {
			err = ErrMissing
		}
		return string(id), err
	}
	return claimFor(owner, read, func() error {
		return f.writeFile(ownerName, func(w io.Writer) error {
			_, err := io.WriteString(w, owner)
			return err
		})
	})
}

// Put writes beside the final name and renames what is on disk.
func (f *Folder) Put(ctx context.Context, key string, r io.Reader) (FileSum, error) {
	if err := checkKey(key); err != nil {
		return FileSum{}, err
	}
	var sum FileSum
	err := f.writeFile(key, func(w io.Writer) (err error) {
		sum, err = copySummed(ctx, w, r)
		return err
	})
	if err != nil {
		return FileSum{}, err
	}
	return sum, nil
}

func (f *Folder) writeFile(name string, write func(io.Writer) error) error {
	return mapError(atomicfile.WriteIn(f.root, name, unfinished+rand.Text(), 0o600, true, write))
}

// Open opens a file.
func (f *Folder) Open(_ context.Context, key string) (io.ReadSeekCloser, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	file, err := f.root.Open(key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrMissing, key)
	}
	if err != nil {
		return nil, err
	}
	return file, nil
}

// Remove drops a file.
func (f *Folder) Remove(_ context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	return ignoreMissing(f.root.Remove(key))
}

// All gives the files. Old are those that were there at the opening.
func (f *Folder) All(ctx context.Context) iter.Seq2[KeptFile, error] {
	return func(yield func(KeptFile, error) bool) {
		dir, err := f.root.Open(".")
		if err != nil {
			yield(KeptFile{}, err)
			return
		}
		defer func() { _ = dir.Close() }()
		for err == nil {
			var entries []fs.DirEntry
			err = ctx.Err()
			if err == nil {
				entries, err = dir.ReadDir(listedAtOnce)
			}
			for _, e := range entries {
				info, gone := e.Info()
				if gone != nil || !info.Mode().IsRegular() || checkKey(e.Name()) != nil {
					continue
				}
				if !yield(KeptFile{e.Name(), info.Size(), info.ModTime().Before(f.opened)}, nil) {
					return
				}
			}
		}
		if !errors.Is(err, io.EOF) {
			yield(KeptFile{}, err)
		}
	}
}

// listedAtOnce is how many entries of the folder are in memory at a time.
const listedAtOnce = 512

// Ready looks whether the folder is there.
func (f *Folder) Ready(context.Context) error {
	_, err := f.root.Stat(".")
	return err
}

// Close closes the folder.
func (f *Folder) Close() error { return f.root.Close() }

// ignoreMissing takes what is not there for removed.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
