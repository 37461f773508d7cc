package requestlog

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"flightdesk/api"
	"flightdesk/api/ops"
)

// types are those of the service's answers, some as parts of others; a member that none
// of them has is unknown.
var types = []any{
	api.CreateOrderRequest{},
	api.ParseResult{},
	api.Page[api.Order]{},
	api.DeliveryFile{},
	api.QuoteDecision{},
	api.Event{},
	api.FieldError{},
	api.WebhookEndpoint{},
	api.WebhookDelivery{},
	ops.AccountKey{},
	ops.KeyRequest{},
	ops.Order{},
	ops.Dataset{},
	ops.QuoteInput{},
	ops.ServiceClock{},
	ops.SimulatorState{},
	ops.SimulatorInput{},
	ops.Faults{},
	ops.ResetResult{},
	ops.WorldSnapshot{},
	ops.TrustResult{},
}

// known are the names of all members of the types, and of the envelope.
var known = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	add(names, []string{
		"success",
		"message",
		"data",
		"code",
		"errors",
		"requestId",
		"nextCursor",
		"hasNextPage",
		"status",
		"total",
		"reason",
		"generate",
		"advance",
		"at",
		"confirm",
		"event",
		"certificate", // of requests to the operations API
	})
	seen := map[reflect.Type]bool{}
	for _, t := range types {
		collect(reflect.TypeOf(t), names, seen)
	}
	return names
})

func collect(t reflect.Type, names map[string]bool, seen map[reflect.Type]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	for i := range t.NumField() {
		f := t.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names[strings.Trim(name, "'")] = true
		}
		collect(f.Type, names, seen)
	}
}

// states are the status words that are known, of whatever has one.
var states = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	add(words, api.OrderStatuses())
	add(words, api.MissionStatuses())
	add(words, api.SchedulingStatuses())
	add(words, api.PermissionStatuses())
	add(words, api.DeliveryStatuses())
	add(words, ops.KeyRequestStatuses())
	add(words, api.QuoteStatuses())
	add(words, api.RecordStatuses())
	add(words, []string{"success", "failed", "pending", "active", "inactive"})
	return words
})

func add[T ~string](to map[string]bool, from []T) {
	for _, word := range from {
		to[string(word)] = true
	}
}

// statusMembers hold status words.
var statusMembers = []string{"status", "orderStatus", "missionStatus", "schedulingStatus"}

// Note returns what is remarkable about one line of a pretty body: a member that
// this client does not know, or a status that it does not; "" for nothing.
func Note(line string) string {
	name, value, ok := strings.Cut(strings.TrimSpace(line), `": `)
	name, quoted := strings.CutPrefix(name, `"`)
	word, isText := strings.CutPrefix(value, `"`)
	switch {
	case !ok || !quoted:
		return ""
	case !known()[name]:
		return "+ unknown field"
	case isText && slices.Contains(statusMembers, name) && !states()[strings.TrimRight(word, `",`)]:
		return "? not a known status"
	}
	return ""
}
