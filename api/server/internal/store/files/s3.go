package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"flightdesk/config/atomicfile"
)

const (
	// partBytes is how much of a file is in memory on its way: S3 takes 10,000
	// parts, which makes 80 GiB.
	partBytes = 8 << 20
	s3Tries   = 3
	probeName = "new.probe"
)

// S3 keeps files in a bucket.
type S3 struct {
	core           minio.Core
	bucket, prefix string
	opened         time.Time // by the bucket's clock
}

// S3Key opens a bucket.
type S3Key struct {
	ID, Secret string
	file       string // that it was read from, and is read from again when the file changes; "": none
}

// String hides the secret.
func (S3Key) String() string { return "a key of S3" }

// ReadS3Key reads a key from a file of two lines, else, without a file, from
// AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
func ReadS3Key(file string) (S3Key, error) {
	if file == "" {
		key := S3Key{ID: os.Getenv("AWS_ACCESS_KEY_ID"), Secret: os.Getenv("AWS_SECRET_ACCESS_KEY")}
		if key.ID == "" || key.Secret == "" {
			return key, errors.New("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set; " +
				"set them, or name a file that has both, a line each")
		}
		return key, nil
	}
	text, err := atomicfile.ReadSettings(file)
	if err != nil {
		return S3Key{}, err
	}
	lines := strings.Fields(string(text))
	if len(lines) != 2 {
		return S3Key{}, fmt.Errorf("%s must contain the id and the secret of an S3 key, one per line", file)
	}
	return S3Key{lines[0], lines[1], file}, nil
}

// keyFile gives the client of a bucket the key in a file, and another one once the file has
// changed.
type keyFile struct {
	mu    sync.Mutex
	key   S3Key // the last one that could be read
	state string
}

func credentialsOf(key S3Key) *credentials.Credentials {
	if key.file == "" {
		return credentials.NewStaticV4(key.ID, key.Secret, "")
	}
	return credentials.New(&keyFile{key: key, state: stateOf(key.file)})
}

// stateOf returns a text that changes when a file is replaced.
func stateOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size())
}

// Retrieve returns the key in the file, or the earlier one if the file has none.
func (f *keyFile) Retrieve() (credentials.Value, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.state = stateOf(f.key.file)
	key, err := ReadS3Key(f.key.file)
	if err == nil {
		f.key = key
	}
	return credentials.Value{
		AccessKeyID:     f.key.ID,
		SecretAccessKey: f.key.Secret,
		SignerType:      credentials.SignatureV4,
	}, nil
}

// RetrieveWithCredContext does what Retrieve does.
func (f *keyFile) RetrieveWithCredContext(*credentials.CredContext) (credentials.Value, error) {
	return f.Retrieve()
}

// IsExpired reports whether the file has changed since the key was read.
func (f *keyFile) IsExpired() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return stateOf(f.key.file) != f.state
}

var errS3Address = errors.New(
	"not a valid address for files; use s3://bucket/prefix?endpoint=https://host:9000&region=us-east-1",
)

// OpenS3 opens what a bucket has below a prefix, given as
// s3://bucket/prefix?endpoint=https://host:port&region=name. Without an endpoint
// it is Amazon's. It makes sure that files can be kept there.
func OpenS3(ctx context.Context, address string, key S3Key) (*S3, error) {
	s, err := newS3(address, key)
	if err != nil {
		return nil, err
	}
	if err := s.probeBucket(ctx); err != nil {
		return nil, fmt.Errorf("bucket %s at %s: %w", s.bucket, s.core.EndpointURL().Host,
			s.adviseError(err, key))
	}
	return s, nil
}

func newS3(address string, key S3Key) (*S3, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil {
		return nil, errS3Address
	}
	query := u.Query()
	endpoint, err := s3Endpoint(query)
	if err != nil {
		return nil, err
	}
	client, err := minio.New(endpoint.Host, &minio.Options{
		Creds: credentialsOf(key), Secure: endpoint.Scheme == "https",
		Region: query.Get("region"), MaxRetries: s3Tries,
	})
	if err != nil {
		return nil, errS3Address
	}
	s := &S3{core: minio.Core{Client: client}, bucket: u.Host}
	if prefix := strings.Trim(u.Path, "/"); prefix != "" {
		s.prefix = prefix + "/"
	}
	return s, nil
}

