package webhooks

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// Section is the "Webhooks" section of the app.
var Section = page.Section{
	Go:    action.GoWebhooks,
	Name:  "Webhooks",
	Short: "Web",
	First: NewList,
}

// EndpointList is the page of the account's endpoints and their health. Until the user moves the selection, the
// page selects the first failing endpoint.
type EndpointList struct {
	*page.List[*endpoint]
	tracker   *endpointTracker
	isPlaced  bool   // the selection does not change by itself: the user moved it, or all logs are loaded
	suggested string // ID of the last endpoint that the page itself selected; "" before the first

	// showsRecent is set while a frame is drawn if the newest callbacks of all endpoints are below the list. The
	// details, which are drawn after the list, then leave out the newest callbacks.
	showsRecent bool
}

// View draws the list and the details of the selected endpoint.
func (p *EndpointList) View(w, h int) string {
	p.showsRecent = false
	return p.List.View(w, h)
}

// NewList returns the page of all endpoints.
func NewList(env *page.Env) page.Page {
	base := page.NewBase(env)
	et := newEndpointTracker(base)
	p := &EndpointList{tracker: et}
	endpointOf := func(row *endpoint) *endpoint { return row } // the rows are endpoints
	actions := toolActions(et, endpointOf, noAttempts[*endpoint])
	register := page.Action[*endpoint]{
		ID:          action.Register,
		NeedsNoRow:  true,
		WhyDisabled: et.registerRefusal,
		Do:          et.openRegistration,
	}
	p.List = page.NewList(base, et.source(), page.ListOptions[*endpoint]{
		Title:        "Webhooks",
		Example:      "failed:>0 or hooks.example",
		Singular:     "endpoint",
		Scope:        action.Webhooks,
		Columns:      et.endpointColumns(),
		Problems:     page.RowProblems[*endpoint]{Has: func(e *endpoint) bool { return e.isFailing }},
		Mark:         (*endpoint).mark,
		PaletteEntry: func(e *endpoint) (string, string) { return e.name() + "  " + e.Description, "endpoint" },
		Details:      p.describe,
		Layout:       page.ListLayout{Stacked: true, MinDetailWidth: 51},
		RenderSpare:  p.renderRecent,
		Open:         func(e *endpoint) tea.Cmd { return env.Nav.Open(newEndpointPage(env, et, e.UUID)) },
		Actions:      append(actions, register),
		Empty:        "No endpoints yet.\nThe service sends your missions' events to them over https.",
		Keys: []page.RowKey{
			{Action: action.Register, Text: "register an endpoint"},
			{Action: action.ShowLiveEvents, Text: "receive events in this app"},
		},
	})
	return p
}

// mark returns the mark of a failing endpoint.
func (e *endpoint) mark() widget.Cell {
	if !e.isFailing {
		return widget.Cell{}
	}
	return widget.Cell{Text: "!", Role: theme.Bad}
}

// OnShow loads the log of received events and the stored secrets.
func (p *EndpointList) OnShow() tea.Cmd { return p.tracker.readLocal() }

// Update selects an endpoint that was just registered, or otherwise the first failing endpoint unless the user
// has moved the selection.
func (p *EndpointList) Update(msg tea.Msg) tea.Cmd {
	cmd := tea.Batch(p.tracker.update(msg), p.List.Update(msg))
	created := p.tracker.created
	if created != "" && p.Grid.Select(created) {
		p.tracker.created = ""
		p.isPlaced = true
	}
	if !p.isPlaced {
		p.selectFailing()
	}
	return cmd
}

// selectFailing selects the first failing endpoint, unless the user has moved the selection.
func (p *EndpointList) selectFailing() {
	endpoints := p.Rows()
	if hasMoved := p.suggested != "" && p.currentID() != p.suggested; hasMoved {
		p.isPlaced = true
		return
	}
	isFailing := func(e *endpoint) bool { return e.isFailing }
	if i := slices.IndexFunc(endpoints, isFailing); i >= 0 {
		p.Grid.Select(endpoints[i].UUID)
	}
	p.suggested = p.currentID()
	isLoading := func(e *endpoint) bool { return !e.isLoaded && e.LogErr == nil }
	p.isPlaced = len(endpoints) > 0 && !slices.ContainsFunc(endpoints, isLoading)
}

