package cli

import (
	"bytes"
	"cmp"
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

// orderCommand looks at orders, and ends them.
func orderCommand() *cobra.Command {
	return defineGroup(
		newCommand(
			"order", "Show, cancel, archive or reject an order",
			"", "# an order by its code\nflightdesk order show ORD-1042",
		),
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
	cmd := newCommand(
		"show ORDER",
		"Print an order with its missions and quotes",
		`Prints an order with its missions, and its quotes if the profile has a v2 API address. --output json prints
the order as returned by the service; for its quotes, use flightdesk list quotes.

--view operations prints what the operations API has of the order: account, operators, flights, permissions, packages and
quotes with their prices. It is the default without a key of an account, and for orders of other accounts.

--view record prints all v2 fields: client, deadline, price, contact on site, flight height, quotes and files by product.
It also works for orders that the public API does not have. --file-type selects the products whose links are included;
links appear only in JSON, are valid for a day and need no key.`,
		`# for people
flightdesk order show ORD-1042

# for programs
flightdesk order show ORD-1042 --output json

# the service side of it
flightdesk order show ORD-1042 --view operations

# the links of its maps
flightdesk order show ORD-1042 --view record --file-type _2dMap --output json`,
	)
	view := choiceFlag(cmd, "view", "what is printed", viewClient, viewOperations, viewRecord)
	cmd.Flag("view").DefValue = viewClient
	products := productsFlag(cmd, "products whose links are included, with --view record")
	check := func([]string) error {
		if len(products.Values) > 0 && view.String() != viewRecord {
			return errors.New("--file-type needs --view record")
		}
		return nil
	}
	connect := func(c *Call) (*Service, error) { return c.connectView(view.String()) }
	return defineConnected(cmd, connect, check, func(c *Call) error {
		if view.String() == viewRecord {
			return printRecord(c, products.Values)
		}
		if c.Client == nil {
			return c.printOperationsView()
		}
		err := c.printClientView()
		if api.IsStatus(err, http.StatusNotFound, http.StatusForbidden) && view.String() == "" {
			if service, noOps := c.NeedOps(); noOps == nil {
				c.Service = service
				return c.printOperationsView()
			}
		}
		return err
	})
}

// The views of an order.
const (
	viewClient     = "client"
	viewOperations = "operations"
	viewRecord     = "record"
)

// connectView connects to the API of a view of an order; "" is the client's if there is a key of
// an account, and otherwise that of operations.
func (c *Call) connectView(view string) (*Service, error) {
	if view == viewOperations {
		return c.NeedOps()
	}
	service, err := c.Connect()
	if err != nil && view == "" {
		if found, noOps := c.NeedOps(); noOps == nil {
			return found, nil
		}
	}
	return service, err
}

// printOperationsView prints an order as the operations API has it.
func (c *Call) printOperationsView() error {
	o, err := c.readOrder(c.Args[0])
	if err != nil {
		return adviseList(err)
	}
	return c.printOrder(o)
}

// printClientView prints an order as the account sees it.
func (c *Call) printClientView() error {
	id := c.Args[0]
	order, err := c.Client.Orders.Get(c, orderCode(id))
	var missing error // missions
	if api.IsPartial(err) {
		missing, err = err, nil
	}
	err = inName(id, err)
	if err == nil {
		id = order.UUID
		c.Seen.NoteRow(order)
	} else if c.Output == "json" || c.LegacyBaseURL == "" || c.Err() != nil {
		return err
	}
	var record *api.OrderRecord
	var noRecord error
	if c.Output != "json" && c.LegacyBaseURL != "" {
		record, noRecord = c.FindRecord(id)
	}
	if err != nil && noRecord != nil {
		return err
	}
	parts := describeOrder(c, order, err, missing, record, noRecord)
	return cmp.Or(c.PrintParts(order, parts...), missing)
}

// describeOrder returns an order with its missions and, of its record, the quotes, or why
// there is none; noMissions is why missions could not be read. Without the order it has its
// record.
func describeOrder(
	c *Call, order *api.Order, noOrder, noMissions error, record *api.OrderRecord, noRecord error,
) (parts []part) {
	if noOrder == nil {
		parts = []part{factsPart(append(orderFacts(order, c.Units), columns.UnknownMembers(order.Extra)...))}
		missions := newSheet("mission", columns.Missions(),
			"missionCode missionName status operatorName flightDate country areaSize")
		parts = append(parts, tableIfKnown(c, missions, order.Missions, noMissions))
	} else {
		why := noOrder.Error()
		if api.IsStatus(noOrder, http.StatusNotFound) {
			why = "none; the order exists only in the v2 API"
		}
		parts = []part{factsPart(columns.RecordFacts(record, c.Units)), linePart("missions: " + why)}
	}
	switch {
	case api.IsStatus(noRecord, http.StatusNotFound):
		return append(parts, linePart("quotes: not available here; the v2 API does not have this order"))
	case noRecord != nil:
		return append(parts, linePart("quotes: "+noRecord.Error()))
	case record == nil:
		return parts
	}
	if noOrder == nil && order.Status == api.OrderArchived {
		record = quoting.CloseArchived(record)
	}
	quotes := newSheet("quote", columns.Quotes(c.Now), quoteNames)
	if quoting.StandingOf(record, c.Now()).HasExpired() {
		quotes.Totals = "\n" + quoting.AllExpired
	}
	return append(parts, quotes.tablePart(c, columns.Pointers(quotesOf(record, c.Now()))))
}

// orderMove returns one of the ends of an order that a client can make.
func orderMove(move api.OrderMove, short, example string) *cobra.Command {
	use, reason := string(move)+" ORDER", ""
	if move.NeedsReason() {
		use, reason = use+" REASON", " The reason is stored with the order."
	}
	effects := strings.Join(commands.DescribeOrderMove(move), " ")
	cmd := newCommand(
		use,
		short,
		effects+reason+` Asks for confirmation; --yes skips it. The service decides whether the order's status allows it.
If the response is lost or does not confirm it, the order is read for some seconds; if it does not change, the exit
status is 75: sent, not confirmed.
An order that is already `+move.PastTense()+` stays unchanged. --output json prints the order afterwards.`,
		"# without asking\n"+example+"\n\n# for programs\n"+example+" --output json",
	)
	confirmFlag(cmd)
	return defineService(cmd, checkReason, func(c *Call) error {
		if err := c.MayOrder(); err != nil {
			return err
		}
		order, err := c.FindOrder(c.Args[0])
		if err == nil && !commands.IsMoved(order, move) {
			order, err = moveOrder(c, order, move, strings.Join(c.Args[1:], ""))
		}
		if err != nil {
			return err
		}
		return c.PrintAnswer(order, order.OrderCode+" "+order.OrderName+" is "+commands.InText(order.Status))
	})
}

// moveOrder moves an order, once a person has confirmed it, and reads it again.
func moveOrder(c *Call, order *api.Order, move api.OrderMove, why string) (*api.Order, error) {
	missions, effects := format.Count(len(order.Missions), "mission"), strings.Join(commands.DescribeOrderMove(move), "\n")
	question := fmt.Sprintf("%s  %s, %s, %s\n%s",
		order.OrderCode, order.OrderName, format.Status(order.Status).Label, missions, effects)
	if doubt := commands.DoubtOrderMove(order, move); doubt != "" {
		question += "\n" + doubt
	}
	without := "check with flightdesk order show, then use --yes"
	if err := c.confirmChange(question, string(move), without); err != nil {
		return nil, err
	}
	moved, err := c.ChangeSender().MoveOrder(c, order, move, why)
	if err != nil {
		return nil, inName(order.OrderCode, err)
	}
	var cancel func()
	c.Context, cancel = changes.ReadBackContext(c.Context)
	defer cancel()
	read, err := c.FindOrder(order.OrderCode)
	if err == nil && read.Status == moved.Status {
		return read, nil
	}
	after := *order // the service has confirmed the move, whatever is read now
	after.Status = moved.Status
	return &after, nil
}

// orderRecord prints an order of the v2 API.
func orderRecord() *cobra.Command {
	cmd := newCommand(
		"record ORDER",
		"Print all v2 fields of an order",
		`Prints all v2 fields of an order, by its code or ID: client, deadline, price, contact on site, flight height,
quotes and files by product. It also works for orders that the public API does not have. --file-type selects the
products whose links are included; links appear only in JSON, are valid for a day and need no key.`,
		`# all fields of an order
flightdesk order record ORD-1042

# the links of its maps
flightdesk order record ORD-1042 --file-type _2dMap --output json`,
	)
	products := productsFlag(cmd, "products whose links are included")
	return defineService(cmd, nil, func(c *Call) error { return printRecord(c, products.Values) })
}

// printRecord prints an order as the v2 API has it, with the links of some products.
func printRecord(c *Call, products []api.Deliverable) error {
	if err := c.MayQuote("order records"); err != nil {
		return err
	}
	record, err := c.FindRecord(c.Args[0], products...)
	if err != nil {
		return err
	}
	return c.PrintFacts(record, columns.RecordFacts(record, c.Units))
}

func productsFlag(cmd *cobra.Command, usage string) *choice[api.Deliverable] {
	return listFlag(cmd, "file-type", usage, api.DeliveryProducts())
}

// missionCommand looks at missions.
func missionCommand() *cobra.Command {
	return defineGroup(
		newCommand(
			"mission", "Show a mission or save its flight permit",
			"", "# a mission by its code\nflightdesk mission show MSN-2001",
		),
		missionShow(), missionPermit(),
	)
}

// missionStory is a mission with all that belongs to it, as mission show
// prints it.
type missionStory struct {
	Mission          *api.Mission          `json:"mission"`
	Planning         []api.PlanningEntry   `json:"planning"`         // newest first
	FlightPermission *api.FlightPermission `json:"flightPermission"` // null: none is recorded
	Packages         []api.DeliveryPackage `json:"packages"`         // newest first

	planningErr, permissionErr, packagesErr error // why a part could not be read
}

func missionShow() *cobra.Command {
	cmd := newCommand(
		"show MISSION",
		"Print a mission with its planning, flight permission and packages",
		`Prints a mission by its code, with all versions of its planning, its flight permission and its packages.
--output json prints {"mission", "planning", "flightPermission", "packages"}.`,
		"# for people\nflightdesk mission show MSN-2001\n\n# for programs\nflightdesk mission show MSN-2001 --output json",
	)
	return defineService(cmd, nil, func(c *Call) error {
		story, err := c.loadStory()
		if err != nil {
			return inName(c.Args[0], err)
		}
		missing := &api.PartsError{}
		missing.Add(story.planningErr)
		missing.Add(story.permissionErr)
		missing.Add(story.packagesErr)
		return cmp.Or(printStory(c, story), inName(c.Args[0], missing.ErrorOrNil()))
	})
}

// loadStory reads a mission and what belongs to it.
func (c *Call) loadStory() (*missionStory, error) {
	defer c.ShowWaiting("searching the orders")()
	m, err := fetch.FindMission(c, c.Client, orderCode(c.Args[0]))
	if err != nil {
		return nil, err
	}
	c.Seen.NoteRow(&m)
	known := cache.New(c.Client, c.Client.Now)
	var parts timeline.MissionParts
	known.FillNeeds(c, func() []cache.Need {
		parts, _ = timeline.PartsOf(known, m.UUID, 0)
		return parts.Needs
	})
	if err := c.Err(); err != nil {
		return nil, err
	}
	return &missionStory{
		Mission: &m, Planning: parts.Planning, FlightPermission: parts.Permission, Packages: parts.Packages,
		planningErr: parts.PlanningErr, permissionErr: parts.PermissionErr, packagesErr: parts.PackagesErr,
	}, nil
}

func printStory(c *Call, s *missionStory) error {
	m, p := s.Mission, s.FlightPermission
	facts := columns.RowFacts(columns.InUnits(columns.Missions(), c.Units), m, c.Now())
	switch {
	case s.permissionErr != nil:
		facts = append(facts, [2]string{"Permission", "not known"})
	case p == nil:
		facts = append(facts, [2]string{"Permission", "not recorded"})
	default:
		facts = append(facts, columns.RowFacts(columns.Permissions(), p, c.Now())...)
		if p.PermitFileURL != nil {
			facts = append(facts, [2]string{"Permit", "flightdesk mission permit " + m.MissionCode})
		}
		facts = append(facts, columns.UnknownMembers(p.Extra)...)
	}
	return c.PrintParts(
		s,
		factsPart(append(facts, columns.UnknownMembers(m.Extra)...)),
		tableIfKnown(c, newSheet("planning version", columns.Planning(), ""), s.Planning, s.planningErr),
		tableIfKnown(c, newSheet("package", columns.Packages(), ""), s.Packages, s.packagesErr),
	)
}

// tableIfKnown is a table of rows, or a line if they could not be read.
func tableIfKnown[T any](c *Call, sheet *rowSheet[*T], rows []T, err error) part {
	if err != nil && len(rows) == 0 {
		return linePart(sheet.many + ": not known")
	}
	return sheet.tablePart(c, columns.Pointers(rows))
}

// savedPermit is what mission permit --output json prints.
type savedPermit struct {
	MissionCode string `json:"missionCode"`
	Path        string `json:"path"`
	Size        int    `json:"size"` // bytes
}

func missionPermit() *cobra.Command {
	cmd := newCommand(
		"permit MISSION",
		"Save a mission's flight permit",
		`Saves the flight permit as MISSION-permit.pdf, or as the file named by --to; - writes to standard output.
Existing files are not overwritten. --output json prints {"missionCode", "path", "size"}.`,
		`# as MSN-2001-permit.pdf
flightdesk mission permit MSN-2001

# to standard output
flightdesk mission permit MSN-2001 --to - > permit.pdf`,
	)
	to := ""
	addFlag(cmd, "to,output file; - for standard output", &to)
	check := func([]string) error {
		return flagFaults{
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
	return defineService(cmd, check, func(c *Call) error {
		code, document, err := c.loadPermit()
		if err != nil {
			return inName(c.Args[0], err)
		}
		if to == "-" {
			_, err = c.Out().Write(document)
			return err
		}
		path := cmp.Or(to, permitName(code, document))
		return saveNew(c, path, document, savedPermit{code, path, len(document)})
	})
}

// loadPermit downloads the document of a mission's flight permission.
func (c *Call) loadPermit() (code string, document []byte, err error) {
	defer c.ShowWaiting("searching the orders")()
	m, err := fetch.FindMission(c, c.Client, orderCode(c.Args[0]))
	if err != nil {
		return "", nil, err
	}
	c.Seen.NoteRow(&m)
	permission, err := c.Client.Missions.FlightPermission(c, m.UUID)
	switch {
	case api.IsStatus(err, 404):
		return "", nil, errors.New("no flight permission recorded")
	case err != nil:
		return "", nil, err
	case permission.PermitFileURL == nil:
		return "", nil, fmt.Errorf("no permit; the flight permission is %s", permission.Status)
	}
	document, err = c.Client.Missions.Permit(c, permission)
	return m.MissionCode, document, err
}

// permitName returns the name of a document's file. A code that is none names
// nothing: it comes from outside.
func permitName(code string, document []byte) string {
	if code = fetch.SafeName(code) + "-permit"; bytes.HasPrefix(document, []byte("%PDF")) {
		code += ".pdf"
	}
	return code
}

// saveNew saves a file, and says so; saved is what JSON has of it.
func saveNew(c *Call, path string, content []byte, saved any) error {
	if err := writeNew(path, content); err != nil {
		return inName(path, err)
	}
	return c.PrintAnswer(saved, "saved "+path+", "+format.Bytes(int64(len(content))))
}

// writeNew writes a file that was not there before. It has its name once it is
// whole, so that a run that is killed leaves none that looks finished.
func writeNew(path string, content []byte) error {
	err := atomicfile.WriteFile(path, false, func(to io.Writer) error {
		_, err := to.Write(content)
		return err
	})
	switch {
	case errors.Is(err, fs.ErrExist):
		return errors.New("file already exists; choose another with --to")
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("folder not found; create it first")
	}
	return fileAdvice(err)
}
