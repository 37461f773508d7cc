//go:build postgres

package files_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"flightdesk/api/server/internal/store/files"
	"flightdesk/api/server/internal/store/storetest"
)

func bucket(t *testing.T) (*files.S3, storetest.Bucket) {
	t.Helper()
	b := storetest.NewBucket(t)
	s, err := files.OpenS3(t.Context(), b.Address, b.Key)
	if err != nil {
		t.Fatal(err)
	}
	return s, b
}

// noise returns content that differs from all other content.
func noise(n int64) io.Reader { return io.LimitReader(rand.NewChaCha8([32]byte{1}), n) }

// The bucket belongs to the first owner who claims it.
func TestABucketHasOneOwner(t *testing.T) {
	s, b := bucket(t)
	again, err := files.OpenS3(t.Context(), b.Address, b.Key)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Claim(t.Context(), "first"), again.Claim(t.Context(), "first")); err != nil {
		t.Error(err)
	}
	if err := again.Claim(t.Context(), "second"); !errors.Is(err, files.ErrOwned) {
		t.Errorf("another owner: %v", err)
	}
}

// Files of one part and of several parts are read as a whole and in ranges.
func TestFilesInABucketAreReadAsStored(t *testing.T) {
	s, _ := bucket(t)
	for _, size := range []int64{0, 1, 8 << 20, 8<<20 + 1, 20 << 20} {
		key := fmt.Sprint("file-", size)
		want, err := io.ReadAll(noise(size))
		if err != nil {
			t.Fatal(err)
		}
		sum, err := s.Put(t.Context(), key, noise(size))
		if err != nil || sum.Size != size || sum.SHA256 != sha256.Sum256(want) {
			t.Fatalf("%d bytes: %+v, %v", size, sum, err)
		}
		if got := read(t, s, key); got != string(want) {
			t.Fatalf("%d bytes came back as %d others", size, len(got))
		}
		f, err := s.Open(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if end, err := f.Seek(0, io.SeekEnd); err != nil || end != size {
			t.Errorf("%d bytes end at %d, %v", size, end, err)
		}
		from := size / 3
		to := size / 2
		if _, err := f.Seek(from, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		f.(interface{ Want(end int64) }).Want(to)
		part := make([]byte, to-from)
		if _, err := io.ReadFull(f, part); err != nil && size > 1 || string(part) != string(want[from:to]) {
			t.Errorf("%d bytes: the range is another, %v", size, err)
		}
		if rest, err := io.ReadAll(f); err != nil || string(rest) != string(want[to:]) {
			t.Errorf("%d bytes: %d after the range, want %d: %v", size, len(rest), size-to, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if err := s.Remove(t.Context(), key); err != nil {
			t.Error(err)
		}
		if _, err := s.Open(t.Context(), key); !errors.Is(err, files.ErrMissing) {
			t.Errorf("removed: %v", err)
		}
	}
}

// The sender breaks off before the end of the file.
func TestAFailedUploadLeavesNothingInABucket(t *testing.T) {
	s, b := bucket(t)
	broken := errors.New("broken off")
	for _, size := range []int64{10, 20 << 20} {
		_, err := s.Put(t.Context(), "half", io.MultiReader(noise(size), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) {
			t.Errorf("after %d bytes: %v", size, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Put(ctx, "half", noise(10)); !errors.Is(err, context.Canceled) {
		t.Errorf("without a sender: %v", err)
	}
	if _, err := s.Open(t.Context(), "half"); !errors.Is(err, files.ErrMissing) {
		t.Errorf("there is something: %v", err)
	}
	if _, err := os.Stat(filepath.Join(b.Dir, "bucket", "below", "half")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in the bucket: %v", err)
	}
}

func TestLinksOfABucketServeTheFile(t *testing.T) {
	s, _ := bucket(t)
	if _, err := s.Put(t.Context(), "a", strings.NewReader("content")); err != nil {
		t.Fatal(err)
	}
	link, err := s.Link(t.Context(), "a", `attachment; filename="map.tif"`, "image/tiff", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Get(link)
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || string(text) != "content" || resp.Header.Get("Content-Disposition") != `attachment; filename="map.tif"` {
		t.Errorf("%s %v, %v", text, resp.Header, err)
	}
}

func TestUnusableBucketsAreRefused(t *testing.T) {
	b := storetest.NewBucket(t)
	wrong := files.S3Key{ID: "desk", Secret: "wrong-secret"}
	for address, try := range map[string]struct {
		key  files.S3Key
		want string
	}{
		"https://bucket":               {b.Key, "not a valid address for files"},
		"s3://":                        {b.Key, "not a valid address for files"},
		"s3://bucket?endpoint=nothing": {b.Key, "not a valid address for files"},
		"s3://bucket?end=http://x":     {b.Key, "not a valid address for files"},
		strings.Replace(b.Address, "bucket", "another", 1): {b.Key, "bucket not found"},
		b.Address: {wrong, "rejected; check id and secret"},
		"s3://bucket?endpoint=http://127.0.0.1:1&region=us-east-1": {b.Key, "cannot be reached"},
	} {
		_, err := files.OpenS3(t.Context(), address, try.key)
		if err == nil || !strings.Contains(err.Error(), try.want) {
			t.Errorf("%s: %v", address, err)
		}
		if err != nil && (strings.Contains(err.Error(), b.Key.Secret) || strings.Contains(err.Error(), wrong.Secret)) {
			t.Errorf("the error has the secret: %v", err)
		}
	}
}
