package commands

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
)

// TestTimeout is how long the receiver of a test event has to respond. The service waits as long for callbacks.
const TestTimeout = 5 * time.Second

// testOrder is the code of an order that does not exist, for test events.
const testOrder = "ORD-0"

const maxTestAnswer = 4 << 10

// TestResult is the result of a test event.
type TestResult struct {
	To     string        `json:"to"` // URL without the password
	Event  api.EventName `json:"event"`
	ID     string        `json:"id"`
	OK     bool          `json:"ok"`              // the receiver accepted the event
	Status string        `json:"status,omitzero"` // "" without a response
	Took   int64         `json:"took"`            // milliseconds
	Answer string        `json:"answer,omitzero"` // beginning of the response body
	Err    error         `json:"-"`               // why there was no response
}

// SendTest sends a test event from this program to a receiver of callbacks. Like the service, it sends
// the event once and signs it with the secret. If transport is nil, it uses the default transport.
func SendTest(
	ctx context.Context,
	to *url.URL,
	secret string,
	event api.EventName,
	now time.Time,
	transport http.RoundTripper,
) TestResult {
	e := newTestEvent(event, now)
	result := TestResult{To: to.Redacted(), Event: event, ID: e.ID}
	body, err := json.Marshal(e)
	if err != nil {
		result.Err = err
		return result
	}
	ctx, cancel := context.WithTimeout(ctx, TestTimeout)
	defer cancel()
	req, err := api.NewCallback(ctx, to.String(), secret, body)
	if err != nil {
		result.Err = err
		return result
	}
	client := &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	began := time.Now()
	res, err := client.Do(req)
	result.Took = time.Since(began).Milliseconds()
	if err != nil {
		result.Err = withoutAddress(err, req.URL.Host)
		return result
	}
	defer func() { _ = res.Body.Close() }()
	result.readResponse(res)
	return result
}

// readResponse adds the response of the receiver to the result. If the body cannot be read to its
// end, the beginning is used.
func (r *TestResult) readResponse(res *http.Response) {
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxTestAnswer))
	r.Status = res.Status
	r.OK = res.StatusCode >= 200 && res.StatusCode < 300
	r.Answer = string(body)
}

// newTestEvent returns an event about a mission and an order that do not exist.
func newTestEvent(event api.EventName, now time.Time) api.Event {
	e := api.Event{
		ID:        "test-" + strings.ToLower(rand.Text()),
		Event:     event,
		Timestamp: api.TimeOf(now.UTC().Truncate(time.Millisecond)),
	}
	e.Data.Mission = api.EventMission{
		UUID:        "00000000-0000-7000-8000-000000000000",
		MissionCode: "MSN-0",
		Status:      event.MissionStatus(),
		OrderUID:    "00000000-0000-7000-8000-000000000001",
		OrderCode:   testOrder,
	}
	return e
}

// ProblemError returns why the receiver did not accept the event, or nil if it did.
func (r *TestResult) ProblemError() error {
	if r.Err == nil && !r.OK {
		return errors.New("the receiver answered " + r.Status)
	}
	return r.Err
}

// ParseReceiver parses the URL of a receiver of test events.
func ParseReceiver(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("not an http or https URL")
	}
	isHTTP := u.Scheme == "http" || u.Scheme == "https"
	if u.Host == "" || !isHTTP {
		return nil, errors.New("not an http or https URL")
	}
	if u.User != nil || u.Fragment != "" {
		return nil, errors.New("remove the user, password or fragment")
	}
	return u, nil
}

// IsLoopback reports whether a host is a loopback address or localhost.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// withoutAddress returns the reason why a request failed, without the URL, which the user
// already sees.
func withoutAddress(err error, host string) error {
	var urlErr *url.Error
	if !errors.As(err, &urlErr) {
		return err
	}
	if urlErr.Timeout() {
		return fmt.Errorf("no response within %g s, the service's limit", TestTimeout.Seconds())
	}
	return errors.New((&api.TransportError{Host: host, Err: urlErr.Err}).Reason())
}
