package files

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"syscall"
)

// Errors that callers tell apart.
var (
	ErrMissing = errors.New("file not found")
	ErrFull    = errors.New("the file store is full")
	ErrAway    = errors.New("the file store cannot be reached")
	ErrOwned   = errors.New("the files belong to another installation; use another bucket, prefix or folder")
)

// ownerName is the file that has the owner's id. It is no key, so nobody gets it.
const ownerName = ".owner"

// claimFor has a store belong to an owner, unless it does to another. The id is read
// once more after it was written: two may come at the same moment.
func claimFor(owner string, read func() (string, error), write func() error) error {
	has, err := read()
	if errors.Is(err, ErrMissing) {
		err = write()
		if err == nil {
			has, err = read()
		}
	}
	if err == nil && has != owner {
		err = ErrOwned
	}
	return err
}

// Store keeps files under keys of 1 to 64 lower-case letters, digits and
// hyphens. It is safe for concurrent use.
type Store interface {
	// Put keeps what r gives. Either all of it is kept under the key, or, with
	// an error, nothing is. An error of r is returned as it is.
	Put(ctx context.Context, key string, r io.Reader) (FileSum, error)
	// Open returns a file; ErrMissing where there is none.
	Open(ctx context.Context, key string) (io.ReadSeekCloser, error)
	// Remove drops a file. One that is not there is no error.
	Remove(ctx context.Context, key string) error
	// All gives the files, in no order.
	All(ctx context.Context) iter.Seq2[KeptFile, error]
	// Ready returns an error where the store cannot be used now.
	Ready(ctx context.Context) error
	// Close ends the use of the store.
	Close() error
}

// KeptFile is a file of a store.
type KeptFile struct {
	Key  string
	Size int64 // bytes
	Old  bool  // so old that nobody can be busy keeping it
}

// FileSum is what a file amounts to.
type FileSum struct {
	Size   int64 // bytes
	SHA256 [sha256.Size]byte
}

func checkKey(key string) error {
	foreign := strings.ContainsFunc(key, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
	})
	if key == "" || len(key) > 64 || foreign {
		return fmt.Errorf("%q is not a file key", key)
	}
	return nil
}

// copySummed copies r until its end or the end of ctx.
func copySummed(ctx context.Context, w io.Writer, r io.Reader) (sum FileSum, err error) {
	hash := sha256.New()
	sum.Size, err = io.Copy(io.MultiWriter(w, hash), readerWith{ctx, r})
	hash.Sum(sum.SHA256[:0])
	return sum, err
}

// readerWith is a reader that ends with its context.
type readerWith struct {
	ctx context.Context // for the length of one copy
	r   io.Reader
}

// Read reads unless the context has ended.
func (r readerWith) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

func mapError(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}
