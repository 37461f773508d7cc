package commands

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"flightdesk/api"
)

// Kind is what kind of value a field has.
type Kind string

// The kinds of values. A moment is typed as [ParseMoment] reads it.
const (
	KindText   Kind = "string"
	KindNumber Kind = "float"
	KindWhole  Kind = "int"
	KindTruth  Kind = "bool"
	KindChoice Kind = "choice"
	KindScopes Kind = "strings"
	KindLength Kind = "length"
	KindMoment Kind = "moment"
)

// valueCodec writes a value as it is typed, "" for none, and reads it back.
type valueCodec struct {
	kind     Kind
	known    []string // values that there are, nil for any
	optional bool     // it is nil where nothing was set
	write    func() string
	read     func(typed string) error
}

// codec returns how the value is written and read.
func (f *Field) codec() valueCodec {
	switch to := f.Value.(type) {
	case *string:
		return textCodec(KindText, to, nil)
	case *api.PermissionStatus:
		return textCodec(KindChoice, (*string)(to), valueTexts(api.PermissionStatuses()))
	case *api.EventName:
		return textCodec(KindChoice, (*string)(to), valueTexts(api.EventNames()))
	case *api.CallbackFault:
		return textCodec(KindChoice, (*string)(to), valueTexts(api.CallbackFaults()))
	case *int:
		return parsingCodec(KindWhole, to, strconv.Itoa, strconv.Atoi, "use a whole number of "+f.Unit)
	case *float64:
		return parsingCodec(KindNumber, to, writeNumber, readNumber, "not a valid number")
	case *PercentShare:
		return parsingCodec(KindNumber, (*float64)(to), writeNumber, readNumber, "not a valid number")
	case *bool:
		return parsingCodec(
			KindTruth,
			to,
			strconv.FormatBool,
			strconv.ParseBool,
			"not a valid choice; use true or false",
		)
	case *api.Duration:
		return parsingCodec(KindLength, to, writeLength, readLength, "not a duration; use "+f.Like)
	case *api.Time:
		return parsingCodec(KindMoment, to, writeMoment, readMoment, "not in RFC 3339")
	case *[]api.Scope:
		c := parsingCodec(KindScopes, to, writeScopes, readScopes, "")
		c.known = append([]string{allScopes}, valueTexts(api.Scopes())...)
		return c
	case **string:
		return optionalCodec(to)
	case **float64:
		return optionalCodec(to)
	case **bool:
		return optionalCodec(to)
	}
	return valueCodec{}
}

func textCodec(kind Kind, to *string, known []string) valueCodec {
	return valueCodec{
		kind: kind, known: known, write: func() string { return *to },
		read: func(typed string) error { *to = typed; return nil },
	}
}

func parsingCodec[T any](
	kind Kind,
	to *T,
	write func(T) string,
	read func(string) (T, error),
	fault string,
) valueCodec {
	return valueCodec{kind: kind, write: func() string { return write(*to) }, read: func(typed string) (err error) {
		if *to, err = read(typed); err != nil {
			return errors.New(fault)
		}
		return nil
	}}
}

func optionalCodec[T any](to **T) valueCodec {
	c := (&Field{Value: new(T)}).codec()
	c.optional = true
	c.write = func() string {
		if *to == nil {
			return ""
		}
		return (&Field{Value: *to}).Text()
	}
	c.read = func(typed string) error {
		*to = new(T)
		return (&Field{Value: *to}).Set(typed)
	}
	return c
}

func writeNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func readNumber(typed string) (float64, error) { return strconv.ParseFloat(typed, 64) }

func writeLength(d api.Duration) string {
	if d.Duration == 0 {
		return ""
	}
	return d.String()
}

func readLength(typed string) (d api.Duration, err error) {
	if typed == "" {
		return d, nil
	}
	if d.Duration, err = api.ParseDuration(typed); err == nil && d.Duration <= 0 {
		err = errors.New("not ahead")
	}
	return d, err
}

func writeMoment(at api.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Format(time.RFC3339)
}

func readMoment(typed string) (api.Time, error) {
	at, err := time.Parse(time.RFC3339, typed)
	return api.TimeOf(at), err
}

// allScopes stands for each scope that there is.
const allScopes = "all"

func writeScopes(list []api.Scope) string { return strings.Join(valueTexts(list), ",") }

func readScopes(typed string) (list []api.Scope, err error) {
	for _, name := range strings.FieldsFunc(typed, func(r rune) bool { return r == ',' }) {
		list = append(list, api.Scope(name))
	}
	if slices.Contains(list, allScopes) {
		list = api.Scopes()
	}
	return list, nil
}
