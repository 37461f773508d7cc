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

// BackupFolder copies a data folder to a new one, also while a service uses it: the
// database as it stands at one moment, and all files that it names then.
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
		return copyBeside(ctx, dir, fresh)
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

// RestoreFolder makes a data folder of a backup that is whole. The folder must not be
// there yet, or be empty.
func RestoreFolder(ctx context.Context, backup, dir string) error {
	if err := CheckBackup(ctx, backup); err != nil {
		return err
	}
	return BackupFolder(ctx, backup, dir)
}

// FillFolder makes a folder that fill fills, whole or not at all.
func FillFolder(to string, fill func(fresh string) error) error {
	if entries, err := os.ReadDir(to); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty; use a new or empty folder", to)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(filepath.Clean(to)), 0o700); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(filepath.Clean(to)), "."+filepath.Base(filepath.Clean(to))+".new-")
	if err != nil {
		return err
	}
	err = fill(fresh)
	if err == nil {
		_ = os.Remove(to) // an empty one
		err = os.Rename(fresh, to)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(fresh))
	}
	return nil
}

// copyBeside copies what is beside the database: the key of its secrets, files
// and messages.
func copyBeside(ctx context.Context, dir, to string) error {
	target, _ := os.Stat(to)
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		name, relErr := filepath.Rel(dir, path)
		switch {
		case errors.Is(err, fs.ErrNotExist): // dropped meanwhile
			return nil
		case err != nil || relErr != nil:
			return errors.Join(err, relErr)
		case d.IsDir():
			if info, _ := d.Info(); os.SameFile(info, target) {
				return fmt.Errorf("the copy would be inside %s; use a folder outside it", dir)
			}
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		case name == lockName,
			name == checkedFile,
			strings.HasPrefix(name, databaseFile),
			strings.HasPrefix(d.Name(), "new."),
			!d.Type().IsRegular():
			return nil
		}
		return copyFile(path, filepath.Join(to, name))
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) { // dropped meanwhile
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
