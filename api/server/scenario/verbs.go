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

// eventVerb is a kind of event.
type eventVerb struct {
	usage string // what follows its name
	means string
	read  func(*scriptLine) []Event
}

// eventVerbs returns named as the commands of flightdesk ops and order are.
func eventVerbs() map[string]eventVerb {
	return map[string]eventVerb{
		"place":           {`ORDER "TITLE" [due 30d]`, "a client places an order of one site; ORDER is its name in the file", (*scriptLine).placeEvent},
		"place-orders":    {`30 [over 8h]`, "clients place that number of orders, which the simulator continues", (*scriptLine).placeMany},
		"issue-quote":     {`ORDER QUOTE [expires 14d] [price 1388.43]`, "issues a quote", (*scriptLine).issueQuote},
		"accept-quote":    {`ORDER QUOTE`, "the client accepts it", (*scriptLine).acceptQuote},
		"reject-quote":    {`ORDER QUOTE`, "the client rejects it", (*scriptLine).rejectQuote},
		"assign-operator": {`ORDER "OPERATOR"`, "assigns the operator", (*scriptLine).assignOperator},
		"record-permit":   {`ORDER pending|granted|refused|notRequired`, "records the flight permission", (*scriptLine).recordPermit},
		"schedule-flight": {`ORDER in 3d [note "REASON"]`, "sets the flight date, or another one", (*scriptLine).scheduleFlight},
		"deliver":         {`ORDER`, "delivers a package of sample files; again for a corrected one", (*scriptLine).deliverEvent},
		"accept-delivery": {`ORDER`, "the data is accepted, which completes the order", (*scriptLine).acceptDelivery},
		"describe":        {`ORDER "TEXT"`, "sets the description in the order's record", (*scriptLine).describeEvent},
		"cancel-order":    {`ORDER`, "the client cancels the order", (*scriptLine).cancelOrder},
		"end-order":       {`ORDER "REASON"`, "rejects the order, or reports it not feasible", (*scriptLine).endOrder},
		"endpoint":        {`HOST answers 500`, "status with which the endpoint at HOST.invalid answers callbacks from now on; registers the endpoint if needed", (*scriptLine).endpointEvent},
		"callbacks":       {`normal|drop|delay|duplicate|reorder`, "faults of all callbacks", (*scriptLine).callbackEvents},
		"service":         {`answers 503`, "status with which client requests fail; 200 clears it", (*scriptLine).serviceEvent},
		"clock":           {`1d`, "advances the clock, with the events on the way", (*scriptLine).clockEvent},
		"note":            {`"TEXT"`, "shows a text to the trainer", (*scriptLine).noteEvent},
	}
}

func verbNames() []string { return slices.Sorted(maps.Keys(eventVerbs())) }

// EventHelp lists the events that a file can have, a line each, with what they do
// below.
func EventHelp() string {
	var b strings.Builder
	all := eventVerbs()
	for _, name := range verbNames() {
		fmt.Fprintf(&b, "%s %s\n    %s\n", name, all[name].usage, all[name].means)
	}
	return b.String()
}

// scriptLine is a line that is being read: what is left of it, and what is wrong.
type scriptLine struct {
	*scriptReader
	rest  []string
	usage string
	fault error
}

func (l *scriptLine) noteFault(format string, args ...any) {
	if l.fault == nil {
		l.fault = fmt.Errorf(format, args...)
	}
}

// nextWord takes the next word.
func (l *scriptLine) nextWord() string {
	if len(l.rest) == 0 {
		l.noteFault("something is missing; write: %s", l.usage)
		return ""
	}
	w := l.rest[0]
	l.rest = l.rest[1:]
	return w
}

// readText takes a text that people read.
func (l *scriptLine) readText(most int) string {
	t := l.nextWord()
	switch {
	case l.fault == nil && strings.TrimSpace(t) == "":
		l.noteFault("a text is empty; write: %s", l.usage)
	case len([]rune(t)) > most:
		l.noteFault("a text has more than %d characters; shorten it", most)
	case strings.ContainsFunc(t, func(r rune) bool { return r < ' ' }):
		l.noteFault("a text has control characters; remove them")
	}
	return t
}

// readOption takes a word that follows another one, which may be left out.
func (l *scriptLine) readOption(name string) (string, bool) {
	i := slices.Index(l.rest, name)
	if i < 0 || i%2 == 1 || i+1 >= len(l.rest) {
		return "", false
	}
	value := l.rest[i+1]
	if len([]rune(value)) > api.MaxTextLength {
		l.noteFault("a text has more than %d characters; shorten it", api.MaxTextLength)
	}
	l.rest = slices.Delete(slices.Clone(l.rest), i, i+2)
	return value, true
}

