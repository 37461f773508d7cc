package timeline

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/tui/format"
)

// TimelineReport is a timeline, or a report on an account, to be exported.
type TimelineReport struct {
	Title   string            `json:"title"` // code and name
	State   string            `json:"state"` // status
	Account string            `json:"account"`
	Service string            `json:"service"`
	Made    time.Time         `json:"made"`             // service time, in the user's zone
	Filter  string            `json:"filter,omitempty"` // filter of the entries; "" for all
	Left    int               `json:"omitted"`          // number of entries that the filter leaves out
	Entries []TimelineEntry   `json:"entries"`
	Wrong   []DeliveryVerdict `json:"wrong"`
	Faults  []SourceFault     `json:"notRead"`
	Parts   []ReportPart      `json:"parts,omitempty"` // only for an account, which has no entries
	// Mask masks secrets: those of a known form, and those of the client.
	Mask func(string) string `json:"-"`
}

// ReportPart is a part of a report other than the timeline.
type ReportPart struct {
	Title string          `json:"title"`
	Note  string          `json:"note,omitempty"`
	None  string          `json:"-"` // text if there are no lines
	Lines []TimelineEntry `json:"lines"`
}

// maskTexts cleans each text to one line and masks it.
func maskTexts(mask func(string) string, texts ...*string) {
	for _, text := range texts {
		*text = mask(format.Clean(*text))
	}
}

// SafeEntries returns copies of entries with cleaned and masked texts.
func SafeEntries(entries []TimelineEntry, mask func(string) string) []TimelineEntry {
	entries = slices.Clone(entries)
	for i := range entries {
		e := &entries[i]
		e.Fields = slices.Clone(e.Fields)
		maskTexts(mask, &e.About, &e.What, &e.Right, &e.Note)
		for j := range e.Fields {
			maskTexts(mask, &e.Fields[j].Value)
		}
	}
	return entries
}

// Finish returns the report to export, with cleaned and masked texts.
func (r TimelineReport) Finish() *TimelineReport {
	maskTexts(r.Mask, &r.Title, &r.State, &r.Account, &r.Service, &r.Filter)
	r.Made = r.Made.Truncate(time.Second)
	r.Entries = SafeEntries(r.Entries, r.Mask)
	r.Wrong = slices.Clone(r.Wrong)
	r.Faults = slices.Clone(r.Faults)
	r.Parts = slices.Clone(r.Parts)
	for i := range r.Wrong {
		maskTexts(r.Mask, &r.Wrong[i].Text)
	}
	for i := range r.Faults {
		maskTexts(r.Mask, &r.Faults[i].About, &r.Faults[i].Text)
	}
	for i := range r.Parts {
		p := &r.Parts[i]
		if len(p.Lines) == 0 {
			p.Note = p.None
		}
		p.Lines = SafeEntries(p.Lines, r.Mask)
		maskTexts(r.Mask, &p.Note)
	}
	return &r
}

// WriteJSON writes the report as one JSON value.
func (r *TimelineReport) WriteJSON(to io.Writer) error {
	return json.MarshalWrite(to, r.Finish(), jsontext.WithIndent("  "))
}

// WriteMarkdown writes the report as Markdown: a table of the entries, and below it the
// details of each.
func (r *TimelineReport) WriteMarkdown(to io.Writer) error {
	r = r.Finish()
	text := format.EscapeMarkdown
	var b strings.Builder
	fmt.Fprintf(&b, "# %s%s\n\n", text(r.Title), textAfter("\n\n", text(r.State)))
	fmt.Fprintf(&b, "Account %s, service %s, as of %s (service time); times in UTC%s. Secrets are masked.\n",
		text(r.Account), text(r.Service), r.Made.Format(time.DateTime), r.Made.Format("-07:00"))
	if r.Left > 0 {
		all := format.Count(len(r.Entries)+r.Left, "entry", "entries")
		fmt.Fprintf(&b, "\n%d of %s%s.\n", len(r.Entries), all, textAfter("; filter: ", text(r.Filter)))
	}
	for i, v := range r.Wrong {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "- %s\n", text(v.Text))
	}
	for _, f := range r.Faults {
		fmt.Fprintf(&b, "\nNot loaded: %s%s: %s\n", f.Source, textAfter(" of ", text(f.About)), text(f.Text))
	}
	for _, p := range r.Parts {
		fmt.Fprintf(&b, "\n## %s\n\n", text(p.Title))
		if p.Note != "" {
			fmt.Fprintf(&b, "%s\n\n", text(p.Note))
		}
		for _, l := range p.Lines {
			line := l.mark(strings.TrimSpace(l.Glyph + " " + text(l.About)))
			fmt.Fprintf(&b, "- %s %s%s\n", line, text(l.What), textAfter(": ", text(l.Right)))
		}
	}
	if len(r.Parts) == 0 {
		r.writeEntries(&b)
	}
	_, err := io.WriteString(to, b.String())
	return err
}

func (r *TimelineReport) writeEntries(b *strings.Builder) {
	text := format.EscapeMarkdown
	b.WriteString("\n| | When | Source | About | What |\n|---:|---|---|---|---|\n")
	for i, e := range r.Entries {
		when := e.timeText(time.DateTime)
		if e.Ahead {
			when += " (planned)"
		}
		what := e.mark(text(e.What))
		fmt.Fprintf(b, "| %d | %s | %s | %s | %s |\n", i+1, when, e.Source, text(e.About), what)
	}
	b.WriteString("\n## Details\n")
	for i, e := range r.Entries {
		if len(e.Fields) > 0 {
			fmt.Fprintf(b, "\n%d. %s\n", i+1, text(e.What))
		}
		for _, f := range e.Fields {
			fmt.Fprintf(b, "   - %s: %s\n", f.Name, text(f.Value))
		}
	}
}

// mark makes the text of a failed entry bold.
func (e *TimelineEntry) mark(text string) string {
	if e.Failed {
		return "**" + text + "**"
	}
	return text
}

func textAfter(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

// ShortID returns the beginning of an ID, for objects without a known code.
func ShortID(id string) string { return id[:min(8, len(id))] }
