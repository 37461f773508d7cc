package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// navigationBar is the row of the section names.
type navigationBar struct {
	items []navigationItem
}

// navigationItem is a section in the navigation bar.
type navigationItem struct {
	section   *page.Section
	key       string
	badge     page.SectionBadge
	isCurrent bool
	name      string // the shown name: the full or the short name, or "" if only the key is shown
	open      func() tea.Cmd
}

// navigation returns the navigation bar with the sections that the profile has.
func (a *App) navigation() *navigationBar {
	bar := &navigationBar{}
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

// draw renders the bar in w cells. All sections have their full names, or all have their short names if the full
// names do not fit. If the short names do not fit either, the last sections have only their keys. The current
// section always has a name.
func (b *navigationBar) draw(th *theme.Theme, w int) frameRow {
	row := b.drawItems(th)
	if format.Width(row.text) > w {
		b.shortenNames()
		row = b.drawItems(th)
	}
	for i := len(b.items) - 1; i >= 0 && format.Width(row.text) > w; i-- {
		if !b.items[i].isCurrent {
			b.items[i].name = ""
			row = b.drawItems(th)
		}
	}
	row.text = format.FitLeft(row.text, w)
	return row
}

// shortenNames gives all sections their short names.
func (b *navigationBar) shortenNames() {
	for i := range b.items {
		b.items[i].name = b.items[i].section.Short
	}
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

// badgeText returns the text of the badge. A number, such as "3" or "500+", is in parentheses. Without colours, it
// could otherwise be taken for the key of the next section.
func (item *navigationItem) badgeText() string {
	text := item.badge.Text
	isNumber := text[0] >= '0' && text[0] <= '9'
	if isNumber {
		return "(" + text + ")"
	}
	return text
}
