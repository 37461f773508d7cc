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
	Address  string // as s3://bucket/prefix?endpoint=https://host:9000&region=us-east-1
	KeyFile  string // file with key ID and secret, one per line; "" uses AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY
	Redirect bool   // downloads are redirected to the bucket
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
	if err == nil || !errors.Is(err, files.ErrAway) || ctx.Err() != nil {
		return opened, err
	}
	return files.NewDeferred(err, func(ctx context.Context) (files.Store, error) {
		return s.openClaimed(ctx, kept)
	}), nil
}

// openClaimed opens the file store: a bucket, a folder or memory. A store that another
// installation could use must belong to the database.
func (s *Server) openClaimed(ctx context.Context, kept *store.Store) (files.Store, error) {
	opened, err := s.openUnclaimed(ctx)
	shared, isShared := opened.(interface {
		Claim(ctx context.Context, owner string) error
	})
	if err != nil {
		return opened, err
	}
	if !isShared || !s.isShared() && s.Bucket.Address == "" {
		return opened, nil
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

// openUnclaimed opens the file store without checking which database it belongs to.
func (s *Server) openUnclaimed(ctx context.Context) (files.Store, error) {
	if s.Bucket.Address != "" {
		key, err := files.ReadS3Key(s.Bucket.KeyFile)
		if err != nil {
			return nil, err
		}
		bucket, err := files.OpenS3(ctx, s.Bucket.Address, key)
		if err != nil {
			return nil, err
		}
		return bucket, nil
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

// sharedFiles is the folder with the files of processes that share a database, in the
// data folder.
const sharedFiles = "shared-files"

// bucketStartTimeout is how long the start waits for the bucket.
const bucketStartTimeout = 3 * time.Second
