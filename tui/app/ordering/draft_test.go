package ordering

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/format"
)

// fileOf returns a file with a site on each of the given lines.
func fileOf(path string, lines ...int) FileRead {
	res := &kmlcsv.Result{Format: kmlcsv.FormatCSV}
	for _, line := range lines {
		p := kmlcsv.NewPlacemark(fmt.Sprint("Site ", line), orb.Point{9, float64(line)})
		p.Line, p.Country = line, "Germany"
		res.Placemarks = append(res.Placemarks, p)
	}
	return FileRead{Path: path, Result: res}
}

func siteNames(sites []*Site) (names []string) {
	for _, s := range sites {
		names = append(names, s.Name)
	}
	return names
}

// Edits are kept when a file is read again with other options.
func TestEditsSurviveReadingAFileAgain(t *testing.T) {
	d := NewDraft()
	first := d.AddFile(fileOf("a/sites.csv", 1, 2, 2, 3))
	if first != d.Sites[0] || d.Sites[3].ID != 4 || d.LastFolder() != "a" || d.SiteOrigins("") != "sites.csv" {
		t.Fatalf("%+v", d)
	}
	d.Sites[1].Name, d.Sites[1].Label, d.Sites[1].Edited.Text = "Mine", "L", true
	d.Sites[2].Country, d.Sites[2].Edited.Country = "France", true
	d.Sites[2].In, d.Sites[2].Edited.In = false, true
	d.Sites[3].Placed, d.Sites[3].Order = true, "ORD-1"
	d.RemoveSites(d.Sites[:1])
	again := fileOf("a/sites.csv", 1, 2, 2, 3, 4)
	again.Again = true
	again.Result.Warnings = []kmlcsv.Warning{
		{Index: 4, Line: 4, Message: "odd"}, {Index: -1, Skipped: true, Line: 5, Message: "no point"}, {Index: -1, Message: "old"},
	}
	d.AddFile(again)
	if got := siteNames(d.Sites); !slices.Equal(got, []string{"Mine", "Site 2", "Site 3", "Site 4", "row 5"}) || len(d.Files) != 1 {
		t.Fatalf("sites are %q of %d files", got, len(d.Files))
	}
	mine, abroad, placed, odd, skipped := d.Sites[0], d.Sites[1], d.Sites[2], d.Sites[3], d.Sites[4]
	if mine.Label != "L" || mine.Country != "Germany" || abroad.Country != "France" || abroad.In || !placed.Placed || placed.Order != "ORD-1" || !odd.In {
		t.Errorf("what was edited is %+v, %+v, %+v", mine, abroad, placed)
	}
	if !slices.Equal(odd.Warnings, []string{"row 4: odd"}) || skipped.Geometry != nil || skipped.In || !slices.Equal(d.Files[0].Notes, []string{"old"}) {
		t.Errorf("warnings are %q, %q, %q", odd.Warnings, skipped.Warnings, d.Files[0].Notes)
	}
	d.AddFile(fileOf("a/sites.csv", 1))
	if got := siteNames(d.Sites); !slices.Equal(got, []string{"Site 1"}) {
		t.Errorf("added anew there are %q", got)
	}
	other := d.AddFile(fileOf("b.csv", 7))
	if d.RemoveFile("a/sites.csv"); len(d.Sites) != 1 || d.Sites[0] != other || d.FindFile("b.csv") == nil || d.FindFile("a/sites.csv") != nil || len(d.SitesFrom("b.csv")) != 1 {
		t.Errorf("%+v", d)
	}
}

// An edit is undone and redone. A copy that is being written does not change with later edits.
func TestEditsAreUndoneAndRedone(t *testing.T) {
	d := NewDraft()
	addSite(d, "A")
	addSite(d, "B")
	a := d.Sites[0]
	swap := d.SaveState([]*Site{a})
	as := d.Clone()
	a.Name, d.Fields = "C", map[string][]string{"orderName": {"new"}}
	addSite(d, "D")
	for range 2 {
		swap()
		if got := siteNames(d.Sites); !slices.Equal(got, []string{"A", "B"}) || d.FieldValue("orderName") != "B" {
			t.Errorf("undone there are %q, %q", got, d.FieldValue("orderName"))
		}
		swap()
		if got := siteNames(d.Sites); !slices.Equal(got, []string{"C", "B", "D"}) || d.FieldValue("orderName") != "D" {
			t.Errorf("done again there are %q, %q", got, d.FieldValue("orderName"))
		}
	}
	if got := siteNames(as.Sites); !slices.Equal(got, []string{"A", "B"}) || as.FieldValue("orderName") != "B" {
		t.Errorf("the copy has %q", got)
	}
}

