package operations

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/widget"
)

// orderMove is an action on an order or a mission.
type orderMove struct {
	id     action.ID
	refuse func(*orderItem) string // why the action is not possible, or ""; nil if it always is
	do     func(*orderItem) tea.Cmd
}

// refusal returns why the action is not possible on an item, or "" if the action is possible. The item is nil if no
// order is selected or loaded.
func (m *orderMove) refusal(item *orderItem) string {
	if item == nil {
		return "no order is selected or loaded"
	}
	if m.refuse == nil {
		return ""
	}
	return m.refuse(item)
}

// moveActions returns the actions on orders and missions. The function subject returns the item
// that an action on a row changes, or nil if there is none.
func (d *paneTools) moveActions(subject func(row *orderItem) *orderItem) []page.Action[*orderItem] {
	moves := []orderMove{
		{action.IssueQuote, refuseBy(commands.RefuseQuote), d.issueQuote},
		{action.AssignOperator, refuseBy(commands.RefuseMissionMove(api.MoveAssignOperator)), d.assignOperator},
		{action.ScheduleFlight, refuseBy(commands.RefuseMissionMove(api.MoveSchedule)), d.scheduleFlight},
		{action.RecordPermit, refuseBy(commands.RefusePermission), d.recordPermit},
		{action.Deliver, refuseBy(commands.RefuseMissionMove(api.MoveDeliver)), d.deliverData},
		{action.AcceptDelivery, refuseBy(commands.RefuseMissionMove(api.MoveAcceptDelivery)), d.acceptDelivery},
		{action.ExpireQuote, d.expiryRefusal, d.expireQuote},
		{action.EndOrder, refuseBy(commands.RefuseEnd), d.endOrder},
		{action.EditRecord, nil, d.editRecord},
		{action.SetNotices, nil, d.setNotices},
	}
	var actions []page.Action[*orderItem]
	for _, move := range moves {
		isUnlikely := func(row *orderItem) bool {
			item := subject(row)
			return item != nil && item.isOtherStep(move.id)
		}
		actions = append(actions, page.Action[*orderItem]{
			ID:          move.id,
			NeedsNoRow:  true,
			WhyDisabled: func(row *orderItem) string { return move.refusal(subject(row)) },
			Unlikely:    isUnlikely,
			Do:          func(row *orderItem) tea.Cmd { return move.do(subject(row)) },
		})
	}
	// subject may return nil: the client view opens without a selected order.
	return append(actions, page.Action[*orderItem]{
		ID:          action.ShowClientView,
		NeedsNoRow:  true,
		WhyDisabled: func(*orderItem) string { return page.TextIf(d.env.Profile.Client == nil, "no client view") },
		Do:          func(row *orderItem) tea.Cmd { return d.env.Nav.Open(newClientViewPage(d, subject(row))) },
	})
}

// describeCheck returns what the last check of a mission's delivery on this machine has found. If the newest
// package was not checked on this machine, it says so.
func (d *paneTools) describeCheck(x *orderItem) string {
	checks := d.env.Profile.Downloads.Checks
	checks.Reload()
	result, ok := checks.OfMission(x.mission.MissionCode)
	if !ok {
		return "The delivery was not checked on this machine" + d.checkAdvice(x)
	}
	packages := x.mission.Packages // newest first; results are in whole seconds
	if len(packages) > 0 && result.At.Before(packages[0].CreatedAt.Truncate(time.Second)) {
		return "The newest package was not checked on this machine" + d.checkAdvice(x)
	}
	if result.Problems == 0 {
		return "✓ The delivery covers the order, checked " + format.Ago(result.At, d.env.Clock.Now()) + "."
	}
	if result.Problems == 1 {
		return "✗ " + format.Clean(result.Worst)
	}
	more := format.Count(result.Problems-1, "more problem")
	return "✗ " + format.Clean(result.Worst) + "; " + more
}

