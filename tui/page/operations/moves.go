package operations

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/action"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/widget"
)

// moveActs returns the actions on orders and missions. The function of maps the
// selected row to the subject of the action, nil for none.
func (d *operationsPage) moveActs(of func(*orderItem) *orderItem) (acts []page.Act[*orderItem]) {
	for _, a := range []struct {
		id  action.ID
		off func(*ops.Order, *ops.Mission) string
		do  func(*orderItem) tea.Cmd
	}{
		{action.IssueQuote, commands.RefuseQuote, func(x *orderItem) tea.Cmd {
			return d.acts.openForm(d.quoteForm(x))
		}},
		{action.AssignOperator, commands.RefuseMissionMove(api.MoveAssignOperator), d.assignOperator},
		{action.ScheduleFlight, commands.RefuseMissionMove(api.MoveSchedule), d.scheduleFlight},
		{action.RecordPermit, commands.RefusePermission, d.recordPermit},
		{action.Deliver, commands.RefuseMissionMove(api.MoveDeliver), d.deliverData},
		{action.AcceptDelivery, commands.RefuseMissionMove(api.MoveAcceptDelivery), func(x *orderItem) tea.Cmd {
			return d.ask(commands.AcceptDelivery(), missionSubject(x, "", d.describeCheck(x.mission.MissionCode)))
		}},
		{action.ExpireQuote, nil, d.expireQuote},
		{action.EndOrder, commands.RefuseEnd, func(x *orderItem) tea.Cmd {
			move, _ := api.EndingMove(x.Order.Status)
			return d.ask(commands.EndOrder(new(string), move), d.orderSubject(x))
		}},
		{action.EditRecord, nil, func(x *orderItem) tea.Cmd {
			return d.ask(commands.SetRecord(commands.RecordOf(x.Details)), d.orderSubject(x))
		}},
		{action.SetNotices, nil, d.setNotices},
	} {
		acts = append(acts, page.Act[*orderItem]{
			ID: a.id, Any: true,
			Off: func(x *orderItem) string {
				switch x = of(x); {
				case x == nil:
					return "no order"
				case a.id == action.ExpireQuote:
					refusal := commands.RefuseExpiry(x.Order, x.expiringQuote(d.env.Clock.Now()), d.env.Clock.Now())
					return cmp.Or(d.adjustRefusal(), refusal)
				case a.off != nil:
					return a.off(x.Order, x.mission)
				}
				return ""
			},
			Do: func(x *orderItem) tea.Cmd { return a.do(of(x)) },
		})
	}
	return append(acts, page.Act[*orderItem]{
		ID: action.ShowClientView, Any: true,
		Off: func(*orderItem) string { return page.TextIf(d.env.Profile.Client == nil, "no client view") },
		Do:  func(x *orderItem) tea.Cmd { return d.env.Nav.Open(newClientViewPage(d, of(x))) },
	})
}

