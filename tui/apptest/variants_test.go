package apptest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"flightdesk/api/standin"
)

// Topic is what a variant is about. It says which calls, commands and pages
// show it.
type Topic string

// The topics.
const (
	Orders    Topic = "orders"    // the list of orders
	Order     Topic = "order"     // one order with its missions
	Quotes    Topic = "quotes"    // quotes of an order
	Accept    Topic = "accept"    // accepting a quote
	Cancel    Topic = "cancel"    // cancelling an order
	Place     Topic = "place"     // placing an order
	Mission   Topic = "mission"   // planning and permission of a mission
	Files     Topic = "files"     // packages and files
	Fetch     Topic = "fetch"     // downloads
	Endpoints Topic = "endpoints" // registered endpoints
	Callbacks Topic = "callbacks" // the log of an endpoint
	Delete    Topic = "delete"    // deleting an endpoint
)

// Variant is one way in which a service may answer.
type Variant struct {
	Group, Name string
	Topic       Topic
	Rewrite     Rewrite

	Shows []string // what people have to see, in one of its forms: "1,388.43 EUR|1388.43"
	Never []string // what they must not see
	Fails bool     // the reading, or the change, does not succeed
}

// variants are those of a group.
type variants []Variant

// add adds a variant of which something has to be seen.
func (l *variants) add(name string, topic Topic, rewrite Rewrite, shows ...string) *Variant {
	*l = append(*l, Variant{Name: name, Topic: topic, Rewrite: rewrite, Shows: shows})
	return &(*l)[len(*l)-1]
}

// never says what must not be seen.
func (v *Variant) never(texts ...string) *Variant {
	v.Never = texts
	return v
}

// fails says that the reading, or the change, does not succeed.
func (v *Variant) fails() *Variant {
	v.Fails = true
	return v
}

// All lists the variants, by group.
func All() []Variant {
	var all []Variant
	for _, group := range []struct {
		name string
		list variants
	}{
		{"money", money()},
		{"containers", containers()},
		{"limits", limits()},
		{"errors", errorsOf()},
		{"decisions", decisions()},
		{"files", files()},
		{"dates", dates()},
		{"unknown", unknown()},
		{"authentication", authentication()},
		{"invisible", invisible()},
	} {
		for _, v := range group.list {
			v.Group = group.name
			all = append(all, v)
		}
	}
	return all
}

// texts are members by their names, in JSON.
type texts = map[string]string

func get(pattern string, rewrite Rewrite) Rewrite { return At(http.MethodGet, pattern, rewrite) }

func post(pattern string, rewrite Rewrite) Rewrite { return At(http.MethodPost, pattern, rewrite) }

// At applies a rewrite to the answers of the paths that end as a pattern does.
func At(method, pattern string, rewrite Rewrite) Rewrite {
	path := regexp.MustCompile(pattern + "$")
	return func(r *http.Request, real func() standin.Answer) standin.Answer {
		if r.Method != method || !path.MatchString(r.URL.Path) {
			return real()
		}
		return rewrite(r, real)
	}
}

// Both applies one rewrite after the other.
func Both(all ...Rewrite) Rewrite {
	return func(r *http.Request, real func() standin.Answer) standin.Answer {
		for _, each := range all {
			inner := real
			real = func() standin.Answer { return each(r, inner) }
		}
		return real()
	}
}

// Instead answers in place of the service, which is not asked.
func Instead(status int, body string) Rewrite {
	return func(*http.Request, func() standin.Answer) standin.Answer {
		return standin.Answer{Status: status, Body: body}
	}
}

// Then asks the service and answers something else.
func Then(status int, body string) Rewrite {
	return func(_ *http.Request, real func() standin.Answer) standin.Answer {
		if a := real(); a.Status >= 300 {
			return a
		}
		return standin.Answer{Status: status, Body: body}
	}
}

// Members sets members of all records in an answer that have each of them, to
// JSON; "" leaves the member out.
func Members(set map[string]string) Rewrite {
	return body(func(v any) any {
		walk(v, func(record map[string]any) {
			for name, value := range set {
				if _, has := record[name]; !has {
					continue
				}
				if value == "" {
					delete(record, name)
				} else {
					record[name] = json.RawMessage(value)
				}
			}
		})
		return v
	})
}

// Further adds members to the records that have the one named.
func Further(mark string, members map[string]string) Rewrite {
	return body(func(v any) any {
		walk(v, func(record map[string]any) {
			if _, has := record[mark]; has {
				for name, value := range members {
					record[name] = json.RawMessage(value)
				}
			}
		})
		return v
	})
}

// Renamed gives members other names.
func Renamed(names map[string]string) Rewrite {
	return body(func(v any) any {
		walk(v, func(record map[string]any) {
			for old, name := range names {
				if value, has := record[old]; has {
					delete(record, old)
					record[name] = value
				}
			}
		})
		return v
	})
}

// Rows writes the rows of a list in another container; %s stands for them. A
// page without rows stays as it is.
func Rows(container string) Rewrite {
	return body(func(v any) any {
		rows := rowsOf(v)
		if len(rows) == 0 {
			return v
		}
		return json.RawMessage(strings.ReplaceAll(container, "%s", strings.Join(rows, ",")))
	})
}

// body changes a JSON answer that is a success.
func body(change func(any) any) Rewrite {
	return func(_ *http.Request, real func() standin.Answer) standin.Answer {
		a := real()
		var v any
		dec := json.NewDecoder(strings.NewReader(a.Body))
		dec.UseNumber()
		if a.Status >= 300 || dec.Decode(&v) != nil {
			return a
		}
		a.Body = write(change(v))
		return a
	}
}

// write returns a value as JSON. A container may be none, which is meant then.
func write(v any) string {
	if raw, ok := v.(json.RawMessage); ok {
		return string(raw)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("a variant that is no JSON: %v", err))
	}
	return b.String()
}

// walk shows every object of a value, the inner ones first.
func walk(v any, each func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		for _, inner := range v {
			walk(inner, each)
		}
		each(v)
	case []any:
		for _, inner := range v {
			walk(inner, each)
		}
	}
}

// rowsOf returns the rows of a list as the server sends it.
func rowsOf(v any) []string {
	for {
		switch at := v.(type) {
		case map[string]any:
			v = at["data"]
			continue
		case []any:
			rows := make([]string, len(at))
			for i, row := range at {
				rows[i] = strings.TrimSpace(write(row))
			}
			return rows
		}
		return nil
	}
}

// dataOf returns what is in the envelope.
func dataOf(v any) map[string]any {
	envelope, _ := v.(map[string]any)
	data, _ := envelope["data"].(map[string]any)
	return data
}