func TestDraftsAreStoredAndLoaded(t *testing.T) {
	d := NewDraft()
	addSite(d, "Mast")
	area := kmlcsv.NewPlacemark("Field", orb.Polygon{round(10), round(4)})
	line := kmlcsv.NewPlacemark("Line", orb.LineString{{1, 2}, {3, 4}})
	d.AddFile(FileRead{Path: "a.kml", Result: &kmlcsv.Result{Placemarks: []kmlcsv.Placemark{area, line}, Warnings: []kmlcsv.Warning{
		{Index: -1, Skipped: true, Placemark: "Turned", Fixed: &line, Fix: "turns it", Message: "m"},
	}}})
	many := &Site{ID: d.nextID(), Name: "Masts", Type: api.MissionAsset, Geometry: orb.MultiPoint{{1, 2}, {3, 4}}}
	d.Sites = append(d.Sites, many)
	d.Step, d.Row, d.Again = StepDetails, 2, "ORD-1"
	d.Placed = []PlacedPart{{"ORD-2", "u", "N", 3}}
	data, err := encodeDraft(d)
	if err != nil {
		t.Fatal(err)
	}
	back, err := decodeDraft(data)
	if err != nil || len(back.Sites) != 5 {
		t.Fatalf("%+v, %v", back, err)
	}
	for i, s := range back.Sites {
		was := d.Sites[i]
		if diff := cmp.Diff(was.Geometry, s.Geometry); diff != "" || s.Name != was.Name || s.Type != was.Type || s.Area != was.Area || s.Length != was.Length || s.In != was.In {
			t.Errorf("%s came back as %+v: %s", was.Name, s, diff)
		}
	}
	if f := back.Sites[3].Fixed; f == nil || f.Name != "Line" || f.Length != line.Length || back.Sites[3].Fix != "turns it" {
		t.Errorf("the fix is %+v", f)
	}
	if back.Step != StepDetails || back.Row != 2 || back.Again != "ORD-1" || back.ID != d.ID || d.ID == "" || back.FieldValue("orderName") != "Mast" || !slices.Equal(back.Placed, d.Placed) {
		t.Errorf("the draft is %+v", back)
	}
	for text, step := range map[string]int{`{"Step":9}`: StepReview, `{"Step":-1}`: 0, `{"Step":3}`: StepReview} {
		if d, err := decodeDraft([]byte(text)); err != nil || d.Step != step || d.Fields == nil {
			t.Errorf("%s is %+v, %v", text, d, err)
		}
	}
	if d, err := decodeDraft([]byte(`{"NextID":7}`)); err != nil || d.LastID != 7 {
		t.Errorf("the last ID is read as %+v, %v", d, err)
	}
}

