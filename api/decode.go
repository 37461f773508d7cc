package api

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api/internal/tolerant"
)

var orderShape = tolerant.Shape{
	Own:   []string{"uuid", "id", "orderCode", "orderName", "orderStatus", "quotes", "orderDetails", "quoteDetails"},
	Lists: []string{"missions", "quotes", "rejectedQuotes", "closedQuotes", "deliveryFiles"},
}

// recordShapes has the JSON members by which the decoder recognizes a record of each type in the specification.
var recordShapes = map[reflect.Type]tolerant.Shape{
	reflect.TypeFor[Order]():           orderShape,
	reflect.TypeFor[OrderRecord]():     orderShape,
	reflect.TypeFor[Mission]():         {Own: []string{"uuid", "id", "missionCode", "missionName"}, Lists: []string{"packages"}},
	reflect.TypeFor[Dataset]():         {Own: []string{"uuid", "id", "datasetName"}},
	reflect.TypeFor[WebhookEndpoint](): {Own: []string{"uuid", "id", "url", "secret"}},
	reflect.TypeFor[WebhookDelivery](): {Own: []string{"uuid", "id", "event", "responseCode"}},
	reflect.TypeFor[DeliveryPackage](): {Own: []string{"uuid", "id", "fileCount"}, Lists: []string{"files"}},
	reflect.TypeFor[DeliveryFile]():    {Own: []string{"uuid", "id", "fileName", "downloadUrl"}},
	reflect.TypeFor[Placemark]():       {Own: []string{"locationMap"}},
}

// shapeOf returns the JSON members by which the decoder recognizes a record of a type.
func shapeOf(record reflect.Type) tolerant.Shape {
	record = tolerant.InnerRecord(record)
	shape := recordShapes[record]
	if len(shape.Own) > 0 || record.Kind() != reflect.Struct {
		return shape
	}
	names := tolerant.MemberNames(record)
	if names["uuid"] {
		shape.Own = []string{"uuid"}
	} else {
		shape.Fields = names
	}
	return shape
}

// records decodes the records of the specification.
var records = tolerant.Decoder{
	Kept:   unreadable,
	Counts: []reflect.Type{reflect.TypeFor[DeliveryPackage](), reflect.TypeFor[DeliveryFile]()},
	Alone:  []reflect.Type{reflect.TypeFor[Quote](), reflect.TypeFor[string](), reflect.TypeFor[Deliverable]()},
	Lists: map[reflect.Type]func(jsontext.Value) any{
		reflect.TypeFor[[]Point](): func(sent jsontext.Value) any { return readPoints(sent) },
	},
	Expand: map[reflect.Type]func(jsontext.Value) jsontext.Value{
		reflect.TypeFor[OrderRecord](): addOrderDetails,
	},
	Settle: map[reflect.Type]func(any, jsontext.Value){
		reflect.TypeFor[OrderRecord](): func(record any, _ jsontext.Value) { record.(*OrderRecord).checkQuotes() },
		reflect.TypeFor[WebhookDelivery](): func(record any, sent jsontext.Value) {
			if !bytes.Contains(sent, []byte(`"success"`)) {
				record.(*WebhookDelivery).inferSuccess()
			}
		},
	},
}

// DecodeRecord decodes a JSON object into a record, or into a struct that contains records,
// as leniently as the client does. It decodes null as the zero value.
func DecodeRecord(text []byte, into any) error { return records.Decode(text, into) }

// unreadable are names of members. If the value of such a member cannot be decoded, it is kept in Extra unchanged.
var unreadable = []string{
	"areaSize", "fileCount", "fileSize", "flightHeight", "locationMap", "locationMaps", "totalSize",
}

// IsUnread reports whether a member of [ExtraMembers] is there because its value could not be decoded,
// such as the area "about 3 ha". Other members are there because the record has no field for them.
func IsUnread(name string) bool { return slices.Contains(unreadable, name) }

// readPoints decodes the points of a location. If one point cannot be decoded, it returns no
// points, because a shape without some of its corners is another shape. It also accepts a
// single point instead of a list.
func readPoints(sent jsontext.Value) []Point {
	elements := []jsontext.Value{sent}
	if sent.Kind() == '[' {
		elements = tolerant.Elements(sent)
	}
	points := make([]Point, 0, len(elements))
	for _, element := range elements {
		p := readPoint(element)
		if math.IsNaN(p.Lat + p.Lng) {
			return nil
		}
		points = append(points, p)
	}
	return points
}

// readPoint decodes a point. A coordinate that cannot be decoded is NaN.
func readPoint(sent jsontext.Value) Point {
	p := Point{Lat: math.NaN(), Lng: math.NaN()}
	for _, m := range tolerant.Members(sent) {
		degrees, ok := tolerant.Number(m.Value)
		if !ok {
			continue
		}
		switch m.Name {
		case "lat", "latitude":
			p.Lat = degrees
		case "lng", "lon", "longitude":
			p.Lng = degrees
		}
	}
	return p
}

var orderRecordMembers = tolerant.MemberNames(reflect.TypeFor[OrderRecord]())

// addOrderDetails adds the members of orderDetails to the record. At the quote stage, some
// services send the members of the order only there.
func addOrderDetails(record jsontext.Value) jsontext.Value {
	if !strings.Contains(string(record), `"orderDetails"`) {
		return record
	}
	var own []tolerant.Member
	for _, m := range tolerant.Members(tolerant.Members(record).Get("orderDetails")) {
		if m.Name != "orderDetails" && orderRecordMembers[m.Name] {
			own = append(own, m)
		}
	}
	return tolerant.AddMembers(record, own...)
}
