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

// TimelineReport is a report to be exported: the timeline of an order or mission, or a report on an
// account.
type TimelineReport struct {
	Title   string            `json:"title"` // code and name
	State   string            `json:"state"` // status
	Account string            `json:"account"`
	Service string            `json:"service"`
	Made    time.Time         `json:"made"`             // when the report was made, by the clock of the service
	Filter  string            `json:"filter,omitempty"` // filter of the entries; "" for all
	Left    int               `json:"omitted"`          // number of entries that the filter leaves out
	Entries []TimelineEntry   `json:"entries"`
	Wrong   []DeliveryVerdict `json:"wrong"`
	Faults  []SourceFault     `json:"notRead"`
	Check   *ReportPart       `json:"check,omitempty"` // nil if nothing was delivered
	Parts   []ReportPart      `json:"parts,omitempty"` // only for an account, which has no entries
	// Mask replaces secrets in a text, such as API keys.
	Mask func(string) string `json:"-"`
}

// ReportPart is a section of a report, such as the failed callbacks.
type ReportPart struct {
	Title string          `json:"title"`
	Note  string          `json:"note,omitempty"`
	None  string          `json:"-"` // text to show if there are no lines
	Lines []TimelineEntry `json:"lines"`
}

// maskTexts makes each text a single line and masks secrets in it.
func maskTexts(mask func(string) string, texts ...*string) {
	for _, text := range texts {
		*text = mask(format.Clean(*text))
	}
}

// SafeEntries returns copies of entries whose texts are single lines without secrets.
func SafeEntries(entries []TimelineEntry, mask func(string) string) []TimelineEntry {
	entries = slices.Clone(entries)
	for i := range entries {
		e := &entries[i]
		e.Fields = slices.Clone(e.Fields)
		maskTexts(mask, &e.About, &e.What, &e.Brief, &e.Detail, &e.To, &e.Right, &e.Note)
		for j := range e.Fields {
			maskTexts(mask, &e.Fields[j].Value)
		}
	}
	return entries
}

// Finish returns a copy of the report whose texts are single lines without secrets.
func (r TimelineReport) Finish() *TimelineReport {
	maskTexts(r.Mask, &r.Title, &r.State, &r.Account, &r.Service, &r.Filter)
	r.Made = r.Made.Truncate(time.Second)
	r.Entries = SafeEntries(r.Entries, r.Mask)
	r.Wrong = slices.Clone(r.Wrong)
	r.Faults = slices.Clone(r.Faults)
	r.Parts = slices.Clone(r.Parts)
	for i := range r.Wrong {
		maskTexts(r.Mask, &r.Wrong[i].Text, &r.Wrong[i].Brief)
	}
	for i := range r.Faults {
		maskTexts(r.Mask, &r.Faults[i].About, &r.Faults[i].Text)
	}
	for i := range r.Parts {
		r.Parts[i] = r.Parts[i].finish(r.Mask)
	}
	if r.Check != nil {
		check := r.Check.finish(r.Mask)
		r.Check = &check
	}
	return &r
}

// finish returns a copy of the part whose texts are single lines without secrets.
func (p ReportPart) finish(mask func(string) string) ReportPart {
	if len(p.Lines) == 0 {
		p.Note = p.None
	}
	p.Lines = SafeEntries(p.Lines, mask)
	maskTexts(mask, &p.Note)
	return p
}

// WriteJSON writes the report as one JSON value.
func (r *TimelineReport) WriteJSON(to io.Writer) error {
	return json.MarshalWrite(to, r.Finish(), jsontext.WithIndent("  "))
}

// WriteMarkdown writes the report as Markdown. First come the problems, the sources that could not be read
// and the parts. A timeline, which has no parts, then has a table of its entries and their details.
func (r *TimelineReport) WriteMarkdown(to io.Writer) error {
	r = r.Finish()
	var b strings.Builder
	r.writeHead(&b)
	if len(r.Wrong) > 0 {
		b.WriteString("\n")
	}
	for _, verdict := range r.Wrong {
		fmt.Fprintf(&b, "- %s\n", format.EscapeMarkdown(verdict.Text))
	}
	for _, fault := range r.Faults {
		about := textAfter(" of ", format.EscapeMarkdown(fault.About))
		fmt.Fprintf(&b, "\nNot loaded: %s%s: %s\n", fault.Source, about, format.EscapeMarkdown(fault.Text))
	}
	for i := range r.Parts {
		r.Parts[i].writePart(&b)
	}
	if r.Check != nil {
		r.Check.writeDetailedPart(&b)
	}
	if len(r.Parts) == 0 {
		r.writeEntries(&b)
	}
	_, err := io.WriteString(to, b.String())
	return err
}

