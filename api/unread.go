package api

import (
	"bytes"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// unreadable are the members that a record knows and that are kept in its Extra
// where they could not be read.
var unreadable = []string{"areaSize", "fileCount", "fileSize", "flightHeight", "locationMap", "locationMaps", "totalSize"}

// IsUnread reports whether a member of an [Extra] is one that its record has a
// field for, but whose value could not be read: an area of "about 3 ha".
func IsUnread(name string) bool { return slices.Contains(unreadable, name) }

// keepUnread puts a member among the unknown ones whose field has nothing
// although something was sent.
func keepUnread(record []byte, extra *ExtraMembers, empty bool, name string) {
	if !empty {
		delete(*extra, name)
		return
	}
	v := memberOf(record, name)
	if kind := v.Kind(); kind == 0 || kind == 'n' || kind == '"' && textOf(v) == "" {
		return
	}
	kept := maps.Clone(*extra)
	if kept == nil {
		kept = ExtraMembers{}
	}
	kept[name] = []byte(v)
	*extra = kept
}

// memberOf returns a member of an object as it was sent, nil where it has none.
func memberOf(record []byte, name string) jsontext.Value {
	if !bytes.Contains(record, []byte(`"`+name+`"`)) {
		return nil // as most often, and found without reading all of it
	}
	dec := jsontext.NewDecoder(bytes.NewReader(record), lenient)
	if _, err := dec.ReadToken(); err != nil {
		return nil
	}
	for dec.PeekKind() == '"' {
		is, err := dec.ReadToken()
		if err != nil {
			return nil
		}
		if is.String() != name {
			if dec.SkipValue() != nil {
				return nil
			}
			continue
		}
		v, err := dec.ReadValue()
		if err != nil {
			return nil
		}
		return v.Clone()
	}
	return nil
}

// encodeKept writes a record that has a member twice: as its field, which could
// not be read, and as it was sent, which is written.
func encodeKept(record any) ([]byte, error) {
	text, err := json.Marshal(record, json.Deterministic(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return nil, err
	}
	all, last := membersOf(text)
	out := []byte{'{'}
	for _, m := range all {
		v, there := last[m.name]
		if !there {
			continue // it was written where its name came first
		}
		delete(last, m.name)
		if len(out) > 1 {
			out = append(out, ',')
		}
		name, err := quoteText(m.name)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), v...)
	}
	return append(out, '}'), nil
}

// readPoints reads the points of a place. Where one of them cannot be read none is:
// a shape without some of its corners is another shape. One may stand where a
// list belongs.
func readPoints(dec *jsontext.Decoder, into *[]Point) error {
	*into = nil
	if dec.PeekKind() != '[' {
		p, read, err := readPoint(dec)
		if read {
			*into = []Point{p}
		}
		return err
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	all, whole := []Point{}, true
	for dec.PeekKind() != ']' {
		p, read, err := readPoint(dec)
		if err != nil {
			return err
		}
		all, whole = append(all, p), whole && read
	}
	if whole {
		*into = all
	}
	_, err := dec.ReadToken()
	return err
}

// readPoint reads a position, and reports whether it has both coordinates.
func readPoint(dec *jsontext.Decoder) (p Point, read bool, err error) {
	if dec.PeekKind() != '{' {
		return p, false, dec.SkipValue()
	}
	if _, err := dec.ReadToken(); err != nil {
		return p, false, err
	}
	var lat, lng bool
	for dec.PeekKind() != '}' {
		name, err := dec.ReadValue()
		if err != nil {
			return p, false, err
		}
		switch string(name) {
		case `"lat"`, `"latitude"`:
			lat, err = readCoordinate(dec, &p.Lat)
		case `"lng"`, `"lon"`, `"longitude"`:
			lng, err = readCoordinate(dec, &p.Lng)
		default:
			err = dec.SkipValue()
		}
		if err != nil {
			return p, false, err
		}
	}
	_, err = dec.ReadToken()
	return p, lat && lng, err
}

func readCoordinate(dec *jsontext.Decoder, into *float64) (bool, error) {
	v, err := dec.ReadValue()
	if err != nil {
		return false, err
	}
	degrees := numberOf(v)
	if degrees != nil {
		*into = *degrees
	}
	return degrees != nil, nil
}
