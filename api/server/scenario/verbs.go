package scenario

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"flightdesk/api"
)

// verb is a kind of event.
type verb struct {
	usage string // what follows its name
	means string
	read  func(*line) []Event
}

// verbs are named as the commands of flightdesk ops and order are.
func verbs() map[string]verb {
	return map[string]verb{
		"place":           {`ORDER "TITLE" [due 30d]`, "a client places an order of one site; ORDER is its name in the file", (*line).place},
		"place-orders":    {`30 [over 8h]`, "clients place that number of orders, which the simulator continues", (*line).placeMany},
		"issue-quote":     {`ORDER QUOTE [expires 14d] [price 1388.43]`, "issues a quote", (*line).issueQuote},
		"accept-quote":    {`ORDER QUOTE`, "the client accepts it", (*line).acceptQuote},
		"reject-quote":    {`ORDER QUOTE`, "the client rejects it", (*line).rejectQuote},
		"assign-operator": {`ORDER "OPERATOR"`, "assigns the operator", (*line).assignOperator},
		"record-permit":   {`ORDER pending|granted|refused|notRequired`, "records the flight permission", (*line).recordPermit},
		"schedule-flight": {`ORDER in 3d [note "REASON"]`, "sets the flight date, or another one", (*line).scheduleFlight},
		"deliver":         {`ORDER`, "delivers a package of sample files; again for a corrected one", (*line).deliver},
		"accept-delivery": {`ORDER`, "the data is accepted, which completes the order", (*line).acceptDelivery},
		"describe":        {`ORDER "TEXT"`, "sets the description in the order's record", (*line).describe},
		"cancel-order":    {`ORDER`, "the client cancels the order", (*line).cancelOrder},
		"end-order":       {`ORDER "REASON"`, "rejects the order, or reports it not feasible", (*line).endOrder},
		"endpoint":        {`HOST answers 500`, "status with which the endpoint at HOST.invalid answers callbacks from now on; registers the endpoint if needed", (*line).endpoint},
		"callbacks":       {`normal|drop|delay|duplicate|reorder`, "faults of all callbacks", (*line).callbacks},
		"service":         {`answers 503`, "status with which client requests fail; 200 clears it", (*line).service},
		"clock":           {`1d`, "advances the clock, with the events on the way", (*line).clock},
		"note":            {`"TEXT"`, "shows a text to the trainer", (*line).note},
	}
}

func verbNames() []string { return slices.Sorted(maps.Keys(verbs())) }

// Help lists the events that a file can have, a line each, with what they do
// below.
func Help() string {
	var b strings.Builder
	all := verbs()
	for _, name := range verbNames() {
		fmt.Fprintf(&b, "%s %s\n    %s\n", name, all[name].usage, all[name].means)
	}
	return b.String()
}

// line is a line that is being read: what is left of it, and what is wrong.
type line struct {
	*reading
	rest  []string
	usage string
	fault error
}

func (l *line) fail(format string, args ...any) {
	if l.fault == nil {
		l.fault = fmt.Errorf(format, args...)
	}
}

// word takes the next word.
func (l *line) word() string {
	if len(l.rest) == 0 {
		l.fail("something is missing; write: %s", l.usage)
		return ""
	}
	w := l.rest[0]
	l.rest = l.rest[1:]
	return w
}

// text takes a text that people read.
func (l *line) text(most int) string {
	t := l.word()
	switch {
	case l.fault == nil && strings.TrimSpace(t) == "":
		l.fail("a text is empty; write: %s", l.usage)
	case len([]rune(t)) > most:
		l.fail("a text has more than %d characters; shorten it", most)
	case strings.ContainsFunc(t, func(r rune) bool { return r < ' ' }):
		l.fail("a text has control characters; remove them")
	}
	return t
}

// option takes a word that follows another one, which may be left out.
func (l *line) option(name string) (string, bool) {
	i := slices.Index(l.rest, name)
	if i < 0 || i%2 == 1 || i+1 >= len(l.rest) {
		return "", false
	}
	value := l.rest[i+1]
	if len([]rune(value)) > api.MaxTextLength {
		l.fail("a text has more than %d characters; shorten it", api.MaxTextLength)
	}
	l.rest = slices.Delete(slices.Clone(l.rest), i, i+2)
	return value, true
}

