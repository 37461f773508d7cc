package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
)

// placeFlags are those of the place command.
type placeFlags struct {
	Order   string `flag:"order,file with the fields of the order (TOML); - for standard input"`
	Key     string `flag:"idempotency-key,key that identifies this order, to place it only once"`
	Again   bool   `flag:"again,place the order even if a similar one exists"`
	DryRun  bool   `flag:"dry-run,print the request and send nothing"`
	Partial bool   `flag:"partial,place the order even if parts of the files cannot be read"`
	Past    bool   `flag:"allow-past,place the order even if its start date or deadline is in the past"`
}

// placeCommand places orders of survey files.
func placeCommand() *cobra.Command {
	cmd := newCommand(
		"place FILE...",
		"Place an order from survey files",
		`Places an order with one mission per placemark of the survey files. --dry-run prints the request and sends
nothing.

--order names a TOML file with the fields of the order: companyName, orderName, orderType, sensors, deliverables,
missionObjective, industryAssetType, startDate, deadline, and country for sites without one. Dates can be 2026-12-01
or "in 3 weeks", a whole day in this machine's time zone, or a time with its offset, 2026-12-01T18:00:00+01:00. A
start or deadline in the past is refused, unless --allow-past is set. Only industryAssetType is required, e.g. industryAssetType = "waterManagement"; the error for a
wrong value lists the valid ones. If omitted, companyName is the profile's company, orderName the name of the first file, and the
others are as the app suggests.

A file that can be read in more than one way is refused, as by parse, with the flags that decide; --output json then
prints the questions as parse does. Unreadable sites
stop the command, unless --partial leaves them out. Too many sites for one order become several
orders, placed one by one; your --idempotency-key then gets the suffixes -1, -2 and so on. If a response is lost, the
command checks for 14 seconds whether the order exists. If not, it exits with status 75: not confirmed. Nothing is
sent if a similar order of the last week exists, or this one was sent before and is not confirmed; --again sends it
nevertheless. Several orders that were interrupted continue with the first one that is not placed, also with --again.
An idempotency key belongs to one request; another request with it is refused. --output json prints each placed order.`,
		`# check the request
flightdesk place sites.kml --order order.toml --dry-run

# two files, although the sites were ordered before
flightdesk place sites.kml masts.csv --order order.toml --again

# a script that places the order once, even if it runs twice
flightdesk place sites.kml --order order.toml --idempotency-key levee-2026-12 --output json`,
	)
	cmd.ValidArgsFunction = cobra.FixedCompletions(
		[]string{"kml", "kmz", "csv", "tsv", "txt", "xlsx", "geojson", "json", "gpx", "gpkg", "shp", "zip"},
		cobra.ShellCompDirectiveFilterFileExt,
	)
	var f placeFlags
	addReadingFlags(cmd)
	addFlags(cmd, &f)
	profileFlag(cmd)
	return definePrinting(cmd, func(c *Call) error {
		if !isKey(f.Key) || len(f.Key) > api.MaxIdempotencyKey {
			return wrongUsage("--idempotency-key can have up to %d characters, without spaces", api.MaxIdempotencyKey)
		}
		if f.Order == "-" && slices.Contains(c.Args, "-") {
			return wrongUsage("FILE and --order cannot both be standard input")
		}
		return placeFiles(c, f)
	})
}

func placeFiles(c *Call, f placeFlags) error {
	fields, err := c.readFields(f.Order)
	if err != nil {
		return err
	}
	company, now := "", time.Now
	if !f.DryRun {
		if c.Service, err = c.Connect(); err == nil {
			err = c.MayOrder()
		}
		if err != nil {
			return err
		}
		company, now = c.Company, c.Client.Now
	} else if s, err := c.Resolve(c.Chosen, false); err == nil { // a request can be made without a profile
		company = s.Company
	}
	orders, err := composeOrders(c, fields, company, now().Local(), f)
	if err != nil {
		return err
	}
	if n := len(orders); n > 1 {
		if most := api.MaxIdempotencyKey - len("-9999"); len(f.Key) > most {
			return wrongUsage("--idempotency-key can have up to %d characters for several orders", most)
		}
		fmt.Fprintf(c.Trouble(), "too many sites for one order; placing %d orders\n", n)
	}
	if !f.DryRun {
		return placeAll(c, orders, f)
	}
	for i := range orders {
		req := &orders[i].Request
		text, err := json.Marshal(req, jsontext.WithIndent("  "))
		if err := cmp.Or(err, c.PrintParts(req, textPart(string(text)+"\n"))); err != nil {
			return err
		}
	}
	return nil
}

