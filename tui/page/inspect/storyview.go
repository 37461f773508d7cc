package inspect

import (
	"fmt"
	"slices"
	"strings"

	"flightdesk/tui/cells"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/story"
	"flightdesk/tui/theme"
	"flightdesk/tui/words"
)

// state is the line that says how the subject stands.
func (p *Story) state(w int) string {
	th, o := p.Theme, p.facts.Order
	if o == nil {
		return ""
	}
	name, st := o.OrderName, words.OrderState(o.Status, p.Quoted(o.UUID))
	if p.subject.Mission != "" && len(p.facts.Missions) > 0 {
		m := &p.facts.Missions[0]
		name, st = m.MissionName+", "+o.OrderCode, words.MissionStatus(m.Status)
	}
	return cells.Cut(" "+cells.Text(th.Title, p.Client.Mask(name))+"  "+cells.Text(th.Style(st.Role), st.Glyph+" "+st.Word+" · "+st.Means), w)
}

// head are the lines above the list: how it stands, and what is wrong.
func (p *Story) head(w, h int) []string {
	th := p.Theme
	if err := p.facts.OrderErr; err != nil {
		kept := "what other sources tell"
		if p.facts.Order != nil {
			kept = "the story as it was read before"
		}
		return append(page.Problem(th, err, kept, "r", w), "")
	}
	lines := []string{p.state(w)}
	most := max(3, h/6)
	for i, v := range p.wrong {
		if i == most-1 && len(p.wrong) > most {
			lines = append(lines, cells.Cut(cells.Text(th.Style(theme.Muted), fmt.Sprintf(" and %d more, in the report", len(p.wrong)-i)), w))
			break
		}
		lines = append(lines, cells.Cut(" "+cells.Text(th.Style(v.Role), "▲ "+p.Client.Mask(v.Text)), w))
	}
	return append(lines[:min(len(lines), max(0, h-4))], "")
}

// View draws the story, and from 120 columns on the entry beside it.
func (p *Story) View(w, h int) string {
	switch {
	case p.facts == nil:
		p.above = 0
		return p.list.Loading(w, h)
	case len(p.entries) == 0 && p.facts.OrderErr != nil:
		return cells.Box(page.Problem(p.Theme, p.facts.OrderErr, "", "r", w), w, h)
	}
	head := p.head(w, h)
	p.above = len(head)
	var body string
	switch rest := h - p.above; {
	case len(p.rows) == 0:
		body = cells.Box(p.none(), w, rest)
	case w >= wide:
		body = p.panes.View(p.Theme, w, rest)
	case p.alone:
		body = p.entryView(w, rest)
	default:
		body = p.listView(w, rest)
	}
	return cells.Box(append(head, cells.Lines(body)...), w, h)
}

func (p *Story) none() []string {
	th := p.Theme
	if p.failed {
		return []string{
			cells.Text(th.Style(theme.Good), " ✓ Nothing is known to have gone wrong."), "",
			" " + cells.Text(th.Key, "b") + cells.Text(th.Style(theme.Muted), " shows the whole story"),
		}
	}
	return []string{cells.Text(th.Style(theme.Text), " Nothing is known to have happened.")}
}

// listView draws the list, with what is left out and what could not be read at
// its foot.
func (p *Story) listView(w, h int) string {
	th := p.Theme
	muted := th.Style(theme.Muted)
	var foot []string
	faults := slices.DeleteFunc(p.facts.Faults(), func(f story.Fault) bool { return f.Source == story.FromOrder }) // said above the list
	for i, f := range faults {
		if i == 1 && len(faults) > 2 {
			foot = append(foot, cells.Text(muted, fmt.Sprintf("   and %d more sources could not be read", len(faults)-1)))
			break
		}
		what, _ := page.Explain(f.Err)
		foot = append(foot, cells.Cut(cells.Text(th.Style(theme.Bad), " ! not read: "+strings.TrimSpace(string(f.Source)+" "+p.Client.Mask(f.About)))+cells.Text(muted, "  "+p.Client.Mask(what)), w))
	}
	if n := p.routine(); n > 0 && !p.all {
		foot = append(foot, cells.Cut(cells.Text(muted, " "+format.Count(n, "request that only read is", "requests that only read are")+" left out; ")+
			cells.Text(th.Key, "v")+cells.Text(muted, " shows them"), w))
	}
	if p.failed {
		foot = append(foot, cells.Text(th.Style(theme.You), " only what went wrong")+cells.Text(muted, ", ")+cells.Text(th.Key, "b")+cells.Text(muted, " shows all"))
	}
	p.list.Sheet.Margin = 0
	if p.Width >= wide {
		p.list.Sheet.Margin = 1
	}
	return p.list.View(w, h, true, foot...)
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
func (p *Story) entryView(w, h int) string {
	e := p.current()
	if e == nil {
		return cells.Box(nil, w, h)
	}
	lines := p.entry(e, w)
	p.top = max(0, min(p.top, len(lines)-h))
	return cells.Box(lines[p.top:min(len(lines), p.top+h)], w, h)
}

func (p *Story) entry(e *story.Entry, w int) []string {
	th := p.Theme
	muted := th.Style(theme.Muted)
	var lines []string
	for _, part := range cells.Wrap(cells.Clean(e.Glyph+" "+e.What), w-2) {
		lines = append(lines, " "+cells.Text(th.Style(e.Role), part))
	}
	when := "no source tells when"
	switch now := p.Now(); {
	case e.At.IsZero():
	case e.Ahead(now):
		when = e.At.In(now.Location()).Format("2006-01-02 15:04:05 -07:00") + ", " + format.Until(e.At, now)
	default:
		when = e.At.In(now.Location()).Format("2006-01-02 15:04:05 -07:00") + ", " + format.Ago(e.At, now)
	}
	lines = append(lines, cells.Cut(" "+cells.Text(muted, when), w), cells.Cut(" "+cells.Text(muted, "known from: "+known[e.Source]), w), "")
	for _, f := range e.Fields {
		for i, part := range cells.Wrap(cells.Clean(f.Value), max(10, w-15)) {
			name := ""
			if i == 0 {
				name = f.Name
			}
			lines = append(lines, cells.Cut(" "+cells.Text(muted, cells.Left(name, 13))+cells.Text(th.Style(theme.Text), part), w))
		}
	}
	return append(lines, "", cells.Cut(" "+cells.Text(th.Key, "enter")+cells.Text(muted, " "+p.goes(e)), w))
}

// known says what a source is.
var known = map[story.Source]string{
	story.FromOrder: "the order", story.FromMission: "the mission", story.FromPlanning: "the planning history",
	story.FromPermission: "the flight permission", story.FromDelivery: "the delivery packages", story.FromQuote: "the order's quotes",
	story.FromDecision: "the log of decisions on this machine", story.FromCallback: "the endpoint's log",
	story.FromGap: "what happened, and no log has", story.FromReceived: "an event received here", story.FromWire: "the requests of this run",
}

// goes says where enter goes.
func (p *Story) goes(e *story.Entry) string {
	switch {
	case e.Exchange != nil:
		return "shows the request and its answer"
	case e.Source == story.FromQuote || e.Source == story.FromDecision:
		return "compares the quotes"
	case e.Endpoint != "":
		return "opens the endpoint"
	case e.Mission != "":
		return "opens the mission"
	}
	return "opens the order"
}
