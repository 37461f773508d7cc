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
	"flightdesk/api/ops"
)

// eventVerb describes a kind of event, such as place or issue-quote.
type eventVerb struct {
	usage string      // arguments
	means string      // what it does
	steps lineSteps   // read the arguments and check whether the order allows the event
	play  eventAction // nil if the event changes nothing in the service
}

// lineStep is one step of reading a line: it reads the next argument, or checks the arguments that
// were read before.
type lineStep func(*scriptLine)

// lineSteps are the steps that read a line, in this order.
type lineSteps []lineStep

type eventArguments struct {
	order   string // name of an order placed in an earlier line
	ordered bool   // a quote of the order is accepted
	word    string // name of a new order, host, status or fault
	text    string // title, quote, operator, description, reason or note
	length  time.Duration
	price   float64
	status  int
	count   int
}

// eventVerbs returns the kinds of events by name. An event is named like the command of "flightdesk
// ops" or "flightdesk order" that has the same effect.
func eventVerbs() map[string]eventVerb {
	all := orderVerbs()
	maps.Copy(all, serviceVerbs())
	return all
}

// orderVerbs returns the events that concern one order.
func orderVerbs() map[string]eventVerb { //nolint:funlen // a table
	readName := readText(api.MaxNameLength)
	readReason := readText(api.MaxTextLength)
	return map[string]eventVerb{
		"place": {
			usage: `ORDER "TITLE" [due 30d]`,
			means: "a client places an order of one site; ORDER is its name in the file",
			steps: lineSteps{readWord, readName, readDuration("due", 0), addOrder},
			play:  placeOrder,
		},
		"issue-quote": {
			usage: `ORDER QUOTE [expires 14d] [price 1388.43]`,
			means: "issues a quote",
			steps: lineSteps{readOrder, readName, readDuration("expires", 14*24*time.Hour), readPrice, addQuote},
			play:  issueQuote,
		},
		"accept-quote": {
			usage: `ORDER QUOTE`,
			means: "the client accepts it",
			steps: lineSteps{readOrder, readQuote, acceptQuote},
			play:  decideQuote(api.QuoteAccepted),
		},
		"reject-quote": {
			usage: `ORDER QUOTE`,
			means: "the client rejects it",
			steps: lineSteps{readOrder, readQuote, rejectQuote},
			play:  decideQuote(api.QuoteRejected),
		},
		"assign-operator": {
			usage: `ORDER "OPERATOR"`,
			means: "assigns the operator",
			steps: lineSteps{readOrder, moveMission(api.MoveAssignOperator, api.MissionPilotAssigned), readName},
			play:  assignOperator,
		},
		"record-permit": {
			usage: `ORDER pending|granted|refused|notRequired`,
			means: "records the flight permission",
			steps: lineSteps{readOrder, readWord, checkPermit},
			play:  recordPermit,
		},
		"schedule-flight": {
			usage: `ORDER in 3d [note "REASON"]`,
			means: "sets the flight date, or another one",
			steps: lineSteps{readOrder, moveMission(api.MoveSchedule, api.MissionFlightScheduled), readDuration("in", 0), readNote},
			play:  scheduleFlight,
		},
		"deliver": {
			usage: `ORDER`,
			means: "delivers a package of sample files; again for a corrected one",
			steps: lineSteps{readOrder, moveMission(api.MoveDeliver, api.MissionDataDelivered)},
			play:  deliverData,
		},
		"accept-delivery": {
			usage: `ORDER`,
			means: "the data is accepted, which completes the order",
			steps: lineSteps{readOrder, moveMission(api.MoveAcceptDelivery, api.MissionCompleted)},
			play:  acceptDelivery,
		},
		"describe": {
			usage: `ORDER "TEXT"`,
			means: "sets the description in the order's record",
			steps: lineSteps{readOrder, readReason},
			play:  describeOrder,
		},
		"cancel-order": {
			usage: `ORDER`,
			means: "the client cancels the order",
			steps: lineSteps{readOrder, finishOrder("cancelled")},
			play:  cancelOrder,
		},
		"end-order": {
			usage: `ORDER "REASON"`,
			means: "rejects the order, or reports it not feasible",
			steps: lineSteps{readOrder, readReason, finishOrder("ended")},
			play:  endOrder,
		},
	}
}

