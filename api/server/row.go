package server

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
	"flightdesk/kmlcsv/places"
)

// jsonRow is a JSON object that is written member by member. A list may have every
// order of an account, and encoding the type takes ten times as long; a test
// holds both to the same text.
type jsonRow struct {
	text []byte
	err  error
}

func beginRow(b []byte) *jsonRow { return &jsonRow{text: append(b, '{')} }

func (w *jsonRow) writeName(name string) {
	if w.text[len(w.text)-1] != '{' {
		w.text = append(w.text, ',')
	}
	w.text = append(append(append(w.text, '"'), name...), '"', ':')
}

// writeString writes a text.
func (w *jsonRow) writeString(name, s string) {
	w.writeName(name)
	w.writeQuoted(s)
}

func (w *jsonRow) writeQuoted(s string) {
	text, err := jsontext.AppendQuote(w.text, s)
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("%w: %w", store.ErrDamaged, err)
	}
	w.text = text
}

// writeTexts writes a list of texts.
func writeTexts[T ~string](w *jsonRow, name string, all []T) {
	w.writeName(name)
	w.text = append(w.text, '[')
	for i, s := range all {
		if i > 0 {
			w.text = append(w.text, ',')
		}
		w.writeQuoted(string(s))
	}
	w.text = append(w.text, ']')
}

// writeNumber writes a number as package json does.
func (w *jsonRow) writeNumber(name string, f float64) {
	if size := math.Abs(f); size != 0 && (size < 1e-6 || size >= 1e21) { // which takes an exponent
		w.writeValue(name, f)
		return
	}
	w.writeName(name)
	w.text = strconv.AppendFloat(w.text, f, 'f', -1, 64)
}

// writeValue writes what is there seldom.
func (w *jsonRow) writeValue(name string, v any) {
	w.writeName(name)
	w.text = append(w.text, w.encode(v)...)
}

// writeMembers writes the members of an object that is there seldom.
func (w *jsonRow) writeMembers(v any) {
	if text := w.encode(v); len(text) > len("{}") {
		w.text = append(append(w.text, ','), text[1:len(text)-1]...)
	}
}

func (w *jsonRow) encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("%w: %w", store.ErrDamaged, err)
	}
	return text
}

// sentTime returns a date-time that a client sent, in its offset and without decimals
// that it did not have.
func sentTime(at time.Time) api.Time {
	return api.Time{Time: at, Raw: at.Format(time.RFC3339Nano)}
}

// appendRow appends an order of an account with the links of its files.
func appendRow(b []byte, a *store.Account, o *store.OrderBrief, links []string) ([]byte, error) {
	w := beginRow(b)
	w.writeString("id", o.UUID)
	w.writeString("orderCode", o.Code)
	w.writeString("orderName", o.Name)
	w.writeNumber("areaSize", o.AreaSize)
	w.writeString("clientName", a.ClientName)
	w.writeString("clientEmail", a.ClientEmail)
	w.writeString("companyName", o.CompanyName)
	w.writeName("deliveryDeadline")
	w.text = append(o.Deadline.UTC().AppendFormat(append(w.text, '"'), time.DateOnly), '"')
	if o.Price != nil {
		w.writeNumber("orderPrice", *o.Price)
	} else {
		w.writeString("orderPrice", "")
	}
	w.writeString("orderStatus", string(o.Status))
	if o.RejectionReason != nil && *o.RejectionReason != "" {
		w.writeString("orderRejectionReason", *o.RejectionReason)
	}
	w.writeName("locationMap")
	if o.Location == nil {
		w.text = append(w.text, "[]"...)
	}
	w.text = append(w.text, o.Location...)
	writeTexts(w, "mapTypes", mapTypes(o.Deliverables))
	if o.Details != nil {
		w.writeMembers(o.Details)
	}
	if o.Notify != nil {
		w.writeValue("notifications", wireNotify(o.Notify))
	}
	writeTexts(w, "deliveryFiles", links)
	return append(w.text, '}'), w.err
}

// addRecord adds orders to a list, with the links of their files in one row.
func (h *legacyHandlers) addRecord(x *exchange, list *bareList, view shownFiles) func(*store.OrderBrief) error {
	return func(o *store.OrderBrief) error {
		var links []string
		for _, f := range o.Files {
			if view.showsKind(f.Kind) {
				links = append(links, h.linkTo(x, f))
			}
		}
		return list.addText(func(b []byte) ([]byte, error) { return appendRow(b, &x.caller.Account, o, links) })
	}
}

// cityOf suggests the city of a mission.
func cityOf(kind api.MissionType, location []api.Point) string {
	points := make([]orb.Point, len(location))
	for i, p := range location {
		points[i] = orb.Point{p.Lng, p.Lat}
	}
	switch kind {
	case api.MissionArea:
		return places.SuggestPlace(orb.Polygon{append(points, points[0])}).City
	case api.MissionLinear:
		return places.SuggestPlace(orb.LineString(points)).City
	default:
		return places.Lookup(points[0]).City
	}
}
