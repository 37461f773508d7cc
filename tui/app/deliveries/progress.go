package deliveries

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"flightdesk/api/fetch"
	"flightdesk/tui/format"
)

// Shown reports whether the panel is to be drawn: while something is not at
// its end, unless that was turned round.
func (d *Downloads) Shown() bool {
	return d.shown == yes || d.shown == auto && d.Unfinished() > 0
}

// Asked reports whether the panel was asked for, also where there is little
// room.
func (d *Downloads) Asked() bool { return d.shown == yes }

// Toggle shows or hides the panel; shown is whether it is on the screen.
func (d *Downloads) Toggle(shown bool) {
	d.shown = yes
	if shown {
		d.shown = no
	}
}

// Rows returns how many lines the panel would fill.
func (d *Downloads) Rows() int { return 2 + max(1, len(d.Items)) }

// Share writes what of a size is there: 1.7 of 4.2 GB.
func Share(done, size int64) string {
	if size < 0 {
		return format.Bytes(done)
	}
	all, part := format.Bytes(size), format.Bytes(done)
	if done == size {
		return all
	}
	number, unit, _ := strings.Cut(part, " ")
	if strings.HasSuffix(all, " "+unit) {
		part = number
	}
	return part + " of " + all
}

// Speed writes a speed; – where nothing moves.
func Speed(bytes float64) string {
	if bytes < 1 {
		return format.None
	}
	return format.Bytes(int64(bytes)) + "/s"
}

// Lasts writes a time left: 1 m 06 s, 2 h 05 m; – where it is not known.
func Lasts(d time.Duration) string {
	s := int(d.Seconds())
	switch {
	case d < 0:
		return format.None
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d m %02d s", s/60, s%60)
	default:
		return fmt.Sprintf("%d h %02d m", s/3600, s/60%60)
	}
}

// Line says in one line how far everything is, for the status row.
func (d *Downloads) Line() string { return ProgressLine(&d.Sum) }

// Fetched returns how many files are there.
func (d *Downloads) Fetched() int { return countFetched(&d.Sum) }

func countFetched(s *fetch.Summary) int { return s.Count[fetch.Done] + s.Count[fetch.Here] }

// ProgressLine says in one line how far a queue is.
func ProgressLine(s *fetch.Summary) string {
	of := -s.Count[fetch.Cancelled]
	for _, n := range s.Count {
		of += n
	}
	text := fmt.Sprintf("↓ %d of %s", countFetched(s), format.Count(of, "file"))
	if s.Size > 0 {
		text += "  " + PercentOf(s.Done, s.Size)
	}
	if s.IsBusy() && s.Speed >= 1 {
		text += "  " + Speed(s.Speed)
	}
	if s.IsBusy() && s.Left > 0 {
		text += "  " + Lasts(s.Left)
	}
	switch failed := s.Count[fetch.Failed]; {
	case failed > 0:
		text += fmt.Sprintf("  %d failed", failed)
	case !s.IsBusy():
		text += "  paused"
	}
	return text
}

// Done returns the share of everything that is there, 0 to 1; negative where it is
// not known.
func (d *Downloads) Done() float64 {
	if d.Sum.Size == 0 {
		return -1
	}
	return float64(d.Sum.Done) / float64(d.Sum.Size)
}

// Stuck reports whether something needs somebody: it has failed, or the disk
// is full.
func (d *Downloads) Stuck() bool {
	return slices.ContainsFunc(
		d.Items,
		func(it fetch.Item) bool { return it.Err != nil && !it.State.IsFinal() },
	)
}
