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

// TimelineReport is a story as it is handed on. Nothing in it changes while it is
// written.
type TimelineReport struct {
	Title   string // code and name
	State   string // how it stands
	Account string
	Service string
	Made    time.Time // by the service's clock, in the reader's zone
	Filter  string    // what the entries were chosen by, "" for all of them
	Left    int       // entries that are left out by it
	Entries []TimelineEntry
	Faults  []SourceFault
	Wrong   []DeliveryVerdict
	Parts   []ReportPart // of an account, which has no entries
	// Mask makes secrets of a known form unreadable, and those of the client.
	Mask func(string) string
}

// ReportPart is a part of a report that is no story.
type ReportPart struct {
	Title string
	Note  string
	None  string // said where there are no lines
	Lines []PartLine
}

// PartLine is a line of a part.
type PartLine struct {
	ID, Glyph, Code, Text, Right string
	Role, Loud                   labels.Tone // of the glyph, and of Right

	Title  string // above what more is known of it
	Fields []EntryField
	Said   string // below Fields, a sentence
	Err    error  // why not all of it is known

	// What it is about.
	Order, Mission string // code, uuid
	Endpoint       string // uuid
	Scope          api.Scope
	Status         api.OrderStatus
}

// Failed tells whether something went wrong there.
func (l *PartLine) Failed() bool { return l.Role == labels.Bad }

// plainText returns a text from outside: one line, without secrets.
func (r *TimelineReport) plainText(s string) string {
	s = layout.Clean(s)
	if r.Mask != nil {
		s = r.Mask(s)
	}
	return s
}

func (r *TimelineReport) formatTime(at time.Time) string {
	if at.IsZero() {
		return "not known"
	}
	return at.In(r.Made.Location()).Format("2006-01-02 15:04:05")
}

// WriteMarkdown writes the report for people: what happened as a table, and below it
// what more is known of each entry.
func (r *TimelineReport) WriteMarkdown(to io.Writer) error {
	text := func(s string) string { return layout.EscapeMarkdown(r.plainText(s)) }
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", text(r.Title), text(r.State))
	fmt.Fprintf(&b, "Account %s, service %s, as of %s (service time); times in UTC%s. Secrets are masked.\n",
		text(r.Account), text(r.Service), r.Made.Format("2006-01-02 15:04:05"), r.Made.Format("-07:00"))
	if r.Left > 0 {
		fmt.Fprintf(
			&b,
			"\n%d of %s%s.\n",
			len(r.Entries),
			format.Count(len(r.Entries)+r.Left, "entry", "entries"),
			textAfter("; filter: ", text(r.Filter)),
		)
	}
	for i, v := range r.Wrong {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "- %s\n", text(v.Text))
	}
	for _, f := range r.Faults {
		fmt.Fprintf(&b, "\nNot loaded: %s%s: %s\n", f.Source, textAfter(" of ", text(f.About)), text(f.Err.Error()))
	}
	r.writeParts(&b)
	if len(r.Parts) == 0 {
		r.writeEntries(&b)
	}
	_, err := io.WriteString(to, b.String())
	return err
}

func (r *TimelineReport) writeParts(b *strings.Builder) {
	text := func(s string) string { return layout.EscapeMarkdown(r.plainText(s)) }
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
			fmt.Fprintf(b, "- %s %s%s\n", line, text(l.Text), textAfter(": ", text(l.Right)))
		}
	}
}

func (r *TimelineReport) writeEntries(b *strings.Builder) {
	text := func(s string) string { return layout.EscapeMarkdown(r.plainText(s)) }
	b.WriteString("\n| | When | Source | About | What |\n|---:|---|---|---|---|\n")
	for i := range r.Entries {
		e := &r.Entries[i]
		what := text(e.What)
		if e.Failed() {
			what = "**" + what + "**"
		}
		fmt.Fprintf(
			b,
			"| %d | %s%s | %s | %s | %s |\n",
			i+1,
			r.formatTime(e.At),
			aheadMark(e, r.Made),
			e.Source,
			text(e.About),
			what,
		)
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

func aheadMark(e *TimelineEntry, now time.Time) string {
	if e.IsAhead(now) {
		return " (planned)"
	}
	return ""
}

func textAfter(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

type jsonEntry struct {
	At     string       `json:"at"` // RFC 3339, "" where it is not known
	Source EntrySource  `json:"source"`
	About  string       `json:"about"`
	What   string       `json:"what"`
	Failed bool         `json:"failed"`
	Ahead  bool         `json:"ahead"`
	Fields []EntryField `json:"fields"`
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
	Source EntrySource `json:"source"`
	About  string      `json:"about,omitempty"`
	Error  string      `json:"error"`
}

// ReportValue is a report for programs.
type ReportValue struct {
	Title   string      `json:"title"`
	State   string      `json:"state"`
	Account string      `json:"account"`
	Service string      `json:"service"`
	Made    string      `json:"made"`
	Filter  string      `json:"filter,omitempty"`
	Left    int         `json:"omitted"`
	Entries []jsonEntry `json:"entries"`
	Wrong   []string    `json:"wrong"`
	Faults  []jsonFault `json:"notRead"`
	Parts   []jsonPart  `json:"parts,omitempty"`
}

// WriteJSON writes the report for programs, one value.
func (r *TimelineReport) WriteJSON(to io.Writer) error {
	enc := json.NewEncoder(to)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r.ReportValue())
}

// ReportValue returns the report for programs.
func (r *TimelineReport) ReportValue() ReportValue {
	value := ReportValue{
		Title: r.plainText(
			r.Title,
		),
		State:   r.plainText(r.State),
		Account: r.plainText(r.Account),
		Service: r.plainText(r.Service),
		Made: r.Made.Format(
			time.RFC3339,
		),
		Filter:  r.plainText(r.Filter),
		Left:    r.Left,
		Entries: []jsonEntry{},
		Wrong:   []string{},
		Faults:  []jsonFault{},
	}
	for i := range r.Entries {
		e := &r.Entries[i]
		entry := jsonEntry{
			Source: e.Source,
			About:  r.plainText(e.About),
			What:   r.plainText(e.What),
			Failed: e.Failed(),
			Ahead:  e.IsAhead(r.Made),
			Fields: []EntryField{},
		}
		if !e.At.IsZero() {
			entry.At = e.At.In(r.Made.Location()).Format(time.RFC3339)
		}
		for _, f := range e.Fields {
			entry.Fields = append(entry.Fields, EntryField{f.Name, r.plainText(f.Value)})
		}
		value.Entries = append(value.Entries, entry)
	}
	for _, v := range r.Wrong {
		value.Wrong = append(value.Wrong, r.plainText(v.Text))
	}
	for _, f := range r.Faults {
		value.Faults = append(value.Faults, jsonFault{f.Source, r.plainText(f.About), r.plainText(f.Err.Error())})
	}
	for _, p := range r.Parts {
		part := jsonPart{Title: r.plainText(p.Title), Note: r.plainText(p.Note), Lines: []jsonLine{}}
		for _, l := range p.Lines {
			part.Lines = append(
				part.Lines,
				jsonLine{r.plainText(l.Code), r.plainText(l.Text), r.plainText(l.Right), l.Failed()},
			)
		}
		value.Parts = append(value.Parts, part)
	}
	return value
}
