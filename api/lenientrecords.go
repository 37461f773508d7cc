package api

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lenientRecords reads the v2 API as [lenient] does the rest.
var lenientRecords = json.JoinUnmarshalers(
	textKinds[RecordStatus](), textKinds[QuoteStatus](),
	objectKinds[*Notifications](), objectKinds[*PointOfContact](), objectKinds[*AdvancedOption](), objectKinds[*Quote](), objectKinds[*OrderRecord](),
	objectKinds[*OrderDetails](), objectKinds[map[Deliverable][]string](),
	objectLists[Quote](), objectLists[OpsQuote](), textLists[string](), textLists[Deliverable](), listKinds[[]Point](), listKinds[OpsMission](), listKinds[OpsOrder](),
)

// objectLists reads a list of objects, or one where a list belongs. What is none is
// left out.
func objectLists[T any]() *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(dec *jsontext.Decoder, into *[]T) error {
		*into = nil
		one := func() error {
			if dec.PeekKind() != '{' {
				return dec.SkipValue()
			}
			var v T
			err := json.UnmarshalDecode(dec, &v)
			*into = append(*into, v)
			return err
		}
		if dec.PeekKind() != '[' {
			return one()
		}
		*into = []T{}
		if _, err := dec.ReadToken(); err != nil {
			return err
		}
		for dec.PeekKind() != ']' {
			if err := one(); err != nil {
				return err
			}
		}
		_, err := dec.ReadToken()
		return err
	})
}

// textLists reads a list of texts, or one where a list belongs.
func textLists[T ~string]() *json.Unmarshalers {
	return otherKinds('[', func(v jsontext.Value, into *[]T) {
		*into = nil
		if s := textOf(v); v.Kind() == '"' && s != "" {
			*into = []T{T(s)}
		}
	})
}

// decodeRecord reads a record. Where a record of the quote stage has its order
// in orderDetails only, its members are there without it too.
func decodeRecord(body []byte, into *OrderRecord) error {
	var shell struct {
		OrderDetails *OrderRecord `json:"orderDetails"`
	}
	if err := decode(body, &shell); err != nil {
		return err
	}
	if shell.OrderDetails != nil {
		*into = *shell.OrderDetails
		into.Extra = maps.Clone(into.Extra)
		for name := range into.Extra {
			if !IsUnread(name) {
				delete(into.Extra, name)
			}
		}
	}
	err := decode(body, (*wireOrderRecord)(into))
	keepUnread(body, &into.Extra, into.AreaSize == nil, "areaSize")
	keepUnread(body, &into.Extra, into.LocationMap == nil, "locationMap")
	keepUnread(body, &into.Extra, into.LocationMaps == nil || slices.ContainsFunc(into.LocationMaps, func(p []Point) bool { return p == nil }), "locationMaps")
	into.settlePrices()
	return err
}

// filesOfRecord is how [DeliveryFiles] with kinds look on the wire.
type filesOfRecord struct {
	BaseFiles     []string                 `json:"baseFiles"`
	ProcessedData map[Deliverable][]string `json:"processedData"`
	Extra         ExtraMembers             `json:",embed"`
}

// MarshalJSON writes the links by kind, or as a list.
func (f DeliveryFiles) MarshalJSON() ([]byte, error) {
	if f.Links != nil {
		return encodeRecord(f.Links)
	}
	return encodeRecord(filesOfRecord{f.BaseFiles, f.ProcessedData, f.Extra})
}

// UnmarshalJSON reads an object, a list of links or one link; anything else is
// none.
func (f *DeliveryFiles) UnmarshalJSON(b []byte) error {
	*f = DeliveryFiles{}
	switch v := jsontext.Value(b); v.Kind() {
	case '{':
		var files filesOfRecord
		if err := decode(b, &files); err != nil {
			return err
		}
		*f = DeliveryFiles{BaseFiles: files.BaseFiles, ProcessedData: files.ProcessedData, Extra: files.Extra}
	case '[':
		f.Links = []string{}
		return decode(b, &f.Links)
	case '"':
		if s := textOf(v); s != "" {
			f.Links = []string{s}
		}
	}
	return nil
}
