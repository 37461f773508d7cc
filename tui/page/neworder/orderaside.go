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
	"flightdesk/tui/widget/form"
	"flightdesk/tui/widget/geomap"
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
	o.sums = orderSums{in: d.IncludedSites(), size: strings.Join(sizeTexts(d), " · "), split: d.SplitNote(o.p.Now())}
	var countries []string
	features := make([]geomap.Feature, len(o.sums.in))
	for i, s := range o.sums.in {
		features[i] = siteFeature(s)
		if !slices.Contains(countries, s.Country) {
			countries = append(countries, s.Country)
		}
	}
	o.sums.places = strings.Join(countries, ", ")
	o.smap.SetFeatures(features)
	o.smap.FitAll()
}

// renderStep draws the form, and what is to be known while it is filled in: beside it,
// or where that has no room on the lines that it leaves.
func (o *orderForm) renderStep(w, h int) string {
	if o.p.Theme.IsWide(w, besideMap) {
		left := w * 55 / 100
		return layout.Beside(o.p.Theme.Rule.Render(" │"), o.form.View(o.p.Theme.Style, left, h), o.renderAside(w-left-2, h))
	}
	box := o.form.View(o.p.Theme.Style, w, h)
	short := o.renderShort(w)
	if o.form.BlankLines(h) <= len(short) {
		return box
	}
	lines := layout.SplitLines(box)
	return layout.FitBox(append(lines[:h-len(short)], short...), w, h)
}

// renderAside renders what is beside the form: what the field in focus means, what the order adds
// up to, and where it is.
func (o *orderForm) renderAside(w, h int) string {
	th := o.p.Theme
	rule := th.Rule.Render(strings.Repeat("─", w))
	lines := append(o.renderAbout(w, h-12), rule)
	lines = append(lines, layout.CleanText(th.Title, " "+format.Count(len(o.sums.in), "site", "sites"))+
		layout.CleanText(th.Style(theme.Muted), "  "+labels.OrderType(o.p.draft.OrderType()).Label))
	if o.sums.split != "" {
		for _, part := range layout.Wrap(o.sums.split, w-2) {
			lines = append(lines, layout.CleanText(th.Style(theme.Attention), " "+part))
		}
	}
	lines = append(append(lines, widget.WrapFacts(th, 10, w, o.orderFacts()...)...), rule)
	rest := h - len(lines)
	if rest < leastMap {
		return layout.FitBox(append(lines, o.renderSites(w, rest)...), w, h)
	}
	if room := rest - easyMap - 1; room >= min(len(o.sums.in), leastSites) {
		lines = append(append(lines, o.renderSites(w, min(len(o.sums.in), room))...), rule)
	}
	return layout.FitBox(lines, w, len(lines)) + "\n" + o.smap.View(th, w, h-len(lines))
}

// What the map below what is said of the order needs, what it has before the
// sites are listed, and how many of these there are then at least.
const (
	leastMap   = 6
	easyMap    = 9
	leastSites = 3
)

// renderAbout says what the field in focus means and accepts, with its options where
// they fit into h lines.
func (o *orderForm) renderAbout(w, h int) []string {
	th, focused := o.p.Theme, o.form.Focused()
	f, _ := ordering.FieldByID(focused.ID)
	lines := []string{layout.CleanText(th.Title, " "+f.Label) + layout.CleanText(th.Style(theme.Muted), "  "+f.ID)}
	for _, part := range layout.Wrap(f.About, w-2) {
		lines = append(lines, layout.CleanText(th.Style(theme.Text), " "+part))
	}
	for _, part := range layout.Wrap(f.Limits, w-2) {
		lines = append(lines, layout.CleanText(th.Style(theme.Muted), " "+part))
	}
	if len(lines)+len(f.Options) > h {
		return lines
	}
	ticked := focused.Values()
	for i := range focused.Options {
		lines = append(lines, o.renderOption(&focused.Options[i], ticked, focused.MarkedOption(), w))
	}
	return lines
}

// renderOption returns an option and what it means.
func (o *orderForm) renderOption(option *form.Option, ticked []string, marked *form.Option, w int) string {
	th, role, mark := o.p.Theme, theme.Muted, " "
	if slices.Contains(ticked, option.Value) {
		role, mark = theme.Text, "✓"
	}
	if option == marked {
		role = theme.Accent
	}
	return layout.CutLine(" "+layout.CleanText(th.Style(theme.Good), mark)+" "+layout.CleanText(th.Style(role), layout.FitLeft(option.Label, 20))+
		layout.CleanText(th.Style(theme.Muted), " "+option.Help), w)
}

// orderFacts returns what the order adds up to.
func (o *orderForm) orderFacts() []widget.Fact {
	facts := []widget.Fact{
		widget.Text("Size", o.sums.size), widget.Text("Country", o.sums.places),
		widget.Text("Period", o.orderPeriod()), widget.Text("Price", "in the quotes that follow"),
	}
	if missing := o.missingFields(); missing != "" {
		facts = append(facts, widget.Fact{Label: "Missing", Value: missing, Role: theme.Attention})
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
	return format.ShortDay(start, o.p.Now()) + " → " + format.ShortDay(end, o.p.Now()) + ", " + format.Count(days, "day", "days")
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

// renderShort returns what is to be known in a few lines below the form.
func (o *orderForm) renderShort(w int) []string {
	th := o.p.Theme
	f, _ := ordering.FieldByID(o.form.Focused().ID)
	lines := []string{th.Rule.Render("─ ") + layout.CleanText(th.Style(theme.Muted), f.Label+": "+f.Limits+" ")}
	sites := format.Count(len(o.sums.in), "site", "sites")
	if o.sums.size != "" {
		sites += " · " + o.sums.size
	}
	lines = append(lines, layout.CutLine(" "+layout.CleanText(th.Style(theme.Text), sites)+layout.CleanText(th.Style(theme.Muted), "  "+o.sums.places), w))
	last := layout.CleanText(th.Style(theme.Muted), " "+strings.TrimPrefix(o.orderPeriod()+" · price in the quotes that follow", " · "))
	if missing := o.missingFields(); missing != "" {
		last = layout.CleanText(th.Style(theme.Attention), " Missing: "+missing)
	}
	return append(lines, layout.CutLine(last, w))
}

// renderSites lists as many sites as have room in h lines.
func (o *orderForm) renderSites(w, h int) []string {
	th, in := o.p.Theme, o.sums.in
	if hidden := len(in) - h; hidden > 0 {
		in = in[:max(0, h-1)]
	}
	lines := make([]string, 0, len(in)+1)
	for _, s := range in {
		name := layout.FitLeft(layout.Clean(s.Name), max(0, w-14))
		lines = append(lines, layout.CleanText(th.Style(theme.Muted), " "+name+" "+layout.FitRight(s.SizeText(), 11)))
	}
	if hidden := len(o.sums.in) - len(in); hidden > 0 && h > 0 {
		lines = append(lines, layout.CleanText(th.Style(theme.Muted), " "+format.BeyondView(0, hidden, false)))
	}
	return lines
}
