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
	"flightdesk/tui/widget/geomap"
)

var stepTitles = []string{"Files", "Sites", "Details", "Review"}

// saveDelay is the time from the first unsaved change until the draft is saved.
const saveDelay = 500 * time.Millisecond

// splitWidth is the minimum width of a window, in cells, with the two parts of a step next to each
// other.
const splitWidth = 100

// orderStep is a step of the page. It implements the methods of a page, which NewOrder calls while
// the step is shown.
type orderStep interface {
	page.Page
	page.Dragger
	page.Pointer
}

// stepPage is the base of the steps that are not lists.
type stepPage struct {
	page.Detail
	parent *NewOrder
	draft  *ordering.Draft
}

// newStepPage returns a step that draws two parts. name identifies the saved position of the divider
// between them.
func newStepPage(p *NewOrder, name string, first, second func(w, h int) string) stepPage {
	return stepPage{
		Detail: page.NewDetail(p.env, name, splitWidth, first, second),
		parent: p,
		draft:  p.draft,
	}
}

// showOnMap shows the sites on the step's map.
func (s *stepPage) showOnMap(sites []*ordering.Site) {
	features := make([]geomap.Feature, len(sites))
	for i, site := range sites {
		features[i] = siteFeature(site)
	}
	s.Map.Model.SetFeatures(features)
	s.Map.Model.FitAll()
}

// Title returns the page's name.
func (*stepPage) Title() string { return "New order" }

// NewOrder is the page that creates an order in four steps.
type NewOrder struct {
	orderStep // the shown step
	env       *page.Env
	base      page.Base
	drafts    *ordering.Drafts
	draft     *ordering.Draft // the shown draft

	files   *filesStep
	sites   *sitesStep
	details *orderForm
	review  *reviewStep

	isResumed  bool      // the page has an older draft and has not said so yet
	hasUnsaved bool      // the draft has changes that are not being saved yet
	savedAt    time.Time // when the draft was last saved; zero if it was not saved yet
	saveErr    error     // error of the last attempt to save the draft

	otherDrafts []ordering.StoredDraft // all drafts except the shown one; their sites are marked as known

	saving        page.Request // saves the draft
	loadingDraft  page.Request // reads the draft on disk when the page is opened
	loadingDialog page.Request // reads data for a dialog, or the draft that the user chose in a dialog
	loadingOthers page.Request // reads the other drafts
	loadingOrders page.Request // reads the orders of the draft from the log of changes
}

// New returns the page with the current draft, or with a new one if there is none in memory.
func New(env *page.Env, drafts *ordering.Drafts) *NewOrder {
	p := &NewOrder{env: env, base: page.NewBase(env), drafts: drafts, draft: drafts.Current}
	if p.draft == nil {
		p.draft = ordering.NewDraft()
	}
	p.isResumed = p.draft == drafts.Left
	p.createSteps()
	return p
}

func (p *NewOrder) createSteps() {
	p.files = newFilesStep(p)
	p.sites = newSitesStep(p)
	p.details = newOrderForm(p)
	p.review = newReviewStep(p)
	p.selectStep()
}

// selectStep makes the step with the number draft.Step the shown step, without calling its OnShow.
func (p *NewOrder) selectStep() {
	steps := []orderStep{p.files, p.sites, p.details, p.review}
	p.orderStep = steps[p.draft.Step]
}

// enterStep makes the step with the number draft.Step the shown step, and calls its OnShow.
func (p *NewOrder) enterStep() tea.Cmd {
	p.selectStep()
	return p.orderStep.OnShow()
}

// goTo goes to the step with the given number, such as [ordering.StepSites], and saves the number in the draft.
func (p *NewOrder) goTo(step int) tea.Cmd {
	p.draft.Step = step
	p.details.isEntered = false
	return tea.Batch(p.enterStep(), p.recordChange())
}

// PageLifetime returns the lifetime of the whole page, not of the shown step.
func (p *NewOrder) PageLifetime() *page.Lifetime { return p.base.PageLifetime() }

// CornerText returns the titles of the steps, and when the draft was saved.
func (p *NewOrder) CornerText() string {
	steps := make([]string, len(stepTitles))
	for i, title := range stepTitles {
		steps[i] = fmt.Sprintf("%d %s", i+1, title)
		if i == p.draft.Step {
			steps[i] = "[" + steps[i] + "]"
		}
	}
	line := strings.Join(steps, "  ")
	if p.saveErr != nil {
		return line + "  draft not saved"
	}
	if !p.savedAt.IsZero() && p.env.Look.Width >= 100 {
		return line + "  draft saved " + format.Ago(p.savedAt, p.env.Clock.Now())
	}
	return line
}