// checkAdvice returns the end of a sentence about an unchecked delivery. It names the key that checks the
// delivery in the section Deliveries. For an order of another account it returns only a full stop, because
// Deliveries has only the files of the profile's account.
func (d *paneTools) checkAdvice(x *orderItem) string {
	company := d.env.Profile.Company
	isOwn := company != "" && strings.EqualFold(d.service.companyName(x.AccountUID), company)
	if d.env.Profile.Client == nil || !isOwn {
		return "."
	}
	return "; " + action.KeyOf(action.Verify, action.Deliveries) + " in Deliveries checks it."
}

// refuseBy returns a function for orderMove.refuse that calls rule with the order and the mission of an item.
func refuseBy(rule func(*ops.Order, *ops.Mission) string) func(*orderItem) string {
	return func(x *orderItem) string { return rule(x.Order, x.mission) }
}

// expiryRefusal returns why no quote of the order can be made to expire, or "" if one can.
func (d *paneTools) expiryRefusal(x *orderItem) string {
	if refusal := d.service.adjustRefusal(); refusal != "" {
		return refusal
	}
	now := d.env.Clock.Now()
	return commands.RefuseExpiry(x.Order, x.expiringQuote(now), now)
}

// expiringQuote returns the selected quote, otherwise the order's open quote that
// expires first.
func (x *orderItem) expiringQuote(now time.Time) *ops.Quote {
	if x.quote != nil {
		return x.quote
	}
	return openQuote(x.Order, now)
}

// orderSubject returns the item's order as the subject of a command.
func (d *paneTools) orderSubject(x *orderItem) requestSubject {
	o := x.Order
	return requestSubject{id: o.UUID, code: o.OrderCode, lines: []string{
		o.OrderCode + "  " + o.OrderName,
		d.service.companyName(o.AccountUID) + " · " + d.orderStatus(o).Label + " · " + d.orderExtent(o),
	}}
}

// orderStatus returns the label, glyph and colour for an order's status, which depends on the order's quotes.
func (d *paneTools) orderStatus(o *ops.Order) format.StatusLabel {
	return format.OrderState(o.Status, columns.QuotesOf(o, d.env.Clock.Now()))
}

// missionSubject returns the item's mission as the subject of a command. If the mission has the given status, the
// user can also choose the order's other missions with this status.
func missionSubject(x *orderItem, status api.MissionStatus, lines ...string) requestSubject {
	m := x.mission
	s := requestSubject{
		id:    m.UUID,
		code:  m.MissionCode,
		lines: append([]string{m.MissionCode + "  " + m.MissionName + "  ·  " + x.OrderCode}, lines...),
	}
	if m.Status != status {
		return s
	}
	for i := range x.Missions {
		other := &x.Missions[i]
		if other.Status == status && other.UUID != m.UUID {
			s.others = append(s.others, requestSubject{id: other.UUID, code: other.MissionCode})
		}
	}
	return s
}

// issueQuote opens the form that issues a quote.
func (d *paneTools) issueQuote(x *orderItem) tea.Cmd {
	return d.requests.openForm(d.quoteForm(x))
}

// acceptDelivery opens the dialog that accepts a mission's data on behalf of the client.
func (d *paneTools) acceptDelivery(x *orderItem) tea.Cmd {
	return d.requests.openCommand(commands.AcceptDelivery(), missionSubject(x, "", d.describeCheck(x)))
}

// endOrder opens the form that ends an order with a reason.
func (d *paneTools) endOrder(x *orderItem) tea.Cmd {
	move, _ := api.EndingMove(x.Order.Status)
	return d.requests.openCommand(commands.EndOrder(new(string), move), d.orderSubject(x))
}

// editRecord opens the form for an order's details.
func (d *paneTools) editRecord(x *orderItem) tea.Cmd {
	return d.requests.openCommand(commands.SetRecord(commands.RecordOf(x.Details)), d.orderSubject(x))
}

