package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// The size of the smallest usable window.
const (
	minWidth  = 60
	minHeight = 18
)

// frameRow is a line of the frame with its clickable areas.
type frameRow struct {
	text  string
	areas clickAreas
}

// navRow is the row of the section names.
const navRow = 1

// hasRules reports whether a window of this height has room for the two horizontal rules.
func hasRules(height int) bool { return height >= 24 }

// drawBreadcrumbs returns the row of the breadcrumbs: the titles of the pages on the stack, the
// top page's most important fact (see [page.Lead]), and its counts and ages at the right. A click
// on a title returns to its page.
func (a *App) drawBreadcrumbs() frameRow {
	th := a.ws.env.Look.Theme
	w := a.ws.env.Look.Width
	const cornerMargins = 2 // a blank before the corner text and one after it
	top := a.ws.pages.top()
	note := top.CornerText()
	titlesWidth := max(w*2/3, w-format.Width(note)-cornerMargins)
	row := drawTitles(th, &a.ws.pages, titlesWidth)
	room := w - format.Width(row.text) - cornerMargins
	var lead page.Lead
	if leader, ok := top.(page.Leader); ok {
		whole := note
		lead = shortenLead(leader.LeadOf(), room)
		note = fitNote(whole, room-leadWidth(lead))
		if note == "" && lead.Short != "" { // the counts are worth more than the rest of a long lead
			lead.Text = lead.Short
			note = fitNote(whole, room-leadWidth(lead))
		}
	}
	corner := th.PaintMuted(note) + " "
	row.text += drawLead(th, lead, room-format.Width(note))
	return frameRow{format.FitEnds(row.text, corner, w), row.areas}
}

// drawTitles renders the titles of the pages on the current stack, for example "Orders › ORD-17". If they need more
// than w cells, it leaves out titles after the first one, as in "Orders › … › Timeline".
func drawTitles(th *theme.Theme, pages *stacks, w int) frameRow {
	row := frameRow{text: " "}
	titles := page.BreadcrumbTitles(pages.pages())
	omitted := countOmitted(titles, w-format.Width(row.text))
	for i, title := range titles {
		if i > 0 && i <= omitted {
			continue
		}
		gap := ""
		if i > 0 {
			gap = titleGap
		}
		if omitted > 0 && i == omitted+1 {
			gap = omittedGap
		}
		gap = th.PaintMuted(gap)
		row.addPart(gap, th.PaintTitle(title), func() tea.Cmd { return pages.backTo(i) })
	}
	return row
}

// Texts between the titles of the breadcrumbs.
const (
	titleGap   = " › "
	omittedGap = " › … › " // for titles that are left out
)

// countOmitted returns how many titles after the first one must be left out, so that the others fit into w cells. It
// never counts the last title, which names the page on the screen.
func countOmitted(titles []string, w int) int {
	width := format.Width(strings.Join(titles, titleGap))
	omitted := 0
	for width > w && omitted < len(titles)-2 {
		omitted++
		shown := strings.Join(titles[omitted+1:], titleGap)
		width = format.Width(titles[0] + omittedGap + shown)
	}
	return omitted
}

const (
	// leadMargins is the number of blanks around the lead, the most important fact on a page: three before
	// its text, two between its text and its key, and one after its key.
	leadMargins = 6
	// minLeadWidth is the smallest number of cells in which the text of a lead is still useful.
	minLeadWidth = 20
)

// shortenLead returns the lead with its short text if the first part of its text and its key need more than w cells.
// If the short text and the key do not fit either, it removes the key.
func shortenLead(lead page.Lead, w int) page.Lead {
	if lead.Short == "" || leadWidth(lead) <= w {
		return lead
	}
	lead.Text = lead.Short
	if leadWidth(lead) > w {
		lead.Key = ""
	}
	return lead
}

