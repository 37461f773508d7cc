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

// serverDigest is what a server says the whole file's digest is; the zero digest is
// none.
type serverDigest struct {
	Source  string `json:"source"` // the header that it is from
	MD5     bool   `json:"md5,omitempty"`
	Sum     []byte `json:"sum"`
	Binding bool   `json:"binding"` // another sum proves that the bytes are wrong
}

// mayAgree reports whether the digest of another answer may be that of the same
// file.
func (d serverDigest) mayAgree(other serverDigest) bool {
	return len(other.Sum) == 0 ||
		d.Source == other.Source && d.MD5 == other.MD5 && bytes.Equal(d.Sum, other.Sum)
}

// readDigest reads the digest of an answer: Repr-Digest (RFC 9530), else the
// ETag where it is one. Object stores use the MD5 sum of what was not uploaded
// in parts; elsewhere an ETag that looks like a digest proves something only
// where it is equal.
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
		sealed := h.Get("X-Amz-Server-Side-Encryption") // with a key of their own, the tag is no digest
		return serverDigest{
			Source:  "ETag",
			MD5:     true,
			Sum:     sum,
			Binding: store && (sealed == "" || sealed == "AES256"),
		}
	}
	return serverDigest{}
}

// Digests are those of a file that were worked out, in hexadecimal. A whole
// file has at least one.
type Digests struct {
	// SHA256 is there where the server gave it, and with [Options.SHA256].
	SHA256 string `json:"sha256,omitempty"`
	MD5    string `json:"md5,omitempty"` // where the server gave it
	// CRC32C is there where neither is: it costs next to nothing, and tells a
	// file that was damaged since.
	CRC32C string `json:"crc32c,omitempty"`
}

// Strongest returns the digest that says most, with its name; two empty strings
// where there is none.
func (d Digests) Strongest() (name, sum string) {
	switch {
	case d.SHA256 != "":
		return "SHA-256", d.SHA256
	case d.MD5 != "":
		return "MD5", d.MD5
	case d.CRC32C != "":
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

// isAmong reports whether the digests have the one that a server gave.
func (d serverDigest) isAmong(have Digests) bool {
	sum := hex.EncodeToString(d.Sum)
	return sum != "" && (d.MD5 && sum == have.MD5 || !d.MD5 && sum == have.SHA256)
}

// fileHasher works out the digests of a file while it grows. It takes the bytes in
// their order: handed to it, or read back where they came in another one.
type fileHasher struct {
	mu           sync.Mutex
	sha, md, crc hash.Hash // nil where they are not asked for
	at           int64     // bytes taken
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

// newHasherFor returns a hasher of what the server's digest is to be compared with, and
// of SHA-256 where that is wanted anyway.
func newHasherFor(d serverDigest, sha bool) *fileHasher {
	return newFileHasher(sha || len(d.Sum) > 0 && !d.MD5, d.MD5)
}

// newHasherLike returns a hasher of the digests that there are, and of SHA-256 where
// that is wanted.
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

// offerBytes takes bytes if they are the next ones and nobody reads others back.
func (s *fileHasher) offerBytes(b []byte, at int64) {
	if s.mu.TryLock() {
		if at == s.at {
			s.writeBytes(b)
		}
		s.mu.Unlock()
	}
}

// readBuffer is how much is read back at a time.
const readBuffer = 256 << 10

// hashUpTo reads what is there up to end.
func (s *fileHasher) hashUpTo(r io.ReaderAt, end int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.readUpTo(r, end)
}

// readUpTo is hashUpTo for one who has the lock.
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
