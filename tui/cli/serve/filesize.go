package serve

import (
	"fmt"
	"strconv"

	"github.com/dustin/go-humanize"

	"flightdesk/api/server"
)

// fileSize is a flag's number of bytes.
type fileSize int64

// String returns the size as it is written, "" for none.
func (s *fileSize) String() string {
	if *s == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Set reads a size.
func (s *fileSize) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	if err != nil || n > server.MaxSampleFileSize {
		return fmt.Errorf("must be a size up to %s, such as 500kB or 20MB", humanize.IBytes(server.MaxSampleFileSize))
	}
	*s = fileSize(n)
	return nil
}

// Type names what the flag takes.
func (s *fileSize) Type() string { return "size" }
