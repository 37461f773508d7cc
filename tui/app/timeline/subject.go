package timeline

import (
	"cmp"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/session"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
)

// SubjectCode returns the code of the order or mission that the facts are about. If the order or mission could not
// be read, SubjectCode returns the first characters of Subject.Mission or, for an order, Subject.Order.
func (f *SubjectFacts) SubjectCode() string {
	if f.Subject.Mission == "" && f.Order != nil {
		return f.Order.OrderCode
	}
	if len(f.Missions) > 0 {
		return f.Missions[0].MissionCode
	}
	return cmp.Or(ShortID(f.Subject.Mission), f.Subject.Order)
}

// SubjectState returns the name and the status of the order or mission.
func (f *SubjectFacts) SubjectState() (name string, st format.StatusLabel) {
	if f.Order == nil {
		return "", st
	}
	if f.Subject.Mission != "" && len(f.Missions) > 0 {
		m := f.Missions[0]
		return m.MissionName + ", " + f.Order.OrderCode, f.stateOf(m)
	}
	return f.Order.OrderName, f.orderState()
}

// orderState returns the label of the order's status, with its glyph and tone.
func (f *SubjectFacts) orderState() format.StatusLabel {
	return format.OrderState(f.Order.Status, f.Quotes)
}

// stateOf returns the label of a mission's status, with its glyph and tone.
func (f *SubjectFacts) stateOf(m *Mission) format.StatusLabel {
	if f.Order == nil {
		return format.Status(m.Status)
	}
	return format.MissionState(m.Status, f.Order.Status, f.Quotes)
}

// BuildReport returns r with the title, the state and the faults of a report on the subject. The caller
// adds the entries.
func (f *SubjectFacts) BuildReport(r TimelineReport) *TimelineReport {
	r.Faults = f.SourceFaults()
	if o := f.Order; o != nil {
		r.Title = strings.TrimSpace(r.Title + " " + o.OrderName)
		r.State = "Order " + o.OrderCode + ": " + f.orderState().Label + "."
	}
	return &r
}

// MissionParts has the data of a mission that is read by separate requests. Each of them can fail without
// the others, so each has its own error.
type MissionParts struct {
	Planning      []api.PlanningEntry // newest first
	PlanningErr   error
	Permission    *api.FlightPermission // nil if there is none
	PermissionErr error
	Packages      []api.DeliveryPackage // newest first
	PackagesErr   error
	Files         map[string][]api.DeliveryFile // by package ID; only of the newest packages
	FilesErr      error
	Needs         []cache.Need // what the cache must load for all parts
}

// PartsOf returns the parts of a mission from the cache, with the files of the newest packages, at most
// maxPackages. It also returns the common state of planning, permission and packages. The files do not
// affect the state, so that a mission is shown before all its files are read.
func PartsOf(c *cache.Cache, mission string, maxPackages int) (MissionParts, cache.EntryState) {
	planning, planningState := c.Planning.Get(mission)
	permission, permissionState := c.Permissions.Get(mission)
	packages, packagesState := c.Packages.Get(mission)
	parts := MissionParts{
		Planning:      planning,
		PlanningErr:   planningState.Err,
		Permission:    permission,
		PermissionErr: permissionState.Err,
		Packages:      packages,
		PackagesErr:   packagesState.Err,
		Files:         map[string][]api.DeliveryFile{},
		Needs: []cache.Need{
			c.Planning.NeedOf(mission),
			c.Permissions.NeedOf(mission),
			c.Packages.NeedOf(mission),
		},
	}
	for i := range packages[:min(len(packages), maxPackages)] {
		uuid := packages[i].UUID
		files, filesState := c.Files.Get(uuid)
		parts.Files[uuid] = files
		parts.Needs = append(parts.Needs, c.Files.NeedOf(uuid))
		if parts.FilesErr == nil { // keep the first error
			parts.FilesErr = filesState.Err
		}
	}
	return parts, cache.JoinStates(planningState, permissionState, packagesState)
}

