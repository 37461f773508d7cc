package timeline

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

// Operations with a special description.
const (
	issueOperation        = "POST /orders/{uuid}/quotes"
	resendOperation       = "POST /deliveries/{uuid}/resend"
	resendNoticeOperation = "POST /notifications/{uuid}/resend"
)

// issuerOf returns the user who issued a quote, or "" if unknown.
func (t *entryBuilder) issuerOf(quote string) string {
	i := slices.IndexFunc(t.facts.Changes, func(c ops.OrderChange) bool {
		return c.Operation == issueOperation && c.Subject == quote
	})
	if i < 0 {
		return ""
	}
	return t.facts.Changes[i].Operator
}

// deciderOf returns the last characters of the key with which a quote was decided, or "" if unknown. A
// repeated decision changes nothing, so it uses the first request that decided the quote.
func (t *entryBuilder) deciderOf(quote string) string {
	for i := range slices.Backward(t.facts.Sent) {
		r := &t.facts.Sent[i]
		if r.Status < http.StatusBadRequest && isDecisionOf(r, quote) {
			return maskedKey(r)
		}
	}
	return ""
}

// isDecisionOf reports whether a request accepts or rejects the quote with the given ID.
func isDecisionOf(r *ops.LoggedRequest, quote string) bool {
	return r.Method == http.MethodPost && strings.HasSuffix(r.Path, "/quote/"+quote)
}

// maskedKey returns the last characters of the key of a request, or "" if the request had no key.
func maskedKey(r *ops.LoggedRequest) string { return textAfter("••••", r.KeyHint) }

// addChanges adds entries for the changes that were made through the operations API. It leaves out the
// change that issued a quote if addQuotes has added an entry for it.
func (t *entryBuilder) addChanges() {
	for i := range t.facts.Changes {
		c := &t.facts.Changes[i]
		if c.Operation == issueOperation && t.facts.QuoteTimes[c.Subject] != nil {
			continue
		}
		what, about, isIncluded := t.describeChange(c)
		if !isIncluded {
			continue
		}
		t.add(TimelineEntry{
			Source: FromChange,
			ID:     fmt.Sprint(c.ID),
			At:     c.At.Time,
			Glyph:  "✎",
			Role:   format.Text,
			About:  about,
			What:   c.Operator + ": " + what,
			Brief:  what,
			Detail: "by " + c.Operator,
		}, nil,
			"By", c.Operator,
			"Operation", c.Operation,
			"Subject", c.Subject,
			"Request ID", c.RequestID)
	}
}

// describeChange describes a change and returns the code of the order or mission that it is about.
// isIncluded is false if the timeline is about a mission and the change about another mission.
func (t *entryBuilder) describeChange(c *ops.OrderChange) (what, about string, isIncluded bool) {
	about = t.order
	if c.Operation == resendOperation {
		return t.describeResend(c)
	}
	for _, m := range t.facts.Missions {
		if m.MissionCode == c.Subject || m.MissionCode == c.Parent {
			about = m.MissionCode
		}
	}
	isIncluded = t.facts.Subject.Mission == "" || about != t.order
	if c.Operation == resendNoticeOperation {
		return "completion notice sent again", about, isIncluded
	}
	return describeOperation(c.Operation), about, isIncluded
}

// resenderOf returns the user who sent a callback again at the time at, or fallback if unknown.
func (t *entryBuilder) resenderOf(callback string, at time.Time, fallback string) string {
	for i := range t.facts.Changes {
		c := &t.facts.Changes[i]
		if c.Operation == resendOperation && c.Subject == callback && isSameResend(c, at) {
			return c.Operator
		}
	}
	return fallback
}

// resendDelay is the longest time between a resend and its record in the list of changes.
const resendDelay = 5 * time.Second

// isSameResend reports whether the change c records the resend that happened at the time at.
func isSameResend(c *ops.OrderChange, at time.Time) bool { return c.At.Sub(at).Abs() < resendDelay }

// isShownWithAttempts reports whether addResends has added an entry for the resend that a change records.
func (t *entryBuilder) isShownWithAttempts(c *ops.OrderChange) bool {
	h := t.facts.Histories[c.Subject]
	return h != nil && slices.ContainsFunc(h.Attempts, func(a ops.CallbackAttempt) bool {
		return !a.ResentAt.IsZero() && isSameResend(c, a.ResentAt.Time)
	})
}

