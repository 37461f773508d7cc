package timeline

import (
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/app/requestlog"
)

// Source is where an entry is known from.
type Source string

// The sources.
const (
	FromOrder      Source = "order"
	FromMission    Source = "mission"
	FromPlanning   Source = "planning"
	FromPermission Source = "permission"
	FromDelivery   Source = "delivery"
	FromQuote      Source = "quote"
	FromDecision   Source = "decision" // the log of this machine
	FromCallback   Source = "callback" // the log of an endpoint
	FromNotice     Source = "notice"   // the operations API's log of an order's completion notices
	FromGap        Source = "missing"  // what no log knows of
	FromReceived   Source = "received" // an event that was received here
	FromWire       Source = "request"  // a request of this run
)

// Sources lists the sources, in the order in which entries of one time stand.
func Sources() []Source {
	return []Source{
		FromOrder, FromMission, FromQuote, FromDecision, FromPlanning, FromPermission, FromDelivery, FromCallback,
		FromNotice, FromGap, FromReceived, FromWire,
	}
}

// Subject is what a story is of: an order with all its missions, or one mission
// of it.
type Subject struct {
	Order   string // its code, or its uuid
	Mission string // uuid; "" for all
}

// Mission is a mission with what is read of it besides.
type Mission struct {
	api.Mission
	Parts
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

// Received is an event that was received and verified here.
type Received struct {
	api.Event
	At time.Time // when it came in
}

// Facts are what the sources know of a subject. Each stands without the others.
type Facts struct {
	Subject      Subject
	Order        *api.Order // nil where it could not be read
	OrderErr     error
	Missions     []Mission // those that the story is of
	Record       *api.OrderRecord
	RecordErr    error
	Decisions    []quoting.Entry
	DecisionsErr error
	Endpoints    []Endpoint
	EndpointsErr error
	Notices      []api.CompletionNotice // newest first
	NoticesErr   error
	Received     []Received
	ReceivedErr  error
	Exchanges    []*requestlog.Exchange // those about it
	State        cache.State            // of what the service said
}

// Field is a name and a value.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Entry is something that happened, or is going to.
type Entry struct {
	ID      string    // names it, in every story the same
	At      time.Time // the zero time where that is not known
	Source  Source
	Glyph   string
	Role    labels.Tone
	About   string // code of the mission or the order
	What    string // in one line
	Fields  []Field
	Routine bool // a request that read something and was answered

	Mission  string               // uuid of the mission that it is about, "" for the order
	Endpoint string               // uuid of the endpoint, of a callback
	Exchange *requestlog.Exchange // of a request
}

// Failed tells whether something went wrong there.
func (e *Entry) Failed() bool { return e.Role == labels.Bad }

// Ahead tells whether it is still to come.
func (e *Entry) Ahead(now time.Time) bool { return e.At.After(now) }

// Fault is a source that could not be read.
type Fault struct {
	Source Source
	About  string // code of the mission or address of the endpoint, "" for all
	Err    error
}

// Faults are the sources that could not be read.
func (f *Facts) Faults() []Fault {
	var all []Fault
	add := func(source Source, about string, err error) {
		if err != nil {
			all = append(all, Fault{source, about, err})
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
