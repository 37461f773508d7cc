package ordering

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/format"
)

// PlaceOrder returns a function that saves the draft and places one of its orders with
// [Placer.PlaceOnce].
func (k *Drafts) PlaceOrder(
	d *Draft,
	part OrderPart,
	p *Placer,
	again bool,
) func(context.Context) (*PlacedOrder, error) {
	save := k.Save(d) // the log of changes names the draft, which must be on disk first
	options := PlaceOptions{Again: again, Own: []string{d.Again}, Draft: d.ID}
	for _, placed := range d.Placed {
		options.Own = append(options.Own, placed.UUID, placed.Code)
	}
	return func(ctx context.Context) (*PlacedOrder, error) {
		if err := save(); err != nil {
			return nil, err
		}
		options.DraftSites = part.Fingerprints()
		return p.PlaceOnce(ctx, &part.Request, options)
	}
}

// FaultsOfService converts the field errors of the service to faults of fields and sites.
func FaultsOfService(fields []api.FieldError, sites []*Site) []OrderFault {
	faults := make([]OrderFault, len(fields))
	for i, f := range fields {
		faults[i] = OrderFault{Field: strings.TrimPrefix(f.Field, "order."), Message: f.Message}
		var site int
		var member string
		found, _ := fmt.Sscanf(f.Field, "missions[%d].%s", &site, &member)
		if found > 0 && site >= 0 && site < len(sites) {
			faults[i] = OrderFault{Site: sites[site], Message: strings.TrimSpace(member + " " + f.Message)}
		}
	}
	return faults
}

// ComposeDraft creates a draft from survey files and the values of its form. Missing
// values are suggested as in the form. Sites without a country get the given one, which
// may be empty.
func ComposeDraft(files []FileRead, values map[string][]string, company, country string) *Draft {
	d := NewDraft()
	for _, f := range files {
		d.AddFile(f)
	}
	for _, s := range d.IncludedSites() {
		s.Country = cmp.Or(s.Country, country)
	}
	for id, values := range values {
		f, _ := FieldByID(id)
		d.Fields[id] = f.withAlways(values)
	}
	d.SuggestValues(company)
	return d
}

// SuggestValues fills in suggestions for the fields that have no value.
func (d *Draft) SuggestValues(company string) {
	suggestions := map[string][]string{
		"companyName":      {company},
		"orderName":        {d.suggestName()},
		"sensors":          {"rgbSensor"},
		"deliverables":     {string(api.DeliverableJPG), "_2dMap"},
		"missionObjective": {"mapAndSurvey"},
		"startDate":        {"in 2 weeks"},
		"deadline":         {"in 4 weeks"},
	}
	for id, values := range suggestions {
		if _, typed := d.Fields[id]; !typed {
			d.Fields[id] = values
		}
	}
}

// Repeat returns a new draft with the sites and form of an order, and with dates from today on.
func Repeat(o *api.Order) *Draft {
	d := NewDraft()
	d.Again = o.OrderCode
	d.Step = StepSites
	for i := range o.Missions {
		d.repeatSite(&o.Missions[i])
	}
	d.setValid("companyName", o.CompanyName)
	d.setValid("orderName", o.OrderName)
	d.setValid("sensors", convertTexts[string](o.Sensors)...)
	d.setValid("deliverables", convertTexts[string](o.Deliverables)...)
	d.setValid("missionObjective", string(o.MissionObjective))
	d.setValid("industryAssetType", string(o.IndustryAssetType))
	d.setValid("startDate", "in 2 weeks")
	start := o.StartDate.StartDay(time.UTC)
	end := o.Deadline.EndDay(time.UTC)
	duration := end.NoonIn(time.UTC).Sub(start.NoonIn(time.UTC))
	if duration >= 0 && !start.IsZero() {
		d.setValid("deadline", fmt.Sprintf("in %d days", 14+int(duration/(24*time.Hour))))
	}
	return d
}

// setValid sets a field to the values that a new order can have, if there are any.
func (d *Draft) setValid(id string, values ...string) {
	field, _ := FieldByID(id)
	var valid []string
	for _, value := range values {
		if value != "" && field.RefusalOf([]string{value}) == nil {
			valid = append(valid, value)
		}
	}
	if len(valid) > 0 {
		d.Fields[id] = valid
	}
}

// repeatSite adds a site for a mission.
func (d *Draft) repeatSite(m *api.Mission) {
	s := &Site{
		ID:       d.nextID(),
		Name:     m.MissionName,
		Country:  m.Country,
		Type:     m.MissionType,
		City:     format.ValueOf(m.City),
		Geometry: MissionShape(m.MissionType, m.LocationMap),
	}
	if m.LocationLabel != m.MissionName {
		s.Label = m.LocationLabel
	}
	if s.Geometry == nil {
		s.Warnings = []string{m.MissionCode + " has no usable coordinates"}
	}
	allowed := s.AllowedTypes()
	if len(allowed) > 0 && !slices.Contains(allowed, s.Type) {
		s.Type = allowed[0]
	}
	s.In = s.Geometry != nil
	s.MeasureSize()
	d.Sites = append(d.Sites, s)
}

// maxKnownPlaces limits how many places KnownPlaces returns.
const maxKnownPlaces = 200

// KnownPlaces returns the places of the sites of the draft, then of the missions of other
// orders.
func (d *Draft) KnownPlaces(missions []*cache.Mission) []orb.Point {
	var known []orb.Point
	for _, s := range d.IncludedSites() {
		if points := s.Points(); len(points) > 0 && len(known) < maxKnownPlaces {
			known = append(known, points[0])
		}
	}
	for _, m := range missions {
		if m.Centre != nil && len(known) < maxKnownPlaces {
			known = append(known, orb.Point{m.Centre.Lng, m.Centre.Lat})
		}
	}
	return known
}