// serviceVerbs returns the events that do not concern one order but the whole service.
func serviceVerbs() map[string]eventVerb {
	return map[string]eventVerb{
		"place-orders": {
			usage: `30 [over 8h]`,
			means: "clients place that number of orders, which the simulator continues",
			steps: lineSteps{readCount, readDuration("over", 0)},
			play:  placeAny,
		},
		"endpoint": {
			usage: `HOST answers 500`,
			means: "status with which the endpoint at HOST.invalid answers callbacks from now on; registers the endpoint if needed",
			steps: lineSteps{readWord, readStatus, checkHost},
			play:  setEndpointStatus,
		},
		"callbacks": {
			usage: `normal|drop|delay|duplicate|reorder`,
			means: "faults of all callbacks",
			steps: lineSteps{readWord, checkFault},
			play:  setCallbackFault,
		},
		"service": {
			usage: `answers 503`,
			means: "status with which client requests fail; 200 clears it",
			steps: lineSteps{readStatus},
			play:  setServiceStatus,
		},
		"clock": {
			usage: `1d`,
			means: "advances the clock, with the events on the way",
			steps: lineSteps{readWord, readClock},
			// no play: the program that plays the scenario advances its clock by Event.Clock
		},
		"note": {
			usage: `"TEXT"`,
			means: "shows a text to the trainer",
			steps: lineSteps{readText(api.MaxTextLength)},
			// no play: the note is only shown in the list of events
		},
	}
}

func verbNames() []string { return slices.Sorted(maps.Keys(eventVerbs())) }

// EventHelp returns a help text with the name, the arguments and the effect of every kind of
// event.
func EventHelp() string {
	var b strings.Builder
	all := eventVerbs()
	for _, name := range verbNames() {
		fmt.Fprintf(&b, "%s %s\n    %s\n", name, all[name].usage, all[name].means)
	}
	return b.String()
}

// scriptLine is a line of a scenario while its arguments are read.
type scriptLine struct {
	*scriptReader
	rest  []string // words that are not read yet
	usage string   // how to write the line, for error messages
	args  eventArguments
	about string        // name of the order that the line concerns, or ""
	order *scriptOrder  // order that was placed in an earlier line, or nil
	clock time.Duration // by how much the line advances the clock
	fault error         // first fault of the line
}

// addFault records what is wrong with the line. Only the first fault is kept.
func (l *scriptLine) addFault(format string, args ...any) {
	if l.fault == nil {
		l.fault = fmt.Errorf(format, args...)
	}
}

func (l *scriptLine) nextWord() string {
	if len(l.rest) == 0 {
		l.addFault("something is missing; write: %s", l.usage)
		return ""
	}
	w := l.rest[0]
	l.rest = l.rest[1:]
	return w
}

func readWord(l *scriptLine) { l.args.word = l.nextWord() }

// readText returns a step that reads a text of at most maxLength characters.
func readText(maxLength int) lineStep {
	return func(l *scriptLine) {
		l.args.text = l.nextWord()
		if strings.TrimSpace(l.args.text) == "" {
			l.addFault("a text is empty; write: %s", l.usage)
		} else if len([]rune(l.args.text)) > maxLength {
			l.addFault("a text has more than %d characters; shorten it", maxLength)
		} else if strings.ContainsFunc(l.args.text, func(r rune) bool { return r < ' ' }) {
			l.addFault("a text has control characters; remove them")
		}
	}
}

