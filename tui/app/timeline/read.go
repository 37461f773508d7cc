package timeline

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/guard"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/app/requestlog"
)

const (
	atOnce = 4 // requests at the same time
	// MostMissions is how many missions of an order are read in full.
	MostMissions = 40
	// mostRows is how many rows of an endpoint's log are read.
	mostRows = 2000
	// early is how much before an order a row of a log may be written: clocks
	// differ.
	early = time.Minute
)

// Reader reads the sources of stories.
type Reader struct {
	Client    *api.Client
	Host      string                     // under which decisions are logged
	Decisions *quoting.Log               // nil where none is kept
	Wire      *requestlog.Log            // nil where none is kept
	Received  func() ([]Received, error) // nil where nothing is received
}

// Read reads what the sources know of a subject. What could not be read says so
// in the facts.
func (r *Reader) Read(ctx context.Context, s Subject, now time.Time) *Facts {
	f := &Facts{Subject: s, Read: now}
	f.Order, f.OrderErr = r.Client.Orders.Get(ctx, s.Order)
	var since time.Time
	if f.OrderErr == nil {
		since = f.Order.CreatedAt.Time
		for _, m := range f.Order.Missions {
			if s.Mission == "" || m.UUID == s.Mission {
				f.Missions = append(f.Missions, Mission{Mission: m})
			}
		}
	} else if s.Mission != "" { // the rest of it may be read all the same
		f.Missions = []Mission{{Mission: api.Mission{UUID: s.Mission, MissionCode: s.Mission[:min(8, len(s.Mission))]}}}
	}
	var reading guard.Group
	reading.Go(func() { r.missions(ctx, f) })
	if f.Order != nil && s.Mission == "" {
		reading.Go(func() { f.Record, f.RecordErr = r.record(ctx, f.Order.UUID) })
	}
	reading.Go(func() { f.Endpoints, f.EndpointsErr = ReadEndpoints(ctx, r.Client, since) })
	reading.Wait()
	r.decided(f)
	if r.Received != nil {
		all, err := r.Received()
		f.ReceivedErr = err
		f.received(all)
	}
	if r.Wire != nil {
		kept, _ := r.Wire.Newest()
		f.Exchanges = f.Asked(kept)
	}
	return f
}

// record reads the order's quotes; a service without the second generation has
// none, and neither has a profile without its address.
func (r *Reader) record(ctx context.Context, id string) (*api.OrderRecord, error) {
	record, err := r.Client.Records.Get(ctx, id)
	if errors.Is(err, api.ErrNoLegacy) || api.IsStatus(err, http.StatusNotFound) {
		return nil, nil
	}
	return record, err
}

// missions reads the parts of the missions, some at a time.
func (r *Reader) missions(ctx context.Context, f *Facts) {
	next := make(chan *Mission)
	var reading guard.Group
	for range atOnce {
		reading.Go(func() {
			for m := range next {
				m.Parts = ReadParts(ctx, r.Client, m.UUID, 0)
			}
		})
	}
	for i := range f.Missions {
		if m := &f.Missions[i]; i < MostMissions {
			next <- m
		} else {
			m.Unread = true
		}
	}
	close(next)
	reading.Wait()
}

// decided takes the order's decisions from the log.
func (r *Reader) decided(f *Facts) {
	if r.Decisions == nil || f.Order == nil || f.Subject.Mission != "" {
		return
	}
	all, err := r.Decisions.Entries()
	f.DecisionsErr = err
	for _, e := range all {
		if e.Host == r.Host && (e.OrderID == f.Order.UUID || e.OrderID == f.Order.OrderCode) {
			f.Decisions = append(f.Decisions, e)
		}
	}
}

// received takes the events that are about the subject.
func (f *Facts) received(all []Received) {
	for _, e := range all {
		m := &e.Data.Mission
		row := api.WebhookDelivery{MissionUID: m.UUID, OrderCode: m.OrderCode}
		if f.About(&row) {
			f.Received = append(f.Received, e)
		}
	}
}

// ReadEndpoints reads the account's endpoints with the rows of their logs from a
// moment on, at most some thousand of each; the zero time is all. An error is
// that of the list; one of a log stands with its endpoint.
func ReadEndpoints(ctx context.Context, client *api.Client, since time.Time) ([]Endpoint, error) {
	var all []Endpoint
	for e, err := range client.Webhooks.All(ctx) {
		if err != nil {
			return nil, err
		}
		all = append(all, Endpoint{WebhookEndpoint: *e})
	}
	if !since.IsZero() {
		since = since.Add(-early)
	}
	slots := make(chan struct{}, atOnce)
	var reading guard.Group
	for i := range all {
		slots <- struct{}{}
		reading.Go(func() {
			all[i].read(ctx, client, since)
			<-slots
		})
	}
	reading.Wait()
	return all, nil
}

func (e *Endpoint) read(ctx context.Context, client *api.Client, since time.Time) {
	for d, err := range client.Webhooks.AllDeliveries(ctx, e.UUID) {
		switch {
		case err != nil:
			e.LogErr = err
			return
		case d.CreatedAt.Before(since):
			e.Since = since
			return
		case len(e.Log) >= mostRows:
			e.Since = e.Log[len(e.Log)-1].CreatedAt.Time
			return
		}
		e.Log = append(e.Log, *d)
	}
}

// Asked are the exchanges that are about the subject: those that name it in
// their address, and those that changed something and name it in what was sent
// or answered.
func (f *Facts) Asked(all []*requestlog.Exchange) []*requestlog.Exchange {
	var names []string
	for i := range f.Missions {
		names = append(names, f.Missions[i].UUID, f.Missions[i].MissionCode)
		for _, p := range f.Missions[i].Packages {
			names = append(names, p.UUID)
		}
	}
	if o := f.Order; o != nil && f.Subject.Mission == "" {
		names = append(names, o.UUID, o.OrderCode)
	} else if o == nil {
		names = append(names, cmp.Or(f.Subject.Mission, f.Subject.Order))
	}
	has := func(text string) bool {
		for _, n := range names {
			if n != "" && named(text, n) {
				return true
			}
		}
		return false
	}
	var about []*requestlog.Exchange
	for _, x := range all {
		if has(x.Path) || !Reads(x) && (has(string(x.RequestBody)) || has(string(x.ResponseBody))) {
			about = append(about, x)
		}
	}
	return about
}

// named tells whether a text has a name, not only the beginning of a longer one
// as ORD-1002 is of ORD-10020.
func named(text, name string) bool {
	for {
		i := strings.Index(text, name)
		if i < 0 {
			return false
		}
		rest := text[i+len(name):]
		if rest == "" || !strings.ContainsRune("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", rune(rest[0])) {
			return true
		}
		text = rest
	}
}

// Reads tells whether a request only read something. The second generation
// reads with POST.
func Reads(x *requestlog.Exchange) bool {
	if x.Method == http.MethodGet || x.Method == http.MethodHead {
		return true
	}
	if x.Method != http.MethodPost {
		return false
	}
	for _, part := range []string{"/getorder/", "/getorderslist", "/datalibraryorders", "/kml/parse", "/csv/parse"} {
		if strings.Contains(x.Path, part) {
			return true
		}
	}
	return false
}
