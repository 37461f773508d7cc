package timeline

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/session"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
)

// SubjectCode returns the code of the order or mission, or what it is asked for by if it
// could not be read.
func (f *SubjectFacts) SubjectCode() string {
	if f.Subject.Mission == "" && f.Order != nil {
		return f.Order.OrderCode
	}
	if len(f.Missions) > 0 {
		return f.Missions[0].MissionCode
	}
	return cmp.Or(ShortID(f.Subject.Mission), f.Subject.Order)
}

// SubjectState returns the name of the order or mission, and how it stands.
func (f *SubjectFacts) SubjectState() (name string, st format.StatusLabel) {
	if f.Order == nil {
		return "", st
	}
	if f.Subject.Mission != "" && len(f.Missions) > 0 {
		m := f.Missions[0]
		return m.MissionName + ", " + f.Order.OrderCode, format.Status(m.Status)
	}
	return f.Order.OrderName, format.Status(f.Order.Status)
}

// BuildReport returns the report of the subject, without entries.
func (f *SubjectFacts) BuildReport(r TimelineReport) *TimelineReport {
	r.Faults = f.SourceFaults()
	if o := f.Order; o != nil {
		r.Title = strings.TrimSpace(r.Title + " " + o.OrderName)
		r.State = "Order " + o.OrderCode + ": " + format.Status(o.Status).Label + "."
	}
	return &r
}

// MissionParts are what is read of a mission besides itself. Each stands without the
// others.
type MissionParts struct {
	Planning      []api.PlanningEntry // newest first
	PlanningErr   error
	Permission    *api.FlightPermission // nil where none is recorded
	PermissionErr error
	Packages      []api.DeliveryPackage // newest first
	PackagesErr   error
	Files         map[string][]api.DeliveryFile // by package, of as many as were asked for
	FilesErr      error
	Needs         []cache.Need // what all of it is read by
}

// PartsOf returns what is known of a mission's parts, and how that stands.
func PartsOf(c *cache.Cache, mission string, packages int) (p MissionParts, state cache.EntryState) {
	states := make([]cache.EntryState, 3)
	p.Needs = []cache.Need{
		c.Planning.NeedOf(mission),
		c.Permissions.NeedOf(mission),
		c.Packages.NeedOf(mission),
	}
	p.Planning, states[0] = c.Planning.Get(mission)
	p.Permission, states[1] = c.Permissions.Get(mission)
	p.Packages, states[2] = c.Packages.Get(mission)
	p.PlanningErr = states[0].Err
	p.PermissionErr = states[1].Err
	p.PackagesErr = states[2].Err
	p.Files = map[string][]api.DeliveryFile{}
	for i := range p.Packages[:min(len(p.Packages), packages)] {
		of := p.Packages[i].UUID
		files, s := c.Files.Get(of)
		p.Files[of], p.Needs = files, append(p.Needs, c.Files.NeedOf(of))
		p.FilesErr = cmp.Or(p.FilesErr, s.Err)
	}
	return p, cache.JoinStates(states...)
}

// PlanningChanges say what a planning entry changed against the one before it, nil for
// the first. Times are told in the zone, or with nil in now's.
func PlanningChanges(e, before *api.PlanningEntry, now time.Time, zone *time.Location, units format.Units) []string {
	if before == nil {
		return nil
	}
	var said []string
	switch was, is := before.FlightDate.Time, e.FlightDate.Time; {
	case was.Equal(is):
	case was.IsZero():
		said = append(said, "a date was set")
	case is.IsZero():
		said = append(said, "the date, "+units.MomentAt(was, now, zone)+", was removed")
	default:
		said = append(said,
			fmt.Sprintf("moved from %s, %s", units.MomentAt(was, now, zone), timeShift(was, is)))
	}
	if e.SchedulingStatus != before.SchedulingStatus {
		said = append(said, "previously "+cmp.Or(format.Status(before.SchedulingStatus).Label, "no status"))
	}
	if was, is := format.ValueOf(before.ScheduledBy), format.ValueOf(e.ScheduledBy); was != is && was != "" {
		said = append(said, "previously by "+was)
	}
	if len(said) == 0 {
		return []string{"only the note"}
	}
	return said
}

// timeShift says how much later or earlier one time is than another.
func timeShift(was, is time.Time) string {
	if is.Before(was) {
		return format.TimeLeft(was, is, false) + " earlier"
	}
	return format.TimeLeft(is, was, false) + " later"
}

// EntrySource is where an entry is known from.
type EntrySource string

// The sources.
const (
	FromOrder      EntrySource = "order"
	FromMission    EntrySource = "mission"
	FromPlanning   EntrySource = "planning"
	FromPermission EntrySource = "permission"
	FromDelivery   EntrySource = "delivery"
	FromQuote      EntrySource = "quote"
	FromDecision   EntrySource = "decision" // the log of this machine
	FromCallback   EntrySource = "callback" // the log of an endpoint
	FromNotice     EntrySource = "notice"   // the operations API's log of an order's completion notices
	FromGap        EntrySource = "missing"  // what no log knows of
	FromReceived   EntrySource = "received" // an event that was received here
	FromChange     EntrySource = "change"   // a change through the operations API
	FromClient     EntrySource = "client"   // a request of the account, in the service's log
	FromWire       EntrySource = "request"  // a request of this run
)

// AllSources lists the sources, in the order in which entries of one time stand.
func AllSources() []EntrySource {
	return []EntrySource{
		FromOrder,
		FromMission,
		FromQuote,
		FromDecision,
		FromPlanning,
		FromPermission,
		FromDelivery,
		FromCallback,
		FromNotice,
		FromGap,
		FromReceived,
		FromChange,
		FromClient,
		FromWire,
	}
}

