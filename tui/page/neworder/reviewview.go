package neworder

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// View draws the order beside its request.
func (r *reviewStep) View(w, h int) string { return r.DrawPage(w/2+1, w, h) }

// renderOrder draws what is ordered: beside the request with its missions, or else
// over it.
func (r *reviewStep) renderOrder(w, h int) string {
	t := textLines{Theme: r.p.Theme, w: w}
	if r.Apart {
		t.w--
	}
	r.renderSummary(&t)
	if r.Apart {
		r.renderMissions(&t, h-len(t.lines))
		return layout.FitBox(t.lines, w, h)
	}
	r.above = min(len(t.lines), h)
	box := layout.FitBox(t.lines, w, r.above)
	if rest := h - r.above; rest > 0 {
		box += "\n" + r.renderRequest(w, rest)
	}
	return box
}

// renderRequest returns the request shown, as the tab has it.
func (r *reviewStep) renderRequest(w, h int) string {
	th := r.p.Theme
	right := "POST /orders "
	if len(r.orders) > 1 {
		right = "←→ order " + r.partNumber(r.shown) + " "
	}
	line := r.tabs.View(th, w-layout.Width(right)) + th.PaintMuted(right)
	if h < 2 {
		return layout.FitBox([]string{line}, w, h)
	}
	r.HideMap()
	if r.tabs.At() == tabMap {
		pane, top := 0, r.above+1
		if r.Apart {
			pane, top = 1, 1
		}
		return layout.FitBox([]string{line}, w, 1) + "\n" + r.DrawMap(pane, top, w, h-1)
	}
	return layout.FitBox(append([]string{line}, r.renderText(w, h-1)...), w, h)
}

// partNumber numbers one of the orders to place, behind those that are placed.
func (r *reviewStep) partNumber(i int) string {
	done := len(r.p.draft.Placed)
	return groupDigits(done+i+1) + " of " + groupDigits(done+len(r.orders))
}

// renderText returns the lines of the request that there is room for.
func (r *reviewStep) renderText(w, h int) []string {
	muted, lines := r.p.Theme.Style(theme.Muted), r.lines
	if r.tabs.At() == tabCurl {
		lines = wrapCommand(r.curl, w-2)
		if r.making.IsOpen() {
			lines = []string{"Preparing the command…"}
		}
	}
	lines = r.Scroll.View(lines, h, muted)
	for i := range min(len(lines), r.Scroll.Height()) { // what is left is counted below them
		lines[i] = layout.CleanText(muted, " "+lines[i])
	}
	return lines
}

// maxCurl is how much of a long command is shown, in bytes; it is copied in full.
const maxCurl = 16_000

// wrapCommand breaks a command into lines of w cells.
func wrapCommand(command string, w int) []string {
	shown := strings.ToValidUTF8(command[:min(len(command), maxCurl)], "")
	lines := strings.Split(ansi.Hardwrap(shown, max(1, w), true), "\n")
	if len(command) > maxCurl {
		lines = append(lines, "… y copies the full command")
	}
	return lines
}

