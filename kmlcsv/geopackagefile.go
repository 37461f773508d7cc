package kmlcsv

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"time"
)

// packageName is the name under which SQLite opens the database in memory.
const packageName = "data.gpkg"

// packageFiles is a file system with a single file, the database in memory. SQLite needs a file system because it
// cannot open a database from memory. If the context has ended, reading returns an error, so that queries end, too.
type packageFiles struct {
	ctx  context.Context
	data []byte
}

// Open opens the database.
func (f packageFiles) Open(name string) (fs.File, error) {
	if name != packageName {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &packageFile{Reader: bytes.NewReader(f.data), files: f}, nil
}

// packageFile is the open database. SQLite reads a changed header from it, which says that the database has no
// write-ahead log. Otherwise SQLite would look for the files of this log, which are not available.
type packageFile struct {
	*bytes.Reader
	files packageFiles
}

// The bytes in the header that say whether the database has a write-ahead log, and the value of each if it has none.
const (
	walFrom = 18
	walTo   = 20
	noWAL   = 1
)

// Read reads the next bytes of the database.
func (f *packageFile) Read(into []byte) (int, error) {
	if err := f.files.ctx.Err(); err != nil {
		return 0, err
	}
	offset := f.Size() - int64(f.Len())
	n, err := f.Reader.Read(into)
	for i := max(offset, walFrom); i < min(offset+int64(n), walTo); i++ {
		into[i-offset] = noWAL
	}
	return n, err
}

// Stat returns the size of the database.
func (f *packageFile) Stat() (fs.FileInfo, error) { return packageInfo{f.Size()}, nil }

// Close does nothing.
func (f *packageFile) Close() error { return nil }

// packageInfo describes the database in memory. It implements [fs.FileInfo].
type packageInfo struct{ size int64 }

func (packageInfo) Name() string       { return packageName }
func (i packageInfo) Size() int64      { return i.size }
func (packageInfo) Mode() fs.FileMode  { return 0o400 }
func (packageInfo) ModTime() time.Time { return time.Time{} }
func (packageInfo) IsDir() bool        { return false }
func (packageInfo) Sys() any           { return nil }

var _ io.Seeker = (*packageFile)(nil)
