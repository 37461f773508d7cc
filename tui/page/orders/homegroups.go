package orders

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/checking"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/theme"
)

const (
	flightDays  = 8  // days whose flights are listed, including today
	maxPackaged = 20 // missions whose packages are loaded
)

// groupBuilder builds the groups of the start page.
type groupBuilder struct {
	env    *page.Env
	known  *cache.CacheView
	now    time.Time
	since  time.Time // changes after this time are listed
	drafts []ordering.StoredDraft
	height int // number of lines to fill with groups

	endpointProblems string // describes failing endpoints; "" if none is known

	// decisionRoles has the colour role of each order with open quotes, by order ID. decisionGroup sets it.
	decisionRoles map[string]theme.Role
	// wanted is the data that the page still has to load: the packages of the missions with delivered data.
	// deliveryGroup sets it.
	wanted []cache.Need
}

// buildGroups returns the groups of the page.
func (b *groupBuilder) buildGroups() []itemGroup {
	groups := []itemGroup{
		b.decisionGroup(),
		b.dueTodayGroup(),
		b.troubledGroup(),
		b.flightGroup(),
		b.changedGroup(),
		b.deliveryGroup(),
	}
	minItems := []int{6, 5, 5, 7, 6, 5} // of each of the groups above
	draftIndex := len(groups)
	if b.hasUnconfirmedDraft() {
		draftIndex = 1 // the groups below can fill the page
	}
	groups = slices.Insert(groups, draftIndex, b.draftGroup())
	minItems = slices.Insert(minItems, draftIndex, 5)
	for i, g := range groups {
		if n := len(g.Items); g.Note == "" && n > 0 {
			groups[i].Note = format.GroupInt(n)
		}
	}
	groups = page.FitGroups(groups, minItems, b.height)
	return b.addDeadlines(groups)
}

// minDeadlines is the number of deadlines that are listed even if the page has to scroll for them.
const minDeadlines = 1

// addDeadlines inserts a group with the next deadlines before the last group, which usually has the drafts. The new
// group fills the lines that the other groups leave free.
func (b *groupBuilder) addDeadlines(groups []itemGroup) []itemGroup {
	deadlines := b.deadlineGroup()
	if len(deadlines.Items) == 0 {
		return groups
	}
	const others = 3 // the title, the line above it, and the line about the deadlines that do not fit
	fit := b.height - page.GroupsHeight(groups) - others
	deadlines.Note = format.GroupInt(len(deadlines.Items))
	return slices.Insert(groups, len(groups)-1, deadlines.Cut(max(minDeadlines, fit)))
}

// decisionGroup returns the orders with open quotes, soonest expiry first.
func (b *groupBuilder) decisionGroup() itemGroup {
	open := b.env.Profile.Cache.Quotes()
	orders := quoting.QuotedOrders(&open, b.now)
	group := itemGroup{Title: "Needs a decision", None: "No open quotes."}
	group.All = func() tea.Cmd { return b.env.Nav.Go(action.GoQuotes, "") }
	expired := 0
	b.decisionRoles = map[string]theme.Role{}
	for _, s := range orders {
		if s.HasExpired() {
			expired++
		}
		item := b.decisionItem(s)
		b.decisionRoles[s.ID] = item.Role
		group.Items = append(group.Items, item)
	}
	if fault := open.ReadFault(); fault != nil {
		explanation, _ := format.ExplainError(fault)
		group.None = "Quotes: " + explanation
	} else if open.At.IsZero() {
		group.None = "Loading quotes…"
	}
	group.Note = describeQuotes(&open, expired, b.now)
	if !open.At.IsZero() {
		quotes.ShowQuoted(b.env, orders)
	}
	return group
}

