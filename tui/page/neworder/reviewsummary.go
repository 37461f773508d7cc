package neworder

import (
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// reviewSummary renders the summary of the shown order. Each call of the page's View makes a new one.
type reviewSummary struct {
	textLines
	env       *page.Env
	draft     *ordering.Draft
	placement *placement
	totals    *siteTotals
	keptNote  string              // says whether the draft is saved, as a sentence
	order     *ordering.OrderPart // the shown order; nil if there is none
	isDense   bool                // there is no room for blank lines
}

// render adds the summary: the name and the facts of the request, remarks on the sites, and the state of the order.
// If they need more than h lines, it leaves out facts and remarks, but never the state.
func (s *reviewSummary) render(h int) {
	title := s.collect(s.addName)
	facts := s.collect(s.addFacts)
	remarks := s.collect(s.addRemarks)
	state := s.collect(s.addState)
	var blank []string
	if !s.isDense {
		blank = []string{""}
	}
	room := h - len(state) - len(blank) // for the lines above the state
	s.lines = slices.Concat(s.fitContent(title, facts, remarks, room), blank, state, blank)
}

// collect calls addLines with an empty summary, and returns the lines that addLines has added.
func (s *reviewSummary) collect(addLines func()) []string {
	s.lines = nil
	addLines()
	return s.lines
}

// fitContent returns the title, the facts and the remarks in at most room lines. If they need more lines, it leaves out
// the last facts, then the last remarks. A line at the end then has the number of lines that were left out.
func (s *reviewSummary) fitContent(title, facts, remarks []string, room int) []string {
	all := slices.Concat(title, facts, remarks)
	if len(all) <= room {
		return all
	}
	if room <= 0 {
		return nil
	}
	lastLine := room - 1
	title = firstLines(title, lastLine)
	remarks = firstLines(remarks, lastLine-len(title))
	facts = firstLines(facts, lastLine-len(title)-len(remarks))
	shown := slices.Concat(title, facts, remarks)
	more := " ↓ " + format.Count(len(all)-len(shown), "more line") + " in a higher window"
	return append(shown, s.PaintMuted(format.CutLine(more, s.w)))
}

// firstLines returns the first n lines, or all lines if there are fewer.
func firstLines(lines []string, n int) []string { return lines[:min(n, len(lines))] }

// addName adds the name of the order.
func (s *reviewSummary) addName() { s.addTitle(s.draft.FieldValue("orderName"), "") }

// addRemarks adds remarks on the sites, the sites that are left out, and the orders that are placed already. If the
// draft is split into several orders, a note about the split is first.
func (s *reviewSummary) addRemarks() {
	totals := s.totals
	s.addNote(theme.Attention, " ! ", totals.split)
	if totals.known > 0 {
		s.addNote(theme.Attention, " "+knownMark+" ", siteCount(totals.known)+" ordered or drafted already; see Sites")
	}
	if totals.duplicates > 0 {
		s.addNote(theme.Attention, " "+twiceMark+" ", siteCount(totals.duplicates)+" twice in this order; see Sites")
	}
	s.addWarnings()
	s.addLeftOut()
	s.addPlaced()
}

// renderShort adds only the name of the order, the numbers of warnings and left-out sites, and the state of the
// order.
func (s *reviewSummary) renderShort() {
	s.addTitle(s.draft.FieldValue("orderName"), strings.Join(s.placement.counts(), " · "))
	s.addRemarkCounts()
	s.addState()
	s.add("")
}

// addRemarkCounts adds a line that counts the warnings and the sites that the user should look at, such as "4 warnings,
// 1 site left out; see Map". Sites that the user excluded are not counted as left out.
func (s *reviewSummary) addRemarkCounts() {
	var counts []string
	if warnings := len(s.siteWarnings()); warnings > 0 {
		counts = append(counts, format.Count(warnings, "warning"))
	}
	if leftOut := s.countLeftOut(); leftOut > 0 {
		counts = append(counts, siteCount(leftOut)+" left out")
	}
	if known := s.totals.known; known > 0 {
		counts = append(counts, siteCount(known)+" ordered or drafted already")
	}
	if duplicates := s.totals.duplicates; duplicates > 0 {
		counts = append(counts, siteCount(duplicates)+" twice")
	}
	if len(counts) == 0 {
		return
	}
	mark := " ! "
	if s.countLeftOut() > 0 && len(counts) == 1 {
		mark = leftOutMark
	}
	text := strings.Join(counts, ", ") + "; see Map"
	s.add(s.PaintRole(theme.Attention, mark) + s.PaintText(format.CutLine(text, s.w-format.Width(mark))))
}

// countLeftOut returns the number of sites that are left out although the user did not exclude them.
func (s *reviewSummary) countLeftOut() int {
	count := 0
	for _, group := range findLeftOut(s.draft) {
		if !group.byUser {
			count += len(group.sites)
		}
	}
	return count
}

// summaryLabel is the width of the labels in the summary.
const summaryLabel = 11

// addFacts adds the facts of the shown request: company, size, period, survey, sensors and products. If the draft
// becomes several orders, the size is the total size of all of them.
func (s *reviewSummary) addFacts() {
	var order api.OrderInput
	if s.order != nil {
		order = s.order.Request.Order
	}
	survey := []string{
		format.Word(order.MissionObjective).Label,
		format.Word(order.IndustryAssetType).Label,
		format.Word(order.OrderType).Label,
	}
	sizeLabel := "Size"
	if len(s.placement.orders) > 1 {
		sizeLabel = "Total size"
	}
	facts := widget.Texts(
		"Company", s.draft.FieldValue("companyName"),
		sizeLabel, strings.Join(s.placement.counts(), " · "),
		"Period", describePeriod(&order, s.env.Clock.Now()),
		"Survey", strings.Join(survey, " · "),
		"Sensors", format.WordList(order.Sensors),
		"Products", format.WordList(order.Deliverables),
	)
	s.add(widget.WrapFacts(s.Theme, summaryLabel, s.w, facts...)...)
}

// describePeriod returns the period from the start to the deadline of an order, such as "Thu 3 Dec 2026 →
// Tue 15 Dec 2026, 13 days".
func describePeriod(order *api.OrderInput, now time.Time) string {
	start := order.StartDate.StartDay(now.Location())
	end := order.Deadline.EndDay(now.Location())
	period := format.ExactDate(start, now) + " → " + format.ExactDate(end, now)
	if start.IsZero() || end.IsZero() || end.End().Before(start.Start()) {
		return period
	}
	return period + ", " + periodLength(start, end)
}

// addPlaced adds the orders of the draft that are placed. From six orders on, only the first
// four are listed.
func (s *reviewSummary) addPlaced() {
	const maxPlaced = 4
	placed := s.draft.Placed
	for i, order := range placed {
		if i == maxPlaced && len(placed) > maxPlaced+1 {
			s.addText(theme.Muted, "and "+groupDigits(len(placed)-maxPlaced)+" more")
			break
		}
		s.add(s.PaintRole(theme.Good, " ● "+order.Code) + s.PaintMuted("  "+order.Name+", placed"))
	}
}

// joinWarning returns a warning after the name of its site: "Field 2: …", or "Field 2, row 3: …"
// if the warning begins with a row or a line.
func joinWarning(name, warning string) string {
	if strings.HasPrefix(warning, "row ") || strings.HasPrefix(warning, "line ") {
		return name + ", " + warning
	}
	return name + ": " + warning
}

// maxSiteWarnings is the number of warnings about sites that the review lists.
const maxSiteWarnings = 3

// addWarnings adds the first [maxSiteWarnings] warnings about the included sites, and the
// number of the other warnings.
func (s *reviewSummary) addWarnings() {
	warnings := s.siteWarnings()
	listed := min(len(warnings), maxSiteWarnings)
	for _, warning := range warnings[:listed] {
		s.addNote(theme.Attention, " ! ", warning)
	}
	if more := len(warnings) - listed; more > 0 {
		s.addNote(theme.Attention, " ! ", "and "+format.Count(more, "more warning")+", marked in Sites")
	}
}

// siteWarnings returns the warnings about the included sites, with the names of the sites.
func (s *reviewSummary) siteWarnings() []string {
	var warnings []string
	for _, site := range s.draft.IncludedSites() {
		for _, warning := range site.Warnings {
			warnings = append(warnings, joinWarning(site.Name, warning))
		}
	}
	return warnings
}

// addMissions adds a line for each mission of the shown order, in at most h lines.
func (s *reviewSummary) addMissions(h int) {
	if s.order == nil || h < 1 {
		return
	}
	list := missionLines{textLines: textLines{Theme: s.Theme, w: s.w}, units: s.env.Look.Units}
	list.addMissions(s.order.Sites, h)
	s.add(list.lines...)
}

// addState adds the state of the order: it is being sent, it has faults and cannot be sent, sending it has failed,
// or it is ready to be placed.
func (s *reviewSummary) addState() {
	if s.placement.sending.IsRunning() {
		s.addProgress()
		return
	}
	faults := s.placement.allFaults()
	s.addFaults(faults)
	if s.placement.isUnchecked() {
		s.addUnchecked()
		return
	}
	if s.draft.Sent != nil {
		s.addNote(theme.Attention, " ! ", "Sent "+s.sentTime()+", not found on the service. It may still arrive.")
	}
	if s.placement.err != nil {
		canRetry := s.placement.disabledReason(action.Retry) == ""
		retryKey := page.TextIf(canRetry, reviewRetryKey())
		s.add(s.env.Look.RenderFault(s.placement.err, s.keptNote, retryKey, s.w)...)
	} else if len(faults) == 0 {
		s.addReady()
	}
}

// reviewRetryKey returns the key that checks whether a sent order exists, or sends an order again.
func reviewRetryKey() string { return action.KeyOf(action.Retry, action.NewOrderReview) }

// addProgress says that an order is being sent, and which of several orders it is.
func (s *reviewSummary) addProgress() {
	text := " Waiting for " + s.env.Profile.Host
	if len(s.draft.Placed)+len(s.placement.orders) > 1 {
		text += ", order " + s.placement.partNumber(0)
	}
	s.add(s.PaintRole(theme.InProgress, text))
}

// sentTime returns the time at which the unconfirmed order was sent, as text.
func (s *reviewSummary) sentTime() string {
	return ordering.SentTime(s.draft.Sent.At, s.env.Clock.Now())
}

// addFaults adds the first five faults and the number of the other faults.
func (s *reviewSummary) addFaults(faults []ordering.OrderFault) {
	const maxFaults = 5
	for i, fault := range faults {
		if i == maxFaults {
			s.add(s.PaintMuted("   and " + groupDigits(len(faults)-i) + " more"))
			break
		}
		s.addNote(theme.Bad, " ! ", faultText(fault))
	}
}

// addUnchecked adds the state of an order that was sent but not confirmed by the service, and the key that checks
// whether the service has the order.
func (s *reviewSummary) addUnchecked() {
	if s.placement.err == nil {
		s.addNote(theme.Attention, " ! ", "Sent "+s.sentTime()+", not confirmed. The order may exist.")
	} else {
		s.add(s.env.Look.RenderFault(s.placement.err, s.keptNote, "", s.w)...)
		s.add(s.PaintText("   The order may exist. It is not sent again until you check:"))
	}
	s.addKey(reviewRetryKey(), "check before sending again")
}

// addReady says that the order is ready to be placed, or why the profile cannot place it. It adds warnings about
// dates in the past, and the size of the request if it is larger than half of the limit.
func (s *reviewSummary) addReady() {
	for _, past := range s.draft.FindPastDates(s.env.Clock.Now()) {
		s.addNote(theme.Attention, " ! ", faultText(past))
	}
	size := s.order.Size
	note := ""
	if size > api.MaxBodyBytes/2 {
		note = "   " + format.Bytes(int64(size)) + " of the " + format.Bytes(api.MaxBodyBytes) + " that an order can have"
	}
	if refusal := s.placement.refusal(); refusal != "" {
		s.addNote(theme.Attention, " ! ", "Complete, but cannot be placed: "+refusal)
		return
	}
	s.add(s.PaintRole(theme.Good, " ✓ Ready to place") + s.PaintMuted(note))
	s.addPlaceKey()
}

// addPlaceKey adds the key that places the order, drawn like a selected row, and a sentence about what happens then.
func (s *reviewSummary) addPlaceKey() {
	key := s.env.Profile.KeyOf(action.Place, action.NewOrderReview)
	button := s.renderStep(key, s.placement.title())
	consequence := s.placement.consequence()
	if format.Width(button)+format.Width(consequence)+2 <= s.w {
		s.add(button + s.PaintText("  "+consequence))
		return
	}
	s.add(button)
	s.addText(theme.Text, consequence)
}

// faultText returns the text of a fault of a site or a field.
func faultText(f ordering.OrderFault) string {
	if field, isField := ordering.FieldByID(f.Field); isField && f.Site == nil {
		return field.Label + " " + f.Message
	}
	return f.FaultText()
}
