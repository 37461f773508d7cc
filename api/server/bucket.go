package server

import (
	"context"
	"time"

	"flightdesk/api/server/internal/store/files"
)

// Bucket is a bucket on an S3-compatible server.
type Bucket struct {
	Address string // such as s3://bucket/prefix?endpoint=https://host:9000&region=us-east-1
	// KeyFile is the path of a file with a line for the key ID and a line for the secret. If
	// KeyFile is "", the key ID and the secret are in the environment variables AWS_ACCESS_KEY_ID
	// and AWS_SECRET_ACCESS_KEY.
	KeyFile  string
	Redirect bool // downloads are redirected to the bucket
}

// linkedBucket returns the bucket that downloads are redirected to, or nil.
func (s *service) linkedBucket(configured Bucket) *files.S3 {
	if !configured.Redirect {
		return nil
	}
	opened := s.files
	if deferred, ok := opened.(*files.Deferred); ok {
		opened = deferred.Opened()
	}
	bucket, _ := opened.(*files.S3)
	return bucket
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

// sharedFiles is the name of a folder inside the data folder. Processes that share a database
// store their files there.
const sharedFiles = "shared-files"

// bucketStartTimeout is how long the start waits for the bucket.
const bucketStartTimeout = 3 * time.Second