// decisionItem returns the line of an order with open quotes. The line is highlighted as urgent if a quote
// expires soon, and muted if the quotes have expired.
func (b *groupBuilder) decisionItem(s *quoting.QuotedOrder) groupItem {
	item := groupItem{
		ID:    "quotes of " + s.ID,
		Glyph: "◆",
		Role:  theme.Accent,
		Code:  quoting.OrderName(s.OrderRecord),
		Texts: []string{s.OrderName},
		Open:  func() tea.Cmd { return b.env.Nav.Open(quotes.NewCompare(b.env, s.ID, s.OrderRecord)) },
	}
	count := "" // the quotes are not loaded
	if n := len(s.Choices()); n > 0 {
		count = format.Count(n, "quote")
	}
	timeLeft := ""
	if s.HasExpired() {
		timeLeft = "expired"
		item.Glyph = "◇"
		item.Role = theme.Muted
	} else if !s.Expires.IsZero() {
		timeLeft = format.TimeLeft(s.Expires, b.now, false)
		item.ValueRole = quotes.UrgencyRole(api.TimeOf(s.Expires), b.now)
		if item.ValueRole != theme.Text {
			item.Role = item.ValueRole
		}
	}
	item.Values = []string{count, timeLeft}
	return item
}

// describeQuotes returns a note for the group of orders with open quotes, such as "3 to decide · 1 expired". If the
// quotes of some orders are not loaded, the note has the number of orders whose quotes are loaded. If the data is not
// current, the note has its age.
func describeQuotes(open *cache.OpenQuotes, expired int, now time.Time) string {
	fault := open.ReadFault()
	listed := len(open.Listed)
	isLoaded := fault == nil && !open.At.IsZero()
	var notes []string
	if isLoaded && listed > expired {
		notes = append(notes, format.GroupInt(listed-expired)+" to decide")
	}
	if isLoaded && len(open.Full) < listed {
		notes = append(notes, fmt.Sprintf("quotes of %d loaded", len(open.Full)))
	}
	if open.Kept || fault != nil && listed > 0 {
		notes = append(notes, page.AsOf(open.At, now, fault == nil))
	}
	if expired > 0 {
		notes = append(notes, format.GroupInt(expired)+" expired")
	}
	return strings.Join(notes, " · ")
}

// missionItems returns the lines of missions, newest first. For each mission it calls fill, which completes the
// line; if fill returns false, the line is left out. Lines without a time keep their order. The IDs of the
// lines begin with idPrefix.
func (b *groupBuilder) missionItems(
	idPrefix string, fill func(m *cache.Mission, item *groupItem) bool,
) []groupItem {
	var items []groupItem
	for _, m := range b.known.Missions {
		item := b.missionItem(idPrefix, m)
		if fill(m, &item) {
			items = append(items, item)
		}
	}
	return newestFirst(items)
}

// missionItem returns the line of a mission. The ID of the line begins with idPrefix. Each group has a different
// idPrefix, because a mission can be in several groups.
func (b *groupBuilder) missionItem(idPrefix string, m *cache.Mission) groupItem {
	st := b.env.StateOf(m)
	return groupItem{
		ID:      idPrefix + m.UUID,
		Glyph:   st.Glyph,
		Role:    st.Role,
		Code:    m.MissionCode,
		Texts:   []string{m.MissionName},
		Mission: m.UUID,
		Open:    func() tea.Cmd { return b.env.Nav.Open(NewMission(b.env, m)) },
	}
}

// newestFirst sorts items in place and returns them.
func newestFirst(items []groupItem) []groupItem {
	sort.SliceStable(items, func(i, j int) bool { return items[i].At.After(items[j].At) })
	return items
}

// showMissions returns a function that opens the list of missions with a filter.
func (b *groupBuilder) showMissions(filter string) func() tea.Cmd {
	return func() tea.Cmd { return b.env.Nav.Go(action.GoMissions, filter) }
}