// MarkKnown marks the included sites whose place is also in this draft, in another draft,
// or in an active order.
func (d *Draft) MarkKnown(missions []*cache.Mission, others []StoredDraft) {
	siteByShape := d.markDoubled()
	for _, other := range others {
		if other.Draft == nil {
			continue
		}
		for _, s := range other.Draft.IncludedSites() {
			if same := siteByShape[s.shape]; same != nil {
				same.Duplicate = "same location in draft " + other.Title
			}
		}
	}
	for _, m := range missions {
		isRepeated := m.Order.OrderCode == d.Again
		if m.Order.Status.IsAbandoned() || isRepeated {
			continue
		}
		if same := siteByShape[m.Shape]; same != nil {
			same.Duplicate = describeSameMission(m, same.Name)
		}
	}
}

// describeSameMission describes a mission that has the location of a site with the given name.
func describeSameMission(m *cache.Mission, siteName string) string {
	nameNote := ", under this name"
	if m.MissionName != siteName {
		nameNote = ", as " + m.MissionName
	}
	return fmt.Sprintf("same location as %s of %s%s: %s",
		m.MissionCode, m.Order.OrderCode, nameNote, format.Status(m.Status).Label)
}

// markDoubled marks the included sites with the place of an earlier site, and returns the first
// site of each place.
func (d *Draft) markDoubled() map[uint64]*Site {
	siteByShape := make(map[uint64]*Site, len(d.Sites))
	for _, s := range d.Sites {
		s.Duplicate = ""
		s.Doubled = false
		if s.shape == 0 || s.Placed || !s.In {
			continue
		}
		earlier := siteByShape[s.shape]
		if earlier == nil {
			siteByShape[s.shape] = s
			continue
		}
		s.Duplicate = "same location as " + earlier.Name + " in this order"
		s.Doubled = true
	}
	return siteByShape
}

const (
	// recent is the maximum age of a similar order. Older orders with the same name are
	// usually repeated surveys.
	recent = 7 * 24 * time.Hour
	// maxCompared limits how many recent orders are loaded to compare their places.
	maxCompared = 5
)

// AlikeError is returned if an order was not sent because a similar order exists, or because
// that could not be checked.
type AlikeError struct {
	Orders []string // a sentence about each similar order
	Sent   bool     // the order itself was sent before and is not confirmed
	Err    error
}

func (e *AlikeError) Error() string {
	if e.Err != nil {
		return "could not check for similar orders: " + e.Err.Error()
	}
	return "similar order found: " + strings.TrimSuffix(e.Orders[0], ".")
}

// findAlike describes the recent orders with the name or with places of an order that is about
// to be placed, so that two windows do not place the same order. The orders with the IDs and codes
// in own may be similar and are left out.
func (p *Placer) findAlike(
	ctx context.Context, list []api.Order, req *api.CreateOrderRequest, own []string,
) ([]string, error) {
	shapes := map[uint64]bool{}
	for i := range req.Missions {
		shapes[cache.ShapeHash(req.Missions[i].LocationMap)] = true
	}
	var descriptions []string
	compared := 0
	for i := range list {
		other := &list[i]
		isOwn := slices.Contains(own, other.UUID) || slices.Contains(own, other.OrderCode)
		if isOwn || !p.isRecent(other) {
			continue
		}
		var similarities []string
		if hasSameName(other, req) {
			similarities = append(similarities, "has the same name")
		}
		if compared < maxCompared {
			compared++
			count, err := p.countSamePlaces(ctx, other, shapes)
			if err != nil {
				return nil, err
			}
			if count > 0 {
				similarities = append(similarities, "has "+groupDigits(count)+" of these places")
			}
		}
		if len(similarities) > 0 {
			descriptions = append(descriptions, p.describeAlike(other, similarities))
		}
	}
	return descriptions, nil
}

// isRecent reports whether an order is active and not older than recent.
func (p *Placer) isRecent(o *api.Order) bool {
	isOld := o.CreatedAt.IsRead() && p.Client.Now().Sub(o.CreatedAt.Time) > recent
	return !isOld && !o.Status.IsAbandoned()
}

// hasSameName compares names without regard to case and surrounding spaces.
func hasSameName(o *api.Order, req *api.CreateOrderRequest) bool {
	return strings.EqualFold(strings.TrimSpace(o.OrderName), strings.TrimSpace(req.Order.OrderName))
}

// describeAlike returns a sentence about a similar order.
func (p *Placer) describeAlike(o *api.Order, similarities []string) string {
	placed := ""
	if o.CreatedAt.IsRead() {
		placed = "placed " + format.Ago(o.CreatedAt.Time, p.Client.Now()) + ", "
	}
	return o.OrderCode + ", " + placed + strings.Join(similarities, " and ") + "."
}

// countSamePlaces loads an order and returns how many of its missions have one of the shapes.
func (p *Placer) countSamePlaces(ctx context.Context, o *api.Order, shapes map[uint64]bool) (int, error) {
	loaded, err := p.Client.Orders.Get(ctx, o.OrderCode)
	if err != nil {
		return 0, err
	}
	return samePlaces(loaded, shapes), nil
}

func samePlaces(o *api.Order, shapes map[uint64]bool) (n int) {
	for i := range o.Missions {
		shape := cache.ShapeHash(o.Missions[i].LocationMap)
		if shape != 0 && shapes[shape] {
			n++
		}
	}
	return n
}
