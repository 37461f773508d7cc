package ordering

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/tui/format"
)

// OrderPart is one of the orders that a draft is placed as: as many of its sites as
// one order can hold.
type OrderPart struct {
	Name    string // of the order
	Sites   []*Site
	Size    int                    // bytes of the request
	Request api.CreateOrderRequest // of [Draft.PrepareOrders]
}

// PlacedPart is an order that a part of the draft has become.
type PlacedPart struct {
	Code, UUID, Name string
	Missions         int
}

// splitParts returns the orders that the draft is placed as, of the sites that are in
// and not placed yet, in their order: mostly one.
func (d *Draft) splitParts(now time.Time) []OrderPart {
	alone := func(name string) int {
		order := d.orderInput(name, api.SingleLocation, now)
		return len(EncodeRequest(api.CreateOrderRequest{Order: order, Missions: []api.MissionInput{}}))
	}
	empty := alone("") + 6*api.MaxNameLength // the name at its longest
	var parts []OrderPart
	for _, s := range d.IncludedSites() {
		size, last := s.wireSize()+1, len(parts)-1
		if last < 0 || len(parts[last].Sites) == api.MaxMissions || parts[last].Size+size > api.MaxBodyBytes {
			parts, last = append(parts, OrderPart{Size: empty}), last+1
		}
		parts[last].Sites = append(parts[last].Sites, s)
		parts[last].Size += size
	}
	name, of := d.FieldValue("orderName"), len(d.Placed)+len(parts)
	for i := range parts {
		parts[i].Name = name
		if of > 1 {
			number := fmt.Sprintf(" (%d of %d)", len(d.Placed)+i+1, of)
			parts[i].Name = cutText(name, api.MaxNameLength-len(number)) + number
		}
		parts[i].Size += alone(parts[i].Name) - empty - 1
	}
	return parts
}

// cutText returns the first n characters of a text.
func cutText(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return strings.TrimSpace(string(r[:n]))
	}
	return text
}

func EncodeRequest(v any) []byte {
	data, _ := json.Marshal(v) // the values are of types that can be written
	return data
}

// wireSize returns the length of the site's mission in a request, in bytes. It is worked
// out once for the site as it is.
func (s *Site) wireSize() int {
	now := [3]string{s.Name, s.Label, s.Country}
	if s.bytes == 0 || s.sized != now {
		s.bytes, s.sized = len(EncodeRequest(s.MissionInput())), now
	}
	return s.bytes
}

// MissionInput returns the site as it is sent.
func (s *Site) MissionInput() api.MissionInput {
	return api.MissionInput{
		MissionName: s.Name, MissionType: s.Type, Country: s.Country, LocationLabel: cmp.Or(s.Label, s.Name),
		AreaSize: float64(int64(s.Area + 0.5)), LocationMap: WirePoints(s.Points()),
	}
}

// WirePoints returns points as they are sent.
func WirePoints(points []orb.Point) []api.Point {
	sent := make([]api.Point, len(points))
	for i, p := range points {
		sent[i] = api.Point{Lat: p.Lat(), Lng: p.Lon()}
	}
	return sent
}

// orderInput returns the order's part of a request: of a day as the start its first second,
// and as the deadline its last one. Dates that cannot be read are left zero; the faults name
// them.
func (d *Draft) orderInput(name string, kind api.OrderType, now time.Time) api.OrderInput {
	start, _ := format.ParseDate(d.FieldValue("startDate"), now)
	deadline, _ := format.ParseDate(d.FieldValue("deadline"), now)
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

// PrepareOrders returns the orders of what is not placed yet, with their requests.
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

// SplitNote says that the draft makes several orders, and why; "" where it
// makes one.
func (d *Draft) SplitNote(now time.Time) string {
	parts := d.splitParts(now)
	of := len(d.Placed) + len(parts)
	if of < 2 {
		return ""
	}
	sizes := make([]string, 0, of)
	for _, p := range d.Placed {
		sizes = append(sizes, groupDigits(p.Missions)+" placed")
	}
	for _, p := range parts {
		sizes = append(sizes, groupDigits(len(p.Sites)))
	}
	if len(sizes) > 6 {
		sizes = append(sizes[:4], "…", sizes[len(sizes)-1])
	}
	last := len(sizes) - 1
	return fmt.Sprintf(
		"Split into %s orders of %s and %s missions; at most %s or %s per order",
		groupDigits(of),
		strings.Join(sizes[:last], ", "),
		sizes[last],
		groupDigits(api.MaxMissions),
		format.Bytes(api.MaxBodyBytes),
	)
}
