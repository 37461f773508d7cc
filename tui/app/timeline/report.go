package timeline

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"flightdesk/tui/format"
)

// TimelineReport is a timeline, or what is said of an account, as it is handed on.
type TimelineReport struct {
	Title   string            `json:"title"` // code and name
	State   string            `json:"state"` // how it stands
	Account string            `json:"account"`
	Service string            `json:"service"`
	Made    time.Time         `json:"made"`             // by the service's clock, in the reader's zone
	Filter  string            `json:"filter,omitempty"` // what the entries were chosen by, "" for all of them
	Left    int               `json:"omitted"`          // entries that are left out by it
	Entries []TimelineEntry   `json:"entries"`
	Wrong   []DeliveryVerdict `json:"wrong"`
	Faults  []SourceFault     `json:"notRead"`
	Parts   []ReportPart      `json:"parts,omitempty"` // of an account, which has no entries
	// Mask makes secrets of a known form unreadable, and those of the client.
	Mask func(string) string `json:"-"`
}

// ReportPart is a part of a report that is no timeline.
type ReportPart struct {
	Title string          `json:"title"`
	Note  string          `json:"note,omitempty"`
	None  string          `json:"-"` // said where there are no lines
	Lines []TimelineEntry `json:"lines"`
}

// Finish returns the report as it is handed on: its texts in one line each and without secrets.
func (r *TimelineReport) Finish() *TimelineReport {
	out, safe := *r, func(s string) string { return r.Mask(format.Clean(s)) }
	out.Made = r.Made.Truncate(time.Second)
	out.Title, out.State, out.Account = safe(r.Title), safe(r.State), safe(r.Account)
	out.Service, out.Filter = safe(r.Service), safe(r.Filter)
	out.Entries = SafeEntries(r.Entries, r.Mask)
	out.Wrong, out.Faults, out.Parts = []DeliveryVerdict{}, []SourceFault{}, slices.Clone(r.Parts)
	for _, v := range r.Wrong {
		out.Wrong = append(out.Wrong, DeliveryVerdict{v.Role, safe(v.Text)})
	}
	for _, f := range r.Faults {
		out.Faults = append(out.Faults, SourceFault{f.Source, safe(f.About), safe(f.Text), f.Err})
	}
	for i := range out.Parts {
		p := &out.Parts[i]
		if len(p.Lines) == 0 || p.Note == "" {
			p.Note = p.None
		}
		p.Note, p.Lines = safe(p.Note), SafeEntries(p.Lines, r.Mask)
	}
	return &out
}

// WriteJSON writes the report for programs, one value.
func (r *TimelineReport) WriteJSON(to io.Writer) error {
	enc := json.NewEncoder(to)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r.Finish())
}

// WriteMarkdown writes the report for people: what happened as a table, and below it
// what more is known of each entry.
func (r *TimelineReport) WriteMarkdown(to io.Writer) error {
	r = r.Finish()
	text := format.EscapeMarkdown
	var b strings.Builder
	fmt.Fprintf(&b, "# %s%s\n\n", text(r.Title), textAfter("\n\n", text(r.State)))
	fmt.Fprintf(&b, "Account %s, service %s, as of %s (service time); times in UTC%s. Secrets are masked.\n",
		text(r.Account), text(r.Service), r.Made.Format(time.DateTime), r.Made.Format("-07:00"))
	if r.Left > 0 {
		all := format.Count(len(r.Entries)+r.Left, "entry", "entries")
		fmt.Fprintf(
			&b,
			"\n%d of %s%s.\n",
			len(r.Entries),
			all,
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
		fmt.Fprintf(
			&b,
			"\nNot loaded: %s%s: %s\n",
			f.Source,
			textAfter(" of ", text(f.About)),
			text(f.Text),
		)
	}
	for _, p := range r.Parts {
		fmt.Fprintf(&b, "\n## %s\n\n", text(p.Title))
		if p.Note != "" {
			fmt.Fprintf(&b, "%s\n\n", text(p.Note))
		}
		for i := range p.Lines {
			l := &p.Lines[i]
			line := l.mark(strings.TrimSpace(l.Glyph + " " + text(l.About)))
			fmt.Fprintf(
				&b,
				"- %s %s%s\n",
				line,
				text(l.What),
				textAfter(": ", text(l.Right)),
			)
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
	for i := range r.Entries {
		e := &r.Entries[i]
		when := e.timeText(time.DateTime)
		if e.Ahead {
			when += " (planned)"
		}
		fmt.Fprintf(
			b,
			"| %d | %s | %s | %s | %s |\n",
			i+1,
			when,
			e.Source,
			text(e.About),
			e.mark(text(e.What)),
		)
	}
	b.WriteString("\n## Details\n")
	for i := range r.Entries {
		e := &r.Entries[i]
		if len(e.Fields) > 0 {
			fmt.Fprintf(b, "\n%d. %s\n", i+1, text(e.What))
		}
		for _, f := range e.Fields {
			fmt.Fprintf(b, "   - %s: %s\n", f.Name, text(f.Value))
		}
	}
}

// mark stresses a text where something went wrong.
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
