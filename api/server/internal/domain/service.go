package domain

import (
	"errors"
	"fmt"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
)

// Service decides on one store: what concerns orders, missions and so on each
// stands in a field of its own. Make it with [New].
type Service struct {
	*ServiceParts
	Accounts  Accounts
	Orders    Orders
	Records   Records
	Missions  Missions
	Quotes    Quotes
	Callbacks Callbacks
	Upkeep    Upkeep
}

// ServiceParts is what the service works with. Its fields are set before the first
// request.
type ServiceParts struct {
	Store *store.Store
	Now   func() time.Time
	Files files.Store // deliveries and permits

	// City suggests the city of a mission from its location, "" where there is
	// none. A nil City suggests nothing.
	City func(kind api.MissionType, location []api.Point) string

	// Vault encrypts the secrets of webhooks.
	Vault *store.Vault

	// Sender sends callbacks. With a nil Sender they stay pending.
	Sender Sender

	// Notifier tells clients that orders are complete. With a nil Notifier it
	// stays pending.
	Notifier Notifier
}

type (
	// Accounts has the accounts, their keys and the requests for keys.
	Accounts struct{ *ServiceParts }
	// Orders places, lists and moves orders.
	Orders struct{ *ServiceParts }
	// Records has the order records and the library of the v2 API.
	Records struct{ *ServiceParts }
	// Missions moves missions, with their planning, permission and packages.
	Missions struct{ *ServiceParts }
	// Quotes issues and decides quotes.
	Quotes struct{ *ServiceParts }
	// Callbacks has the endpoints, what was sent to them, and the notices that
	// an order is complete.
	Callbacks struct{ *ServiceParts }
	// Upkeep fills, empties and tidies the store, and says what has moved.
	Upkeep struct{ *ServiceParts }
)

// New returns the service that works with p.
func New(p ServiceParts) *Service {
	d := &p
	return &Service{d, Accounts{d}, Orders{d}, Records{d}, Missions{d}, Quotes{d}, Callbacks{d}, Upkeep{d}}
}

// Error is a refusal: the caller's request cannot be granted.
type Error struct {
	Code    api.ErrorCode
	Message string
	Fields  []api.FieldError // of validation_failed
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

func refuseRequest(code api.ErrorCode, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Page is one page of a list.
type Page[T any] struct {
	Items []T
	More  bool            // there is more in the direction that was asked for
	End   *store.Position // where it goes on
}

// readPage asks read for one item more than the page has, to know whether there
// is more.
func readPage[T any](w store.ListWindow, at func(T) store.Position, read func(store.ListWindow) ([]T, error)) (Page[T], error) {
	limit := w.Limit
	if limit > 0 {
		w.Limit++
	}
	items, err := read(w)
	if err != nil {
		return Page[T]{}, err
	}
	p := Page[T]{Items: items, More: limit > 0 && len(items) > limit}
	backwards := w.Before && w.From != nil
	switch {
	case p.More && backwards:
		p.Items = items[1:]
	case p.More:
		p.Items = items[:limit]
	}
	// Without a place to start from there is nothing before the first page.
	p.More = p.More && w.Before == backwards
	if n := len(p.Items); n > 0 {
		last := p.Items[n-1]
		if backwards {
			last = p.Items[0]
		}
		end := at(last)
		p.End = &end
	}
	return p, nil
}

// wrapStoreError turns what the store says about itself into a refusal.
func wrapStoreError(err error, doing string) error {
	var refusal *Error
	switch {
	case err == nil || errors.As(err, &refusal):
		return err
	case errors.Is(err, store.ErrFull), errors.Is(err, files.ErrFull):
		return refuseRequest(api.CodeStorageFull, "the service's disk is full; nothing was changed, try again later")
	case errors.Is(err, store.ErrText):
		return refuseRequest(api.CodeValidationFailed, "a text contains the character U+0000, which cannot be stored; remove it")
	default:
		return fmt.Errorf("%s: %w", doing, err)
	}
}
