package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// BuildEntries returns the entries for the facts, oldest first. Entries without a known
// time are last.
func BuildEntries(f *SubjectFacts, now time.Time) []TimelineEntry {
	t := newBuilder(f, now)
	if f.Order != nil {
		t.addOrder(f.Order)
	}
	for _, m := range f.Missions {
		firstIndex := len(t.all)
		t.addMission(m)
		t.addPlanning(m)
		t.addPermission(m)
		t.addPackages(m)
		for i := firstIndex; i < len(t.all); i++ {
			t.all[i].Mission = m.UUID
		}
	}
	t.addQuotes()
	t.addDecisions()
	t.addEndpoints(f.Endpoints, f.IsAbout)
	t.addNotices()
	t.addReceived()
	t.addChanges()
	t.addAccountRequests()
	t.addRequests()
	return t.sortEntries()
}

// entryBuilder collects entries.
type entryBuilder struct {
	facts    *SubjectFacts
	now      time.Time
	order    string              // code
	missions map[string]*Mission // by UUID
	all      []TimelineEntry
}

func newBuilder(f *SubjectFacts, now time.Time) *entryBuilder {
	t := &entryBuilder{
		facts:    f,
		now:      now,
		order:    f.Subject.Order,
		missions: map[string]*Mission{},
	}
	if f.Order != nil {
		t.order = f.Order.OrderCode
	}
	for _, m := range f.Missions {
		t.missions[m.UUID] = m
	}
	return t
}

// clock returns the current time.
func (t *entryBuilder) clock() time.Time { return t.now }

// add adds an entry with facts. more has further names, each followed by its value. Facts
// without a value are left out.
func (t *entryBuilder) add(
	source EntrySource, id string, at time.Time, glyph string, role format.Tone, about, what string,
	facts [][2]string, more ...string,
) *TimelineEntry {
	e := TimelineEntry{
		ID:     string(source) + " " + id,
		Source: source,
		Glyph:  glyph,
		Role:   role,
		About:  about,
		What:   what,
		Failed: role == format.Bad,
		Fields: []EntryField{},
	}
	for pair := range slices.Chunk(more, 2) {
		facts = append(facts, [2]string(pair))
	}
	for _, f := range facts {
		if f[1] != "" && f[1] != format.None {
			e.Fields = append(e.Fields, EntryField{f[0], f[1]})
		}
	}
	if !at.IsZero() {
		e.At = at.In(t.now.Location())
		e.Ahead = at.After(t.now)
		e.When = e.At.Format(time.RFC3339)
	}
	t.all = append(t.all, e)
	return &t.all[len(t.all)-1]
}

// factsOf returns the values of a row's columns, and its members that this program does
// not know. Times are in the user's zone.
func factsOf[T any](t *entryBuilder, all []columns.Column[T], row T) [][2]string {
	facts := columns.RowFacts(all, row, t.now)
	for i := range facts {
		at, err := time.Parse(time.RFC3339, facts[i][1])
		if err == nil {
			facts[i][1] = at.In(t.now.Location()).Format("2006-01-02 15:04:05 -07:00")
		}
	}
	return append(facts, columns.UnknownMembers(columns.MoreOf(row))...)
}

// addLine adds a line of a report, without a time.
func (t *entryBuilder) addLine(
	id, glyph string, role format.Tone, about, what, right string, facts ...[2]string,
) *TimelineEntry {
	x := t.add("", id, time.Time{}, glyph, role, about, what, facts)
	x.Right = right
	return x
}

// addKnown adds an entry if its time is known.
func (t *entryBuilder) addKnown(
	source EntrySource, id string, at api.Time, glyph string, role format.Tone, about, what string,
	facts [][2]string, more ...string,
) {
	if !at.IsZero() {
		t.add(source, id, at.Time, glyph, role, about, what, facts, more...)
	}
}

