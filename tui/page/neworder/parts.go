package neworder

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/tui/format"
	"flightdesk/tui/widget/form"
)

// part is one of the orders that a draft is placed as: as many of its sites as
// one order can hold.
type part struct {
	name  string // of the order
	sites []*Site
	size  int // bytes of the request
}

// Placed is an order that a part of the draft has become.
type Placed struct {
	Code, UUID, Name string
	Missions         int
}

// parts are the orders that the draft is placed as, of the sites that are in
// and not placed yet, in their order: mostly one.
func (d *Draft) parts(now time.Time) []part {
	alone := func(name string) int {
		return len(encoded(api.CreateOrderRequest{Order: d.orderInput(name, api.SingleLocation, now), Missions: []api.MissionInput{}}))
	}
	empty := alone("") + 6*api.MaxNameLength // the name at its longest
	var parts []part
	for _, s := range d.in() {
		size := s.wire() + 1
		if last := len(parts) - 1; last >= 0 && len(parts[last].sites) < api.MaxMissions && parts[last].size+size <= api.MaxBodyBytes {
			parts[last].sites = append(parts[last].sites, s)
			parts[last].size += size
			continue
		}
		parts = append(parts, part{sites: []*Site{s}, size: empty + size})
	}
	name, of := d.value("orderName"), len(d.Placed)+len(parts)
	for i := range parts {
		parts[i].name = name
		if of > 1 {
			number := fmt.Sprintf(" (%d of %d)", len(d.Placed)+i+1, of)
			parts[i].name = cut(name, api.MaxNameLength-len(number)) + number
		}
		parts[i].size += alone(parts[i].name) - empty - 1
	}
	return parts
}

// cut is the first n characters of a text.
func cut(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return strings.TrimSpace(string(r[:n]))
	}
	return text
}

func encoded(v any) []byte {
	data, _ := json.Marshal(v) // the values are of types that can be written
	return data
}

// sized is what the length of a site's mission in a request depends on, beside
// its points.
type sized struct {
	name, label, country string
	kind                 api.MissionType
}

// wire is the length of the site's mission in a request, in bytes. It is worked
// out once for the site as it is.
func (s *Site) wire() int {
	now := sized{s.Name, s.Label, s.Country, s.Type}
	if s.bytes == 0 || s.sized != now {
		s.bytes, s.sized = len(encoded(s.mission())), now
	}
	return s.bytes
}

// mission is the site as it is sent.
func (s *Site) mission() api.MissionInput {
	points := s.Points()
	m := api.MissionInput{
		MissionName: s.Name, MissionType: s.Type, Country: s.Country, LocationLabel: cmp.Or(s.Label, s.Name),
		AreaSize: float64(int64(s.area + 0.5)), LocationMap: make([]api.Point, len(points)),
	}
	for i, p := range points {
		m.LocationMap[i] = api.Point{Lat: p.Lat(), Lng: p.Lon()}
	}
	return m
}

// orderInput is the order's part of a request. Dates that cannot be read are
// left zero; the faults name them.
func (d *Draft) orderInput(name string, kind api.OrderType, now time.Time) api.OrderInput {
	start, _ := form.ParseDate(d.value("startDate"), now)
	deadline, _ := form.ParseDate(d.value("deadline"), now)
	return api.OrderInput{
		CompanyName: d.value("companyName"), OrderName: name, OrderType: kind,
		Sensors: enums[api.Sensor](d.Fields["sensors"]), Deliverables: enums[api.Deliverable](d.Fields["deliverables"]),
		MissionObjective:  api.MissionObjective(d.value("missionObjective")),
		IndustryAssetType: api.IndustryAssetType(d.value("industryAssetType")),
		StartDate:         api.At(start), Deadline: api.At(deadline),
	}
}

// request is what is sent for a part.
func (d *Draft) request(p part, now time.Time) api.CreateOrderRequest {
	kind := api.MultiLocation
	if len(p.sites) == 1 {
		kind = api.SingleLocation
	}
	req := api.CreateOrderRequest{Order: d.orderInput(p.name, kind, now), Missions: make([]api.MissionInput, len(p.sites))}
	for i, s := range p.sites {
		req.Missions[i] = s.mission()
	}
	return req
}

// digest tells requests apart; it takes a fraction of the time that writing
// them would.
func digest(req *api.CreateOrderRequest) string {
	h := sha256.New()
	h.Write(encoded(req.Order))
	for i := range req.Missions {
		m := &req.Missions[i]
		for _, text := range []string{m.MissionName, string(m.MissionType), m.Country, m.LocationLabel} {
			number(h, float64(len(text)))
			h.Write([]byte(text))
		}
		number(h, m.AreaSize)
		number(h, float64(len(m.LocationMap)))
		points := make([]byte, 0, 16*len(m.LocationMap))
		for _, p := range m.LocationMap {
			points = binary.LittleEndian.AppendUint64(points, math.Float64bits(p.Lat))
			points = binary.LittleEndian.AppendUint64(points, math.Float64bits(p.Lng))
		}
		h.Write(points)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func number(h hash.Hash, v float64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
	h.Write(b[:])
}

// become notes that sites are an order now.
func (d *Draft) become(sites []*Site, o *api.Order, name string) {
	for _, s := range sites {
		s.Placed, s.Order = true, cmp.Or(o.OrderCode, o.UUID, "an order")
	}
	d.Placed = append(d.Placed, Placed{o.OrderCode, o.UUID, name, len(sites)})
	d.Pending, d.SentSites = false, nil
}

// sitesOf are the sites of ids.
func (d *Draft) sitesOf(ids []int) []*Site {
	return slices.DeleteFunc(slices.Clone(d.Sites), func(s *Site) bool { return !slices.Contains(ids, s.ID) })
}

func idsOf(sites []*Site) []int {
	ids := make([]int, len(sites))
	for i, s := range sites {
		ids[i] = s.ID
	}
	return ids
}

// splitNote says that the draft makes several orders, and why; "" where it
// makes one.
func (d *Draft) splitNote(now time.Time) string {
	parts := d.parts(now)
	of := len(d.Placed) + len(parts)
	if of < 2 {
		return ""
	}
	sizes := make([]string, 0, of)
	for _, p := range d.Placed {
		sizes = append(sizes, group(p.Missions)+" placed")
	}
	for _, p := range parts {
		sizes = append(sizes, group(len(p.sites)))
	}
	if len(sizes) > 6 {
		sizes = append(sizes[:4], "so on", sizes[len(sizes)-1])
	}
	last := len(sizes) - 1
	return fmt.Sprintf("%s orders, of %s and %s missions: one takes %s, and %s", group(of), strings.Join(sizes[:last], ", "), sizes[last],
		group(api.MaxMissions), format.Bytes(api.MaxBodyBytes))
}
