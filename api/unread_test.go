package api_test

import (
	"encoding/json"
	"testing"

	"flightdesk/api"
	"flightdesk/api/ops"
)

// An area, size or location that could not be decoded is kept and written unchanged.
func TestUnreadableMembersAreKept(t *testing.T) {
	for _, c := range []struct {
		name, sent string
		into       any
		empty      func(any) bool
		extra      func(any) api.ExtraMembers
	}{
		{"areaSize", `"about 3 ha"`, &api.Order{}, func(v any) bool { return v.(*api.Order).AreaSize == nil }, func(v any) api.ExtraMembers { return v.(*api.Order).Extra }},
		{"areaSize", `{"value":3,"unit":"ha"}`, &api.Mission{}, func(v any) bool { return v.(*api.Mission).AreaSize == nil }, func(v any) api.ExtraMembers { return v.(*api.Mission).Extra }},
		{"locationMap", `[{"lat":"N53","lng":9},{"lat":53.5,"lng":9.1}]`, &api.Mission{}, func(v any) bool { return v.(*api.Mission).LocationMap == nil }, func(v any) api.ExtraMembers { return v.(*api.Mission).Extra }},
		{"locationMap", `[{"lat":53.5}]`, &ops.Mission{}, func(v any) bool { return v.(*ops.Mission).LocationMap == nil }, func(v any) api.ExtraMembers { return v.(*ops.Mission).Extra }},
		{"areaSize", `"3 ha"`, &ops.Order{}, func(v any) bool { return v.(*ops.Order).AreaSize == nil }, func(v any) api.ExtraMembers { return v.(*ops.Order).Extra }},
		{"locationMap", `[[53.5,9.1]]`, &api.Placemark{}, func(v any) bool { return v.(*api.Placemark).LocationMap == nil }, func(v any) api.ExtraMembers { return v.(*api.Placemark).Extra }},
		{"locationMap", `"POINT (9 53)"`, &api.Dataset{}, func(v any) bool { return v.(*api.Dataset).LocationMap == nil }, func(v any) api.ExtraMembers { return v.(*api.Dataset).Extra }},
		{"locationMap", `7`, &ops.Dataset{}, func(v any) bool { return v.(*ops.Dataset).LocationMap == nil }, func(v any) api.ExtraMembers { return v.(*ops.Dataset).Extra }},
		{"fileSize", `"3 MB"`, &api.DeliveryFile{}, func(v any) bool { return v.(*api.DeliveryFile).FileSize == -1 }, func(v any) api.ExtraMembers { return v.(*api.DeliveryFile).Extra }},
		{"totalSize", `"3 MB"`, &api.DeliveryPackage{}, func(v any) bool { return v.(*api.DeliveryPackage).TotalSize == -1 }, func(v any) api.ExtraMembers { return v.(*api.DeliveryPackage).Extra }},
		{"fileCount", `"some"`, &api.DeliveryPackage{}, func(v any) bool { return v.(*api.DeliveryPackage).FileCount == -1 }, func(v any) api.ExtraMembers { return v.(*api.DeliveryPackage).Extra }},
		{"flightHeight", `"40 ft"`, &api.AdvancedOption{}, func(v any) bool { return v.(*api.AdvancedOption).FlightHeight == nil }, func(v any) api.ExtraMembers { return v.(*api.AdvancedOption).Extra }},
		{"areaSize", `"3 ha"`, &api.OrderRecord{}, func(v any) bool { return v.(*api.OrderRecord).AreaSize == nil }, func(v any) api.ExtraMembers { return v.(*api.OrderRecord).Extra }},
		{"locationMaps", `[[{"lat":1,"lng":2}],[{"lat":"x","lng":2}]]`, &api.OrderRecord{}, func(v any) bool { return v.(*api.OrderRecord).LocationMaps[1] == nil }, func(v any) api.ExtraMembers { return v.(*api.OrderRecord).Extra }},
	} {
		sent := `{"` + c.name + `":` + c.sent + `}`
		if err := api.DecodeRecord([]byte(sent), c.into); err != nil {
			t.Fatalf("%T %s: %v", c.into, sent, err)
		}
		if !c.empty(c.into) || string(c.extra(c.into)[c.name]) != c.sent || !api.IsUnread(c.name) {
			t.Errorf("%T %s: read as %+v", c.into, sent, c.into)
		}
		text, err := api.EncodeRecord(c.into)
		var members map[string]json.RawMessage
		if err != nil || json.Unmarshal(text, &members) != nil || string(members[c.name]) != c.sent {
			t.Errorf("%T %s: written as %s, %v", c.into, sent, text, err)
		}
	}
}

// Unreadable members of orderDetails are kept, unless the record has a readable value for them.
func TestUnreadableMembersOfOrderDetailsAreKept(t *testing.T) {
	var r api.OrderRecord
	if err := api.DecodeRecord([]byte(`{"orderDetails":{"areaSize":"3 ha","crew":1}}`), &r); err != nil || string(r.Extra["areaSize"]) != `"3 ha"` || r.Extra["crew"] != nil {
		t.Errorf("%+v, %v", r, err)
	}
	r = api.OrderRecord{}
	if err := api.DecodeRecord([]byte(`{"areaSize":30000,"orderDetails":{"areaSize":"3 ha"}}`), &r); err != nil || r.Extra["areaSize"] != nil || *r.AreaSize != 30000 {
		t.Errorf("%+v, %v", r, err)
	}
	if len(r.OrderDetails.Extra) != 1 {
		t.Errorf("details: %v", r.OrderDetails.Extra)
	}
}

func TestCoordinatesWithOtherNamesAreRead(t *testing.T) {
	var m api.Mission
	sent := `{"locationMap":[{"latitude":"53.5","longitude":9.1,"alt":3},{"lat":53.6,"lon":"9,25"}],"areaSize":null}`
	if err := api.DecodeRecord([]byte(sent), &m); err != nil || len(m.Extra) != 0 || len(m.LocationMap) != 2 ||
		m.LocationMap[0] != (api.Point{Lat: 53.5, Lng: 9.1}) || m.LocationMap[1] != (api.Point{Lat: 53.6, Lng: 9.25}) {
		t.Errorf("%+v, %v", m, err)
	}
	if err := api.DecodeRecord([]byte(`{"locationMap":[]}`), &m); err != nil || m.LocationMap == nil || len(m.Extra) != 0 {
		t.Errorf("%+v, %v", m, err)
	}
}
