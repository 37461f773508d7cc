package ordering

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/tui/format"
)

// OrderPart is one of the orders that a draft is split into if its sites do not fit into a single order.
type OrderPart struct {
	Name    string // name of the order, such as "Survey (1 of 2)"
	Sites   []*Site
	Size    int                    // size of the encoded request in bytes
	Request api.CreateOrderRequest // set by [Draft.PrepareOrders]
}

// PlacedPart is an order that was placed from a part of the draft.
type PlacedPart struct {
	Code, UUID, Name string
	Missions         int
}

// splitParts divides the included sites that are not placed yet into orders, usually a single one. It does
// not set Request.
func (d *Draft) splitParts(now time.Time) []OrderPart {
	emptySize := d.emptyRequestSize("", now)
	parts := d.distributeSites(emptySize + 6*api.MaxNameLength) // an encoded character has up to 6 bytes
	name := d.FieldValue("orderName")
	total := len(d.Placed) + len(parts)
	for i := range parts {
		parts[i].Name = name
		if total > 1 {
			number := fmt.Sprintf(" (%d of %d)", len(d.Placed)+i+1, total)
			parts[i].Name = cutText(name, api.MaxNameLength-len(number)) + number
		}
		parts[i].Size += d.emptyRequestSize(parts[i].Name, now) - 1 // no comma after the last mission
	}
	return parts
}

// emptyRequestSize returns the size of a request without missions in bytes.
func (d *Draft) emptyRequestSize(name string, now time.Time) int {
	order := d.orderInput(name, api.SingleLocation, now)
	return len(EncodeRequest(api.CreateOrderRequest{Order: order, Missions: []api.MissionInput{}}))
}

// distributeSites divides the included sites into as few orders as possible. Each order keeps the limits
// for the number of missions and for the size of a request. emptySize is the size of a request without
// missions in bytes. Size of a returned part does not include it.
func (d *Draft) distributeSites(emptySize int) []OrderPart {
	var parts []OrderPart
	for _, s := range d.IncludedSites() {
		size := s.wireSize() + 1 // with a comma
		last := len(parts) - 1
		needsNewPart := last < 0 || len(parts[last].Sites) == api.MaxMissions ||
			emptySize+parts[last].Size+size > api.MaxBodyBytes
		if needsNewPart {
			parts = append(parts, OrderPart{})
			last++
		}
		parts[last].Sites = append(parts[last].Sites, s)
		parts[last].Size += size
	}
	return parts
}

// cutText returns at most the first n characters of a text.
func cutText(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return strings.TrimSpace(string(r[:n]))
	}
	return text
}

func EncodeRequest(v any) []byte {
	data, _ := json.Marshal(v) // cannot fail for the types of requests
	return data
}

// wireSize returns the size of the site's mission in a request in bytes. It is cached until the
// texts of the site change.
func (s *Site) wireSize() int {
	texts := [3]string{s.Name, s.Label, s.Country}
	if s.bytes == 0 || s.sized != texts {
		s.bytes = len(EncodeRequest(s.MissionInput()))
		s.sized = texts
	}
	return s.bytes
}

// MissionInput returns the site as a mission of a request.
func (s *Site) MissionInput() api.MissionInput {
	return api.MissionInput{
		MissionName:   s.Name,
		MissionType:   s.Type,
		Country:       s.Country,
		LocationLabel: cmp.Or(s.Label, s.Name),
		AreaSize:      float64(int64(s.Area + 0.5)),
		LocationMap:   WirePoints(s.Points()),
	}
}

// WirePoints converts points to the format of requests.
func WirePoints(points []orb.Point) []api.Point {
	sent := make([]api.Point, len(points))
	for i, p := range points {
		sent[i] = api.Point{Lat: p.Lat(), Lng: p.Lon()}
	}
	return sent
}

// orderInput returns the order in the form of a request. The start date means the beginning of that day,
// and the deadline the end of that day. An invalid date is left zero, because FindFaults reports it.
func (d *Draft) orderInput(name string, kind api.OrderType, now time.Time) api.OrderInput {
	start, _ := parseFieldDate("startDate", d.FieldValue("startDate"), now)
	deadline, _ := parseFieldDate(deadlineField, d.FieldValue(deadlineField), now)
	return api.OrderInput{
		CompanyName:       d.FieldValue("companyName"),
		OrderName:         name,
		OrderType:         kind,
		Sensors:           convertTexts[api.Sensor](d.Fields["sensors"]),
		Deliverables:      convertTexts[api.Deliverable](d.Fields["deliverables"]),
		MissionObjective:  api.MissionObjective(d.FieldValue("missionObjective")),
		IndustryAssetType: api.IndustryAssetType(d.FieldValue("industryAssetType")),
		StartDate:         api.TimeOf(start.Start()),
		Deadline:          api.TimeOf(deadline.End()),
	}
}

// PrepareOrders returns the orders to place for the sites that are not placed yet, each with its request.
func (d *Draft) PrepareOrders(now time.Time) []OrderPart {
	parts := d.splitParts(now)
	for i := range parts {
		p := &parts[i]
		p.Request.Order = d.orderInput(p.Name, orderTypeOf(p.Sites), now)
		for _, s := range p.Sites {
			p.Request.Missions = append(p.Request.Missions, s.MissionInput())
		}
	}
	return parts
}

// SplitNote lists at most maxListedSizes orders. If there are more, it lists the firstSizes first orders and
// the last order.
const (
	maxListedSizes = 6
	firstSizes     = 4
)

// SplitNote says that the draft becomes several orders and how many missions each of them has. It returns
// "" if the draft becomes a single order.
func (d *Draft) SplitNote(now time.Time) string {
	parts := d.splitParts(now)
	total := len(d.Placed) + len(parts)
	if total < 2 {
		return ""
	}
	sizes := make([]string, 0, total) // such as "12 placed" for a placed order, and "12" for a part
	for _, p := range d.Placed {
		sizes = append(sizes, groupDigits(p.Missions)+" placed")
	}
	for _, p := range parts {
		sizes = append(sizes, groupDigits(len(p.Sites)))
	}
	first := sizes[:total-1]
	last := sizes[total-1]
	if total > maxListedSizes {
		first = slices.Concat(first[:firstSizes], []string{"…"})
	}
	return fmt.Sprintf(
		"Split into %s orders of %s and %s missions; at most %s or %s per order",
		groupDigits(total),
		strings.Join(first, ", "),
		last,
		groupDigits(api.MaxMissions),
		format.Bytes(api.MaxBodyBytes),
	)
}
