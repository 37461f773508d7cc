// Package atomicfile writes files that are never left incomplete by a crash, a full disk or a
// second program.
//
// [WriteFile] and [WriteIn] replace a file in steps that each leave either the old or the new
// content: they write a temporary file, sync it to disk, rename it, and sync the folder.
// [UpdateFile] reads, changes and writes a file under a lock. A [Log] is a file of JSON lines
// to which several programs can append. A [Lock] names the process that holds it.
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

// WriteIn creates a file in an open folder, completely or not at all. If the file exists and replace is true,
// WriteIn replaces it. If the file exists and replace is false, it returns [fs.ErrExist]. The content is
// written to the file temp first, which no other writer may use.
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
	if err := writeAndClose(f, write); err != nil {
		_ = root.Remove(temp)
		return err
	}
	rename := renameNew
	if replace {
		rename = (*os.Root).Rename
	}
	if err := rename(root, temp, name); err != nil {
		_ = root.Remove(temp)
		return err
	}
	return SyncFolder(root.Name())
}

// writeAndClose writes a file, syncs it to disk and closes it. It closes the file even after an error.
func writeAndClose(f *os.File, write func(io.Writer) error) error {
	if err := write(f); err != nil {
		return errors.Join(err, f.Close())
	}
	return errors.Join(f.Sync(), f.Close())
}

// WriteFile writes a file that only its owner can read, like [WriteIn], in the existing folder of its path.
// It follows symbolic links.
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

// leftAfter is the age from which a temporary file is removed. A program that was killed must have left it
// behind.
const leftAfter = time.Hour

// removeLeftovers removes old temporary files that WriteFile created for the file name. They were left behind
// when the program was killed.
func removeLeftovers(root *os.Root, name string) {
	left, _ := fs.Glob(root.FS(), "."+name+".*.tmp") // a name with a bracket matches nothing
	for _, temp := range left {
		if info, err := root.Lstat(temp); err == nil && time.Since(info.ModTime()) > leftAfter {
			_ = root.Remove(temp)
		}
	}
}

// resolveLinks returns the target of symbolic links, so that a write replaces the file and not the
// link.
func resolveLinks(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// renameNew renames a file unless the new name exists.
func renameNew(root *os.Root, temp, name string) error {
	err := root.Link(temp, name)
	if err == nil {
		return root.Remove(temp)
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	// Some file systems have no hard links, such as on memory cards.
	if _, err := root.Lstat(name); err == nil {
		return &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	return root.Rename(temp, name)
}

// ReplaceFile writes a file that only its owner can read. It creates missing folders, which only their owner
// can access.
func ReplaceFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return WriteFile(path, true, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// UpdateFile replaces a private file while the file is locked. It calls change with the old content, or with
// nil if the file does not exist, and writes the content that change returns. It writes nothing if change
// returns nil or an error. If another program holds the lock, UpdateFile waits until ctx ends.
func UpdateFile(ctx context.Context, path string, change func(old []byte) ([]byte, error)) error {
	return withLock(ctx, path, func() error {
		old, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		data, err := change(old)
		if err != nil {
			return err
		}
		if data == nil {
			return nil
		}
		return ReplaceFile(path, data)
	})
}
