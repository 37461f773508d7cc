package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// BackupFolder copies a data folder to a new folder: one state of the database and all
// files that it refers to. A service can use the folder at the same time.
func BackupFolder(ctx context.Context, dir, to string) error {
	db, err := openToRead(dir)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if err := checkSchema(ctx, db); errors.Is(err, errSchema) {
		return fmt.Errorf("%s: %w", dir, err)
	}
	return FillFolder(to, func(fresh string) error {
		if err := vacuumInto(ctx, db, filepath.Join(fresh, databaseFile)); err != nil {
			if isDamage(err) {
				return damageError(dir, err)
			}
			return fmt.Errorf("copying the database: %w", err)
		}
		return copyOtherFiles(ctx, dir, fresh)
	})
}

// vacuumInto copies a database to a new file that only its owner can read.
func vacuumInto(ctx context.Context, db *sql.DB, path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `VACUUM INTO ?`, path)
	return err
}

// RestoreFolder creates a data folder from a backup and checks the backup first. The
// folder must be new or empty.
func RestoreFolder(ctx context.Context, backup, dir string) error {
	if err := CheckBackup(ctx, backup); err != nil {
		return err
	}
	return BackupFolder(ctx, backup, dir)
}

// FillFolder creates a folder and fills it with fill. If fill fails, the folder does not
// exist afterwards.
func FillFolder(to string, fill func(fresh string) error) error {
	entries, err := os.ReadDir(to)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty; use a new or empty folder", to)
	}
	parent, name := filepath.Split(filepath.Clean(to))
	parent = filepath.Clean(parent)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(parent, "."+name+".new-")
	if err != nil {
		return err
	}
	if err := fill(fresh); err != nil {
		return errors.Join(err, os.RemoveAll(fresh))
	}
	_ = os.Remove(to) // if the folder exists, it is empty
	if err := os.Rename(fresh, to); err != nil {
		return errors.Join(err, os.RemoveAll(fresh))
	}
	return nil
}

// copyOtherFiles copies the files of a data folder that do not belong to the database: the
// encryption key of the secrets, the stored files and the messages in the outbox.
func copyOtherFiles(ctx context.Context, dir, to string) error {
	copyRoot, err := os.Stat(to)
	if err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // deleted in the meantime
			return nil
		}
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			isCopyRoot, err := isSameFolder(entry, copyRoot)
			if errors.Is(err, fs.ErrNotExist) { // deleted in the meantime
				return nil
			}
			if err != nil {
				return err
			}
			if isCopyRoot { // the copy is inside dir, so the walk would copy the copy
				return fmt.Errorf("the copy would be inside %s; use a folder outside it", dir)
			}
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		}
		if !isCopied(name, entry) {
			return nil
		}
		return copyFile(path, filepath.Join(to, name))
	})
}

// isSameFolder reports whether a directory entry is the given folder.
func isSameFolder(entry fs.DirEntry, folder fs.FileInfo) (bool, error) {
	info, err := entry.Info()
	if err != nil {
		return false, err
	}
	return os.SameFile(info, folder), nil
}

// isCopied reports whether a file of a data folder is copied to a backup. name is its path
// in the data folder.
func isCopied(name string, entry fs.DirEntry) bool {
	isDatabase := strings.HasPrefix(name, databaseFile)
	isPartial := strings.HasPrefix(entry.Name(), "new.")
	isState := name == lockName || name == checkedFile
	return entry.Type().IsRegular() && !isDatabase && !isPartial && !isState
}

// copyFile copies a file to a new file and waits until it is on disk. It does nothing if the file was deleted.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) { // deleted meanwhile
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}
