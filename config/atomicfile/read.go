package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// MaxSettings is the maximum size of a file with settings, keys or certificates, in bytes.
const MaxSettings = 1 << 20

// ReadSettings reads a file of at most [MaxSettings] bytes. A larger file is an error, and so is an
// endless one, such as a device.
func ReadSettings(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(f, MaxSettings+1))
	err = errors.Join(err, f.Close())
	if err != nil {
		return nil, err
	}
	if len(content) > MaxSettings {
		return nil, fmt.Errorf("%s is larger than 1 MiB; name another file", path)
	}
	return content, nil
}
