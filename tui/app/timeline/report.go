package timeline

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
)

// Report is a story as it is handed on. Nothing in it changes while it is
// written.
type Report struct {
	Title   string // code and name
	State   string // how it stands
	Account string
	Service string
	Made    time.Time // by the service's clock, in the reader's zone
	Filter  string    // what the entries were chosen by, "" for all of them
	Left    int       // entries that are left out by it
	Entries []Entry
	Faults  []Fault
	Wrong   []Verdict
	Parts   []Part // of an account, which has no entries
	// Mask makes secrets of a known form unreadable, and those of the client.
	Mask func(string) string
}

// Part is a part of a report that is no story.
type Part struct {
	Title string
	Note  string
	None  string // said where there are no lines
	Lines []Line
}

// Line is a line of a part.
type Line struct {
	ID, Glyph, Code, Text, Right string
	Role, Loud                   labels.Tone // of the glyph, and of Right

	Title  string // above what more is known of it
	Fields []Field
	Said   string // below Fields, a sentence
	Err    error  // why not all of it is known

	// What it is about.
	Order, Mission string // code, uuid
	Endpoint       string // uuid
	Scope          api.Scope
	Status         api.OrderStatus
}

// Failed tells whether something went wrong there.
func (l *Line) Failed() bool { return l.Role == labels.Bad }

// plain is a text from outside: one line, without secrets.
func (r *Report) plain(s string) string {
	s = layout.Clean(s)
	if r.Mask != nil {
		s = r.Mask(s)
	}
	return s
}

func (r *Report) when(at time.Time) string {
	if at.IsZero() {
		return "not known"
	}
	return at.In(r.Made.Location()).Format("2006-01-02 15:04:05")
}

// Markdown writes the report for people: what happened as a table, and below it
// what more is known of each entry.
func (r *Report) Markdown(to io.Writer) error {
	text := func(s string) string { return layout.Markdown(r.plain(s)) }
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", text(r.Title), text(r.State))
	fmt.Fprintf(&b, "Account %s, service %s, as of %s (service time); times in UTC%s. Secrets are masked.\n",
		text(r.Account), text(r.Service), r.Made.Format("2006-01-02 15:04:05"), r.Made.Format("-07:00"))
	if r.Left > 0 {
		fmt.Fprintf(&b, "\n%d of %s%s.\n", len(r.Entries), format.Count(len(r.Entries)+r.Left, "entry", "entries"), after("; filter: ", text(r.Filter)))
	}
	for i, v := range r.Wrong {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "- %s\n", text(v.Text))
	}
	for _, f := range r.Faults {
		fmt.Fprintf(&b, "\nNot loaded: %s%s: %s\n", f.Source, after(" of ", text(f.About)), text(f.Err.Error()))
	}
	r.parts(&b)
	if len(r.Parts) == 0 {
		r.entries(&b)
	}
	_, err := io.WriteString(to, b.String())
	return err
}

func (r *Report) parts(b *strings.Builder) {
	text := func(s string) string { return layout.Markdown(r.plain(s)) }
	for _, p := range r.Parts {
		fmt.Fprintf(b, "\n## %s\n\n", text(p.Title))
		if p.Note != "" {
			fmt.Fprintf(b, "%s\n\n", text(p.Note))
		}
		for _, l := range p.Lines {
			line := strings.TrimSpace(text(l.Glyph) + " " + text(l.Code))
			if l.Failed() {
				line = "**" + line + "**"
			}
			fmt.Fprintf(b, "- %s %s%s\n", line, text(l.Text), after(": ", text(l.Right)))
		}
	}
}

