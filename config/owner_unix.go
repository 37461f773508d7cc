//go:build unix

package config

import (
	"fmt"
	"io/fs"
)

// ownerOnly refuses a file that others than its owner may read or write.
func ownerOnly(path string, info fs.FileInfo) error {
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("%s has mode %04o, so others can read the key; run: chmod 600 %q", path, mode, path)
	}
	return nil
}
