package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
)

// printOrders prints orders of the operations API.
func (c *Call) printOrders(rows Rows[*ops.Order]) error {
	return printFormattedRows(c, "order", columns.OpsOrders(nil, c.Service.Now),
		"orderCode companyName orderName status waitsFor missionCount areaSize createdAt", rows)
}

func opsReview() *opsCommand {
	var waiting bool
	v := newListCommand("review", func(c *Call) error { return c.printQueue(waiting) })
	v.cmd.Flags().BoolVar(&waiting, "waiting", false, "only orders that wait for a quote")
	return v.withLimit()
}

// printQueue prints the orders without an accepted quote, oldest first. If onlyWaiting is set, it prints
// only the orders that wait for a quote.
func (c *Call) printQueue(onlyWaiting bool) error {
	var queue []ops.Order
	for o, err := range c.Service.Ops.Orders.Review(c) {
		if err != nil {
			return err
		}
		if !onlyWaiting || o.WaitsForQuote(c.Service.Now()) {
			queue = append(queue, *o)
		}
	}
	slices.Reverse(queue)
	return c.printOrders(listRows(queue))
}

// ordersFlags are the flags of the command that lists orders of all accounts.
type ordersFlags struct {
	Account   string `flag:"account,only orders of this account (company or ID)"`
	Undecided bool   `flag:"undecided,only orders without an accepted quote, oldest first"`
	Waiting   bool   `flag:"waiting,only orders that wait for a quote, oldest first"`
	status    orderStatusFlag
}

func opsOrders() *opsCommand {
	var f ordersFlags
	v := newListCommand("orders", f.printOrders)
	addFlags(v.cmd, &f)
	f.status.known = api.OrderStatuses()
	v.cmd.Flags().Var(&f.status, "status", withValues("only orders with this status", f.status.known))
	completeValues(v.cmd, "status", format.PlainTexts(f.status.known))
	v.checks = append(v.checks, f.check)
	return v.withLimit()
}

func (f *ordersFlags) check([]string) error {
	isQueue := f.Undecided || f.Waiting
	isFiltered := f.Account != "" || len(f.status.Values) > 0
	if isQueue && isFiltered {
		return errors.New("--undecided and --waiting cannot be combined with --account and --status")
	}
	return nil
}

// printOrders prints the orders that the flags select.
func (f *ordersFlags) printOrders(c *Call) error {
	if f.Waiting {
		return c.printQueue(true)
	}
	if f.Undecided {
		return c.printQueue(false)
	}
	filter := ops.OrderFilter{Status: api.OrderStatus(f.status.choice.String())}
	if f.Account != "" {
		account, err := commands.FindAccount(c, c.Service.Ops, f.Account)
		if err != nil {
			return err
		}
		filter.Account = account.UUID
	}
	return c.printOrders(c.Service.Ops.Orders.All(c, filter))
}

func opsOrder() *opsCommand {
	return newCustomCommand("order", (*Call).printOperationsView)
}

// opsNewOrder returns the command that places a sample order and advances it to a stage.
func opsNewOrder() *opsCommand {
	stage := &choice[ops.Stage]{known: ops.Stages()}
	v := newCustomCommand("new-order", func(c *Call) error {
		o, err := c.placeSampleOrder(ops.Stage(stage.String()))
		if err != nil {
			return err
		}
		c.Names.AddRow(o)
		facts := orderFacts(o, format.QuotesUnread, c.Service.Units)
		for i := range o.Missions {
			facts = append(facts, [2]string{"Mission", o.Missions[i].MissionCode})
		}
		return c.PrintFacts(o, facts)
	})
	addChoice(v.cmd, "stage", withValues("how far the order is taken", stage.known), stage)
	stage.setDefault(v.cmd.Flag("stage"), ops.StageQuoted)
	return v
}