// PlanningChanges describes how a planning entry differs from the entry before it. It returns "only the note" if
// nothing but the note changed, and "no known field" if the app sees no change. It returns nil for the first entry.
// Times are in the given zone, or in the zone of now if the zone is nil.
func PlanningChanges(e, before *api.PlanningEntry, now time.Time, zone *time.Location, units format.Units) []string {
	if before == nil {
		return nil
	}
	var changes []string
	if text := dateChange(e, before, now, zone, units); text != "" {
		changes = append(changes, text)
	}
	if e.SchedulingStatus != before.SchedulingStatus {
		oldStatus := cmp.Or(format.Status(before.SchedulingStatus).Label, "no status")
		changes = append(changes, "previously "+oldStatus)
	}
	if text := personChange(e, before); text != "" {
		changes = append(changes, text)
	}
	if len(changes) > 0 {
		return changes
	}
	hasNewNote := format.ValueOf(e.Note) != format.ValueOf(before.Note)
	if hasNewNote {
		return []string{"only the note"}
	}
	return []string{"no known field"}
}

// personChange describes how the person who scheduled the flight has changed: "previously by" and the
// earlier person or, if there was none, "now by" and the new person. It returns "" if the person is the
// same.
func personChange(e, before *api.PlanningEntry) string {
	oldPerson := format.ValueOf(before.ScheduledBy)
	newPerson := format.ValueOf(e.ScheduledBy)
	if oldPerson == newPerson {
		return ""
	}
	if oldPerson == "" {
		return "now by " + newPerson
	}
	return "previously by " + oldPerson
}

// dateChange describes how the flight date changed, or returns "" if it did not.
func dateChange(e, before *api.PlanningEntry, now time.Time, zone *time.Location, units format.Units) string {
	oldDate := before.FlightDate.Time
	newDate := e.FlightDate.Time
	if oldDate.Equal(newDate) {
		return ""
	}
	if oldDate.IsZero() {
		return "a date was set"
	}
	oldText := units.MomentAt(oldDate, now, zone)
	if newDate.IsZero() {
		return "the date, " + oldText + ", was removed"
	}
	return "moved from " + oldText + ", " + timeShift(oldDate, newDate)
}

// timeShift describes how much later or earlier to is than from, such as "2 days later".
func timeShift(from, to time.Time) string {
	if to.Before(from) {
		return format.TimeLeft(from, to, false) + " earlier"
	}
	return format.TimeLeft(to, from, false) + " later"
}

// EntrySource is the source of an entry, such as an order or the log of an endpoint.
type EntrySource string

// Sources of entries.
const (
	FromOrder      EntrySource = "order"
	FromMission    EntrySource = "mission"
	FromPlanning   EntrySource = "planning"
	FromPermission EntrySource = "permission"
	FromDelivery   EntrySource = "delivery"
	FromQuote      EntrySource = "quote"
	FromDecision   EntrySource = "decision" // the log of this machine
	FromCallback   EntrySource = "callback" // the log of an endpoint
	FromNotice     EntrySource = "notice"   // log of completion notices; only with the operations key
	FromMissing    EntrySource = "missing"  // a callback that is in no log
	FromReceived   EntrySource = "received" // an event that this app received
	FromChange     EntrySource = "change"   // a change through the operations API
	FromClient     EntrySource = "client"   // a request of the account, in the service's log
	FromRequest    EntrySource = "request"  // a request of this app since its start
)

// AllSources lists the sources. Entries with the same time are sorted in this order.
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
		FromMissing,
		FromReceived,
		FromChange,
		FromClient,
		FromRequest,
	}
}

// StorySubject is what a timeline is about: an order with all its missions, or one mission.
type StorySubject struct {
	Order   string // code or UUID
	Mission string // UUID; "" for all missions
}

// Mission is a mission with its planning, permission, packages and files.
type Mission struct {
	api.Mission
	MissionParts
	Unread bool // the MissionParts were not loaded, for instance because there are too many missions
}

// Endpoint is a webhook endpoint with its log of callbacks, newest first.
type Endpoint struct {
	api.WebhookEndpoint
	Log    []api.WebhookDelivery
	LogErr error
	// Since is the time since which Log has all callbacks. If it is zero, Log has all callbacks of the
	// endpoint.
	Since time.Time
	// IsCut is true if Log may lack older rows of the requested period, because they were not read.
	IsCut bool
}

