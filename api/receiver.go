package api

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// DefaultTolerance is how far a callback's time may be from the receiver's.
const DefaultTolerance = 5 * time.Minute

// maxCallbackBytes is how much of a callback's body is read; the service's are
// below 1 KiB.
const maxCallbackBytes = 1 << 20

// Receiver takes callbacks, as an [http.Handler]: it verifies each, and hands
// over each event once. Its fields are set before its first use.
//
// It answers 204 to what was handed over, now or before; 401 where signature
// or time do not hold; 400 where the rest does not; 503 while the same event
// is being handled; and 500 where Handle fails, so that the service sends the
// event again. The service waits about 5 seconds for an answer.
type Receiver struct {
	Secret string // of the endpoint
	Handle func(context.Context, *Event) error

	Tolerance time.Duration    // 0: [DefaultTolerance]
	Now       func() time.Time // nil: the system's; see [Client.Now]
	Seen      SeenStore        // nil: in memory, for a day
	Refused   func(error)      // called for each callback that was rejected; may be nil

	memory SeenInMemory
}

// SeenStore remembers the ids of events.
type SeenStore interface {
	// Begin notes that an event is being handled, and returns its state:
	// a new one is the caller's to handle, until it calls End.
	Begin(ctx context.Context, id string, now time.Time) (SeenState, error)
	// End notes that an event was handled, or that it was not and is new again.
	End(ctx context.Context, id string, handled bool) error
}

// SeenState says what is known of an event.
type SeenState int

// The states of an event.
const (
	SeenNew     SeenState = iota
	SeenRunning           // somebody is handling it
	SeenHandled
)

// VerifyCallback checks a callback that was read: its signature, its body, that the
// headers say what the body says, and its time. The times are the body's,
// which is signed, and the header's; neither may be further from now than the
// tolerance, in the past or in the future.
func (v *Receiver) VerifyCallback(h http.Header, body []byte) (*Event, error) {
	if err := VerifySignature(v.Secret, h.Get(HeaderSignature), body); err != nil {
		return nil, err
	}
	e, err := DecodeEvent(body)
	if err != nil {
		return nil, err
	}
	if h.Get(HeaderDelivery) != e.ID || EventName(h.Get(HeaderEvent)) != e.Event {
		return nil, fmt.Errorf("%w: headers and body name different events", ErrCallback)
	}
	if err := v.checkTime("body", e.Timestamp); err != nil {
		return nil, err
	}
	return e, v.checkTime(HeaderTimestamp, parseTime(h.Get(HeaderTimestamp)))
}

func (v *Receiver) checkTime(where string, at Time) error {
	if at.IsZero() {
		return fmt.Errorf("%w: no time in the %s", ErrTimestamp, where)
	}
	age := v.currentTime().Sub(at.Time)
	if tolerance := v.clockTolerance(); age > tolerance || age < -tolerance {
		return fmt.Errorf(
			"%w: the %s has %s, more than %v from now",
			ErrTimestamp,
			where,
			at.Format(time.RFC3339),
			tolerance,
		)
	}
	return nil
}

func (v *Receiver) clockTolerance() time.Duration {
	if v.Tolerance == 0 {
		return DefaultTolerance
	}
	return v.Tolerance
}

func (v *Receiver) currentTime() time.Time {
	if v.Now == nil {
		return time.Now()
	}
	return v.Now()
}

func (v *Receiver) seenStore() SeenStore {
	if v.Seen == nil {
		return &v.memory
	}
	return v.Seen
}

// ServeHTTP takes a callback.
func (v *Receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, err := v.takeCallback(w, r)
	if err != nil && v.Refused != nil {
		v.Refused(err)
	}
	switch status {
	case http.StatusNoContent:
		w.WriteHeader(status)
		return
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodPost)
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	}
	http.Error(w, http.StatusText(status), status)
}