// placeSampleOrder places a sample order with the key of an account, and advances it to a stage.
func (c *Call) placeSampleOrder(stage ops.Stage) (*api.Order, error) {
	client, err := c.program.newClient(c, c.Service.Settings, c.program.Interruption)
	if err != nil {
		return nil, err
	}
	c.program.Observe(client)
	stopWaiting := c.ShowWaiting("placing the order")
	defer stopWaiting()
	clock, err := c.Service.Ops.World.Clock(c)
	if err != nil {
		return nil, err
	}
	return ops.NewOrder(c, client, c.Service.Ops, stage, clock.Now.Time)
}

// readOrder reads an order of the operations API by its code or ID.
func (c *Call) readOrder(code string) (*ops.Order, error) {
	o, err := c.Service.Ops.Orders.Get(c, orderCode(code))
	if err != nil {
		return nil, prefixError(code, err)
	}
	c.Names.AddRow(o)
	return o, nil
}

// endOrderCommand returns the command that ends an order with a move: rejecting it, or closing it as not
// feasible. If the move is "", the status of the order determines the move. Commands with a fixed move are for
// scripts and hidden in the help.
func endOrderCommand(move api.OrderMove) *opsCommand {
	v := newOpsCommand(commands.EndOrder(new(string), move))
	if move != "" {
		v.cmd.Hidden = true
		v.cmd.Args = checkArguments(v.cmd.Use, commands.EndOrder(new(string), "").Example)
	}
	return v
}

func opsSetNotifications() *opsCommand {
	var in ops.NotificationInput
	none := false
	v := newOpsCommand(commands.SetNotifications(&in))
	v.cmd.Flags().BoolVar(&none, "none", false, "send no completion notices")
	v.checks = append(v.checks, func([]string) error {
		hasChannel := in != (ops.NotificationInput{})
		if hasChannel == none {
			return errors.New("nothing to set; use --webhook, --email or both, or only --none")
		}
		return nil
	})
	return v
}

func opsIssueQuote() *opsCommand {
	in := ops.QuoteInput{DeliveryBy: ops.SuggestedDays}
	v := newOpsCommand(commands.IssueQuote(&in))
	issue := v.perform
	v.cmd.Flags().BoolVar(&v.dryRun, "dry-run", false, "print the quote and issue nothing")
	v.perform = func(c *Call) error {
		if !v.dryRun {
			return issue(c)
		}
		if err := v.parseTimes(c); err != nil {
			return err
		}
		o, err := c.readOrder(c.Args[0])
		if err != nil {
			return err
		}
		quote := commands.QuoteFor(o, in, c.Service.Now())
		return c.PrintFacts(quote, quoteInputFacts(o, quote))
	}
	return v
}

// quoteInputFacts returns the fields of a quote that is not issued yet.
func quoteInputFacts(o *ops.Order, in ops.QuoteInput) [][2]string {
	facts := [][2]string{
		{"Order", o.OrderCode + "  " + o.OrderName},
		{"Quote", in.QuoteName},
		{"Price", format.Money(in.PriceBeforeDiscount, in.Currency)},
		{"Delivery time", format.Count(in.DeliveryBy, "day")},
		{"Expires", columns.FormatMoment(in.ExpiryDate)},
		{"Description", in.Description},
	}
	if in.DiscountPercent > 0 {
		facts = append(facts, [][2]string{
			{"Discount", strconv.FormatFloat(in.DiscountPercent, 'f', -1, 64) + "%"},
			{"Reason", in.ReasonForDiscount},
			{"Final price", format.Money(in.FinalPrice(), in.Currency)},
		}...)
	}
	return facts
}

func opsFlightPermission() *opsCommand {
	var permit string
	v := newOpsCommand(commands.RecordPermission(new(ops.PermissionInput)))
	v.cmd.Flags().StringVar(&permit, "permit", "", "file with the permit")
	record := v.perform
	v.perform = func(c *Call) error {
		if permit == "" {
			return record(c)
		}
		files, err := openFiles([]string{permit})
		if err != nil {
			return err
		}
		defer commands.CloseFiles(files)
		v.files = files
		return record(c)
	}
	return v
}