// unlessLoading returns the text of a group without missions. If the account's orders are only in the v2 API,
// it says that missions are unknown. Otherwise it returns the text of the package's function unlessLoading.
func (b *groupBuilder) unlessLoading(none string) string {
	if len(b.known.Orders) == 0 && len(b.env.Profile.Cache.OnlyRecords()) > 0 {
		return "Unknown; the v2 API does not list missions."
	}
	return unlessLoading(b.known, none)
}

// unlessLoading returns the text of a group without missions. If all missions are loaded, the text is the
// argument none. Otherwise it says that missions are still being loaded or could not be loaded, or how many
// orders have missions that are not loaded. These missions may belong to the group.
func unlessLoading(v *cache.CacheView, none string) string {
	if v.Err != nil && !v.Listed {
		return "Unknown; not all orders could be loaded."
	}
	if v.AreMissionsLoading() {
		return "Loading missions…"
	}
	if v.Faults > 0 {
		return "Unknown; missions of " + format.Count(v.Faults, "order") + " could not be loaded."
	}
	if v.Read+v.Left < len(v.Orders) { // the refresh of the list failed before all missions were read
		return "Unknown; not all missions could be loaded."
	}
	if v.Left > 0 {
		missing := "; missions of " + format.Count(v.Left, "order") + " are not loaded."
		return strings.TrimSuffix(none, ".") + missing
	}
	if v.More {
		return strings.TrimSuffix(none, ".") + "; older orders are not loaded."
	}
	return none
}

// troubledGroup returns the missions that are overdue, followed by the missions that have stalled and may miss
// their deadline. Both kinds are sorted by deadline.
func (b *groupBuilder) troubledGroup() itemGroup {
	group := itemGroup{Title: "Overdue or stalled", All: b.showMissions("late:late")}
	if b.endpointProblems != "" {
		group.Items = append(group.Items, b.endpointItem())
	}
	for _, troubled := range b.known.TroubledMissions(b.now) {
		tone := columns.TroubleTone(troubled.Why)
		item := b.missionItem("late ", troubled.Mission)
		item.Role = tone
		item.Glyph = "▲"
		item.Values = []string{troubled.Why.Text}
		group.Items = append(group.Items, item)
	}
	return group
}

// endpointItem returns the line of the failing endpoints, with the key of Webhooks.
func (b *groupBuilder) endpointItem() groupItem {
	return groupItem{
		ID:     "endpoints",
		Glyph:  "▲",
		Role:   theme.Bad,
		Code:   action.KeyOf(action.GoWebhooks, action.Everywhere) + " Webhooks",
		Values: []string{b.endpointProblems},
		Open:   func() tea.Cmd { return b.env.Nav.Go(action.GoWebhooks, "") },
	}
}

// flightGroup returns the flights from now until the end of the next seven days, soonest first. It leaves out missions
// that are cancelled or whose data is delivered.
func (b *groupBuilder) flightGroup() itemGroup {
	until := api.DayAt(b.now.AddDate(0, 0, flightDays)).Start()
	flights := b.missionItems("flight ", func(m *cache.Mission, item *groupItem) bool {
		b.fillFlight(m, item)
		isInTime := !item.At.Before(b.now) && item.At.Before(until)
		return isInTime && m.Status != api.MissionCancelled && !m.Status.IsDelivered()
	})
	slices.Reverse(flights)
	return itemGroup{
		Title: "Flights",
		Note:  "next 7 days",
		None:  b.unlessLoading("No flights in the next 7 days."),
		Items: flights,
		All:   b.showMissions("status:flightScheduled flight:>=" + b.now.Format(time.DateOnly)),
	}
}

// fillFlight adds the operator, the day and the time of the flight to the line of a mission.
func (b *groupBuilder) fillFlight(m *cache.Mission, item *groupItem) {
	units := b.env.Look.Units
	clock := units.ClockAt(b.now, m.SiteZone())
	flight := m.FlightDate.In(clock.Location())
	day := flight.Format("Mon 2 Jan")
	if format.DaysUntil(flight, clock) == 0 {
		day = "today"
		item.ValueRole = theme.Attention
	}
	timeOfDay := flight.Format("15:04")
	if units.Times == format.SiteClock && m.SiteZone() != nil {
		timeOfDay = flight.Format("15:04 MST")
	}
	item.At = m.FlightDate.Time
	item.Texts = append(item.Texts, format.ValueOf(m.OperatorName))
	item.Values = []string{day, timeOfDay}
}