// takeCallback returns the status of the answer, and why the callback was not taken.
func (v *Receiver) takeCallback(w http.ResponseWriter, r *http.Request) (status int, err error) {
	if r.Method != http.MethodPost {
		return http.StatusMethodNotAllowed, fmt.Errorf("%w: its method is %s", ErrCallback, r.Method)
	}
	// The signature is of these very bytes, so they are read before anything
	// else touches them.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCallbackBytes))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge, fmt.Errorf(
			"%w: its body is over %d bytes",
			ErrCallback,
			tooLarge.Limit,
		)
	case err != nil:
		return http.StatusBadRequest, fmt.Errorf("%w: incomplete body", ErrCallback)
	}
	e, err := v.VerifyCallback(r.Header, body)
	switch {
	case errors.Is(err, ErrCallback):
		return http.StatusBadRequest, err
	case err != nil:
		return http.StatusUnauthorized, err
	}
	return v.handleEvent(r.Context(), e)
}

// handleEvent hands an event over, unless that was done before. It is done although
// the service hangs up meanwhile, so that its outcome is known.
func (v *Receiver) handleEvent(ctx context.Context, e *Event) (status int, err error) {
	state, err := v.seenStore().Begin(ctx, e.ID, v.currentTime())
	switch {
	case err != nil:
		return http.StatusInternalServerError, fmt.Errorf(
			"checking whether event %q was handled: %w",
			e.ID,
			err,
		)
	case state == SeenHandled:
		return http.StatusNoContent, nil
	case state == SeenRunning:
		return http.StatusServiceUnavailable, nil
	}
	ctx = context.WithoutCancel(ctx)
	handled := false
	defer func() { // after a panic, too
		if endErr := v.seenStore().End(ctx, e.ID, handled); endErr != nil {
			err = errors.Join(err, fmt.Errorf("recording that event %q was handled: %w", e.ID, endErr))
		}
	}()
	if err := v.Handle(ctx, e); err != nil {
		return http.StatusInternalServerError, fmt.Errorf("handling event %q: %w", e.ID, err)
	}
	handled = true
	return http.StatusNoContent, nil
}

// seenLife is how long ids are remembered in memory.
const seenLife = 24 * time.Hour

// SeenInMemory remembers ids for a day. The zero value is ready for use.
type SeenInMemory struct {
	mu     sync.Mutex
	states map[string]SeenState
	order  []seenID // oldest first
}

type seenID struct {
	id    string
	since time.Time
}

// Begin notes that an event is being handled.
func (m *SeenInMemory) Begin(_ context.Context, id string, now time.Time) (SeenState, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.order) > 0 && now.Sub(m.order[0].since) > seenLife {
		delete(m.states, m.order[0].id)
		m.order = m.order[1:]
	}
	if state, ok := m.states[id]; ok && state != SeenNew {
		return state, nil
	} else if !ok {
		m.order = append(m.order, seenID{id, now})
	}
	if m.states == nil {
		m.states = map[string]SeenState{}
	}
	m.states[id] = SeenRunning
	return SeenNew, nil
}

// End notes what has become of an event.
func (m *SeenInMemory) End(_ context.Context, id string, handled bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.states[id]; !ok {
		return nil // it took more than a day
	}
	m.states[id] = SeenNew
	if handled {
		m.states[id] = SeenHandled
	}
	return nil
}