// readOption reads an option from the rest of the line. An option consists of its name and the word
// after the name. ok is false if the line does not have the option. All arguments before the
// options must be read first.
func (l *scriptLine) readOption(name string) (value string, ok bool) {
	i := slices.Index(l.rest, name)
	isValue := i%2 == 1 // names and values alternate
	if i < 0 || isValue || i+1 >= len(l.rest) {
		return "", false
	}
	value = l.rest[i+1]
	if len([]rune(value)) > api.MaxTextLength {
		l.addFault("a text has more than %d characters; shorten it", api.MaxTextLength)
	}
	l.rest = slices.Delete(slices.Clone(l.rest), i, i+2)
	return value, true
}

// readDuration returns a step that reads an option with a duration.
func readDuration(name string, defaultValue time.Duration) lineStep {
	return func(l *scriptLine) {
		l.args.length = defaultValue
		if text, ok := l.readOption(name); ok {
			l.args.length = l.parseDuration(text)
		}
	}
}

func (l *scriptLine) parseDuration(text string) time.Duration {
	d, err := api.ParseDuration(text)
	if err != nil || d <= 0 || d > maxTime {
		l.addFault("%q is not a length of time; use 90m, 36h or 7d", text)
	}
	return d
}

func readClock(l *scriptLine) { l.clock = l.parseDuration(l.args.word) }

// readNote reads the note of a flight. It must come after the step that reads the flight date.
func readNote(l *scriptLine) {
	if l.args.length == 0 {
		l.addFault("something is missing; write: %s", l.usage)
	}
	l.args.text, _ = l.readOption("note")
}

// readStatus reads the HTTP status after "answers".
func readStatus(l *scriptLine) {
	text, ok := l.readOption("answers")
	if !ok {
		l.addFault("something is missing; write: %s", l.usage)
	}
	status, err := strconv.Atoi(text)
	isError := status >= 400 && status <= 599
	if err != nil || status != 200 && !isError {
		l.addFault("%q is not a status; use 200, or 400 to 599", text)
	}
	l.args.status = status
}

// maxOrdersPerLine is the maximum number of orders that one line places.
const maxOrdersPerLine = 1000

func readCount(l *scriptLine) {
	text := l.nextWord()
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxOrdersPerLine {
		l.addFault("%q is not a number of orders; use 1 to %d", text, maxOrdersPerLine)
	}
	l.args.count = n
}

func readPrice(l *scriptLine) {
	text, ok := l.readOption("price")
	if !ok {
		return
	}
	price, err := strconv.ParseFloat(text, 64)
	isValid := price > 0 && price <= ops.MaxPrice // false for NaN
	if err != nil || !isValid {
		l.addFault("%q is not a price; use a number such as 1388.43", text)
	}
	l.args.price = price
}