// StorySubject is what a story is of: an order with all its missions, or one mission
// of it.
type StorySubject struct {
	Order   string // its code, or its uuid
	Mission string // uuid; "" for all
}

// Mission is a mission with what is read of it besides.
type Mission struct {
	api.Mission
	MissionParts
	Unread bool // Parts were not read, there being too many missions
}

// Endpoint is an endpoint with its log, the newest row first.
type Endpoint struct {
	api.WebhookEndpoint
	Log    []api.WebhookDelivery
	LogErr error
	// Since is from when on the log is known; the zero time is from its
	// beginning.
	Since time.Time
}

// SubjectFacts are what the sources know of a subject. Each stands without the others.
type SubjectFacts struct {
	Subject      StorySubject
	Units        format.Units // that it is told in
	Order        *api.Order   // nil where it could not be read
	OrderErr     error
	Missions     []*Mission // those that the story is of
	Record       *api.OrderRecord
	RecordErr    error
	QuoteTimes   map[string]*ops.Quote // when quotes were issued and decided, by ID; with the operations key only
	QuotesErr    error                 // why these times could not be read
	Decisions    []ordering.LedgerEntry
	DecisionsErr error
	Endpoints    []*Endpoint
	EndpointsErr error
	Histories    map[string]*ops.CallbackHistory // attempts of callbacks, by ID; with the operations key only
	HistoriesErr error                           // why some of them could not be read
	Notices      []ops.CompletionNotice          // newest first
	NoticesErr   error
	Received     []webhooks.ReceivedEvent
	ReceivedErr  error
	Changes      []ops.OrderChange // through the operations API, newest first
	ChangesErr   error
	Sent         []ops.LoggedRequest // by the account: changes and failures, newest first
	SentErr      error
	Exchanges    []*session.Exchange // those about it
	State        cache.EntryState    // of what the service said

	needs []cache.Need // what that is read by
}

// EntryOf returns the ID of the entry that a timeline has for something that was found, ""
// for something without an entry.
func EntryOf(f ops.Found) string {
	sources := map[ops.FoundKind]EntrySource{
		ops.FoundQuote:    FromQuote,
		ops.FoundPackage:  FromDelivery,
		ops.FoundCallback: FromCallback,
		ops.FoundNotice:   FromNotice,
	}
	source, hasEntry := sources[f.Kind]
	if !hasEntry {
		return ""
	}
	return string(source) + " " + f.UUID
}

// EntryField is a name and a value.
type EntryField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// TimelineEntry is a line of a timeline, or of a part of a report: something that happened or is
// going to, or how something is.
type TimelineEntry struct {
	ID      string       `json:"-"`  // names it, in every timeline the same
	At      time.Time    `json:"-"`  // in the reader's zone; the zero time where it is not known
	When    string       `json:"at"` // At in RFC 3339
	Source  EntrySource  `json:"source"`
	Glyph   string       `json:"-"`
	Role    format.Tone  `json:"-"`
	About   string       `json:"about"` // code of the mission or the order, or what a line is about
	What    string       `json:"what"`  // in one line
	Failed  bool         `json:"failed"`
	Ahead   bool         `json:"ahead"`           // it is still to come
	Fields  []EntryField `json:"fields"`          // what more is known of it
	Right   string       `json:"value,omitempty"` // at the end of the line of a part
	Said    string       `json:"-"`               // a sentence below Fields
	Err     error        `json:"-"`               // why not all of it is known
	Routine bool         `json:"-"`               // a request that read something and was answered

	Order    string            `json:"-"` // code of the order that it is about
	Mission  string            `json:"-"` // uuid of the mission that it is about, "" for the order
	Endpoint string            `json:"-"` // uuid
	Scope    api.Scope         `json:"-"`
	Status   api.OrderStatus   `json:"-"`
	Query    string            `json:"-"` // of the requests that it is about
	Exchange *session.Exchange `json:"-"`
	Sending  *UndeliveredItem  `json:"-"` // of a callback or a notice
}

// SourceFault is a source that could not be read.
type SourceFault struct {
	Source EntrySource `json:"source"`
	About  string      `json:"about,omitempty"` // code of the mission or address of the endpoint, "" for all
	Text   string      `json:"error"`
	Err    error       `json:"-"`
}

// SourceFaults returns the sources that could not be read.
func (f *SubjectFacts) SourceFaults() []SourceFault {
	var all []SourceFault
	add := func(source EntrySource, about string, err error) {
		if err != nil {
			all = append(all, SourceFault{source, about, err.Error(), err})
		}
	}
	add(FromOrder, "", f.OrderErr)
	for _, m := range f.Missions {
		add(FromPlanning, m.MissionCode, m.PlanningErr)
		add(FromPermission, m.MissionCode, m.PermissionErr)
		add(FromDelivery, m.MissionCode, m.PackagesErr)
	}
	add(FromQuote, "", f.RecordErr)
	add(FromQuote, "times", f.QuotesErr)
	add(FromDecision, "", f.DecisionsErr)
	add(FromCallback, "", f.EndpointsErr)
	add(FromCallback, "attempts", f.HistoriesErr)
	add(FromNotice, "", f.NoticesErr)
	add(FromReceived, "", f.ReceivedErr)
	add(FromChange, "", f.ChangesErr)
	add(FromClient, "", f.SentErr)
	for _, e := range f.Endpoints {
		add(FromCallback, e.URL, e.LogErr)
	}
	return all
}