// changedGroup returns the missions and orders that changed since the user last looked at the
// page, newest first. An order is left out if one of its missions changed too.
func (b *groupBuilder) changedGroup() itemGroup {
	group := itemGroup{
		Title: "Changes since " + formatMoment(b.since, b.now),
		None:  b.unlessLoading("No changes."),
		All:   b.showMissions("updated:>=" + b.since.In(b.now.Location()).Format(time.DateOnly)),
	}
	var items []groupItem
	hasChangedMission := map[string]bool{} // by order ID
	for _, m := range b.known.Missions {
		if m.UpdatedAt.After(b.since) {
			items = append(items, b.changedMissionItem(m))
			hasChangedMission[m.Order.UUID] = true
		}
	}
	for i := range b.known.Orders {
		order := &b.known.Orders[i]
		if order.UpdatedAt.After(b.since) && !hasChangedMission[order.UUID] {
			items = append(items, b.orderItem(order))
		}
	}
	group.Items = b.foldChanges(newestFirst(items))
	for i := range group.Items {
		item := &group.Items[i]
		item.Values = []string{format.Age(item.At, b.now)}
	}
	return group
}

// changedMissionItem returns the line of a changed mission.
func (b *groupBuilder) changedMissionItem(m *cache.Mission) groupItem {
	item := b.missionItem("moved ", m)
	item.At = m.UpdatedAt.Time
	item.Texts = []string{b.env.StateOf(m).Label, m.MissionName}
	return item
}

// orderItem returns the line of a changed order. An order with open quotes has the same colour here as in the
// group of decisions.
func (b *groupBuilder) orderItem(order *api.Order) groupItem {
	label := format.OrderState(order.Status, b.env.QuotesOf(order.UUID))
	if role, hasQuotes := b.decisionRoles[order.UUID]; hasQuotes {
		label.Role = role
	}
	return groupItem{
		ID:    "moved " + order.UUID,
		At:    order.UpdatedAt.Time,
		Glyph: label.Glyph,
		Role:  label.Role,
		Code:  order.OrderCode,
		Texts: []string{label.Label, order.OrderName},
		Open:  func() tea.Cmd { return b.env.Nav.Show(page.OrderRoute{Order: order}) },
	}
}

// leastFold is the smallest number of missions with the same [missionChange] that share one line.
const leastFold = 4

// missionChange identifies missions of one order that changed to the same status. The page can show them in one line.
type missionChange struct {
	order  string // order ID
	status api.MissionStatus
}

// changeOf returns the change of a mission to its current status.
func changeOf(m *cache.Mission) missionChange { return missionChange{m.Order.UUID, m.Status} }

// foldChanges replaces at least leastFold lines about missions of the same order that changed to the same status. One
// line that opens the order takes their place; it is where the first of the replaced lines was.
func (b *groupBuilder) foldChanges(items []groupItem) []groupItem {
	missions := map[string]*cache.Mission{} // by ID
	for _, m := range b.known.Missions {
		missions[m.UUID] = m
	}
	missionCount := countChanges(items, missions)
	hasLine := map[missionChange]bool{} // changes whose missions share a line in result
	var result []groupItem
	for _, item := range items {
		m := missions[item.Mission] // nil if the line is about an order
		if m == nil || missionCount[changeOf(m)] < leastFold {
			result = append(result, item)
			continue
		}
		change := changeOf(m)
		if !hasLine[change] {
			hasLine[change] = true
			result = append(result, b.foldedItem(item, change, m.Order, missionCount[change]))
		}
	}
	return result
}

