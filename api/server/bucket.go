package server

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
)

// Bucket is a bucket on an S3-compatible server.
type Bucket struct {
	Address string // as s3://bucket/prefix?endpoint=https://host:9000&region=us-east-1
	// KeyFile is a file with a line for the key ID and a line for the secret. If it is empty, the
	// environment variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY contain them.
	KeyFile  string
	Redirect bool // downloads are redirected to the bucket
}

// linkedBucket returns the bucket that downloads are redirected to, or nil.
func (s *Server) linkedBucket() *files.S3 {
	if !s.Bucket.Redirect {
		return nil
	}
	opened := s.files
	if deferred, ok := opened.(*files.Deferred); ok {
		opened = deferred.Opened()
	}
	bucket, _ := opened.(*files.S3)
	return bucket
}

// openFiles opens the file store. If a bucket cannot be reached, it is opened later, so
// that the service can start.
func (s *Server) openFiles(ctx context.Context, kept *store.Store) (files.Store, error) {
	if s.Bucket.Address == "" {
		return s.openClaimed(ctx, kept)
	}
	limited, cancel := context.WithTimeout(ctx, cmp.Or(s.bucketWait, bucketStartTimeout))
	defer cancel()
	opened, err := s.openClaimed(limited, kept)
	if errors.Is(err, files.ErrAway) && ctx.Err() == nil {
		return files.NewDeferred(err, func(ctx context.Context) (files.Store, error) {
			return s.openClaimed(ctx, kept)
		}), nil
	}
	return opened, err
}

// claimableFiles is a file store that can be claimed for one owner.
type claimableFiles interface {
	Claim(ctx context.Context, owner string) error
}

// openClaimed opens the file store: a bucket, a folder or memory. It claims a bucket or a
// shared folder for the database, and fails if another database has claimed it.
func (s *Server) openClaimed(ctx context.Context, kept *store.Store) (files.Store, error) {
	opened, err := s.openUnclaimed(ctx)
	if err != nil {
		return nil, err
	}
	claimable, ok := opened.(claimableFiles)
	usedByOthers := s.isShared() || s.Bucket.Address != ""
	if !ok || !usedByOthers {
		return opened, nil
	}
	place := cmp.Or(s.Bucket.Address, "data folder "+s.Dir)
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
func (s *Server) openUnclaimed(ctx context.Context) (files.Store, error) {
	if s.Bucket.Address != "" {
		return s.Bucket.open(ctx)
	}
	if s.Dir == "" {
		return files.NewMemory(maxMemoryFiles), nil
	}
	open := files.OpenFolder
	name := "files"
	if s.isShared() {
		open = files.OpenSharedFolder
		name = sharedFiles
	}
	folder, err := open(filepath.Join(s.Dir, name))
	if err != nil {
		return nil, fmt.Errorf("data folder %s: %w", s.Dir, err)
	}
	return folder, nil
}

func (b Bucket) open(ctx context.Context) (files.Store, error) {
	key, err := files.ReadS3Key(b.KeyFile)
	if err != nil {
		return nil, err
	}
	bucket, err := files.OpenS3(ctx, b.Address, key)
	if err != nil {
		return nil, err
	}
	return bucket, nil
}

// sharedFiles is the folder with the files of processes that share a database, in the
// data folder.
const sharedFiles = "shared-files"

// bucketStartTimeout is how long the start waits for the bucket.
const bucketStartTimeout = 3 * time.Second
