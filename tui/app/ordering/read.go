package ordering

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"flightdesk/api"
	"flightdesk/kmlcsv"
)

// FileRead is a survey file, read.
type FileRead struct {
	Path    string
	Swapped bool
	Again   bool // it is read in another way, what was dropped stays dropped
	Folder  bool // it is a folder, to be gone into
	Result  *kmlcsv.Result
}

// ReadFile reads and parses a survey file. Its errors name the file. The
// result may be there in spite of an error, with the header of a CSV whose
// columns are not known.
func ReadFile(_ context.Context, path string, opts kmlcsv.Options) (FileRead, error) {
	read := FileRead{Path: path, Swapped: opts.SwapLatLng}
	data, folder, err := readData(path)
	if read.Folder = folder; err != nil || folder {
		return read, err
	}
	opts.MaxBytes = api.MaxUploadBytes
	opts.Name = path
	if read.Result, err = kmlcsv.Parse(data, opts); err != nil {
		return read, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	offerThinner(read.Result)
	return read, nil
}

// readData reads a survey file, up to one byte past the limit: the parser says
// that it is too large.
func readData(path string) (data []byte, folder bool, err error) {
	info, err := os.Stat(path) // before it is opened: a pipe would wait for its writer
	switch {
	case err != nil:
		return nil, false, fmt.Errorf("%s: %w", path, FileReason(err))
	case info.IsDir():
		return nil, true, nil
	case !info.Mode().IsRegular():
		return nil, false, fmt.Errorf("%s: not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", path, FileReason(err))
	}
	defer func() { _ = f.Close() }()
	if data, err = io.ReadAll(io.LimitReader(f, api.MaxUploadBytes+1)); err != nil {
		return nil, false, fmt.Errorf("%s: %w", filepath.Base(path), FileReason(err))
	}
	return data, false, nil
}

// FileReason drops the path that file errors repeat.
func FileReason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