// s3Endpoint returns the server that an address names.
func s3Endpoint(query url.Values) (*url.URL, error) {
	for name := range query {
		if name != "endpoint" && name != "region" {
			return nil, errS3Address
		}
	}
	text := query.Get("endpoint")
	if text == "" {
		return &url.URL{Scheme: "https", Host: "s3.amazonaws.com"}, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil ||
		strings.Trim(u.Path, "/") != "" {
		return nil, errS3Address
	}
	return u, nil
}

// probeBucket keeps an object and drops it again, which also tells the bucket's clock.
func (s *S3) probeBucket(ctx context.Context) error {
	name := s.prefix + probeName
	if err := s.putObject(ctx, name, strings.NewReader("probe"), int64(len("probe"))); err != nil {
		return err
	}
	info, err := s.core.StatObject(ctx, s.bucket, name, minio.StatObjectOptions{})
	if err != nil {
		return err
	}
	s.opened = info.LastModified
	return s.core.RemoveObject(ctx, s.bucket, name, minio.RemoveObjectOptions{})
}

// adviseError says what to do about a bucket that cannot be used.
func (s *S3) adviseError(err error, key S3Key) error {
	switch said := minio.ToErrorResponse(err); said.Code {
	case minio.NoSuchBucket:
		return errors.New("bucket not found; create it first")
	case minio.AccessDenied:
		return fmt.Errorf("key %s lacks permission to read, write or delete; grant it", key.ID)
	case "InvalidAccessKeyId", "SignatureDoesNotMatch":
		return fmt.Errorf("key %s rejected; check id and secret", key.ID)
	case "RequestTimeTooSkewed":
		return errors.New("this machine's clock differs too much from the bucket's; synchronise " +
			"it, for example with NTP")
	default:
		if isRejection(said.StatusCode) {
			return err
		}
	}
	return namedS3(err)
}

// isRejection reports whether a bucket's server would answer the same request with the
// same status later.
func isRejection(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	}
	return status >= 400 && status < 500
}

