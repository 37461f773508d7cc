package ordering

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
)

// PreparedOrder is one of the orders that a draft is placed as, as it would be sent.
type PreparedOrder struct {
	OrderPart
	Request api.CreateOrderRequest
}

// PrepareOrders makes the requests of what is not placed yet.
func (d *Draft) PrepareOrders(now time.Time) []PreparedOrder {
	parts := d.SplitParts(now)
	orders := make([]PreparedOrder, len(parts))
	for i, p := range parts {
		orders[i] = PreparedOrder{OrderPart: p, Request: d.BuildRequest(p, now)}
	}
	return orders
}

// PlaceOrder notes in the draft that an order is on its way, and returns what writes
// the draft and places the order ([Placer.PlaceOnce]).
func (k *Drafts) PlaceOrder(
	d *Draft,
	o PreparedOrder,
	p *Placer,
	again bool,
) func(context.Context) (*PlacedOrder, error) {
	d.SentName, d.SentSites, d.Pending = o.Name, SiteIDs(o.Sites), true
	keep, options := k.Keep(d), PlaceOptions{Again: again, Own: []string{d.Again}}
	for _, placed := range d.Placed {
		options.Own = append(options.Own, placed.UUID, placed.Code)
	}
	return func(ctx context.Context) (*PlacedOrder, error) {
		if err := keep(); err != nil {
			return nil, err
		}
		return p.PlaceOnce(ctx, o.Request, options)
	}
}

// NotPlaced notes that the order that was sent is not on the service.
func (d *Draft) NotPlaced() { d.Pending, d.SentSites = false, nil }

// ConfirmPlaced notes that the order that was sent is on the service.
func (d *Draft) ConfirmPlaced(o *api.Order) {
	sites := d.SitesOf(d.SentSites)
	if len(d.SentSites) == 0 { // a draft of a time when one was one order
		sites = d.IncludedSites()
	}
	d.MarkPlaced(sites, o, d.SentName)
}

var missionField = regexp.MustCompile(`^missions\[(\d+)\](?:\.(.*))?$`)

// FaultsOfService finds the field or the site that each of the service's faults is of.
func FaultsOfService(fields []api.FieldError, sites []*Site) []OrderFault {
	faults := make([]OrderFault, len(fields))
	for i, f := range fields {
		faults[i] = OrderFault{Field: strings.TrimPrefix(f.Field, "order."), Message: f.Message, Service: true}
		if match := missionField.FindStringSubmatch(f.Field); match != nil {
			if n, err := strconv.Atoi(match[1]); err == nil && n < len(sites) {
				faults[i] = OrderFault{
					Site:    sites[n],
					Message: strings.TrimSpace(match[2] + " " + f.Message),
					Service: true,
				}
			}
		}
	}
	return faults
}

// ComposedOrder is what will be sent, and what is in the way.
type ComposedOrder struct {
	Requests []api.CreateOrderRequest // mostly one; several where the sites are more than an order can hold
	Faults   []string                 // each a short sentence with what it is of; nil: it can be sent
	LeftOut  []string                 // sites that could not be read, by name
}

// ComposeOrder makes orders of survey files as the page does, from the values of
// its form by field; what is missing there is what the form suggests for the
// company. Sites without a country get the one given, which may be empty.
func ComposeOrder(
	files []FileRead,
	values map[string][]string,
	company, country string,
	now time.Time,
) ComposedOrder {
	d := NewDraft()
	for _, f := range files {
		d.AddFile(f)
	}
	for _, s := range d.IncludedSites() {
		if s.Country == "" {
			s.Country = country
		}
	}
	for id, values := range values {
		f, _ := FieldByID(id)
		d.Fields[id] = f.withAlways(values)
	}
	d.SuggestValues(company)
	var c ComposedOrder
	for _, p := range d.SplitParts(now) {
		c.Requests = append(c.Requests, d.BuildRequest(p, now))
	}
	for _, f := range d.FindFaults(now) {
		c.Faults = append(c.Faults, f.FaultText())
	}
	for _, s := range d.Sites {
		if s.Geometry == nil {
			c.LeftOut = append(c.LeftOut, s.Name)
		}
	}
	return c
}

// SuggestValues fills in what can be known of the fields that nothing was typed in.
func (d *Draft) SuggestValues(company string) {
	for id, values := range map[string][]string{
		"companyName": {company}, "orderName": {d.suggestName()}, "sensors": {"rgbSensor"},
		"deliverables": {string(api.DeliverableJPG), "_2dMap"}, "missionObjective": {"mapAndSurvey"},
		"startDate": {"in 2 weeks"}, "deadline": {"in 4 weeks"},
	} {
		if _, typed := d.Fields[id]; !typed {
			d.Fields[id] = values
		}
	}
}

