package neworder

import (
	"context"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/kmlcsv"
)

// Survey is a survey file that was read.
type Survey struct {
	Path   string
	Result *kmlcsv.Result
}

// Composed is what will be sent, and what is in the way.
type Composed struct {
	Requests []api.CreateOrderRequest // mostly one; several where the sites are more than an order can hold
	Faults   []string                 // each a short sentence with what it is of; nil: it can be sent
	LeftOut  []string                 // sites that could not be read, by name
}

// Fields lists the fields of an order that people fill in, by the names of the
// order's. The type of the order is among them: it follows from the sites.
func Fields() []string { return append([]string(nil), fieldIDs...) }

// Compose makes orders of survey files as the page does, from the values of
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
	var c Composed
	for _, p := range d.parts(now) {
		c.Requests = append(c.Requests, d.request(p, now))
	}
	for _, f := range d.faults(now) {
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
