package fetch

import (
	"bytes"
	"crypto/md5" //nolint:gosec // to compare with what object stores give, not to protect
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"hash/crc32"
	"io"
	"net/http"
	"strings"
	"sync"
)

// serverDigest is the digest that the server sent for the whole file. The zero value means that it
// sent none.
type serverDigest struct {
	Source string `json:"source"` // header that contained the digest
	MD5    bool   `json:"md5,omitempty"`
	Sum    []byte `json:"sum"`

	// MustMatch means that a file with another digest is damaged. If it is false, Sum comes from an
	// ETag that may not be a digest. Then an equal digest proves that the file is intact, and
	// another digest proves nothing.
	MustMatch bool `json:"binding"`
}

// mayAgree reports whether two responses with the digests d and other can belong to the same file.
// A response without a digest can belong to any file.
func (d serverDigest) mayAgree(other serverDigest) bool {
	if len(other.Sum) == 0 {
		return true
	}
	return d.Source == other.Source && d.MD5 == other.MD5 && bytes.Equal(d.Sum, other.Sum)
}

// readDigest returns the digest in the headers of a response. This is Repr-Digest (RFC 9530), or an
// ETag that looks like a digest. Object stores use the MD5 sum of a file as its ETag, unless the
// file was uploaded in parts. Other servers can use any ETag. So if such an ETag differs from the
// digest of the file, the file need not be damaged.
func readDigest(h http.Header) serverDigest {
	for _, line := range h.Values("Repr-Digest") {
		for member := range strings.SplitSeq(line, ",") {
			sum := parseReprDigest(strings.TrimSpace(member))
			if sum != nil {
				return serverDigest{
					Source:    "Repr-Digest",
					Sum:       sum,
					MustMatch: true,
				}
			}
		}
	}
	sum := parseDigestTag(h.Get("ETag"))
	switch len(sum) {
	case sha256.Size:
		// No object store promises that its ETags are SHA-256 sums, so MustMatch is false.
		return serverDigest{Source: "ETag", Sum: sum}
	case md5.Size:
		return serverDigest{
			Source:    "ETag",
			MD5:       true,
			Sum:       sum,
			MustMatch: hasDigestTags(h),
		}
	default:
		return serverDigest{}
	}
}

// parseReprDigest returns the SHA-256 in a member of the Repr-Digest header, or nil.
func parseReprDigest(member string) []byte {
	text, isSHA256 := strings.CutPrefix(member, "sha-256=:")
	text, isClosed := strings.CutSuffix(text, ":")
	sum, err := base64.StdEncoding.DecodeString(text)
	if !isSHA256 || !isClosed || err != nil || len(sum) != sha256.Size {
		return nil
	}
	return sum
}

// parseDigestTag decodes a strong ETag that consists of hexadecimal digits. It returns nil for any other
// ETag.
func parseDigestTag(tag string) []byte {
	text, isOpen := strings.CutPrefix(tag, `"`)
	text, isClosed := strings.CutSuffix(text, `"`)
	sum, err := hex.DecodeString(text)
	if !isOpen || !isClosed || err != nil {
		return nil
	}
	return sum
}

// hasDigestTags reports whether a response comes from an object store that uses MD5 sums as ETags.
// It returns false for a file that is encrypted with a customer's key, because its ETag is not an
// MD5 sum.
func hasDigestTags(h http.Header) bool {
	isObjectStore := h.Get("Server") == "AmazonS3" || h.Get("Server") == "MinIO"
	encryption := h.Get("X-Amz-Server-Side-Encryption")
	return isObjectStore && (encryption == "" || encryption == "AES256")
}

// Digests are the computed digests of a file, in hexadecimal. A complete file has at least one.
type Digests struct {
	// SHA256 is set if the server sent a SHA-256 or if [Options.SHA256] is set.
	SHA256 string `json:"sha256,omitempty"`
	MD5    string `json:"md5,omitempty"` // set if the server sent an MD5
	// CRC32C is set if there is no other digest. It is cheap, and detects a file that was
	// damaged later.
	CRC32C string `json:"crc32c,omitempty"`
}

// Strongest returns the name and the value of the strongest digest, or two empty strings if there
// is none.
func (d Digests) Strongest() (name, sum string) {
	if d.SHA256 != "" {
		return "SHA-256", d.SHA256
	}
	if d.MD5 != "" {
		return "MD5", d.MD5
	}
	if d.CRC32C != "" {
		return "CRC-32C", d.CRC32C
	}
	return "", ""
}