// renderSummary says in words what will be sent, what is in the way, and how the
// sending stands.
func (r *reviewStep) renderSummary(t *textLines) {
	d := r.p.draft
	var req api.OrderInput
	if len(r.orders) > 0 {
		req = r.orders[r.shown].Request.Order
	}
	t.title(d.FieldValue("orderName"), "")
	t.add(
		t.PaintMuted(" "+d.FieldValue("companyName")),
		t.PaintText(" "+strings.Join(r.counts(), " · ")),
		t.PaintText(" "+labels.WordList(req.Sensors)+
			" → "+labels.WordList(req.Deliverables)),
		t.PaintText(
			" "+format.Date(req.StartDate.Time, r.p.Now())+" → "+format.Date(req.Deadline.Time, r.p.Now()),
		),
		t.PaintMuted(fmt.Sprintf(" %s · %s · %s", labels.Word(req.OrderType).Label,
			labels.Word(req.MissionObjective).Label, labels.Word(req.IndustryAssetType).Label)),
	)
	t.say(theme.Attention, d.SplitNote(r.p.Now()))
	known, doubled := d.CountDuplicates()
	for _, some := range []struct {
		n           int
		where, mark string
	}{{known, " ordered or drafted already", knownMark}, {doubled, " twice in this order", doubledMark}} {
		if some.n > 0 {
			t.add(
				t.PaintRole(
					theme.Attention,
					" "+siteCount(some.n)+some.where,
				) + ", marked " + some.mark + " in Sites",
			)
		}
	}
	for i, o := range d.Placed {
		if i == 4 && len(d.Placed) > 5 {
			t.say(theme.Muted, "and "+groupDigits(len(d.Placed)-4)+" more")
			break
		}
		t.add(t.PaintRole(theme.Good, " ● "+o.Code) + t.PaintMuted("  "+o.Name+", placed"))
	}
	if out := len(
		slices.DeleteFunc(slices.Clone(d.Sites), func(s *ordering.Site) bool { return s.In }),
	); out > 0 {
		t.say(theme.Muted, "Not included: "+siteCount(out))
	}
	t.add("")
	r.renderState(t)
	t.add("")
}

// counts returns what the order has: missions, their area and length.
func (r *reviewStep) counts() []string {
	d := r.p.draft
	return append([]string{format.Count(len(d.IncludedSites()), "mission")}, d.SizeTexts(r.p.Units)...)
}

// renderMissions lists what will be flown where, as far as there is room.
func (r *reviewStep) renderMissions(t *textLines, h int) {
	if len(r.orders) == 0 || h < 1 {
		return
	}
	sites := r.orders[r.shown].Sites
	for i, s := range sites {
		if i == h-1 && i < len(sites)-1 {
			t.say(theme.Muted, "and "+groupDigits(len(sites)-i)+" more")
			return
		}
		end := layout.FitLeft(labels.Word(s.Type).Label, 8) + layout.FitRight(s.SizeText(r.p.Units), 11) + "  " +
			layout.FitLeft(layout.Clean(s.Country), 16)
		name := layout.FitLeft(layout.Clean(s.Name), max(0, t.w-layout.Width(end)-3))
		t.add(t.PaintText(" "+name+" ") + t.PaintMuted(end))
	}
}

// renderState says how the order stands: its faults, the sending, or that it is
// ready.
func (r *reviewStep) renderState(t *textLines) {
	const kept = "Your draft is saved."
	if r.placing.IsOpen() {
		which := ""
		if len(r.p.draft.Placed)+len(r.orders) > 1 {
			which = ", order " + r.partNumber(0)
		}
		t.add(t.PaintRole(theme.InProgress, " Waiting for "+r.p.Host+which))
		return
	}
	faults := r.allFaults()
	for i, fault := range faults {
		if i == 5 {
			t.add(t.PaintMuted("   and " + groupDigits(len(faults)-i) + " more"))
			break
		}
		t.note(theme.Bad, " ! ", faultText(fault))
	}
	const check = "check before sending again"
	switch {
	case r.lost && r.err == nil:
		t.note(theme.Attention, " ! ", "No response. The order may exist.")
		t.key("r", check)
	case r.lost:
		t.add(page.RenderProblem(t.Theme, r.err, kept, "", t.w)...)
		t.add(t.PaintRole(theme.Attention, "   The order may exist. It is not sent again until you check:"))
		t.key("r", check)
	case r.err != nil:
		t.add(page.RenderProblem(t.Theme, r.err, kept, page.TextIf(len(r.refused) == 0, "r"), t.w)...)
	case len(faults) == 0:
		size := format.Bytes(int64(r.orders[r.shown].Size)) + " of " + format.Bytes(api.MaxBodyBytes)
		t.add(t.PaintRole(theme.Good, " ✓ Ready to place") + t.PaintMuted("   "+size))
	}
}

// faultText says a fault, and which key mends it.
func faultText(f ordering.OrderFault) string { return f.FaultText() + remedyOf(f) }

func remedyOf(f ordering.OrderFault) string { return page.TextIf(f.ByText, "; press e") }
