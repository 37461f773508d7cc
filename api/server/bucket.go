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

// Bucket is a bucket of an S3-compatible server.
type Bucket struct {
	Address  string // as s3://bucket/prefix?endpoint=https://host:9000&region=us-east-1
	KeyFile  string // has id and secret, a line each; "": AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY
	Redirect bool   // has whoever downloads a file fetch it from the bucket itself
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

// openFiles opens the file store. A bucket that cannot be reached is opened later, so that
// everything else is served meanwhile.
func (s *Server) openFiles(ctx context.Context, kept *store.Store) (files.Store, error) {
	if s.Bucket.Address == "" {
		return s.openClaimed(ctx, kept)
	}
	limited, cancel := context.WithTimeout(ctx, cmp.Or(s.bucketWait, bucketStartTimeout))
	defer cancel()
	opened, err := s.openClaimed(limited, kept)
	if err == nil || !errors.Is(err, files.ErrAway) || ctx.Err() != nil {
		return opened, err
	}
	return files.NewDeferred(err, func(ctx context.Context) (files.Store, error) {
		return s.openClaimed(ctx, kept)
	}), nil
}

// openClaimed opens the file store: a bucket, that of a data folder, or one in
// memory. One that another installation could use must belong to the database.
func (s *Server) openClaimed(ctx context.Context, kept *store.Store) (files.Store, error) {
	opened, err := s.openUnclaimed(ctx)
	shared, isShared := opened.(interface {
		Claim(ctx context.Context, owner string) error
	})
	if err != nil || !isShared || !s.isShared() && s.Bucket.Address == "" {
		return opened, err
	}
	id, err := kept.Secret(ctx, "files.owner")
	if err == nil {
		if err = shared.Claim(ctx, hex.EncodeToString(id)); err != nil {
			err = fmt.Errorf("%s: %w", cmp.Or(s.Bucket.Address, "data folder "+s.Dir), err)
		}
	}
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return opened, nil
}

// openUnclaimed opens the file store, whosever it is.
func (s *Server) openUnclaimed(ctx context.Context) (files.Store, error) {
	switch {
	case s.Bucket.Address != "":
		key, err := files.ReadS3Key(s.Bucket.KeyFile)
		if err != nil {
			return nil, err
		}
		bucket, err := files.OpenS3(ctx, s.Bucket.Address, key)
		if err != nil {
			return nil, err
		}
		return bucket, nil
	case s.Dir == "":
		return files.NewMemory(maxMemoryFiles), nil
	}
	open, name := files.OpenFolder, "files"
	if s.isShared() {
		open, name = files.OpenSharedFolder, sharedFiles
	}
	folder, err := open(filepath.Join(s.Dir, name))
	if err != nil {
		return nil, fmt.Errorf("data folder %s: %w", s.Dir, err)
	}
	return folder, nil
}

// sharedFiles is the folder in a data folder that has the files of processes
// which share a database.
const sharedFiles = "shared-files"

// bucketStartTimeout is how long a start waits for the bucket.
const bucketStartTimeout = 3 * time.Second