func opsDeliver() *opsCommand {
	var f filesFlags
	v := newOpsCommand(commands.DeliverData())
	v.cmd.Use += " [FILE...]"
	f.addFileFlags(v.cmd, api.Deliverables())
	v.checks = append(v.checks, func(args []string) error { return f.checkFiles(args[1:]) })
	deliver := v.perform
	v.perform = func(c *Call) error {
		closeFiles, err := f.openFiles(c)
		if err != nil {
			return prefixError(c.Args[0], err)
		}
		defer closeFiles()
		v.files = f.files
		return deliver(c)
	}
	return v
}

// filesFlags are the flags of commands that upload files.
type filesFlags struct {
	Generate bool `flag:"generate,let the service make sample files"`

	types *choice[api.Deliverable]
	files []api.FileInput // set by openFiles; nil if the service generates the files
}

func (f *filesFlags) addFileFlags(cmd *cobra.Command, known []api.Deliverable) {
	addFlags(cmd, f)
	f.types = listFlag(cmd, "type",
		"product of the files: one for all, or one per file, separated by commas", known)
}

// checkFiles returns an error if --generate is set together with FILE arguments or --type, or if neither --generate nor
// files are given. If --type lists several products, their number must be the number of files. The product of each
// file must be known from --type or from the extension of its name.
func (f *filesFlags) checkFiles(files []string) error {
	typeCount := len(f.types.Values)
	fileCount := len(files)
	rules := flagRules{
		{f.Generate && fileCount+typeCount > 0, "--generate makes the files; remove FILE or --generate"},
		{!f.Generate && fileCount == 0, "no files to send; name some, or use --generate for samples"},
		{
			typeCount > 1 && typeCount != fileCount,
			fmt.Sprintf("--type has %d products for %s; use one for all, or one per file",
				typeCount, format.Count(fileCount, "file")),
		},
	}
	known := strings.Join(format.PlainTexts(f.types.known), ", ")
	for i, file := range files {
		isUnknown := f.typeOf(i, file) == ""
		text := "unknown product of " + file + "; set --type to one of " + known
		rules = append(rules, flagRule{isUnknown, text})
	}
	return rules.check()
}

// typeOf returns the product of the file at an index of the arguments, from --type or the
// extension of its name, or "" if it is not known.
func (f *filesFlags) typeOf(i int, file string) api.Deliverable {
	if len(f.types.Values) > 0 {
		return f.types.Values[min(i, len(f.types.Values)-1)]
	}
	extension := strings.ToLower(filepath.Ext(file))
	if extension == ".jpg" || extension == ".jpeg" {
		return api.DeliverableJPG
	}
	return ""
}

// openFiles opens the files in the arguments after the first one, unless the service generates the files. It
// shows the progress of the upload or of the generation until closeFiles is called.
func (f *filesFlags) openFiles(c *Call) (closeFiles func(), err error) {
	if f.Generate {
		return c.ShowWaiting("generating files"), nil
	}
	f.files, err = openFiles(c.Args[1:])
	if err != nil {
		return nil, err
	}
	for i := range f.files {
		f.files[i].FileDataType = f.typeOf(i, f.files[i].Name)
	}
	hideProgress := c.ShowProgress(progressInterval, func() string { return describeProgress(f.files) })
	return func() {
		hideProgress()
		commands.CloseFiles(f.files)
	}, nil
}

// openFiles opens all files for uploading. If one cannot be opened, it closes the others and returns an error.
func openFiles(paths []string) ([]api.FileInput, error) {
	named := make([]api.FileInput, len(paths))
	for i, path := range paths {
		named[i].Name = path
	}
	return commands.OpenFiles(named, explainFileError)
}

