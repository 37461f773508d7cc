package server_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/domain"
)

// absent removes a member.
type absent struct{}

// raw is JSON that is inserted unchanged.
type raw = jsontext.Value

// altered returns a valid body with another value at the path.
func altered(t testing.TB, path string, value any) []byte {
	t.Helper()
	tree, err := decodeAny(mustJSON(t, survey()))
	if err != nil {
		t.Fatal(err)
	}
	tree = replace(t, tree, steps(path), value)
	body, err := json.Marshal(tree, jsontext.AllowDuplicateNames(true), json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func steps(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
}

func replace(t testing.TB, tree any, path []string, value any) any {
	t.Helper()
	if len(path) == 0 {
		return value
	}
	switch node := tree.(type) {
	case map[string]any:
		if _, gone := value.(absent); gone && len(path) == 1 {
			delete(node, path[0])
		} else {
			node[path[0]] = replace(t, node[path[0]], path[1:], value)
		}
	case []any:
		i, err := strconv.Atoi(path[0])
		if err != nil {
			t.Fatal(err)
		}
		node[i] = replace(t, node[i], path[1:], value)
	default:
		t.Fatalf("%v leads nowhere", path)
	}
	return tree
}

// faultsOf reads a body as the service does, and returns the paths of its faults.
func faultsOf(t testing.TB, body []byte) []string {
	t.Helper()
	_, err := server.ReadCreateOrder(body)
	if err == nil {
		return nil
	}
	var refusal *domain.Error
	if !errors.As(err, &refusal) || refusal.Code != api.CodeValidationFailed {
		t.Fatalf("%s: %v", body, err)
	}
	return reply{fault: faultOf(refusal)}.fields()
}

// documentAccepts reports whether openapi.yaml accepts the body.
func documentAccepts(t testing.TB, path string, body []byte) error {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, "http://localhost"+publicHandlers+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	return theContract(t).acceptsRequest(r)
}

var long = strings.Repeat("ü", api.MaxNameLength)

func TestEveryFieldIsValidated(t *testing.T) {
	wrong := []any{absent{}, nil, true, raw(`{}`), raw(`[]`)} // refused everywhere, except the lists
	texts := append(slices.Clone(wrong), "", 1, long+"x")
	enums := append(slices.Clone(wrong), "", 1, "other thing", "JPG", " area")
	dates := append(slices.Clone(wrong), "", 1, "soon")
	numbers := append(slices.Clone(wrong), "", "12", raw("-0.1"), raw("-1e300"))
	lists := []any{absent{}, nil, "", "x", 1, false, raw(`{}`)}
	for path, values := range map[string][]any{
		"order":                            {absent{}, nil, "", 1, true, raw(`[]`)},
		"order.companyName":                texts,
		"order.orderName":                  texts,
		"order.orderType":                  enums,
		"order.sensors":                    append(slices.Clone(lists), raw(`[]`)),
		"order.sensors[0]":                 enums[1:],
		"order.deliverables":               lists,
		"order.deliverables[0]":            enums[1:],
		"order.missionObjective":           enums,
		"order.industryAssetType":          enums,
		"order.startDate":                  dates,
		"order.deadline":                   dates,
		"missions":                         append(slices.Clone(lists), raw(`[]`)),
		"missions[1]":                      {nil, "", 1, true, raw(`[]`)},
		"missions[1].missionName":          texts,
		"missions[1].missionType":          enums,
		"missions[1].country":              texts,
		"missions[1].locationLabel":        texts,
		"missions[1].areaSize":             numbers,
		"missions[1].locationMap":          append(slices.Clone(lists), raw(`[]`)),
		"missions[1].locationMap[0]":       {nil, "", 1, true, raw(`[]`)},
		"missions[1].locationMap[0].lat":   {absent{}, nil, "", "53", true, raw(`{}`), raw(`[]`), 90.000001, -90.000001, 1e300},
		"missions[1].locationMap[0].lng":   {absent{}, nil, "", "8", true, raw(`{}`), raw(`[]`), 180.000001, -180.000001, -1e300},
		"unknown":                          {1, nil, "", raw(`{"a":[1,2]}`)},
		"order.unknown":                    {1, nil},
		"order.status":                     {"completed"},
		"missions[0].unknown":              {1, nil},
		"missions[0].city":                 {"Köln"},
		"missions[1].locationMap[0].alt":   {1},
		"missions[1].locationMap[0].Lat":   {1},
		"missions[0].AreaSize":             {1},
		"order.OrderName":                  {"x"},
		"missions[0].locationMap[2].extra": {raw(`[[[[]]]]`)},
	} {
		for _, value := range values {
			body := altered(t, path, value)
			if got := faultsOf(t, body); !slices.Equal(got, []string{path}) {
				t.Errorf("%s = %v: faults at %q", path, value, got)
			}
			if documentAccepts(t, "/orders", body) == nil {
				t.Errorf("%s = %v: the document takes it", path, value)
			}
		}
	}
}

func TestFaultsThatTheOpenAPIDocumentCannotDescribeAreFound(t *testing.T) {
	for _, c := range []struct {
		path  string
		value any
		want  string // empty if it is the path
	}{
		{"order.companyName", " \u00a0\t", ""},
		{"order.orderName", "a\x00b", ""},
		{"order.startDate", "2026-05-01", ""},
		{"order.startDate", "2026-02-30T08:00:00Z", ""},
		{"order.startDate", "2026-05-01T08:00:00", ""},
		{"order.startDate", "2026-05-01 08:00:00Z", ""},
		{"order.startDate", "2026-05-01T8:00:00Z", ""},
		{"order.startDate", "2026-05-01T08:00:00,5Z", ""},
		{"order.startDate", "2026-05-01T24:00:00Z", ""},
		{"order.startDate", "2026-05-01T08:00:00+02000", ""},
		{"order.startDate", "0001-01-01T00:00:00Z", ""},
		{"order.deadline", "2026-05-01T05:59:59Z", ""},
		{"order.orderType", "singleLocation", "missions"},
		{"missions[1].missionType", "linear", "missions[1].locationMap"},
		{"missions[1].missionType", "area", "missions[1].locationMap"},
		{"missions[1].areaSize", raw("1e999"), ""},
		{"missions[1].locationMap[0].lat", raw("-1e999"), ""},
		{"missions", raw(strings.Replace(string(mustJSON(t, survey().Missions)), "1200.5", "1e308,\"x\":1", 1)), "missions[0].x"},
	} {
		want := c.want
		if want == "" {
			want = c.path
		}
		if got := faultsOf(t, altered(t, c.path, c.value)); !slices.Equal(got, []string{want}) {
			t.Errorf("%s = %v: faults at %q, want %q", c.path, c.value, got, want)
		}
	}
}

func TestAcceptedValues(t *testing.T) {
	for _, c := range []struct {
		path  string
		value any
	}{
		{"order.companyName", long},
		{"order.orderName", "\x1b[31mred\n"},
		{"order.deliverables", raw(`[]`)},
		{"order.deliverables", raw(`["jpg","jpg"]`)},
		{"order.startDate", "2026-05-01T08:00:00.123456789-11:30"},
		{"order.deadline", "2026-05-01T06:00:00Z"}, // the same instant as startDate
		{"missions[1].areaSize", 0},
		{"missions[1].areaSize", raw("-0")},
		{"missions[1].areaSize", raw("1.7e308")},
		{"missions[1].locationMap[0].lat", -90},
		{"missions[1].locationMap[0].lat", 90},
		{"missions[1].locationMap[0].lng", 180},
		{"missions[1].locationMap[0].lng", raw("-1.8E+2")},
		{"missions[0].missionType", "linear"},
		{"missions[0].missionType", "asset"},
	} {
		body := altered(t, c.path, c.value)
		if got := faultsOf(t, body); got != nil {
			t.Errorf("%s = %v: faults at %q", c.path, c.value, got)
		}
		if err := documentAccepts(t, "/orders", body); err != nil {
			t.Errorf("%s = %v: the document refuses it: %v", c.path, c.value, err)
		}
	}
}

func TestEveryEnumerationValueIsAccepted(t *testing.T) {
	check := func(path, value string) {
		if got := faultsOf(t, altered(t, path, value)); got != nil && value != string(api.SingleLocation) && path != "missions[1].missionType" {
			t.Errorf("%s = %s: faults at %q", path, value, got)
		}
	}
	for _, v := range api.Sensors() {
		check("order.sensors[0]", string(v))
	}
	for _, v := range api.Deliverables() {
		check("order.deliverables[0]", string(v))
	}
	for _, v := range api.MissionObjectives() {
		check("order.missionObjective", string(v))
	}
	for _, v := range api.IndustryAssetTypes() {
		check("order.industryAssetType", string(v))
	}
	for _, v := range api.MissionTypes() {
		check("missions[0].missionType", string(v))
	}
	one := survey()
	one.Order.OrderType = api.SingleLocation
	one.Missions = one.Missions[:1]
	if got := faultsOf(t, mustJSON(t, one)); got != nil {
		t.Errorf("singleLocation: faults at %q", got)
	}
}

func TestAllFaultsAreListed(t *testing.T) {
	body := `{"order":{"companyName":"","orderType":"x","sensors":[],"deliverables":["jpg",1],"startDate":"2026-05-02T00:00:00Z",
		"deadline":"2026-05-01T00:00:00Z","missionObjective":null,"industryAssetType":"ports","more":1},
		"missions":[{"missionName":"m","missionType":"area","country":7,"locationLabel":"l","areaSize":-1,
		"locationMap":[{"lat":91,"lng":0},{"lat":0}]}],"a b":1}`
	want := []string{
		"order.companyName", "order.orderType", "order.sensors", "order.deliverables[1]", "order.missionObjective",
		"order.more", "order.orderName", "order.deadline", "missions[0].country", "missions[0].areaSize",
		"missions[0].locationMap[0].lat", "missions[0].locationMap[1].lng", "missions[0].locationMap", `["a b"]`,
	}
	if got := faultsOf(t, []byte(body)); !slices.Equal(got, want) {
		t.Errorf("faults at\n%q\nwant\n%q", got, want)
	}
	b := newBench(t)
	r := b.call("POST", publicHandlers+"/orders", b.alice, body)
	if r.status != 400 || len(r.fault.Errors) != len(want) || r.Message != fmt.Sprintf("order.companyName: is required, and %d more", len(want)-1) {
		t.Errorf("%d %s", r.status, r.raw)
	}
}

func TestSizesOfLists(t *testing.T) {
	req := survey()
	req.Missions = slices.Repeat(req.Missions[1:], api.MaxMissions)
	if got := faultsOf(t, mustJSON(t, req)); got != nil {
		t.Errorf("%d missions: faults at %q", len(req.Missions), got)
	}
	req.Missions = append(req.Missions, req.Missions[0])
	if got := faultsOf(t, mustJSON(t, req)); !slices.Equal(got, []string{"missions"}) {
		t.Errorf("%d missions: faults at %q", len(req.Missions), got)
	}
	req = survey()
	req.Missions[1].LocationMap = slices.Repeat(req.Missions[1].LocationMap, api.MaxPoints)
	if got := faultsOf(t, mustJSON(t, req)); got != nil {
		t.Errorf("%d points: faults at %q", api.MaxPoints, got)
	}
	req.Missions[1].LocationMap = append(req.Missions[1].LocationMap, api.Point{})
	if got := faultsOf(t, mustJSON(t, req)); !slices.Equal(got, []string{"missions[1].locationMap"}) {
		t.Errorf("%d points: faults at %q", api.MaxPoints+1, got)
	}
	req = survey()
	req.Missions[0].AreaSize = math.MaxFloat64
	req.Missions[1].AreaSize = math.MaxFloat64
	if got := faultsOf(t, mustJSON(t, req)); !slices.Equal(got, []string{"missions"}) {
		t.Errorf("an infinite sum: faults at %q", got)
	}
}

func TestListOfFieldErrorsIsLimited(t *testing.T) {
	body := `{"order":1,"missions":[{"missionName":"m","missionType":"asset","country":"c","locationLabel":"l","areaSize":1,"locationMap":[` +
		strings.Repeat("{},", 19_999) + "{}]}]}"
	_, err := server.ReadCreateOrder([]byte(body))
	var refusal *domain.Error
	if !errors.As(err, &refusal) || len(refusal.Fields) != 10_000 || !strings.HasSuffix(refusal.Message, ", and 40000 more; the first 10000 are listed") {
		t.Errorf("%d faults listed: %v", len(refusal.Fields), err)
	}
}

func TestBodiesThatAreNotJSON(t *testing.T) {
	b := newBench(t)
	valid := string(mustJSON(t, survey()))
	for name, body := range map[string]string{
		"empty":                   "",
		"blank":                   " \n",
		"no JSON":                 "order=1",
		"cut off":                 valid[:len(valid)-1],
		"cut off in a text":       valid[:40],
		"something after it":      valid + "{}",
		"text after it":           valid + " x",
		"a duplicate name":        `{"order":{},"order":{}}`,
		"a duplicate unknown":     `{"order":{"x":1,"x":2}}`,
		"duplicate by escape":     `{"order":{"lat":1,"l\u0061t":2}}`,
		"invalid UTF-8":           "{\"order\":{\"orderName\":\"a\xff\"}}",
		"invalid UTF-8, unknown":  "{\"x\":\"\xc3\x28\"}",
		"a lone surrogate":        `{"order":{"orderName":"\ud800"}}`,
		"a comment":               "{/* */}",
		"a trailing comma":        `{"order":{},}`,
		"NaN":                     `{"missions":[{"areaSize":NaN}]}`,
		"a leading zero":          `{"missions":[{"areaSize":012}]}`,
		"single quotes":           `{'order':1}`,
		"a raw control character": "{\"order\":{\"orderName\":\"a\tb\"}}",
		"a byte order mark":       "\ufeff" + valid,
		"UTF-16":                  "{\x00\"\x00",
		"nested too deep":         strings.Repeat("[", 20_000),
		"nested in an unknown":    `{"x":` + strings.Repeat(`{"a":`, 20_000),
	} {
		r := b.call("POST", publicHandlers+"/orders", b.alice, body)
		if r.status != 400 || r.fault.Code != api.CodeMalformedBody || r.fault.Errors != nil {
			t.Errorf("%s: %d %s", name, r.status, r.raw)
		}
	}
	for _, body := range []string{"[]", "1", "null", `"x"`, "true"} {
		r := b.call("POST", publicHandlers+"/orders", b.alice, body)
		if r.status != 400 || r.fault.Code != api.CodeValidationFailed || !slices.Equal(r.fields(), []string{"body"}) {
			t.Errorf("%s: %d %s", body, r.status, r.raw)
		}
	}
}
