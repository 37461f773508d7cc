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
	// partBytes is the size of a part. Parts are buffered in memory. S3 allows 10,000
	// parts, so a file can have 80 GiB.
	partBytes = 8 << 20
	s3Tries   = 3
	probeName = "new.probe"
)

// S3 stores files in a bucket.
type S3 struct {
	core           minio.Core
	bucket, prefix string
	opened         time.Time // by the bucket's clock
}

// S3Key is an access key.
type S3Key struct {
	ID, Secret string
	file       string // file with the ID and the secret, read again when it changes; "" if there is none
}

// String returns a text without the secret.
func (S3Key) String() string { return "a key of S3" }

// ReadS3Key reads the ID and the secret from the two lines of a file. If file is "", it
// reads AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
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

// keyFile gives the client of a bucket the access key in a file. When the file changes, the
// client gets the new key.
type keyFile struct {
	mu    sync.Mutex
	key   S3Key  // last key that could be read
	state string // fingerprint of the file when the key was read
}

func credentialsOf(key S3Key) *credentials.Credentials {
	if key.file == "" {
		return credentials.NewStaticV4(key.ID, key.Secret, "")
	}
	return credentials.New(&keyFile{key: key, state: stateOf(key.file)})
}

// stateOf returns a fingerprint that changes when a file is replaced.
func stateOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size())
}

// Retrieve reads the key from the file. It returns the previous key if the file contains no valid
// one.
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

// RetrieveWithCredContext calls Retrieve.
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

// OpenS3 opens the part of a bucket below a prefix, and checks that files can be stored in it.
// The address is s3://bucket/prefix?endpoint=https://host:port&region=name. If it has no
// endpoint, the bucket is on Amazon S3.
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

// newS3 returns a store for an address such as s3://bucket/prefix?endpoint=https://s3.example.com. It sends no request.
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

// s3Endpoint returns the URL of the server in an address.
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

// probeBucket stores and deletes an object. It also reads the bucket's clock.
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

// adviseError adds to an error what the user can do about it.
func (s *S3) adviseError(err error, key S3Key) error {
	response := minio.ToErrorResponse(err)
	switch response.Code {
	case minio.NoSuchBucket:
		return errors.New("bucket not found; create it first")
	case minio.AccessDenied:
		return fmt.Errorf("key %s lacks permission to read, write or delete; grant it", key.ID)
	case "InvalidAccessKeyId", "SignatureDoesNotMatch":
		return fmt.Errorf("key %s rejected; check id and secret", key.ID)
	case "RequestTimeTooSkewed":
		return errors.New("this machine's clock differs too much from the bucket's; synchronise " +
			"it, for example with NTP")
	}
	if isRejection(response.StatusCode) {
		return err
	}
	return mapS3Error(err)
}

// isRejection reports whether a status means that repeating the request is useless, because the
// server would refuse it again.
func isRejection(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	}
	return status >= 400 && status < 500
}