func TestFaultsAtTheirLimits(t *testing.T) {
	d := NewDraft()
	if f := d.FindFaults(now); f[0].FaultText() != "no site is included" {
		t.Errorf("without a site it has %+v", f)
	}
	addSite(d, strings.Repeat("ä", api.MaxNameLength))
	s := d.Sites[0]
	d.SuggestValues("Company")
	d.Fields["industryAssetType"] = []string{"forest"}
	if f := d.FindFaults(now); f != nil || s.IsFaulty() {
		t.Fatalf("it has %+v", f)
	}
	for _, c := range []struct {
		field, value, want string
	}{
		{"orderName", "", "is required"},
		{"orderName", strings.Repeat("ä", 201), "is too long: 201 of 200 characters"},
		{"orderName", "- -", "needs a letter or digit"},
		{"orderName", "風", ""},
		{"orderName", "7", ""},
		{"industryAssetType", "", "is required; select one"},
		{"sensors", "", "is required; select one"},
		{"deadline", "2026-12-08", ""},
		{"deadline", "2026-12-07", "is before the start date, Tue 8 Dec 2026: enter a later date"},
		{"startDate", "someday", "unknown"},
	} {
		was := d.Fields[c.field]
		d.Fields["startDate"] = []string{"2026-12-08"}
		d.Fields[c.field] = []string{c.value}
		if got := d.FieldFault(c.field, now); got != c.want && (c.want != "unknown" || got == "") {
			t.Errorf("%s %q %q", c.field, c.value, got)
		}
		d.Fields[c.field] = was
	}
	points := func(n int) (line orb.LineString) {
		for i := range n {
			line = append(line, orb.Point{float64(i) / 1e4, 1})
		}
		return line
	}
	for _, c := range []struct {
		change func(s *Site)
		want   string
	}{
		{func(s *Site) { s.Country = "" }, "has no country"},
		{func(s *Site) { s.Name += "x" }, "has a name that is too long: 201 of 200 characters"},
		{func(s *Site) { s.Label = strings.Repeat("x", 201) }, "has a label that is too long: 201 of 200 characters"},
		{func(s *Site) { s.Label = strings.Repeat("x", 200) }, ""},
		{func(s *Site) { s.Country = strings.Repeat("x", 201) }, "has a country that is too long: 201 of 200 characters"},
		{func(s *Site) { s.Geometry = nil }, "has no usable coordinates"},
		{func(s *Site) { s.Type, s.Geometry = api.MissionLinear, points(api.MaxPoints) }, ""},
		{func(s *Site) { s.Type, s.Geometry = api.MissionLinear, points(api.MaxPoints+1) }, "has 20,001 points; a mission has at most 20,000"},
		{func(s *Site) { s.Type, s.Geometry = api.MissionLinear, points(1) }, fmt.Sprintf("has 1 points; %s needs at least 2", api.MissionLinear)},
	} {
		one := *s
		c.change(&one)
		got := ""
		for _, f := range one.FindFaults() {
			got += f.Message
		}
		if got != c.want || one.IsFaulty() != (c.want != "") {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}

func TestSizesAndNamesOfADraft(t *testing.T) {
	d := NewDraft()
	if d.SizeTexts(format.Units{}) != nil || d.suggestName() != "" || d.LastFolder() != "" {
		t.Errorf("an empty draft has %q, %q", d.SizeTexts(format.Units{}), d.suggestName())
	}
	addSite(d, "Mast")
	if d.OrderType() != api.SingleLocation || d.suggestName() != "Mast" {
		t.Errorf("%s, %s", d.OrderType(), d.suggestName())
	}
	addSite(d, "Mast 2")
	d.AddFile(FileRead{Path: "x/my_survey  area.v2.kml", Result: &kmlcsv.Result{Placemarks: []kmlcsv.Placemark{
		kmlcsv.NewPlacemark("L", orb.LineString{{9, 50}, {9, 50.01}}), kmlcsv.NewPlacemark("A", square(9, 50)),
	}}})
	if d.OrderType() != api.MultiLocation || d.suggestName() != "my survey area.v2" || d.FreeName("Mast") != "Mast 3" || d.FreeName("New") != "New" {
		t.Errorf("%s, %q, %q", d.OrderType(), d.suggestName(), d.FreeName("Mast"))
	}
	if got := d.SizeTexts(format.Units{}); len(got) != 3 || got[2] != "2 points" || !strings.HasSuffix(got[0], "ha") && !strings.HasSuffix(got[0], "km²") {
		t.Errorf("sizes are %q", got)
	}
	d.Sites[0].Geometry = orb.MultiPoint{{9, 50}, {9, 51}, {9, 52}}
	if got := d.SizeTexts(format.Units{}); got[2] != "4 points" {
		t.Errorf("with three points in an asset sizes are %q", got)
	}
	d.Sites[0].In, d.Sites[1].Placed = false, true
	if got := d.SizeTexts(format.Units{}); len(got) != 2 || len(d.IncludedSites()) != 2 {
		t.Errorf("without the masts sizes are %q", got)
	}
	for want, names := range map[string][]string{
		"Levee":      {"Levee (1)", "Levee (2)"},
		"Levee km":   {"Levee km", "Levee km 2"},
		"North Park": {"North Park", "South Park"},
		"Ab 1":       {"Ab 1", "Ab 2"},
		"Mast":       {"Mast 10", "Mast 12"},
	} {
		var sites []*Site
		for _, n := range names {
			sites = append(sites, &Site{Name: n})
		}
		if got := CommonName(sites); got != want {
			t.Errorf("%q have %q in common", names, got)
		}
	}
}

func TestAnOrderIsRepeated(t *testing.T) {
	city, start := "Stade", api.TimeOf(now)
	o := &api.Order{
		OrderCode: "ORD-1", CompanyName: "C", OrderName: "N", Sensors: []api.Sensor{"rgbSensor", "unheard"}, Deliverables: []api.Deliverable{api.DeliverableJPG},
		MissionObjective: "mapAndSurvey", IndustryAssetType: "unheard", StartDate: start, Deadline: api.TimeOf(now.Add(72 * time.Hour)),
		Missions: []api.Mission{
			{MissionCode: "MSN-1", MissionName: "A", LocationLabel: "L", Country: "Germany", City: &city, MissionType: api.MissionLinear, LocationMap: []api.Point{{Lat: 1, Lng: 2}, {Lat: 3, Lng: 4}}},
			{MissionCode: "MSN-2", MissionName: "B", LocationLabel: "B", MissionType: api.MissionArea, LocationMap: []api.Point{{Lat: 1, Lng: 2}}},
			{MissionCode: "MSN-3", MissionName: "C", MissionType: api.MissionAsset},
		},
	}
	d := Repeat(o)
	if d.Again != "ORD-1" || d.Step != StepSites || d.SiteOrigins("") != "ORD-1 again" || len(d.Sites) != 3 {
		t.Fatalf("%+v", d)
	}
	a, b, c := d.Sites[0], d.Sites[1], d.Sites[2]
	if a.Label != "L" || a.City != "Stade" || a.Country != "Germany" || a.Length == 0 || !a.In || a.ID == b.ID || a.Type != api.MissionLinear {
		t.Errorf("A is %+v", a)
	}
	if b.Label != "" || b.Type != api.MissionAsset || !b.In || c.In || len(c.Warnings) != 1 || !strings.HasPrefix(c.Warnings[0], "MSN-3") {
		t.Errorf("B is %+v, C is %+v", b, c)
	}
	for id, want := range map[string]string{
		"companyName": "C", "orderName": "N", "sensors": "rgbSensor", "deliverables": "jpg", "missionObjective": "mapAndSurvey", "industryAssetType": "", "startDate": "in 2 weeks", "deadline": "in 17 days",
	} {
		if got := d.FieldValue(id); got != want {
			t.Errorf("%s is %q", id, got)
		}
	}
	o.Deadline = api.TimeOf(now.AddDate(0, 0, -1))
	if got := Repeat(o).FieldValue("deadline"); got != "" {
		t.Errorf("a deadline before the start becomes %q", got)
	}
}

func TestADraftIsComposedOfFiles(t *testing.T) {
	f := fileOf("sites.csv", 1, 2)
	f.Result.Placemarks[1].Country = ""
	d := ComposeDraft([]FileRead{f}, map[string][]string{"deliverables": {"_2dMap"}, "orderName": {"N"}}, "C", "France")
	if d.Sites[0].Country != "Germany" || d.Sites[1].Country != "France" || d.FieldValue("deliverables") != "jpg,_2dMap" || d.FieldValue("orderName") != "N" || d.FieldValue("companyName") != "C" ||
		d.FieldValue("startDate") != "in 2 weeks" || d.FieldValue("sensors") != "rgbSensor" {
		t.Errorf("%+v", d)
	}
	parts := d.PrepareOrders(now)
	if len(parts) != 1 || parts[0].Name != "N" || len(parts[0].Request.Missions) != 2 || d.SplitNote(now) != "" || parts[0].Request.Order.OrderType != api.MultiLocation {
		t.Fatalf("%+v", parts)
	}
	m, o := parts[0].Request.Missions[0], parts[0].Request.Order
	if m.MissionName != "Site 1" || m.LocationLabel != "Site 1" || m.Country != "Germany" || !slices.Equal(m.LocationMap, []api.Point{{Lat: 1, Lng: 9}}) {
		t.Errorf("sent as %+v", m)
	}
	if o.CompanyName != "C" || o.MissionObjective != "mapAndSurvey" || o.StartDate.Format(time.DateOnly) != "2026-12-08" || o.Deadline.Format(time.DateOnly) != "2026-12-22" || parts[0].Size-len(EncodeRequest(parts[0].Request)) != 1 { // it may have one site, whose word is longer
		t.Errorf("sent as %+v of %d bytes, not %d", o, len(EncodeRequest(parts[0].Request)), parts[0].Size)
	}
}

// A draft with too many sites for one order becomes several orders, each confirmed separately.
func TestADraftOfManySitesIsSplit(t *testing.T) {
	d := NewDraft()
	for i := range api.MaxMissions {
		d.Sites = append(d.Sites, &Site{ID: d.nextID(), Name: fmt.Sprint(i), Country: "Germany", Type: api.MissionAsset, Geometry: orb.Point{1, 2}, In: true})
	}
	d.Fields["orderName"] = []string{strings.Repeat("n", 200)}
	if parts := d.PrepareOrders(now); len(parts) != 1 || parts[0].Name != d.FieldValue("orderName") {
		t.Errorf("%d parts", len(parts))
	}
	d.Sites = append(d.Sites, &Site{ID: d.nextID(), Name: "last", Country: "Germany", Type: api.MissionAsset, Geometry: orb.Point{1, 2}, In: true})
	parts := d.PrepareOrders(now)
	if len(parts) != 2 || len(parts[0].Sites) != 1000 || len(parts[1].Sites) != 1 || parts[0].Name != strings.Repeat("n", 191)+" (1 of 2)" || parts[1].Request.Order.OrderType != api.SingleLocation {
		t.Fatalf("%d parts, %q", len(parts), parts[0].Name)
	}
	if note := d.SplitNote(now); !strings.HasPrefix(note, "Split into 2 orders of 1,000 and 1 missions; at most 1,000 or ") {
		t.Error(note)
	}
	d.ConfirmPlaced(&api.Order{OrderCode: "ORD-1", UUID: "u"}, parts[0].Name, parts[0].Fingerprints())
	if !slices.Equal(d.Placed, []PlacedPart{{"ORD-1", "u", parts[0].Name, 1000}}) || d.Sites[0].Order != "ORD-1" || d.Sites[1000].Placed {
		t.Errorf("placed are %+v", d.Placed)
	}
	if left := d.PrepareOrders(now); len(left) != 1 || !strings.HasSuffix(left[0].Name, " (2 of 2)") || len(left[0].Sites) != 1 {
		t.Errorf("left is %+v", left)
	}
	if note := d.SplitNote(now); !strings.HasPrefix(note, "Split into 2 orders of 1,000 placed and 1 missions") {
		t.Error(note)
	}
	faults := FaultsOfService([]api.FieldError{
		{Field: "order.orderName", Message: "m"}, {Field: "missions[1].country", Message: "m"}, {Field: "missions[2]", Message: "m"}, {Field: "missions[0]", Message: "m"},
	}, d.Sites[:2])
	var got []string
	for _, f := range faults {
		got = append(got, f.FaultText())
	}
	if !slices.Equal(got, []string{"orderName m", "1 country m", "missions[2] m", "0 m"}) {
		t.Errorf("faults are %q", got)
	}
}

func TestKnownPlacesAreMarked(t *testing.T) {
	d := NewDraft()
	for _, name := range []string{"A", "A too", "B", "C", "D"} {
		addSite(d, name)
	}
	d.Sites[2].MoveTo(orb.Point{1, 1})
	d.Sites[3].MoveTo(orb.Point{2, 2})
	d.Sites[4].MoveTo(orb.Point{3, 3})
	other := NewDraft()
	addSite(other, "E")
	other.Sites[0].MoveTo(orb.Point{1, 1})
	mission := func(name string, lat float64, o *api.Order) *cache.Mission {
		m := &cache.Mission{Mission: api.Mission{MissionCode: "MSN-1", MissionName: name, Status: api.MissionCompleted}, Order: o}
		m.Shape = cache.ShapeHash([]api.Point{{Lat: lat, Lng: lat}})
		return m
	}
	live, over := &api.Order{OrderCode: "ORD-1", Status: api.OrderCompleted}, &api.Order{OrderCode: "ORD-2", Status: api.OrderCancelled}
	mark := func() (texts []string) {
		d.MarkKnown([]*cache.Mission{mission("C", 2, live), mission("X", 3, live), mission("A", 9, live), mission("C", 2, over)}, []StoredDraft{{Title: "T", Draft: other}, {}})
		for _, s := range d.Sites {
			texts = append(texts, s.Duplicate)
		}
		return texts
	}
	quoted := mission("X", 3, &api.Order{OrderCode: "ORD-1", Status: api.OrderBiddingWithQuote})
	quoted.Status = api.MissionAwaitingPilot
	if got, want := describeSameMission(quoted, "X"), "same location as MSN-1 of ORD-1, under this name: In review"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	want := []string{"", "same location as A in this draft", "same location in draft T", "same location as MSN-1 of ORD-1, under this name: Completed", "same location as MSN-1 of ORD-1, as X: Completed"}
	if got := mark(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for i, s := range d.Sites {
		if s.Doubled != (i == 1) {
			t.Errorf("%s is in this order twice: %v", s.Name, s.Doubled)
		}
	}
	d.Again, d.Sites[0].In = "ORD-1", false
	if got := mark(); !slices.Equal(got, []string{"", "", "same location in draft T", "", ""}) {
		t.Errorf("of an order that is repeated %q", got)
	}
}

func TestTemplatesHaveNoNamesAndAbsoluteDates(t *testing.T) {
	d := NewDraft()
	d.Fields = map[string][]string{"companyName": {"C"}, "orderName": {"N"}, "startDate": {"in 2 weeks"}, "deadline": {"2026-12-24"}, "sensors": {"rgbSensor", "lidar"}, "missionObjective": {""}}
	one := d.MakeTemplate("b", now)
	if diff := cmp.Diff(one.Fields, map[string][]string{"companyName": {"C"}, "startDate": {"in 2 weeks"}, "sensors": {"rgbSensor", "lidar"}}); diff != "" {
		t.Error(diff)
	}
	for _, folder := range []string{"", t.TempDir()} {
		k := NewDrafts(folder)
		names := func() (all []string) {
			t.Helper()
			list, err := k.LoadTemplates(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range list {
				all = append(all, fmt.Sprint(o.Name, len(o.Fields)))
			}
			return all
		}
		if names() != nil {
			t.Errorf("at first there are %q", names())
		}
		for _, o := range []OrderTemplate{one, {Name: "a"}, {Name: "B"}, {Name: "A"}, {Name: "a", Fields: one.Fields}} {
			if err := k.SaveTemplate(o); err != nil {
				t.Fatal(err)
			}
		}
		if got := names(); !slices.Equal(got, []string{"A0", "a3", "B0", "b3"}) {
			t.Errorf("saved are %q", got)
		}
		if err := k.RemoveTemplate("a"); err != nil || len(names()) != 3 {
			t.Errorf("removed one of %q, %v", names(), err)
		}
	}
}

func TestKnownPlacesAreTheSitesAndThenTheMissionsOfOtherOrders(t *testing.T) {
	draft := &Draft{Sites: []*Site{
		{Name: "A", In: true, Geometry: orb.Point{9, 48}},
		{Name: "left out", Geometry: orb.Point{1, 1}},
	}}
	missions := []*cache.Mission{{Centre: &api.Point{Lat: 50, Lng: 10}}, {}}
	if got := fmt.Sprint(draft.KnownPlaces(missions)); got != "[[9 48] [10 50]]" {
		t.Error(got)
	}
}

func TestADraftLacksACountryOnlyForIncludedSitesWithCoordinates(t *testing.T) {
	point := orb.Point{8, 47}
	for _, tt := range []struct {
		name string
		site Site
		want bool
	}{
		{"without a country", Site{In: true, Geometry: point}, true},
		{"whose name says so", Site{In: true, Geometry: point, Name: "no country", Country: "Germany"}, false},
		{"without coordinates", Site{In: true}, false},
		{"left out", Site{Geometry: point}, false},
	} {
		d := NewDraft()
		d.Sites = []*Site{&tt.site}
		if got := d.LacksCountry(); got != tt.want {
			t.Errorf("a site %s: %v", tt.name, got)
		}
	}
}