// placeAll places orders one after the other and prints each. The first failure ends it;
// orders before it stay placed. Parts that an interrupted run has placed are not sent again.
func placeAll(c *Call, orders []ordering.OrderPart, f placeFlags) error {
	placer := &ordering.Placer{
		Client:  c.Client,
		Changes: c.OpenChanges(),
		Account: c.AccountName(),
	}
	options := ordering.PlaceOptions{Key: f.Key, Again: f.Again}
	earlier := make([]*ordering.PlacedOrder, len(orders))
	if f.Key == "" {
		var err error
		if earlier, err = placer.FindPlacedParts(c, orders); err != nil {
			return err
		}
	}
	for i := range orders {
		req := &orders[i].Request
		if f.Key != "" && len(orders) > 1 {
			options.Key = fmt.Sprintf("%s-%d", f.Key, i+1)
		}
		part := ""
		if len(orders) > 1 {
			part = fmt.Sprintf("part %d of %d", i+1, len(orders))
		}
		placed := earlier[i]
		if placed == nil {
			var err error
			placed, err = sendOrder(c, placer, req, options)
			if err != nil && i > 0 {
				name := format.Clean(req.Order.OrderName)
				err = fmt.Errorf("%d of %d orders placed; could not place %s: %w", i, len(orders), name, err)
			}
			if err != nil {
				return err
			}
		}
		options.Own = append(options.Own, placed.UUID, placed.OrderCode)
		if err := printPlaced(c, placed, part); err != nil {
			return err
		}
	}
	return nil
}

// printPlaced prints an order as the service has it. The part is "" for the only order.
func printPlaced(c *Call, placed *ordering.PlacedOrder, part string) error {
	c.Seen.NoteCode(placed.OrderCode)
	for _, earlier := range placed.Earlier {
		fmt.Fprintln(c.Trouble(), format.Clean(earlier))
	}
	if len(placed.Differences) > 0 {
		text := placed.OrderCode + " was placed with " + strings.Join(placed.Differences, "; ")
		fmt.Fprintln(c.Trouble(), format.Clean(text))
	}
	missions := "number of missions unknown"
	if n := placed.MissionCount(); n >= 0 {
		missions = format.Count(n, "mission")
	}
	if !placed.SentAt.IsZero() {
		sent := ordering.SentTime(placed.SentAt, c.Client.Now())
		text := fmt.Sprintf("%s was placed %s as %s", cmp.Or(part, "this order"), sent, placed.OrderCode)
		fmt.Fprintln(c.Trouble(), text)
	}
	line := fmt.Sprintf("placed %s %s, %s, at %s", placed.OrderCode, placed.OrderName, missions, c.Host())
	return c.PrintAnswer(placed.Order, line)
}

// composeOrders reads the files and makes orders of them, as the app's page does.
func composeOrders(
	c *Call, fields map[string][]string, company string, now time.Time, f placeFlags,
) ([]ordering.OrderPart, error) {
	var surveys []ordering.FileRead
	for _, path := range c.Args {
		found, err := readSurvey(c, path)
		if found != nil {
			printWarnings(c.Trouble(), nameOf(path), found.Warnings)
		}
		if err != nil {
			return nil, withQuestions(c, found, err)
		}
		printAlternatives(c.Trouble(), nameOf(path), found.Questions)
		surveys = append(surveys, ordering.FileRead{Path: path, Result: found})
	}
	kind := api.OrderType(strings.Join(fields["orderType"], " "))
	draft := ordering.ComposeDraft(surveys, fields, company, strings.Join(fields[countryField], " "))
	orders := draft.PrepareOrders(now)
	for i := range orders {
		if kind != "" {
			orders[i].Request.Order.OrderType = kind
		}
	}
	var faults []string
	for _, fault := range draft.FindFaults(now) {
		faults = append(faults, fault.FaultText())
	}
	if strings.Contains(strings.Join(faults, ""), "no country") {
		faults = append(faults, "set country in the file of --order")
	}
	if n := len(draft.IncludedSites()); kind == api.SingleLocation && n > 1 {
		faults = append(faults,
			fmt.Sprintf("orderType singleLocation allows one mission, but the files have %d", n))
	}
	unread := slices.DeleteFunc(draft.Sites, func(s *ordering.Site) bool { return s.Geometry != nil })
	if n := len(unread); n > 0 && !f.Partial {
		const why = "%s cannot be read, first %s; correct the files, or skip them with --partial"
		faults = append(faults, fmt.Sprintf(why, format.Count(n, "site"), unread[0].Name))
	}
	for _, past := range draft.FindPastDates(now) {
		if f.DryRun || f.Past {
			fmt.Fprintln(c.Trouble(), past.FaultText())
			continue
		}
		faults = append(faults, past.FaultText()+"; correct it, or place the order with --allow-past")
	}
	if len(faults) > 0 {
		return nil, errors.New("cannot place the order: " + strings.Join(faults, "; "))
	}
	return orders, nil
}