// OrderAgain begins a new draft from an order: its sites, its form, and its dates
// from now on. The draft before it is put aside. What it returns brings both to
// disk, for the background.
func (k *Drafts) OrderAgain(o *api.Order) func() error { return k.BeginDraft(Repeat(o)) }

func Repeat(o *api.Order) *Draft {
	d := NewDraft()
	d.Again, d.Step = o.OrderCode, StepSites
	for i := range o.Missions {
		d.Sites = append(d.Sites, d.repeatedSite(&o.Missions[i]))
	}
	set := func(id string, values ...string) {
		if len(values) > 0 && values[0] != "" {
			d.Fields[id] = values
		}
	}
	set("companyName", o.CompanyName)
	set("orderName", o.OrderName)
	set("sensors", knownValues(o.Sensors, api.Sensors())...)
	set("deliverables", knownValues(o.Deliverables, api.Deliverables())...)
	set("missionObjective", knownValues([]api.MissionObjective{o.MissionObjective}, api.MissionObjectives())...)
	set("industryAssetType", knownValues([]api.IndustryAssetType{o.IndustryAssetType}, api.IndustryAssetTypes())...)
	set("startDate", "in 2 weeks")
	if took := o.Deadline.Sub(o.StartDate.Time); took >= 0 && !o.StartDate.IsZero() {
		set("deadline", fmt.Sprintf("in %d days", 14+int(took/(24*time.Hour))))
	}
	return d
}

// repeatedSite returns the site that a mission becomes.
func (d *Draft) repeatedSite(m *api.Mission) *Site {
	s := &Site{
		ID: d.nextID(), Name: m.MissionName, Country: m.Country, Type: m.MissionType,
		Geometry: MissionShape(m.MissionType, m.LocationMap),
	}
	if m.City != nil {
		s.City = *m.City
	}
	if m.LocationLabel != m.MissionName {
		s.Label = m.LocationLabel
	}
	if s.Geometry == nil {
		s.Warnings = []string{m.MissionCode + " has no usable coordinates"}
	}
	if types := s.AllowedTypes(); !slices.Contains(types, s.Type) && len(types) > 0 {
		s.Type = types[0]
	}
	s.In = s.Geometry != nil
	s.MeasureSize()
	return s
}

// knownValues returns those of the values that a new order may have.
func knownValues[T ~string](values, accepted []T) []string {
	var out []string
	for _, v := range values {
		if slices.Contains(accepted, v) {
			out = append(out, string(v))
		}
	}
	return out
}

// KnownPlaces are the places that are ordered or drafted already, by their shape.
type KnownPlaces struct {
	Missions map[uint64]*cache.Mission // of orders that are not over
	Drafts   map[uint64]string         // names of other drafts
}

// OpenMissions returns the missions by shape whose orders are not over.
func OpenMissions(missions []*cache.Mission) map[uint64]*cache.Mission {
	open := map[uint64]*cache.Mission{}
	for _, m := range missions {
		if m.Shape != 0 && !m.Order.Status.IsAbandoned() {
			open[m.Shape] = m
		}
	}
	return open
}

// MarkKnown notes for every included site of a draft where else its place is: in an
// order, in another draft, or twice in this one.
func (k KnownPlaces) MarkKnown(d *Draft) {
	first := make(map[uint64]*Site, len(d.Sites))
	for _, s := range d.Sites {
		s.Duplicate, s.Doubled = "", false
		shape := s.Fingerprint()
		if shape == 0 || s.Placed || !s.In {
			continue
		}
		switch m, same := k.Missions[shape], first[shape]; {
		case same != nil:
			s.Duplicate, s.Doubled = "same location as "+same.Name+" in this order", true
		case m != nil && m.Order.OrderCode != d.Again:
			s.Duplicate = fmt.Sprintf(
				"same location as %s of %s%s: %s",
				m.MissionCode,
				m.Order.OrderCode,
				otherName(m.MissionName, s.Name),
				labels.Status(m.Status).Label,
			)
		case k.Drafts[shape] != "":
			s.Duplicate = "same location in draft " + k.Drafts[shape]
		}
		if same := first[shape]; same == nil {
			first[shape] = s
		}
	}
}

// Fingerprint returns the shape of the site's points; it is worked out once.
func (s *Site) Fingerprint() uint64 {
	if s.print == 0 {
		s.print = cache.ShapeHash(wirePoints(s.Points()))
	}
	return s.print
}

// otherName says under which other name a place is known.
func otherName(there, here string) string {
	if there == here {
		return ", under this name"
	}
	return ", as " + there
}

// CountDuplicates counts the included sites that are ordered or drafted already, and
// those that are in this draft twice.
func (d *Draft) CountDuplicates() (known, doubled int) {
	for _, s := range d.IncludedSites() {
		switch {
		case s.Doubled:
			doubled++
		case s.Duplicate != "":
			known++
		}
	}
	return known, doubled
}
