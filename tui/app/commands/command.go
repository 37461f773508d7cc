package commands

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/format"
)

// Command is one thing that the operations API can do. A form of the screen
// and a command of the shell are made from its fields, which are bound to the
// request that Run sends.
type Command[T any] struct {
	Verb    string // in the shell, and the action on the screen
	Subject string // what id is of, as the help of the shell has it: ACCOUNT, MISSION; "" for the service
	Doing   string // what is under way, as in "issuing a key"
	Effects string // what follows from it, and whether it can be undone
	Limit   int    // characters of its texts
	Fields  []Field
	Check   func() (field, fault string) // what is wrong with the values together; nil for nothing
	Run     func(ctx context.Context, ops *api.Ops, id string) (T, error)
	Done    func(T) string
}

// Field is one value of a request. Value says where it goes, and by its type
// what kind it is: *string, *int, *float64, *bool, *PercentShare, *api.Time,
// *api.Duration, *[]api.Scope, *api.EventName, *api.PermissionStatus or
// *api.CallbackFault; **string, **float64 and **bool are of values that stay where they are nil.
type Field struct {
	Name  string // in the request, where the service refers to it
	Value any

	Label, Help string // on the screen
	Required    string // what to say where it is missing; "" where it can be
	DayEnd      bool   // a day means its last minute
	Clock       bool   // a time is of a day and an hour
	Ahead       bool   // a time has to be in the future
	Long        bool   // a text may have several lines
	Like        string // examples of a length of time

	Unit        string // of a number
	Least, Most float64

	Flag, Usage string // in the shell; Flag is "" for an argument
	Arg         string // name of the argument, as in REASON
}

// PercentShare is a part of all, from 0 to 1: percent on the screen.
type PercentShare float64

// Kind returns what kind of value it is.
func (f *Field) Kind() Kind { return f.codec().kind }

// Text returns the value as it is typed, "" for none.
func (f *Field) Text() string { return f.codec().write() }

// Set reads the value. A moment is in RFC 3339: what else people type depends on the
// service's clock.
func (f *Field) Set(typed string) error { return f.codec().read(typed) }

// IsOptional reports whether the value stays as it is where it is not given.
func (f *Field) IsOptional() bool { return f.codec().optional }

// KnownValues returns the values that a choice or the scopes can have, nil of any other
// field.
func (f *Field) KnownValues() []string { return f.codec().known }

// IsShare reports whether the value is a part of all, from 0 to 1.
func (f *Field) IsShare() bool {
	_, is := f.Value.(*PercentShare)
	return is
}

// ValueFault says what is wrong with the value by itself, "" for nothing.
func (f *Field) ValueFault() string {
	text := f.Text()
	if known := f.KnownValues(); known != nil && text != "" {
		for _, one := range strings.Split(text, ",") {
			if !slices.Contains(known, one) {
				return fmt.Sprintf("%q is not valid; use %s", one, strings.Join(known, ", "))
			}
		}
	}
	switch f.Kind() {
	case KindNumber, KindWhole:
		n, err := strconv.ParseFloat(text, 64)
		if err == nil {
			return f.limitFault(n)
		}
	case KindLength:
		if length := f.Value.(*api.Duration); f.Most > 0 && length.Seconds() > f.Most {
			return fmt.Sprintf("%s is not a valid duration; use up to %gs, e.g. 500ms", length.Duration, f.Most)
		}
	}
	return ""
}

// limitFault says that a number is not within the limits, or is none.
func (f *Field) limitFault(n float64) string {
	least, most, unit := f.Least, f.Most, ""
	switch {
	case f.IsShare():
		most = 1
	case f.Unit == "%":
		unit = " percent"
	}
	if most == 0 || n >= least && n <= most {
		return ""
	}
	return fmt.Sprintf(
		"%v is not between %s and %s%s",
		n,
		format.GroupDigits(least, 0),
		format.GroupDigits(most, 0),
		unit,
	)
}

// IsMissing reports whether a value has to be there and is not.
func (f *Field) IsMissing() bool { return f.Required != "" && strings.TrimSpace(f.Text()) == "" }

func valueTexts[T ~string](values []T) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = string(v)
	}
	return list
}

// ParseMoment reads a moment as people type it: RFC 3339, a day with or without
// a time of it, or how far it is ahead.
func ParseMoment(typed string, now time.Time) (time.Time, error) {
	typed = strings.TrimSpace(typed)
	if at, err := time.Parse(time.RFC3339, typed); err == nil {
		return at, nil
	}
	if ahead, err := api.ParseDuration(
		strings.TrimPrefix(strings.TrimPrefix(typed, "in "), "+"),
	); err == nil &&
		ahead > 0 {
		return now.Add(ahead).Truncate(time.Second), nil
	}
	if at, err := format.ParseDate(typed, now); err == nil {
		return at, nil
	}
	if i := strings.LastIndexAny(typed, " T"); i > 0 {
		day, err := format.ParseDate(typed[:i], now)
		if err == nil {
			if at, err := AtClock(day, typed[i+1:]); err == nil {
				return at, nil
			}
		}
	}
	return time.Time{}, fmt.Errorf(
		"%q is not a valid time; use \"2026-12-01 09:30\", \"in 3 days 09:30\", 36h or RFC 3339",
		typed,
	)
}

// AtClock returns the moment of a day at a time of it, as 09:30.
func AtClock(day time.Time, clock string) (time.Time, error) {
	at, err := time.Parse("15:04", clock)
	if err != nil {
		return day, errors.New("not a time; use 09:30")
	}
	y, m, d := day.Date()
	return time.Date(y, m, d, at.Hour(), at.Minute(), 0, 0, day.Location()), nil
}
