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

// DefaultTolerance is the maximum difference between the time of a callback and the clock of
// the receiver.
const DefaultTolerance = 5 * time.Minute

// maxCallbackBytes is the maximum size of a callback's body. The service sends less than 1 KiB.
const maxCallbackBytes = 1 << 20

// Receiver is an [http.Handler] for callbacks. It verifies each callback and passes each event
// to Handle once. Set its fields before its first use.
//
// It responds with
//   - 204 if the event was handled, now or earlier
//   - 400 if the callback is invalid in a way that is not listed below
//   - 401 if the signature or the time is invalid
//   - 405 if the method is not POST
//   - 413 if the body is larger than 1 MiB
//   - 500 if Handle or Seen fails
//   - 503 while the same event is being handled
//
// The service sends the event again after every status that is not 2xx. It waits about 5 seconds for a response.
type Receiver struct {
	Secret string // secret of the endpoint
	Handle func(context.Context, *Event) error

	Tolerance time.Duration    // 0 is [DefaultTolerance]
	Now       func() time.Time // nil is the system's clock; see [Connection.Now]
	Seen      SeenStore        // nil remembers events in memory for a day

	// Refused is called with the reason if a callback is rejected, or if Handle or Seen fails. It is not called
	// for a callback whose event is being handled. It may be nil.
	Refused func(error)

	memory SeenInMemory
}

// SeenStore remembers the IDs of events.
type SeenStore interface {
	// Begin marks an event as being handled and returns its previous state. If that is
	// SeenNew, the caller handles the event and then calls End.
	Begin(ctx context.Context, id string, now time.Time) (SeenState, error)
	// End marks an event as handled, or as new again if handled is false.
	End(ctx context.Context, id string, handled bool) error
}

// SeenState is the state of an event at a receiver.
type SeenState int

// The states of an event.
const (
	SeenNew     SeenState = iota
	SeenRunning           // the event is being handled
	SeenHandled
)

// VerifyCallback checks the signature, the body and the headers of a callback, and returns its
// event. The time in the signed body and the time in the header must not differ from now by more than
// the tolerance.
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
	if err := v.checkTime(HeaderTimestamp, parseTime(h.Get(HeaderTimestamp))); err != nil {
		return nil, err
	}
	return e, nil
}