// mapS3Error wraps an error in the error of this package that callers check for: ErrMissing,
// ErrFull or ErrAway.
func mapS3Error(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	var response minio.ErrorResponse
	if !errors.As(err, &response) {
		return fmt.Errorf("%w: %w", ErrAway, err)
	}
	if response.Code == minio.NoSuchKey {
		return fmt.Errorf("%w: %s", ErrMissing, response.Key)
	}
	if response.StatusCode == http.StatusInsufficientStorage ||
		response.Code == "QuotaExceeded" || response.Code == "XMinioStorageFull" {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return fmt.Errorf("%w: %w", ErrAway, err)
}

// summingReader computes the size and the hash of what is read from r. It saves an error of r in
// err.
type summingReader struct {
	r    io.Reader
	hash interface{ Write([]byte) (int, error) }
	size int64
	err  error
}

// Read implements [io.Reader].
func (s *summingReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	_, _ = s.hash.Write(p[:n]) // never fails
	s.size += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// Claim makes the part of the bucket below the prefix belong to an owner. It returns [ErrOwned]
// if that part belongs to another owner.
func (s *S3) Claim(ctx context.Context, owner string) error {
	name := s.prefix + ownerName
	read := func() (string, error) {
		object, _, _, err := s.core.GetObject(ctx, s.bucket, name, minio.GetObjectOptions{})
		if err != nil {
			return "", mapS3Error(err)
		}
		id, err := io.ReadAll(object)
		return string(id), errors.Join(mapS3Error(err), object.Close())
	}
	return claimFor(owner, read, func() error {
		return mapS3Error(s.putObject(ctx, name, strings.NewReader(owner), int64(len(owner))))
	})
}

// Put stores a small file with one request and a larger one in parts. The file does not
// exist before the last part is stored.
func (s *S3) Put(ctx context.Context, key string, r io.Reader) (FileSum, error) {
	if err := checkKey(key); err != nil {
		return FileSum{}, err
	}
	hash := sha256.New()
	content := &summingReader{r: readerWith{ctx, r}, hash: hash}
	err := s.putContent(ctx, s.prefix+key, content)
	if content.err != nil {
		return FileSum{}, content.err
	}
	if err != nil {
		return FileSum{}, mapS3Error(err)
	}
	sum := FileSum{Size: content.size}
	hash.Sum(sum.SHA256[:0])
	return sum, nil
}

// putContent stores an object with one request if its content is shorter than a part, and otherwise in parts.
func (s *S3) putContent(ctx context.Context, name string, content io.Reader) error {
	var first bytes.Buffer
	n, err := io.CopyN(&first, content, partBytes)
	if errors.Is(err, io.EOF) { // the content is shorter than a part
		return s.putObject(ctx, name, &first, n)
	}
	if err != nil {
		return err
	}
	const unknownSize = -1
	return s.putObject(ctx, name, io.MultiReader(&first, content), unknownSize)
}

func (s *S3) putObject(ctx context.Context, name string, r io.Reader, size int64) error {
	_, err := s.core.Client.PutObject(ctx, s.bucket, name, r, size, minio.PutObjectOptions{
		ContentType: "application/octet-stream", PartSize: partBytes,
	})
	return err
}

// Open implements [Store]. The content is requested when it is read.
func (s *S3) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	info, err := s.core.StatObject(ctx, s.bucket, s.prefix+key, minio.StatObjectOptions{})
	if err != nil {
		return nil, mapS3Error(err)
	}
	return &bucketObject{
		ctx:  ctx,
		s:    s,
		name: s.prefix + key,
		size: info.Size,
		end:  info.Size,
	}, nil
}

// Link returns a URL from which anybody can download a file for the duration of validity, without
// an access key. disposition and mediaType become the Content-Disposition and the Content-Type of
// the response.
func (s *S3) Link(ctx context.Context, key, disposition, mediaType string, validity time.Duration) (string, error) {
	u, err := s.core.PresignedGetObject(ctx, s.bucket, s.prefix+key, validity, url.Values{
		"response-content-disposition": {disposition}, "response-content-type": {mediaType},
	})
	if err != nil {
		return "", mapS3Error(err)
	}
	return u.String(), nil
}

// Remove implements [Store].
func (s *S3) Remove(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	return mapS3Error(s.core.RemoveObject(ctx, s.bucket, s.prefix+key, minio.RemoveObjectOptions{}))
}

// All implements [Store]. It reports a file as old if it was stored more than SharedGrace before the bucket was
// opened.
func (s *S3) All(ctx context.Context) iter.Seq2[KeptFile, error] {
	return func(yield func(KeptFile, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel() // which ends the listing, too
		for info := range s.core.Client.ListObjects(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix}) {
			key := strings.TrimPrefix(info.Key, s.prefix)
			if info.Err != nil {
				yield(KeptFile{}, mapS3Error(info.Err))
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

// Ready checks whether the server responds, by requesting an object that does not exist.
func (s *S3) Ready(ctx context.Context) error {
	_, err := s.core.StatObject(ctx, s.bucket, s.prefix+probeName, minio.StatObjectOptions{})
	err = mapS3Error(err)
	if errors.Is(err, ErrMissing) {
		return nil
	}
	return err
}

// Close does nothing: idle connections close by themselves.
func (s *S3) Close() error { return nil }

// bucketObject is a file of a bucket that is being read.
type bucketObject struct {
	ctx      context.Context // context of the request that the file is read for
	s        *S3
	name     string
	size     int64
	position int64         // where the next Read begins
	end      int64         // end of the content that the next request to the bucket asks for
	stream   io.ReadCloser // response to the current request; nil if there is none
}

// Want announces that only the content before end will be read, so that the next request to the
// bucket asks for no more. It ignores an end that is not inside the file.
func (o *bucketObject) Want(end int64) {
	if end > 0 && end < o.size {
		o.end = end
	}
}

// Read reads at the current position. It begins a request if there is none.
func (o *bucketObject) Read(p []byte) (int, error) {
	if o.position >= o.size {
		return 0, io.EOF
	}
	if o.stream == nil {
		if err := o.beginRequest(); err != nil {
			return 0, err
		}
	}
	n, err := o.stream.Read(p)
	o.position += int64(n)
	isStreamEnd := errors.Is(err, io.EOF) && o.position < o.size
	if !isStreamEnd {
		return n, err
	}
	// The file continues after the content of this request; the next Read begins another.
	if err := o.Close(); err != nil {
		return n, err
	}
	if n == 0 && o.position < o.end { // the response was shorter than the requested range
		return 0, io.ErrUnexpectedEOF
	}
	return n, nil
}

// beginRequest requests the content from the current position to o.end.
func (o *bucketObject) beginRequest() error {
	if o.position >= o.end {
		o.end = o.size
	}
	var opts minio.GetObjectOptions
	isWhole := o.position == 0 && o.end == o.size
	if !isWhole {
		if err := opts.SetRange(o.position, o.end-1); err != nil {
			return err
		}
	}
	stream, _, _, err := o.s.core.GetObject(o.ctx, o.s.bucket, o.name, opts)
	if err != nil {
		return mapS3Error(err)
	}
	o.stream = stream
	return nil
}

// Seek implements [io.Seeker].
func (o *bucketObject) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += o.position
	case io.SeekEnd:
		offset += o.size
	}
	if offset < 0 {
		return 0, errors.New("an offset before the start of the file")
	}
	if offset == o.position {
		return offset, nil
	}
	o.position = offset
	return offset, o.Close()
}

// Close ends the current request.
func (o *bucketObject) Close() error {
	if o.stream == nil {
		return nil
	}
	stream := o.stream
	o.stream = nil
	return stream.Close()
}
