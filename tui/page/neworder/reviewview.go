package neworder

import (
	"fmt"
	"slices"
	"strings"

	"flightdesk/tui/app/ordering"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

func (r *reviewStep) renderStep(w, h int) string {
	left := w
	if r.p.Theme.IsWide(w, besideMap) {
		left = w / 2
	}
	lines := r.renderSummary(left)
	if left == w {
		r.left, r.above = 0, min(len(lines), h)
		box := layout.FitBox(lines[:r.above], w, r.above)
		if rest := h - r.above; rest > 0 {
			box += "\n" + r.renderRequest(w, rest)
		}
		return box
	}
	r.left, r.above = left+2, 0
	lines = append(lines, r.renderMissions(left, h-len(lines))...)
	return layout.Beside(r.p.Theme.Rule.Render(" │"), layout.FitBox(lines, left, h), r.renderRequest(w-left-2, h))
}

// renderRequest returns the request shown, as the tab has it.
func (r *reviewStep) renderRequest(w, h int) string {
	th := r.p.Theme
	head := " "
	for i, title := range tabTitles {
		if i == r.tab {
			head += th.Section.Render("[") + layout.CleanText(th.Section, title) + th.Section.Render("]") + " "
		} else {
			head += " " + layout.CleanText(th.Style(theme.Muted), title) + "  "
		}
	}
	right := "POST /orders "
	if n := len(r.orders); n > 1 {
		done := len(r.p.draft.Placed)
		right = fmt.Sprintf("←→ order %s of %s ", groupDigits(done+r.shown+1), groupDigits(done+n))
	}
	line := layout.FitEnds(head, layout.CleanText(th.Style(theme.Muted), right), w)
	if h < 2 {
		return layout.FitBox([]string{line}, w, h)
	}
	if r.tab == tabMap {
		return layout.FitBox([]string{line}, w, 1) + "\n" + r.smap.View(th, w, h-1)
	}
	return layout.FitBox(append([]string{line}, r.renderText(w, h-1)...), w, h)
}

// renderText returns the lines of the request that there is room for.
func (r *reviewStep) renderText(w, h int) []string {
	th, all := r.p.Theme, r.lines
	if r.tab == tabCurl {
		all = wrapLines(r.curl, w-2)
		if r.making.IsOpen() {
			all = []string{"Preparing the command…"}
		}
	}
	muted := th.Style(theme.Muted)
	r.scroll.SetLines(all, h-1, false)
	lines := r.scroll.ShownLines(muted)
	for i, l := range lines {
		lines[i] = layout.CleanText(muted, " "+l)
	}
	if from, n := r.scroll.Offset(), len(all); n > h-1 && h > 0 {
		more := fmt.Sprintf(" Lines %d–%d of %d · %s · j k scroll · y copy", from+1, from+len(lines), n, format.Bytes(int64(r.orders[r.shown].Size)))
		lines = append(lines, layout.CleanText(muted, layout.CutLine(more, w)))
	}
	return lines
}

// mostCurl is how much of a long command is shown, in bytes; it is copied whole.
const mostCurl = 16_000

// wrapLines breaks lines at w characters.
func wrapLines(lines []string, w int) []string {
	var out []string
	left := mostCurl
	for _, l := range lines {
		whole := len(l) <= left
		l = l[:min(len(l), left)]
		left -= len(l)
		for r := []rune(strings.ToValidUTF8(l, "")); len(r) > 0; {
			n := min(len(r), max(1, w))
			out = append(out, string(r[:n]))
			r = r[n:]
		}
		if !whole {
			return append(out, "… y copies the full command")
		}
	}
	return out
}

// renderSummary says in words what will be sent, what is in the way, and how the
// sending stands.
func (r *reviewStep) renderSummary(w int) []string {
	th, d := r.p.Theme, r.p.draft
	counts := strings.Join(append([]string{format.Count(len(d.IncludedSites()), "mission", "missions")}, sizeTexts(d)...), " · ")
	var req api.CreateOrderRequest
	if len(r.orders) > 0 {
		req = r.orders[r.shown].Request
	}
	text, muted := th.Style(theme.Text), th.Style(theme.Muted)
	lines := []string{
		" " + layout.CleanText(th.Title, d.FieldValue("orderName")),
		" " + layout.CleanText(muted, d.FieldValue("companyName")),
		" " + layout.CleanText(text, counts),
		" " + layout.CleanText(text, labels.WordList(req.Order.Sensors, labels.SensorWord)+" → "+labels.WordList(req.Order.Deliverables, labels.DeliverableWord)),
		" " + layout.CleanText(text, format.Date(req.Order.StartDate.Time, r.p.Now())+" → "+format.Date(req.Order.Deadline.Time, r.p.Now())),
		" " + layout.CleanText(muted, fmt.Sprintf("%s · %s · %s", labels.OrderType(req.Order.OrderType).Label,
			labels.ObjectiveWord(req.Order.MissionObjective).Label, labels.AssetType(req.Order.IndustryAssetType).Label)),
	}
	if note := d.SplitNote(r.p.Now()); note != "" {
		for _, part := range layout.Wrap(note, w-2) {
			lines = append(lines, " "+layout.CleanText(th.Style(theme.Attention), part))
		}
	}
	known, doubled := d.CountDuplicates()
	for _, found := range []struct {
		n          int
		text, mark string
	}{{known, " ordered or drafted already", knownMark}, {doubled, " twice in this order", doubledMark}} {
		if found.n > 0 {
			lines = append(lines, " "+layout.CleanText(th.Style(theme.Attention), format.Count(found.n, "site", "sites")+found.text)+", marked "+found.mark+" in Sites")
		}
	}
	for i, o := range d.Placed {
		if i == 4 && len(d.Placed) > 5 {
			lines = append(lines, " "+layout.CleanText(muted, "and "+groupDigits(len(d.Placed)-4)+" more"))
			break
		}
		lines = append(lines, " "+layout.CleanText(th.Style(theme.Good), "● "+o.Code)+layout.CleanText(muted, "  "+o.Name+", placed"))
	}
	if out := len(slices.DeleteFunc(slices.Clone(d.Sites), func(s *ordering.Site) bool { return s.In })); out > 0 {
		lines = append(lines, " "+layout.CleanText(muted, "Not included: "+format.Count(out, "site", "sites")))
	}
	lines = append(append(lines, ""), r.renderState(w)...)
	return append(lines, "")
}

// renderMissions lists what will be flown where, as far as there is room.
func (r *reviewStep) renderMissions(w, h int) []string {
	th, in := r.p.Theme, []*ordering.Site(nil)
	if len(r.orders) > 0 {
		in = r.orders[r.shown].Sites
	}
	var lines []string
	for i, s := range in {
		if len(lines) == h-1 && i < len(in)-1 {
			return append(lines, layout.CleanText(th.Style(theme.Muted), fmt.Sprintf(" and %s more", groupDigits(len(in)-i))))
		}
		right := layout.FitLeft(labels.MissionType(s.Type).Label, 8) + layout.FitRight(s.SizeText(), 11) + "  " + layout.FitLeft(layout.Clean(s.Country), 16)
		name := layout.FitLeft(layout.Clean(s.Name), max(0, w-layout.Width(right)-3))
		lines = append(lines, " "+layout.CleanText(th.Style(theme.Text), name)+" "+layout.CleanText(th.Style(theme.Muted), right))
	}
	return lines[:max(0, min(len(lines), h))]
}

// renderState says how the order stands: its faults, the sending, or that it is
// ready.
func (r *reviewStep) renderState(w int) []string {
	th := r.p.Theme
	if r.placing.IsOpen() {
		which := ""
		if d := r.p.draft; len(d.Placed)+len(r.orders) > 1 {
			which = fmt.Sprintf(", order %s of %s", groupDigits(len(d.Placed)+1), groupDigits(len(d.Placed)+len(r.orders)))
		}
		return []string{layout.CleanText(th.Style(theme.InProgress), " Waiting for "+r.p.Host+which)}
	}
	var lines []string
	for i, fault := range r.allFaults() {
		if i == 5 {
			lines = append(lines, layout.CleanText(th.Style(theme.Muted), "   and "+groupDigits(len(r.allFaults())-i)+" more"))
			break
		}
		for k, part := range layout.Wrap(faultText(fault), w-5) {
			mark := " ! "
			if k > 0 {
				mark = "   "
			}
			lines = append(lines, layout.CleanText(th.Style(theme.Bad), mark+part))
		}
	}
	switch {
	case r.lost && r.err == nil:
		return append(lines, layout.CleanText(th.Style(theme.Attention), " ! No response. The order may exist."),
			"   "+layout.CleanText(th.Key, "r")+layout.CleanText(th.Style(theme.Text), " check before sending again"))
	case r.lost:
		lines = append(lines, page.RenderProblem(th, r.err, "Your draft is saved.", "", w)...)
		return append(lines, layout.CleanText(th.Style(theme.Attention), "   The order may exist. It is not sent again until you check:"),
			"   "+layout.CleanText(th.Key, "r")+layout.CleanText(th.Style(theme.Text), " check before sending again"))
	case r.err != nil:
		again := "r"
		if len(r.refused) > 0 {
			again = ""
		}
		return append(lines, page.RenderProblem(th, r.err, "Your draft is saved.", again, w)...)
	case len(lines) == 0:
		lines = append(lines, " "+layout.CleanText(th.Style(theme.Good), "✓ Ready to place")+
			layout.CleanText(th.Style(theme.Muted), "   "+format.Bytes(int64(r.orders[r.shown].Size))+" of "+format.Bytes(api.MaxBodyBytes)))
	}
	return lines
}

// faultText says a fault, and which key mends it.
func faultText(f ordering.OrderFault) string { return f.FaultText() + remedies[f.Remedy] }

// remedies are the keys that mend faults.
var remedies = map[ordering.FaultRemedy]string{ordering.GiveCountry: "; press e", ordering.ShortenText: "; press e"}
