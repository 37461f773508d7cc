package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// openDialog returns the one that asks, nil for none. One that opened by itself is not
// protected from lines: nobody types one by accident.
func (p *plainMode) openDialog() page.Dialog {
	d := p.app.dialogs.topDialog()
	if sudden, ok := d.(interface{ Inner() dialog.Box }); ok {
		d = sudden.Inner()
		p.app.dialogs.open[len(p.app.dialogs.open)-1] = d
	}
	return d
}

// filledIn returns the form that lines are typed into, nil for none.
func (p *plainMode) filledIn() *form.Form {
	var on any = p.app.stacks.top()
	if d := p.openDialog(); d != nil {
		on = d
	}
	if filling, ok := on.(interface{ FilledIn() *form.Form }); ok {
		return filling.FilledIn()
	}
	return nil
}

// The keys that a line can name in a dialog.
var plainKeys = map[string]tea.KeyPressMsg{
	"esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "down": {Code: tea.KeyDown}, "up": {Code: tea.KeyUp},
	"space": {Code: tea.KeySpace, Text: " "}, "enter": {Code: tea.KeyEnter},
}

// answerDialog returns a line for a dialog.
func (p *plainMode) answerDialog(d page.Dialog, line string) plainResponse {
	word := strings.ToLower(line)
	key, named := plainKeys[word]
	if _, question := d.(*dialog.Question); question {
		switch word {
		case "y", "yes", "enter":
			p.updateApp(plainKeys["enter"])
		case "n", "no", "esc":
			p.updateApp(plainKeys["esc"])
		default:
			p.sayText("-- answer y or n")
			return sayNothing
		}
		return sayPage
	}
	if typed, ok := d.(*dialog.TypedConfirmation); ok && word != "esc" && !strings.EqualFold(line, typed.Want) {
		p.sayText("-- type " + typed.Want + " or esc")
		return sayNothing
	}
	if !named && line != "" {
		key, named = p.offeredKey(d, line)
	}
	f := p.filledIn()
	switch {
	case named:
		p.updateApp(key)
	case f == nil:
		p.writeText(line)
	case f.IsLast():
		p.writeText(line)
	default:
		p.fillField(f, line)
		p.updateApp(plainKeys["tab"])
	}
	return sayPage
}

// offeredKey returns the key that a dialog names in its last line.
func (p *plainMode) offeredKey(d page.Dialog, name string) (tea.KeyPressMsg, bool) {
	_, hint := p.box(d)
	for _, part := range footKeys(hint) {
		if key, does, _ := strings.Cut(part, " "); key == name {
			return keyNamed(key, does)
		}
	}
	return tea.KeyPressMsg{}, false
}

// footKeys returns the keys of a dialog's last line, each with what it does.
func footKeys(foot string) []string {
	parts := strings.Split(foot, "  ")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return nonEmpty(parts...)
}

// writeText replaces the text that is being typed, and goes on.
func (p *plainMode) writeText(text string) {
	p.fillField(p.filledIn(), text)
	p.updateApp(plainKeys["enter"])
}

// fillField replaces the text that is being typed; in a form it may name options. An
// empty one leaves all as it is.
func (p *plainMode) fillField(f *form.Form, text string) {
	switch {
	case text == "":
	case f != nil && len(f.Focused().Options) > 0:
		p.updateApp(tea.PasteMsg{Content: text})
	default:
		p.updateApp(tea.KeyPressMsg{Code: 'e', Mod: tea.ModCtrl}) // to the end, then all before it goes
		p.updateApp(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
		for _, r := range text {
			p.updateApp(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
}

// mostMatches is how many places are named where one is meant.
const mostMatches = 8

// jumpTo goes to what has a name, or does it: an order, a mission, a section, a
// profile, an action. Where several have it, it says which.
func (p *plainMode) jumpTo(name string) plainResponse {
	a := p.app
	for _, s := range offered(a.env) {
		if format.Fold(name) == format.Fold(s.Name) {
			p.runCommand(a.goSection(s))
			return sayPage
		}
	}
	if a.env.Cache != nil {
		a.env.Cache.WantNeeds(a.env.Cache.AllMissions())
		p.runCommand(a.reading.next())
		p.settleMessages()
	}
	entries := a.paletteEntries()
	texts := make([]string, len(entries))
	for i, e := range entries {
		texts[i] = e.searchText()
	}
	var found, exact []paletteEntry
	for _, i := range findMatches(name, texts) {
		found = append(found, entries[i])
		code, _, _ := strings.Cut(format.Fold(entries[i].label), " ")
		if typed := format.Fold(name); code == typed || strings.HasSuffix(code, "-"+typed) || format.Fold(entries[i].label) == typed {
			exact = append(exact, entries[i])
		}
	}
	if len(exact) > 0 { // its order or mission comes before what else is of it
		found = exact[:1]
	}
	switch {
	case len(found) == 0:
		p.sayText("-- nothing is named " + name)
	case len(found) > 1:
		p.sayText("-- several match; type : and more of the name:")
		for _, e := range found[:min(len(found), mostMatches)] {
			p.sayText(strings.Join(nonEmpty(e.label, e.hint), "  "))
		}
	case found[0].off != "":
		p.sayText("-- " + found[0].off)
	default:
		p.runCommand(found[0].run())
		return sayPage
	}
	return sayNothing
}
