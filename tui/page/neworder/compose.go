package neworder

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/tui/format"
)

// Survey is a survey file that was read.
type Survey struct {
	Path   string
	Result *kmlcsv.Result
}

// Composed is an order as it will be sent, and what is in the way.
type Composed struct {
	Request api.CreateOrderRequest
	Body    []byte   // of the request
	Faults  []string // each a short sentence with what it is of; nil: it can be sent
	LeftOut []string // sites that could not be read, by name
}

// Fields lists the fields of an order that people fill in, by the names of the
// order's. The type of the order is among them: it follows from the sites.
func Fields() []string { return append([]string(nil), fieldIDs...) }

// Compose makes an order of survey files as the page does, from the values of
// its form by field; what is missing there is what the form suggests for the
// company. Sites without a country get the one given, which may be empty.
func Compose(files []Survey, fields map[string][]string, company, country string, now time.Time) Composed {
	d := newDraft()
	for _, f := range files {
		d.add(fileRead{path: f.Path, result: f.Result})
	}
	for _, s := range d.in() {
		if s.Country == "" {
			s.Country = country
		}
	}
	for id, values := range fields {
		d.Fields[id] = values
	}
	d.suggest(company)
	req, body, faults := d.whole(now)
	c := Composed{Request: req, Body: body}
	for _, f := range faults {
		message, _, _ := strings.Cut(f.text(), "; e ") // the page's key
		c.Faults = append(c.Faults, message)
	}
	for _, s := range d.Sites {
		if s.Geometry == nil {
			c.LeftOut = append(c.LeftOut, s.Name)
		}
	}
	return c
}

// suggest fills in what can be known of the fields that nothing was typed in.
func (d *Draft) suggest(company string) {
	for id, values := range map[string][]string{
		"companyName": {company}, "orderName": {d.name()}, "sensors": {"rgbSensor"},
		"deliverables": {string(api.DeliverableJPG), "_2dMap"}, "missionObjective": {"mapAndSurvey"},
		"startDate": {"in 2 weeks"}, "deadline": {"in 4 weeks"},
	} {
		if _, typed := d.Fields[id]; !typed {
			d.Fields[id] = values
		}
	}
}

// whole is the request, its body, and all that can be told to be wrong with
// them before they are sent.
func (d *Draft) whole(now time.Time) (api.CreateOrderRequest, []byte, []Fault) {
	req, faults := d.request(now), d.faults(now)
	body, err := json.Marshal(req)
	if err != nil {
		faults = append(faults, Fault{Message: "the order cannot be written as JSON: " + err.Error()})
	}
	if len(body) > api.MaxBodyBytes {
		faults = append(faults, Fault{Message: fmt.Sprintf("the request is %s, the service takes %s; leave some sites out for a second order",
			format.Bytes(int64(len(body))), format.Bytes(api.MaxBodyBytes))})
	}
	return req, body, faults
}

// Look returns the newest order of a name that was placed since, ever for the
// zero time; nil where the service shows none. It is how a lost answer to
// placing one is made good.
func Look(ctx context.Context, client *api.Client, name string, since time.Time) (*api.Order, error) {
	list, err := client.Orders.List(ctx, api.ListOptions{Limit: api.MaxPageLimit})
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		if o := &list.Items[i]; o.OrderName == name && (since.IsZero() || o.CreatedAt.After(since)) {
			return o, nil
		}
	}
	return nil, nil
}