// matchAll reports whether other has the same value for every digest in d. It returns false if d
// has no digest.
func (d Digests) matchAll(other Digests) bool {
	matches := func(sum, otherSum string) bool { return sum == "" || sum == otherSum }
	return d != Digests{} &&
		matches(d.SHA256, other.SHA256) &&
		matches(d.MD5, other.MD5) &&
		matches(d.CRC32C, other.CRC32C)
}

// isAmong reports whether the computed digests contain the server's digest.
func (d serverDigest) isAmong(computed Digests) bool {
	if len(d.Sum) == 0 {
		return false
	}
	sum := hex.EncodeToString(d.Sum)
	if d.MD5 {
		return sum == computed.MD5
	}
	return sum == computed.SHA256
}

// fileHasher computes the digests of a file while the file grows. It needs the bytes in order:
// it gets the bytes as they arrive, or reads them back from the file if they arrived in
// another order.
type fileHasher struct {
	mu           sync.Mutex
	sha, md, crc hash.Hash // nil if not needed
	hashed       int64     // number of bytes hashed
	buffer       []byte
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// newFileHasher returns a hasher for SHA-256, MD5 or both. If neither is wanted, it returns a hasher
// for CRC-32C.
func newFileHasher(sha, md bool) *fileHasher {
	s := &fileHasher{}
	if sha {
		s.sha = sha256.New()
	}
	if md {
		s.md = md5.New() //nolint:gosec // see the import
	}
	if !sha && !md {
		s.crc = crc32.New(castagnoli)
	}
	return s
}

func newSHA256Hasher() *fileHasher { return &fileHasher{sha: sha256.New()} }

// newHasherFor returns a hasher for the digest of the server. If addSHA256 is set, it also computes the
// SHA-256.
func newHasherFor(d serverDigest, addSHA256 bool) *fileHasher {
	isSHA256 := len(d.Sum) > 0 && !d.MD5
	return newFileHasher(addSHA256 || isSHA256, d.MD5)
}

// newHasherLike returns a hasher for the digests in d.
func newHasherLike(d Digests) *fileHasher { return newFileHasher(d.SHA256 != "", d.MD5 != "") }

// addSHA256 makes the hasher compute the SHA-256, too. It must be called before any bytes are hashed.
func (s *fileHasher) addSHA256() {
	if s.sha == nil {
		s.sha = sha256.New()
	}
}

func (s *fileHasher) writeBytes(b []byte) {
	for _, h := range []hash.Hash{s.sha, s.md, s.crc} {
		if h != nil {
			_, _ = h.Write(b)
		}
	}
	s.hashed += int64(len(b))
}

// offerBytes hashes b if these are the next bytes of the file. It does nothing if another goroutine
// is using the hasher.
func (s *fileHasher) offerBytes(b []byte, position int64) {
	if !s.mu.TryLock() {
		return
	}
	if position == s.hashed {
		s.writeBytes(b)
	}
	s.mu.Unlock()
}

// readBuffer is the number of bytes read back at a time.
const readBuffer = 256 << 10

// hashUpTo hashes the bytes of r up to position end.
func (s *fileHasher) hashUpTo(r io.ReaderAt, end int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.readUpTo(r, end)
}

// readUpTo is hashUpTo for callers that hold s.mu.
func (s *fileHasher) readUpTo(r io.ReaderAt, end int64) error {
	if s.buffer == nil && s.hashed < end {
		s.buffer = make([]byte, readBuffer)
	}
	for s.hashed < end {
		length := min(int64(len(s.buffer)), end-s.hashed)
		n, err := r.ReadAt(s.buffer[:length], s.hashed)
		if n > 0 {
			s.writeBytes(s.buffer[:n])
			continue
		}
		if err == nil || err == io.EOF {
			return io.ErrUnexpectedEOF
		}
		return err
	}
	return nil
}

func (s *fileHasher) digests() Digests {
	return Digests{
		SHA256: hexSum(s.sha),
		MD5:    hexSum(s.md),
		CRC32C: hexSum(s.crc),
	}
}

// hexSum returns the digest of a hash in hexadecimal, or "" if the hash is nil.
func hexSum(h hash.Hash) string {
	if h == nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}