// currentID returns the ID of the selected endpoint, or "".
func (p *EndpointList) currentID() string {
	if e := p.Current(); e != nil {
		return e.UUID
	}
	return ""
}

// BlocksProfileSwitch returns why the profile cannot be switched while an endpoint is
// being registered: its secret is shown only once.
func (p *EndpointList) BlocksProfileSwitch() string { return p.tracker.registerRefusal(nil) }

// endpointColumns returns the columns of an endpoint and its health.
func (et *endpointTracker) endpointColumns() []columns.Column[*endpoint] {
	return columns.MakeColumns("endpointLists", columns.Values[*endpoint]{
		"url":                     et.addressCell,
		"last":                    whenLoaded(func(e *endpoint) columns.Cell { return columns.TimeCell(e.last().CreatedAt) }),
		"health":                  whenLoaded((*endpoint).healthCell),
		"since":                   whenLoaded(func(e *endpoint) columns.Cell { return columns.DayCell(e.failingSince) }),
		columns.CallbackDelivered: countColumn(columns.CallbackDelivered, theme.Text),
		columns.CallbackFailed:    whenLoaded((*endpoint).failedCell),
		columns.CallbackMissing:   missingCell,
	})
}

// addressCell returns a cell with the address of an endpoint. If the endpoint is temporary, the cell says so.
func (et *endpointTracker) addressCell(e *endpoint) columns.Cell {
	address := e.name()
	if et.isTemporary(e) {
		return columns.LabelCell(address+" (this app)", address)
	}
	return columns.TextCell(address)
}

// whenLoaded returns a function for the cells of a column. It calls value if the endpoint's log is loaded.
// Otherwise it returns the cell "…", or an empty cell if the log could not be loaded.
func whenLoaded(value func(*endpoint) columns.Cell) func(*endpoint) columns.Cell {
	return func(e *endpoint) columns.Cell {
		if e.isLoaded {
			return value(e)
		}
		if e.LogErr != nil && e.log.ReadAt.IsZero() {
			return columns.NoCell()
		}
		return columns.TextCell("…").WithTone(theme.Muted)
	}
}

// countColumn returns a column with the number of callbacks that have a status.
func countColumn(status string, role theme.Role) func(*endpoint) columns.Cell {
	return whenLoaded(func(e *endpoint) columns.Cell {
		if e.counts[status] > 0 {
			return columns.NumberCell(e.counts[status]).WithTone(role)
		}
		return columns.NumberCell(0).WithTone(theme.Muted)
	})
}

// failedCell returns a cell such as "7 of 10": how many of the finished callbacks failed.
func (e *endpoint) failedCell() columns.Cell {
	failed := e.counts[columns.CallbackFailed]
	finished := failed + e.counts[columns.CallbackDelivered]
	cell := columns.NumberCell(failed).WithTone(theme.Muted)
	if failed > 0 {
		cell.Role = theme.Bad
		cell.Text = fmt.Sprintf("%s of %s", format.GroupInt(failed), format.GroupInt(finished))
	}
	return cell
}

// Ranks of the health of endpoints, by which they are sorted.
const (
	rankFailing = iota
	rankMissing
	rankNoCallbacks
	rankDelivering
)

// healthCell returns a cell that says whether the endpoint gets its callbacks.
func (e *endpoint) healthCell() columns.Cell {
	missing := e.counts[columns.CallbackMissing]
	switch {
	case e.hasFailedLast():
		return healthCell(format.Failed.Glyph+" Failing", theme.Bad, rankFailing)
	case missing > 0:
		return healthCell(fmt.Sprintf("! %d missing", missing), theme.Bad, rankMissing)
	case e.hasDeliveredLast():
		return healthCell(format.Delivered.Glyph+" Delivering", theme.Good, rankDelivering)
	case len(e.Log) > 0:
		return healthCell(format.Sending.Glyph+" "+format.Sending.Label, format.Sending.Role, rankNoCallbacks)
	default:
		return healthCell(format.None+" Unused", theme.Muted, rankNoCallbacks)
	}
}

func healthCell(text string, role theme.Role, rank int) columns.Cell {
	return columns.Cell{Text: text, Role: role, Num: float64(rank), Known: true}
}

func missingCell(e *endpoint) columns.Cell {
	if e.isLoaded && e.missingUnknown() {
		return columns.TextCell("?").WithTone(theme.Attention)
	}
	return countColumn(columns.CallbackMissing, theme.Bad)(e)
}