func (v *Receiver) checkTime(where string, sent Time) error {
	if sent.IsZero() {
		return fmt.Errorf("%w: no time in the %s", ErrTimestamp, where)
	}
	age := v.currentTime().Sub(sent.Time)
	tolerance := v.clockTolerance()
	if age.Abs() > tolerance {
		text := sent.Format(time.RFC3339)
		return fmt.Errorf("%w: the %s has %s, more than %v from now", ErrTimestamp, where, text, tolerance)
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

// ServeHTTP handles a callback.
func (v *Receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, err := v.handleCallback(w, r)
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

// handleCallback verifies and handles a callback. It returns the HTTP status of the response,
// and the error for Refused.
func (v *Receiver) handleCallback(w http.ResponseWriter, r *http.Request) (status int, err error) {
	if r.Method != http.MethodPost {
		return http.StatusMethodNotAllowed, fmt.Errorf("%w: its method is %s", ErrCallback, r.Method)
	}
	// The signature covers the exact bytes of the body.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCallbackBytes))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		err := fmt.Errorf("%w: its body is over %d bytes", ErrCallback, tooLarge.Limit)
		return http.StatusRequestEntityTooLarge, err
	}
	if err != nil {
		return http.StatusBadRequest, fmt.Errorf("%w: incomplete body", ErrCallback)
	}
	e, err := v.VerifyCallback(r.Header, body)
	if errors.Is(err, ErrCallback) {
		return http.StatusBadRequest, err
	}
	if err != nil {
		return http.StatusUnauthorized, err
	}
	return v.handleEvent(r.Context(), e)
}

// handleEvent passes an event to Handle, unless it was handled before. Handle continues if the
// service closes the connection meanwhile.
func (v *Receiver) handleEvent(ctx context.Context, e *Event) (status int, err error) {
	state, err := v.seenStore().Begin(ctx, e.ID, v.currentTime())
	if err != nil {
		return http.StatusInternalServerError, fmt.Errorf("checking whether event %q was handled: %w", e.ID, err)
	}
	if state == SeenHandled {
		return http.StatusNoContent, nil
	}
	if state == SeenRunning {
		return http.StatusServiceUnavailable, nil
	}
	ctx = context.WithoutCancel(ctx)
	isHandled := false
	defer func() { // deferred because Handle can panic
		if endErr := v.seenStore().End(ctx, e.ID, isHandled); endErr != nil {
			err = errors.Join(err, fmt.Errorf("recording that event %q was handled: %w", e.ID, endErr))
		}
	}()
	if err := v.Handle(ctx, e); err != nil {
		return http.StatusInternalServerError, fmt.Errorf("handling event %q: %w", e.ID, err)
	}
	isHandled = true
	return http.StatusNoContent, nil
}

// seenLifetime is how long IDs are remembered in memory.
const seenLifetime = 24 * time.Hour

// SeenInMemory remembers the IDs of events for a day. The zero value is ready for use.
type SeenInMemory struct {
	mu     sync.Mutex
	states map[string]SeenState
	order  []seenID // oldest first
}

type seenID struct {
	id    string
	since time.Time
}

// Begin implements [SeenStore].
func (m *SeenInMemory) Begin(_ context.Context, id string, now time.Time) (SeenState, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.removeExpired(now)
	state, known := m.states[id]
	if state != SeenNew {
		return state, nil
	}
	if !known {
		m.order = append(m.order, seenID{id: id, since: now})
	}
	if m.states == nil {
		m.states = map[string]SeenState{}
	}
	m.states[id] = SeenRunning
	return SeenNew, nil
}

// removeExpired removes the IDs that are older than seenLifetime.
func (m *SeenInMemory) removeExpired(now time.Time) {
	for len(m.order) > 0 && now.Sub(m.order[0].since) > seenLifetime {
		delete(m.states, m.order[0].id)
		m.order = m.order[1:]
	}
}

// End implements [SeenStore].
func (m *SeenInMemory) End(_ context.Context, id string, handled bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.states[id]; !ok {
		return nil // Handle ran for more than a day and the ID has expired
	}
	m.states[id] = SeenNew
	if handled {
		m.states[id] = SeenHandled
	}
	return nil
}

// NewCallback returns a callback like the service's, to test receivers. The timestamp header is
// the time of the event.
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

// DecodeEvent decodes the body of a callback, which must be an object with an ID and an event
// name; other members can be missing or invalid. The error is an [ErrCallback].
func DecodeEvent(body []byte) (*Event, error) {
	e := &Event{}
	if err := DecodeRecord(body, e); err != nil || e.ID == "" || e.Event == "" {
		return nil, fmt.Errorf("%w: its body is not an event", ErrCallback)
	}
	return e, nil
}

// EventOrderCompleted is the X-Service-Event of the notification that an order is complete. The v2 API sends it if
// the order requested it. Endpoints cannot subscribe to it. The body is an [OrderCompletion].
const EventOrderCompleted EventName = "order.completed"

// EventName is the name of an event. The service can send names outside the list, which
// should be shown unchanged.
type EventName string

// The known events. Each reports that a mission has reached a new status.
const (
	EventOperatorAssigned EventName = "mission.operator_assigned"
	EventFlightScheduled  EventName = "mission.flight_scheduled"
	EventDataDelivered    EventName = "mission.data_delivered"
	EventMissionCompleted EventName = "mission.completed"
)

// EventNames lists the known events in the order in which a mission causes them.
func EventNames() []EventName {
	return []EventName{EventOperatorAssigned, EventFlightScheduled, EventDataDelivered, EventMissionCompleted}
}

// Event is the body of a callback.
type Event struct {
	ID        string       `json:"id"` // of the callback, the same in every attempt
	Event     EventName    `json:"event"`
	Timestamp Time         `json:"timestamp"`
	Data      EventData    `json:"data"`
	Extra     ExtraMembers `json:",embed"`
}

// EventData has the subject of an event.
type EventData struct {
	Mission EventMission `json:"mission"`
	Extra   ExtraMembers `json:",embed"`
}

// EventMission is a mission at the time of the event. Events can arrive in another order than
// they happened; Status shows the progress of the mission.
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
	HeaderEvent     = "X-Service-Event"     // name of the event
	HeaderDelivery  = "X-Service-Delivery"  // ID of the callback
	HeaderTimestamp = "X-Service-Timestamp" // time of this attempt, in RFC 3339
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

// VerifySignature compares the signature that was sent with the signature of the body, in
// constant time. It accepts only lower-case digits, as specified. The error is an
// [ErrSignature].
func VerifySignature(secret, sent string, body []byte) error {
	digits, ok := strings.CutPrefix(sent, signaturePrefix)
	if !ok || len(digits) != 2*sha256.Size || strings.Trim(digits, "0123456789abcdef") != "" {
		return fmt.Errorf("%w: %s is not sha256= and 64 lower-case hexadecimal digits", ErrSignature, HeaderSignature)
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
