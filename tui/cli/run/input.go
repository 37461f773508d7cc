package run

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"flightdesk/kmlcsv"
)

// ReadInput reads a file, or standard input for "-", up to one byte past the
// limit: the parser says that it is too large. It returns when the context
// ends, also while a pipe says nothing.
func ReadInput(ctx context.Context, stdin io.Reader, path string) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	read := make(chan result, 1)
	go func() {
		from := stdin
		if path != "-" {
			f, err := os.Open(path)
			if err != nil {
				read <- result{err: FileAdvice(err)}
				return
			}
			defer func() { _ = f.Close() }()
			from = f
		}
		data, err := io.ReadAll(io.LimitReader(from, kmlcsv.DefaultMaxBytes+1))
		read <- result{data, FileAdvice(err)}
	}()
	select {
	case r := <-read:
		return r.data, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// FileAdvice is a file error without the path, which its reader puts in front, and
// with what to do.
func FileAdvice(err error) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("no such file; check the path")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("this file cannot be read; check its permissions")
	case errors.Is(err, syscall.EISDIR):
		return errors.New("this is a folder; name a KML, KMZ or CSV file in it")
	case errors.As(err, &path):
		return path.Err
	}
	return err
}
