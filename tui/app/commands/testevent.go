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

// TestTimeout is how long a receiver of a test event may take, as with the
// service.
const TestTimeout = 5 * time.Second

const maxTestAnswer = 4 << 10

// TestResult is what came of a test event.
type TestResult struct {
	To     string        `json:"to"` // without what is secret of it
	Event  api.EventName `json:"event"`
	ID     string        `json:"id"`
	OK     bool          `json:"ok"`              // the receiver accepted it
	Status string        `json:"status,omitzero"` // "" where no answer came
	Took   int64         `json:"took"`            // milliseconds
	Answer string        `json:"answer,omitzero"` // the beginning of it
	Err    error         `json:"-"`               // why no answer came
}

// SendTest sends a test event to a receiver once, signed with the secret, over the
// transport that trusts it; nil is the usual one.
func SendTest(
	ctx context.Context,
	to *url.URL,
	secret string,
	event api.EventName,
	now time.Time,
	trusted http.RoundTripper,
) TestResult {
	r := TestResult{To: to.Redacted(), Event: event}
	var body []byte
	if r.ID, body, r.Err = testEvent(event, now); r.Err == nil {
		r.postEvent(ctx, to.String(), secret, body, trusted)
	}
	return r
}

// ProblemError says why the event was not accepted, nil where it was.
func (r *TestResult) ProblemError() error {
	if r.Err == nil && !r.OK {
		return errors.New("the receiver answered " + r.Status)
	}
	return r.Err
}

// ParseReceiver reads the address of a receiver of test events.
func ParseReceiver(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("not an http or https URL")
	case u.User != nil || u.Fragment != "":
		return nil, errors.New("remove the user, password or fragment")
	}
	return u, nil
}

// IsLoopback reports whether a host is this machine for certain.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// testEvent returns an event of a mission that there is not, as the service's own
// test events are.
func testEvent(name api.EventName, now time.Time) (id string, body []byte, err error) {
	e := api.Event{
		ID:        "test-" + strings.ToLower(rand.Text()),
		Event:     name,
		Timestamp: api.TimeOf(now.UTC().Truncate(time.Millisecond)),
	}
	e.Data.Mission = api.EventMission{
		UUID: "00000000-0000-7000-8000-000000000000", MissionCode: "MSN-0", Status: name.MissionStatus(),
		OrderUID: "00000000-0000-7000-8000-000000000001", OrderCode: "ORD-0",
	}
	body, err = json.Marshal(e)
	return e.ID, body, err
}

func (r *TestResult) postEvent(ctx context.Context, to, secret string, body []byte, trusted http.RoundTripper) {
	ctx, cancel := context.WithTimeout(ctx, TestTimeout)
	defer cancel()
	var req *http.Request
	if req, r.Err = api.NewCallback(ctx, to, secret, body); r.Err != nil {
		return
	}
	client := &http.Client{
		Transport:     trusted,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	began := time.Now()
	res, err := client.Do(req)
	r.Took = time.Since(began).Milliseconds()
	if err != nil {
		r.Err = withoutAddress(err, req.URL.Host)
		return
	}
	defer func() { _ = res.Body.Close() }()
	answer, _ := io.ReadAll(io.LimitReader(res.Body, maxTestAnswer)) // as far as it comes
	r.Status, r.OK, r.Answer = res.Status, res.StatusCode >= 200 && res.StatusCode < 300, string(answer)
}

// withoutAddress says what went wrong with a request to a host, without its URL,
// which is shown already.
func withoutAddress(err error, host string) error {
	var u *url.Error
	if errors.As(err, &u) {
		if u.Timeout() {
			return fmt.Errorf("no response within %g s, the service's limit", TestTimeout.Seconds())
		}
		return errors.New((&api.TransportError{Host: host, Err: u.Err}).Reason())
	}
	return err
}
