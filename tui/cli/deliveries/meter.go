package deliveries

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"

	"flightdesk/api/fetch"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
)

const (
	meterFiles  = 8  // that have a line of their own
	meterBar    = 20 // cells
	meterNarrow = 20 // below so many cells nothing is drawn
)

// progressMeters draw the progress in place, on a terminal.
type progressMeters struct {
	w     io.Writer
	size  func() (width, height int)
	lines int // drawn last
}

// newProgressMeters returns meters that draw nothing where no person would see them.
func newProgressMeters(w io.Writer, output string) *progressMeters {
	if output == "json" || run.IsQuiet(w) {
		return &progressMeters{}
	}
	f, _ := w.(*os.File)
	return &progressMeters{w: w, size: func() (int, int) {
		width, height, err := term.GetSize(f.Fd())
		if err != nil {
			return 80, 24
		}
		return width, height
	}}
}

// clearMeters takes the meters off the terminal.
func (m *progressMeters) clearMeters() {
	if m.w != nil && m.lines > 0 {
		_, _ = fmt.Fprintf(m.w, "\x1b[%dA\r\x1b[J", m.lines)
		m.lines = 0
	}
}

// drawMeters draws the files that are being fetched, and all together below.
func (m *progressMeters) drawMeters(q *fetch.Queue) {
	if m.w == nil {
		return
	}
	width, height := m.size()
	if width < meterNarrow {
		m.clearMeters()
		return
	}
	var lines []string
	for _, it := range q.Snapshot() {
		if it.State == fetch.Fetching && len(lines) < min(meterFiles, height-2) {
			lines = append(lines, fileMeter(it, width-1))
		}
	}
	lines = append(lines, sumMeter(q.Summary(), width-1))
	var b strings.Builder
	if m.lines > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", m.lines)
	}
	for _, line := range lines {
		b.WriteString("\r" + line + "\x1b[K\n")
	}
	b.WriteString("\x1b[J")
	m.lines = len(lines)
	_, _ = io.WriteString(m.w, b.String())
}

func fileMeter(it fetch.Item, width int) string {
	right := "  " + figureText(it.Done, it.Size, it.Speed, it.Left)
	if it.Note != "" {
		right = "  " + layout.Clean(it.Note)
	}
	name := layout.Clean(it.Name)
	bar := "  " + barOf(it.Done, it.Size)
	if width < 60+layout.Width(bar) {
		bar = ""
	}
	room := max(8, width-layout.Width(right)-layout.Width(bar))
	return layout.CutLine(layout.FitLeft(layout.CutMiddle(name, room), room)+bar+right, width)
}

func sumMeter(s fetch.Summary, width int) string {
	total := s.Count[fetch.Waiting] + s.Count[fetch.Fetching] + s.Count[fetch.Paused] + s.Count[fetch.Failed] +
		s.Count[fetch.Done] + s.Count[fetch.Here]
	size := s.Size
	if s.Unsized > 0 {
		size = -1
	}
	text := fmt.Sprintf("%d of %s", s.Count[fetch.Done]+s.Count[fetch.Here], format.Count(total, "file", "files"))
	if failed := s.Count[fetch.Failed]; failed > 0 {
		text += fmt.Sprintf(", %d failed", failed)
	}
	return layout.CutLine(layout.FitEnds(text, figureText(s.Done, size, s.Speed, s.Left), width), width)
}

// figureText returns what of a file has come, how fast, and how long it takes yet.
func figureText(done, size int64, speed float64, left time.Duration) string {
	share := "    "
	if size > 0 {
		share = fmt.Sprintf("%3d%%", done*100/size)
	}
	return fmt.Sprintf("%s  %9s  %10s/s  %8s", share, format.Bytes(done), format.Bytes(int64(speed)), clockText(left))
}

// clockText writes a duration as 1:05 or 2:03:09.
func clockText(d time.Duration) string {
	if d < 0 {
		return format.None
	}
	s := int(d.Seconds())
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

func barOf(done, size int64) string {
	full := 0
	if size > 0 {
		full = int(min(done, size) * meterBar / size)
	}
	return strings.Repeat("█", full) + strings.Repeat("░", meterBar-full)
}