// SubjectFacts is everything that was read about an order or a mission. Each source, such as the quotes,
// can fail without the others and has its own error.
type SubjectFacts struct {
	Subject        StorySubject
	Units          format.Units
	Order          *api.Order // nil if it could not be read
	OrderErr       error
	Missions       []*Mission // missions of the subject
	Record         *api.OrderRecord
	RecordErr      error
	Quotes         format.QuoteState     // state of the order's quotes
	QuoteTimes     map[string]*ops.Quote // when quotes were issued and decided, by ID; nil without the operations key
	QuotesErr      error                 // why QuoteTimes could not be read
	SentChanges    []changes.Change
	SentChangesErr error
	Endpoints      []*Endpoint
	EndpointsErr   error
	Histories      map[string]*ops.CallbackHistory // attempts of callbacks, by ID; nil without the operations key
	HistoriesErr   error                           // why some attempts could not be read
	Notices        []ops.CompletionNotice          // newest first
	NoticesErr     error
	Received       []webhooks.ReceivedEvent
	ReceivedErr    error
	Changes        []ops.OrderChange // changes that were made through the operations API, newest first
	ChangesErr     error
	Sent           []ops.LoggedRequest // changes and failed requests of the account, newest first
	SentErr        error
	Exchanges      []*session.Exchange // requests of this app about the subject
	State          cache.EntryState    // of everything from the service

	needs []cache.Need // what the cache must load for the data of the service
}

// EntryOf returns the ID of the timeline entry that shows a search result. It returns "" if timelines do
// not show this kind of result.
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

// EntryField is a detail of a timeline entry: a name and a value.
type EntryField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// FieldTime is the layout of times in the values of an [EntryField].
const FieldTime = "2006-01-02 15:04:05 -07:00"

// ScreenValue returns the value for a page of the app. If the value begins with a time in the layout
// [FieldTime], that time is formatted like all other times on the screen.
func (f *EntryField) ScreenValue(now time.Time) string {
	if len(f.Value) < len(FieldTime) {
		return f.Value
	}
	at, err := time.Parse(FieldTime, f.Value[:len(FieldTime)])
	if err != nil {
		return f.Value
	}
	return format.ExactMoment(at, now) + f.Value[len(FieldTime):]
}

// TimelineEntry is a line of a timeline or of a report: something that happened or will
// happen, or the state of something.
type TimelineEntry struct {
	ID      string       `json:"-"`  // the same in every timeline
	At      time.Time    `json:"-"`  // in the user's zone; zero if unknown
	When    string       `json:"at"` // At in RFC 3339
	Source  EntrySource  `json:"source"`
	Glyph   string       `json:"-"`
	Role    format.Tone  `json:"-"`
	About   string       `json:"about"` // code of the mission or order, or subject of a line
	What    string       `json:"what"`  // one line
	Brief   string       `json:"-"`     // the beginning of What: what happened, in two or three words
	Problem string       `json:"-"`     // what is wrong with a callback, such as "callback failed"; "" if nothing is
	Detail  string       `json:"-"`     // the rest of What, without the endpoint of a callback; may be ""
	Failed  bool         `json:"failed"`
	Ahead   bool         `json:"ahead"`           // is in the future
	Fields  []EntryField `json:"fields"`          // details
	Right   string       `json:"value,omitempty"` // value at the end of a line of a report
	Note    string       `json:"-"`               // sentence below Fields
	Err     error        `json:"-"`               // why details are missing
	Routine bool         `json:"-"`               // a successful read request

	Order    string            `json:"-"` // code of its order
	Mission  string            `json:"-"` // UUID of its mission; "" for the order
	Endpoint string            `json:"-"` // UUID of its endpoint
	To       string            `json:"-"` // short name of its endpoint
	Scope    api.Scope         `json:"-"`
	Status   api.OrderStatus   `json:"-"`
	Key      string            `json:"-"` // last characters of a key of the account
	Query    string            `json:"-"` // filter for the requests that it describes
	Exchange *session.Exchange `json:"-"`
	Sending  *UndeliveredItem  `json:"-"` // only for callbacks and notices
}

// Headline returns what happened, for a list of entries from several sources. The headline of a failed callback ends
// with the problem, such as "Operator assigned: callback failed", because it is the callback that failed and not the
// event.
func (e *TimelineEntry) Headline() string {
	if e.Problem == "" {
		return e.Brief
	}
	return e.Brief + ": " + e.Problem
}

// SourceFault is a source that could not be read.
type SourceFault struct {
	Source EntrySource `json:"source"`
	About  string      `json:"about,omitempty"` // code of the mission or URL of the endpoint; "" for all
	Text   string      `json:"error"`
	Err    error       `json:"-"`
}

// SourceFaults returns the sources that could not be read.
func (f *SubjectFacts) SourceFaults() []SourceFault {
	var all []SourceFault
	add := func(source EntrySource, about string, err error) {
		if err != nil {
			all = append(all, SourceFault{Source: source, About: about, Text: err.Error(), Err: err})
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
	add(FromDecision, "", f.SentChangesErr)
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
