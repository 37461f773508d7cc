package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"flightdesk/api/server/internal/demodata"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
)

// CopyResult is what a copy of a data folder amounts to.
type CopyResult struct {
	Tables []store.CopiedTable
	Files  int
	Bytes  int64 // of files
	Unmade int   // sample files, which no folder keeps
}

// CopyFolder copies a data folder that nobody serves from into the server's
// database and file store, and verifies counts and digests. Another call
// resumes it. The server must not be started.
func (s *Server) CopyFolder(ctx context.Context, dir string) (done CopyResult, err error) {
	from, err := store.Open(ctx, dir)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	content, err := files.OpenFolder(filepath.Join(dir, "files"))
	if err != nil {
		return done, fmt.Errorf("data folder %s: %w", dir, err)
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	to, err := store.OpenShared(ctx, s.Database)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	place, err := s.openFiles(ctx, to)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, place.Close()) }()
	if done.Tables, err = to.CopyFrom(ctx, from); err != nil {
		return done, fmt.Errorf("data folder %s: %w", dir, err)
	}
	err = from.EachFile(ctx, func(f store.File) error {
		copied, err := copyFile(ctx, content, place, f)
		switch {
		case err != nil:
			return fmt.Errorf("file %s (%s): %w", f.Name, f.Place, err)
		case !copied:
			done.Unmade++
		default:
			done.Files++
			done.Bytes += f.Size
		}
		return nil
	})
	if err != nil {
		return done, err
	}
	return done, to.EndCopy(ctx)
}

// copyFile copies a file unless it is there already, and reports whether there
// is one.
func copyFile(ctx context.Context, from, to files.Store, f store.File) (bool, error) {
	if demodata.IsSample(f.Place) {
		return false, nil
	}
	there, err := to.Open(ctx, f.Place)
	if err == nil {
		hash := sha256.New()
		n, err := io.Copy(hash, there)
		if err = errors.Join(err, there.Close()); err != nil {
			return false, err
		}
		if n == f.Size && hex.EncodeToString(hash.Sum(nil)) == f.SHA256 {
			return true, nil
		}
	} else if !errors.Is(err, files.ErrMissing) {
		return false, err
	}
	content, err := from.Open(ctx, f.Place)
	if err != nil {
		return false, err
	}
	sum, err := to.Put(ctx, f.Place, content)
	if err = errors.Join(err, content.Close()); err != nil {
		return false, err
	}
	if sum.Size != f.Size || hex.EncodeToString(sum.SHA256[:]) != f.SHA256 {
		return false, errors.New("it does not match the folder's database; run flightdesk serve --check for details")
	}
	return true, nil
}
