package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/config/atomicfile"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
)

// orderCommand returns the group of commands that show, cancel, archive and reject orders.
func orderCommand() *cobra.Command {
	return defineGroup(
		&cobra.Command{
			Use:   "order",
			Short: "Show, cancel, archive or reject an order",
			Example: `# an order by its code
flightdesk order show ORD-1042`,
		},
		orderShow(),
		orderRecord(),
		orderMove(api.MoveCancel,
			"Cancel an order and its missions",
			"flightdesk order cancel ORD-1042 --yes",
		),
		orderMove(api.MoveArchive,
			"Archive an order",
			`flightdesk order archive ORD-1042 "project closed" --yes`,
		),
		orderMove(api.MoveReject,
			"Reject an order without an accepted quote",
			`flightdesk order reject ORD-1042 "no budget" --yes`,
		),
	)
}

func orderShow() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show ORDER",
		Short: "Print an order with its missions and quotes",
		Long: `Prints an order with its missions, and its quotes if the profile has a v2 API address. --output json prints
the order as returned by the service; for its quotes, use flightdesk list quotes.

--view operations prints what the operations API has of the order: account, operators, flights, permissions, packages and
quotes with their prices. With an operations key, it is the default for orders of other accounts and for profiles
without a key of an account.

--view record prints all v2 fields: client, deadline, price, contact on site, flight height, quotes and files by product.
It also works for orders that the public API does not have. --file-type selects the products whose links are included;
links appear only in JSON, are valid for a day and need no key.`,
		Example: `# for people
flightdesk order show ORD-1042

# for programs
flightdesk order show ORD-1042 --output json

# the service side of it
flightdesk order show ORD-1042 --view operations

# the links of its maps
flightdesk order show ORD-1042 --view record --file-type _2dMap --output json`,
	}
	var f showFlags
	f.view = choiceFlag(cmd, "view", "what is printed", viewClient, viewOperations, viewRecord)
	cmd.Flag("view").DefValue = viewClient // only for the help; if omitted, print chooses client or operations
	f.products = productsFlag(cmd, "products whose links are included, with --view record")
	return defineConnected(cmd, f.connect, f.check, f.print)
}

// showFlags are the flags of order show.
type showFlags struct {
	view     *choice[string]
	products *choice[api.Deliverable]
}

func (f *showFlags) check([]string) error {
	if len(f.products.Values) > 0 && f.view.String() != viewRecord {
		return errors.New("--file-type needs --view record")
	}
	return nil
}

// print prints an order in the view of --view. Without --view, it prints the client view. If the profile has no
// key of an account, or if the order belongs to another account, it prints the operations view instead.
func (f *showFlags) print(c *Call) error {
	if f.view.String() == viewRecord {
		return printRecord(c, f.products.Values)
	}
	if c.Service.Client == nil {
		return c.printOperationsView()
	}
	err := c.printClientView()
	isOfOtherAccount := api.IsStatus(err, http.StatusNotFound, http.StatusForbidden)
	isViewGiven := f.view.String() != ""
	if isViewGiven || !isOfOtherAccount {
		return err
	}
	service, opsErr := c.RequireOps()
	if opsErr != nil {
		return err
	}
	c.Service = service
	return c.printOperationsView()
}

// The values of --view.
const (
	viewClient     = "client"
	viewOperations = "operations"
	viewRecord     = "record"
)

// connect connects to the API that returns the view of --view. Without --view, it connects with the key of an
// account. If the profile has no such key, it connects with the key of the operations API.
func (f *showFlags) connect(c *Call) (*Service, error) {
	if f.view.String() == viewOperations {
		return c.RequireOps()
	}
	service, err := c.Connect()
	isViewGiven := f.view.String() != ""
	if err == nil || isViewGiven {
		return service, err
	}
	opsService, opsErr := c.RequireOps()
	if opsErr != nil {
		return service, err // the error of the account's key is the more useful one
	}
	return opsService, nil
}

