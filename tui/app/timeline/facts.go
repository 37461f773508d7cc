package timeline

import (
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/ledger"
	"flightdesk/tui/app/requestlog"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
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
	Missions     []Mission // those that the story is of
	Record       *api.OrderRecord
	RecordErr    error
	Decisions    []ledger.Entry
	DecisionsErr error
	Endpoints    []Endpoint
	EndpointsErr error
	Notices      []ops.CompletionNotice // newest first
	NoticesErr   error
	Received     []webhooks.ReceivedEvent
	ReceivedErr  error
	Exchanges    []*requestlog.Exchange // those about it
	State        cache.EntryState       // of what the service said

	needs []cache.Need // what that is read by
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
	Role    labels.Tone  `json:"-"`
	About   string       `json:"about"` // code of the mission or the order, or what a line is about
	What    string       `json:"what"`  // in one line
	Failed  bool         `json:"failed"`
	Ahead   bool         `json:"ahead"`           // it is still to come
	Fields  []EntryField `json:"fields"`          // what more is known of it
	Right   string       `json:"value,omitempty"` // at the end of the line of a part
	Said    string       `json:"-"`               // a sentence below Fields
	Err     error        `json:"-"`               // why not all of it is known
	Routine bool         `json:"-"`               // a request that read something and was answered

	Order    string               `json:"-"` // code of the order that it is about
	Mission  string               `json:"-"` // uuid of the mission that it is about, "" for the order
	Endpoint string               `json:"-"` // uuid
	Scope    api.Scope            `json:"-"`
	Status   api.OrderStatus      `json:"-"`
	Query    string               `json:"-"` // of the requests that it is about
	Exchange *requestlog.Exchange `json:"-"`
	Sending  *UndeliveredItem     `json:"-"` // of a callback or a notice
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
