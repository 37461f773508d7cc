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

// CopyResult describes a finished copy of a data folder.
type CopyResult struct {
	Tables []store.CopiedTable
	Files  int
	Bytes  int64 // of files
	Unmade int   // sample files, which are generated when read and not stored
}

// CopyFolder copies a data folder into the database and file store of the server, and
// verifies counts and digests. The folder must not be in use and the server must not be
// started. After an interruption, another call continues the copy.
func (s *Server) CopyFolder(ctx context.Context, dir string) (done CopyResult, err error) {
	if err := store.CheckBackup(ctx, dir); err != nil {
		return done, err
	}
	err = withFolder(ctx, dir, func(from *store.Store, content files.Store) error {
		return s.withShared(ctx, func(to *store.Store, place files.Store) error {
			var err error
			done.Tables, err = to.CopyFrom(ctx, from)
			if err != nil {
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

// BackupShared copies a shared database and its files to a new data folder, as of one
// moment. Other processes may use the database. The server must not be started.
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

// withFolder opens the database and files of a data folder, calls do and closes them.
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

// withShared opens the shared database and its files, calls do and closes them.
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

// copyFiles copies the files that are recorded in a database, and counts them.
func (done *CopyResult) copyFiles(ctx context.Context, names *store.Store, from, to files.Store) error {
	return names.EachFile(ctx, func(f store.File) error {
		copied, err := copyFile(ctx, from, to, f)
		if err != nil {
			return fmt.Errorf("file %s (%s): %w", f.Name, f.Place, err)
		} else if !copied {
			done.Unmade++
		} else {
			done.Files++
			done.Bytes += f.Size
		}
		return nil
	})
}

// CheckFiles compares the records of files with the files in the bucket or data folder of
// the server. It returns the number of records and one line for each difference. The
// server must not be started.
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
		size, isNamed := sizes[f.Key]
		if !isNamed && f.Old { // a younger one may be about to be recorded
			faults = append(faults, fmt.Sprintf("file %s of %d bytes is in no record", f.Key, f.Size))
		} else if isNamed && size != f.Size {
			faults = append(faults,
				fmt.Sprintf("file %s has %d bytes, and should have %d", f.Key, f.Size, size))
		}
		delete(sizes, f.Key)
	}
	for _, place := range slices.Sorted(maps.Keys(sizes)) {
		faults = append(faults, "file "+place+" is missing")
	}
	return recorded, faults, kept.Close()
}

// copyFile copies a file unless the target has it already. It returns false for sample
// files, which are not stored.
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