// countChanges returns the number of missions with each change in the lines. missions has the missions by ID.
func countChanges(items []groupItem, missions map[string]*cache.Mission) map[missionChange]int {
	count := map[missionChange]int{}
	for _, item := range items {
		if m := missions[item.Mission]; m != nil {
			count[changeOf(m)]++
		}
	}
	return count
}

// foldedItem returns one line for several missions with the same change. It is the line of their order, with the number
// of the missions and their status. item is the line of the first mission; the new line has the same time.
func (b *groupBuilder) foldedItem(item groupItem, change missionChange, order *api.Order, missions int) groupItem {
	folded := b.orderItem(order)
	folded.ID = "moved " + change.order + string(change.status)
	folded.At = item.At
	state := folded.Texts[0]
	count := format.Count(missions, "mission")
	missionState := item.Texts[0]
	if missionState != state {
		count += " " + strings.ToLower(missionState)
	}
	folded.Texts = []string{state, count + " of " + order.OrderName}
	return folded
}

// formatMoment formats a time as "today 15:04" or "yesterday 15:04", or with its date if it is
// on another day.
func formatMoment(at, now time.Time) string {
	timeOfDay := at.In(now.Location()).Format("15:04")
	switch format.DaysUntil(at, now) {
	case 0:
		return "today " + timeOfDay
	case -1:
		return "yesterday " + timeOfDay
	default:
		return format.Moment(at, now)
	}
}

// deliveryGroup returns the missions whose data is delivered and not accepted yet, newest first.
// It also sets which packages the page loads.
func (b *groupBuilder) deliveryGroup() itemGroup {
	group := itemGroup{
		Title: "Data delivered",
		None:  b.unlessLoading("No data waiting to be accepted."),
		All:   b.showMissions("status:dataDelivered"),
	}
	archived := 0
	checked := 0
	group.Items = b.missionItems("data ", func(m *cache.Mission, item *groupItem) bool {
		if m.Status != api.MissionDataDelivered {
			return false
		}
		if m.Order.Status == api.OrderArchived {
			archived++
			return false
		}
		check := lastCheck(b.env, &m.Mission)
		if check != nil && check.Problems == 0 {
			checked++
		}
		if check != nil {
			item.Texts = append(item.Texts, describeCheck(check))
		}
		item.At = m.UpdatedAt.Time
		item.Values = append(b.packageValues(m), format.Age(m.UpdatedAt.Time, b.now))
		return true
	})
	b.wanted = b.packageNeeds(group.Items)
	group.Note = describeDeliveries(len(group.Items)-checked, checked)
	if archived > 0 && group.Note != "" {
		group.Note += ", " + format.GroupInt(archived) + " more in archived orders"
	}
	return group
}

// describeCheck returns the result of the last check of delivered data in a few words.
func describeCheck(check *checking.MissionResult) string {
	if check.Problems > 0 {
		return format.Count(check.Problems, "problem") + " found"
	}
	return "checked"
}

// describeDeliveries returns a text with the number of deliveries that the user still has to check, and the number that
// the user has checked. It returns "" if both numbers are 0. A checked delivery is not accepted until the service
// records its acceptance; the user need not do anything for this.
func describeDeliveries(unchecked, checked int) string {
	deliveries := func(n int) string { return format.Count(n, "delivery", "deliveries") }
	switch {
	case checked == 0 && unchecked == 0:
		return ""
	case checked == 0:
		return deliveries(unchecked) + " to check"
	case unchecked == 0:
		return deliveries(checked) + " checked, not accepted yet"
	default:
		return deliveries(unchecked) + " to check, " + format.GroupInt(checked) + " checked"
	}
}

// packageNeeds returns the data to load for the first maxPackaged missions in items: their packages. Each need
// is stamped with the time of the mission's last change, so that the cache loads the packages again after the
// next change.
func (b *groupBuilder) packageNeeds(items []groupItem) []cache.Need {
	var needs []cache.Need
	for _, item := range items[:min(maxPackaged, len(items))] {
		needs = append(needs, b.env.Profile.Cache.Packages.NeedStamped(item.Mission, item.At.String()))
	}
	return needs
}