// noAttempts returns nil. It is for lists whose rows have no callback with known attempts.
func noAttempts[T any](T) []ops.CallbackAttempt { return nil }

// toolActions returns the actions that all lists of the section have. endpointOf returns the endpoint of a row, or
// nil if it is unknown. attemptsOf returns the attempts of a row's callback.
func toolActions[T any](
	et *endpointTracker, endpointOf func(row T) *endpoint, attemptsOf func(row T) []ops.CallbackAttempt,
) []page.Action[T] {
	showFeed := func(T) tea.Cmd { return et.Env.Nav.Open(newLiveFeed(et)) }
	checkSignature := func(row T) tea.Cmd { return et.openSignatureCheck(endpointOf(row), attemptsOf(row)) }
	sendTest := func(row T) tea.Cmd { return et.openTestEvent(endpointOf(row)) }
	cannotDelete := func(row T) string { return et.deleteRefusal(endpointOf(row)) }
	remove := func(row T) tea.Cmd { return et.confirmDelete(endpointOf(row)) }
	return []page.Action[T]{
		{ID: action.ShowLiveEvents, NeedsNoRow: true, Do: showFeed},
		{ID: action.CheckSignature, NeedsNoRow: true, Do: checkSignature},
		{ID: action.TestEvent, NeedsNoRow: true, Do: sendTest},
		{ID: action.DeleteEndpoint, NeedsNoRow: true, WhyDisabled: cannotDelete, Do: remove},
	}
}

// describe returns an endpoint and its health.
func (p *EndpointList) describe(e *endpoint) page.RowDetails {
	facts := e.healthFacts(p.Env.Clock.Now())
	facts = append(facts, p.nextFacts(e)...)
	facts = append(facts, e.callbackFacts()...)
	facts = append(facts, p.tracker.registrationFacts(e)...)
	return page.RowDetails{
		Title: e.name(),
		Text:  e.Description,
		Facts: append(facts, widget.Facts(columns.UnknownMembers(e.Extra))...),
		More: func(w, h int) []string {
			lines := p.renderResults(e, w)
			if p.showsRecent {
				return lines
			}
			return append(lines, p.renderNewest(e, w, h-len(lines))...)
		},
	}
}

// registrationFacts returns what the service knows about an endpoint, and whether its secret is known.
func (et *endpointTracker) registrationFacts(e *endpoint) []widget.Fact {
	facts := widget.Texts(
		"Events", format.WordList(e.Events),
		"Status", format.Word(e.Status).Label,
		"Registered", format.Moment(e.CreatedAt.Time, et.Env.Clock.Now()),
		"ID", e.UUID,
	)
	if et.isTemporary(e) {
		listenKey := et.Env.Profile.KeyOf(action.ListenFeed, action.LiveEvents)
		note := "live events of this app; deleted when they stop (" + listenKey + " there)"
		facts = append(facts, widget.Text("Used by", note))
	}
	return append(facts, et.secretFact(e))
}

// secretFact returns whether the secret of an endpoint is known, and how long it stays known.
func (et *endpointTracker) secretFact(e *endpoint) widget.Fact {
	const label = "Secret"
	secrets := et.Env.Profile.Secrets
	if secrets.IsStored(e.UUID) {
		return widget.Toned(label, "✓ stored; this app can verify callbacks", theme.Good)
	}
	if secrets.IsKnown(e.UUID) {
		return widget.Toned(label, "not stored; known until you quit or switch profiles", theme.Attention)
	}
	if !secrets.WasRead(e.UUID) {
		return widget.Toned(label, "unknown: the keyring has not answered", theme.Attention)
	}
	return widget.Toned(label, "not stored on this machine", theme.Muted)
}

// healthFacts returns since when the endpoint has been failing, or that its last callback was delivered. It returns nil
// if neither is known.
func (e *endpoint) healthFacts(now time.Time) []widget.Fact {
	const label = "Health"
	if !e.isLoaded {
		return nil
	}
	since := ""
	if !e.failingSince.IsZero() {
		since = " since " + e.sinceText(now)
	}
	if e.hasFailedLast() {
		return []widget.Fact{widget.Toned(label, "✗ failing"+since, theme.Bad)}
	}
	if e.counts[columns.CallbackMissing] > 0 {
		return []widget.Fact{widget.Toned(label, "! callbacks missing"+since, theme.Bad)}
	}
	if e.last().Success {
		delivered := "✓ last callback delivered " + format.Moment(e.last().CreatedAt.Time, now)
		return []widget.Fact{widget.Toned(label, delivered, theme.Good)}
	}
	return nil
}

