package run

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"flightdesk/kmlcsv"
	"flightdesk/tui/app/guard"
)

// ReadInput reads a file, or standard input for "-", up to one byte past the
// limit: the parser says that it is too large. It returns when the context
// ends, also while a pipe says nothing.
func ReadInput(ctx context.Context, stdin io.Reader, path string) ([]byte, error) {
	var data []byte
	read := guard.Go(func() error {
		from := stdin
		if path != "-" {
			f, err := os.Open(path)
			if err != nil {
				return FileAdvice(err)
			}
			defer func() { _ = f.Close() }()
			from = f
		}
		var all bytes.Buffer
		if f, is := from.(*os.File); is {
			if info, err := f.Stat(); err == nil { // to read without growing
				all.Grow(int(min(info.Size(), kmlcsv.DefaultMaxBytes)) + bytes.MinRead)
			}
		}
		_, err := all.ReadFrom(io.LimitReader(from, kmlcsv.DefaultMaxBytes+1))
		data = all.Bytes()
		return FileAdvice(err)
	})
	select {
	case err := <-read:
		return data, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// FileAdvice returns a file error without the path, which its reader puts in front, and
// with what to do.
func FileAdvice(err error) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("file not found")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("permission denied; check the permissions of the file")
	case errors.Is(err, syscall.EISDIR):
		return errors.New("is a folder; name a KML, KMZ or CSV file in it")
	case errors.As(err, &path):
		return path.Err
	}
	return err
}