// describeProgress returns how many bytes of files were read, as a text for the user.
func describeProgress(files []api.FileInput) string {
	sent := int64(0)
	total := int64(0)
	for _, f := range files {
		file := f.Content.(*os.File)
		offset, _ := file.Seek(0, io.SeekCurrent)
		sent += offset
		if info, err := file.Stat(); err == nil {
			total += info.Size()
		}
	}
	return fmt.Sprintf("sending %s of %s", format.Bytes(sent), format.Bytes(total))
}

// datasetFlags are the flags of the command that adds a dataset.
type datasetFlags struct {
	filesFlags
	in ops.DatasetInput
}

// opsAddDataset returns the command that adds a purchased dataset to an account.
func opsAddDataset() *opsCommand {
	var f datasetFlags
	v := newCustomCommand("add-dataset", f.addDataset)
	v.cmd.Use += " [FILE...]"
	f.addFileFlags(v.cmd, append(api.DeliveryProducts(), api.DeliverableJPG))
	flags := v.cmd.Flags()
	flags.StringVar(&f.in.DatasetName, "name", "", "name of the dataset")
	flags.StringVar(&f.in.Description, "description", "", "description of the dataset")
	flags.StringVar(&f.in.LocationLabel, "place", "", "name of the place")
	flags.Func("point", "position as latitude,longitude; repeat it for an outline", f.addPoint)
	flags.Func("completed", "date of completion", f.setCompleted)
	flags.StringArrayVar(&f.in.Categories, "category", nil, "category; can be repeated")
	flags.StringArrayVar(&f.in.SDGGoals, "goal", nil, "sustainable development goal of the UN; can be repeated")
	v.checks = append(v.checks, func(args []string) error { return f.checkAll(args[1:]) })
	return v
}

// addDataset adds the dataset that the flags describe to the account in the arguments.
func (f *datasetFlags) addDataset(c *Call) error {
	account, err := commands.FindAccount(c, c.Service.Ops, c.Args[0])
	if err != nil {
		return err
	}
	closeFiles, err := f.openFiles(c)
	if err != nil {
		return err
	}
	target := commands.Target{Context: c, Client: c.Service.Ops, ID: account.UUID, Files: f.files}
	dataset, err := commands.AddDataset(target, &f.in)
	closeFiles()
	if err != nil {
		return err
	}
	return c.PrintResult(dataset, fmt.Sprintf("added %s %s to %s, %d files",
		dataset.UUID, dataset.DatasetName, account.CompanyName, dataset.DeliveryFiles.Len()))
}

// checkAll checks the flags and the files to upload.
func (f *datasetFlags) checkAll(files []string) error {
	err := flagRules{
		{strings.TrimSpace(f.in.DatasetName) == "", "missing --name: name the dataset"},
		{f.Generate && len(f.in.LocationMap) == 0, "--generate needs a place; set it with --point"},
	}.check()
	if err != nil {
		return err
	}
	return f.checkFiles(files)
}

// setCompleted parses a value of --completed.
func (f *datasetFlags) setCompleted(typed string) error {
	day, err := format.ParseDate(typed, time.Now())
	if err != nil {
		return err
	}
	f.in.DateCompleted = api.ParseDate(day.String())
	return nil
}

// addPoint parses a value of --point, latitude,longitude, and appends it to the outline.
func (f *datasetFlags) addPoint(typed string) error {
	latText, lngText, _ := strings.Cut(typed, ",")
	lat, latErr := strconv.ParseFloat(strings.TrimSpace(latText), 64)
	lng, lngErr := strconv.ParseFloat(strings.TrimSpace(lngText), 64)
	isInRange := lat >= -90 && lat <= 90 && lng >= -180 && lng <= 180 // false for NaN
	if latErr != nil || lngErr != nil || !isInRange {
		return errors.New("use latitude,longitude, such as 53.54,9.97")
	}
	f.in.LocationMap = append(f.in.LocationMap, api.Point{Lat: lat, Lng: lng})
	return nil
}