// describeCheck returns the result of the last check of a mission's delivery on this machine.
func (d *operationsPage) describeCheck(mission string) string {
	result, ok := d.env.Profile.Downloads.Checks.OfMission(mission)
	if !ok {
		return "The delivery was not checked on this machine; V in Deliveries checks it."
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

// expiringQuote returns the selected quote, otherwise the order's open quote that
// expires first.
func (x *orderItem) expiringQuote(now time.Time) *ops.Quote {
	return cmp.Or(x.quote, openQuote(x.Order, now))
}

// orderSubject returns the order as what a command is about.
func (d *operationsPage) orderSubject(x *orderItem) requestSubject {
	o := x.Order
	return requestSubject{id: o.UUID, code: o.OrderCode, lines: []string{
		o.OrderCode + "  " + o.OrderName,
		d.companyName(o.AccountUID) + " · " + format.Status(o.Status).Label + " · " + d.orderExtent(o),
	}}
}

// missionSubject returns the mission as what a command is about, with the others of its
// order in the same status if that is the one given.
func missionSubject(x *orderItem, status api.MissionStatus, lines ...string) requestSubject {
	m := x.mission
	s := requestSubject{
		id:    m.UUID,
		code:  m.MissionCode,
		lines: append([]string{m.MissionCode + "  " + m.MissionName + "  ·  " + x.OrderCode}, lines...),
	}
	for i := range x.Missions {
		if other := &x.Missions[i]; other.Status == status && m.Status == status && other.UUID != m.UUID {
			s.others = append(s.others, requestSubject{id: other.UUID, code: other.MissionCode})
		}
	}
	return s
}

// quoteForm returns the form that issues a quote, filled in with the suggested values.
func (d *operationsPage) quoteForm(x *orderItem) *requestForm {
	in, suggested := x.SuggestQuote(0, d.env.Clock.Now()), ""
	currency := in.Currency
	q := d.formOf(
		commands.IssueQuote(&in),
		d.orderSubject(x),
		&widget.Field{Label: "Final", Kind: widget.NoteField},
	)
	q.OnChange = func(f *widget.Form) tea.Cmd {
		suggested = d.suggestPrice(f, x.Order, currency, suggested)
		return nil
	}
	f := q.Form.Fields // the note is below the discount
	q.Form.Fields = slices.Concat(f[:4], f[7:], f[4:7])
	q.Form.Field("priceBeforeDiscount").Set() // computed from the formula
	q.Form.Field("expiryDate").Set("in 1 week")
	return q
}

// suggestPrice computes the suggested and the final price. A price that equals the last
// suggestion follows the new one.
func (d *operationsPage) suggestPrice(f *widget.Form, o *ops.Order, currency, before string) string {
	price, text, note := f.Field("priceBeforeDiscount"), before, ""
	if days, err := f.Field("deliveryBy").Number(); err == nil {
		usual := o.SuggestQuote(int(days), d.env.Clock.Now()).PriceBeforeDiscount
		text = format.Amount(usual, currency)
		note = ", suggested price for " + format.Count(int(days), "day") + ": " + format.Money(usual, currency)
	}
	if price.Value() == before {
		price.Set(text)
	}
	amount, _ := price.Number()
	discount, _ := f.Field("discountPercent").Number()
	in := ops.QuoteInput{
		PriceBeforeDiscount: amount,
		DiscountPercent:     discount,
		Currency:            currency,
	}
	f.Field("final").Note = format.Money(in.FinalPrice(), currency) + note
	return text
}

// orderExtent summarises how much an order requests.
func (d *operationsPage) orderExtent(o *ops.Order) string {
	parts := []string{format.Count(len(o.Missions), "mission")}
	if format.ValueOf(o.AreaSize) > 0 {
		parts = append(parts, d.env.Look.Units.Area(*o.AreaSize))
	}
	return strings.Join(append(parts, format.Count(len(o.Deliverables), "product")), " · ")
}

// assignOperator opens the form that assigns an operator to missions.
func (d *operationsPage) assignOperator(x *orderItem) tea.Cmd {
	known := d.knownOperators()
	about := missionSubject(x, api.MissionAwaitingPilot)
	if len(known) > 0 {
		about.lines = append(about.lines, "Known operators: "+strings.Join(known[:min(4, len(known))], ", "))
	}
	about.all = true
	name := cmp.Or(format.ValueOf(x.mission.OperatorName), slices.Concat(known, []string{""})[0])
	return d.ask(commands.AssignOperator(&name), about)
}

// knownOperators returns the names of operators, busiest first.
func (d *operationsPage) knownOperators() []string {
	flights := map[string]int{}
	d.readWork()
	for _, o := range d.orders {
		for i := range o.Missions {
			flights[format.ValueOf(o.Missions[i].OperatorName)]++
		}
	}
	delete(flights, "")
	names := slices.Sorted(maps.Keys(flights))
	slices.SortStableFunc(names, func(a, b string) int { return flights[b] - flights[a] })
	return names
}

// scheduleFlight opens the form for a flight date, with a reason if there already is
// one.
func (d *operationsPage) scheduleFlight(x *orderItem) tea.Cmd {
	m, day := x.mission, d.env.Clock.Now().AddDate(0, 0, 2)
	line, again := "Operator: "+format.ValueOf(m.OperatorName), m.Status == api.MissionFlightScheduled
	if again {
		day = m.FlightDate.In(day.Location()).AddDate(0, 0, 1)
		line = "Now " + format.Moment(m.FlightDate.Time, d.env.Clock.Now()) + "; stays in the planning history."
	}
	at, _ := commands.AtClock(api.DayAt(day), "09:00") // no clocks are changed then
	in := ops.FlightInput{FlightDate: api.TimeOf(at), ScheduledBy: "Operations"}
	return d.ask(commands.ScheduleFlight(&in, again), missionSubject(x, m.Status, line))
}

// expireQuote opens the dialog that advances the service's clock to a quote's expiry.
func (d *operationsPage) expireQuote(x *orderItem) tea.Cmd {
	q, about := x.expiringQuote(d.env.Clock.Now()), d.orderSubject(x)
	about.lines = append(about.lines, fmt.Sprintf(
		"“%s” expires %s, in %s.",
		q.QuoteName,
		format.Moment(q.ExpiryDate.Time, d.env.Clock.Now()),
		format.TimeLeft(q.ExpiryDate.Time, d.env.Clock.Now(), false),
	))
	return d.ask(commands.ExpireQuote(&q.UUID), about)
}

// setNotices opens the form for the recipients of completion notices.
func (d *operationsPage) setNotices(x *orderItem) tea.Cmd {
	n := cmp.Or(x.Notifications, &api.Notifications{})
	return d.ask(
		commands.SetNotifications(&ops.NotificationInput{Webhook: n.Webhook, Email: n.Email}),
		d.orderSubject(x),
	)
}

// fromFiles is the choice to send files of this machine.
const fromFiles = "files"

// filesField returns the choice between files of this machine, selected after the form,
// and something else.
func filesField(label, other, help string) *widget.Field {
	return &widget.Field{ID: "files", Label: label, Kind: widget.ChoiceField, Options: []widget.Option{
		{Value: "other", Label: other, Help: help, Quiet: true},
		{
			Value: fromFiles,
			Label: "choose files",
			Help:  "from this machine; you select them next",
			Quiet: true,
		},
	}}
}

// recordPermit opens the form that records a flight permission with its document.
func (d *operationsPage) recordPermit(x *orderItem) tea.Cmd {
	in := ops.PermissionInput{Status: api.PermissionGranted}
	about := missionSubject(x, "")
	if p := x.mission.FlightPermission; p != nil {
		in.Authority, in.Reference = format.ValueOf(p.Authority), format.ValueOf(p.Reference)
		in.ValidFrom, in.ValidTo = p.ValidFrom, p.ValidTo
		about.lines = append(about.lines, "Replaces the recorded permission: "+format.Status(p.Status).Label)
	}
	q := d.formOf(commands.RecordPermission(&in), about, filesField("Permit", "none", "without a permit"))
	q.chooser = "Flight permit"
	return d.acts.openForm(q)
}

// deliverData opens the form that delivers chosen files, or generated sample files.
func (d *operationsPage) deliverData(x *orderItem) tea.Cmd {
	kinds := x.Deliverables
	if !slices.Contains(kinds, api.DeliverableJPG) {
		kinds = append([]api.Deliverable{api.DeliverableJPG}, kinds...)
	}
	lines := []string{"Ordered: " + format.WordList(x.Deliverables)}
	if n := len(x.mission.Packages); n > 0 {
		lines = append(lines, format.Count(n, "package")+" already delivered; this adds another.")
	}
	q := d.formOf(commands.DeliverData(), missionSubject(x, api.MissionFlightScheduled, lines...),
		filesField("Files", "sample files", "generated for every ordered product"))
	if which := q.Form.Field("for"); which != nil {
		which.Check = func(chosen string) string {
			alone := chosen == "all" && q.Form.Field("files").Value() == fromFiles
			return page.TextIf(alone, "files can be delivered for one mission only; sample files for all")
		}
	}
	q.chooser, q.kinds = "Files for "+x.mission.MissionCode, kinds
	return d.acts.openForm(q)
}

// pickFiles returns the dialog that chooses one file, or several with a kind each.
func pickFiles(
	b page.Base,
	title string,
	kinds []api.Deliverable,
	onDone func([]api.FileInput) tea.Cmd,
) *page.FileDialog {
	of := map[string]api.Deliverable{} // by path, if the user changed the guessed kind
	kind := func(e page.FolderEntry) api.Deliverable { return cmp.Or(of[e.Path], guessKind(e.Name, kinds)) }
	o := page.FilePickerOptions{
		Hint: "part of a name, or a path",
		None: func() string { return "No matching names" },
	}
	d := &page.FileDialog{Title: title, OnDone: func(files []page.FolderEntry) tea.Cmd {
		uploads := make([]api.FileInput, len(files))
		for i, e := range files {
			uploads[i] = api.FileInput{Name: e.Path, FileDataType: kind(e)}
		}
		return onDone(uploads)
	}}
	if len(kinds) > 0 {
		d.Several = "deliver"
		o.About, o.Says = "Kind", func(e page.FolderEntry) string { return format.Word(kind(e)).Label }
		d.Turn = func(e page.FolderEntry, n int) {
			of[e.Path] = kinds[(slices.Index(kinds, kind(e))+n+len(kinds))%len(kinds)]
		}
	}
	d.FilePicker = page.NewFilePicker(b, o)
	return d
}

// hints lists words in file names that suggest a kind, most specific first.
var hints = []struct {
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

// guessKind returns the first kind suggested by a file's name, otherwise photos.
func guessKind(name string, kinds []api.Deliverable) api.Deliverable {
	name = strings.ToLower(name)
	for _, h := range hints {
		named := func(word string) bool { return strings.Contains(name, word) }
		if slices.Contains(kinds, h.kind) && slices.ContainsFunc(strings.Fields(h.words), named) {
			return h.kind
		}
	}
	return api.DeliverableJPG
}