// NewCallback returns a callback as the service sends it, to try receivers.
// The timestamp in the header is the event's.
func NewCallback(ctx context.Context, url, secret string, body []byte) (*http.Request, error) {
	e, err := DecodeEvent(body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(HeaderSignature, Sign(secret, body))
	r.Header.Set(HeaderEvent, string(e.Event))
	r.Header.Set(HeaderDelivery, e.ID)
	r.Header.Set(HeaderTimestamp, TimeOf(e.Timestamp.UTC()).Text())
	return r, nil
}

// DecodeEvent reads the body of a callback. Only an object with an id and an
// event is one; everything else about it is read leniently. The error is an
// [ErrCallback].
func DecodeEvent(body []byte) (*Event, error) {
	e := &Event{}
	if err := DecodeRecord(body, e); err != nil || e.ID == "" || e.Event == "" {
		return nil, fmt.Errorf("%w: its body is not an event", ErrCallback)
	}
	return e, nil
}

// EventOrderCompleted is the X-Service-Event of the notification that the
// v2 API sends where an order asked for it. No endpoint subscribes
// to it. Its body is an [OrderCompletion].
const EventOrderCompleted EventName = "order.completed"

// EventName says what an event reports. Values outside the list may arrive and
// are to be shown as sent.
type EventName string

// The known events. Each reports that a mission has reached a milestone.
const (
	EventOperatorAssigned EventName = "mission.operator_assigned"
	EventFlightScheduled  EventName = "mission.flight_scheduled"
	EventDataDelivered    EventName = "mission.data_delivered"
	EventMissionCompleted EventName = "mission.completed"
)

// EventNames lists the known events in the order of a mission's life.
func EventNames() []EventName {
	return []EventName{EventOperatorAssigned, EventFlightScheduled, EventDataDelivered, EventMissionCompleted}
}

// Event is the body of a callback.
type Event struct {
	ID        string       `json:"id"` // of the delivery, the same in every try
	Event     EventName    `json:"event"`
	Timestamp Time         `json:"timestamp"`
	Data      EventData    `json:"data"`
	Extra     ExtraMembers `json:",embed"`
}

// EventData is what an event is about.
type EventData struct {
	Mission EventMission `json:"mission"`
	Extra   ExtraMembers `json:",embed"`
}

// EventMission is a mission as it stood when the event was written. Events may
// arrive in another order; Status says how far the mission is.
type EventMission struct {
	UUID        string        `json:"uuid"`
	MissionCode string        `json:"missionCode"` // MSN- and digits
	Status      MissionStatus `json:"status"`
	OrderUID    string        `json:"orderUid"`
	OrderCode   string        `json:"orderCode"` // ORD- and digits
	Extra       ExtraMembers  `json:",embed"`
}

// Headers of a callback.
const (
	HeaderSignature = "X-Service-Signature" // "sha256=" and 64 hexadecimal digits
	HeaderEvent     = "X-Service-Event"     // the event's name
	HeaderDelivery  = "X-Service-Delivery"  // the delivery id
	HeaderTimestamp = "X-Service-Timestamp" // RFC 3339, when this try was sent
)

const signaturePrefix = "sha256="

// Sign returns the signature of a callback's raw body: "sha256=" and the
// lower-case hexadecimal HMAC-SHA256, keyed with the endpoint's whole secret.
func Sign(secret string, body []byte) string {
	return signaturePrefix + hex.EncodeToString(computeSignature(secret, body))
}

func computeSignature(secret string, body []byte) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return mac.Sum(nil)
}

// VerifySignature compares in constant time. It takes lower-case digits only,
// as they are specified. The error is an [ErrSignature].
func VerifySignature(secret, sent string, body []byte) error {
	digits, ok := strings.CutPrefix(sent, signaturePrefix)
	if !ok || len(digits) != 2*sha256.Size || strings.Trim(digits, "0123456789abcdef") != "" {
		return fmt.Errorf(
			"%w: %s is not sha256= and 64 lower-case hexadecimal digits",
			ErrSignature,
			HeaderSignature,
		)
	}
	got, err := hex.DecodeString(digits)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSignature, err)
	}
	if secret == "" {
		return fmt.Errorf("%w: no secret given", ErrSignature)
	}
	if !hmac.Equal(got, computeSignature(secret, body)) {
		return fmt.Errorf("%w: does not match this body and secret", ErrSignature)
	}
	return nil
}

// Reasons for rejecting a callback, for errors.Is.
var (
	ErrSignature = errors.New("invalid callback signature")
	ErrTimestamp = errors.New("callback time out of range")
	ErrCallback  = errors.New("not a callback of the service")
)
