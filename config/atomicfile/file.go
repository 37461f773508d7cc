// Package atomicfile writes the files of the program so that a crash, a full
// disk or a second program never leaves half of one.
//
// A file is replaced in steps that each leave either the old or the new
// content: it is written beside its place, brought to disk, renamed, and the
// folder is brought to disk ([Replace], [Create]). What is read, changed and
// written back is locked meanwhile ([Update]). A [Log] is a file of JSON lines
// that several programs append to. A [Lock] says who holds it.
package atomicfile

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// File is new content for a file. It replaces the file on Commit, or is discarded.
type File struct {
	*os.File
	// Fast skips syncing to disk. After a power cut the file may be empty; use it for
	// data that can be rebuilt.
	Fast bool

	root       *os.Root
	owned      bool // close root with the file
	name, temp string
	done       bool
}

// CreateFile starts writing a file in an existing folder. It follows symbolic links.
func CreateFile(path string, perm fs.FileMode) (*File, error) {
	path = resolveLinks(path)
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	name := filepath.Base(path)
	removeLeftovers(root, name)
	f, err := createIn(root, name, "."+name+"."+rand.Text()[:8]+".tmp", os.O_EXCL, perm)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	f.owned = true
	return f, nil
}

// leftAfter is how old unfinished content is that nobody finishes any more.
const leftAfter = time.Hour

// removeLeftovers removes the unfinished content of a file that killed programs left.
func removeLeftovers(root *os.Root, name string) {
	left, _ := fs.Glob(root.FS(), "."+name+".*.tmp") // none of a name with a bracket
	for _, temp := range left {
		if info, err := root.Lstat(temp); err == nil && time.Since(info.ModTime()) > leftAfter {
			_ = root.Remove(temp)
		}
	}
}

// CreateIn starts writing a file in an open folder. The content is stored as temp
// until it is complete; temp must not be used by anybody else.
func CreateIn(root *os.Root, name, temp string, perm fs.FileMode) (*File, error) {
	return createIn(root, name, temp, os.O_TRUNC, perm)
}

func createIn(root *os.Root, name, temp string, flag int, perm fs.FileMode) (*File, error) {
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|flag, perm)
	if err != nil {
		return nil, err
	}
	return &File{File: f, root: root, name: name, temp: temp}, nil
}

// resolveLinks follows links, to replace the file and not the link.
func resolveLinks(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// Commit replaces the file. The File is closed, also after an error.
func (f *File) Commit() error { return f.commitWith(f.root.Rename) }

// CommitNew creates the file like Commit, but returns [fs.ErrExist] if it exists
// already.
func (f *File) CommitNew() error {
	return f.commitWith(func(temp, name string) error {
		err := f.root.Link(temp, name)
		if err == nil {
			return f.root.Remove(temp)
		}
		if errors.Is(err, fs.ErrExist) {
			return err
		}
		// A file system without links, as on memory cards.
		if _, there := f.root.Lstat(name); there == nil {
			return &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
		}
		return f.root.Rename(temp, name)
	})
}

func (f *File) commitWith(place func(temp, name string) error) error {
	if f.done {
		return fs.ErrClosed
	}
	var err error
	if !f.Fast {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = place(f.temp, f.name)
	}
	if err == nil && !f.Fast {
		err = SyncFolder(f.root)
	}
	return errors.Join(err, f.closeFile(err != nil))
}

// Discard closes and removes the content unless it was committed.
func (f *File) Discard() error {
	if f.done {
		return nil
	}
	return errors.Join(f.Close(), f.closeFile(true))
}

func (f *File) closeFile(remove bool) (err error) {
	f.done = true
	if remove {
		if err = f.root.Remove(f.temp); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if f.owned {
		err = errors.Join(err, f.root.Close())
	}
	return err
}

// writeAll writes the content and commits it.
func (f *File) writeAll(data []byte) error {
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.Commit()
}

// WriteFile has write make a private file in an existing folder, whole or not at all:
// in the place of the old one, or else [fs.ErrExist] is returned where there is one.
func WriteFile(path string, replace bool, write func(io.Writer) error) error {
	if _, err := os.Lstat(path); err == nil && !replace {
		return fs.ErrExist
	}
	f, err := CreateFile(path, 0o600)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		return errors.Join(err, f.Discard())
	}
	if replace {
		return f.Commit()
	}
	return f.CommitNew()
}

// ReplaceFile writes a file in an existing folder atomically.
func ReplaceFile(path string, data []byte, perm fs.FileMode) error {
	f, err := CreateFile(path, perm)
	if err != nil {
		return err
	}
	return f.writeAll(data)
}

// ReplaceIn writes a file in an open folder atomically; see [CreateIn].
func ReplaceIn(root *os.Root, name, temp string, data []byte, perm fs.FileMode) error {
	f, err := CreateIn(root, name, temp, perm)
	if err != nil {
		return err
	}
	return f.writeAll(data)
}

// ReplacePrivate writes a file that only its owner can read, and creates missing
// folders above it in the same way.
func ReplacePrivate(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return ReplaceFile(path, data, 0o600)
}

// UpdateFile reads a private file, nil if it does not exist, and replaces it with the
// result of change, under a lock. It writes nothing if change returns nil or an error.
// It waits for other programs until the context ends.
func UpdateFile(ctx context.Context, path string, change func(old []byte) ([]byte, error)) error {
	return withLock(ctx, path, func() error {
		old, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		data, err := change(old)
		if err != nil || data == nil {
			return err
		}
		return ReplaceFile(path, data, 0o600)
	})
}
