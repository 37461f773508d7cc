package neworder

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

var stepTitles = []string{"Files", "Sites", "Details", "Review"}

// keepAfter is how long after a change the draft is written to disk.
const keepAfter = 500 * time.Millisecond

// orderStep is one step of the page, and like a page itself.
type orderStep interface {
	page.Page
	page.Dragger
	page.Pointer
}

// stepPage is what a step begins with.
type stepPage struct {
	page.Detail
	p     *NewOrder
	draft *ordering.Draft
}

// Title names the page.
func (*stepPage) Title() string { return "New order" }

// NewOrder is the page. What it does not do for all steps, the current one does.
type NewOrder struct {
	orderStep
	env     *page.Env
	base    page.Base
	drafts  *ordering.Drafts
	draft   *ordering.Draft
	files   *filesStep
	sites   *sitesStep
	details *orderForm
	review  *reviewStep
	changed bool // since the draft was last written
	saving  page.Question
	loading page.Question
	listing page.Question // of the drafts put aside
	others  []ordering.StoredDraft
	sorting page.Question // of the others

	tracking page.Question // what the log of changes has of the draft
	savedAt  time.Time
	keepErr  error
}

// New returns the page, on the draft that was left.
func New(env *page.Env, drafts *ordering.Drafts) *NewOrder {
	p := &NewOrder{env: env, base: page.NewBase(env), drafts: drafts}
	p.draft = cmp.Or(drafts.Current, ordering.NewDraft())
	p.buildSteps()
	return p
}

func (p *NewOrder) buildSteps() {
	p.files, p.sites, p.details, p.review = newFilesStep(p), newSitesStep(p), newOrderForm(p), newReviewStep(p)
	p.followStep()
}

// followStep makes the draft's step the current one.
func (p *NewOrder) followStep() {
	p.orderStep = []orderStep{p.files, p.sites, p.details, p.review}[p.draft.Step]
}

// enterStep shows the draft's step.
func (p *NewOrder) enterStep() tea.Cmd {
	p.followStep()
	return p.orderStep.OnShow()
}

// PageLifetime returns the page's lifetime.
func (p *NewOrder) PageLifetime() *page.Lifetime { return p.base.PageLifetime() }

// CornerText shows the steps and whether the draft is kept.
func (p *NewOrder) CornerText() string {
	line := ""
	for i, title := range stepTitles {
		step := fmt.Sprint(i+1, " "+title)
		if i == p.draft.Step {
			step = "[" + step + "]"
		}
		line += step + "  "
	}
	switch {
	case p.keepErr != nil:
		return line + "draft not saved"
	case !p.savedAt.IsZero() && p.env.Look.Width >= 100:
		return line + "draft saved " + format.Ago(p.savedAt, p.env.Clock.Now())
	}
	return strings.TrimRight(line, " ")
}

// OnShow opens the draft that was begun or chosen on another page, or the draft on disk if there
// is none in memory.
func (p *NewOrder) OnShow() tea.Cmd {
	if name := p.drafts.Wanted; name != "" && p.DisabledReason(action.Drafts) == "" {
		p.drafts.Wanted = ""
		return p.takeUp(name)
	}
	if begun := p.drafts.Current; begun != nil && begun != p.draft {
		p.showDraft(begun)
	}
	return tea.Batch(p.beginPage(), p.readOthers(), p.readOrders())
}

// readOrders reads what the log of changes has of the draft, which another program or a late response
// may have changed.
func (p *NewOrder) readOrders() tea.Cmd {
	d := p.draft
	read := func(context.Context) (ordering.DraftOrders, error) { return p.drafts.ReadOrders(d.ID) }
	return page.AskInBackground(p.base, &p.tracking, read, func(orders ordering.DraftOrders, err error) tea.Cmd {
		if err != nil || d != p.draft || p.review.placing.IsOpen() {
			return nil // placing reads the log of changes again and reports the error
		}
		more := d.UpdateOrders(orders)
		if more || d.IsPlaced() {
			return tea.Batch(p.noteChange(), p.enterStep())
		}
		return nil
	})
}

func (p *NewOrder) beginPage() tea.Cmd {
	if p.drafts.Current == nil && p.drafts.OnDisk() {
		return page.AskInBackground(p.base, &p.loading, p.drafts.ReadDraft, p.resumeDraft)
	}
	p.drafts.Current = p.draft
	return p.enterStep()
}

// showDraft replaces the draft of the page.
func (p *NewOrder) showDraft(d *ordering.Draft) {
	p.draft, p.drafts.Current = d, d
	p.changed, p.savedAt, p.keepErr = false, time.Time{}, nil
	p.buildSteps()
}

// DataNeeds returns the orders: what is in them is not ordered twice.
func (p *NewOrder) DataNeeds() []cache.Need { return []cache.Need{p.env.Profile.Cache.AllMissions()} }

// readOthers reads the other drafts, for what is in them neither.
func (p *NewOrder) readOthers() tea.Cmd {
	return page.AskInBackground(
		p.base,
		&p.sorting,
		p.drafts.StoredDrafts,
		func(others []ordering.StoredDraft, err error) tea.Cmd {
			if err != nil {
				return nil
			}
			p.others = others
			return p.sites.OnShow()
		},
	)
}

// Update takes what was read and, while typing, keys.
func (p *NewOrder) Update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case page.ReadMsg: // of orders with the same places, perhaps
		return p.sites.OnShow()
	case page.SentMsg, page.DraftsMsg: // perhaps of an order of the draft
		return p.readOrders()
	}
	return p.orderStep.Update(msg)
}

