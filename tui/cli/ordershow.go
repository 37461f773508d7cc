package cli

import (
	"errors"
	"net/http"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
)

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

// print prints an order in the view that --view names. Without --view, it prints the client view. If the profile has
// no key of an account, or if the order belongs to another account, it prints the operations view instead.
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
		quotes := format.QuotesUnread
		if v.record != nil {
			quotes = quoting.StateOf(v.record, c.Service.Now())
		}
		facts := orderFacts(v.order, quotes, c.Service.Units)
		facts = append(facts, columns.UnknownMembers(v.order.Extra)...)
		missions := newSheet("mission", missionsIn(v.order, quotes),
			"missionCode missionName status operatorName flightDate country areaSize")
		return []part{factsPart(facts), tableIfKnown(c, missions, v.order.Missions, v.missionsErr)}
	}
	reason := v.orderErr.Error()
	if api.IsStatus(v.orderErr, http.StatusNotFound) {
		reason = "none; the order exists only in the v2 API"
	}
	return []part{factsPart(columns.RecordFacts(v.record, c.Service.Units, c.Service.Now())), linePart("missions: " + reason)}
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
	if quoting.NewQuotedOrder(record, c.Service.Now()).HasExpired() {
		quotes.Totals = "\n" + quoting.AllExpired
	}
	return []part{quotes.tablePart(c, columns.Pointers(quotesOf(record, c.Service.Now())))}
}
