package inspect

import (
	"fmt"
	"slices"
	"strings"

	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// state is the line that says how the subject stands.
func (p *Story) state(w int) string {
	th, o := p.Theme, p.facts.Order
	if o == nil {
		return ""
	}
	name, st := o.OrderName, labels.OrderState(o.Status, p.QuotesOf(o.UUID))
	if p.subject.Mission != "" && len(p.facts.Missions) > 0 {
		m := &p.facts.Missions[0]
		name, st = m.MissionName+", "+o.OrderCode, labels.MissionStatus(m.Status)
	}
	if p.Viewed {
		name = p.Company + ": " + name
	}
	return layout.Cut(" "+layout.Text(th.Title, p.Client.Mask(name))+"  "+layout.Text(th.Style(st.Role), st.Glyph+" "+st.Label+" · "+st.Description), w)
}

// isLost reports whether nothing is known but why the order could not be read.
func (p *Story) isLost() bool { return len(p.entries) == 0 && p.facts.OrderErr != nil }

// head are the lines above the list: how it is, and what is wrong.
func (p *Story) head(w int) []string {
	if p.facts == nil || p.isLost() {
		return nil
	}
	th := p.Theme
	if err := p.facts.OrderErr; err != nil {
		kept := "Showing the other sources"
		if p.facts.Order != nil {
			kept = "Showing the timeline"
		}
		return append(page.Problem(th, err, kept, "r", w), "")
	}
	lines := []string{p.state(w)}
	most := max(3, (p.Height-frameLines)/6)
	for i, v := range p.wrong {
		if i == most-1 && len(p.wrong) > most {
			lines = append(lines, layout.Cut(layout.Text(th.Style(theme.Muted), fmt.Sprintf(" and %d more, in the report", len(p.wrong)-i)), w))
			break
		}
		lines = append(lines, layout.Cut(" "+layout.Text(th.Style(v.Role), "▲ "+p.Client.Mask(v.Text)), w))
	}
	return append(lines, "")
}

// frameLines are those of the window around a page.
const frameLines = 7

// blank is what stands in place of entries.
func (p *Story) blank(_ error, w int) []string {
	th := p.Theme
	switch {
	case p.isLost():
		return page.Problem(th, p.facts.OrderErr, "", "r", w)
	case p.failed:
		return []string{
			layout.Text(th.Style(theme.Good), " ✓ No failures found."), "",
			" " + layout.Text(th.Key, "b") + layout.Text(th.Style(theme.Muted), " show all"),
		}
	}
	return []string{layout.Text(th.Style(theme.Text), " No entries yet.")}
}

// foot says below the list what is left out and what could not be read.
func (p *Story) foot(w int) (foot []string) {
	th := p.Theme
	muted := th.Style(theme.Muted)
	faults := slices.DeleteFunc(p.facts.Faults(), func(f timeline.Fault) bool { return f.Source == timeline.FromOrder }) // said above the list
	for i, f := range faults {
		if i == 1 && len(faults) > 2 {
			foot = append(foot, layout.Text(muted, fmt.Sprintf("   and %d more sources could not be read", len(faults)-1)))
			break
		}
		what, _ := labels.Explain(f.Err)
		foot = append(foot, layout.Cut(layout.Text(th.Style(theme.Bad), " ! could not load: "+strings.TrimSpace(string(f.Source)+" "+p.Client.Mask(f.About)))+layout.Text(muted, "  "+p.Client.Mask(what)), w))
	}
	if n := p.routine(); n > 0 && !p.all {
		foot = append(foot, layout.Cut(layout.Text(muted, " "+format.Count(n, "read request", "read requests")+" hidden · ")+
			layout.Text(th.Key, "v")+layout.Text(muted, " shows them"), w))
	}
	if p.failed {
		foot = append(foot, layout.Text(th.Style(theme.Attention), " problems only")+layout.Text(muted, " · ")+layout.Text(th.Key, "b")+layout.Text(muted, " shows all"))
	}
	return foot
}

// routine counts the requests that only read something.
func (p *Story) routine() (n int) {
	for i := range p.entries {
		if p.entries[i].Routine {
			n++
		}
	}
	return n
}

// entryView draws the selected entry.
func (p *Story) entryView(e *timeline.Entry, w, h int) string {
	return layout.Box(p.scroll.View(p.entry(e, w), h, p.Theme.Style(theme.Muted)), w, h)
}

func (p *Story) entry(e *timeline.Entry, w int) []string {
	th := p.Theme
	muted := th.Style(theme.Muted)
	var lines []string
	for _, part := range layout.Wrap(layout.Clean(e.Glyph+" "+e.What), w-2) {
		lines = append(lines, " "+layout.Text(th.Style(e.Role), part))
	}
	when := "time unknown"
	switch now := p.Now(); {
	case e.At.IsZero():
	case e.Ahead(now):
		when = e.At.In(now.Location()).Format("2006-01-02 15:04:05 -07:00") + ", " + format.Until(e.At, now)
	default:
		when = e.At.In(now.Location()).Format("2006-01-02 15:04:05 -07:00") + ", " + format.Ago(e.At, now)
	}
	lines = append(lines, layout.Cut(" "+layout.Text(muted, when), w), layout.Cut(" "+layout.Text(muted, "source: "+known[e.Source]), w), "")
	for _, f := range e.Fields {
		lines = append(lines, widget.WrapFacts(th, 13, w, widget.Text(f.Name, f.Value))...)
	}
	return append(lines, "", layout.Cut(" "+layout.Text(th.Key, "enter")+layout.Text(muted, " "+p.goes(e)), w))
}

// known says what a source is.
var known = map[timeline.Source]string{
	timeline.FromOrder: "the order", timeline.FromMission: "the mission", timeline.FromPlanning: "the planning history",
	timeline.FromPermission: "the flight permission", timeline.FromDelivery: "the delivery packages", timeline.FromQuote: "the order's quotes",
	timeline.FromDecision: "the decision log on this computer", timeline.FromCallback: "the endpoint's log",
	timeline.FromNotice:   "the log of completion notices",
	timeline.FromGap:      "an event that no log row belongs to",
	timeline.FromReceived: "a live event received by the app", timeline.FromWire: "the request log of this run",
}

// goes says where enter goes.
func (p *Story) goes(e *timeline.Entry) string {
	switch {
	case e.Exchange != nil:
		return "opens the request"
	case e.Source == timeline.FromQuote || e.Source == timeline.FromDecision:
		return "compares the quotes"
	case e.Endpoint != "":
		return "opens the endpoint"
	case e.Mission != "":
		return "opens the mission"
	}
	return "opens the order"
}