// sortEntries returns the entries sorted by time and then by source.
func (t *entryBuilder) sortEntries() []TimelineEntry {
	sources := AllSources()
	sort.SliceStable(t.all, func(i, j int) bool {
		a := &t.all[i]
		b := &t.all[j]
		if a.At.IsZero() != b.At.IsZero() {
			return b.At.IsZero()
		}
		if !a.At.Equal(b.At) {
			return a.At.Before(b.At)
		}
		return slices.Index(sources, a.Source) < slices.Index(sources, b.Source)
	})
	return t.all
}

func (t *entryBuilder) addOrder(o *api.Order) {
	count := max(len(o.Missions), format.ValueOf(o.MissionCount))
	status := format.Status(o.Status)
	facts := factsOf(t, columns.InUnits(columns.Orders(nil), t.facts.Units), o)
	t.addKnown(FromOrder, "placed", o.CreatedAt, "◇", format.Accent, t.order,
		"placed, "+format.Count(count, "mission"), facts, "Order ID", o.UUID)
	if o.UpdatedAt.After(o.CreatedAt.Time) {
		t.addKnown(FromOrder, "status", o.UpdatedAt, status.Glyph, status.Role, t.order,
			"last changed; now "+status.Label, facts)
	}
	zone := t.now.Location()
	start := o.StartDate.StartDay(zone)
	t.addKnown(FromOrder, "start", api.TimeOf(start.Start()), "·", format.Muted, t.order,
		"start date"+t.dayNote(start, start.Start()), nil)
	due := o.Deadline.EndDay(zone)
	isLate := !due.IsZero() && t.now.After(due.End()) && o.Status.IsLive()
	what := "deadline"
	role := format.Muted
	if isLate {
		what = "deadline passed; " + status.Label
		role = format.Bad
	}
	t.addKnown(FromOrder, "deadline", api.TimeOf(due.End()), "▲", role, t.order,
		what+t.dayNote(due, due.End()), nil)
}

// dayNote returns the day of an order's date if the time of its entry is on another day
// in the user's zone.
func (t *entryBuilder) dayNote(d api.DayOrTime, at time.Time) string {
	if d.IsZero() || d.String() == at.In(t.now.Location()).Format(time.DateOnly) {
		return ""
	}
	return ", " + format.ExactDate(d, t.now)
}

// code returns the mission's code, or its UUID if it has none.
func (m *Mission) code() string { return cmp.Or(m.MissionCode, m.UUID) }

func (t *entryBuilder) addMission(m *Mission) {
	status := format.Status(m.Status)
	operator := format.ValueOf(m.OperatorName)
	facts := factsOf(t, columns.InUnits(columns.Missions(), t.facts.Units), &m.Mission)
	more := []string{"Place", columns.PlaceOf(&m.Mission), "Mission ID", m.UUID}
	if t.facts.Subject.Mission != "" || !t.isCreatedWithOrder(m) {
		t.addKnown(FromMission, "made "+m.UUID, m.CreatedAt, "◌", format.Text, m.code(), "created", facts, more...)
	}
	if m.UpdatedAt.After(m.CreatedAt.Time) {
		what := "last changed; now " + status.Label + textAfter(" · ", operator)
		t.addKnown(FromMission, "status "+m.UUID, m.UpdatedAt, status.Glyph, status.Role, m.code(), what, facts, more...)
	}
	if m.Status == api.MissionCancelled {
		return
	}
	what := "flight date"
	role := format.InProgress
	if m.Status == api.MissionFlightScheduled && t.now.After(m.FlightDate.Time) {
		what = "flight date; no data yet"
		role = format.Attention
	}
	t.addKnown(FromMission, "flight "+m.UUID, m.FlightDate, "◎", role, m.code(), what, nil, "Operator", operator)
}

// isCreatedWithOrder reports whether a mission was created together with its order.
func (t *entryBuilder) isCreatedWithOrder(m *Mission) bool {
	o := t.facts.Order
	return o != nil && m.CreatedAt.Sub(o.CreatedAt.Time).Abs() <= time.Minute
}

