package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// navigationBar is the row of the section names.
type navigationBar struct {
	items      []navigationItem
	paletteKey string // the key of the palette, which the row shows if there is room for it
}

// navigationItem is a section in the navigation bar.
type navigationItem struct {
	section   *page.Section
	key       string
	badge     page.SectionBadge
	isCurrent bool
	name      string // the shown name: the full or the short name, or "" for only the key
	open      func() tea.Cmd
}

// navigation returns the navigation bar with the sections that the profile has.
func (a *App) navigation() *navigationBar {
	bar := &navigationBar{paletteKey: keyOf(action.Palette)}
	for i := range sections {
		s := &sections[i]
		if a.ws.missingReason(s.Go) != "" {
			continue
		}
		bar.items = append(bar.items, navigationItem{
			section:   s,
			key:       keyOf(s.Go),
			badge:     a.ws.env.BadgeOf(s.Go),
			isCurrent: s.Go == a.ws.pages.section,
			name:      s.Name,
			open:      func() tea.Cmd { return a.ws.goSection(s) },
		})
	}
	return bar
}

// draw renders the bar in w cells. If there is not enough room, it shortens the names one after the
// other, and then leaves them out from the last to the first, until the row fits.
func (b *navigationBar) draw(th *theme.Theme, w int) frameRow {
	row := b.drawItems(th)
	for _, next := range b.shortenings() {
		if format.Width(row.text) < w {
			break
		}
		next.item.name = next.name
		row = b.drawItems(th)
	}
	row = b.restoreCurrent(th, row, w)
	paletteHint := th.PaintHint(b.paletteKey, "palette ")
	if format.Width(row.text)+format.Width(paletteHint) < w {
		return frameRow{format.FitEnds(row.text, paletteHint, w), row.areas}
	}
	return frameRow{format.FitLeft(row.text, w), row.areas}
}

// restoreCurrent gives the current section its full name again if the row has room for it after the other names were
// left out. It returns the row with that name, or row if there is no room.
func (b *navigationBar) restoreCurrent(th *theme.Theme, row frameRow, w int) frameRow {
	i := slices.IndexFunc(b.items, func(item navigationItem) bool { return item.isCurrent })
	if i < 0 {
		return row
	}
	current := &b.items[i]
	shown := current.name
	if shown == current.section.Name {
		return row
	}
	current.name = current.section.Name
	restored := b.drawItems(th)
	if format.Width(restored.text) < w {
		return restored
	}
	current.name = shown
	return row
}

// shortenFirst has the sections whose short names are words. Their names are shortened before the
// names of the other sections.
var shortenFirst = []action.ID{action.GoDeliveries, action.GoOps, action.GoWebhooks, action.GoLibrary}

// shortening is a shorter name for an item.
type shortening struct {
	item *navigationItem
	name string
}

// shortenings returns the shorter names in the order in which they are used until the row fits: first the short names
// of the sections in shortenFirst, then of the other sections, then of the current section. Finally only the keys
// remain, but the current section keeps its short name.
func (b *navigationBar) shortenings() []shortening {
	var short, empty []shortening
	var current shortening
	for i := range slices.Backward(b.items) {
		item := &b.items[i]
		if item.isCurrent {
			current = shortening{item, item.section.Short}
			continue
		}
		short = append(short, shortening{item, item.section.Short})
		empty = append(empty, shortening{item, ""})
	}
	slices.SortStableFunc(short, func(s, t shortening) int { return s.item.shortenRank() - t.item.shortenRank() })
	if current.item != nil {
		short = append(short, current)
	}
	return append(short, empty...)
}

// shortenRank returns the position of a section in shortenFirst, or a higher number if it is not one of them.
func (item *navigationItem) shortenRank() int {
	rank := slices.Index(shortenFirst, item.section.Go)
	if rank < 0 {
		return len(shortenFirst)
	}
	return rank
}

// drawItems renders the items with their current names, one after the other.
func (b *navigationBar) drawItems(th *theme.Theme) frameRow {
	var row frameRow
	for i := range b.items {
		item := &b.items[i]
		row.addPart("", item.draw(th), item.open)
	}
	return row
}

// draw renders the key, the name and the badge of a section. The current section is in brackets.
func (item *navigationItem) draw(th *theme.Theme) string {
	style := th.Style(theme.Muted)
	left := " "
	right := " "
	if item.isCurrent {
		style = th.Section
		left = style.Render("[")
		right = style.Render("]")
	}
	text := format.CleanText(style, strings.TrimSpace(item.key+" "+item.name))
	if item.badge.Text != "" {
		text += " " + th.PaintRole(item.badge.Role, item.badgeText())
	}
	return left + text + right
}

// badgeText returns the text of the badge. A number, such as "3" or "500+", is in parentheses: without colours, it could
// otherwise be the key of the next section.
func (item *navigationItem) badgeText() string {
	text := item.badge.Text
	isNumber := text[0] >= '0' && text[0] <= '9'
	if isNumber {
		return "(" + text + ")"
	}
	return text
}
