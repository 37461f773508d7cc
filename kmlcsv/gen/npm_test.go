package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

func archive(t *testing.T, name, content string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(content)), Mode: 0o644}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestUnpackChecksItsFiles(t *testing.T) {
	sum := sha256.Sum256([]byte("{}"))
	a := archive(t, "package/data/a.json", "{}")

	got, err := unpack(a, []file{{Path: "data/a.json", SHA256: hex.EncodeToString(sum[:])}})
	if err != nil || string(got[0]) != "{}" {
		t.Errorf("got %q, %v", got, err)
	}
	_, err = unpack(a, []file{{Path: "data/a.json", SHA256: "00"}})
	if err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("a changed file was taken: %v", err)
	}
	_, err = unpack(a, []file{{Path: "data/b.json"}})
	if err == nil || !strings.Contains(err.Error(), "not in the package") {
		t.Errorf("a missing file was taken: %v", err)
	}
	if _, err = unpack([]byte("no archive"), nil); err == nil {
		t.Error("no archive was taken for one")
	}
}