func (t *entryBuilder) addPlanning(m *Mission) {
	zone := cache.ZoneOf(&m.Mission)
	for i := range m.Planning {
		p := &m.Planning[i]
		var before *api.PlanningEntry
		if i+1 < len(m.Planning) {
			before = &m.Planning[i+1]
		}
		st := format.Status(p.SchedulingStatus)
		what := fmt.Sprintf("planning v%d %s", p.Version, strings.ToLower(st.Label))
		if !p.FlightDate.IsZero() {
			what += ", " + t.facts.Units.MomentAt(p.FlightDate.Time, t.now, zone)
		}
		what += textAfter(", by ", format.ValueOf(p.ScheduledBy))
		changes := strings.Join(PlanningChanges(p, before, t.now, zone, t.facts.Units), ", ")
		t.add(FromPlanning, fmt.Sprint(m.UUID, " ", p.Version), p.CreatedAt.Time, st.Glyph, st.Role, m.code(), what,
			factsOf(t, columns.Planning(), p), "Changed", changes)
	}
}

// permissionDay returns a time on the first or last day of a permission: noon of a day
// without a time, otherwise the time itself.
func permissionDay(d api.DayOrTime, zone *time.Location) time.Time {
	if d.IsDay() {
		return d.NoonIn(zone)
	}
	return d.Start()
}

func (t *entryBuilder) addPermission(m *Mission) {
	p := m.Permission
	if p == nil {
		return
	}
	st := format.Status(p.Status)
	what := "flight permission " + strings.ToLower(st.Label) + textAfter(", ", format.ValueOf(p.Authority))
	now := t.facts.Units.ClockAt(t.now, cache.ZoneOf(&m.Mission))
	zone := now.Location()
	from := format.Day(permissionDay(p.ValidFrom.StartDay(zone), zone), now)
	to := format.Day(permissionDay(p.ValidTo.EndDay(zone), zone), now)
	if from != format.None || to != format.None {
		what += ", valid " + from + " to " + to
	}
	permit := ""
	if p.PermitFileURL != nil {
		permit = "permit attached"
	}
	t.add(FromPermission, m.UUID, p.UpdatedAt.Time, st.Glyph, st.Role, m.code(), what,
		factsOf(t, columns.Permissions(), p), "Permit", permit)
}

func (t *entryBuilder) addPackages(m *Mission) {
	for i := range m.Packages {
		p := &m.Packages[i]
		glyph := "◕"
		if p.Status == api.DeliveryAccepted {
			glyph = "●"
		}
		facts := factsOf(t, columns.Packages(), p)
		for _, f := range m.Files[p.UUID] {
			text := f.FileName + "  " + format.Word(f.FileDataType).Label + "  " + format.Bytes(f.FileSize)
			facts = append(facts, [2]string{"File", text})
			facts = append(facts, columns.UnknownMembers(f.Extra)...)
		}
		what := fmt.Sprintf("data delivered, v%d, %s, %s",
			p.Version, format.Count(p.FileCount, "file"), format.Bytes(p.TotalSize))
		t.add(FromDelivery, p.UUID, p.CreatedAt.Time, glyph, format.Good, m.code(), what, facts, "Package ID", p.UUID)
	}
}

// EntryColumns returns the columns of the entries of a subject.
func EntryColumns(subject StorySubject) []columns.Column[*TimelineEntry] {
	all := columns.MakeColumns("entries", columns.Values[*TimelineEntry]{
		"When": func(e *TimelineEntry) columns.Cell {
			return columns.TextCell(e.timeText("2006-01-02 15:04"))
		},
		"Source": func(e *TimelineEntry) columns.Cell {
			return columns.TextCell(string(e.Source)).WithTone(format.Muted)
		},
		"What": func(e *TimelineEntry) columns.Cell {
			return columns.TextCell(e.Glyph + " " + e.What).WithTone(e.Role)
		},
	})
	if subject.Mission != "" { // all entries are about the mission
		all = columns.HideColumns(all, "about")
	}
	return all
}

// timeText returns the time in a layout, or "unknown".
func (e *TimelineEntry) timeText(layout string) string {
	if e.At.IsZero() {
		return "unknown"
	}
	return e.At.Format(layout)
}