// OnShow shows the page's draft. If another page has chosen or created a draft, it opens that draft. If no draft is
// in memory, it opens the last draft on disk.
func (p *NewOrder) OnShow() tea.Cmd {
	wanted := p.drafts.Wanted
	if wanted != "" && p.DisabledReason(action.Drafts) == "" {
		p.drafts.Wanted = ""
		return p.openDraft(wanted)
	}
	current := p.drafts.Current
	if current != nil && current != p.draft {
		p.showDraft(current)
	}
	return tea.Batch(p.showFirstDraft(), p.loadOtherDrafts(), p.loadOrders())
}

// showFirstDraft shows the page's draft. If there is no current draft yet, it first reads the draft
// on disk.
func (p *NewOrder) showFirstDraft() tea.Cmd {
	if p.drafts.Current == nil && p.drafts.OnDisk() {
		return page.RunInBackground(p.base, &p.loadingDraft, p.drafts.ReadDraft, p.resumeDraft)
	}
	p.drafts.Current = p.draft
	if p.isResumed {
		p.isResumed = false
		return tea.Batch(announceResumed(p.draft), p.enterStep())
	}
	return p.enterStep()
}

// announceResumed shows a message that the page has an older draft instead of a new one.
func announceResumed(d *ordering.Draft) tea.Cmd {
	name := cmp.Or(d.FieldValue("orderName"), d.SiteOrigins(""))
	subject := strings.TrimSpace("Draft " + format.CutLine(format.Clean(name), 30))
	return page.ShowToast(theme.Good, subject+" resumed, "+siteCount(len(d.Sites)))
}

// resumeDraft shows the draft d, which was read from disk, unless the user has added sites in the meantime. d is nil if
// there is no draft. If the draft cannot be opened, d is nil and err is the reason.
func (p *NewOrder) resumeDraft(d *ordering.Draft, err error) tea.Cmd {
	var toast tea.Cmd
	if err != nil {
		toast = page.ShowToast(theme.Attention, format.CapitalizeFirst(err.Error()))
	}
	if d != nil && len(p.draft.Sites) == 0 {
		p.replaceEmptyDraft(d)
		if len(d.Sites) > 0 {
			toast = announceResumed(d)
		}
	}
	p.drafts.Current = p.draft
	return tea.Batch(toast, p.enterStep())
}

// replaceEmptyDraft shows d instead of the page's empty draft. If the user has begun to type a path, the
// files step stays open with that path.
func (p *NewOrder) replaceEmptyDraft(d *ordering.Draft) {
	files := p.files
	p.showDraft(d)
	if files.picker.TypedEarly() == "" {
		return
	}
	files.draft = d
	files.importer.draft = d
	p.files = files
	p.draft.Step = ordering.StepFiles
}

// showDraft replaces the draft of the page and creates its steps.
func (p *NewOrder) showDraft(d *ordering.Draft) {
	p.draft = d
	p.drafts.Current = d
	p.hasUnsaved = false
	p.savedAt = time.Time{}
	p.saveErr = nil
	p.createSteps()
}

// loadOrders reads the orders of the draft from the log of changes: another program, or a late
// response of the service, can have changed them.
func (p *NewOrder) loadOrders() tea.Cmd {
	d := p.draft
	read := func(context.Context) (ordering.DraftOrders, error) { return p.drafts.ReadOrders(d.ID) }
	update := func(orders ordering.DraftOrders, err error) tea.Cmd {
		isPlacing := p.review.placement.sending.IsRunning() // placing reads the log too, and reports its errors
		if err != nil || d != p.draft || isPlacing {
			return nil
		}
		hasNew := d.UpdateOrders(orders)
		if hasNew || d.IsPlaced() {
			return tea.Batch(p.recordChange(), p.enterStep())
		}
		return nil
	}
	return page.RunInBackground(p.base, &p.loadingOrders, read, update)
}

// loadOtherDrafts reads the other drafts. A site that is also in another draft is marked as known.
func (p *NewOrder) loadOtherDrafts() tea.Cmd {
	show := func(drafts []ordering.StoredDraft, err error) tea.Cmd {
		if err != nil {
			return nil
		}
		p.otherDrafts = drafts
		return p.sites.OnShow()
	}
	return page.RunInBackground(p.base, &p.loadingOthers, p.drafts.StoredDrafts, show)
}

