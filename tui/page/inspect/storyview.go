package inspect

import (
	"fmt"
	"slices"
	"strings"

	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// renderState returns the line that says how the subject stands.
func (p *TimelinePage) renderState(w int) string {
	th, o := p.Theme, p.facts.Order
	if o == nil {
		return ""
	}
	name, st := p.facts.SubjectState()
	if p.subject.Mission == "" {
		st = format.OrderState(o.Status, p.QuotesOf(o.UUID))
	}
	if p.Viewed {
		name = p.Company + ": " + name
	}
	state := th.PaintRole(st.Role, st.Glyph+" "+st.Label+" · "+st.Description)
	return format.CutLine(" "+th.PaintTitle(p.Client.Mask(name))+"  "+state, w)
}

// isLost reports whether nothing is known but why the order could not be read.
func (p *TimelinePage) isLost() bool { return len(p.entries) == 0 && p.facts.OrderErr != nil }

// renderHead returns the lines above the list: how it is, and what is wrong.
func (p *TimelinePage) renderHead(w int) []string {
	if p.facts == nil || p.isLost() {
		return nil
	}
	th := p.Theme
	if err := p.facts.OrderErr; err != nil {
		kept := "Showing the other sources"
		if p.facts.Order != nil {
			kept = "Showing the timeline"
		}
		return append(page.RenderProblem(th, err, kept, "r", w), "")
	}
	lines := []string{p.renderState(w)}
	most := max(3, (p.Height-frameLines)/6)
	for i, v := range p.wrong {
		if i == most-1 && len(p.wrong) > most {
			lines = append(
				lines,
				format.CutLine(th.PaintMuted(fmt.Sprintf(" and %d more, in the report", len(p.wrong)-i)), w),
			)
			break
		}
		lines = append(lines, format.CutLine(" "+th.PaintRole(v.Role, "▲ "+p.Client.Mask(v.Text)), w))
	}
	return append(lines, "")
}

// frameLines are those of the window around a page.
const frameLines = 7

// renderBlank returns what stands in place of entries.
func (p *TimelinePage) renderBlank(_ error, w int) []string {
	if p.isLost() {
		return page.RenderProblem(p.Theme, p.facts.OrderErr, "", "r", w)
	}
	return nil
}

// renderFoot says below the list what is left out and what could not be read.
func (p *TimelinePage) renderFoot(w int) (foot []string) {
	th := p.Theme
	faults := slices.DeleteFunc(p.facts.SourceFaults(), func(f timeline.SourceFault) bool {
		return f.Source == timeline.FromOrder // said above the list
	})
	for i, f := range faults {
		if i == 1 && len(faults) > 2 {
			foot = append(
				foot,
				th.PaintMuted(fmt.Sprintf("   and %d more sources could not be read", len(faults)-1)),
			)
			break
		}
		what, _ := format.ExplainError(f.Err)
		about := strings.TrimSpace(string(f.Source) + " " + p.Client.Mask(f.About))
		foot = append(
			foot,
			th.PaintRole(theme.Bad, " ! could not load: "+about)+th.PaintMuted("  "+p.Client.Mask(what)),
		)
	}
	routine := 0
	for i := range p.entries {
		if p.entries[i].Routine {
			routine++
		}
	}
	if routine > 0 && !p.all {
		hidden := format.Count(routine, "read request") + " hidden · "
		foot = append(foot, th.PaintMuted(" "+hidden)+th.PaintHint("v", "to show"))
	}
	return page.CutLines(foot, w)
}

// entryLines draws the selected entry.
func (p *TimelinePage) entryLines(e *entry, w, h int) ([]string, bool) {
	if e.ID != p.shown { // another one is shown from its beginning
		p.shown = e.ID
		p.scroll.ScrollToTop()
	}
	return p.scroll.View(p.renderEntry(e, w), h, p.Theme.Style(theme.Muted)), false
}

func (p *TimelinePage) renderEntry(e *entry, w int) []string {
	th, now := p.Theme, p.Now()
	lines := th.PaintLines(e.Role, " ", format.Clean(e.Glyph+" "+e.What), w-2)
	when := "time unknown"
	if !e.At.IsZero() {
		when = e.At.Format("2006-01-02 15:04:05 -07:00")
		if e.At.After(now) {
			when += ", " + format.TimeUntil(e.At, now)
		} else {
			when = format.WithAge(when, ", ", e.At, now)
		}
	}
	lines = append(
		lines,
		" "+th.PaintMuted(when),
		" "+th.PaintMuted("Source: "+known[e.Source]),
		"",
	)
	for _, f := range e.Fields {
		lines = append(
			lines,
			widget.WrapFacts(
				th,
				13,
				w,
				widget.Text(format.CapitalizeFirst(f.Name), f.Value),
			)...)
	}
	target, _ := p.entryTarget(e)
	return page.CutLines(append(lines, "", " "+th.PaintHint("enter", target)), w)
}

// known says what a source is.
var known = map[timeline.EntrySource]string{
	timeline.FromOrder:      "the order",
	timeline.FromMission:    "the mission",
	timeline.FromPlanning:   "the planning history",
	timeline.FromPermission: "the flight permission",
	timeline.FromDelivery:   "the delivery packages",
	timeline.FromQuote:      "the order's quotes",
	timeline.FromDecision:   "the decision log on this computer",
	timeline.FromCallback:   "the callback log",
	timeline.FromNotice:     "the log of completion notices",
	timeline.FromGap:        "an event that no log row belongs to",
	timeline.FromReceived:   "a live event received by the app",
	timeline.FromWire:       "the request log of this run",
}
