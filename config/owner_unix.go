//go:build unix

package config

import (
	"fmt"
	"os"
)

// ownerOnly returns an error if users other than the owner can access the file.
func ownerOnly(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return plainError(err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("has mode %04o, so others can read the key; run: chmod 600 %q", mode, path)
	}
	return nil
}
