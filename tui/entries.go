package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// entry is a line of the palette.
type entry struct {
	label string // what is searched
	more  string // what is searched, too, and not shown
	hint  string // at the right: a key, or what it is
	off   string // why it cannot be run
	run   func() tea.Cmd
	show  func() // previews it while it is marked
}

// actionEntries are actions, the disabled ones with why.
func actionEntries(env *page.Env, acts []action.Action, off func(action.Action) string, do func(action.Action) tea.Cmd) []entry {
	var entries []entry
	for _, act := range acts {
		if act.Scope == action.List || act.Scope == action.Map || act.ID == action.Palette || !isThere(env, act) {
			continue // moving is done with keys
		}
		entries = append(entries, entry{
			label: act.Help, more: act.Title, hint: act.KeyLabels(), off: off(act), run: func() tea.Cmd { return do(act) },
		})
	}
	return entries
}

// placeEntries are what can be gone to: what pages know, and all orders and
// missions that were read, each once.
func placeEntries(env *page.Env, pages []page.Page) []entry {
	var entries []entry
	seen := map[string]bool{}
	add := func(p page.Place) {
		kind := p.Kind[strings.LastIndexByte(p.Kind, ' ')+1:] // without its glyph
		if key := kind + " " + p.Name; !seen[key] {
			seen[key] = true
			entries = append(entries, entry{label: p.Name, hint: p.Kind, run: p.Open})
		}
	}
	for _, p := range pages {
		if guide, ok := p.(page.Guide); ok {
			for _, place := range guide.Places() {
				add(place)
			}
		}
	}
	if env.Cache == nil {
		return entries
	}
	known := env.Cache.Now()
	for i := range known.Orders {
		o := &known.Orders[i]
		add(page.Place{
			Name: o.OrderCode + "  " + o.OrderName, Kind: labels.OrderStatus(o.Status).Glyph + " order",
			Open: func() tea.Cmd { return env.OpenOrder(o) },
		})
	}
	for _, m := range known.Missions {
		add(page.Place{
			Name: m.MissionCode + "  " + m.MissionName, Kind: labels.MissionStatus(m.Status).Glyph + " mission",
			Open: func() tea.Cmd { return env.OpenMission(m) },
		})
	}
	return entries
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

// rank puts what was run lately first.
func (r *recent) rank(label string) int {
	if i := slices.Index(r.labels, label); i >= 0 {
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