// describeResend describes a change that sent a callback again, like describeChange. isIncluded is false
// if addResends has added an entry for it, or if the callback is not about the mission of the timeline.
func (t *entryBuilder) describeResend(c *ops.OrderChange) (what, about string, isIncluded bool) {
	if t.isShownWithAttempts(c) {
		return "", "", false
	}
	for _, e := range t.facts.Endpoints {
		for i := range e.Log {
			d := &e.Log[i]
			if d.UUID != c.Subject || !t.facts.IsAbout(d) {
				continue
			}
			about = cmp.Or(d.OrderCode, t.order)
			if m := t.missions[d.MissionUID]; m != nil {
				about = m.code()
			}
			return format.Word(d.Event).Label + " sent again to " + ShortAddress(e.URL), about, true
		}
	}
	return "callback " + ShortID(c.Subject) + " sent again", t.order, t.facts.Subject.Mission == ""
}

// describeOperation returns an operation in words: "assign operator" for "POST
// /missions/{uuid}/assign-operator".
func describeOperation(operation string) string {
	method, path, _ := strings.Cut(operation, " ")
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	last := ""
	for _, part := range parts {
		if !strings.HasPrefix(part, "{") {
			last = strings.ReplaceAll(part, "-", " ")
		}
	}
	if operation == issueOperation {
		return "quote issued"
	}
	if method == http.MethodDelete {
		return "delete " + strings.TrimSuffix(last, "s")
	}
	if method == http.MethodPut {
		return "set " + last
	}
	return last
}

// sentGroup is a series of identical requests.
type sentGroup struct {
	first *ops.LoggedRequest
	last  *ops.LoggedRequest
	count int
}

// isAlike reports whether two requests differ only in time and duration.
func isAlike(a, b *ops.LoggedRequest) bool {
	isSameSender := a.KeyUID == b.KeyUID && a.Address == b.Address
	isSameRequest := a.Method == b.Method && a.Path == b.Path
	isSameResponse := a.Status == b.Status && a.Code == b.Code
	return isSameSender && isSameRequest && isSameResponse
}

// groupSent groups identical requests that follow each other. It returns the oldest group first.
// newestFirst are the requests, sorted newest first.
func groupSent(newestFirst []*ops.LoggedRequest) []sentGroup {
	var groups []sentGroup
	for _, r := range slices.Backward(newestFirst) {
		n := len(groups)
		if n == 0 || !isAlike(groups[n-1].last, r) {
			groups = append(groups, sentGroup{first: r, last: r, count: 1})
			continue
		}
		groups[n-1].last = r
		groups[n-1].count++
	}
	return groups
}

// addAccountRequests adds entries for the changes and the failed requests of the account from the log of
// the service. It leaves out requests of this app, because addRequests adds them with more details, and
// decisions on quotes, because addQuotes adds them.
func (t *entryBuilder) addAccountRequests() {
	sentByApp := map[string]bool{} // by request ID
	for _, x := range t.facts.Exchanges {
		sentByApp[x.RequestID] = true
	}
	var others []*ops.LoggedRequest
	for i := range t.facts.Sent {
		r := &t.facts.Sent[i]
		isOfApp := r.RequestID != "" && sentByApp[r.RequestID]
		if !isOfApp && !isAbsence(r.Status, r.Path) && !t.isShownWithQuote(r) {
			others = append(others, r)
		}
	}
	for _, g := range groupSent(others) {
		t.addSent(g)
	}
}

// isAbsence reports whether the response to a request for a path is an expected 404: there is no flight
// permission, or no record in the v2 API. A request for the mission [api.ProbeUUID], which tests a key, also
// counts.
func isAbsence(status int, path string) bool {
	if status != http.StatusNotFound {
		return false
	}
	return strings.HasSuffix(path, "/flight-permission") || strings.Contains(path, "/getorder/") ||
		strings.Contains(path, api.ProbeUUID)
}

// isShownWithQuote reports whether a request decided a quote, and the entry of the quote shows when.
func (t *entryBuilder) isShownWithQuote(r *ops.LoggedRequest) bool {
	if r.Status >= http.StatusBadRequest {
		return false
	}
	for uuid, q := range t.facts.QuoteTimes {
		if !q.DecidedAt.IsZero() && isDecisionOf(r, uuid) {
			return true
		}
	}
	return false
}

