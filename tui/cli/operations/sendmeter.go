package operations

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"flightdesk/tui/cli/run"
	"flightdesk/tui/format"
)

// sendMeter tells on a terminal how much of what is uploaded was read for it.
type sendMeter struct {
	w     io.Writer // nil where nobody sees it
	total int64     // bytes

	mu    sync.Mutex
	sent  int64
	drawn time.Time
	shown bool
}

func newSendMeter(w io.Writer) *sendMeter {
	if run.IsQuiet(w) {
		w = nil
	}
	return &sendMeter{w: w, drawn: time.Now()}
}

// countBytes counts bytes, negative ones where a file is read again.
func (m *sendMeter) countBytes(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent += n
	if m.w == nil || time.Since(m.drawn) < run.MeterFrame {
		return
	}
	m.drawn, m.shown = time.Now(), true
	fmt.Fprintf(m.w, "\rsending %s of %s\x1b[K", format.Bytes(m.sent), format.Bytes(m.total))
}

func (m *sendMeter) clearLine() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shown {
		fmt.Fprint(m.w, "\r\x1b[K")
		m.shown = false
	}
	m.w = nil
}

// sentFile is a file whose reading is told of.
type sentFile struct {
	file  *os.File
	meter *sendMeter
	at    int64
}

// Read reads on in the file.
func (s *sentFile) Read(b []byte) (int, error) {
	n, err := s.file.Read(b)
	s.at += int64(n)
	s.meter.countBytes(int64(n))
	return n, err
}

// Seek goes back where the file has to be sent again.
func (s *sentFile) Seek(offset int64, whence int) (int64, error) {
	at, err := s.file.Seek(offset, whence)
	if whence == io.SeekStart && err == nil {
		s.meter.countBytes(at - s.at)
		s.at = at
	}
	return at, err
}