// readSpan takes the length of time behind a name.
func (l *scriptLine) readSpan(name string, usual time.Duration) time.Duration {
	text, given := l.readOption(name)
	if !given {
		return usual
	}
	return l.readLength(text)
}

func (l *scriptLine) readLength(text string) time.Duration {
	d, err := api.ParseDuration(text)
	if l.fault == nil && (err != nil || d <= 0 || d > maxTime) {
		l.noteFault("%q is not a length of time; use 90m, 36h or 7d", text)
	}
	return d
}

// readStatus takes the HTTP status behind "answers".
func (l *scriptLine) readStatus() int {
	text, given := l.readOption("answers")
	if !given {
		l.noteFault("something is missing; write: %s", l.usage)
		return 0
	}
	n, err := strconv.Atoi(text)
	if l.fault == nil && (err != nil || n != 200 && (n < 400 || n > 599)) {
		l.noteFault("%q is not a status; use 200, or 400 to 599", text)
	}
	return n
}

var orderName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,39}$`)

// readOrder takes the name of an order that was placed before and goes on.
func (l *scriptLine) readOrder() (string, *scriptOrder) {
	name := l.nextWord()
	o := l.orders[name]
	switch {
	case l.fault != nil:
	case o == nil:
		l.noteFault("no order %q so far; place it in an earlier line", name)
	case o.ended != "":
		l.noteFault("%s is %s; remove this line", name, o.ended)
	}
	if o == nil {
		o = &scriptOrder{quotes: map[string]time.Duration{}} // to read on with
	}
	return name, o
}

// readQuote takes the name of a quote that can be decided.
func (l *scriptLine) readQuote(name string, o *scriptOrder) string {
	q := l.nextWord()
	expires, issued := o.quotes[q]
	switch {
	case l.fault != nil:
	case o.ordered:
		l.noteFault("a quote of %s is accepted already; remove this line", name)
	case !issued:
		l.noteFault("%s has no quote %q so far; issue it in an earlier line", name, q)
	case expires == 0:
		l.noteFault("quote %q of %s is rejected already; issue another one", q, name)
	case expires <= l.at:
		l.noteFault("quote %q of %s expires at %s; decide it before", q, name, api.Duration{Duration: expires})
	}
	return q
}

// readMove reads the order of a mission's move and checks that it is possible.
func (l *scriptLine) readMove(move api.MissionMove, to api.MissionStatus) string {
	name, o := l.readOrder()
	switch {
	case l.fault != nil:
	case !o.ordered:
		l.noteFault("no quote of %s is accepted so far; add: accept-quote %s QUOTE", name, name)
	case !move.IsAllowed(o.stage):
		l.noteFault("%s is %s then, which is too early or too late", name, o.stage)
	default:
		o.stage = to
	}
	return name
}

// singleEvent returns an event of an order.
func singleEvent(order string, play eventAction) []Event { return []Event{{Order: order, play: play}} }

func (l *scriptLine) placeEvent() []Event {
	name, title := l.nextWord(), l.readText(api.MaxNameLength)
	due := l.readSpan("due", 0)
	switch {
	case l.fault != nil:
	case !orderName.MatchString(name):
		l.noteFault("%q cannot be a name; use a letter, then letters, digits, - and _", name)
	case l.orders[name] != nil:
		l.noteFault("an order %q was placed before; use another name", name)
	}
	l.orders[name] = &scriptOrder{quotes: map[string]time.Duration{}, stage: api.MissionAwaitingPilot}
	return singleEvent(name, placeOrder(name, title, due))
}

// maxMany is how many orders one line may place.
const maxMany = 1000

func (l *scriptLine) placeMany() (events []Event) {
	text := l.nextWord()
	n, err := strconv.Atoi(text)
	if l.fault == nil && (err != nil || n < 1 || n > maxMany) {
		l.noteFault("%q is not a number of orders; use 1 to %d", text, maxMany)
	}
	over := l.readSpan("over", 0)
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

func (l *scriptLine) issueQuote() []Event {
	name, o := l.readOrder()
	quote := l.readText(api.MaxNameLength)
	life := l.readSpan("expires", 14*24*time.Hour)
	price := 0.0
	if text, given := l.readOption("price"); given {
		var err error
		if price, err = strconv.ParseFloat(text, 64); l.fault == nil && (err != nil || !(price > 0 && price <= api.MaxPrice)) {
			l.noteFault("%q is not a price; use a number such as 1388.43", text)
		}
	}
	if l.fault == nil && o.ordered {
		l.noteFault("a quote of %s is accepted already; remove this line", name)
	}
	o.quotes[quote] = l.at + life
	return singleEvent(name, issueQuote(name, quote, life, price))
}

func (l *scriptLine) acceptQuote() []Event {
	name, o := l.readOrder()
	quote := l.readQuote(name, o)
	o.ordered = true
	return singleEvent(name, decideQuote(name, quote, api.QuoteAccepted))
}

func (l *scriptLine) rejectQuote() []Event {
	name, o := l.readOrder()
	quote := l.readQuote(name, o)
	if l.fault == nil {
		o.quotes[quote] = 0
	}
	return singleEvent(name, decideQuote(name, quote, api.QuoteRejected))
}

func (l *scriptLine) assignOperator() []Event {
	name := l.readMove(api.MoveAssignOperator, api.MissionPilotAssigned)
	return singleEvent(name, assignOperator(name, l.readText(api.MaxNameLength)))
}

func (l *scriptLine) recordPermit() []Event {
	name, o := l.readOrder()
	status := api.PermissionStatus(l.nextWord())
	switch {
	case l.fault != nil:
	case !slices.Contains(api.PermissionStatuses(), status):
		l.noteFault("%q is not a status; write: %s", status, l.usage)
	case o.stage == api.MissionAwaitingPilot:
		l.noteFault("%s has no operator so far; add: assign-operator %s \"OPERATOR\"", name, name)
	}
	return singleEvent(name, recordPermit(name, status))
}

func (l *scriptLine) scheduleFlight() []Event {
	name := l.readMove(api.MoveSchedule, api.MissionFlightScheduled)
	in := l.readSpan("in", 0)
	if in == 0 {
		l.noteFault("something is missing; write: %s", l.usage)
	}
	note, _ := l.readOption("note")
	return singleEvent(name, scheduleFlight(name, in, note))
}

func (l *scriptLine) deliverEvent() []Event {
	name := l.readMove(api.MoveDeliver, api.MissionDataDelivered)
	return singleEvent(name, deliverData(name))
}

func (l *scriptLine) acceptDelivery() []Event {
	name := l.readMove(api.MoveAcceptDelivery, api.MissionCompleted)
	return singleEvent(name, acceptDelivery(name))
}

func (l *scriptLine) describeEvent() []Event {
	name, _ := l.readOrder()
	return singleEvent(name, describeOrder(name, l.readText(api.MaxTextLength)))
}

func (l *scriptLine) cancelOrder() []Event {
	name, o := l.readOrder()
	if l.fault == nil && o.stage.IsDelivered() {
		l.noteFault("the data of %s is delivered, which is too late; remove this line", name)
	}
	o.ended = "cancelled"
	return singleEvent(name, cancelOrder(name))
}

func (l *scriptLine) endOrder() []Event {
	name, o := l.readOrder()
	reason := l.readText(api.MaxTextLength)
	if l.fault == nil && o.stage.IsDelivered() {
		l.noteFault("the data of %s is delivered, which is too late; remove this line", name)
	}
	o.ended = "ended"
	return singleEvent(name, endOrder(name, reason, o.ordered))
}

var hostName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`)

func (l *scriptLine) endpointEvent() []Event {
	host := strings.TrimSuffix(l.nextWord(), tld)
	status := l.readStatus()
	if l.fault == nil && !hostName.MatchString(host) {
		l.noteFault("%q is not a host; use a name such as warehouse", host)
	}
	return singleEvent("", setEndpoint(host+tld, status))
}

func (l *scriptLine) callbackEvents() []Event {
	kind := l.nextWord()
	fault := api.CallbackFault(kind)
	switch {
	case l.fault != nil:
	case kind == "normal":
		fault = ""
	case !slices.Contains(api.CallbackFaults(), fault):
		l.noteFault("%q is not a fault of callbacks; write: %s", kind, l.usage)
	}
	return singleEvent("", setFault(0, fault))
}

func (l *scriptLine) serviceEvent() []Event {
	status := l.readStatus()
	if status == 200 {
		status = 0
	}
	return singleEvent("", setFault(status, ""))
}

func (l *scriptLine) clockEvent() []Event {
	return []Event{{Clock: l.readLength(l.nextWord())}}
}

func (l *scriptLine) noteEvent() []Event {
	l.readText(api.MaxTextLength)
	return []Event{{}}
}
