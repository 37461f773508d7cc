package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
)

// Tell is the story that the facts tell, the oldest entry first; those of no
// known time come last.
func Build(f *Facts, now time.Time) []Entry {
	t := &teller{facts: f, now: now, codes: map[string]string{}}
	for i := range f.Missions {
		if m := &f.Missions[i]; m.UUID != "" {
			t.codes[m.UUID] = cmp.Or(m.MissionCode, m.UUID)
		}
	}
	t.order()
	for i := range f.Missions {
		m := &f.Missions[i]
		t.mission(m)
		t.planning(m)
		t.permission(m)
		t.packages(m)
	}
	t.quotes()
	t.decisions()
	for i := range f.Endpoints {
		t.callbacks(&f.Endpoints[i])
		t.missing(&f.Endpoints[i])
	}
	t.notices()
	t.received()
	t.requests()
	place := map[Source]int{}
	for i, s := range Sources() {
		place[s] = i
	}
	slices.SortStableFunc(t.all, func(a, b Entry) int {
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

// Masked are the entries with what they say as the mask lets it be read.
func Masked(entries []Entry, mask func(string) string) []Entry {
	for i := range entries {
		e := &entries[i]
		e.What = mask(e.What)
		for j := range e.Fields {
			e.Fields[j].Value = mask(e.Fields[j].Value)
		}
	}
	return entries
}

// teller collects entries.
type teller struct {
	facts *Facts
	now   time.Time
	codes map[string]string // of missions by uuid
	all   []Entry
}

// add adds an entry without the fields that have no value.
func (t *teller) add(e Entry) {
	e.Fields = slices.DeleteFunc(e.Fields, func(f Field) bool { return f.Value == "" || f.Value == format.None })
	t.all = append(t.all, e)
}

// full is a time as it is read in a field.
func (t *teller) full(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(t.now.Location()).Format("2006-01-02 15:04:05 -07:00")
}

func (t *teller) order() {
	o := t.facts.Order
	if o == nil {
		return
	}
	entry := func(id string, at api.Time, glyph string, role labels.Tone, what string, fields ...Field) {
		if !at.IsZero() {
			t.add(Entry{ID: "order " + id, At: at.Time, Source: FromOrder, Glyph: glyph, Role: role, About: o.OrderCode, What: what, Fields: fields})
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
		Field{"order", o.OrderName}, Field{"order id", o.UUID}, Field{"company", o.CompanyName}, Field{"size", size},
		Field{"sensors", labels.List(o.Sensors, labels.Sensor)}, Field{"deliverables", labels.List(o.Deliverables, labels.Deliverable)})
	st := labels.OrderStatus(o.Status)
	if o.UpdatedAt.After(o.CreatedAt.Time) {
		reason := cmp.Or(value(o.RejectionReason), value(o.ArchiveReason))
		entry("status", o.UpdatedAt, st.Glyph, st.Role, "last changed, now "+st.Label, Field{"status", st.Detail()}, Field{"description", st.Description}, Field{"reason", reason})
	}
	entry("start", o.StartDate, "·", labels.Muted, "earliest flight date")
	late, role := "deadline", labels.Muted
	if !o.Deadline.IsZero() && t.now.After(o.Deadline.Time) && o.Status.IsLive() {
		late, role = "deadline passed; "+st.Label, labels.Bad
	}
	entry("deadline", o.Deadline, "▲", role, late)
}

func (t *teller) mission(m *Mission) {
	st := labels.MissionStatus(m.Status)
	entry := func(id string, at api.Time, glyph string, role labels.Tone, what string, fields ...Field) {
		if !at.IsZero() {
			t.add(Entry{
				ID: "mission " + id + " " + m.UUID, At: at.Time, Source: FromMission, Glyph: glyph, Role: role, About: m.MissionCode,
				What: what, Mission: m.UUID, Fields: fields,
			})
		}
	}
	operator := value(m.OperatorName)
	facts := []Field{
		{"mission", m.MissionName},
		{"mission id", m.UUID},
		{"place", strings.Trim(m.LocationLabel+", "+value(m.City)+", "+m.Country, ", ")},
		{"site", labels.MissionType(m.MissionType).Label},
		{"operator", operator},
		{"status", st.Detail()},
		{"description", st.Description},
	}
	if o := t.facts.Order; o == nil || t.facts.Subject.Mission != "" || m.CreatedAt.Sub(o.CreatedAt.Time).Abs() > time.Minute {
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
		entry("flight", m.FlightDate, "◎", labels.Attention, "flight date; no data yet", Field{"operator", operator})
	default:
		entry("flight", m.FlightDate, "◎", labels.InProgress, "flight date", Field{"operator", operator})
	}
}

func (t *teller) planning(m *Mission) {
	zone := cache.ZoneOf(&m.Mission)
	for i := range m.Planning {
		p := &m.Planning[i]
		var before *api.PlanningEntry
		if i+1 < len(m.Planning) {
			before = &m.Planning[i+1]
		}
		st := labels.Schedule(p.SchedulingStatus)
		what := fmt.Sprintf("planning v%d %s", p.Version, strings.ToLower(st.Label))
		if !p.FlightDate.IsZero() {
			what += ", " + format.MomentAt(p.FlightDate.Time, t.now, zone)
		}
		if by := value(p.ScheduledBy); by != "" {
			what += ", by " + by
		}
		t.add(Entry{
			ID: fmt.Sprintf("plan %s %d", m.UUID, p.Version), At: p.CreatedAt.Time, Source: FromPlanning, Glyph: st.Glyph, Role: st.Role,
			About: m.MissionCode, What: what, Mission: m.UUID,
			Fields: []Field{
				{"flight", t.full(p.FlightDate.Time)},
				{"by", value(p.ScheduledBy)},
				{"changed", strings.Join(Changes(p, before, t.now, zone), ", ")},
				{"note", value(p.Note)},
			},
		})
	}
}

func (t *teller) permission(m *Mission) {
	p := m.Permission
	if p == nil {
		return
	}
	st := labels.Permission(p.Status)
	what := "flight permission " + strings.ToLower(st.Label)
	if by := value(p.Authority); by != "" {
		what += ", " + by
	}
	t.add(Entry{
		ID: "permission " + m.UUID, At: p.UpdatedAt.Time, Source: FromPermission, Glyph: st.Glyph, Role: st.Role,
		About: m.MissionCode, What: what, Mission: m.UUID,
		Fields: []Field{
			{"authority", value(p.Authority)},
			{"reference", value(p.Reference)},
			{"valid from", t.full(p.ValidFrom.Time)},
			{"valid to", t.full(p.ValidTo.Time)},
		},
	})
}

func (t *teller) packages(m *Mission) {
	for i := range m.Packages {
		p := &m.Packages[i]
		glyph := "◕"
		if p.Status == api.DeliveryAccepted {
			glyph = "●"
		}
		t.add(Entry{
			ID: "package " + p.UUID, At: p.CreatedAt.Time, Source: FromDelivery, Glyph: glyph, Role: labels.Good, About: m.MissionCode, Mission: m.UUID,
			What:   fmt.Sprintf("data delivered, v%d, %s, %s", p.Version, format.Count(p.FileCount, "file", "files"), format.Bytes(p.TotalSize)),
			Fields: []Field{{"package", p.Name}, {"package id", p.UUID}, {"status", labels.Delivery(p.Status).Detail()}},
		})
	}
}