// namedS3 names the errors that callers tell apart.
func namedS3(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	var said minio.ErrorResponse
	if !errors.As(err, &said) {
		return fmt.Errorf("%w: %w", ErrAway, err)
	}
	if said.Code == minio.NoSuchKey {
		return fmt.Errorf("%w: %s", ErrMissing, said.Key)
	}
	if said.StatusCode == http.StatusInsufficientStorage ||
		said.Code == "QuotaExceeded" || said.Code == "XMinioStorageFull" {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return fmt.Errorf("%w: %w", ErrAway, err)
}

// summingReader reads what it sums up, and remembers an error of its source.
type summingReader struct {
	r    io.Reader
	hash interface{ Write([]byte) (int, error) }
	size int64
	err  error
}

// Read reads a part.
func (s *summingReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	_, _ = s.hash.Write(p[:n]) // never fails
	s.size += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// Claim has what the bucket has below the prefix belong to an owner, or returns [ErrOwned].
func (s *S3) Claim(ctx context.Context, owner string) error {
	name := s.prefix + ownerName
	read := func() (string, error) {
		object, _, _, err := s.core.GetObject(ctx, s.bucket, name, minio.GetObjectOptions{})
		if err != nil {
			return "", namedS3(err)
		}
		id, err := io.ReadAll(object)
		return string(id), errors.Join(namedS3(err), object.Close())
	}
	return claimFor(owner, read, func() error {
		return namedS3(s.putObject(ctx, name, strings.NewReader(owner), int64(len(owner))))
	})
}

// Put keeps a file: a small one at once, a larger one part by part, of which
// nothing is kept before the last.
func (s *S3) Put(ctx context.Context, key string, r io.Reader) (FileSum, error) {
	var sum FileSum
	if err := checkKey(key); err != nil {
		return FileSum{}, err
	}
	hash := sha256.New()
	from := &summingReader{r: readerWith{ctx, r}, hash: hash}
	var first bytes.Buffer
	n, err := io.CopyN(&first, from, partBytes)
	if errors.Is(err, io.EOF) {
		err = s.putObject(ctx, s.prefix+key, &first, n)
	} else if err == nil {
		err = s.putObject(ctx, s.prefix+key, io.MultiReader(&first, from), -1)
	}
	if from.err != nil {
		return FileSum{}, from.err
	}
	if err != nil {
		return FileSum{}, namedS3(err)
	}
	sum.Size = from.size
	hash.Sum(sum.SHA256[:0])
	return sum, nil
}

func (s *S3) putObject(ctx context.Context, name string, r io.Reader, size int64) error {
	_, err := s.core.Client.PutObject(ctx, s.bucket, name, r, size, minio.PutObjectOptions{
		ContentType: "application/octet-stream", PartSize: partBytes,
	})
	return err
}

// Open opens a file. What is read of it is asked for then.
func (s *S3) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	info, err := s.core.StatObject(ctx, s.bucket, s.prefix+key, minio.StatObjectOptions{})
	if err != nil {
		return nil, namedS3(err)
	}
	return &bucketObject{
		ctx:  ctx,
		s:    s,
		name: s.prefix + key,
		size: info.Size,
		end:  info.Size,
	}, nil
}

// Link returns an address that a file can be had at without a key for a while,
// as name and of a media type.
func (s *S3) Link(ctx context.Context, key, disposition, mediaType string, life time.Duration) (string, error) {
	u, err := s.core.PresignedGetObject(ctx, s.bucket, s.prefix+key, life, url.Values{
		"response-content-disposition": {disposition}, "response-content-type": {mediaType},
	})
	if err != nil {
		return "", namedS3(err)
	}
	return u.String(), nil
}

// Remove drops a file.
func (s *S3) Remove(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	return namedS3(s.core.RemoveObject(ctx, s.bucket, s.prefix+key, minio.RemoveObjectOptions{}))
}

// All gives the files. Old are those that no process may still be busy with.
func (s *S3) All(ctx context.Context) iter.Seq2[KeptFile, error] {
	return func(yield func(KeptFile, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel() // which ends the listing, too
		for info := range s.core.Client.ListObjects(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix}) {
			key := strings.TrimPrefix(info.Key, s.prefix)
			if info.Err != nil {
				yield(KeptFile{}, namedS3(info.Err))
				return
			}
			if checkKey(key) != nil {
				continue
			}
			if !yield(KeptFile{key, info.Size, info.LastModified.Before(s.opened.Add(-SharedGrace))}, nil) {
				return
			}
		}
	}
}

// Ready asks for something that is not there.
func (s *S3) Ready(ctx context.Context) error {
	_, err := s.core.StatObject(ctx, s.bucket, s.prefix+probeName, minio.StatObjectOptions{})
	err = namedS3(err)
	if errors.Is(err, ErrMissing) {
		return nil
	}
	return err
}

// Close closes nothing: connections end by themselves.
func (s *S3) Close() error { return nil }

// bucketObject is a file of a bucket that is read.
type bucketObject struct {
	ctx    context.Context // of the request that it is read for
	s      *S3
	name   string
	size   int64
	at     int64
	end    int64 // no more than this is asked for
	stream io.ReadCloser
}

// Want says that nothing from end on will be read.
func (o *bucketObject) Want(end int64) {
	if end > 0 && end < o.size {
		o.end = end
	}
}

// Read reads on from where the file is at.
func (o *bucketObject) Read(p []byte) (int, error) {
	if o.at >= o.size {
		return 0, io.EOF
	}
	if o.stream == nil {
		if o.at >= o.end {
			o.end = o.size
		}
		var opts minio.GetObjectOptions
		if o.at > 0 || o.end < o.size {
			if err := opts.SetRange(o.at, o.end-1); err != nil {
				return 0, err
			}
		}
		stream, _, _, err := o.s.core.GetObject(o.ctx, o.s.bucket, o.name, opts)
		if err != nil {
			return 0, namedS3(err)
		}
		o.stream = stream
	}
	n, err := o.stream.Read(p)
	o.at += int64(n)
	if errors.Is(err, io.EOF) && o.at < o.size {
		err = o.Close() // there is more beyond what was asked for
		if n == 0 && err == nil && o.at < o.end {
			err = io.ErrUnexpectedEOF
		}
	}
	return n, err
}

// Seek goes to another place of the file.
func (o *bucketObject) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += o.at
	case io.SeekEnd:
		offset += o.size
	}
	if offset < 0 {
		return 0, errors.New("an offset before the start of the file")
	}
	if offset == o.at {
		return offset, nil
	}
	o.at = offset
	return offset, o.Close()
}

// Close ends reading.
func (o *bucketObject) Close() error {
	if o.stream == nil {
		return nil
	}
	stream := o.stream
	o.stream = nil
	return stream.Close()
}
