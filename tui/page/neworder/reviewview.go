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

func (r *review) view(w, h int) string {
	left := w
	if r.p.Theme.IsWide(w, besideMap) {
		left = w / 2
	}
	lines := r.summary(left)
	if left == w {
		r.left, r.above = 0, min(len(lines), h)
		box := layout.Box(lines[:r.above], w, r.above)
		if rest := h - r.above; rest > 0 {
			box += "\n" + r.request(w, rest)
		}
		return box
	}
	r.left, r.above = left+2, 0
	lines = append(lines, r.missions(left, h-len(lines))...)
	return layout.Beside(r.p.Theme.Rule.Render(" │"), layout.Box(lines, left, h), r.request(w-left-2, h))
}

// request is the request shown, as the tab has it.
func (r *review) request(w, h int) string {
	th := r.p.Theme
	head := " "
	for i, title := range tabTitles {
		if i == r.tab {
			head += th.Section.Render("[") + layout.Text(th.Section, title) + th.Section.Render("]") + " "
		} else {
			head += " " + layout.Text(th.Style(theme.Muted), title) + "  "
		}
	}
	right := "POST /orders "
	if n := len(r.orders); n > 1 {
		done := len(r.p.draft.Placed)
		right = fmt.Sprintf("←→ order %s of %s ", group(done+r.shown+1), group(done+n))
	}
	line := layout.Ends(head, layout.Text(th.Style(theme.Muted), right), w)
	if h < 2 {
		return layout.Box([]string{line}, w, h)
	}
	if r.tab == tabMap {
		return layout.Box([]string{line}, w, 1) + "\n" + r.smap.View(th, w, h-1)
	}
	return layout.Box(append([]string{line}, r.text(w, h-1)...), w, h)
}

// text is the lines of the request that there is room for.
func (r *review) text(w, h int) []string {
	th, all := r.p.Theme, r.lines
	if r.tab == tabCurl {
		all = wrapped(r.curl, w-2)
		if r.making.Open() {
			all = []string{"Preparing the command…"}
		}
	}
	muted := th.Style(theme.Muted)
	r.scroll.Set(all, h-1, false)
	lines := r.scroll.Shown(muted)
	for i, l := range lines {
		lines[i] = layout.Text(muted, " "+l)
	}
	if from, n := r.scroll.Offset(), len(all); n > h-1 && h > 0 {
		more := fmt.Sprintf(" Lines %d–%d of %d · %s · j k scroll · y copy", from+1, from+len(lines), n, format.Bytes(int64(r.orders[r.shown].Size)))
		lines = append(lines, layout.Text(muted, layout.Cut(more, w)))
	}
	return lines
}

// mostCurl is how much of a long command is shown, in bytes; it is copied whole.
const mostCurl = 16_000

