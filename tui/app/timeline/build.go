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

// BuildEntries returns the entries of a timeline for what was read about its subject, oldest first.
// Entries without a known time are last.
func BuildEntries(f *SubjectFacts, now time.Time) []TimelineEntry {
	t := newBuilder(f, now)
	if f.Order != nil {
		t.addOrder(f.Order)
	}
	for _, m := range f.Missions {
		t.addMissionEntries(m)
	}
	t.addQuotes()
	t.addSentChanges()
	t.addEndpoints(f.Endpoints, f.IsAbout)
	t.addNotices()
	t.addReceived()
	t.addChanges()
	t.addAccountRequests()
	t.addRequests()
	return t.sortEntries()
}

// entryBuilder collects the entries of a timeline or the lines of a report.
type entryBuilder struct {
	facts    *SubjectFacts
	now      time.Time
	order    string              // code of the subject's order
	missions map[string]*Mission // by UUID
	short    map[string]string   // short names of endpoints, by UUID
	all      []TimelineEntry
}

func newBuilder(f *SubjectFacts, now time.Time) *entryBuilder {
	t := &entryBuilder{
		facts:    f,
		now:      now,
		order:    f.Subject.Order,
		missions: map[string]*Mission{},
		short:    ShortNames(f.Endpoints),
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

// add adds an entry and returns it. The ID of e must be unique among the entries of its source. If What is
// "", it is set to Brief and Detail; if Brief is "", it is set to What. facts and more become the fields
// of the entry. facts has pairs of a name and a value, and in more, names and values alternate. Fields
// without a value are left out.
func (t *entryBuilder) add(e TimelineEntry, facts [][2]string, more ...string) *TimelineEntry {
	e.ID = string(e.Source) + " " + e.ID
	e.Failed = e.Role == format.Bad
	if e.What == "" {
		e.What = joinParts(e.Brief, e.Detail)
	}
	if e.Brief == "" {
		e.Brief = e.What
	}
	e.Fields = []EntryField{}
	for pair := range slices.Chunk(more, 2) {
		facts = append(facts, [2]string(pair))
	}
	for _, f := range facts {
		if f[1] != "" && f[1] != format.None {
			e.Fields = append(e.Fields, EntryField{f[0], f[1]})
		}
	}
	if !e.At.IsZero() {
		e.At = e.At.In(t.now.Location())
		e.Ahead = e.At.After(t.now)
		e.When = e.At.Format(time.RFC3339)
	}
	t.all = append(t.all, e)
	return &t.all[len(t.all)-1]
}

// factsOf returns the columns of a row as pairs of a name and a value. It also returns the JSON fields of
// the row that the service sent and this program does not know. Times are in the user's time zone.
func factsOf[T any](t *entryBuilder, all []columns.Column[T], row T) [][2]string {
	facts := columns.RowFacts(all, row, t.now)
	for i := range facts {
		at, err := time.Parse(time.RFC3339, facts[i][1])
		if err == nil {
			facts[i][1] = at.In(t.now.Location()).Format(FieldTime)
		}
	}
	return append(facts, columns.UnknownMembers(columns.MoreOf(row))...)
}

// addKnown adds an entry if its time is known. See [entryBuilder.add] for the arguments.
func (t *entryBuilder) addKnown(e TimelineEntry, facts [][2]string, more ...string) {
	if !e.At.IsZero() {
		t.add(e, facts, more...)
	}
}

// sortEntries returns the entries sorted by time. Entries with the same time are sorted by source, and
// entries without a time are last.
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
	missions := ""
	if count := max(len(o.Missions), format.ValueOf(o.MissionCount)); count > 0 { // otherwise it may be unknown
		missions = format.Count(count, "mission")
	}
	status := t.facts.orderState()
	quotes := func(string) format.QuoteState { return t.facts.Quotes }
	facts := factsOf(t, columns.InUnits(columns.Orders(quotes), t.facts.Units), o)
	t.addKnown(TimelineEntry{
		Source: FromOrder,
		ID:     "placed",
		At:     o.CreatedAt.Time,
		Glyph:  "◇",
		Role:   format.Accent,
		About:  t.order,
		Brief:  "placed",
		Detail: missions,
	}, facts, "Order ID", o.UUID)
	if o.UpdatedAt.After(o.CreatedAt.Time) && !isOnlyMissionUpdate(o) {
		t.addKnown(TimelineEntry{
			Source: FromOrder,
			ID:     "status",
			At:     o.UpdatedAt.Time,
			Glyph:  status.Glyph,
			Role:   status.Role,
			About:  t.order,
			What:   "order updated: " + status.Label,
			Brief:  "order updated",
			Detail: status.Label,
		}, facts)
	}
	t.addStart(o)
	t.addDeadline(o)
}

// isOnlyMissionUpdate reports whether the last update of an order was the update of a mission that did not change the
// status of the order. An order has the status of its least advanced mission, so its status did not change if the
// mission is now further than the order.
func isOnlyMissionUpdate(o *api.Order) bool {
	stage := slices.Index(api.OrderStatuses(), o.Status)
	isUnknown := stage < 0
	if isUnknown {
		return false
	}
	return slices.ContainsFunc(o.Missions, func(m api.Mission) bool {
		isSameUpdate := m.UpdatedAt.Sub(o.UpdatedAt.Time).Abs() < time.Second
		// The first status of missions belongs to the second status of orders, which have one more for open quotes.
		return isSameUpdate && m.Status.Rank()+1 > stage
	})
}

// addStart adds an entry for the start date of an order.
func (t *entryBuilder) addStart(o *api.Order) {
	start := o.StartDate.StartDay(t.now.Location())
	t.addKnown(TimelineEntry{
		Source: FromOrder,
		ID:     "start",
		At:     start.Start(),
		Glyph:  "·",
		Role:   format.Muted,
		About:  t.order,
		Brief:  "start date",
		Detail: t.dayNote(start, start.Start()),
	}, nil)
}

// addDeadline adds an entry for the deadline of an order. The entry counts as failed if the deadline has
// passed and the order is not finished.
func (t *entryBuilder) addDeadline(o *api.Order) {
	due := o.Deadline.EndDay(t.now.Location())
	deadline := TimelineEntry{
		Source: FromOrder,
		ID:     "deadline",
		At:     due.End(),
		Glyph:  "▲",
		Role:   format.Muted,
		About:  t.order,
		Brief:  "deadline",
	}
	status := ""
	isLate := !due.IsZero() && t.now.After(due.End()) && o.Status.IsLive()
	if isLate {
		deadline.Role = format.Bad
		deadline.Brief = "deadline passed"
		status = "status " + t.facts.orderState().Label
	}
	deadline.Detail = joinParts(status, t.dayNote(due, due.End()))
	t.addKnown(deadline, nil)
}

// dayNote returns a note with the date d of an order. at is the time of the entry, which can be on another
// day in the user's time zone. If it is on the same day, dayNote returns "", because the entry shows that
// day already.
func (t *entryBuilder) dayNote(d api.DayOrTime, at time.Time) string {
	if d.IsZero() || d.String() == at.In(t.now.Location()).Format(time.DateOnly) {
		return ""
	}
	return format.ExactDate(d, t.now)
}

// code returns the mission's code, or its UUID if it has none.
func (m *Mission) code() string { return cmp.Or(m.MissionCode, m.UUID) }

// addMissionEntries adds all entries about a mission: its creation, planning, permission and packages.
func (t *entryBuilder) addMissionEntries(m *Mission) {
	firstIndex := len(t.all)
	t.addMission(m)
	t.addPlanning(m)
	t.addPermission(m)
	t.addPackages(m)
	for i := firstIndex; i < len(t.all); i++ {
		t.all[i].Mission = m.UUID
	}
}

// addMission adds entries for the creation, the last change and the flight of a mission.
func (t *entryBuilder) addMission(m *Mission) {
	status := t.facts.stateOf(m)
	operator := format.ValueOf(m.OperatorName)
	stateOf := func(*api.Mission) format.StatusLabel { return status }
	missionColumns := columns.InUnits(columns.WithState(columns.Missions(), stateOf), t.facts.Units)
	facts := factsOf(t, missionColumns, &m.Mission)
	more := []string{"Place", columns.PlaceOf(&m.Mission), "Mission ID", m.UUID}
	// In the story of an order, its own entry shows that the missions were created with it.
	isOrderStory := t.facts.Subject.Mission == ""
	isShownByOrder := isOrderStory && t.isCreatedWithOrder(m)
	if !isShownByOrder {
		t.addKnown(TimelineEntry{
			Source: FromMission,
			ID:     "made " + m.UUID,
			At:     m.CreatedAt.Time,
			Glyph:  "◌",
			Role:   format.Text,
			About:  m.code(),
			Brief:  "created",
		}, facts, more...)
	}
	if m.UpdatedAt.After(m.CreatedAt.Time) {
		t.addKnown(TimelineEntry{
			Source: FromMission,
			ID:     "status " + m.UUID,
			At:     m.UpdatedAt.Time,
			Glyph:  status.Glyph,
			Role:   status.Role,
			About:  m.code(),
			What:   "mission updated: " + joinParts(status.Label, operator),
			Brief:  "mission updated",
			Detail: joinParts(status.Label, operator),
		}, facts, more...)
	}
	if m.Status != api.MissionCancelled {
		t.addFlight(m)
	}
}

// addFlight adds an entry for the flight date of a mission.
func (t *entryBuilder) addFlight(m *Mission) {
	flight := TimelineEntry{
		Source: FromMission,
		ID:     "flight " + m.UUID,
		At:     m.FlightDate.Time,
		Glyph:  "◎",
		Role:   format.InProgress,
		About:  m.code(),
		Brief:  "flight date",
	}
	if m.Status == api.MissionFlightScheduled && t.now.After(m.FlightDate.Time) {
		flight.Detail = "no data yet"
		flight.Role = format.Attention
	}
	t.addKnown(flight, nil, "Operator", format.ValueOf(m.OperatorName))
}

// isCreatedWithOrder reports whether a mission was created within a minute of its order.
func (t *entryBuilder) isCreatedWithOrder(m *Mission) bool {
	o := t.facts.Order
	return o != nil && m.CreatedAt.Sub(o.CreatedAt.Time).Abs() <= time.Minute
}

// addPlanning adds an entry for each version of a mission's planning. The versions are sorted newest first.
func (t *entryBuilder) addPlanning(m *Mission) {
	zone := cache.ZoneOf(&m.Mission)
	for i := range m.Planning {
		p := &m.Planning[i]
		var previous *api.PlanningEntry // nil for the first version
		if i+1 < len(m.Planning) {
			previous = &m.Planning[i+1]
		}
		st := format.Status(p.SchedulingStatus)
		flight := ""
		if !p.FlightDate.IsZero() {
			flight = t.facts.Units.MomentAt(p.FlightDate.Time, t.now, zone)
		}
		changed := strings.Join(PlanningChanges(p, previous, t.now, zone, t.facts.Units), ", ")
		facts := factsOf(t, columns.Planning(), p)
		outcome := ""
		isReplaced := i > 0 && p.SchedulingStatus == api.ScheduleProposed
		if isReplaced {
			outcome = strings.TrimSpace("replaced by" + versionText(m.Planning[i-1].Version))
			renameNote(facts)
		}
		t.add(TimelineEntry{
			Source: FromPlanning,
			ID:     fmt.Sprint(m.UUID, " ", p.Version),
			At:     p.CreatedAt.Time,
			Glyph:  st.Glyph,
			Role:   st.Role,
			About:  m.code(),
			Brief:  "planning" + versionText(p.Version) + " " + strings.ToLower(st.Label),
			Detail: joinParts(flight, textAfter("by ", format.ValueOf(p.ScheduledBy))),
		}, facts, "Changed", changed, OutcomeField, outcome)
	}
}

// OutcomeField is the name of the field that says what became of a proposed flight date, such as "replaced
// by v2".
const OutcomeField = "Outcome"

// renameNote renames the field "Note" to "Earlier note". It is for a proposed flight date that a later
// version has replaced, because its note may be outdated, such as "waiting for the operator's answer".
func renameNote(facts [][2]string) {
	for i := range facts {
		if facts[i][0] == "Note" {
			facts[i][0] = "Earlier note"
		}
	}
}

// permissionDay returns the first or last day of a permission as a time: noon if d is a day without a
// time.
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
	validity := describeValidity(p, t.facts.Units.ClockAt(t.now, cache.ZoneOf(&m.Mission)))
	brief := "permission " + strings.ToLower(st.Label)
	detail := joinParts(format.ValueOf(p.Authority), validity)
	permit := ""
	if p.PermitFileURL != nil {
		permit = "permit attached"
	}
	t.add(TimelineEntry{
		Source: FromPermission,
		ID:     m.UUID,
		At:     p.UpdatedAt.Time,
		Glyph:  st.Glyph,
		Role:   st.Role,
		About:  m.code(),
		What:   "flight " + joinParts(brief, detail),
		Brief:  brief,
		Detail: detail,
	}, factsOf(t, columns.Permissions(), p), "Permit", permit)
}

