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
	paletteHint := th.PaintHint(b.paletteKey, "palette ")
	if format.Width(row.text)+format.Width(paletteHint) < w {
		return frameRow{format.FitEnds(row.text, paletteHint, w), row.areas}
	}
	return frameRow{format.FitLeft(row.text, w), row.areas}
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
// of the sections in shortenFirst, then of all sections, and finally only their keys. The current section keeps its
// full name.
func (b *navigationBar) shortenings() []shortening {
	var list []shortening
	for _, id := range shortenFirst {
		for i := range b.items {
			item := &b.items[i]
			if item.section.Go == id {
				list = append(list, shortening{item, item.section.Short})
			}
		}
	}
	for i := range slices.Backward(b.items) {
		list = append(list, shortening{&b.items[i], b.items[i].section.Short})
	}
	for i := range slices.Backward(b.items) {
		list = append(list, shortening{&b.items[i], ""})
	}
	isOfCurrent := func(s shortening) bool { return s.item.isCurrent }
	return slices.DeleteFunc(list, isOfCurrent)
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
		text += " " + th.PaintRole(item.badge.Role, item.badge.Text)
	}
	return left + text + right
}
