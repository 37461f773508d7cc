package ordering

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/tui/format"
)

// OrderTemplate is an order's form under a name, for orders that repeat.
type OrderTemplate struct {
	Name   string
	Fields map[string][]string
}

// templateFile is where the templates of a profile are.
const templateFile = "templates.json"

// LoadTemplates reads what was saved, by name. It is for the background, as are the
// other two.
func (k *Drafts) LoadTemplates(context.Context) ([]OrderTemplate, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	data, err := k.readFile(templateFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read templates: %w", err)
	}
	return decodeTemplates(data)
}

// SaveTemplate keeps a template, in the place of one of its name.
func (k *Drafts) SaveTemplate(t OrderTemplate) error {
	return k.changeTemplates(t.Name, func(list []OrderTemplate) []OrderTemplate { return append(list, t) })
}

// RemoveTemplate deletes the template of a name.
func (k *Drafts) RemoveTemplate(name string) error {
	return k.changeTemplates(name, func(list []OrderTemplate) []OrderTemplate { return list })
}

// changeTemplates takes the template of a name out, and does what else there is
// to do to the rest. A file that cannot be read is not written over.
func (k *Drafts) changeTemplates(name string, change func([]OrderTemplate) []OrderTemplate) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	err := k.updateFile(templateFile, func(data []byte) ([]byte, error) {
		list, err := decodeTemplates(data)
		if err != nil {
			return nil, err
		}
		list = change(slices.DeleteFunc(list, func(t OrderTemplate) bool { return t.Name == name }))
		slices.SortFunc(list, func(a, b OrderTemplate) int {
			return cmp.Or(
				strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)),
				strings.Compare(a.Name, b.Name),
			)
		})
		return json.Marshal(list, json.Deterministic(true))
	})
	if err != nil {
		return fmt.Errorf("save templates: %w", err)
	}
	return nil
}

func decodeTemplates(data []byte) (list []OrderTemplate, err error) {
	if data != nil {
		if err = json.Unmarshal(data, &list); err != nil {
			return nil, fmt.Errorf("read templates: %w", err)
		}
	}
	return list, nil
}

// MakeTemplate returns the draft's form as it can be used again: without the order's own
// name, and without days that will be over.
func (d *Draft) MakeTemplate(name string, now time.Time) OrderTemplate {
	t := OrderTemplate{Name: name, Fields: map[string][]string{}}
	for _, f := range fields {
		id := f.ID
		values := d.Fields[id]
		day := id == "startDate" || id == "deadline"
		if id == "orderName" || id == "orderType" || len(values) == 0 || values[0] == "" ||
			day && !isRelativeDay(values[0], now) {
			continue
		}
		t.Fields[id] = slices.Clone(values)
	}
	return t
}

// isRelativeDay reports whether a day moves with the day on which it is typed.
func isRelativeDay(text string, now time.Time) bool {
	a, err := format.ParseDate(text, now)
	b, late := format.ParseDate(text, now.AddDate(0, 0, 7))
	return err == nil && late == nil && a.AddDate(0, 0, 7).Equal(b)
}
