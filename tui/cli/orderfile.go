package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"flightdesk/tui/app/ordering"
)

// readFields reads the fields of an order from a TOML file. The result has the values by the
// field's name; it is empty if path is "".
func (c *Call) readFields(path string) (map[string][]string, error) {
	fields := map[string][]string{}
	if path == "" {
		return fields, nil
	}
	data, err := c.readInput(path)
	if err != nil {
		return nil, err
	}
	var values map[string]any
	err = toml.Unmarshal(data, &values)
	if invalid, ok := errors.AsType[toml.ParseError](err); ok {
		return nil, fmt.Errorf("%s:%d: %s", path, invalid.Position.Line, invalid.Message)
	}
	if err != nil {
		return nil, prefixError(path, err)
	}
	for name, value := range values {
		texts, err := fieldTexts(name, value)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, name, err)
		}
		fields[name] = texts
	}
	return fields, nil
}

// countryField is the field of an order file with the country of all sites whose survey file does not name a country.
const countryField = "country"

// fieldTexts returns the values of a field of an order file, or an error if the field is
// unknown or does not allow the value.
func fieldTexts(name string, value any) ([]string, error) {
	field, err := findField(name)
	if err != nil {
		return nil, err
	}
	values, isList := value.([]any)
	if !isList {
		values = []any{value}
	}
	var texts []string
	for _, element := range values {
		text, err := elementText(element)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	allowsList := field.Kind == ordering.ManyField
	if isList && !allowsList {
		return nil, errNotText
	}
	if err := field.RefusalOf(texts); err != nil {
		return nil, err
	}
	return texts, nil
}

// findField returns the description of a field of an order file. If there is no such field, the error has the names
// of all fields. The country belongs to the sites and not to the order, so it has no description: findField returns
// the zero value, which accepts any single text.
func findField(name string) (ordering.OrderField, error) {
	if name == countryField {
		return ordering.OrderField{}, nil
	}
	field, isKnown := ordering.FieldByID(name)
	if isKnown {
		return field, nil
	}
	names := ""
	for _, f := range ordering.OrderFields() {
		names += f.ID + ", "
	}
	return field, errors.New("unknown field; use " + names + countryField)
}

// errNotText is the error for a value in an order file that is neither a text nor a date, and for a
// list in a field with a single value.
var errNotText = errors.New("expected quoted text")

// elementText returns the text of a single value of an order file.
func elementText(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case time.Time:
		return dateText(v)
	default:
		return "", errNotText
	}
}

// dateText returns a date of a TOML file as it was written: a day, a time without an offset, or a
// time with an offset. The TOML decoder sets a different location in the time for each of these
// forms.
func dateText(date time.Time) (string, error) {
	switch date.Location().String() {
	case "date-local":
		return date.Format(time.DateOnly), nil
	case "datetime-local":
		return date.Format("2006-01-02T15:04:05.999999999"), nil
	case "time-local":
		return "", errors.New("is a time without a day; use 2026-12-01 or 2026-12-01T18:00:00+01:00")
	}
	return date.Format(time.RFC3339Nano), nil
}

// fieldText returns the value of a field of the order file, or "" if the file does not have the field.
func fieldText(fields map[string][]string, id string) string { return strings.Join(fields[id], " ") }
