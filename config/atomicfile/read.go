package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// MaxSettings is the largest size of a file with settings, keys or certificates, in bytes.
const MaxSettings = 1 << 20

// ReadSettings reads a file of up to [MaxSettings] bytes. The error names a larger file,
// or one that does not end, such as a device.
func ReadSettings(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(f, MaxSettings+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if len(content) > MaxSettings {
		return nil, fmt.Errorf("%s is larger than 1 MiB; name another file", path)
	}
	return content, nil
}