// describeValidity returns the first and the last day on which a permission is valid, in the time zone of
// now, or "" if both are unknown.
func describeValidity(p *api.FlightPermission, now time.Time) string {
	zone := now.Location()
	first := permissionDay(p.ValidFrom.StartDay(zone), zone)
	last := permissionDay(p.ValidTo.EndDay(zone), zone)
	from := format.Day(first, now)
	to := format.Day(last, now)
	if from == format.None && to == format.None {
		return ""
	}
	return "valid " + from + " to " + to
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
		t.add(TimelineEntry{
			Source: FromDelivery,
			ID:     p.UUID,
			At:     p.CreatedAt.Time,
			Glyph:  glyph,
			Role:   format.Good,
			About:  m.code(),
			Brief:  "data delivered",
			Detail: describePackage(p),
		}, facts, "Package ID", p.UUID)
	}
}

// describePackage returns the version of a package, the number of its files and their size, such as
// "v2, 3 files, 1.2 GB". It leaves out values that the service does not send.
func describePackage(p *api.DeliveryPackage) string {
	files := ""
	if p.FileCount >= 0 {
		files = format.Count(p.FileCount, "file")
	}
	size := ""
	if p.TotalSize >= 0 {
		size = format.Bytes(p.TotalSize)
	}
	return joinParts(strings.TrimSpace(versionText(p.Version)), files, size)
}

// EntryColumns returns the columns of a list of entries. The timeline of a mission hides the column with
// the mission, because all entries are about it.
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

// timeText formats the time of the entry with a layout of package time, or returns "unknown".
func (e *TimelineEntry) timeText(layout string) string {
	if e.At.IsZero() {
		return "unknown"
	}
	return e.At.Format(layout)
}