var orderName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,39}$`)

// addOrder records the order that the line places, so that later lines can name it.
func addOrder(l *scriptLine) {
	name := l.args.word
	if !orderName.MatchString(name) {
		l.addFault("%q cannot be a name; use a letter, then letters, digits, - and _", name)
	} else if l.orders[name] != nil {
		l.addFault("an order %q was placed before; use another name", name)
	}
	l.about = name
	l.orders[name] = &scriptOrder{quotes: map[string]time.Duration{}, stage: api.MissionAwaitingPilot}
}

// readOrder reads the name of an order that was placed and has not ended.
func readOrder(l *scriptLine) {
	name := l.nextWord()
	o := l.orders[name]
	if o == nil {
		l.addFault("no order %q so far; place it in an earlier line", name)
		o = &scriptOrder{quotes: map[string]time.Duration{}} // for the other steps of the line
	} else if o.ended != "" {
		l.addFault("%s is %s; remove this line", name, o.ended)
	}
	l.about = name
	l.order = o
	l.args.order = name
	l.args.ordered = o.ordered
}

// addQuote records the quote that the line issues, so that later lines can accept or reject it.
func addQuote(l *scriptLine) {
	if l.order.ordered {
		l.addFault("a quote of %s is accepted already; remove this line", l.args.order)
	}
	l.order.quotes[l.args.text] = l.lastTime + l.args.length
}

// readQuote reads the name of a quote that can be decided.
func readQuote(l *scriptLine) {
	order := l.args.order
	quote := l.nextWord()
	expires, isIssued := l.order.quotes[quote]
	switch {
	case l.order.ordered:
		l.addFault("a quote of %s is accepted already; remove this line", order)
	case !isIssued:
		l.addFault("%s has no quote %q so far; issue it in an earlier line", order, quote)
	case expires == 0:
		l.addFault("quote %q of %s is rejected already; issue another one", quote, order)
	case expires <= l.lastTime:
		l.addFault("quote %q of %s expires at %s; decide it before", quote, order, api.Duration{Duration: expires})
	}
	l.args.text = quote
}

func acceptQuote(l *scriptLine) { l.order.ordered = true }

func rejectQuote(l *scriptLine) {
	if l.fault == nil {
		l.order.quotes[l.args.text] = 0
	}
}

// moveMission returns a step for a line that moves the order's mission to a status. The step checks
// that the move is allowed at this point of the scenario, and saves the new status.
func moveMission(move api.MissionMove, status api.MissionStatus) lineStep {
	return func(l *scriptLine) {
		if l.fault != nil {
			return
		}
		name := l.args.order
		order := l.order
		if !order.ordered {
			l.addFault("no quote of %s is accepted so far; add: accept-quote %s QUOTE", name, name)
			return
		}
		if !move.IsAllowed(order.stage) {
			l.addFault("%s is %s then, which is too early or too late", name, order.stage)
			return
		}
		order.stage = status
	}
}

func checkPermit(l *scriptLine) {
	name := l.args.order
	status := api.PermissionStatus(l.args.word)
	if !slices.Contains(api.PermissionStatuses(), status) {
		l.addFault("%q is not a status; write: %s", status, l.usage)
	} else if l.order.stage == api.MissionAwaitingPilot {
		l.addFault("%s has no operator so far; add: assign-operator %s \"OPERATOR\"", name, name)
	}
}

// finishOrder returns a step for a line that ends the order. It records a fault if the order's data
// is already delivered. outcome says how the order ended, such as "cancelled", for the error
// message if a later line uses the order.
func finishOrder(outcome string) lineStep {
	return func(l *scriptLine) {
		if l.order.stage.IsDelivered() {
			l.addFault("the data of %s is delivered, which is too late; remove this line", l.args.order)
		}
		l.order.ended = outcome
	}
}

var hostName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`)

func checkHost(l *scriptLine) {
	host := strings.TrimSuffix(l.args.word, invalidTLD)
	if !hostName.MatchString(host) {
		l.addFault("%q is not a host; use a name such as warehouse", host)
	}
	l.args.word = host + invalidTLD
}

func checkFault(l *scriptLine) {
	kind := l.args.word
	isKnown := kind == "normal" || slices.Contains(ops.CallbackFaults(), ops.CallbackFault(kind))
	if !isKnown {
		l.addFault("%q is not a fault of callbacks; write: %s", kind, l.usage)
	}
}

// listEvents returns the events of the line. A line that places several orders has an event for
// each order; other lines have one event.
func (l *scriptLine) listEvents(play eventAction) []Event {
	event := Event{Order: l.about, Clock: l.clock, args: l.args, play: play}
	if l.args.count == 0 {
		return []Event{event}
	}
	events := make([]Event, l.args.count)
	for i := range events {
		event.After = l.args.length * time.Duration(i) / time.Duration(l.args.count)
		event.Text = fmt.Sprintf("place-orders, %d of %d", i+1, l.args.count)
		event.args.count = l.placed
		l.placed++
		events[i] = event
	}
	return events
}