// DataNeeds returns the need for the missions of all orders. Each site is compared with all missions: a site that
// is already in an order is marked as known.
func (p *NewOrder) DataNeeds() []cache.Need { return []cache.Need{p.env.Profile.Cache.AllMissions()} }

// Update updates the sites after data was loaded, and the orders of the draft after a change was sent or a draft was
// stored. It passes all other messages to the shown step.
func (p *NewOrder) Update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case page.ReadMsg:
		return p.sites.OnShow()
	case page.SentMsg, page.DraftsMsg:
		return p.loadOrders()
	}
	return p.orderStep.Update(msg)
}

// orderingCompany returns the company of the account. If it is unknown, and all orders have the same company,
// orderingCompany returns that company. Otherwise it returns "".
func (p *NewOrder) orderingCompany() string {
	if p.env.Profile.Company != "" {
		return p.env.Profile.Company
	}
	company := ""
	for _, order := range p.env.Profile.Cache.Now().Orders {
		if company != "" && order.CompanyName != company {
			return ""
		}
		company = order.CompanyName
	}
	return company
}

// recordChange records that the draft has changed, and saves the draft after [saveDelay].
func (p *NewOrder) recordChange() tea.Cmd {
	p.drafts.Version++
	if !p.drafts.OnDisk() || p.hasUnsaved {
		return nil
	}
	p.hasUnsaved = true
	return p.base.DoLater(saveDelay, p.saveDraft)
}

// saveDraft saves the draft in the background if it has unsaved changes.
func (p *NewOrder) saveDraft() tea.Cmd {
	if !p.hasUnsaved {
		return nil
	}
	p.hasUnsaved = false
	now := p.env.Clock.Now()
	write := p.drafts.Save(p.draft)
	save := func(context.Context) (time.Time, error) { return now, write() }
	return page.RunInBackground(p.base, &p.saving, save, p.handleSaved)
}

// handleSaved records when the draft was saved. After an error it shows a message and tries again
// after [saveDelay].
func (p *NewOrder) handleSaved(at time.Time, err error) tea.Cmd {
	p.saveErr = err
	if err != nil {
		cause := shortPaths(&p.env.Files, err.Error())
		text := "Draft not saved: " + format.DescribeFileFault(err) + " · " + cause
		return tea.Batch(p.recordChange(), page.ShowToast(theme.Bad, text))
	}
	p.savedAt = at
	return nil
}

// OnLeave saves the draft and shows a toast about it. If all sites of the draft are placed, OnLeave deletes the draft
// instead. It does nothing if the draft has neither sites nor unsaved changes.
func (p *NewOrder) OnLeave() tea.Cmd {
	if p.draft.IsPlaced() {
		return p.removePlaced()
	}
	isEmpty := len(p.draft.Sites) == 0 && !p.hasUnsaved
	if isEmpty {
		return nil
	}
	p.drafts.Left = p.draft
	save := p.drafts.Save(p.draft)
	isPlacing := p.review.placement.sending.IsRunning()
	if isPlacing {
		// The toast does not wait for the draft to be saved, so that it is shown before the result of placing.
		toast := page.ShowToast(theme.Attention, p.describeUnconfirmed())
		return tea.Batch(toast, page.DoInBackground(save, nil))
	}
	return page.DoInBackground(save, page.ToastMsg{Role: theme.Muted, Text: p.describeSaved()})
}

// removePlaced deletes the draft, whose sites are all placed. It does nothing if another draft has become the current
// draft.
func (p *NewOrder) removePlaced() tea.Cmd {
	if p.drafts.Current != p.draft {
		return nil
	}
	return page.DoInBackground(p.drafts.RemoveCurrent(), nil)
}

// describeUnconfirmed returns the message for a user who leaves the page while an order is being placed.
func (p *NewOrder) describeUnconfirmed() string {
	text := "Stopped waiting for the service, order not confirmed"
	if p.canReopen() {
		text += newOrderAdvice("check")
	}
	return text
}

// describeSaved returns the message for a user who leaves the page with a draft.
func (p *NewOrder) describeSaved() string {
	text := "Draft saved"
	if !p.drafts.OnDisk() {
		text = "Draft kept until you quit"
	}
	if p.canReopen() {
		text += " · " + action.KeyOf(action.NewOrder, action.Orders) + " on Home or in Orders continues it"
	}
	return text
}

// canReopen reports whether the key that opens the draft again is enabled.
func (p *NewOrder) canReopen() bool { return p.review.placement.refusal() == "" }

