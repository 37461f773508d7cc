package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

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
	if err := store.CheckBackup(ctx, dir); err != nil {
		return done, err
	}
	err = withFolder(ctx, dir, func(from *store.Store, content files.Store) error {
		return s.withShared(ctx, func(to *store.Store, place files.Store) error {
			var err error
			if done.Tables, err = to.CopyFrom(ctx, from); err != nil {
				return fmt.Errorf("data folder %s: %w", dir, err)
			}
			if err := done.copyFiles(ctx, from, content, place); err != nil {
				return err
			}
			return to.EndCopy(ctx)
		})
	})
	return done, err
}

// BackupShared copies what processes share to a new data folder, also while they serve:
// the database as it stands at one moment, and the files that it names then. The server
// must not be started.
func (s *Server) BackupShared(ctx context.Context, to string) error {
	return s.withShared(ctx, func(kept *store.Store, from files.Store) error {
		return store.FillFolder(to, func(fresh string) error {
			return withFolder(ctx, fresh, func(copied *store.Store, content files.Store) error {
				if err := kept.BackUp(ctx, copied, fresh); err != nil {
					return err
				}
				return new(CopyResult).copyFiles(ctx, copied, from, content)
			})
		})
	})
}

// withFolder opens the database and the files of a data folder while do uses them.
func withFolder(ctx context.Context, dir string, do func(*store.Store, files.Store) error) error {
	kept, err := store.Open(ctx, dir)
	if err != nil {
		return err
	}
	content, err := files.OpenFolder(filepath.Join(dir, "files"))
	if err != nil {
		return errors.Join(fmt.Errorf("data folder %s: %w", dir, err), kept.Close())
	}
	return errors.Join(do(kept, content), content.Close(), kept.Close())
}

// withShared opens what processes share while do uses it.
func (s *Server) withShared(ctx context.Context, do func(*store.Store, files.Store) error) error {
	kept, err := store.OpenShared(ctx, s.Database)
	if err != nil {
		return err
	}
	content, err := s.openFiles(ctx, kept)
	if err != nil {
		return errors.Join(err, kept.Close())
	}
	return errors.Join(do(kept, content), content.Close(), kept.Close())
}

// copyFiles copies the files that a database names, and counts them.
func (done *CopyResult) copyFiles(ctx context.Context, names *store.Store, from, to files.Store) error {
	return names.EachFile(ctx, func(f store.File) error {
		copied, err := copyFile(ctx, from, to, f)
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
}

// CheckFiles compares the records of files with the files: those of the database and the
// bucket of the server, or of its data folder. It returns how many are recorded, and a
// line for each difference. The server must not be started.
func (s *Server) CheckFiles(ctx context.Context) (recorded int, faults []string, err error) {
	sizes, err := store.NamedFiles(ctx, s.Database, s.Dir)
	if err != nil {
		return 0, nil, err
	}
	recorded = len(sizes)
	kept, err := s.openUnclaimed(ctx)
	if err != nil {
		return recorded, nil, err
	}
	for f, err := range kept.All(ctx) {
		if err != nil {
			return recorded, faults, errors.Join(err, kept.Close())
		}
		switch size, isNamed := sizes[f.Key]; {
		case !isNamed && f.Old: // a younger one may be about to be recorded
			faults = append(faults, fmt.Sprintf("file %s of %d bytes is in no record", f.Key, f.Size))
		case isNamed && size != f.Size:
			faults = append(
				faults,
				fmt.Sprintf("file %s has %d bytes, and should have %d", f.Key, f.Size, size),
			)
		}
		delete(sizes, f.Key)
	}
	for _, place := range slices.Sorted(maps.Keys(sizes)) {
		faults = append(faults, "file "+place+" is missing")
	}
	return recorded, faults, kept.Close()
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
		return false, errors.New("it does not match its record; run flightdesk serve --check for details")
	}
	return true, nil
}
