package server_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"flightdesk/api"
	"flightdesk/api/ops"
)

// A member that is only in the type is unknown to clients. A member that is only in the document is
// never sent.
func TestSchemasMatchTheirTypes(t *testing.T) {
	schemas := theContract(t).doc.Components.Schemas
	for names, record := range map[string]any{
		"Account": ops.Account{}, "AccountChange": ops.AccountChange{}, "AccountInput": ops.AccountInput{}, "AccountKey IssuedKey": ops.AccountKey{},
		"AdvancedOption": api.AdvancedOption{}, "CSVTemplate": api.CSVTemplate{}, "CallbackAttempt": ops.CallbackAttempt{},
		"CompletionNotice": ops.CompletionNotice{}, "CreateOrderRequest": api.CreateOrderRequest{}, "Dataset": api.Dataset{},
		"Delivery": api.WebhookDelivery{}, "DeliveryFile": api.DeliveryFile{}, "DeliveryPackage": api.DeliveryPackage{}, "Event": api.Event{},
		"Faults": ops.Faults{}, "FlightPermission": api.FlightPermission{}, "KeyRequest": ops.KeyRequest{}, "Mission": api.Mission{},
		"NotificationSettings": ops.NotificationSettings{}, "OpsDataset": ops.Dataset{}, "OpsListedOrder OpsOrder": ops.Order{},
		"OpsMission": ops.Mission{}, "OpsQuote": ops.Quote{}, "ListedOrder OrderDetail": api.Order{}, "OrderDetails": api.RecordDetails{},
		"OrderRecord": api.OrderRecord{}, "Placemark": api.Placemark{}, "PlanningEntry": api.PlanningEntry{},
		"PointOfContact": api.PointOfContact{}, "Quote": api.Quote{}, "QuoteInput": ops.QuoteInput{}, "RecordNotifications": api.Notifications{},
		"Snapshot": ops.WorldSnapshot{}, "NewWebhook Webhook": api.WebhookEndpoint{},
	} {
		members := map[string]bool{}
		for name := range strings.FieldsSeq(names) {
			addMembers(members, schemas[name].Value)
		}
		if got, want := membersOf(reflect.TypeOf(record)), slices.Sorted(maps.Keys(members)); !slices.Equal(got, want) {
			t.Errorf("%s: the type has %v\nthe document %v", names, got, want)
		}
	}
}

// addMembers adds the names of the members of a schema and of the schemas that it includes.
func addMembers(to map[string]bool, schema *openapi3.Schema) {
	for name := range schema.Properties {
		to[name] = true
	}
	for _, part := range slices.Concat(schema.AllOf, schema.OneOf, schema.AnyOf) {
		addMembers(to, part.Value)
	}
}

// membersOf returns the JSON names of the fields of a type.
func membersOf(record reflect.Type) []string {
	var names []string
	for _, field := range reflect.VisibleFields(record) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
