package neworder

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
)

// sent is what became of placing: the order, where it is on the service.
type sent struct {
	order *api.Order
	found bool // by looking after a lost answer
}

// question asks before anything is sent.
func (r *review) question() page.Dialog {
	d := r.p.draft
	what := strings.Join(append([]string{format.Count(len(d.in()), "mission", "missions")}, measures(d)...), ", ")
	title, once := "Place order", "It is sent once. Quotes follow; nothing is paid before you accept one, and until then it can be cancelled."
	if n := len(r.parts); n > 1 {
		title = fmt.Sprintf("Place %s orders", group(n))
		once = "They are sent one after the other, each once. What is placed stays placed. Quotes follow for each; nothing is paid before you accept one."
	}
	return &dialog.Question{
		Theme: r.p.Theme, Title: title,
		Lines: []string{d.value("orderName"), what, "For " + d.value("companyName") + ", at " + r.p.Host + ".", once},
		Yes:   "place it", No: "not yet", OnYes: r.place,
	}
}

// place sends the first of the orders that are not placed yet; the others
// follow it. The key names this attempt: the same request sent again carries
// the same one.
func (r *review) place() tea.Cmd {
	d := r.p.draft
	part, req := r.parts[0], r.reqs[0]
	d.Sent, d.Key = r.digests[0], d.Keys[r.digests[0]]
	d.SentAt, d.SentName, d.SentSites, d.Pending = r.p.Now(), part.name, idsOf(part.sites), true
	r.err, r.lost, r.refused, r.shown = nil, false, nil, 0
	keep := r.p.drafts.keep(d)
	key := d.Key
	return page.Ask(r.p.Base, &r.placing, func(ctx context.Context) (sent, error) {
		// First it is written that the order is on its way. Whatever ends the
		// program then, the next run looks before it sends again.
		if err := keep(); err != nil {
			return sent{}, err
		}
		o, err := r.p.Client.Orders.Create(ctx, req, key)
		return sent{order: o}, err
	})
}

// look reads the newest orders for one that a lost answer may have placed.
func (r *review) look() tea.Cmd {
	d := r.p.draft
	name, since := d.SentName, d.SentAt.Add(-time.Minute)
	r.err = nil
	return page.Ask(r.p.Base, &r.placing, func(ctx context.Context) (sent, error) {
		order, err := Look(ctx, r.p.Client, name, since)
		return sent{order: order, found: true}, err
	})
}

func (r *review) took(answer page.Answer[sent]) tea.Cmd {
	if !answer.Take() {
		return nil
	}
	r.err = answer.Err
	switch {
	case r.err != nil && answer.Value.found: // looking failed; it is as unknown as before
		return nil
	case r.err != nil:
		return r.failed()
	case answer.Value.order == nil:
		r.lost, r.p.draft.Pending, r.p.draft.SentSites = false, false, nil
		return tea.Batch(r.p.touched(), page.Toast(theme.Good, "the order is not on the service; S places it"))
	}
	return r.placed(answer.Value)
}

// failed sorts out why the order is not placed.
func (r *review) failed() tea.Cmd {
	if api.MaybeApplied(r.err) {
		r.lost = true
		return nil
	}
	d := r.p.draft
	sites := d.sitesOf(d.SentSites)
	d.Pending, d.SentSites = false, nil
	var e *api.Error
	if errors.As(r.err, &e) {
		r.refused, r.at = belongs(e.Fields, sites), 0
		r.p.steps[stepOrder].(*orderForm).serviceErrors(r.refused)
	}
	return r.p.touched()
}

var missionField = regexp.MustCompile(`^missions\[(\d+)\](?:\.(.*))?$`)

// belongs finds the field or the site that each of the service's faults is of.
func belongs(fields []api.FieldError, sites []*Site) []Fault {
	faults := make([]Fault, len(fields))
	for i, f := range fields {
		faults[i] = Fault{Field: strings.TrimPrefix(f.Field, "order."), Message: f.Message, Service: true}
		if match := missionField.FindStringSubmatch(f.Field); match != nil {
			if n, err := strconv.Atoi(match[1]); err == nil && n < len(sites) {
				faults[i] = Fault{Site: sites[n], Message: strings.TrimSpace(match[2] + " " + f.Message), Service: true}
			}
		}
	}
	return faults
}

// placed notes that an order is there, and sends the next one, unless the
// answer had been lost: then it is for a person to go on.
func (r *review) placed(s sent) tea.Cmd {
	d := r.p.draft
	sites := d.sitesOf(d.SentSites)
	if len(d.SentSites) == 0 { // a draft of a time when one was one order
		sites = d.in()
	}
	d.become(sites, s.order, d.SentName)
	r.lost = false
	if len(d.in()) == 0 {
		return r.done(s)
	}
	r.compute()
	said := tea.Batch(page.Send(page.PlacedMsg{Order: s.order}), page.Toast(theme.Good, fmt.Sprintf("placed %s, %s of %s",
		s.order.OrderCode, group(len(d.Placed)), group(len(d.Placed)+len(r.parts)))))
	if s.found {
		return tea.Batch(said, r.p.touched())
	}
	return tea.Batch(said, r.place())
}

// done forgets the draft and shows the order, of several the first and a list
// of them all.
func (r *review) done(s sent) tea.Cmd {
	p, all := r.p, r.p.draft.Placed
	p.placed = true
	remove := p.drafts.forget()
	forget := func() tea.Msg {
		if err := remove(); err != nil {
			return page.ToastMsg{Role: theme.Attention, Text: err.Error()}
		}
		return nil
	}
	said := "placed " + s.order.OrderCode
	if s.found {
		said = s.order.OrderCode + " had been placed; the answer was lost"
	}
	show := s.order
	if len(all) > 1 {
		said = fmt.Sprintf("placed %s orders", group(len(all)))
		show = &api.Order{OrderCode: all[0].Code, UUID: all[0].UUID, OrderName: all[0].Name}
		p.Overlay(r.outcome(all))
	}
	*p.draft = *newDraft() // another page on it must not show it as still to come
	return tea.Batch(forget, p.Instead(p.Life(), p.OrderPage(show)),
		page.Send(page.PlacedMsg{Order: s.order}), page.Toast(theme.Good, said))
}

// outcome lists the orders that a draft has become.
func (r *review) outcome(all []Placed) page.Dialog {
	return &dialog.Reader{Theme: r.p.Theme, Title: fmt.Sprintf("Placed %s orders", group(len(all))), Text: func(w int) []string {
		lines := make([]string, len(all))
		for i, o := range all {
			right := format.Count(o.Missions, "mission", "missions")
			lines[i] = layout.Text(r.p.Theme.Raised(theme.Text), layout.Ends(layout.Clean(o.Code+"  "+o.Name), right, w))
		}
		return lines
	}}
}
