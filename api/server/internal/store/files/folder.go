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

// Folder stores files in a folder.
type Folder struct {
	root   *os.Root
	opened time.Time     // when it was opened, by the clock of the file system, minus grace
	grace  time.Duration // another process may still use files that are younger than this
}

// SharedGrace is the minimum age of the files that a process deletes from a store that other
// processes use, too. A younger file may still be being written by another process.
const SharedGrace = 24 * time.Hour

// unfinished is the prefix of the names of files that are being written.
const unfinished = "new."

// OpenFolder opens a folder and deletes files that were not completely written. If the folder
// does not exist, OpenFolder creates it so that only the current user can access it.
func OpenFolder(dir string) (*Folder, error) { return openFolder(dir, 0) }

// OpenSharedFolder is like OpenFolder, for a folder that other processes use, too.
func OpenSharedFolder(dir string) (*Folder, error) { return openFolder(dir, SharedGrace) }

// openFolder opens a folder, and creates it if necessary. grace is 0 if no other process uses the
// folder.
func openFolder(dir string, grace time.Duration) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{root: root, grace: grace}
	if err := f.prepare(); err != nil {
		return nil, errors.Join(mapError(err), root.Close())
	}
	return f, nil
}

func (f *Folder) prepare() error {
	now, err := f.diskTime()
	if err != nil {
		return err
	}
	f.opened = now.Add(-f.grace)
	return f.sweepPartial()
}

// diskTime returns the time of the file system, which can differ from this machine's
// clock. It also checks that files can be written.
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

// sweepPartial deletes files that were not completely written.
func (f *Folder) sweepPartial() error {
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), unfinished) {
			continue
		}
		info, err := e.Info()
		if err != nil { // deleted meanwhile
			continue
		}
		mayBeInUse := f.grace > 0 && !info.ModTime().Before(f.opened)
		if mayBeInUse {
			continue
		}
		if err := f.root.Remove(e.Name()); err != nil {
			return err
		}
	}
	return nil
}

// Claim makes the folder belong to an owner. It returns [ErrOwned] if the folder belongs to
// another owner.
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

// Put writes to a temporary name and renames the file when it is on disk.
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

// Open implements [Store].
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

// Remove implements [Store].
func (f *Folder) Remove(_ context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	return ignoreMissing(f.root.Remove(key))
}

// All implements [Store]. It reports a file as old if it was last changed before the folder was
// opened, or at least SharedGrace before that if other processes use the folder.
func (f *Folder) All(ctx context.Context) iter.Seq2[KeptFile, error] {
	return func(yield func(KeptFile, error) bool) {
		dir, err := f.root.Open(".")
		if err != nil {
			yield(KeptFile{}, err)
			return
		}
		defer func() { _ = dir.Close() }()
		for {
			if err := ctx.Err(); err != nil {
				yield(KeptFile{}, err)
				return
			}
			entries, err := dir.ReadDir(listBatchSize) // after an error, the entries read so far
			for _, e := range entries {
				file, isStored := f.keptFile(e)
				if isStored && !yield(file, nil) {
					return
				}
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(KeptFile{}, err)
				return
			}
		}
	}
}

// keptFile returns the file of a folder entry. isStored is false if the entry is not a file of
// the store, or was deleted in the meantime.
func (f *Folder) keptFile(e fs.DirEntry) (file KeptFile, isStored bool) {
	if checkKey(e.Name()) != nil {
		return KeptFile{}, false
	}
	info, err := e.Info()
	if err != nil || !info.Mode().IsRegular() {
		return KeptFile{}, false
	}
	return KeptFile{
		Key:  e.Name(),
		Size: info.Size(),
		Old:  info.ModTime().Before(f.opened),
	}, true
}

// listBatchSize is the number of folder entries in memory at a time.
const listBatchSize = 512

// Ready checks that the folder exists.
func (f *Folder) Ready(context.Context) error {
	_, err := f.root.Stat(".")
	return err
}

// Close closes the folder.
func (f *Folder) Close() error { return f.root.Close() }

// ignoreMissing returns nil if the error is that a file does not exist.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