// printOperationsView prints an order with the fields of the operations API.
func (c *Call) printOperationsView() error {
	o, err := c.readOrder(c.Args[0])
	if err != nil {
		return adviseList(err)
	}
	return c.printOrder(o)
}

// printClientView prints an order with the fields of the account's APIs: the order with its missions,
// and the quotes of its v2 record.
func (c *Call) printClientView() error {
	view, err := c.loadClientView(c.Args[0])
	if err != nil {
		return err
	}
	parts := append(view.orderParts(c), view.quoteParts(c)...)
	if err := c.PrintParts(view.order, parts...); err != nil {
		return err
	}
	return view.missionsErr
}

// clientView is an order as the public API and the v2 API return it to its account.
type clientView struct {
	order       *api.Order // nil if orderErr is set
	orderErr    error      // why the order could not be read
	missionsErr error      // why not all missions of the order could be read

	record    *api.OrderRecord // nil if recordErr is set or the record was not read
	recordErr error            // why the record could not be read
}

// loadClientView reads an order from the public API. If the quotes of the order are printed and the profile has
// the v2 API, it also reads the record of the order. It returns an error only if no API returns the order.
func (c *Call) loadClientView(id string) (*clientView, error) {
	needsRecord := c.Output != "json" && c.Service.LegacyBaseURL != ""
	order, err := c.Service.Client.Orders.Get(c, orderCode(id))
	if err != nil && !api.IsPartial(err) {
		orderErr := prefixError(id, err)
		if !needsRecord || c.Err() != nil {
			return nil, orderErr
		}
		return c.loadRecordView(id, orderErr)
	}
	c.Names.AddRow(order)
	view := &clientView{order: order, missionsErr: err} // a partial error is about the missions
	if needsRecord {
		view.record, view.recordErr = c.FindRecord(order.UUID)
	}
	return view, nil
}

// loadRecordView returns the view of an order that only the v2 API has. orderErr is the error of the public
// API. If the v2 API does not return the order either, orderErr is the result.
func (c *Call) loadRecordView(id string, orderErr error) (*clientView, error) {
	record, err := c.FindRecord(id)
	if err != nil {
		return nil, orderErr
	}
	return &clientView{orderErr: orderErr, record: record}, nil
}

// orderParts returns the fields and missions of the order, or the fields of its record if
// there is no order.
func (v *clientView) orderParts(c *Call) []part {
	if v.orderErr == nil {
		facts := append(orderFacts(v.order, c.Service.Units), columns.UnknownMembers(v.order.Extra)...)
		missions := newSheet("mission", columns.Missions(),
			"missionCode missionName status operatorName flightDate country areaSize")
		return []part{factsPart(facts), tableIfKnown(c, missions, v.order.Missions, v.missionsErr)}
	}
	reason := v.orderErr.Error()
	if api.IsStatus(v.orderErr, http.StatusNotFound) {
		reason = "none; the order exists only in the v2 API"
	}
	return []part{factsPart(columns.RecordFacts(v.record, c.Service.Units)), linePart("missions: " + reason)}
}

// quoteParts returns a table of the quotes of the record. If the record could not be read, it returns a line
// with the reason. If the record was not read, it returns nil.
func (v *clientView) quoteParts(c *Call) []part {
	if api.IsStatus(v.recordErr, http.StatusNotFound) {
		return []part{linePart("quotes: not available here; the v2 API does not have this order")}
	}
	if v.recordErr != nil {
		return []part{linePart("quotes: " + v.recordErr.Error())}
	}
	if v.record == nil {
		return nil
	}
	record := v.record
	if v.orderErr == nil && v.order.Status == api.OrderArchived {
		record = quoting.CloseArchived(record)
	}
	quotes := newSheet("quote", columns.Quotes(c.Service.Now), quoteNames)
	if quoting.StandingOf(record, c.Service.Now()).HasExpired() {
		quotes.Totals = "\n" + quoting.AllExpired
	}
	return []part{quotes.tablePart(c, columns.Pointers(quotesOf(record, c.Service.Now())))}
}

