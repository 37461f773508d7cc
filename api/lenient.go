package api

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lenient reads what a neighbouring service may send: numbers as texts and
// texts as numbers, null for anything, something else where a list belongs.
// What cannot be understood becomes the zero value of its field, so that one
// odd member never hides a record.
var lenient = json.JoinOptions(
	jsontext.AllowDuplicateNames(true),
	jsontext.AllowInvalidUTF8(true),
	json.WithUnmarshalers(json.JoinUnmarshalers(
		textKinds[string](), textKinds[OrderType](), textKinds[MissionType](), textKinds[OrderStatus](), textKinds[MissionStatus](),
		textKinds[Sensor](), textKinds[Deliverable](), textKinds[MissionObjective](), textKinds[IndustryAssetType](), textKinds[ErrorCode](),
		textKinds[SchedulingStatus](), textKinds[PermissionStatus](), textKinds[DeliveryStatus](),
		lenientRecords,
		listKinds[Sensor](), listKinds[Mission](), json.UnmarshalFromFunc(readPoints), listKinds[Placemark](), listKinds[FieldError](),
		listKinds[Order](), listKinds[PlanningEntry](), listKinds[DeliveryPackage](), listKinds[DeliveryFile](),
		textKinds[EventName](), listKinds[EventName](), listKinds[WebhookEndpoint](), listKinds[WebhookDelivery](),
		objectKinds[EventData](), objectKinds[EventMission](),
		otherKinds('"', func(v jsontext.Value, s **string) {
			*s = nil
			if v.Kind() != 'n' {
				t := textOf(v)
				*s = &t
			}
		}),
		// A number may be out of range, so every kind is read here.
		otherKinds(0, func(v jsontext.Value, f *float64) {
			*f = 0
			if n := numberOf(v); n != nil {
				*f = *n
			}
		}),
		otherKinds(0, func(v jsontext.Value, f **float64) { *f = numberOf(v) }),
		// Whole numbers may arrive as 3.0 or "3".
		otherKinds(0, func(v jsontext.Value, n **int) {
			*n = nil
			if f := wholeOf(v); f != nil {
				i := int(*f)
				*n = &i
			}
		}),
		otherKinds(0, func(v jsontext.Value, n *int) {
			*n = 0
			if f := wholeOf(v); f != nil {
				*n = int(*f)
			}
		}),
		otherKinds(0, func(v jsontext.Value, n *int64) {
			*n = unknownSize // they are sizes in bytes
			if f := wholeOf(v); f != nil {
				*n = *f
			}
		}),
		otherKinds('t', func(v jsontext.Value, b *bool) { *b = textOf(v) == "true" }),
	)),
)

// otherKinds reads values of T that are not of the kind that T has by itself.
func otherKinds[T any](own jsontext.Kind, set func(jsontext.Value, T)) *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(dec *jsontext.Decoder, into T) error {
		if dec.PeekKind() == own {
			return errors.ErrUnsupported
		}
		v, err := dec.ReadValue()
		if err != nil {
			return err
		}
		set(v, into)
		return nil
	})
}

func textKinds[T ~string]() *json.Unmarshalers {
	return otherKinds('"', func(v jsontext.Value, s *T) { *s = T(textOf(v)) })
}

func listKinds[T any]() *json.Unmarshalers {
	return otherKinds('[', func(_ jsontext.Value, l *[]T) { *l = nil })
}

func objectKinds[T any]() *json.Unmarshalers {
	return otherKinds('{', func(_ jsontext.Value, o *T) {
		var none T
		*o = none
	})
}

// textOf returns a string's content, nothing for null, and any other value as
// it was sent.
func textOf(v jsontext.Value) string {
	switch v.Kind() {
	case 'n':
		return ""
	case '"':
		raw, err := jsontext.AppendUnquote(nil, v)
		if err != nil && len(raw) == 0 {
			return string(v)
		}
		return string(raw)
	default:
		return string(v)
	}
}
