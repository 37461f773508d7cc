//go:build unix

package config

import (
	"fmt"
	"io/fs"
)

// ownerOnly returns an error if users other than the owner can access the file.
func ownerOnly(path string, info fs.FileInfo) error {
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("has mode %04o, so others can read the key; run: chmod 600 %q", mode, path)
	}
	return nil
}