// orderCode returns the code of an order or mission in upper case, as the service writes it. Other
// texts, such as IDs, are returned unchanged.
func orderCode(typed string) string {
	if looksLikeCode(typed) {
		return strings.ToUpper(typed)
	}
	return typed
}

// looksLikeCode reports whether a text begins like the code of an order or a mission.
func looksLikeCode(text string) bool {
	upper := strings.ToUpper(text)
	return strings.HasPrefix(upper, "ORD-") || strings.HasPrefix(upper, "MSN-")
}

// FindOrder returns the order of the account that has a code or ID. If some missions of the order cannot be
// read, it returns the order without them and no error.
func (c *Call) FindOrder(code string) (*api.Order, error) {
	order, err := c.Service.Client.Orders.Get(c, orderCode(code))
	if err != nil && !api.IsPartial(err) {
		return nil, prefixError(code, err)
	}
	c.Names.AddRow(order)
	return order, nil
}

// FindRecord returns the v2 record of the order that has a code or ID. If products are given, the record has
// the download links of these products only.
func (c *Call) FindRecord(code string, products ...api.Deliverable) (*api.OrderRecord, error) {
	record, err := c.Service.Client.Records.Get(c, orderCode(code), products...)
	if err != nil {
		return nil, prefixError(code, err)
	}
	c.Names.AddRow(record)
	return record, nil
}

// orderMove returns the command that cancels, archives or rejects an order, depending on the move.
func orderMove(move api.OrderMove, short, example string) *cobra.Command {
	use := string(move) + " ORDER"
	reasonHelp := ""
	if move.NeedsReason() {
		use += " REASON"
		reasonHelp = " The reason is stored with the order."
	}
	effects := strings.Join(commands.DescribeOrderMove(move), " ")
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Long: effects + reasonHelp + ` Asks for confirmation; --yes skips it. The service decides whether the order's status allows it.
If the response is lost or does not confirm it, the order is read for some seconds; if it does not change, the exit
status is 75: sent, not confirmed.
An order that is already ` + move.PastTense() + ` stays unchanged. --output json prints the order afterwards.`,
		Example: "# without asking\n" + example + "\n\n# for programs\n" + example + " --output json",
	}
	confirmFlag(cmd)
	return defineService(cmd, checkReason, func(c *Call) error { return runOrderMove(c, move) })
}

// runOrderMove makes the move of the order in the arguments, unless the order has moved already, and prints the
// order.
func runOrderMove(c *Call, move api.OrderMove) error {
	if err := c.CheckCanOrder(); err != nil {
		return err
	}
	order, err := c.FindOrder(c.Args[0])
	if err != nil {
		return err
	}
	if commands.IsMoved(order, move) {
		return printMoved(c, order)
	}
	reason := ""
	if move.NeedsReason() {
		reason = c.Args[1]
	}
	moved, err := moveOrder(c, order, move, reason)
	if err != nil {
		return err
	}
	return printMoved(c, moved)
}

func printMoved(c *Call, o *api.Order) error {
	return c.PrintResult(o, o.OrderCode+" "+o.OrderName+" is "+commands.InText(o.Status))
}

// moveOrder asks for confirmation, cancels, archives or rejects an order, and returns the order with its new
// status.
func moveOrder(c *Call, order *api.Order, move api.OrderMove, reason string) (*api.Order, error) {
	missions := countMissions(order)
	effects := strings.Join(commands.DescribeOrderMove(move), "\n")
	question := fmt.Sprintf("%s  %s, %s, %s\n%s",
		order.OrderCode, order.OrderName, format.Status(order.Status).Label, missions, effects)
	if doubt := commands.DoubtOrderMove(order, move); doubt != "" {
		question += "\n" + doubt
	}
	const adviceWithoutTerminal = "check with flightdesk order show, then use --yes"
	if err := c.confirmChange(question, string(move), adviceWithoutTerminal); err != nil {
		return nil, err
	}
	moved, err := c.ChangeSender().MoveOrder(c, order, move, reason)
	if err != nil {
		return nil, prefixError(order.OrderCode, err)
	}
	return c.reloadMoved(order, moved.Status), nil
}

