// Package atomicfile writes the files of the program so that a crash, a full
// disk or a second program never leaves half of one.
//
// A file is replaced in steps that each leave either the old or the new
// content: it is written beside its place, brought to disk, renamed, and the
// folder is brought to disk ([WriteFile], [WriteIn]). What is read, changed and
// written back is locked meanwhile ([UpdateFile]). A [Log] is a file of JSON lines
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

// WriteIn has write make a file in an open folder, whole or not at all: in the place of
// the old one, or else [fs.ErrExist] is returned where there is one. The content is stored
// as temp until it is complete; temp must not be used by anybody else.
func WriteIn(
	root *os.Root,
	name, temp string,
	perm fs.FileMode,
	replace bool,
	write func(io.Writer) error,
) error {
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil && replace {
		err = root.Rename(temp, name)
	} else if err == nil {
		err = renameNew(root, temp, name)
	}
	if err != nil {
		_ = root.Remove(temp)
		return err
	}
	return SyncFolder(root.Name())
}

// WriteFile is [WriteIn] for a private file in an existing folder. It follows symbolic
// links.
func WriteFile(path string, replace bool, write func(io.Writer) error) error {
	path = resolveLinks(path)
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	name := filepath.Base(path)
	removeLeftovers(root, name)
	err = WriteIn(root, name, "."+name+"."+rand.Text()[:8]+".tmp", 0o600, replace, write)
	return errors.Join(err, root.Close())
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

// resolveLinks follows links, to replace the file and not the link.
func resolveLinks(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// renameNew renames a file, unless there is one of that name.
func renameNew(root *os.Root, temp, name string) error {
	err := root.Link(temp, name)
	if err == nil {
		return root.Remove(temp)
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	// A file system without links, as on memory cards.
	if _, there := root.Lstat(name); there == nil {
		return &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	return root.Rename(temp, name)
}

// ReplaceFile writes a file that only its owner can read, and creates missing folders
// above it in the same way.
func ReplaceFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return WriteFile(path, true, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
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
		return ReplaceFile(path, data)
	})
}
