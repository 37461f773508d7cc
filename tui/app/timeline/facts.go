package timeline

import (
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/ledger"
	"flightdesk/tui/app/requestlog"
)

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
	FromWire       EntrySource = "request"  // a request of this run
)

// AllSources lists the sources, in the order in which entries of one time stand.
func AllSources() []EntrySource {
	return []EntrySource{
		FromOrder, FromMission, FromQuote, FromDecision, FromPlanning, FromPermission, FromDelivery, FromCallback,
		FromNotice, FromGap, FromReceived, FromWire,
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

// ReceivedEvent is an event that was received and verified here.
type ReceivedEvent struct {
	api.Event
	At time.Time // when it came in
}

// SubjectFacts are what the sources know of a subject. Each stands without the others.
type SubjectFacts struct {
	Subject      StorySubject
	Order        *api.Order // nil where it could not be read
	OrderErr     error
	Missions     []Mission // those that the story is of
	Record       *api.OrderRecord
	RecordErr    error
	Decisions    []ledger.Entry
	DecisionsErr error
	Endpoints    []Endpoint
	EndpointsErr error
	Notices      []api.CompletionNotice // newest first
	NoticesErr   error
	Received     []ReceivedEvent
	ReceivedErr  error
	Exchanges    []*requestlog.Exchange // those about it
	State        cache.EntryState       // of what the service said
}

// EntryField is a name and a value.
type EntryField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// TimelineEntry is something that happened, or is going to.
type TimelineEntry struct {
	ID      string    // names it, in every story the same
	At      time.Time // the zero time where that is not known
	Source  EntrySource
	Glyph   string
	Role    labels.Tone
	About   string // code of the mission or the order
	What    string // in one line
	Fields  []EntryField
	Routine bool // a request that read something and was answered

	Mission  string               // uuid of the mission that it is about, "" for the order
	Endpoint string               // uuid of the endpoint, of a callback
	Exchange *requestlog.Exchange // of a request
}

// Failed tells whether something went wrong there.
func (e *TimelineEntry) Failed() bool { return e.Role == labels.Bad }

// IsAhead tells whether it is still to come.
func (e *TimelineEntry) IsAhead(now time.Time) bool { return e.At.After(now) }

// SourceFault is a source that could not be read.
type SourceFault struct {
	Source EntrySource
	About  string // code of the mission or address of the endpoint, "" for all
	Err    error
}

// SourceFaults returns the sources that could not be read.
func (f *SubjectFacts) SourceFaults() []SourceFault {
	var all []SourceFault
	add := func(source EntrySource, about string, err error) {
		if err != nil {
			all = append(all, SourceFault{source, about, err})
		}
	}
	add(FromOrder, "", f.OrderErr)
	for i := range f.Missions {
		m := &f.Missions[i]
		add(FromPlanning, m.MissionCode, m.PlanningErr)
		add(FromPermission, m.MissionCode, m.PermissionErr)
		add(FromDelivery, m.MissionCode, m.PackagesErr)
	}
	add(FromQuote, "", f.RecordErr)
	add(FromDecision, "", f.DecisionsErr)
	add(FromCallback, "", f.EndpointsErr)
	add(FromNotice, "", f.NoticesErr)
	add(FromReceived, "", f.ReceivedErr)
	for i := range f.Endpoints {
		add(FromCallback, f.Endpoints[i].URL, f.Endpoints[i].LogErr)
	}
	return all
}