// countMissions returns the number of missions of an order in words. The order can lack missions that could not be
// read, so the number that the service sent counts. Without it, an order without missions has an unknown number.
func countMissions(o *api.Order) string {
	if o.MissionCount != nil {
		return format.Count(*o.MissionCount, "mission")
	}
	if len(o.Missions) > 0 {
		return format.Count(len(o.Missions), "mission")
	}
	return "number of missions unknown"
}

// reloadMoved reads an order again after the service has confirmed its new status. If that fails, or if the
// service returns another status, it returns a copy of the given order with the new status.
func (c *Call) reloadMoved(order *api.Order, status api.OrderStatus) *api.Order {
	// The order is read even if the command was interrupted after the move.
	ctx, cancel := changes.ReadBackContext(c.Context)
	defer cancel()
	reloaded, err := c.Service.Client.Orders.Get(ctx, orderCode(order.OrderCode))
	isRead := err == nil || api.IsPartial(err)
	if isRead && reloaded.Status == status {
		c.Names.AddRow(reloaded)
		return reloaded
	}
	confirmed := *order
	confirmed.Status = status
	return &confirmed
}

// orderRecord returns the command that prints an order of the v2 API.
func orderRecord() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "record ORDER",
		Short: "Print all v2 fields of an order",
		Long: `Prints all v2 fields of an order, by its code or ID: client, deadline, price, contact on site, flight height,
quotes and files by product. It also works for orders that the public API does not have. --file-type selects the
products whose links are included; links appear only in JSON, are valid for a day and need no key.`,
		Example: `# all fields of an order
flightdesk order record ORD-1042

# the links of its maps
flightdesk order record ORD-1042 --file-type _2dMap --output json`,
	}
	products := productsFlag(cmd, "products whose links are included")
	return defineService(cmd, nil, func(c *Call) error { return printRecord(c, products.Values) })
}

// printRecord prints all v2 fields of an order, and in JSON the links of some products.
func printRecord(c *Call, products []api.Deliverable) error {
	if err := c.Service.CheckHasV2("order records"); err != nil {
		return err
	}
	record, err := c.FindRecord(c.Args[0], products...)
	if err != nil {
		return err
	}
	return c.PrintFacts(record, columns.RecordFacts(record, c.Service.Units))
}

func productsFlag(cmd *cobra.Command, usage string) *choice[api.Deliverable] {
	return listFlag(cmd, "file-type", usage, api.DeliveryProducts())
}

// missionCommand returns the group of commands for missions.
func missionCommand() *cobra.Command {
	return defineGroup(
		&cobra.Command{
			Use:   "mission",
			Short: "Show a mission or save its flight permit",
			Example: `# a mission by its code
flightdesk mission show MSN-2001`,
		},
		missionShow(), missionPermit(),
	)
}

// missionStory is a mission with its planning, flight permission and packages. It is the output of
// mission show --output json.
type missionStory struct {
	Mission          *api.Mission          `json:"mission"`
	Planning         []api.PlanningEntry   `json:"planning"`         // newest first
	FlightPermission *api.FlightPermission `json:"flightPermission"` // nil if none is recorded
	Packages         []api.DeliveryPackage `json:"packages"`         // newest first

	planningErr, permissionErr, packagesErr error // why a part could not be read
}

func missionShow() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show MISSION",
		Short: "Print a mission with its planning, flight permission and packages",
		Long: `Prints a mission by its code, with all versions of its planning, its flight permission and its packages.
--output json prints {"mission", "planning", "flightPermission", "packages"}.`,
		Example: `# for people
flightdesk mission show MSN-2001

# for programs
flightdesk mission show MSN-2001 --output json`,
	}
	return defineService(cmd, nil, showMission)
}

