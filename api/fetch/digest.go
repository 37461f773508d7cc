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

// serverDigest is the digest of the whole file according to the server. The zero value means that
// the server sent none.
type serverDigest struct {
	Source  string `json:"source"` // header that contained the digest
	MD5     bool   `json:"md5,omitempty"`
	Sum     []byte `json:"sum"`
	Binding bool   `json:"binding"` // a different digest proves that the data is wrong
}

// mayAgree reports whether the digest of another response can belong to the same file.
func (d serverDigest) mayAgree(other serverDigest) bool {
	return len(other.Sum) == 0 ||
		d.Source == other.Source && d.MD5 == other.MD5 && bytes.Equal(d.Sum, other.Sum)
}

// readDigest returns the digest in the headers of a response: Repr-Digest (RFC 9530), or an ETag
// that looks like a digest. Object stores use the MD5 sum as the ETag of files that were not
// uploaded in parts. For other servers, an ETag proves something only if it equals the digest.
func readDigest(h http.Header) serverDigest {
	for _, line := range h.Values("Repr-Digest") {
		for member := range strings.SplitSeq(line, ",") {
			text, found := strings.CutPrefix(strings.TrimSpace(member), "sha-256=:")
			text, ended := strings.CutSuffix(text, ":")
			sum, err := base64.StdEncoding.DecodeString(text)
			if found && ended && err == nil && len(sum) == sha256.Size {
				return serverDigest{
					Source:  "Repr-Digest",
					Sum:     sum,
					Binding: true,
				}
			}
		}
	}
	tag, found := strings.CutPrefix(h.Get("ETag"), `"`)
	tag, ended := strings.CutSuffix(tag, `"`)
	sum, err := hex.DecodeString(tag)
	if !found || !ended || err != nil {
		return serverDigest{}
	}
	switch len(sum) {
	case sha256.Size:
		return serverDigest{Source: "ETag", Sum: sum}
	case md5.Size:
		store := h.Get("Server") == "AmazonS3" || h.Get("Server") == "MinIO"
		sealed := h.Get("X-Amz-Server-Side-Encryption") // with a customer's key, the ETag is not a digest
		return serverDigest{
			Source:  "ETag",
			MD5:     true,
			Sum:     sum,
			Binding: store && (sealed == "" || sealed == "AES256"),
		}
	}
	return serverDigest{}
}

// Digests are the computed digests of a file, in hexadecimal. A complete file has at least one.
type Digests struct {
	// SHA256 is set if the server sent a SHA-256, and with [Options.SHA256].
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

// matchAll reports whether other has all the digests of d.
func (d Digests) matchAll(other Digests) bool {
	return d != Digests{} && (d.SHA256 == "" || d.SHA256 == other.SHA256) &&
		(d.MD5 == "" || d.MD5 == other.MD5) &&
		(d.CRC32C == "" || d.CRC32C == other.CRC32C)
}

// isAmong reports whether have contains the server's digest.
func (d serverDigest) isAmong(have Digests) bool {
	sum := hex.EncodeToString(d.Sum)
	return sum != "" && (d.MD5 && sum == have.MD5 || !d.MD5 && sum == have.SHA256)
}

// fileHasher computes the digests of a file while it grows. It needs the bytes in order: it gets
// them as they arrive, or reads them back from the file if they arrived in another order.
type fileHasher struct {
	mu           sync.Mutex
	sha, md, crc hash.Hash // nil if not needed
	at           int64     // number of bytes hashed
	buffer       []byte
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

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

// newHasherFor returns a hasher for the digest of the server, and with sha also for SHA-256.
func newHasherFor(d serverDigest, sha bool) *fileHasher {
	return newFileHasher(sha || len(d.Sum) > 0 && !d.MD5, d.MD5)
}

// newHasherLike returns a hasher for the digests in d, and with sha also for SHA-256.
func newHasherLike(d Digests, sha bool) *fileHasher {
	s := newFileHasher(d.SHA256 != "", d.MD5 != "")
	if sha && s.sha == nil {
		s.sha = sha256.New()
	}
	return s
}

func (s *fileHasher) writeBytes(b []byte) {
	for _, h := range []hash.Hash{s.sha, s.md, s.crc} {
		if h != nil {
			_, _ = h.Write(b)
		}
	}
	s.at += int64(len(b))
}

// offerBytes hashes bytes if they are the next bytes and the hasher is not in use.
func (s *fileHasher) offerBytes(b []byte, at int64) {
	if s.mu.TryLock() {
		if at == s.at {
			s.writeBytes(b)
		}
		s.mu.Unlock()
	}
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
	if s.buffer == nil && s.at < end {
		s.buffer = make([]byte, readBuffer)
	}
	for s.at < end {
		n, err := r.ReadAt(s.buffer[:min(int64(len(s.buffer)), end-s.at)], s.at)
		if n == 0 {
			if err == nil || err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		s.writeBytes(s.buffer[:n])
	}
	return nil
}

func (s *fileHasher) digests() Digests {
	in := func(h hash.Hash) string {
		if h == nil {
			return ""
		}
		return hex.EncodeToString(h.Sum(nil))
	}
	return Digests{SHA256: in(s.sha), MD5: in(s.md), CRC32C: in(s.crc)}
}