// noteSaved records when the draft was saved, or shows the error of saving it.
func (p *NewOrder) noteSaved(at time.Time, err error) tea.Cmd {
	if p.keepErr = err; err != nil {
		text := "Draft not saved: " + format.DescribeFileFault(err) + " · " + p.files.shortPath(err.Error())
		return tea.Batch(p.noteChange(), page.ShowToast(theme.Bad, text))
	}
	p.savedAt = at
	return nil
}

func (p *NewOrder) resumeDraft(d *ordering.Draft, err error) tea.Cmd {
	var said tea.Cmd
	if err != nil {
		said = page.ShowToast(theme.Attention, format.CapitalizeFirst(err.Error()))
	}
	if d != nil && len(p.draft.Sites) == 0 {
		files := p.files
		if p.showDraft(d); files.picker.TypedEarly() != "" { // a path is being typed
			p.draft.Step, p.files, files.draft = ordering.StepFiles, files, d
		}
		if len(d.Sites) > 0 {
			said = page.ShowToast(theme.Good, "Draft with "+siteCount(len(d.Sites))+" reopened")
		}
	}
	p.drafts.Current = p.draft
	return tea.Batch(said, p.enterStep())
}

// orderingCompany returns who orders as far as that is known: the account, or whom all of its
// orders are for.
func (p *NewOrder) orderingCompany() string {
	company := p.env.Profile.Company
	for _, o := range p.env.Profile.Cache.Now().Orders {
		if p.env.Profile.Company != "" || company != "" && o.CompanyName != company {
			return p.env.Profile.Company
		}
		company = o.CompanyName
	}
	return company
}

// noteChange records a change of the draft. The draft is written to disk when changes pause.
func (p *NewOrder) noteChange() tea.Cmd {
	p.drafts.Version++
	if !p.drafts.OnDisk() || p.changed {
		return nil
	}
	p.changed = true
	return p.base.DoLater(keepAfter, p.keepDraft)
}

func (p *NewOrder) keepDraft() tea.Cmd {
	if !p.changed {
		return nil
	}
	p.changed = false
	now, write := p.env.Clock.Now(), p.drafts.Keep(p.draft)
	return page.AskInBackground(
		p.base,
		&p.saving,
		func(context.Context) (time.Time, error) { return now, write() },
		p.noteSaved,
	)
}

// OnLeave writes what has changed since the last time.
func (p *NewOrder) OnLeave() tea.Cmd {
	switch {
	case p.draft.IsPlaced() && p.drafts.Current == p.draft:
		return page.KeepInBackground(p.drafts.Forget(), nil)
	case p.draft.IsPlaced():
		return nil
	}
	if len(p.draft.Sites) == 0 && !p.changed {
		return nil
	}
	if p.review.placing.IsOpen() { // its result is reported after this
		said := page.ShowToast(theme.Attention, "Placing stopped, not confirmed · n to check")
		return tea.Batch(said, page.KeepInBackground(p.drafts.Keep(p.draft), nil))
	}
	said := page.ToastMsg{Role: theme.Muted, Text: "Draft saved · n to continue"}
	return page.KeepInBackground(p.drafts.Keep(p.draft), said)
}

// goTo shows a step.
func (p *NewOrder) goTo(n int) tea.Cmd {
	p.draft.Step = n
	p.details.opened = false
	return tea.Batch(p.enterStep(), p.noteChange())
}

// DisabledReason returns why an action is disabled, or "".
func (p *NewOrder) DisabledReason(id action.ID) string {
	switch {
	case id == action.Drafts || id == action.Templates:
		return cmp.Or(page.TextIf(p.listing.IsOpen(), "still loading"),
			page.TextIf(p.review.placing.IsOpen(), "waiting for the service"))
	case id != action.DeleteDraft:
		return p.orderStep.DisabledReason(id)
	case len(p.draft.Sites) == 0:
		return "the draft is empty"
	case p.review.isUnchecked():
		return "the order may have been placed; press r on Review to check first"
	}
	return ""
}

// askToDrop asks for confirmation, then discards the draft.
func (p *NewOrder) askToDrop() tea.Cmd {
	about := siteCount(len(p.draft.Sites)) + " from " + p.draft.SiteOrigins(", ") + " and their details."
	return p.env.AskFirst("Delete draft", "delete draft", func() tea.Cmd {
		said := page.ToastMsg{Role: theme.Muted, Text: "Draft deleted"}
		forget := page.KeepInBackground(p.drafts.Forget(), said)
		p.showDraft(ordering.NewDraft())
		return tea.Batch(p.enterStep(), forget)
	}, about)
}

// FilledIn returns the form of the details, or nil on the other steps.
func (p *NewOrder) FilledIn() *widget.Form {
	if p.draft.Step == ordering.StepDetails {
		return p.details.form
	}
	return nil
}

// HandleAction performs an action of the step.
func (p *NewOrder) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.Drafts:
		return askDialog(p, p.drafts.StoredDrafts, p.draftsDialog)
	case action.Templates:
		return askDialog(p, p.drafts.LoadTemplates, p.showTemplates)
	case action.DeleteDraft:
		return p.askToDrop()
	case action.PrevStep:
		return p.goTo(max(0, p.draft.Step-1))
	case action.NextStep:
		if p.draft.Step != ordering.StepSites {
			return p.goTo(min(len(stepTitles)-1, p.draft.Step+1))
		}
	}
	return p.orderStep.HandleAction(id)
}

// View draws the step.
func (p *NewOrder) View(w, h int) string {
	if p.loading.IsOpen() {
		return format.FitBox([]string{p.env.Look.Theme.PaintMuted(" Loading the draft…")}, w, h)
	}
	return p.orderStep.View(w, h)
}

func groupDigits(n int) string { return format.GroupInt(n) }
