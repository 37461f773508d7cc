package downloads

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"flightdesk/api/fetch"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/meter"
)

// Shown reports whether the panel is to be drawn: while something is not at
// its end, unless that was turned round.
func (d *State) Shown() bool {
	return d.shown == yes || d.shown == auto && d.Unfinished() > 0
}

// Asked reports whether the panel was asked for, also where there is little
// room.
func (d *State) Asked() bool { return d.shown == yes }

// Toggle shows or hides the panel; shown is whether it is on the screen.
func (d *State) Toggle(shown bool) {
	d.shown = yes
	if shown {
		d.shown = no
	}
}

// Rows is how many lines the panel would fill.
func (d *State) Rows() int { return 2 + max(1, len(d.Items)) }

// marks are what states are told by, besides their words.
var marks = map[fetch.State]struct {
	glyph string
	role  theme.Role
}{
	fetch.Waiting: {"·", theme.Pending}, fetch.Fetching: {"↓", theme.InProgress}, fetch.Paused: {"=", theme.Pending},
	fetch.Failed: {"!", theme.Bad}, fetch.Cancelled: {"–", theme.Muted}, fetch.Done: {"✓", theme.Good}, fetch.Here: {"✓", theme.Good},
}

// rank is the order in which the panel shows states: what moves or needs
// somebody comes first.
var rank = map[fetch.State]int{fetch.Fetching: 0, fetch.Failed: 1, fetch.Waiting: 3, fetch.Paused: 2, fetch.Done: 4, fetch.Here: 5, fetch.Cancelled: 6}

// View draws the panel into exactly h lines of w cells; short writes a path for
// people.
func (d *State) View(th *theme.Theme, w, h int, short func(string) string) string {
	if h <= 0 {
		return ""
	}
	lines := []string{d.title(th, w, short)}
	if len(d.Items) == 0 {
		lines = append(lines, layout.Text(th.Style(theme.Muted), " Nothing is being fetched; f in Deliveries fetches."))
		return layout.Box(lines, w, h)
	}
	items := slices.Clone(d.Items)
	slices.SortStableFunc(items, func(a, b fetch.Item) int { return rank[a.State] - rank[b.State] })
	room := max(1, h-2)
	meters := make([]meter.Meter, 0, room+1)
	for i := range items[:min(room, len(items))] {
		meters = append(meters, line(&items[i]))
	}
	if h > 2 {
		meters = append(meters, d.all())
	}
	return layout.Box(append(lines, layout.Lines(meter.View(th, meters, w, len(meters)))...), w, h)
}

func (d *State) title(th *theme.Theme, w int, short func(string) string) string {
	count := " "
	if n := len(d.Items) - d.Sum.Count[fetch.Cancelled]; n > 0 {
		count = fmt.Sprintf("  %d of %d ", d.Sum.Count[fetch.Done]+d.Sum.Count[fetch.Here], n)
	}
	left := layout.Text(th.Rule, "─ ") + layout.Text(th.Title, "Downloads") + layout.Text(th.Style(theme.Muted), count)
	free := ""
	if d.Free >= 0 {
		free = "  free " + format.Bytes(d.Free)
	}
	dir := layout.Clean(short(d.Dir()))
	right := layout.Text(th.Style(theme.Muted), " to "+layout.CutMiddle(dir, max(8, w-layout.Width(left)-layout.Width(free)-8))+free+" ")
	rule := max(0, w-layout.Width(left)-layout.Width(right))
	return layout.Cut(left+layout.Text(th.Rule, strings.Repeat("─", rule))+right, w)
}

func line(it *fetch.Item) meter.Meter {
	mark := marks[it.State]
	m := meter.Meter{Label: mark.glyph + " " + it.Name, Middle: true, Role: mark.role, Unknown: it.Size < 0}
	if it.Size > 0 {
		m.Share = float64(it.Done) / float64(it.Size)
	}
	if it.Size == 0 && it.State.Over() {
		m.Share = 1
	}
	m.Note = layout.Left(Share(it.Done, it.Size), 20) + "  " + said(it)
	return m
}

// said is what there is to say of an item besides its size.
func said(it *fetch.Item) string {
	switch {
	case it.Err != nil:
		return it.Err.Error()
	case it.State != fetch.Fetching:
		return it.State.String()
	case it.Note != "":
		return it.Note
	case it.Done == it.Size:
		return "verifying"
	}
	text := layout.Right(speed(it.Speed), 10) + "  " + layout.Right(Lasts(it.Left), 9)
	if it.Connections > 1 {
		text += "  " + format.Count(it.Connections, "part", "parts")
	}
	return text
}

// all is the meter of everything together.
func (d *State) all() meter.Meter {
	s := &d.Sum
	limit := "limit none"
	if s.Rate > 0 {
		limit = "limit " + speed(float64(s.Rate))
	}
	m := meter.Meter{Label: map[bool]string{true: "= ", false: "✓ "}[d.Unfinished() > 0] + format.Count(len(d.Items)-s.Count[fetch.Cancelled], "file", "files"), Role: theme.Accent}
	if m.Share = share(s.Done, s.Size); s.Size == 0 {
		m.Unknown = s.Busy()
	}
	m.Note = layout.Left(Share(s.Done, s.Size), 20) + "  "
	if s.Busy() {
		m.Note += layout.Right(speed(s.Speed), 10) + "  " + layout.Right(Lasts(s.Left), 9) + "  "
	}
	m.Note += limit
	return m
}

func share(done, size int64) float64 {
	if size <= 0 {
		return 0
	}
	return float64(done) / float64(size)
}

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

func speed(bytes float64) string {
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
func (d *State) Line() string {
	s := &d.Sum
	of := len(d.Items) - s.Count[fetch.Cancelled]
	text := fmt.Sprintf("↓ %d of %s", s.Count[fetch.Done]+s.Count[fetch.Here], format.Count(of, "file", "files"))
	if s.Size > 0 {
		text += fmt.Sprintf("  %d %%", int(100*share(s.Done, s.Size)))
	}
	if s.Busy() && s.Speed >= 1 {
		text += "  " + speed(s.Speed)
	}
	if s.Busy() && s.Left > 0 {
		text += "  " + Lasts(s.Left)
	}
	switch failed := s.Count[fetch.Failed]; {
	case failed > 0:
		text += fmt.Sprintf("  %d failed", failed)
	case !s.Busy():
		text += "  paused"
	}
	return text
}

// Done is the share of everything that is there, 0 to 1; negative where it is
// not known.
func (d *State) Done() float64 {
	if d.Sum.Size == 0 {
		return -1
	}
	return share(d.Sum.Done, d.Sum.Size)
}

// Stuck reports whether something needs somebody: it has failed, or the disk
// is full.
func (d *State) Stuck() bool {
	return slices.ContainsFunc(d.Items, func(it fetch.Item) bool { return it.Err != nil && !it.State.Over() })
}