// packageValues returns the version, the number of files and the size of the mission's newest package. A value is ""
// if it is not known; version 1 is left out.
func (b *groupBuilder) packageValues(m *cache.Mission) []string {
	var version, files, size string
	packages, _ := b.env.Profile.Cache.Packages.Get(m.UUID)
	if len(packages) == 0 {
		return []string{version, files, size}
	}
	newest := packages[0]
	if newest.Version > 1 {
		version = fmt.Sprintf("v%d", newest.Version)
	}
	if newest.FileCount >= 0 {
		files = format.Count(newest.FileCount, "file")
	}
	if newest.TotalSize >= 0 {
		size = format.Bytes(newest.TotalSize)
	}
	return []string{version, files, size}
}

// dueTodayGroup returns the orders in progress whose deadline is today.
func (b *groupBuilder) dueTodayGroup() itemGroup {
	group := itemGroup{
		Title: "Due today",
		All: func() tea.Cmd {
			return b.env.Nav.Go(action.GoOrders, "deadline:="+b.now.Format(time.DateOnly))
		},
	}
	for _, item := range b.deadlineItems() {
		if format.DaysUntil(item.At, b.now) == 0 {
			item.ValueRole = theme.Attention
			group.Items = append(group.Items, item)
		}
	}
	return group
}

// deadlineGroup returns the orders in progress whose deadline is on a later day, soonest first.
func (b *groupBuilder) deadlineGroup() itemGroup {
	group := itemGroup{
		Title: "Deadlines",
		All: func() tea.Cmd {
			return b.env.Nav.Go(action.GoOrders, "deadline:>="+b.now.Format(time.DateOnly))
		},
	}
	for _, item := range b.deadlineItems() {
		if format.DaysUntil(item.At, b.now) > 0 {
			group.Items = append(group.Items, item)
		}
	}
	return group
}

// deadlineItems returns the lines of the orders in progress whose deadline has not passed, soonest first.
func (b *groupBuilder) deadlineItems() []groupItem {
	var items []groupItem
	for _, order := range listedOrders(b.env.Profile.Cache) {
		due := order.Deadline.EndDay(b.now.Location())
		if due.IsZero() || !order.Status.IsLive() || b.now.After(due.End()) {
			continue
		}
		noon := due.NoonIn(b.now.Location())
		item := b.orderItem(order)
		item.ID = "due " + order.UUID
		item.Texts = []string{order.OrderName}
		item.At = noon
		item.Values = []string{format.Day(noon, b.now), format.TimeUntil(noon, b.now)}
		items = append(items, item)
	}
	slices.Reverse(newestFirst(items))
	return items
}

// hasUnconfirmedDraft reports whether an order was sent from a draft and is not confirmed yet.
func (b *groupBuilder) hasUnconfirmedDraft() bool {
	return slices.ContainsFunc(b.drafts, func(d ordering.StoredDraft) bool { return !d.Sent.IsZero() })
}

// draftGroup returns the drafts: orders that are not placed yet. The page of the new order lists all of them.
func (b *groupBuilder) draftGroup() itemGroup {
	group := itemGroup{
		Title: "Drafts",
		All:   func() tea.Cmd { return b.env.Nav.Show(page.NewOrderRoute{}) },
	}
	for _, draft := range b.drafts {
		group.Items = append(group.Items, groupItem{
			ID:     "draft " + draft.Name,
			Glyph:  "▪",
			Role:   theme.Accent,
			Texts:  []string{draft.Title},
			Values: []string{draft.Describe(b.now)},
			Open:   func() tea.Cmd { return b.env.Nav.Show(page.NewOrderRoute{Draft: draft.Name}) },
		})
	}
	return group
}