// writeHead writes the title, the account, the time of the report, and how many entries the filter leaves
// out.
func (r *TimelineReport) writeHead(b *strings.Builder) {
	escape := format.EscapeMarkdown
	fmt.Fprintf(b, "# %s%s\n\n", escape(r.Title), textAfter("\n\n", escape(r.State)))
	fmt.Fprintf(b, "Account %s, service %s, as of %s (service time); times in UTC%s. Secrets are masked.\n",
		escape(r.Account), escape(r.Service), r.Made.Format(time.DateTime), r.Made.Format("-07:00"))
	if r.Left > 0 {
		all := format.Count(len(r.Entries)+r.Left, "entry", "entries")
		fmt.Fprintf(b, "\n%d of %s%s.\n", len(r.Entries), all, textAfter("; filter: ", escape(r.Filter)))
	}
}

// writePart writes the part as a section with a list of its lines.
func (p *ReportPart) writePart(b *strings.Builder) {
	p.writeTitle(b)
	for i := range p.Lines {
		p.Lines[i].writeLine(b)
	}
}

// writeDetailedPart writes the part as a section with a list of its lines. Each line is followed by a list
// of its fields.
func (p *ReportPart) writeDetailedPart(b *strings.Builder) {
	p.writeTitle(b)
	for i := range p.Lines {
		line := &p.Lines[i]
		line.writeLine(b)
		for _, field := range line.Fields {
			fmt.Fprintf(b, "  - %s: %s\n", format.EscapeMarkdown(field.Name), format.EscapeMarkdown(field.Value))
		}
	}
}

// writeTitle writes the title and the note of the part.
func (p *ReportPart) writeTitle(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n\n", format.EscapeMarkdown(p.Title))
	if p.Note != "" {
		fmt.Fprintf(b, "%s\n\n", format.EscapeMarkdown(p.Note))
	}
}

// writeLine writes the entry as an item of a list.
func (e *TimelineEntry) writeLine(b *strings.Builder) {
	escape := format.EscapeMarkdown
	about := e.mark(strings.TrimSpace(e.Glyph + " " + escape(e.About)))
	fmt.Fprintf(b, "- %s %s%s\n", about, escape(e.What), textAfter(": ", escape(e.Right)))
}

// writeEntries writes a table of the entries, and below it the fields of each entry.
func (r *TimelineReport) writeEntries(b *strings.Builder) {
	escape := format.EscapeMarkdown
	b.WriteString("\n| | When | Source | About | What |\n|---:|---|---|---|---|\n")
	for i, entry := range r.Entries {
		when := entry.timeText(time.DateTime)
		if entry.Ahead {
			when += " (planned)"
		}
		what := entry.mark(escape(entry.What))
		fmt.Fprintf(b, "| %d | %s | %s | %s | %s |\n", i+1, when, entry.Source, escape(entry.About), what)
	}
	b.WriteString("\n## Details\n")
	for i, entry := range r.Entries {
		if len(entry.Fields) > 0 {
			fmt.Fprintf(b, "\n%d. %s\n", i+1, escape(entry.What))
		}
		for _, field := range entry.Fields {
			fmt.Fprintf(b, "   - %s: %s\n", field.Name, escape(field.Value))
		}
	}
}

// mark returns text, in bold if the entry is a failure.
func (e *TimelineEntry) mark(text string) string {
	if e.Failed {
		return "**" + text + "**"
	}
	return text
}

// textAfter returns before followed by text. It returns "" if text is "".
func textAfter(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

// joinParts joins the parts with commas and leaves out empty parts.
func joinParts(parts ...string) string {
	isEmpty := func(part string) bool { return part == "" }
	return strings.Join(slices.DeleteFunc(parts, isEmpty), ", ")
}

// ShortID returns the first 8 characters of an ID, for an object whose code is not known.
func ShortID(id string) string { return id[:min(8, len(id))] }
