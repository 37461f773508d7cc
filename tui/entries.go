package tui

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/inspect"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/table"
)

// entry is a line of the palette.
type entry struct {
	label string // what is searched
	does  string // what is searched, too, and shown behind the label
	more  string // what is searched, too, and not shown
	hint  string // at the right: a key, or what it is
	off   string // why it cannot be run
	harms bool   // others that fit come first
	run   func() tea.Cmd
	show  func() // previews it while it is marked
}

// searched is what is searched of an entry, folded. It begins with the label.
func (e *entry) searched() string { return format.Fold(e.label + " " + e.does + " " + e.more) }

// actionEntries are actions, what harms and then the disabled ones, with why,
// behind the others.
func actionEntries(env *page.Env, acts []action.Action, off func(action.Action) string, do func(action.Action) tea.Cmd) []entry {
	var entries []entry
	for _, act := range acts {
		if act.Scope == action.List || act.Scope == action.Map || act.ID == action.Palette || !isThere(env, act) {
			continue // moving is done with keys
		}
		e := entry{label: command(act.Title), does: act.Help, hint: act.KeyLabels(), off: off(act), harms: act.Harms(), run: func() tea.Cmd { return do(act) }}
		if strings.HasPrefix(act.Help, "Go to ") {
			e.label, e.does, e.more = act.Help, "", act.Title
		}
		entries = append(entries, e)
	}
	slices.SortStableFunc(entries, func(x, y entry) int { return x.place() - y.place() })
	return entries
}

// place is where a command is listed: those that harm and those that are off
// come last.
func (e *entry) place() int {
	switch {
	case e.off != "":
		return 2
	case e.harms:
		return 1
	default:
		return 0
	}
}

// command is a title at the beginning of a line.
func command(title string) string {
	first, size := utf8.DecodeRuneInString(title)
	return string(unicode.ToUpper(first)) + title[size:]
}

// placeEntries are what can be gone to: what pages know, and all orders and
// missions that were read with their timelines, each once.
func placeEntries(env *page.Env, pages []page.Page) []entry {
	var entries []entry
	seen := map[string]bool{}
	add := func(e entry) {
		kind := e.hint[strings.LastIndexByte(e.hint, ' ')+1:] // without its glyph
		if key := kind + " " + e.label; !seen[key] {
			seen[key] = true
			entries = append(entries, e)
		}
	}
	if env.Cache != nil {
		known := env.Cache.Now()
		for i := range known.Orders {
			o := &known.Orders[i]
			st := labels.OrderState(o.Status, env.QuotesOf(o.UUID))
			add(entry{
				label: orderName(o), more: st.Label + " " + st.Wire, hint: st.Glyph + " order", run: func() tea.Cmd { return env.OpenOrder(o) },
			})
		}
		for _, m := range known.Missions {
			st, late := labels.MissionStatus(m.Status), ""
			if t, ok := m.Trouble(env.Now()); ok && t.Late {
				late = " late"
			}
			add(entry{
				label: missionName(m), more: st.Label + " " + st.Wire + late, hint: st.Glyph + " mission", run: func() tea.Cmd { return env.OpenMission(m) },
			})
		}
	}
	for _, p := range pages {
		if guide, ok := p.(page.Guide); ok {
			for _, place := range guide.Places() {
				add(entry{label: place.Name, hint: place.Kind, run: place.Open})
			}
		}
	}
	return append(entries, timelineEntries(env)...)
}

func orderName(o *api.Order) string       { return o.OrderCode + "  " + o.OrderName }
func missionName(m *cache.Mission) string { return m.MissionCode + "  " + m.MissionName }

// timelineEntries are the timelines of the orders and missions that were read.
func timelineEntries(env *page.Env) []entry {
	if env.Cache == nil || env.OpenStory == nil {
		return nil
	}
	var entries []entry
	add := func(name string, of timeline.Subject) {
		entries = append(entries, entry{label: "Timeline of " + name, hint: "timeline", run: func() tea.Cmd { return env.OpenStory(of, "") }})
	}
	known := env.Cache.Now()
	for i := range known.Orders {
		add(orderName(&known.Orders[i]), inspect.SubjectOf(&known.Orders[i]))
	}
	for _, m := range known.Missions {
		add(missionName(m), timeline.Subject{Order: m.Order.OrderCode, Mission: m.UUID})
	}
	return entries
}

// filtered are the names of the orders and missions that a filter leaves, as
// their lists would.
func filtered(env *page.Env, query string) map[string]bool {
	if env.Cache == nil {
		return nil
	}
	known, names := env.Cache.Now(), map[string]bool{}
	orders, missions := columns.Orders(env.QuotesOf), columns.MissionsOfOrders(env.Now)
	for _, i := range fitting(env.Now, columns.Specs(orders), len(known.Orders), query, func(i, c int) table.Cell { return orders[c].Value(&known.Orders[i]) }) {
		names[orderName(&known.Orders[i])] = true
	}
	for _, i := range fitting(env.Now, columns.Specs(missions), len(known.Missions), query, func(i, c int) table.Cell { return missions[c].Value(known.Missions[i]) }) {
		names[missionName(known.Missions[i])] = true
	}
	return names
}

// fitting are the rows that a filter leaves.
func fitting(now func() time.Time, specs []columns.Spec, rows int, query string, cell func(row, column int) table.Cell) []int {
	grid := table.NewGrid(now, specs...)
	grid.ParseDate = format.ParseDate
	grid.Set(table.Source{Len: rows, ID: strconv.Itoa, Cell: cell})
	grid.Filter(query)
	return grid.Rows()
}

// themeEntries are the themes; each is shown while it is marked.
func (p *appearance) themeEntries() []entry {
	if p.noColor {
		return nil
	}
	var entries []entry
	names := theme.Names()
	for _, own := range p.themes {
		names = append(names, own.Name)
	}
	for _, name := range names {
		use := func() { p.use(name) }
		entries = append(entries, entry{label: "theme: " + name, hint: "live preview", show: use, run: func() tea.Cmd {
			use()
			return nil
		}})
	}
	return entries
}

// maxRecent is how many entries the palette remembers, under keptRecent also
// from one run to the next.
const (
	maxRecent  = 8
	keptRecent = "recent"
)

// recent are the labels of what was run from the palette, the last one first.
type recent struct {
	look   *page.Look
	labels []string
}

func newRecent(look *page.Look) recent {
	r := recent{look: look}
	look.UIState.Get(keptRecent, &r.labels)
	return r
}

// rank puts what was run lately first, but for what harms.
func (r *recent) rank(e *entry) int {
	if i := slices.Index(r.labels, e.label); i >= 0 && !e.harms {
		return i
	}
	return maxRecent
}

// add remembers what is run.
func (r *recent) add(label string) tea.Cmd {
	others := slices.DeleteFunc(r.labels, func(known string) bool { return known == label })
	r.labels = append([]string{label}, others[:min(len(others), maxRecent-1)]...)
	r.look.UIState.Put(keptRecent, r.labels)
	return page.Keep(r.look)
}
