package scenario

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"flightdesk/api"
)

// Scenario is a list of events.
type Scenario struct {
	Name   string // file name without extension
	Title  string
	Events []Event // sorted by time
}

// Event is something that happens at a time.
type Event struct {
	Line  int           // line number in the file
	After time.Duration // time since the start of the scenario
	Text  string        // text of the line, without the time
	Order string        // name of the order in the file; empty if the event concerns no order
	Clock time.Duration // by how much the event advances the service's clock

	args eventArguments
	play eventAction // nil if the event changes nothing in the service
}

// Limits of a scenario.
const (
	maxFile   = 1 << 20 // bytes
	maxEvents = 10_000
	maxFaults = 10 // faults that are reported
)

//go:embed builtin
var builtin embed.FS

const ending = ".scenario"

// BuiltinNames returns the names of the built-in scenarios in alphabetical order.
func BuiltinNames() []string {
	entries, err := builtin.ReadDir("builtin")
	if err != nil {
		panic(err) // the folder is embedded
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ending)
	}
	return names
}

// Load reads a built-in scenario by its name, or a scenario from a file.
func Load(name string) (*Scenario, error) {
	if slices.Contains(BuiltinNames(), name) {
		text, err := builtin.ReadFile("builtin/" + name + ending)
		if err != nil {
			return nil, err
		}
		return Parse(name+ending, text)
	}
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) && !strings.ContainsAny(name, `/\.`) {
		return nil, fmt.Errorf("no scenario %q; use %s, or the path of a file", name,
			strings.Join(BuiltinNames(), ", "))
	}
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return Parse(name, text)
}

// Parse parses a scenario. The error has a line for each fault, with the file, the line
// number and what to do.
func Parse(file string, text []byte) (*Scenario, error) {
	base := filepath.Base(file)
	s := &Scenario{Name: strings.TrimSuffix(base, filepath.Ext(base))}
	if len(text) > maxFile {
		return nil, fmt.Errorf("%s: larger than %d bytes; split it into several scenarios", file, maxFile)
	}
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("%s: not UTF-8; save it as UTF-8 text", file)
	}
	r := &scriptReader{orders: map[string]*scriptOrder{}}
	if err := r.readLines(file, text); err != nil {
		return nil, err
	}
	if len(r.events) == 0 {
		return nil, fmt.Errorf("%s: no events; add a line such as: 0s place levee \"Elbe levee\"", file)
	}
	if len(r.events) > maxEvents {
		return nil, fmt.Errorf("%s: %d events; the limit is %d", file, len(r.events), maxEvents)
	}
	s.Events = r.events
	sort.SliceStable(s.Events, func(i, j int) bool { return s.Events[i].After < s.Events[j].After })
	s.Title = r.title
	if s.Title == "" {
		s.Title = s.Name
	}
	return s, nil
}

// scriptReader reads a scenario line by line. Its fields describe the scenario up to the last line
// that was read.
type scriptReader struct {
	title    string
	events   []Event
	begun    bool          // an event was read
	lastTime time.Duration // time of the last event, or of the event that is being read
	lastLine int           // line of that event
	placed   int           // number of orders placed without a name
	orders   map[string]*scriptOrder
}

// scriptOrder is what a scenario has done with an order in the lines that were read so far.
type scriptOrder struct {
	quotes  map[string]time.Duration // time since the start at which each quote expires; 0 if it is rejected
	stage   api.MissionStatus
	ordered bool   // a quote was accepted
	ended   string // how the order ended; empty if it has not
}

// readLines reads all lines. The error has a line for each fault, up to maxFaults.
func (r *scriptReader) readLines(file string, text []byte) error {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	var faults []error
	number := 0
	for line := range bytes.Lines(text) {
		number++
		if err := r.readLine(number, strings.TrimSpace(string(line))); err != nil {
			faults = append(faults, fmt.Errorf("%s:%d: %w", file, number, err))
		}
	}
	if len(faults) > maxFaults {
		more := fmt.Errorf("%s: %d more errors", file, len(faults)-maxFaults)
		faults = append(faults[:maxFaults], more)
	}
	return errors.Join(faults...)
}

// readLine reads a line with a comment, the title or an event.
func (r *scriptReader) readLine(number int, text string) error {
	if text == "" || text[0] == '#' {
		return nil
	}
	words, err := splitWords(text)
	if err != nil {
		return err
	}
	if words[0] == "title" && !r.begun { // a title after the first event is a fault
		r.title = strings.Join(words[1:], " ")
		return nil
	}
	r.begun = true
	return r.readTimedLine(number, text, words)
}

// readTimedLine reads a line with a time and an event, and adds the events of the line. words
// are the words of the text.
func (r *scriptReader) readTimedLine(number int, text string, words []string) error {
	after, err := r.parseTime(words[0])
	if err != nil {
		return err
	}
	if len(words) == 1 {
		return errors.New("no event; add one of " + strings.Join(verbNames(), ", "))
	}
	// Set before the event is read, because addQuote and readQuote use the time of their line.
	r.lastTime = after
	r.lastLine = number
	events, err := r.readEvents(words[1], words[2:])
	if err != nil {
		return err
	}
	for _, e := range events {
		e.Line = number
		e.After += after
		if e.Text == "" {
			e.Text = strings.TrimSpace(strings.TrimPrefix(text, words[0]))
		}
		r.events = append(r.events, e)
	}
	return nil
}

// readEvents reads the arguments of a line and returns the events of the line. verb is the kind of
// the events, such as place-orders. The times of the events are relative to the time of the line.
func (r *scriptReader) readEvents(verb string, arguments []string) ([]Event, error) {
	v, ok := eventVerbs()[verb]
	if !ok {
		return nil, fmt.Errorf("unknown event %q; use %s", verb, strings.Join(verbNames(), ", "))
	}
	l := &scriptLine{
		scriptReader: r,
		rest:         arguments,
		usage:        verb + " " + v.usage,
	}
	for _, step := range v.steps {
		step(l)
	}
	if len(l.rest) > 0 {
		l.addFault("%q is too much; write: %s", l.rest[0], l.usage)
	}
	if l.fault != nil {
		return nil, l.fault
	}
	return l.listEvents(v.play), nil
}

// parseTime parses the time of an event, which must not be before the time of the last
// event.
func (r *scriptReader) parseTime(text string) (time.Duration, error) {
	after, err := api.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a time; begin with the time since the start, such as 90m, 36h or 1d6h", text)
	}
	if after < 0 || after > maxTime {
		return 0, fmt.Errorf("%s is out of range; use 0s to 3650d", text)
	}
	if after < r.lastTime {
		return 0, fmt.Errorf("%s is before line %d; put the lines in the order of their times", text, r.lastLine)
	}
	return after, nil
}

// maxTime is the latest time of an event.
const maxTime = 3650 * 24 * time.Hour

// splitWords splits a line into words. Text in double quotes is one word.
func splitWords(text string) ([]string, error) {
	var words []string
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimLeft(text, " \t") {
		if text[0] == '"' {
			word, rest, isClosed := strings.Cut(text[1:], `"`)
			if !isClosed {
				return nil, errors.New(`a quotation mark is not closed; add another "`)
			}
			words = append(words, word)
			text = rest
			continue
		}
		end := strings.IndexAny(text, " \t")
		if end < 0 {
			end = len(text)
		}
		words = append(words, text[:end])
		text = text[end:]
	}
	return words, nil
}
