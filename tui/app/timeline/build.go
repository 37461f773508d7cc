package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
)

// Tell returns the story that the facts tell, the oldest entry first; those of no
// known time come last.
func BuildEntries(f *SubjectFacts, now time.Time) []TimelineEntry {
	t := &entryBuilder{facts: f, now: now, codes: map[string]string{}}
	for i := range f.Missions {
		if m := &f.Missions[i]; m.UUID != "" {
			t.codes[m.UUID] = cmp.Or(m.MissionCode, m.UUID)
		}
	}
	t.tellOrder()
	for i := range f.Missions {
		m := &f.Missions[i]
		t.tellMission(m)
		t.tellPlanning(m)
		t.tellPermission(m)
		t.tellPackages(m)
	}
	t.tellQuotes()
	t.tellDecisions()
	for i := range f.Endpoints {
		t.tellCallbacks(&f.Endpoints[i])
		t.tellMissing(&f.Endpoints[i])
	}
	t.tellNotices()
	t.tellReceived()
	t.tellRequests()
	place := map[EntrySource]int{}
	for i, s := range AllSources() {
		place[s] = i
	}
	slices.SortStableFunc(t.all, func(a, b TimelineEntry) int {
		if a.At.IsZero() != b.At.IsZero() {
			if a.At.IsZero() {
				return 1
			}
			return -1
		}
		return cmp.Or(a.At.Compare(b.At), place[a.Source]-place[b.Source])
	})
	return t.all
}

// MaskEntries returns the entries with what they say as the mask lets it be read.
func MaskEntries(entries []TimelineEntry, mask func(string) string) []TimelineEntry {
	for i := range entries {
		e := &entries[i]
		e.What = mask(e.What)
		for j := range e.Fields {
			e.Fields[j].Value = mask(e.Fields[j].Value)
		}
	}
	return entries
}

// entryBuilder collects entries.
type entryBuilder struct {
	facts *SubjectFacts
	now   time.Time
	codes map[string]string // of missions by uuid
	all   []TimelineEntry
}

// addEntry adds an entry without the fields that have no value.
func (t *entryBuilder) addEntry(e TimelineEntry) {
	e.Fields = slices.DeleteFunc(e.Fields, func(f EntryField) bool { return f.Value == "" || f.Value == format.None })
	t.all = append(t.all, e)
}

// fullTime returns a time as it is read in a field.
func (t *entryBuilder) fullTime(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(t.now.Location()).Format("2006-01-02 15:04:05 -07:00")
}

func (t *entryBuilder) tellOrder() {
	o := t.facts.Order
	if o == nil {
		return
	}
	entry := func(id string, at api.Time, glyph string, role labels.Tone, what string, fields ...EntryField) {
		if !at.IsZero() {
			t.addEntry(TimelineEntry{ID: "order " + id, At: at.Time, Source: FromOrder, Glyph: glyph, Role: role, About: o.OrderCode, What: what, Fields: fields})
		}
	}
	size := format.None
	if o.AreaSize != nil && *o.AreaSize > 0 {
		size = format.Area(*o.AreaSize)
	}
	count := len(o.Missions)
	if o.MissionCount != nil {
		count = max(count, *o.MissionCount)
	}
	entry("placed", o.CreatedAt, "◇", labels.Accent, "placed, "+format.Count(count, "mission", "missions"),
		EntryField{"order", o.OrderName}, EntryField{"order id", o.UUID}, EntryField{"company", o.CompanyName}, EntryField{"size", size},
		EntryField{"sensors", labels.WordList(o.Sensors, labels.SensorWord)}, EntryField{"deliverables", labels.WordList(o.Deliverables, labels.DeliverableWord)})
	st := labels.OrderStatus(o.Status)
	if o.UpdatedAt.After(o.CreatedAt.Time) {
		reason := cmp.Or(textOrEmpty(o.RejectionReason), textOrEmpty(o.ArchiveReason))
		entry("status", o.UpdatedAt, st.Glyph, st.Role, "last changed, now "+st.Label, EntryField{"status", st.DetailText()}, EntryField{"description", st.Description}, EntryField{"reason", reason})
	}
	entry("start", o.StartDate, "·", labels.Muted, "earliest flight date")
	late, role := "deadline", labels.Muted
	if !o.Deadline.IsZero() && t.now.After(o.Deadline.Time) && o.Status.IsLive() {
		late, role = "deadline passed; "+st.Label, labels.Bad
	}
	entry("deadline", o.Deadline, "▲", role, late)
}

func (t *entryBuilder) tellMission(m *Mission) {
	st := labels.MissionStatus(m.Status)
	entry := func(id string, at api.Time, glyph string, role labels.Tone, what string, fields ...EntryField) {
		if !at.IsZero() {
			t.addEntry(TimelineEntry{
				ID:      "mission " + id + " " + m.UUID,
				At:      at.Time,
				Source:  FromMission,
				Glyph:   glyph,
				Role:    role,
				About:   m.MissionCode,
				What:    what,
				Mission: m.UUID,
				Fields:  fields,
			})
		}
	}
	operator := textOrEmpty(m.OperatorName)
	facts := []EntryField{
		{"mission", m.MissionName},
		{"mission id", m.UUID},
		{"place", strings.Trim(m.LocationLabel+", "+textOrEmpty(m.City)+", "+m.Country, ", ")},
		{"site", labels.MissionType(m.MissionType).Label},
		{"operator", operator},
		{"status", st.DetailText()},
		{"description", st.Description},
	}
	if o := t.facts.Order; o == nil || t.facts.Subject.Mission != "" ||
		m.CreatedAt.Sub(o.CreatedAt.Time).Abs() > time.Minute {
		entry("made", m.CreatedAt, "◌", labels.Text, "created", facts...)
	}
	if m.UpdatedAt.After(m.CreatedAt.Time) {
		what := "last changed, now " + st.Label
		if operator != "" {
			what += " · " + operator
		}
		entry("status", m.UpdatedAt, st.Glyph, st.Role, what, facts...)
	}
	switch {
	case m.FlightDate.IsZero() || m.Status == api.MissionCancelled:
	case m.Status == api.MissionFlightScheduled && t.now.After(m.FlightDate.Time):
		entry(
			"flight",
			m.FlightDate,
			"◎",
			labels.Attention,
			"flight date; no data yet",
			EntryField{"operator", operator},
		)
	default:
		entry("flight", m.FlightDate, "◎", labels.InProgress, "flight date", EntryField{"operator", operator})
	}
}

