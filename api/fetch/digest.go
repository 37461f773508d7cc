package fetch

import (
	"bytes"
	"crypto/md5" //nolint:gosec // to compare with what object stores give, not to protect
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"io"
	"net/http"
	"strings"
	"sync"
)

// digest is what a server says the whole file's digest is; the zero digest is
// none.
type digest struct {
	Source  string `json:"source"` // the header that it is from
	MD5     bool   `json:"md5,omitempty"`
	Sum     []byte `json:"sum"`
	Binding bool   `json:"binding"` // another sum proves that the bytes are wrong
}

// agrees reports whether the digest of another answer may be that of the same
// file.
func (d digest) agrees(other digest) bool {
	return len(other.Sum) == 0 || d.Source == other.Source && d.MD5 == other.MD5 && bytes.Equal(d.Sum, other.Sum)
}

// digestOf reads the digest of an answer: Repr-Digest (RFC 9530), else the
// ETag where it is one. Object stores use the MD5 sum of what was not uploaded
// in parts; elsewhere an ETag that looks like a digest proves something only
// where it is equal.
func digestOf(h http.Header) digest {
	for _, line := range h.Values("Repr-Digest") {
		for member := range strings.SplitSeq(line, ",") {
			text, found := strings.CutPrefix(strings.TrimSpace(member), "sha-256=:")
			text, ended := strings.CutSuffix(text, ":")
			sum, err := base64.StdEncoding.DecodeString(text)
			if found && ended && err == nil && len(sum) == sha256.Size {
				return digest{Source: "Repr-Digest", Sum: sum, Binding: true}
			}
		}
	}
	tag, found := strings.CutPrefix(h.Get("ETag"), `"`)
	tag, ended := strings.CutSuffix(tag, `"`)
	sum, err := hex.DecodeString(tag)
	if !found || !ended || err != nil {
		return digest{}
	}
	switch len(sum) {
	case sha256.Size:
		return digest{Source: "ETag", Sum: sum}
	case md5.Size:
		store := h.Get("Server") == "AmazonS3" || h.Get("Server") == "MinIO"
		sealed := h.Get("X-Amz-Server-Side-Encryption") // with a key of their own, the tag is no digest
		return digest{Source: "ETag", MD5: true, Sum: sum, Binding: store && (sealed == "" || sealed == "AES256")}
	}
	return digest{}
}

// summer works out the digests of a file while it grows. It takes the bytes in
// their order: handed to it, or read back where they came in another one.
type summer struct {
	mu     sync.Mutex
	sha    hash.Hash
	md5    hash.Hash // nil where nothing is to be compared with it
	at     int64     // bytes taken
	buffer []byte
}

func newSummer(withMD5 bool) *summer {
	s := &summer{sha: sha256.New()}
	if withMD5 {
		s.md5 = md5.New() //nolint:gosec // see the import
	}
	return s
}

func (s *summer) write(b []byte) {
	_, _ = s.sha.Write(b)
	if s.md5 != nil {
		_, _ = s.md5.Write(b)
	}
	s.at += int64(len(b))
}

// offer takes bytes if they are the next ones.
func (s *summer) offer(b []byte, at int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at == s.at {
		s.write(b)
	}
}

// position is how many bytes it has taken.
func (s *summer) position() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at
}

// readBuffer is how much is read back at a time.
const readBuffer = 256 << 10

// advance reads what is there up to end.
func (s *summer) advance(r io.ReaderAt, end int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at >= end {
		return nil
	}
	if s.buffer == nil {
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
		s.write(s.buffer[:n])
	}
	return nil
}

func (s *summer) sum() (sha, md []byte) {
	if s.md5 != nil {
		md = s.md5.Sum(nil)
	}
	return s.sha.Sum(nil), md
}