// quoteForm returns the form that issues a quote, filled in with the suggested values. Below the discount it
// shows the final price, which is updated when another value changes.
func (d *paneTools) quoteForm(x *orderItem) *requestForm {
	quote := x.SuggestQuote(0, d.env.Clock.Now())
	currency := quote.Currency // the form writes to quote
	finalPrice := &widget.Field{ID: "final", Label: "Final", Kind: widget.NoteField}
	form := d.requests.formOf(commands.IssueQuote(&quote), d.orderSubject(x), finalPrice)
	moveBelow(form.Form, finalPrice, "discountPercent")
	form.Form.Field("expiryDate").Set("in 1 week")

	// The price field and lastSuggestion are initially both empty, so that the first change fills in a suggestion.
	form.Form.Field("priceBeforeDiscount").Set()
	lastSuggestion := ""
	form.OnChange = func(changed *widget.Form) tea.Cmd {
		lastSuggestion = d.suggestPrice(changed, x.Order, currency, lastSuggestion)
		return nil
	}
	return form
}

// moveBelow moves a field of a form below the field with the given ID.
func moveBelow(form *widget.Form, field *widget.Field, id string) {
	isMoved := func(f *widget.Field) bool { return f == field }
	hasID := func(f *widget.Field) bool { return f.ID == id }
	others := slices.DeleteFunc(form.Fields, isMoved)
	form.Fields = slices.Insert(others, slices.IndexFunc(others, hasID)+1, field)
}

// suggestPrice updates the form of a quote after its values have changed. The note below the discount then shows the
// final price and the usual price for the typed delivery time. previous is the price that the last call has suggested.
// If the price field still contains previous, the usual price replaces it. suggestPrice returns the usual price, or
// previous if the delivery time is invalid.
func (d *paneTools) suggestPrice(f *widget.Form, o *ops.Order, currency, previous string) string {
	suggested := previous
	note := ""
	days, err := f.Field("deliveryBy").Number()
	if err == nil {
		usual := o.SuggestQuote(int(days), d.env.Clock.Now()).PriceBeforeDiscount
		suggested = format.Amount(usual, currency)
		note = ", suggested price for " + format.Count(int(days), "day") + ": " + format.Money(usual, currency)
	}
	price := f.Field("priceBeforeDiscount")
	if price.Value() == previous {
		price.Set(suggested)
	}
	amount, _ := price.Number() // 0 if it is invalid
	discount, _ := f.Field("discountPercent").Number()
	quote := ops.QuoteInput{
		PriceBeforeDiscount: amount,
		DiscountPercent:     discount,
		Currency:            currency,
	}
	f.Field("final").Note = format.Money(quote.FinalPrice(), currency) + note
	return suggested
}

// orderExtent returns the size of an order: its missions, area and products.
func (d *paneTools) orderExtent(o *ops.Order) string {
	parts := []string{format.Count(len(o.Missions), "mission")}
	if format.ValueOf(o.AreaSize) > 0 {
		parts = append(parts, d.env.Look.Units.Area(*o.AreaSize))
	}
	parts = append(parts, format.Count(len(o.Deliverables), "product"))
	return strings.Join(parts, " · ")
}

// assignOperator opens the form that assigns an operator to missions. It suggests the operator of the
// selected mission, or the operator with the most missions.
func (d *paneTools) assignOperator(x *orderItem) tea.Cmd {
	about := missionSubject(x, api.MissionAwaitingPilot)
	about.all = true
	name := format.ValueOf(x.mission.OperatorName)
	known := d.knownOperators()
	if len(known) > 0 {
		about.lines = append(about.lines, "Known operators: "+strings.Join(known[:min(4, len(known))], ", "))
		if name == "" {
			name = known[0] // the operator with most missions
		}
	}
	return d.requests.openCommand(commands.AssignOperator(&name), about)
}

// knownOperators returns the names of the operators of active orders. The operator with most missions is
// first.
func (d *paneTools) knownOperators() []string {
	d.work.readWork()
	missions := map[string]int{}
	for _, o := range d.work.orders {
		for i := range o.Missions {
			missions[format.ValueOf(o.Missions[i].OperatorName)]++
		}
	}
	delete(missions, "")
	names := slices.Sorted(maps.Keys(missions))
	slices.SortStableFunc(names, func(a, b string) int { return missions[b] - missions[a] })
	return names
}