// showMission prints the mission in the arguments. If a part of it could not be read, it prints the other parts and
// returns an error.
func showMission(c *Call) error {
	story, err := c.loadStory()
	if err != nil {
		return prefixError(c.Args[0], err)
	}
	if err := printStory(c, story); err != nil {
		return err
	}
	missing := &api.PartsError{}
	missing.Add(story.planningErr)
	missing.Add(story.permissionErr)
	missing.Add(story.packagesErr)
	return prefixError(c.Args[0], missing.ErrorOrNil())
}

// loadStory reads the mission in the arguments with its planning, flight permission and
// packages. It returns an error only if the mission itself cannot be read.
func (c *Call) loadStory() (*missionStory, error) {
	stopWaiting := c.ShowWaiting("searching the orders")
	defer stopWaiting()
	mission, err := fetch.FindMission(c, c.Service.Client, orderCode(c.Args[0]))
	if err != nil {
		return nil, err
	}
	c.Names.AddRow(&mission)
	parts := loadParts(c, mission.UUID)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return &missionStory{
		Mission:          &mission,
		Planning:         parts.Planning,
		FlightPermission: parts.Permission,
		Packages:         parts.Packages,
		planningErr:      parts.PlanningErr,
		permissionErr:    parts.PermissionErr,
		packagesErr:      parts.PackagesErr,
	}, nil
}

// loadParts reads the planning, the flight permission and the packages of a mission. The result has the errors of
// the parts that could not be read.
func loadParts(c *Call, mission string) timeline.MissionParts {
	data := cache.New(c.Service.Client, c.Service.Client.Now)
	partsInCache := func() timeline.MissionParts {
		const packagesWithFiles = 0
		parts, _ := timeline.PartsOf(data, mission, packagesWithFiles)
		return parts
	}
	data.LoadNeeds(c, func() []cache.Need { return partsInCache().Needs })
	return partsInCache()
}

func printStory(c *Call, s *missionStory) error {
	mission := s.Mission
	facts := columns.RowFacts(columns.InUnits(columns.Missions(), c.Service.Units), mission, c.Service.Now())
	facts = append(facts, permissionFacts(c, s)...)
	facts = append(facts, columns.UnknownMembers(mission.Extra)...)
	planning := newSheet("planning version", columns.Planning(), "")
	packages := newSheet("package", columns.Packages(), "")
	return c.PrintParts(
		s,
		factsPart(facts),
		tableIfKnown(c, planning, s.Planning, s.planningErr),
		tableIfKnown(c, packages, s.Packages, s.packagesErr),
	)
}

// permissionFacts returns the fields of a mission's flight permission, or a field that says that none is
// recorded or that it could not be read.
func permissionFacts(c *Call, s *missionStory) [][2]string {
	if s.permissionErr != nil {
		return [][2]string{{"Permission", "not known"}}
	}
	permission := s.FlightPermission
	if permission == nil {
		return [][2]string{{"Permission", "not recorded"}}
	}
	facts := columns.RowFacts(columns.Permissions(), permission, c.Service.Now())
	if permission.PermitFileURL != nil {
		facts = append(facts, [2]string{"Permit", "flightdesk mission permit " + s.Mission.MissionCode})
	}
	return append(facts, columns.UnknownMembers(permission.Extra)...)
}

// tableIfKnown returns a table of rows. If there are no rows because of an error, it returns a line that says
// that they are not known.
func tableIfKnown[T any](c *Call, sheet *rowSheet[*T], rows []T, err error) part {
	if err != nil && len(rows) == 0 {
		return linePart(sheet.plural + ": not known")
	}
	return sheet.tablePart(c, columns.Pointers(rows))
}