// sendOrder places an order once, and says how to go on if it is not certain that it
// was placed, or if there is one like it.
func sendOrder(
	ctx context.Context,
	placer *ordering.Placer,
	req *api.CreateOrderRequest,
	o ordering.PlaceOptions,
) (*ordering.PlacedOrder, error) {
	placed, err := placer.PlaceOnce(ctx, req, o)
	alike, found := errors.AsType[*ordering.AlikeError](err)
	_, open := errors.AsType[*changes.UnconfirmedError](err)
	_, used := errors.AsType[*ordering.KeyUsedError](err)
	switch {
	case found && alike.Sent:
		err = &changes.UnconfirmedError{
			Err: fmt.Errorf("%w; check with flightdesk list orders; --again sends it again", alike),
		}
	case found:
		err = fmt.Errorf("%w; nothing was sent; --again places it nevertheless", alike)
	case used:
		err = fmt.Errorf("%w; nothing was placed; use another key for this order", err)
	case open:
		err = fmt.Errorf("%w; check with flightdesk list orders before you place it again", err)
	}
	return placed, err
}

// readFields reads the fields of an order from a TOML file, by field.
func (c *Call) readFields(path string) (map[string][]string, error) {
	fields := map[string][]string{}
	if path == "" {
		return fields, nil
	}
	data, err := c.readInput(path)
	if err != nil {
		return nil, err
	}
	var values map[string]any
	err = toml.Unmarshal(data, &values)
	if at, ok := errors.AsType[toml.ParseError](err); ok {
		return nil, fmt.Errorf("%s:%d: %s", path, at.Position.Line, at.Message)
	}
	for name, value := range values {
		if fields[name], err = fieldTexts(name, value); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, name, err)
		}
	}
	return fields, inName(path, err)
}

// countryField is given to sites that have no country.
const countryField = "country"

// fieldTexts returns the values of a field, checked against those that there are.
func fieldTexts(name string, value any) ([]string, error) {
	field, known := ordering.FieldByID(name)
	if !known && name != countryField {
		names := ""
		for _, f := range ordering.OrderFields() {
			names += f.ID + ", "
		}
		return nil, errors.New("unknown field; use " + names + countryField)
	}
	values, many := value.([]any)
	if !many {
		values = []any{value}
	}
	var texts []string
	for _, each := range values {
		switch v := each.(type) {
		case string:
			texts = append(texts, v)
		case time.Time:
			text, err := dateText(v)
			if err != nil {
				return nil, err
			}
			texts = append(texts, text)
		}
	}
	if len(texts) < len(values) || many && field.Kind != ordering.ManyField {
		return nil, errors.New("expected quoted text")
	}
	return texts, field.RefusalOf(texts)
}

// dateText returns a date of a TOML file as it is written there: a day, a time without an offset
// or one with it. The decoder names the kind by the time's location.
func dateText(at time.Time) (string, error) {
	switch at.Location().String() {
	case "date-local":
		return at.Format(time.DateOnly), nil
	case "datetime-local":
		return at.Format("2006-01-02T15:04:05.999999999"), nil
	case "time-local":
		return "", errors.New("is a time without a day; use 2026-12-01 or 2026-12-01T18:00:00+01:00")
	}
	return at.Format(time.RFC3339Nano), nil
}
