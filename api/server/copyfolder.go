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
	Bytes  int64 // size of the files
	// Skipped is the number of sample files that were not copied, because they are not stored
	// but generated when they are read.
	Skipped int
}

// CopyFolder copies a data folder into the database and file store of the server, and
// verifies counts and digests. The folder must not be in use and the server must not be
// started. After an interruption, another call continues the copy.
func (s *Server) CopyFolder(ctx context.Context, dir string) (done CopyResult, err error) {
	if err := store.CheckBackup(ctx, dir); err != nil {
		return done, err
	}
	err = withFolder(ctx, dir, func(from *store.Store, fromFiles files.Store) error {
		return s.storage().withShared(ctx, func(to *store.Store, toFiles files.Store) error {
			tables, err := to.CopyFrom(ctx, from)
			done.Tables = tables
			if err != nil {
				return fmt.Errorf("data folder %s: %w", dir, err)
			}
			if err := done.copyFiles(ctx, from, fromFiles, toFiles); err != nil {
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
	return s.storage().withShared(ctx, func(shared *store.Store, sharedFiles files.Store) error {
		return store.FillFolder(to, func(fresh string) error {
			return backUpInto(ctx, fresh, shared, sharedFiles)
		})
	})
}

// backUpInto copies a shared database and its files into an empty data folder.
func backUpInto(ctx context.Context, dir string, shared *store.Store, sharedFiles files.Store) error {
	return withFolder(ctx, dir, func(backup *store.Store, backupFiles files.Store) error {
		if err := shared.BackUp(ctx, backup, dir); err != nil {
			return err
		}
		var counted CopyResult
		return counted.copyFiles(ctx, backup, sharedFiles, backupFiles)
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

// copyFiles copies the files that a database has records of, and counts them.
func (done *CopyResult) copyFiles(ctx context.Context, records *store.Store, from, to files.Store) error {
	return records.EachFile(ctx, func(f store.File) error {
		if demodata.IsSample(f.Place) {
			done.Skipped++
			return nil
		}
		if err := copyFile(ctx, from, to, f); err != nil {
			return fmt.Errorf("file %s (%s): %w", f.Name, f.Place, err)
		}
		done.Files++
		done.Bytes += f.Size
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
	kept, err := s.storage().openUnclaimed(ctx)
	if err != nil {
		return recorded, nil, err
	}
	missing := maps.Clone(sizes) // the records whose file was not seen yet
	for f, err := range kept.All(ctx) {
		if err != nil {
			return recorded, faults, errors.Join(err, kept.Close())
		}
		delete(missing, f.Key)
		if fault := fileFault(f, sizes); fault != "" {
			faults = append(faults, fault)
		}
	}
	for _, place := range slices.Sorted(maps.Keys(missing)) {
		faults = append(faults, "file "+place+" is missing")
	}
	return recorded, faults, kept.Close()
}

// fileFault describes the difference between a stored file and its record in the database, or
// returns "". sizes contains the recorded size of each file by its key.
func fileFault(f files.KeptFile, sizes map[string]int64) string {
	size, isRecorded := sizes[f.Key]
	if isRecorded && f.Size != size {
		return fmt.Sprintf("file %s has %d bytes, and should have %d", f.Key, f.Size, size)
	}
	if !isRecorded && f.Old { // a new file may be about to be recorded
		return fmt.Sprintf("file %s of %d bytes is in no record", f.Key, f.Size)
	}
	return ""
}

// copyFile copies a file unless the target has it already.
func copyFile(ctx context.Context, from, to files.Store, f store.File) error {
	isCopied, err := hasFile(ctx, to, f)
	if err != nil {
		return err
	}
	if isCopied {
		return nil
	}
	content, err := from.Open(ctx, f.Place)
	if err != nil {
		return err
	}
	sum, err := to.Put(ctx, f.Place, content)
	if err := errors.Join(err, content.Close()); err != nil {
		return err
	}
	if sum.Size != f.Size || hex.EncodeToString(sum.SHA256[:]) != f.SHA256 {
		return errors.New("it does not match its record; run flightdesk serve --check for details")
	}
	return nil
}

// hasFile reports whether a file store contains a file with the size and the digest of its
// record.
func hasFile(ctx context.Context, in files.Store, f store.File) (bool, error) {
	content, err := in.Open(ctx, f.Place)
	if errors.Is(err, files.ErrMissing) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	hash := sha256.New()
	size, err := io.Copy(hash, content)
	if err := errors.Join(err, content.Close()); err != nil {
		return false, err
	}
	return size == f.Size && hex.EncodeToString(hash.Sum(nil)) == f.SHA256, nil
}
