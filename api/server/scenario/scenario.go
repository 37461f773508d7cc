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
	Line  int           // in the file
	After time.Duration // since the start
	Text  string        // as written, without the time
	Order string        // name of the order in the file; "" for none
	Clock time.Duration // by how much the event advances the service's clock

	args eventArguments
	play eventAction // nil: nothing to do
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
	err = errors.Join(err, f.Close())
	if err != nil {
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
	var faults []error
	n := 0
	for raw := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		n++
		if err := r.readLine(s, n, strings.TrimSpace(string(raw))); err != nil {
			faults = append(faults, fmt.Errorf("%s:%d: %w", file, n, err))
		}
	}
	if len(faults) > maxFaults {
		more := fmt.Errorf("%s: %d more errors", file, len(faults)-maxFaults)
		return nil, errors.Join(append(faults[:maxFaults], more)...)
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	if len(s.Events) == 0 {
		return nil, fmt.Errorf("%s: no events; add a line such as: 0s place levee \"Elbe levee\"", file)
	}
	if len(s.Events) > maxEvents {
		return nil, fmt.Errorf("%s: %d events; the limit is %d", file, len(s.Events), maxEvents)
	}
	sort.SliceStable(s.Events, func(i, j int) bool { return s.Events[i].After < s.Events[j].After })
	s.Title = r.title
	if s.Title == "" {
		s.Title = s.Name
	}
	return s, nil
}

// scriptReader is the state after the lines that were read so far.
type scriptReader struct {
	title  string
	begun  bool          // an event was read
	at     time.Duration // time of the last event
	last   int           // line of the last event
	placed int           // number of orders placed without a name
	orders map[string]*scriptOrder
}

// scriptOrder is the state of an order after the events so far.
type scriptOrder struct {
	quotes  map[string]time.Duration // time since the start at which each quote expires; 0 if it is rejected
	stage   api.MissionStatus
	ordered bool   // a quote was accepted
	ended   string // how it ended; "" if it did not
}

func (r *scriptReader) readLine(s *Scenario, number int, text string) error {
	if text == "" || text[0] == '#' {
		return nil
	}
	words, err := splitWords(text)
	if err != nil {
		return err
	}
	if words[0] == "title" && !r.begun {
		r.title = strings.Join(words[1:], " ")
		return nil
	}
	r.begun = true
	at, err := r.readTime(words[0])
	if err != nil {
		return err
	}
	if len(words) == 1 {
		return errors.New("no event; add one of " + strings.Join(verbNames(), ", "))
	}
	r.at = at
	r.last = number
	v, known := eventVerbs()[words[1]]
	if !known {
		return fmt.Errorf("unknown event %q; use %s", words[1], strings.Join(verbNames(), ", "))
	}
	l := &scriptLine{
		scriptReader: r,
		rest:         words[2:],
		usage:        words[1] + " " + v.usage,
	}
	for _, read := range v.reads {
		read(l)
	}
	if len(l.rest) > 0 {
		l.addFault("%q is too much; write: %s", l.rest[0], l.usage)
	}
	if l.fault != nil {
		return l.fault
	}
	for _, e := range l.listEvents(v.play) {
		e.Line = number
		e.After += at
		if e.Text == "" {
			e.Text = strings.TrimSpace(strings.TrimPrefix(text, words[0]))
		}
		s.Events = append(s.Events, e)
	}
	return nil
}

// readTime parses the time of an event, which must not be before the last one.
func (r *scriptReader) readTime(text string) (time.Duration, error) {
	at, err := api.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a time; begin with the time since the start, such as 90m, 36h or 1d6h", text)
	}
	if at < 0 || at > maxTime {
		return 0, fmt.Errorf("%s is out of range; use 0s to 3650d", text)
	}
	if at < r.at {
		return 0, fmt.Errorf("%s is before line %d; put the lines in the order of their times", text, r.last)
	}
	return at, nil
}

// maxTime is the latest time of an event.
const maxTime = 3650 * 24 * time.Hour

// splitWords splits a line into words. Text in double quotes is one word.
func splitWords(text string) ([]string, error) {
	var words []string
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimLeft(text, " \t") {
		if text[0] == '"' {
			word, rest, closed := strings.Cut(text[1:], `"`)
			if !closed {
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