// sinceText returns the time since which the endpoint has been failing. It adds "or earlier" if older callbacks,
// which are not loaded, may have failed, too.
func (e *endpoint) sinceText(now time.Time) string {
	text := format.Moment(e.failingSince, now)
	if e.hasOlderRows() && e.failingSince.Equal(e.Log[len(e.Log)-1].CreatedAt.Time) {
		return text + " or earlier"
	}
	return text
}

// callbackFacts returns how many callbacks were delivered, why the others failed, and how many are missing.
func (e *endpoint) callbackFacts() []widget.Fact {
	facts := append([]widget.Fact{e.deliveredFact()}, e.causeFacts()...)
	if missing := e.counts[columns.CallbackMissing]; missing > 0 {
		return append(facts, widget.Toned("Missing", "! "+format.Count(missing, "callback"), theme.Bad))
	}
	if e.isLoaded && e.whyUnknown != "" {
		return append(facts, widget.Toned("Missing", "? unknown: "+e.whyUnknown, theme.Attention))
	}
	return facts
}

// nextFacts returns what the user can do about a failing endpoint: advice on its newest failure, or whom to ask
// about missing callbacks. It returns nil if the endpoint is not failing, or if there is no advice.
func (p *EndpointList) nextFacts(e *endpoint) []widget.Fact {
	if !e.isLoaded {
		return nil
	}
	text := ""
	if e.hasFailedLast() {
		text = p.adviseOnFailure(e)
	}
	if text == "" {
		text = adviseOnMissing(e)
	}
	if text == "" {
		return nil
	}
	return []widget.Fact{widget.Text("Next", text)}
}

// adviseOnFailure returns what to do about the newest failed callback of an endpoint. If the user can resend the
// callback, it also returns the keys for that. It returns "" if the log has no failed callback, or if there is no
// advice on the response.
func (p *EndpointList) adviseOnFailure(e *endpoint) string {
	failure := e.newestFailure()
	if failure == nil {
		return ""
	}
	advice := adviseOn(failure)
	resend := p.Env.Profile.KeyOf(action.ResendCallback, action.CallbackLog)
	if advice == "" || p.Env.Profile.Ops == nil || resend == "" {
		return advice
	}
	return advice + " Afterwards " + openLogThen(resend) + " to resend callbacks."
}

// adviseOnMissing returns whom to ask about the missing callbacks of an endpoint, or "" if none is missing.
func adviseOnMissing(e *endpoint) string {
	missing := e.counts[columns.CallbackMissing]
	if missing == 0 {
		return ""
	}
	callbacks := "callback"
	if missing > 1 {
		callbacks = "callbacks"
	}
	copySummary := openLogThen(action.KeyOf(action.CopyWords, action.CallbackLog)) + " to copy a summary."
	return "Ask the service's support for the missing " + callbacks + ": " + copySummary
}

// openLogThen returns the keys that open the log of the selected endpoint and then perform an action, such as
// "press enter, then S". key is the key of the action.
func openLogThen(key string) string {
	return "press " + action.KeyOf(action.Open, action.Webhooks) + ", then " + key
}

// newestFailure returns the newest failed callback in the log, or nil.
func (e *endpoint) newestFailure() *api.WebhookDelivery {
	for i := range e.Log {
		if columns.CallbackStatus(&e.Log[i]) == columns.CallbackFailed {
			return &e.Log[i]
		}
	}
	return nil
}

// causeFacts returns a fact for each cause of failed callbacks, with the number of its callbacks.
func (e *endpoint) causeFacts() []widget.Fact {
	if !e.isLoaded {
		return nil
	}
	causes, counts := e.countCauses()
	var facts []widget.Fact
	for _, cause := range causes {
		facts = append(facts, widget.Text("", fmt.Sprintf("%d × %s", counts[cause], cause)))
	}
	if len(facts) > 0 {
		facts[0].Label = "Failures"
	}
	return facts
}

