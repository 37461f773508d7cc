package api

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lenientRecords reads the second generation as [lenient] does the rest.
var lenientRecords = json.JoinUnmarshalers(
	text[RecordStatus](), text[QuoteStatus](),
	object[*Notifications](), object[*PointOfContact](), object[*AdvancedOption](), object[*Quote](), object[*OrderRecord](),
	object[*OrderDetails](), object[Point](), object[map[Deliverable][]string](),
	objects[Quote](), objects[OpsQuote](), texts[string](), texts[Deliverable](), list[[]Point](), list[OpsMission](), list[OpsOrder](),
)

// objects reads a list of objects, or one where a list belongs. What is none is
// left out.
func objects[T any]() *json.Unmarshalers {
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

// texts reads a list of texts, or one where a list belongs.
func texts[T ~string]() *json.Unmarshalers {
	return other('[', func(v jsontext.Value, into *[]T) {
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
	if err := json.Unmarshal(body, &shell, lenient); err != nil {
		return err
	}
	if shell.OrderDetails != nil {
		*into = *shell.OrderDetails
		into.Extra = nil
	}
	return json.Unmarshal(body, into, lenient)
}

func decodeDataset(body []byte, into *Dataset) error { return json.Unmarshal(body, into, lenient) }

// containers are the members that services wrap what they answer in.
var containers = []string{"data", "orders", "order", "datasets", "dataset"}

// unwrap returns the records of an answer: a list, one record, or either of
// them in an object. What is no object is left out.
func unwrap(op operation, body []byte) ([]jsontext.Value, error) {
	wrong := foreign(op, 200, "the answer is not in the service's form; check the address")
	var v jsontext.Value
	if err := json.Unmarshal(body, &v, lenient); err != nil {
		return nil, wrong
	}
	for range 4 { // an envelope in an envelope is more than anybody sends
		switch v.Kind() {
		case '[':
			return elements(v)
		case '{':
		case 'n':
			return nil, nil
		default:
			return nil, wrong
		}
		var members map[string]jsontext.Value
		if err := json.Unmarshal(v, &members, lenient); err != nil {
			return nil, wrong
		}
		if string(members["success"]) == "false" {
			wrong.Message = "the service says: " + textOf(members["message"])
			return nil, wrong
		}
		inner, wrapped := content(members)
		if !wrapped {
			return []jsontext.Value{v}, nil
		}
		v = inner
	}
	return nil, wrong
}

// content returns what an object wraps; a record wraps nothing.
func content(members map[string]jsontext.Value) (inner jsontext.Value, wrapped bool) {
	if len(members) == 0 {
		return jsontext.Value("[]"), true
	}
	for _, own := range []string{"id", "orderName", "datasetName", "orderStatus", "quotes", "orderDetails", "quoteDetails"} {
		if _, there := members[own]; there {
			return nil, false
		}
	}
	for _, name := range containers {
		if v, there := members[name]; there {
			switch v.Kind() {
			case '[', '{', 'n':
				return v, true
			}
		}
	}
	return nil, false
}

func elements(list jsontext.Value) ([]jsontext.Value, error) {
	var all, records []jsontext.Value
	if err := json.Unmarshal(list, &all, lenient); err != nil {
		return nil, err
	}
	for _, v := range all {
		if v.Kind() == '{' {
			records = append(records, v)
		}
	}
	return records, nil
}

func decodeSeveral[T any](op operation, body []byte, decode func([]byte, *T) error) ([]T, error) {
	values, err := unwrap(op, body)
	if err != nil {
		return nil, err
	}
	list := make([]T, len(values))
	for i, v := range values {
		if err := decode(v, &list[i]); err != nil {
			return nil, foreign(op, 200, "the answer cannot be read: "+err.Error())
		}
	}
	return list, nil
}

// filesOfRecord is how [DeliveryFiles] with kinds look on the wire.
type filesOfRecord struct {
	BaseFiles     []string                 `json:"baseFiles"`
	ProcessedData map[Deliverable][]string `json:"processedData"`
	Extra         Extra                    `json:",embed"`
}

// MarshalJSONTo writes the links by kind, or as a list.
func (f DeliveryFiles) MarshalJSONTo(enc *jsontext.Encoder) error {
	if f.Links != nil {
		return json.MarshalEncode(enc, f.Links)
	}
	return json.MarshalEncode(enc, filesOfRecord{f.BaseFiles, f.ProcessedData, f.Extra}, json.Deterministic(true))
}

// UnmarshalJSONFrom reads an object, a list of links or one link; anything
// else is none.
func (f *DeliveryFiles) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*f = DeliveryFiles{}
	switch dec.PeekKind() {
	case '{':
		var files filesOfRecord
		if err := json.UnmarshalDecode(dec, &files); err != nil {
			return err
		}
		*f = DeliveryFiles{BaseFiles: files.BaseFiles, ProcessedData: files.ProcessedData, Extra: files.Extra}
		return nil
	case '[':
		f.Links = []string{}
		return json.UnmarshalDecode(dec, &f.Links)
	case '"':
		v, err := dec.ReadValue()
		if s := textOf(v); s != "" {
			f.Links = []string{s}
		}
		return err
	default:
		return dec.SkipValue()
	}
}
