package neworder

import (
	"slices"
	"strings"

	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// orderSums are what the sites of an order add up to. They are the same while the
// form is shown, and there may be thousands.
type orderSums struct {
	in     []*ordering.Site
	size   string
	places string
	split  string // that it becomes several orders, "" where it does not
}

// sumSites adds the sites up and puts them on the map.
func (o *orderForm) sumSites() {
	d := o.p.draft
	o.sums = orderSums{
		in:    d.IncludedSites(),
		size:  strings.Join(d.SizeTexts(o.p.Units), " · "),
		split: d.SplitNote(o.p.Now()),
	}
	var countries []string
	for _, s := range o.sums.in {
		if !slices.Contains(countries, s.Country) {
			countries = append(countries, s.Country)
		}
	}
	o.sums.places = strings.Join(countries, ", ")
	o.showOnMap(o.sums.in)
}

// View draws the form beside what the order adds up to.
func (o *orderForm) View(w, h int) string { return o.DrawPage(w*55/100+1, w, h) }

// renderForm draws the form, and where it has the window for itself what the order adds
// up to on the lines that it leaves.
func (o *orderForm) renderForm(w, h int) string {
	if o.Apart {
		w--
	}
	box := o.form.View(o.p.Theme.Style, w, h)
	t := textLines{Theme: o.p.Theme, w: w}
	o.renderSums(&t)
	room := o.form.BlankLines(h) - 1
	if o.Apart || room < 3 {
		return box
	}
	return layout.FitBox(append(layout.SplitLines(box)[:h-room], t.lines...), w, h)
}

// renderAside renders what is beside the form: what the field in focus means, what the order adds
// up to, and where it is.
func (o *orderForm) renderAside(w, h int) string {
	t := textLines{Theme: o.p.Theme, w: w}
	o.renderAbout(&t, h-12)
	t.rule()
	o.renderSums(&t)
	t.rule()
	if h-len(t.lines) < minMapHeight {
		o.HideMap()
		return layout.FitBox(t.lines, w, h)
	}
	return layout.FitBox(t.lines, w, len(t.lines)) + "\n" + o.DrawMap(1, len(t.lines), w, h-len(t.lines))
}

// renderSums draws what the order adds up to.
func (o *orderForm) renderSums(t *textLines) {
	t.title(siteCount(len(o.sums.in)), labels.Word(o.p.draft.OrderType()).Label)
	t.say(theme.Attention, o.sums.split)
	t.add(widget.WrapFacts(t.Theme, 10, t.w, o.orderFacts()...)...)
}

// minMapHeight is what the map below the sums needs.
const minMapHeight = 6

// renderAbout says what the field in focus means and accepts, with its options where
// they fit into h lines.
func (o *orderForm) renderAbout(t *textLines, h int) {
	focused := o.form.Focused()
	f, _ := ordering.FieldByID(focused.ID)
	t.title(f.Label, f.ID)
	t.say(theme.Text, f.About)
	t.say(theme.Muted, f.Limits)
	if len(t.lines)+len(f.Options) > h {
		return
	}
	ticked := focused.Values()
	for i := range focused.Options {
		option, role, mark := &focused.Options[i], theme.Muted, " "
		if slices.Contains(ticked, option.Value) {
			role, mark = theme.Text, "✓"
		}
		if option == focused.MarkedOption() {
			role = theme.Accent
		}
		label := t.PaintRole(role, layout.FitLeft(option.Label, 20))
		t.add(t.PaintRole(theme.Good, " "+mark+" ") + label + t.PaintMuted(" "+option.Help))
	}
}

// orderFacts returns what the order adds up to, after what it lacks.
func (o *orderForm) orderFacts() []widget.Fact {
	facts := widget.Texts("Size", o.sums.size, "Country", o.sums.places,
		"Period", o.orderPeriod(), "Price", "in the quotes that follow")
	if missing := o.missingFields(); missing != "" {
		facts = slices.Insert(facts, 0, widget.Toned("Missing", missing, theme.Attention))
	}
	return facts
}

// orderPeriod returns the period of the order, "" while it is not known.
func (o *orderForm) orderPeriod() string {
	start, err := o.form.Field("startDate").Time()
	end, err2 := o.form.Field("deadline").Time()
	if err != nil || err2 != nil || end.Before(start) {
		return ""
	}
	days := int(end.Sub(start).Hours()/24+0.5) + 1
	now := o.p.Now()
	return format.ShortDay(
		start,
		now,
	) + " → " + format.ShortDay(
		end,
		now,
	) + ", " + format.Count(
		days,
		"day")
}

// missingFields names the fields that are still to be filled in or mended.
func (o *orderForm) missingFields() string {
	var missing []string
	for _, f := range ordering.OrderFields() {
		if o.p.draft.FieldFault(f.ID, o.p.Now()) != "" {
			missing = append(missing, f.Label)
		}
	}
	return strings.Join(missing, ", ")
}