// countCauses returns the causes of the failed callbacks in the log and the number of failed callbacks for each
// cause. The cause of the newest failure is first.
func (e *endpoint) countCauses() (causes []string, counts map[string]int) {
	counts = map[string]int{}
	for i := range e.Log {
		if columns.CallbackStatus(&e.Log[i]) != columns.CallbackFailed {
			continue
		}
		cause := timeline.FailureCause(&e.Log[i])
		if counts[cause] == 0 {
			causes = append(causes, cause)
		}
		counts[cause]++
	}
	return causes, counts
}

// deliveredFact returns how many of the finished callbacks were delivered.
func (e *endpoint) deliveredFact() widget.Fact {
	const label = "Callbacks"
	delivered := e.counts[columns.CallbackDelivered]
	finished := delivered + e.counts[columns.CallbackFailed]
	switch {
	case e.LogErr != nil && e.log.ReadAt.IsZero():
		return widget.Toned(label, "! "+format.FaultText(e.LogErr), theme.Bad)
	case !e.isLoaded:
		return widget.Toned(label, "loading…", theme.Muted)
	case len(e.callbacks) == 0:
		return widget.Toned(label, "none yet", theme.Muted)
	case finished == 0:
		return widget.Toned(label, "none delivered yet", theme.Muted)
	case e.hasOlderRows():
		return widget.Toned(label, fmt.Sprintf("%d of the newest %d delivered", delivered, finished), theme.Text)
	default:
		return widget.Toned(label, fmt.Sprintf("%d of %d delivered", delivered, finished), theme.Text)
	}
}

// renderResults renders a mark for each of the latest callbacks, below a title. Failures differ in shape as well as in
// colour. It returns nil if there are no callbacks.
func (p *EndpointList) renderResults(e *endpoint, w int) []string {
	shown := min(len(e.Log), max(0, w-2))
	if shown == 0 {
		return nil
	}
	th := p.Env.Look.Theme
	title := "Last " + format.Count(shown, "callback")
	strip := " "
	for i := range slices.Backward(e.Log[:shown]) {
		state := columns.CallbackState(&e.Log[i])
		glyph, _, _ := strings.Cut(state.Text, " ")
		strip += th.PaintRole(state.Role, strings.Replace(glyph, format.Delivered.Glyph, "▪", 1))
	}
	return []string{"", " " + th.PaintTitle(title) + th.PaintMuted("  newest at the right"), strip}
}

// maxNewest is the number of callbacks shown next to the list. The page of the endpoint shows all of them.
const maxNewest = 40

// renderNewest renders the newest callbacks in at most h lines, or returns nil if there is no room.
func (p *EndpointList) renderNewest(e *endpoint, w, h int) []string {
	const heading = 2 // a blank line and the title
	room := min(h-heading, len(e.Log), maxNewest)
	if room < 1 {
		return nil
	}
	newest := make([]callbackLine, room)
	for i := range newest {
		newest[i] = p.tracker.lineAbout(&e.Log[i])
	}
	title := " " + p.Env.Look.Theme.PaintTitle("Newest callbacks")
	return append([]string{"", title}, p.tracker.renderCallbacks(newest, w)...)
}

// minRecentRows is the smallest number of callbacks for which renderRecent draws anything.
const minRecentRows = 3

// renderRecent renders the newest callbacks of all endpoints in at most h lines.
func (p *EndpointList) renderRecent(w, h int) []string {
	const heading = 2 // the title and the blank line above it
	room := h - heading
	if room < minRecentRows || !p.hasRecent() {
		return nil
	}
	p.showsRecent = true
	newest := p.recentCallbacks(room)
	title := " " + p.Env.Look.Theme.PaintTitle("Newest callbacks of all endpoints")
	return append([]string{"", title}, p.tracker.renderCallbacks(newest, w)...)
}

// hasRecent reports whether the newest callbacks of all endpoints are below the list if there is room. In a narrow
// window the newest callbacks are in the details.
func (p *EndpointList) hasRecent() bool {
	count := 0
	for _, e := range p.tracker.endpoints {
		count += len(e.Log)
	}
	return p.IsSplit() && count >= minRecentRows
}