func (r *Report) entries(b *strings.Builder) {
	text := func(s string) string { return layout.Markdown(r.plain(s)) }
	b.WriteString("\n| | When | Source | About | What |\n|---:|---|---|---|---|\n")
	for i := range r.Entries {
		e := &r.Entries[i]
		what := text(e.What)
		if e.Failed() {
			what = "**" + what + "**"
		}
		fmt.Fprintf(b, "| %d | %s%s | %s | %s | %s |\n", i+1, r.when(e.At), ahead(e, r.Made), e.Source, text(e.About), what)
	}
	b.WriteString("\n## Details\n")
	for i := range r.Entries {
		e := &r.Entries[i]
		if len(e.Fields) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n%d. %s\n", i+1, text(e.What))
		for _, f := range e.Fields {
			fmt.Fprintf(b, "   - %s: %s\n", f.Name, text(f.Value))
		}
	}
}

func ahead(e *Entry, now time.Time) string {
	if e.Ahead(now) {
		return " (planned)"
	}
	return ""
}

func after(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

type jsonEntry struct {
	At     string  `json:"at"` // RFC 3339, "" where it is not known
	Source Source  `json:"source"`
	About  string  `json:"about"`
	What   string  `json:"what"`
	Failed bool    `json:"failed"`
	Ahead  bool    `json:"ahead"`
	Fields []Field `json:"fields"`
}

type jsonPart struct {
	Title string     `json:"title"`
	Note  string     `json:"note,omitempty"`
	Lines []jsonLine `json:"lines"`
}

type jsonLine struct {
	Name   string `json:"name"`
	Text   string `json:"text"`
	Value  string `json:"value,omitempty"`
	Failed bool   `json:"failed"`
}

type jsonFault struct {
	Source Source `json:"source"`
	About  string `json:"about,omitempty"`
	Error  string `json:"error"`
}

// ReportValue is a report for programs.
type ReportValue struct {
	Title   string      `json:"title"`
	State   string      `json:"state"`
	Account string      `json:"account"`
	Service string      `json:"service"`
	Made    string      `json:"made"`
	Filter  string      `json:"filter,omitempty"`
	Left    int         `json:"leftOut"`
	Entries []jsonEntry `json:"entries"`
	Wrong   []string    `json:"wrong"`
	Faults  []jsonFault `json:"notRead"`
	Parts   []jsonPart  `json:"parts,omitempty"`
}

// JSON writes the report for programs, one value.
func (r *Report) JSON(to io.Writer) error {
	enc := json.NewEncoder(to)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r.Value())
}

// Value is the report for programs.
func (r *Report) Value() ReportValue {
	value := ReportValue{
		Title: r.plain(r.Title), State: r.plain(r.State), Account: r.plain(r.Account), Service: r.plain(r.Service),
		Made: r.Made.Format(time.RFC3339), Filter: r.plain(r.Filter), Left: r.Left, Entries: []jsonEntry{}, Wrong: []string{}, Faults: []jsonFault{},
	}
	for i := range r.Entries {
		e := &r.Entries[i]
		entry := jsonEntry{
			Source: e.Source, About: r.plain(e.About), What: r.plain(e.What), Failed: e.Failed(), Ahead: e.Ahead(r.Made), Fields: []Field{},
		}
		if !e.At.IsZero() {
			entry.At = e.At.In(r.Made.Location()).Format(time.RFC3339)
		}
		for _, f := range e.Fields {
			entry.Fields = append(entry.Fields, Field{f.Name, r.plain(f.Value)})
		}
		value.Entries = append(value.Entries, entry)
	}
	for _, v := range r.Wrong {
		value.Wrong = append(value.Wrong, r.plain(v.Text))
	}
	for _, f := range r.Faults {
		value.Faults = append(value.Faults, jsonFault{f.Source, r.plain(f.About), r.plain(f.Err.Error())})
	}
	for _, p := range r.Parts {
		part := jsonPart{Title: r.plain(p.Title), Note: r.plain(p.Note), Lines: []jsonLine{}}
		for _, l := range p.Lines {
			part.Lines = append(part.Lines, jsonLine{r.plain(l.Code), r.plain(l.Text), r.plain(l.Right), l.Failed()})
		}
		value.Parts = append(value.Parts, part)
	}
	return value
}