// span takes the length of time behind a name.
func (l *line) span(name string, usual time.Duration) time.Duration {
	text, given := l.option(name)
	if !given {
		return usual
	}
	return l.length(text)
}

func (l *line) length(text string) time.Duration {
	d, err := api.ParseDuration(text)
	if l.fault == nil && (err != nil || d <= 0 || d > maxTime) {
		l.fail("%q is not a length of time; use 90m, 36h or 7d", text)
	}
	return d
}

// status takes the HTTP status behind "answers".
func (l *line) status() int {
	text, given := l.option("answers")
	if !given {
		l.fail("something is missing; write: %s", l.usage)
		return 0
	}
	n, err := strconv.Atoi(text)
	if l.fault == nil && (err != nil || n != 200 && (n < 400 || n > 599)) {
		l.fail("%q is not a status; use 200, or 400 to 599", text)
	}
	return n
}

var orderName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,39}$`)

// order takes the name of an order that was placed before and goes on.
func (l *line) order() (string, *order) {
	name := l.word()
	o := l.orders[name]
	switch {
	case l.fault != nil:
	case o == nil:
		l.fail("no order %q so far; place it in an earlier line", name)
	case o.ended != "":
		l.fail("%s is %s; remove this line", name, o.ended)
	}
	if o == nil {
		o = &order{quotes: map[string]time.Duration{}} // to read on with
	}
	return name, o
}

// quote takes the name of a quote that can be decided.
func (l *line) quote(name string, o *order) string {
	q := l.word()
	expires, issued := o.quotes[q]
	switch {
	case l.fault != nil:
	case o.ordered:
		l.fail("a quote of %s is accepted already; remove this line", name)
	case !issued:
		l.fail("%s has no quote %q so far; issue it in an earlier line", name, q)
	case expires == 0:
		l.fail("quote %q of %s is rejected already; issue another one", q, name)
	case expires <= l.at:
		l.fail("quote %q of %s expires at %s; decide it before", q, name, api.Duration{Duration: expires})
	}
	return q
}

// moves reads the order of a mission's move and checks that it is possible.
func (l *line) moves(move api.MissionMove, to api.MissionStatus) string {
	name, o := l.order()
	switch {
	case l.fault != nil:
	case !o.ordered:
		l.fail("no quote of %s is accepted so far; add: accept-quote %s QUOTE", name, name)
	case !move.IsAllowed(o.stage):
		l.fail("%s is %s then, which is too early or too late", name, o.stage)
	default:
		o.stage = to
	}
	return name
}

// one is an event of an order.
func one(order string, play action) []Event { return []Event{{Order: order, play: play}} }

func (l *line) place() []Event {
	name, title := l.word(), l.text(api.MaxNameLength)
	due := l.span("due", 0)
	switch {
	case l.fault != nil:
	case !orderName.MatchString(name):
		l.fail("%q cannot be a name; use a letter, then letters, digits, - and _", name)
	case l.orders[name] != nil:
		l.fail("an order %q was placed before; use another name", name)
	}
	l.orders[name] = &order{quotes: map[string]time.Duration{}, stage: api.MissionAwaitingPilot}
	return one(name, placeOrder(name, title, due))
}

// maxMany is how many orders one line may place.
const maxMany = 1000

func (l *line) placeMany() (events []Event) {
	text := l.word()
	n, err := strconv.Atoi(text)
	if l.fault == nil && (err != nil || n < 1 || n > maxMany) {
		l.fail("%q is not a number of orders; use 1 to %d", text, maxMany)
	}
	over := l.span("over", 0)
	if l.fault != nil {
		return nil
	}
	for i := range n {
		events = append(events, Event{
			After: over * time.Duration(i) / time.Duration(n), Text: fmt.Sprintf("place-orders, %d of %d", i+1, n), play: placeAny(l.many),
		})
		l.many++
	}
	return events
}

func (l *line) issueQuote() []Event {
	name, o := l.order()
	quote := l.text(api.MaxNameLength)
	life := l.span("expires", 14*24*time.Hour)
	price := 0.0
	if text, given := l.option("price"); given {
		var err error
		if price, err = strconv.ParseFloat(text, 64); l.fault == nil && (err != nil || !(price > 0 && price <= api.MaxPrice)) {
			l.fail("%q is not a price; use a number such as 1388.43", text)
		}
	}
	if l.fault == nil && o.ordered {
		l.fail("a quote of %s is accepted already; remove this line", name)
	}
	o.quotes[quote] = l.at + life
	return one(name, issueQuote(name, quote, life, price))
}

func (l *line) acceptQuote() []Event {
	name, o := l.order()
	quote := l.quote(name, o)
	o.ordered = true
	return one(name, decideQuote(name, quote, api.QuoteAccepted))
}

func (l *line) rejectQuote() []Event {
	name, o := l.order()
	quote := l.quote(name, o)
	if l.fault == nil {
		o.quotes[quote] = 0
	}
	return one(name, decideQuote(name, quote, api.QuoteRejected))
}

func (l *line) assignOperator() []Event {
	name := l.moves(api.MoveAssignOperator, api.MissionPilotAssigned)
	return one(name, assignOperator(name, l.text(api.MaxNameLength)))
}

func (l *line) recordPermit() []Event {
	name, o := l.order()
	status := api.PermissionStatus(l.word())
	switch {
	case l.fault != nil:
	case !slices.Contains(api.PermissionStatuses(), status):
		l.fail("%q is not a status; write: %s", status, l.usage)
	case o.stage == api.MissionAwaitingPilot:
		l.fail("%s has no operator so far; add: assign-operator %s \"OPERATOR\"", name, name)
	}
	return one(name, recordPermit(name, status))
}

func (l *line) scheduleFlight() []Event {
	name := l.moves(api.MoveSchedule, api.MissionFlightScheduled)
	in := l.span("in", 0)
	if in == 0 {
		l.fail("something is missing; write: %s", l.usage)
	}
	note, _ := l.option("note")
	return one(name, scheduleFlight(name, in, note))
}

func (l *line) deliver() []Event {
	name := l.moves(api.MoveDeliver, api.MissionDataDelivered)
	return one(name, deliver(name))
}

func (l *line) acceptDelivery() []Event {
	name := l.moves(api.MoveAcceptDelivery, api.MissionCompleted)
	return one(name, acceptDelivery(name))
}

func (l *line) describe() []Event {
	name, _ := l.order()
	return one(name, describe(name, l.text(api.MaxTextLength)))
}

func (l *line) cancelOrder() []Event {
	name, o := l.order()
	if l.fault == nil && o.stage.IsDelivered() {
		l.fail("the data of %s is delivered, which is too late; remove this line", name)
	}
	o.ended = "cancelled"
	return one(name, cancelOrder(name))
}

func (l *line) endOrder() []Event {
	name, o := l.order()
	reason := l.text(api.MaxTextLength)
	if l.fault == nil && o.stage.IsDelivered() {
		l.fail("the data of %s is delivered, which is too late; remove this line", name)
	}
	o.ended = "ended"
	return one(name, endOrder(name, reason, o.ordered))
}

var hostName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`)

func (l *line) endpoint() []Event {
	host := strings.TrimSuffix(l.word(), tld)
	status := l.status()
	if l.fault == nil && !hostName.MatchString(host) {
		l.fail("%q is not a host; use a name such as warehouse", host)
	}
	return one("", setEndpoint(host+tld, status))
}

func (l *line) callbacks() []Event {
	kind := l.word()
	fault := api.CallbackFault(kind)
	switch {
	case l.fault != nil:
	case kind == "normal":
		fault = ""
	case !slices.Contains(api.CallbackFaults(), fault):
		l.fail("%q is not a fault of callbacks; write: %s", kind, l.usage)
	}
	return one("", setFault(0, fault))
}

func (l *line) service() []Event {
	status := l.status()
	if status == 200 {
		status = 0
	}
	return one("", setFault(status, ""))
}

func (l *line) clock() []Event {
	return []Event{{Clock: l.length(l.word())}}
}

func (l *line) note() []Event {
	l.text(api.MaxTextLength)
	return []Event{{}}
}