// scheduleFlight opens the form for a flight date. If there is a date already, the form also
// asks for the reason of the change.
func (d *paneTools) scheduleFlight(x *orderItem) tea.Cmd {
	m := x.mission
	now := d.env.Clock.Now()
	day := now.AddDate(0, 0, 2)
	line := "Operator: " + format.ValueOf(m.OperatorName)
	reschedules := m.Status == api.MissionFlightScheduled
	if reschedules {
		day = m.FlightDate.In(day.Location()).AddDate(0, 0, 1)
		line = "Now " + format.Moment(m.FlightDate.Time, now) + "; stays in the planning history."
	}
	at, _ := commands.AtClock(api.DayAt(day), "09:00") // this time of day exists in every time zone
	in := ops.FlightInput{FlightDate: api.TimeOf(at), ScheduledBy: "Operations"}
	return d.requests.openCommand(commands.ScheduleFlight(&in, reschedules), missionSubject(x, m.Status, line))
}

// expireQuote opens the dialog that advances the service's clock to a quote's expiry.
func (d *paneTools) expireQuote(x *orderItem) tea.Cmd {
	now := d.env.Clock.Now()
	quote := x.expiringQuote(now)
	about := d.orderSubject(x)
	about.lines = append(about.lines, fmt.Sprintf(
		"“%s” expires %s, in %s.",
		quote.QuoteName,
		format.Moment(quote.ExpiryDate.Time, now),
		format.TimeLeft(quote.ExpiryDate.Time, now, false),
	))
	return d.requests.openCommand(commands.ExpireQuote(&quote.UUID), about)
}

// setNotices opens the form for the recipients of completion notices.
func (d *paneTools) setNotices(x *orderItem) tea.Cmd {
	var in ops.NotificationInput
	if x.Notifications != nil {
		in.Webhook = x.Notifications.Webhook
		in.Email = x.Notifications.Email
	}
	return d.requests.openCommand(commands.SetNotifications(&in), d.orderSubject(x))
}

// fromFiles is the value of the option "choose files" in the field that filesField returns.
const fromFiles = "files"

// filesField returns a field that chooses whether to send local files. The user selects the files in a
// dialog that follows the form. otherLabel and otherHelp describe the option without local files.
func filesField(label, otherLabel, otherHelp string) *widget.Field {
	choose := widget.Option{
		Value: fromFiles,
		Label: "choose files",
		Help:  "from this machine; you select them next",
		Quiet: true,
	}
	return &widget.Field{ID: "files", Label: label, Kind: widget.ChoiceField, Options: []widget.Option{
		{Value: "other", Label: otherLabel, Help: otherHelp, Quiet: true},
		choose,
	}}
}

// recordPermit opens the form that records a flight permission with its document.
func (d *paneTools) recordPermit(x *orderItem) tea.Cmd {
	in := ops.PermissionInput{Status: api.PermissionGranted}
	about := missionSubject(x, "")
	if p := x.mission.FlightPermission; p != nil {
		in.Authority = format.ValueOf(p.Authority)
		in.Reference = format.ValueOf(p.Reference)
		in.ValidFrom = p.ValidFrom
		in.ValidTo = p.ValidTo
		about.lines = append(about.lines, "Replaces the recorded permission: "+format.Status(p.Status).Label)
	}
	q := d.requests.formOf(commands.RecordPermission(&in), about, filesField("Permit", "none", "without a permit"))
	q.chooser = "Flight permit"
	return d.requests.openForm(q)
}

// deliverData opens the form that delivers chosen files, or generated sample files.
func (d *paneTools) deliverData(x *orderItem) tea.Cmd {
	lines := []string{"Ordered: " + columns.Products(x.Deliverables)}
	if n := len(x.mission.Packages); n > 0 {
		lines = append(lines, format.Count(n, "package")+" already delivered; this adds another.")
	}
	about := missionSubject(x, api.MissionFlightScheduled, lines...)
	files := filesField("Files", "sample files", "generated for every ordered product")
	q := d.requests.formOf(commands.DeliverData(), about, files)
	if missions := q.Form.Field(subjectsField); missions != nil {
		missions.Check = func(chosen string) string {
			invalid := chosen == allSubjects && files.Value() == fromFiles
			return page.TextIf(invalid, "files can be delivered for one mission only; sample files for all")
		}
	}
	q.chooser = "Files for " + x.mission.MissionCode
	q.kinds = x.Deliverables
	if !slices.Contains(q.kinds, api.DeliverableJPG) {
		q.kinds = append([]api.Deliverable{api.DeliverableJPG}, q.kinds...)
	}
	return d.requests.openForm(q)
}

