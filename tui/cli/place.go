package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
)

type placeFlags struct {
	Order   string `flag:"order,file with the fields of the order (TOML); - for standard input"`
	Key     string `flag:"idempotency-key,key that identifies this order, to place it only once"`
	Again   bool   `flag:"again,place the order even if a similar one exists"`
	DryRun  bool   `flag:"dry-run,print the request and send nothing"`
	Partial bool   `flag:"partial,place the order even if parts of the files cannot be read"`
	Past    bool   `flag:"allow-past,place the order even if its start date or deadline is in the past"`
}

// placeCommand returns the command that places orders from survey files.
func placeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "place FILE...",
		Short: "Place an order from survey files",
		Long: `Places an order with one mission per placemark of the survey files. --dry-run prints the request and sends
nothing.

--order names a TOML file with the fields of the order: companyName, orderName, orderType, sensors, deliverables,
missionObjective, industryAssetType, startDate, deadline, and country for sites without one. Dates can be 2026-12-01
or "in 3 weeks", a whole day in this machine's time zone, or a time with its offset, 2026-12-01T18:00:00+01:00. A
start or deadline in the past is refused, unless --allow-past is set. industryAssetType is required, e.g.
industryAssetType = "waterManagement", and country if a site has none; the error for a wrong value lists the valid
ones. If omitted, companyName is the profile's company, orderName the name of the first file, and the others are as
the app suggests.

A file that can be read in more than one way is refused, as by parse, with the flags that decide; --output json then
prints the questions as parse does. Unreadable sites stop the command, unless --partial leaves them out.

An order is not sent if a similar recent order exists, or if it was sent before and is not confirmed; --again sends it
nevertheless. If a response is lost, the command checks for some seconds whether the order exists. If not, it exits with
status 75: not confirmed.

Too many sites for one order become several orders, placed one by one. If the command is interrupted, the next run
continues with the first order that is not placed, also with --again.

An idempotency key belongs to one request; another request with it is refused. For several orders, your
--idempotency-key gets the suffixes -1, -2 and so on.

--output json prints each placed order.`,
		Example: `# check the request
flightdesk place sites.kml --order order.toml --dry-run

# two files, although the sites were ordered before
flightdesk place sites.kml masts.csv --order order.toml --again

# a script that places the order once, even if it runs twice
flightdesk place sites.kml --order order.toml --idempotency-key levee-2026-12 --output json`,
	}
	cmd.ValidArgsFunction = cobra.FixedCompletions(
		[]string{"kml", "kmz", "csv", "tsv", "txt", "xlsx", "geojson", "json", "gpx", "gpkg", "shp", "zip"},
		cobra.ShellCompDirectiveFilterFileExt,
	)
	var f placeFlags
	addReadingFlags(cmd)
	addFlags(cmd, &f)
	profileFlag(cmd)
	return definePrinting(cmd, func(c *Call) error {
		if err := f.check(c.Args); err != nil {
			return badUsage(err)
		}
		return placeFiles(c, f)
	})
}

// check returns an error if the value of a flag is invalid or does not fit the files in the arguments.
func (f *placeFlags) check(files []string) error {
	return flagRules{
		{
			!isKey(f.Key) || len(f.Key) > api.MaxIdempotencyKey,
			fmt.Sprintf("--idempotency-key can have up to %d characters, without spaces", api.MaxIdempotencyKey),
		},
		{
			f.Order == "-" && slices.Contains(files, "-"),
			"FILE and --order cannot both be standard input",
		},
	}.check()
}

// placeFiles composes orders from the files in the arguments and places them, or prints their
// requests with --dry-run.
func placeFiles(c *Call, f placeFlags) error {
	fields, err := c.readFields(f.Order)
	if err != nil {
		return err
	}
	if f.DryRun { // works without a connection to the service
		orders, err := prepareOrders(c, fields, c.configuredCompany(), time.Now(), f)
		if err != nil {
			return err
		}
		return printRequests(c, orders)
	}
	if err := c.connectToOrder(); err != nil {
		return err
	}
	orders, err := prepareOrders(c, fields, c.Service.Company, c.Service.Client.Now(), f)
	if err != nil {
		return err
	}
	return placeAll(c, orders, f)
}

// prepareOrders composes orders from the files in the arguments. If the sites need more than one order, it prints how
// many. It returns an error if --idempotency-key is too long for the numbers that are added to it for each order.
func prepareOrders(
	c *Call, fields map[string][]string, company string, now time.Time, f placeFlags,
) ([]ordering.OrderPart, error) {
	orders, err := composeOrders(c, fields, company, now.Local(), f)
	if err != nil || len(orders) <= 1 {
		return orders, err
	}
	maxLength := api.MaxIdempotencyKey - len(longestPartSuffix)
	if len(f.Key) > maxLength {
		return nil, wrongUsage("--idempotency-key can have up to %d characters for several orders", maxLength)
	}
	fmt.Fprintf(c.Stderr(), "too many sites for one order; they need %d orders\n", len(orders))
	return orders, nil
}

// configuredCompany returns the company of the profile, or "" if there is no usable profile. It does not fail,
// because --dry-run works without a profile.
func (c *Call) configuredCompany() string {
	service, err := c.program.Resolve(c.ProfileFlag, false)
	if err != nil {
		return ""
	}
	return service.Company
}

// connectToOrder connects to the profile's service. It returns an error if the profile may not place orders.
func (c *Call) connectToOrder() error {
	service, err := c.Connect()
	if err != nil {
		return err
	}
	c.Service = service
	return c.CheckCanOrder()
}