func (t *entryBuilder) tellPlanning(m *Mission) {
	zone := cache.ZoneOf(&m.Mission)
	for i := range m.Planning {
		p := &m.Planning[i]
		var before *api.PlanningEntry
		if i+1 < len(m.Planning) {
			before = &m.Planning[i+1]
		}
		st := labels.ScheduleLabel(p.SchedulingStatus)
		what := fmt.Sprintf("planning v%d %s", p.Version, strings.ToLower(st.Label))
		if !p.FlightDate.IsZero() {
			what += ", " + format.MomentAt(p.FlightDate.Time, t.now, zone)
		}
		if by := textOrEmpty(p.ScheduledBy); by != "" {
			what += ", by " + by
		}
		t.addEntry(TimelineEntry{
			ID: fmt.Sprintf(
				"plan %s %d",
				m.UUID,
				p.Version,
			),
			At:      p.CreatedAt.Time,
			Source:  FromPlanning,
			Glyph:   st.Glyph,
			Role:    st.Role,
			About:   m.MissionCode,
			What:    what,
			Mission: m.UUID,
			Fields: []EntryField{
				{"flight", t.fullTime(p.FlightDate.Time)},
				{"by", textOrEmpty(p.ScheduledBy)},
				{"changed", strings.Join(PlanningChanges(p, before, t.now, zone), ", ")},
				{"note", textOrEmpty(p.Note)},
			},
		})
	}
}

func (t *entryBuilder) tellPermission(m *Mission) {
	p := m.Permission
	if p == nil {
		return
	}
	st := labels.PermissionLabel(p.Status)
	what := "flight permission " + strings.ToLower(st.Label)
	if by := textOrEmpty(p.Authority); by != "" {
		what += ", " + by
	}
	t.addEntry(TimelineEntry{
		ID: "permission " + m.UUID, At: p.UpdatedAt.Time, Source: FromPermission, Glyph: st.Glyph, Role: st.Role,
		About: m.MissionCode, What: what, Mission: m.UUID,
		Fields: []EntryField{
			{"authority", textOrEmpty(p.Authority)},
			{"reference", textOrEmpty(p.Reference)},
			{"valid from", t.fullTime(p.ValidFrom.Time)},
			{"valid to", t.fullTime(p.ValidTo.Time)},
		},
	})
}

func (t *entryBuilder) tellPackages(m *Mission) {
	for i := range m.Packages {
		p := &m.Packages[i]
		glyph := "◕"
		if p.Status == api.DeliveryAccepted {
			glyph = "●"
		}
		t.addEntry(TimelineEntry{
			ID:      "package " + p.UUID,
			At:      p.CreatedAt.Time,
			Source:  FromDelivery,
			Glyph:   glyph,
			Role:    labels.Good,
			About:   m.MissionCode,
			Mission: m.UUID,
			What: fmt.Sprintf(
				"data delivered, v%d, %s, %s",
				p.Version,
				format.Count(p.FileCount, "file", "files"),
				format.Bytes(p.TotalSize),
			),
			Fields: []EntryField{
				{"package", p.Name},
				{"package id", p.UUID},
				{"status", labels.DeliveryLabel(p.Status).DetailText()},
			},
		})
	}
}

// EntryColumns returns the columns of the entries of a subject.
func EntryColumns(now func() time.Time, of StorySubject) []columns.Column[TimelineEntry] {
	return []columns.Column[TimelineEntry]{
		{ColumnSpec: columns.ColumnSpec{Title: "When", Width: 16}, Value: func(e *TimelineEntry) columns.Cell {
			if e.At.IsZero() {
				return columns.TextCell("not known").WithTone(labels.Muted)
			}
			return columns.TextCell(e.At.In(now().Location()).Format("2006-01-02 15:04"))
		}},
		{
			ColumnSpec: columns.ColumnSpec{Title: "Source", Width: 10, Drop: 2},
			Value:      func(e *TimelineEntry) columns.Cell { return columns.TextCell(string(e.Source)).WithTone(labels.Muted) },
		},
		// Everything is about the one mission where there is one.
		{
			ColumnSpec: columns.ColumnSpec{Title: "About", Width: 10, Drop: 1, Off: of.Mission != ""},
			Value:      func(e *TimelineEntry) columns.Cell { return columns.TextCell(e.About) },
		},
		{
			ColumnSpec: columns.ColumnSpec{Title: "What", Width: 36, Fill: 1, Least: 30},
			Value:      func(e *TimelineEntry) columns.Cell { return columns.TextCell(e.Glyph + " " + e.What).WithTone(e.Role) },
		},
	}
}