// uploadKinds has the kind of each local file to send, such as photos or a thermal map.
type uploadKinds struct {
	all     []api.Deliverable          // kinds to choose from; nil if the file to send has no kind
	changed map[string]api.Deliverable // kinds that the user has changed, by path
}

// newUploadDialog returns the dialog that chooses files to send. If kinds is empty, the user chooses one file,
// which is sent without a kind. Otherwise the user chooses several files and the kind of each.
func newUploadDialog(
	b page.Base, title string, kinds []api.Deliverable, onDone func([]api.FileInput) tea.Cmd,
) *page.FileDialog {
	uploads := &uploadKinds{all: kinds, changed: map[string]api.Deliverable{}}
	dialog := &page.FileDialog{
		Title:  title,
		OnDone: func(files []page.FolderEntry) tea.Cmd { return onDone(uploads.inputs(files)) },
	}
	options := page.FilePickerOptions{
		Hint: "part of a name, or a path",
		None: func() string { return "No matching names" },
	}
	if len(kinds) > 0 {
		dialog.MarkedVerb = "deliver"
		dialog.Turn = uploads.cycleKind
		options.About = "Kind"
		options.AboutOf = func(file page.FolderEntry) string { return format.Word(uploads.kindOf(file)).Label }
	}
	dialog.FilePicker = page.NewFilePicker(b, options)
	return dialog
}

// kindOf returns the kind of a file: the kind that the user chose, or a guess from the file's name. The result is
// not used if files are sent without a kind.
func (u *uploadKinds) kindOf(file page.FolderEntry) api.Deliverable {
	if kind, isChanged := u.changed[file.Path]; isChanged {
		return kind
	}
	return guessKind(file.Name, u.all)
}

// cycleKind changes the kind of a file to the next kind if step is 1, or to the previous kind if step is -1. The
// first kind follows the last.
func (u *uploadKinds) cycleKind(file page.FolderEntry, step int) {
	next := slices.Index(u.all, u.kindOf(file)) + step + len(u.all)
	u.changed[file.Path] = u.all[next%len(u.all)]
}

// inputs returns the request data of the chosen files.
func (u *uploadKinds) inputs(files []page.FolderEntry) []api.FileInput {
	inputs := make([]api.FileInput, len(files))
	for i, file := range files {
		inputs[i] = api.FileInput{Name: file.Path, FileDataType: u.kindOf(file)}
	}
	return inputs
}

// kindHints lists words in file names that suggest a kind of file, most specific first.
var kindHints = []struct {
	kind  api.Deliverable
	words string
}{
	{"digitalSurfaceModel", "dsm surface"},
	{"digitalTerrainModel", "dtm terrain"},
	{"thermalMap", "thermal"},
	{"ndvi", "ndvi"},
	{"multispectral", "multispectral"},
	{"hyperspectral", "hyperspectral"},
	{"topographicMap", "contour topo .dxf"},
	{"_3dModel", ".obj .glb .ply model"},
	{"LiDAR", "lidar .laz .las"},
	{"pointCloud", "cloud .laz .las"},
	{"panoramas", "pano"},
	{"streamedData", ".mp4 .mov"},
	{"raw", ".dng"},
	{"_3dMap", "3d"},
	{"_2dMap", "ortho mosaic 2d .tif"},
}

// guessKind guesses the kind of a file from words in its name. It returns one of kinds, or photos if the name
// has no such word.
func guessKind(name string, kinds []api.Deliverable) api.Deliverable {
	name = strings.ToLower(name)
	isInName := func(word string) bool { return strings.Contains(name, word) }
	for _, hint := range kindHints {
		if slices.Contains(kinds, hint.kind) && slices.ContainsFunc(strings.Fields(hint.words), isInName) {
			return hint.kind
		}
	}
	return api.DeliverableJPG
}