// describeSaving returns a sentence that tells the user, after an error, whether the draft is saved.
func (p *NewOrder) describeSaving() string {
	if p.saveErr != nil {
		return "Your draft is not saved."
	}
	if !p.drafts.OnDisk() {
		return "Your draft is kept until you quit."
	}
	if p.hasUnsaved || p.saving.IsRunning() {
		return "Your draft is being saved."
	}
	return "Your draft is saved."
}

// newOrderAdvice returns the end of a message that advises the user to open the draft again. purpose is what the
// user can do there, such as "check".
func newOrderAdvice(purpose string) string {
	return " · " + action.KeyOf(action.NewOrder, action.Orders) + " in Orders to " + purpose
}

// editDraft calls edit to change the draft, and shows the message done. edit can add and remove sites and files, and
// set values. sites are the existing sites that edit changes. The user can undo and redo the change until another
// draft is opened, or until an order of the draft is sent or placed.
func (p *NewOrder) editDraft(done page.UndoMsg, sites []*ordering.Site, edit func()) tea.Cmd {
	draft := p.draft
	placed := len(draft.Placed)
	selected := p.sites.list.Current()
	swap := draft.SaveState(sites)
	edit()
	done.Weight = len(sites)
	done.Undo = func() (tea.Cmd, bool) {
		if p.draft != draft || draft.Sent != nil || len(draft.Placed) != placed {
			return nil, false
		}
		swap()
		p.sites.reloadSites(selected)
		return tea.Batch(p.recordChange(), p.enterStep()), true
	}
	done.Redo = done.Undo // swap exchanges the states before and after the edit
	return tea.Batch(p.recordChange(), page.SendMessage(done))
}

// DisabledReason returns why an action is disabled, or "".
func (p *NewOrder) DisabledReason(id action.ID) string {
	switch id {
	case action.Drafts, action.Templates:
		if p.loadingDialog.IsRunning() {
			return "still loading"
		}
		return page.TextIf(p.review.placement.sending.IsRunning(), "waiting for the service")
	case action.DeleteDraft:
		return p.deleteReason()
	}
	return p.orderStep.DisabledReason(id)
}

// deleteReason returns why the draft cannot be deleted, or "".
func (p *NewOrder) deleteReason() string {
	if len(p.draft.Sites) == 0 {
		return "the draft has no sites"
	}
	isUnchecked := p.review.placement.isUnchecked()
	return page.TextIf(isUnchecked, "the order may have been placed; press "+reviewRetryKey()+" on Review to check first")
}

// confirmDelete asks whether to delete the draft. If the user confirms, it deletes the draft and shows a new one.
func (p *NewOrder) confirmDelete() tea.Cmd {
	deleteDraft := func() tea.Cmd {
		done := page.ToastMsg{Role: theme.Muted, Text: "Draft deleted"}
		forget := page.DoInBackground(p.drafts.RemoveCurrent(), done)
		p.showDraft(ordering.NewDraft())
		return tea.Batch(p.enterStep(), forget)
	}
	content := siteCount(len(p.draft.Sites)) + " from " + p.draft.SiteOrigins(", ") + " and their details."
	return p.env.Confirm("Delete draft", "delete draft", deleteDraft, content)
}

// EditedForm returns the form of the details, or nil if another step is shown.
func (p *NewOrder) EditedForm() *widget.Form {
	if p.draft.Step == ordering.StepDetails {
		return p.details.form
	}
	return nil
}

// HandleAction performs an action that all steps have, or an action of the shown step.
func (p *NewOrder) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.Drafts:
		return loadDialog(p, p.drafts.StoredDrafts, p.showDrafts)
	case action.Templates:
		return loadDialog(p, p.drafts.LoadTemplates, p.showTemplates)
	case action.DeleteDraft:
		return p.confirmDelete()
	case action.PrevStep:
		return p.goTo(max(0, p.draft.Step-1))
	case action.NextStep:
		if p.draft.Step != ordering.StepSites { // the sites check the countries first
			return p.goTo(min(len(stepTitles)-1, p.draft.Step+1))
		}
	}
	return p.orderStep.HandleAction(id)
}

// View draws the shown step.
func (p *NewOrder) View(w, h int) string {
	if p.loadingDraft.IsRunning() {
		return format.FitBox([]string{p.env.Look.Theme.PaintMuted(" Loading the draft…")}, w, h)
	}
	return p.orderStep.View(w, h)
}

func groupDigits(n int) string { return format.GroupInt(n) }
