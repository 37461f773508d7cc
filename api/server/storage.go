package server

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
)

// storage describes where the data of a service is: the database and the files. Its methods open
// both.
type storage struct {
	dir        string // data folder, or "" for a temporary folder
	database   store.SharedDatabase
	bucket     Bucket
	startWait  time.Duration // how long to wait for a shared database that is starting
	bucketWait time.Duration // how long to wait for the bucket
	log        *slog.Logger
}

// storage returns where the data of the server is.
func (s *Server) storage() storage {
	return storage{
		dir:        s.Dir,
		database:   s.Database,
		bucket:     s.Bucket,
		startWait:  s.StartWait,
		bucketWait: cmp.Or(s.tests.bucketWait, bucketStartTimeout),
		log:        s.Log,
	}
}

// isShared reports whether other processes may use the same database.
func (o storage) isShared() bool { return o.database.URL != "" }

// isTemporary reports whether the database is deleted when the service stops.
func (o storage) isTemporary() bool { return o.dir == "" && !o.isShared() }

// openStore opens the database: in the data folder, in a temporary folder, or shared with other processes.
func (o storage) openStore(ctx context.Context) (*store.Store, error) {
	if !o.isShared() {
		return store.Open(ctx, o.dir)
	}
	shared, err := o.awaitDatabase(ctx)
	if err != nil {
		return nil, err
	}
	isFilling, err := shared.IsFilling(ctx)
	if err != nil {
		return nil, errors.Join(err, shared.Close())
	}
	if isFilling {
		err := errors.New("a copy into this database is running or was interrupted; repeat flightdesk restore")
		return nil, errors.Join(err, shared.Close())
	}
	return shared, nil
}

// startPause is the pause between attempts to open a database that is starting.
const startPause = 500 * time.Millisecond

// awaitDatabase opens the shared database. While the database is starting or busy, it
// tries again, for up to startWait.
func (o storage) awaitDatabase(ctx context.Context) (*store.Store, error) {
	end := time.Now().Add(o.startWait)
	isLogged := false
	for {
		opened, err := store.OpenShared(ctx, o.database)
		if err == nil {
			return opened, nil
		}
		isTemporary := errors.Is(err, store.ErrAway) || errors.Is(err, store.ErrBusy)
		if !isTemporary || time.Now().After(end) {
			return opened, err
		}
		if !isLogged {
			o.log.Warn("waiting for the database", "for", o.startWait.String(), "error", err)
			isLogged = true
		}
		select {
		case <-time.After(startPause):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// openFiles opens the file store. If a bucket cannot be reached, it is opened later, so
// that the service can start.
func (o storage) openFiles(ctx context.Context, kept *store.Store) (files.Store, error) {
	if o.bucket.Address == "" {
		return o.openClaimed(ctx, kept)
	}
	limited, cancel := context.WithTimeout(ctx, o.bucketWait)
	defer cancel()
	opened, err := o.openClaimed(limited, kept)
	if errors.Is(err, files.ErrAway) && ctx.Err() == nil {
		return files.NewDeferred(err, func(ctx context.Context) (files.Store, error) {
			return o.openClaimed(ctx, kept)
		}), nil
	}
	return opened, err
}

// claimableFiles is a file store that remembers which database owns it. The owner calls Claim, so
// that no other database can use the same files.
type claimableFiles interface {
	Claim(ctx context.Context, owner string) error
}

// openClaimed opens the file store: a bucket, a folder or memory. It claims a bucket or a
// shared folder for the database, and fails if another database has claimed it.
func (o storage) openClaimed(ctx context.Context, kept *store.Store) (files.Store, error) {
	opened, err := o.openUnclaimed(ctx)
	if err != nil {
		return nil, err
	}
	claimable, ok := opened.(claimableFiles)
	usedByOthers := o.isShared() || o.bucket.Address != ""
	if !ok || !usedByOthers {
		return opened, nil
	}
	place := cmp.Or(o.bucket.Address, "data folder "+o.dir)
	if err := claimFiles(ctx, kept, claimable, place); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return opened, nil
}

// claimFiles claims a file store for the database, or fails if the file store belongs to
// another database. place is where the files are, for the error.
func claimFiles(ctx context.Context, kept *store.Store, claimable claimableFiles, place string) error {
	id, err := kept.Secret(ctx, "files.owner")
	if err != nil {
		return err
	}
	if err := claimable.Claim(ctx, hex.EncodeToString(id)); err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	return nil
}

// openUnclaimed opens the file store without checking which database it belongs to.
func (o storage) openUnclaimed(ctx context.Context) (files.Store, error) {
	if o.bucket.Address != "" {
		return o.bucket.open(ctx)
	}
	if o.dir == "" {
		return files.NewMemory(maxMemoryFiles), nil
	}
	open := files.OpenFolder
	name := "files"
	if o.isShared() {
		open = files.OpenSharedFolder
		name = sharedFiles
	}
	folder, err := open(filepath.Join(o.dir, name))
	if err != nil {
		return nil, fmt.Errorf("data folder %s: %w", o.dir, err)
	}
	return folder, nil
}

// withShared opens the shared database and its files, calls do and closes them.
func (o storage) withShared(ctx context.Context, do func(*store.Store, files.Store) error) error {
	kept, err := store.OpenShared(ctx, o.database)
	if err != nil {
		return err
	}
	content, err := o.openFiles(ctx, kept)
	if err != nil {
		return errors.Join(err, kept.Close())
	}
	return errors.Join(do(kept, content), content.Close(), kept.Close())
}