// printRequests prints the requests that place the orders.
func printRequests(c *Call, orders []ordering.OrderPart) error {
	for i := range orders {
		request := &orders[i].Request
		text, err := json.Marshal(request, jsontext.WithIndent("  "))
		if err != nil {
			return err
		}
		if err := c.PrintParts(request, textPart(string(text)+"\n")); err != nil {
			return err
		}
	}
	return nil
}

// placeAll places the orders one after the other and prints each placed order. It stops at the first error; the
// orders before it stay placed.
//
// If an earlier run was interrupted, the orders that it placed are printed and not placed again. Orders with an
// idempotency key are recognized by the service. For orders without a key, placeAll searches the log of changes.
func placeAll(c *Call, orders []ordering.OrderPart, f placeFlags) error {
	placer := &ordering.Placer{
		Client:  c.Service.Client,
		Changes: c.program.OpenChanges(),
		Account: c.Service.AccountName(),
	}
	placedEarlier := make([]*ordering.PlacedOrder, len(orders)) // by index; nil if no earlier run placed the order
	if f.Key == "" {
		found, err := placer.FindPlacedParts(c, orders)
		if err != nil {
			return err
		}
		placedEarlier = found
	}
	var ownOrders []string // IDs and codes of the orders placed so far; the next order may be similar to them
	for i := range orders {
		placed := placedEarlier[i]
		if placed == nil {
			sent, err := sendOrder(c, placer, &orders[i].Request, ordering.PlaceOptions{
				Key:   partKey(f.Key, i, len(orders)),
				Again: f.Again,
				Own:   ownOrders,
			})
			if err != nil {
				return describeUnplaced(orders, i, err)
			}
			placed = sent
		}
		ownOrders = append(ownOrders, placed.UUID, placed.OrderCode)
		if err := printPlaced(c, placed, partName(i, len(orders))); err != nil {
			return err
		}
	}
	return nil
}

// longestPartSuffix is the longest suffix that partKey adds to a key.
const longestPartSuffix = "-9999"

// partKey returns the idempotency key of the order at an index. If there are several orders, it adds a
// number to the key of the flag. It returns "" if the flag is not set.
func partKey(key string, index, count int) string {
	if key == "" || count == 1 {
		return key
	}
	return fmt.Sprintf("%s-%d", key, index+1)
}

// partName returns the name of the order at an index for messages, such as "part 1 of 2", or "" for a
// single order.
func partName(index, count int) string {
	if count == 1 {
		return ""
	}
	return fmt.Sprintf("part %d of %d", index+1, count)
}

// describeUnplaced returns err, the error of placing the order at the given index. If other orders were placed before
// it, the error also says how many, and has the name of the order.
func describeUnplaced(orders []ordering.OrderPart, index int, err error) error {
	if index == 0 {
		return err
	}
	name := format.Clean(orders[index].Request.Order.OrderName)
	return fmt.Errorf("%d of %d orders placed; %s: %w", index, len(orders), name, err)
}

// printPlaced prints a placed order. It prints warnings if the service changed the order, or if the order
// was placed by an earlier run. part is the result of partName.
func printPlaced(c *Call, placed *ordering.PlacedOrder, part string) error {
	c.Names.AddCodes(placed.OrderCode)
	for _, earlier := range placed.Earlier {
		fmt.Fprintln(c.Stderr(), format.Clean(earlier))
	}
	if len(placed.Differences) > 0 {
		text := placed.OrderCode + " was placed with " + strings.Join(placed.Differences, "; ")
		fmt.Fprintln(c.Stderr(), format.Clean(text))
	}
	missions := "number of missions unknown"
	if n := placed.MissionCount(); n >= 0 {
		missions = format.Count(n, "mission")
	}
	if !placed.SentAt.IsZero() {
		sent := ordering.SentTime(placed.SentAt, c.Service.Client.Now())
		text := fmt.Sprintf("%s was placed %s as %s", cmp.Or(part, "this order"), sent, placed.OrderCode)
		fmt.Fprintln(c.Stderr(), text)
	}
	line := fmt.Sprintf("placed %s %s, %s, at %s", placed.OrderCode, placed.OrderName, missions, c.Service.Host())
	return c.PrintResult(placed.Order, line)
}

// sendOrder places an order once, unless the command was interrupted. The error says how to continue if a similar
// order exists, if another request used the idempotency key before, or if the outcome is unknown.
func sendOrder(
	c *Call,
	placer *ordering.Placer,
	req *api.CreateOrderRequest,
	o ordering.PlaceOptions,
) (*ordering.PlacedOrder, error) {
	if err := c.program.Interruption.CheckContinue(); err != nil {
		return nil, err
	}
	placed, err := placer.PlaceOnce(c, req, o)
	if similar, ok := errors.AsType[*ordering.SimilarError](err); ok {
		wasSentBefore := similar.Sent // by an earlier run, without a confirmation
		if wasSentBefore {
			return placed, &changes.UnconfirmedError{
				Err: &advisedError{Err: similar, Advice: "check with flightdesk list orders; --again sends it again"},
			}
		}
		return placed, fmt.Errorf("%w; the order was not sent; --again places it nevertheless", similar)
	}
	if _, ok := errors.AsType[*ordering.KeyUsedError](err); ok {
		return placed, fmt.Errorf("%w; the order was not placed; use another key for it", err)
	}
	if _, ok := errors.AsType[*changes.UnconfirmedError](err); ok {
		return placed, &advisedError{Err: err, Advice: "check with flightdesk list orders before you place it again"}
	}
	return placed, err
}