// savedPermit is the output of mission permit --output json.
type savedPermit struct {
	MissionCode string `json:"missionCode"`
	Path        string `json:"path"`
	Size        int    `json:"size"` // bytes
}

func missionPermit() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "permit MISSION",
		Short: "Save a mission's flight permit",
		Long: `Saves the flight permit as MISSION-permit.pdf, or as the file named by --to; - writes to standard output.
Existing files are not overwritten. --output json prints {"missionCode", "path", "size"}.`,
		Example: `# as MSN-2001-permit.pdf
flightdesk mission permit MSN-2001

# to standard output
flightdesk mission permit MSN-2001 --to - > permit.pdf`,
	}
	to := ""
	cmd.Flags().StringVar(&to, "to", "", "output file; - for standard output")
	check := func([]string) error {
		return flagRules{
			{
				to == "-" && cmd.Flag("output").Value.String() == "json",
				"--to - and --output json both write to standard output; use one",
			},
			{
				to == "-" && isTerminal(cmd.OutOrStdout()),
				"--to - cannot write a binary file to a terminal; use a pipe or a file",
			},
		}.check()
	}
	return defineService(cmd, check, func(c *Call) error { return c.savePermit(to) })
}

// savePermit saves the permit of the mission in the arguments in a file, or writes it to standard output
// if the path is "-". If the path is "", the file has the name of the mission.
func (c *Call) savePermit(path string) error {
	code, document, err := c.loadPermit()
	if err != nil {
		return prefixError(c.Args[0], err)
	}
	if path == "-" {
		_, err := c.Out().Write(document)
		return err
	}
	if path == "" {
		path = permitName(code, document)
	}
	return saveNewFile(c, path, document, savedPermit{code, path, len(document)})
}

// loadPermit downloads the permit of the mission in the arguments, and returns it with the
// code of the mission. It fails if there is no flight permission or no permit.
func (c *Call) loadPermit() (code string, document []byte, err error) {
	stopWaiting := c.ShowWaiting("searching the orders")
	defer stopWaiting()
	m, err := fetch.FindMission(c, c.Service.Client, orderCode(c.Args[0]))
	if err != nil {
		return "", nil, err
	}
	c.Names.AddRow(&m)
	permission, err := c.Service.Client.Missions.FlightPermission(c, m.UUID)
	if api.IsStatus(err, http.StatusNotFound) {
		return "", nil, errors.New("no flight permission recorded")
	}
	if err != nil {
		return "", nil, err
	}
	if permission.PermitFileURL == nil {
		return "", nil, fmt.Errorf("no permit; the flight permission is %s", commands.InText(permission.Status))
	}
	document, err = c.Service.Client.Missions.Permit(c, permission)
	return m.MissionCode, document, err
}

// permitName returns the name for the file of a mission's permit, such as MSN-2001-permit.pdf. The extension
// is left out if the document is not a PDF. The code comes from the service and is not trusted: characters
// that are unsafe in file names are replaced.
func permitName(code string, document []byte) string {
	name := fetch.SafeName(code) + "-permit"
	if bytes.HasPrefix(document, []byte("%PDF")) {
		name += ".pdf"
	}
	return name
}

// saveNewFile writes a new file and prints its path and size. With --output json it prints the value instead.
func saveNewFile(c *Call, path string, content []byte, value any) error {
	if err := writeNewFile(path, content); err != nil {
		return prefixError(path, err)
	}
	return c.PrintResult(value, "saved "+path+", "+format.Bytes(int64(len(content))))
}

// writeNewFile writes a file, or returns an error if the file exists. The file gets its name only
// when it is complete, so that an interrupted run leaves no partial file.
func writeNewFile(path string, content []byte) error {
	err := atomicfile.WriteFile(path, false, func(to io.Writer) error {
		_, err := to.Write(content)
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		return errors.New("file already exists; choose another with --to")
	}
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("folder not found; create it first")
	}
	return explainFileError(err)
}
