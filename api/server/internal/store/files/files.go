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

// Errors that callers check for.
var (
	ErrMissing = errors.New("file not found")
	ErrFull    = errors.New("the file store is full")
	ErrAway    = errors.New("the file store cannot be reached")
	ErrOwned   = errors.New("the files belong to another installation; use another bucket, prefix or folder")
)

// ownerName is the name of the file that contains the ID of the owner. It is not a valid key, so
// no client can read the file.
const ownerName = ".owner"

// claimFor assigns a store to an owner, unless it has one. It returns ErrOwned if the store
// belongs to another owner. readOwner returns the current owner or ErrMissing, and writeOwner
// saves the new one. After saving, claimFor reads the owner again, because another process may
// have saved its own ID at the same time.
func claimFor(owner string, readOwner func() (string, error), writeOwner func() error) error {
	current, err := readOwner()
	if errors.Is(err, ErrMissing) {
		if err := writeOwner(); err != nil {
			return err
		}
		current, err = readOwner()
	}
	if err != nil {
		return err
	}
	if current != owner {
		return ErrOwned
	}
	return nil
}

// Store stores files under keys of 1 to 64 lower-case letters, digits and hyphens. It is
// safe for concurrent use.
type Store interface {
	// Put stores the content of r under the key. If it fails, nothing is stored. An error
	// of r is returned unchanged.
	Put(ctx context.Context, key string, r io.Reader) (FileSum, error)
	// Open returns a file, or ErrMissing.
	Open(ctx context.Context, key string) (io.ReadSeekCloser, error)
	// Remove deletes a file. A missing file is not an error.
	Remove(ctx context.Context, key string) error
	// All returns the files in any order.
	All(ctx context.Context) iter.Seq2[KeptFile, error]
	// Ready returns an error if the store cannot be used now.
	Ready(ctx context.Context) error
	// Close releases the resources of the store.
	Close() error
}

// KeptFile is a file of a store.
type KeptFile struct {
	Key  string
	Size int64 // bytes
	Old  bool  // so old that no process is still writing it or adding its record
}

// FileSum is the size and the digest of a stored file.
type FileSum struct {
	Size   int64 // bytes
	SHA256 [sha256.Size]byte
}

func checkKey(key string) error {
	hasOtherCharacter := strings.ContainsFunc(key, func(r rune) bool {
		isAllowed := 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-'
		return !isAllowed
	})
	if key == "" || len(key) > 64 || hasOtherCharacter {
		return fmt.Errorf("%q is not a file key", key)
	}
	return nil
}

// copySummed copies r to w, until r or ctx ends. It returns the size and the digest of the copied
// bytes.
func copySummed(ctx context.Context, w io.Writer, r io.Reader) (sum FileSum, err error) {
	hash := sha256.New()
	sum.Size, err = io.Copy(io.MultiWriter(w, hash), readerWith{ctx, r})
	hash.Sum(sum.SHA256[:0])
	return sum, err
}

// readerWith reads from r, and fails as soon as ctx has ended.
type readerWith struct {
	ctx context.Context // valid during one copy
	r   io.Reader
}

// Read returns the error of the context if it has ended.
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