// recentCallbacks returns the newest callbacks of all endpoints, newest first. most is the maximum number of
// callbacks.
func (p *EndpointList) recentCallbacks(most int) []callbackLine {
	var recent []callbackLine
	names := p.tracker.shortNames()
	for _, e := range p.tracker.endpoints {
		name := names[e.UUID]
		if name == "" {
			name = e.name()
		}
		for i := range e.Log[:min(len(e.Log), most)] {
			c := p.tracker.lineAbout(&e.Log[i])
			c.endpoint = name
			recent = append(recent, c)
		}
	}
	slices.SortStableFunc(recent, func(a, b callbackLine) int { return b.at.Compare(a.at) })
	return recent[:min(len(recent), most)]
}

// isTemporary reports whether live events registered the endpoint in this run of the app. The app deletes the
// endpoint when it stops listening.
func (et *endpointTracker) isTemporary(e *endpoint) bool {
	feed := et.Env.Profile.Feed.CurrentState()
	return feed.Own && feed.Endpoint == e.UUID
}

// deleteRefusal returns why an endpoint cannot be deleted, or "" if it can.
func (et *endpointTracker) deleteRefusal(e *endpoint) string {
	if et.state.IsUnread() {
		return "the endpoints are still loading"
	}
	if e == nil {
		return "no endpoint selected"
	}
	if et.find(e.UUID) == nil {
		return "the endpoint is not in the list of endpoints"
	}
	feed := et.Env.Profile.Feed.CurrentState()
	listenKey := action.KeyOf(action.ListenFeed, action.LiveEvents)
	if et.isTemporary(e) {
		return "in use by live events; stop listening there with " + listenKey + ", which deletes it"
	}
	if feed.Endpoint == e.UUID {
		return "in use by live events; stop listening there with " + listenKey + " first"
	}
	return et.Env.Changes.PendingReason(e.UUID)
}

// confirmWord returns the word that the user types to confirm the deletion of an endpoint. It is the endpoint's
// host, or the beginning of its ID if the host is long or has characters that are hard to type.
func confirmWord(e *api.WebhookEndpoint) string {
	u, err := url.Parse(e.URL)
	if err != nil {
		return timeline.ShortID(e.UUID)
	}
	host := u.Hostname()
	isHard := func(r rune) bool { return r <= ' ' || r > '~' }
	if host == "" || len(host) > 40 || strings.ContainsFunc(host, isHard) {
		return timeline.ShortID(e.UUID)
	}
	return host
}

// confirmDelete opens the dialog that confirms the deletion of an endpoint. The deletion is sent after a delay, in
// which the user can undo it.
func (et *endpointTracker) confirmDelete(e *endpoint) tea.Cmd {
	env := et.Env
	uuid := e.UUID
	address := e.name()
	lines := []string{address}
	isLogRead := !e.log.ReadAt.IsZero()
	if isLogRead {
		lines = append(lines, e.countLogged()+" in its log")
	}
	lines = append(
		lines,
		"",
		"Stops callbacks and retries and deletes the log. A new endpoint gets a new secret.",
		env.Profile.UndoNote("then it is final"),
	)
	remove := func() tea.Cmd {
		return env.Changes.Defer(page.HeldChange{
			Text: "delete " + address,
			Done: "Deleted " + address,
			Of:   uuid,
			Send: func(ctx context.Context) error { return removeEndpoint(ctx, env, uuid, address) },
		})
	}
	word := confirmWord(&e.WebhookEndpoint)
	env.Nav.Overlay(widget.ConfirmTyped("Delete endpoint", lines, word, "delete", remove))
	return nil
}

// countLogged returns the number of loaded callbacks. If the log of the service is longer, it returns a text such as
// "More than 100 callbacks".
func (e *endpoint) countLogged() string {
	loaded := format.Count(len(e.Log), "callback")
	if e.hasOlderRows() {
		return "More than " + loaded
	}
	return loaded
}

// hasOlderRows reports whether the log of the service has rows that are older than the loaded rows.
func (e *endpoint) hasOlderRows() bool { return !e.Since.IsZero() }

// removeEndpoint deletes an endpoint and its stored secret.
func removeEndpoint(ctx context.Context, env *page.Env, uuid, address string) error {
	if err := env.Profile.ChangeSender().RemoveEndpoint(ctx, uuid, address); err != nil {
		return err
	}
	if err := env.Profile.Secrets.Delete(uuid); err != nil {
		return fmt.Errorf("endpoint deleted, but its secret is still in the keyring: %w", err)
	}
	return nil
}
