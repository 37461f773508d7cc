package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// dialog is the one that asks, nil for none. One that opened by itself is not
// protected from lines: nobody types one by accident.
func (p *plain) dialog() page.Dialog {
	d := p.app.dialogs.top()
	if sudden, ok := d.(interface{ Inner() dialog.Box }); ok {
		d = sudden.Inner()
		p.app.dialogs.open[len(p.app.dialogs.open)-1] = d
	}
	return d
}

// filledIn is the form that lines are typed into, nil for none.
func (p *plain) filledIn() *form.Form {
	var on any = p.app.stacks.top()
	if d := p.dialog(); d != nil {
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

// answer is a line for a dialog.
func (p *plain) answer(d page.Dialog, line string) saying {
	word := strings.ToLower(line)
	key, named := plainKeys[word]
	if _, question := d.(*dialog.Question); question {
		switch word {
		case "y", "yes", "enter":
			p.update(plainKeys["enter"])
		case "n", "no", "esc":
			p.update(plainKeys["esc"])
		default:
			p.say("-- answer y or n")
			return sayNothing
		}
		return sayPage
	}
	if typed, ok := d.(*dialog.Typed); ok && word != "esc" && !strings.EqualFold(line, typed.Want) {
		p.say("-- type " + typed.Want + " or esc")
		return sayNothing
	}
	if !named && line != "" {
		key, named = p.offered(d, line)
	}
	f := p.filledIn()
	switch {
	case named:
		p.update(key)
	case f == nil:
		p.write(line)
	case f.IsLast():
		p.write(line)
	default:
		p.fill(f, line)
		p.update(plainKeys["tab"])
	}
	return sayPage
}

// offered is the key that a dialog names in its last line.
func (p *plain) offered(d page.Dialog, name string) (tea.KeyPressMsg, bool) {
	_, hint := p.box(d)
	for _, part := range hints(hint) {
		if key, does, _ := strings.Cut(part, " "); key == name {
			return keyNamed(key, does)
		}
	}
	return tea.KeyPressMsg{}, false
}

// hints are the keys of a dialog's last line, each with what it does.
func hints(foot string) []string {
	parts := strings.Split(foot, "  ")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return nonEmpty(parts...)
}

// write replaces the text that is being typed, and goes on.
func (p *plain) write(text string) {
	p.fill(p.filledIn(), text)
	p.update(plainKeys["enter"])
}

// fill replaces the text that is being typed; in a form it may name options. An
// empty one leaves all as it is.
func (p *plain) fill(f *form.Form, text string) {
	switch {
	case text == "":
	case f != nil && len(f.Focused().Options) > 0:
		p.update(tea.PasteMsg{Content: text})
	default:
		p.update(tea.KeyPressMsg{Code: 'e', Mod: tea.ModCtrl}) // to the end, then all before it goes
		p.update(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
		for _, r := range text {
			p.update(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
}

// mostMatches is how many places are named where one is meant.
const mostMatches = 8

// jump goes to what has a name, or does it: an order, a mission, a section, a
// profile, an action. Where several have it, it says which.
func (p *plain) jump(name string) saying {
	a := p.app
	for _, s := range offered(a.env) {
		if format.Fold(name) == format.Fold(s.Name) {
			p.run(a.goSection(s))
			return sayPage
		}
	}
	if a.env.Cache != nil {
		a.env.Cache.Want(a.env.Cache.AllMissions())
		p.run(a.reading.next())
		p.settle()
	}
	entries := a.offers()
	texts := make([]string, len(entries))
	for i, e := range entries {
		texts[i] = e.searched()
	}
	var found, exact []entry
	for _, i := range find(name, texts) {
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
		p.say("-- nothing is named " + name)
	case len(found) > 1:
		p.say("-- several match; type : and more of the name:")
		for _, e := range found[:min(len(found), mostMatches)] {
			p.say(strings.Join(nonEmpty(e.label, e.hint), "  "))
		}
	case found[0].off != "":
		p.say("-- " + found[0].off)
	default:
		p.run(found[0].run())
		return sayPage
	}
	return sayNothing
}