// leadWidth returns how many cells the first part of a lead needs, with its key.
func leadWidth(lead page.Lead) int {
	if lead.Text == "" {
		return 0
	}
	first, _, _ := strings.Cut(format.Clean(lead.Text), " · ")
	hint := 0
	if lead.Key != "" {
		hint = format.Width("press " + lead.Key + " " + lead.Does)
	}
	return max(minLeadWidth, format.Width(first)) + hint + leadMargins
}

// fitNote shortens a page's corner text to at most w cells, or to "". It first leaves out the time of the
// last refresh. Then it leaves out parts at the beginning, because the last parts describe what failed or is
// missing. For example, "24 missions · 2 not loaded · refreshed just now" becomes "24 missions · 2 not
// loaded", and then "2 not loaded".
func fitNote(note string, w int) string {
	if format.Width(note) > w {
		counts, last, _ := cutLast(note, " · ")
		if strings.HasPrefix(last, "refreshed ") {
			note = counts
		}
	}
	for format.Width(note) > w {
		_, rest, ok := strings.Cut(note, " · ")
		if !ok {
			return ""
		}
		note = rest
	}
	return note
}

// cutLast returns the parts of a text before and after the last separator.
func cutLast(text, separator string) (before, after string, ok bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

// drawLead renders a lead, the most important fact on a page, and the key for dealing with it. The result has at most w
// cells. If the text of the lead is too long, drawLead leaves out parts at its end; " · " separates the parts. If the
// first part alone is too long, drawLead cuts it. The key is never cut. If fewer than minLeadWidth cells are left for
// the text, drawLead returns "".
func drawLead(th *theme.Theme, lead page.Lead, w int) string {
	hint := ""
	if lead.Key != "" {
		hint = th.PaintMuted("press ") + th.PaintHint(lead.Key, lead.Does)
	}
	room := w - format.Width(hint) - leadMargins
	if lead.Text == "" || room < minLeadWidth {
		return ""
	}
	text := dropParts(format.Clean(lead.Text), room)
	text = format.CutLine(text, room)
	return "   " + th.PaintRole(theme.Attention, text) + "  " + hint
}

// dropParts removes parts at the end of a text, which are separated by " · ", until the text fits into w
// cells or has only one part.
func dropParts(text string, w int) string {
	for format.Width(text) > w {
		before, _, ok := cutLast(text, " · ")
		if !ok {
			return text
		}
		text = before
	}
	return text
}

// addPart appends a clickable part after a gap.
func (r *frameRow) addPart(gap, part string, do func() tea.Cmd) {
	r.text += gap
	r.areas = append(r.areas, clickArea{
		x:  format.Width(r.text),
		w:  format.Width(part),
		do: do,
	})
	r.text += part
}

// shift moves the row's clickable areas to the right.
func (r *frameRow) shift(cells int) {
	for i := range r.areas {
		r.areas[i].x += cells
	}
}

// rightmostFooter is the smallest footer position of the actions that are always shown at the right: back,
// palette, help and quit. The actions of the page share the rest of the footer.
const rightmostFooter = 97

// minPaletteHintWidth is the smallest width of a window with the key hint of the palette. In a narrower window, the
// key hints of the page need its room.
const minPaletteHintWidth = 100

// drawKeys returns the row of the key hints.
func (a *App) drawKeys() frameRow {
	w := a.ws.env.Look.Width
	acts := a.footerActions()
	split := slices.IndexFunc(acts, func(act action.Action) bool { return act.Footer >= rightmostFooter })
	if split < 0 {
		split = len(acts)
	}
	right := a.keyHints(acts[split:], w)
	rightWidth := format.Width(right.text)
	left := a.keyHints(acts[:split], w-rightWidth-4)
	left.shift(1)
	right.shift(w - rightWidth - 1)
	return frameRow{
		text:  format.FitEnds(" "+left.text, right.text+" ", w),
		areas: append(left.areas, right.areas...),
	}
}

// keyHints returns the key hints that fit into w cells.
func (a *App) keyHints(acts []action.Action, w int) frameRow {
	th := a.ws.env.Look.Theme
	isTyping := a.ws.pages.top().IsTyping()
	var r frameRow
	gap := ""
	for _, act := range acts {
		hint := th.PaintHint(action.KeyLabel(act.ShownKey(isTyping)), act.Title)
		if format.Width(r.text+gap+hint) > w {
			break
		}
		r.addPart(gap, hint, func() tea.Cmd { return a.performAction(act) })
		gap = "  "
	}
	return r
}

// View renders the screen, at most once per frame. After a panic it returns an empty view; the
// next Update ends the app.
func (a *App) View() tea.View {
	var view tea.View
	a.opts.Terminal.work(func() {
		defer a.guardUpdate(nil)
		view = a.limiter.drawFrame(func() tea.View {
			frame := a.render()
			a.screen.show(frame)
			return frame
		})
	})
	return view
}

// render renders the screen. The returned view also sets the mouse mode, the colours and the progress bar of
// the terminal.
func (a *App) render() tea.View {
	look := &a.ws.env.Look
	v := tea.NewView("")
	v.ProgressBar = a.ws.status.progressBar()
	v.MouseMode = a.mouse.mode(a.ws.topmost())
	if !a.look.isAuto() { // an automatic theme keeps the terminal's colours
		v.BackgroundColor = look.Theme.PageColor()
		v.ForegroundColor = look.Theme.TextColor()
	}
	hasSize := look.Width > 0 && look.Height > 0
	if !hasSize || a.look.isWaiting {
		return v
	}
	if look.Width < minWidth || look.Height < minHeight {
		v.Content = drawTooSmall(look.Width, look.Height)
		return v
	}
	content, cursor := a.drawScreen()
	content = a.terminal.glyphs.GlyphSet().DrawText(content)
	v.Content = a.ws.env.Files.HidePaths(content)
	v.Cursor = cursor
	return v
}

// drawTooSmall returns the content of a window that is too small for the app.
func drawTooSmall(w, h int) string {
	size := fmt.Sprintf(" %dx%d, needs %dx%d", w, h, minWidth, minHeight)
	return format.FitBox([]string{" Window too small:", size, " ctrl+c quit"}, w, h)
}

// topmost returns the dialog or page that gets the input: the top dialog, or the top page if no dialog is
// open.
func (ws *workspace) topmost() any {
	if d := ws.dialogs.top(); d != nil {
		return d
	}
	return ws.pages.top()
}

// drawScreen draws the page and its frame, and dialogs or jump labels over both. It records the
// clickable areas of the frame.
func (a *App) drawScreen() (string, *tea.Cursor) {
	look := &a.ws.env.Look
	top := a.ws.pages.top()
	pageY, pageHeight := a.PageRows()
	pageView := top.View(look.Width, pageHeight)
	head := a.drawHead()
	foot := a.drawFoot()
	content := a.ws.joinRows(head, pageView, foot)
	a.clickable.set(head, foot, a.ws.env.Look.Height)

	if a.jumps.isShown {
		a.jumps.labelParts(top, pageY, a.clickable)
		content = a.jumps.drawLabels(content, look.Theme.SelectedStyle(theme.Attention).Bold())
	}
	if a.ws.dialogs.top() != nil {
		footRows := 0
		if len(a.ws.held.waiting) > 0 { // dialogs do not cover the countdown
			footRows = min(2, len(foot))
		}
		return a.ws.dialogs.draw(content, look.Theme, look.Width, look.Height, footRows)
	}
	pageCursor := top.Cursor()
	if pageCursor == nil || a.jumps.isShown {
		return content, nil
	}
	return content, tea.NewCursor(pageCursor.X, pageY+pageCursor.Y)
}

// joinRows joins the rows of the screen from top to bottom: the head, the page, the download panel, and the foot. If
// there are too many rows, the last rows above the foot are left out.
func (ws *workspace) joinRows(head []frameRow, pageView string, foot []frameRow) string {
	env := ws.env
	look := &env.Look
	downloads := env.Profile.Downloads
	panelHeight := panelRows(downloads, look.Height)
	panel := downloadPanel(downloads, look.Theme, look.Width, panelHeight, env.Files.ShortPath)

	lines := textsOf(head)
	lines = append(lines, format.SplitLines(pageView)...)
	lines = append(lines, panel...)
	lines = lines[:min(len(lines), look.Height-len(foot))]
	lines = append(lines, textsOf(foot)...)
	return strings.Join(lines, "\n")
}

// drawRule returns a horizontal rule of w cells.
func drawRule(th *theme.Theme, w int) frameRow {
	return frameRow{text: th.Rule.Render(strings.Repeat("─", w))}
}

// drawHead returns the rows above the page.
func (a *App) drawHead() []frameRow {
	look := &a.ws.env.Look
	band := a.band()
	rows := []frameRow{
		{text: band.render(look.Theme, look.Width)},
		a.navigation().draw(look.Theme, look.Width),
		a.drawBreadcrumbs(),
	}
	if hasRules(look.Height) {
		rows = append(rows, drawRule(look.Theme, look.Width))
	}
	return rows
}

// drawFoot returns the rows below the page. The key hints are left out if the status has two rows. A low window has a
// single row, in which a toast or a countdown replaces the key hints; a second row of the status covers the last row
// of the page.
func (a *App) drawFoot() []frameRow {
	look := &a.ws.env.Look
	held := &a.ws.held
	var status []frameRow
	for _, text := range a.ws.status.render(look.Theme, held, a.ws.env.Clock.Now(), look.Width) {
		status = append(status, frameRow{text: text})
	}
	if hasRules(look.Height) {
		rows := append([]frameRow{drawRule(look.Theme, look.Width)}, status...)
		if len(status) == 1 {
			rows = append(rows, a.drawKeys())
		}
		return rows
	}
	hasMessage := a.ws.status.toast.Text != "" || len(held.waiting) > 0
	if hasMessage {
		return status
	}
	return []frameRow{a.drawKeys()}
}

func textsOf(rows []frameRow) []string {
	texts := make([]string, len(rows))
	for i, r := range rows {
		texts[i] = r.text
	}
	return texts
}

// PageRows returns the first row and the number of rows of the page in the window.
func (a *App) PageRows() (top, height int) {
	windowHeight := a.ws.env.Look.Height
	head := 3 // the rows of drawHead
	foot := 1 // the rows of drawFoot
	if hasRules(windowHeight) {
		head = 4
		foot = 3
	}
	panel := panelRows(a.ws.env.Profile.Downloads, windowHeight)
	return head, windowHeight - head - foot - panel
}

// footerActions returns the actions whose keys are shown in the footer, in their order.
func (a *App) footerActions() []action.Action {
	top := a.ws.pages.top()
	isTyping := top.IsTyping()
	isFirstPage := len(a.ws.pages.pages()) == 1
	unlikely, hasUnlikely := top.(page.UnlikelyActions)
	isHidden := func(act action.Action) bool {
		if act.ShownKey(isTyping) == "" || a.disabledReason(act) != "" {
			return true
		}
		if act.ID == action.Palette && a.ws.env.Look.Width < minPaletteHintWidth {
			return true
		}
		leadsNowhere := isFirstPage && !isTyping // while typing, esc ends the typing
		if act.ID == action.Back && leadsNowhere {
			return true
		}
		return hasUnlikely && unlikely.IsUnlikely(act.ID)
	}
	acts := slices.DeleteFunc(action.FooterActions(a.activeScopes()...), isHidden)
	if guide, knowsNext := top.(page.NextStepGuide); knowsNext {
		moveToFront(acts, guide.NextAction())
	}
	return acts
}

// moveToFront moves the action with the given ID to the front of acts. It does nothing if the action is not in
// acts.
func moveToFront(acts []action.Action, id action.ID) {
	at := slices.IndexFunc(acts, func(act action.Action) bool { return act.ID == id })
	if at < 0 {
		return
	}
	moved := acts[at]
	copy(acts[1:], acts[:at])
	acts[0] = moved
}

// nonEmpty returns the parts that are not "".
func nonEmpty(parts ...string) []string {
	return slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return p == "" })
}