// addSent adds the entry of a group of identical requests. It describes the first request, and says how often and
// until when the request was repeated.
func (t *entryBuilder) addSent(g sentGroup) {
	r := g.first
	glyph := "→"
	role := format.Text
	isRejected := r.Status >= http.StatusBadRequest
	if isRejected {
		glyph = "!"
		role = format.Bad
	}
	about, path := t.readPath(session.TrimBasePath(r.Path))
	zone := t.now.Location()
	times := ""
	lastTime := ""
	if g.count > 1 {
		times = format.GroupInt(g.count) + " times"
		lastTime = g.last.At.In(zone).Format(FieldTime)
	}
	response := strings.TrimSpace(fmt.Sprint(r.Status, " ", r.Code)) // such as "409 CONFLICT"; not all have a code
	key := textAfter("key ", maskedKey(r))
	t.add(TimelineEntry{
		Source: FromClient,
		ID:     fmt.Sprint(r.ID),
		At:     r.At.Time,
		Glyph:  glyph,
		Role:   role,
		About:  about,
		What:   joinParts(r.Method+" "+path+": "+response, key, times),
		Brief:  r.Method + " " + response,
		Detail: joinParts(path, key, times),
		Query:  fmt.Sprint(r.ID),
	}, sentFacts(r, zone), "Last time", lastTime)
}

// sentFacts returns the fields of an entry for a request in the service's log.
func sentFacts(r *ops.LoggedRequest, zone *time.Location) [][2]string {
	key := maskedKey(r)
	if key == "" {
		key = format.None
	}
	return [][2]string{
		{"Time", r.At.In(zone).Format(FieldTime)},
		{"Method", r.Method},
		{"Path", r.Path},
		{"Status", fmt.Sprint(r.Status)},
		{"Error", string(r.Code)},
		{"Key", key},
		{"From", r.Address},
		{"Duration", fmt.Sprint(r.DurationMS, " ms")},
		{"Request ID", r.RequestID},
	}
}

// FailedRequests is the title of the part with failed requests of an account.
const FailedRequests = "Failed requests"

// maxFailures is the maximum number of groups of failed requests in a report.
const maxFailures = 50

// failuresPart returns the part of the report with the failed requests of the account in the last 30 days,
// newest first. Identical requests that follow each other share a line.
func (a *AccountHealth) failuresPart() ReportPart {
	isRead := !a.FailuresState.ReadAt.IsZero()
	p := ReportPart{
		Title: FailedRequests,
		None:  reasonForNone(a.FailuresState.Err, isRead, "None in the last 30 days."),
	}
	var newestFirst []*ops.LoggedRequest
	for i := range a.Failures.Items {
		r := &a.Failures.Items[i]
		if !isAbsence(r.Status, r.Path) {
			newestFirst = append(newestFirst, r)
		}
	}
	if len(newestFirst) == 0 && a.Failures.More {
		p.None = "None among the last " + format.Count(len(a.Failures.Items), "request") + "."
	}
	if len(newestFirst) == 0 {
		return p
	}
	count := format.GroupInt(len(newestFirst))
	if a.Failures.More { // older failures were not loaded
		p.Note = "the last " + count
	} else {
		p.Note = count + " in the last 30 days"
	}
	groups := groupSent(newestFirst)
	slices.Reverse(groups) // groupSent returns the oldest group first
	t := entryBuilder{now: a.Now}
	for _, g := range groups[:min(len(groups), maxFailures)] {
		t.addFailure(g)
	}
	p.Lines = t.all
	return p
}

// addFailure adds a line for a group of identical failed requests.
func (t *entryBuilder) addFailure(g sentGroup) {
	r := g.last
	what := r.Method + " " + session.TrimBasePath(r.Path) + textAfter("  ", string(r.Code))
	since := ""
	if g.count > 1 {
		since = g.first.At.In(t.now.Location()).Format(FieldTime)
		what += ", " + format.GroupInt(g.count) + " times" // before the texts that a narrow list cuts
	}
	what += textAfter(", key ", maskedKey(r)) + textAfter(", from ", r.Address)
	line := t.add(TimelineEntry{
		ID:    "request " + fmt.Sprint(r.ID),
		Glyph: "!",
		Role:  format.Bad,
		About: fmt.Sprint(r.Status),
		What:  what,
		Right: format.Age(r.At.Time, t.now),
		Query: fmt.Sprint(r.ID),
	}, sentFacts(r, t.now.Location()), "First time", since)
	line.Source = FromClient
}