// wrapped breaks lines at w characters.
func wrapped(lines []string, w int) []string {
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

// summary says in words what will be sent, what is in the way, and how the
// sending stands.
func (r *review) summary(w int) []string {
	th, d := r.p.Theme, r.p.draft
	counts := strings.Join(append([]string{format.Count(len(d.Included()), "mission", "missions")}, measures(d)...), " · ")
	var req api.CreateOrderRequest
	if len(r.orders) > 0 {
		req = r.orders[r.shown].Request
	}
	text, muted := th.Style(theme.Text), th.Style(theme.Muted)
	lines := []string{
		" " + layout.Text(th.Title, d.Value("orderName")),
		" " + layout.Text(muted, d.Value("companyName")),
		" " + layout.Text(text, counts),
		" " + layout.Text(text, labels.List(req.Order.Sensors, labels.Sensor)+" → "+labels.List(req.Order.Deliverables, labels.Deliverable)),
		" " + layout.Text(text, format.Date(req.Order.StartDate.Time, r.p.Now())+" → "+format.Date(req.Order.Deadline.Time, r.p.Now())),
		" " + layout.Text(muted, fmt.Sprintf("%s · %s · %s", labels.OrderType(req.Order.OrderType).Label,
			labels.Objective(req.Order.MissionObjective).Label, labels.AssetType(req.Order.IndustryAssetType).Label)),
	}
	if note := d.SplitNote(r.p.Now()); note != "" {
		for _, part := range layout.Wrap(note, w-2) {
			lines = append(lines, " "+layout.Text(th.Style(theme.Attention), part))
		}
	}
	known, doubled := d.Duplicates()
	for _, found := range []struct {
		n          int
		text, mark string
	}{{known, " ordered or drafted already", knownMark}, {doubled, " twice in this order", doubledMark}} {
		if found.n > 0 {
			lines = append(lines, " "+layout.Text(th.Style(theme.Attention), format.Count(found.n, "site", "sites")+found.text)+", marked "+found.mark+" in Sites")
		}
	}
	for i, o := range d.Placed {
		if i == 4 && len(d.Placed) > 5 {
			lines = append(lines, " "+layout.Text(muted, "and "+group(len(d.Placed)-4)+" more"))
			break
		}
		lines = append(lines, " "+layout.Text(th.Style(theme.Good), "● "+o.Code)+layout.Text(muted, "  "+o.Name+", placed"))
	}
	if out := len(slices.DeleteFunc(slices.Clone(d.Sites), func(s *ordering.Site) bool { return s.In })); out > 0 {
		lines = append(lines, " "+layout.Text(muted, "Not included: "+format.Count(out, "site", "sites")))
	}
	lines = append(append(lines, ""), r.state(w)...)
	return append(lines, "")
}

// missions lists what will be flown where, as far as there is room.
func (r *review) missions(w, h int) []string {
	th, in := r.p.Theme, []*ordering.Site(nil)
	if len(r.orders) > 0 {
		in = r.orders[r.shown].Sites
	}
	var lines []string
	for i, s := range in {
		if len(lines) == h-1 && i < len(in)-1 {
			return append(lines, layout.Text(th.Style(theme.Muted), fmt.Sprintf(" and %s more", group(len(in)-i))))
		}
		right := layout.Left(labels.MissionType(s.Type).Label, 8) + layout.Right(s.SizeText(), 11) + "  " + layout.Left(layout.Clean(s.Country), 16)
		name := layout.Left(layout.Clean(s.Name), max(0, w-layout.Width(right)-3))
		lines = append(lines, " "+layout.Text(th.Style(theme.Text), name)+" "+layout.Text(th.Style(theme.Muted), right))
	}
	return lines[:max(0, min(len(lines), h))]
}

// state says how the order stands: its faults, the sending, or that it is
// ready.
func (r *review) state(w int) []string {
	th := r.p.Theme
	if r.placing.Open() {
		which := ""
		if d := r.p.draft; len(d.Placed)+len(r.orders) > 1 {
			which = fmt.Sprintf(", order %s of %s", group(len(d.Placed)+1), group(len(d.Placed)+len(r.orders)))
		}
		return []string{layout.Text(th.Style(theme.InProgress), " Waiting for "+r.p.Host+which)}
	}
	var lines []string
	for i, fault := range r.all() {
		if i == 5 {
			lines = append(lines, layout.Text(th.Style(theme.Muted), "   and "+group(len(r.all())-i)+" more"))
			break
		}
		for k, part := range layout.Wrap(faultText(fault), w-5) {
			mark := " ! "
			if k > 0 {
				mark = "   "
			}
			lines = append(lines, layout.Text(th.Style(theme.Bad), mark+part))
		}
	}
	switch {
	case r.lost && r.err == nil:
		return append(lines, layout.Text(th.Style(theme.Attention), " ! No response. The order may exist."),
			"   "+layout.Text(th.Key, "r")+layout.Text(th.Style(theme.Text), " check before sending again"))
	case r.lost:
		lines = append(lines, page.Problem(th, r.err, "Your draft is saved.", "", w)...)
		return append(lines, layout.Text(th.Style(theme.Attention), "   The order may exist. It is not sent again until you check:"),
			"   "+layout.Text(th.Key, "r")+layout.Text(th.Style(theme.Text), " check before sending again"))
	case r.err != nil:
		again := "r"
		if len(r.refused) > 0 {
			again = ""
		}
		return append(lines, page.Problem(th, r.err, "Your draft is saved.", again, w)...)
	case len(lines) == 0:
		lines = append(lines, " "+layout.Text(th.Style(theme.Good), "✓ Ready to place")+
			layout.Text(th.Style(theme.Muted), "   "+format.Bytes(int64(r.orders[r.shown].Size))+" of "+format.Bytes(api.MaxBodyBytes)))
	}
	return lines
}

// faultText says a fault, and which key mends it.
func faultText(f ordering.Fault) string { return f.Text() + remedies[f.Remedy] }

// remedies are the keys that mend faults.
var remedies = map[ordering.Remedy]string{ordering.GiveCountry: "; press e", ordering.ShortenText: "; press e"}
