package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/checking"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/session"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
)

// anyAccountHelp ends the help of commands that accept objects of all accounts.
const anyAccountHelp = " With the operations key, all accounts are searched; the account's key is not needed."

// timelineCommand returns the command that prints the events of an order or a mission.
func timelineCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "timeline CODE",
		Short: "Print the timeline of an order or a mission",
		Long: `Prints the timeline of an order or a mission from all sources, oldest first, as in the app: changes,
planning, flight permissions, deliveries, quotes, decisions made on this machine, callbacks and missing callbacks.
With the operations key also who issued quotes and changed something, and what the account sent or failed to send.
Problems are listed above the timeline, and the results of the last check of each delivered mission on this machine.
--output markdown and json print the report that the app exports.` + anyAccountHelp + " CODE can then also be the ID of a callback, a quote, a package or a file, or the link of a file.",
		Example: `# an order
flightdesk timeline ORD-1042

# only failures and missing callbacks
flightdesk timeline MSN-2001 --failures

# a report for a ticket
flightdesk timeline ORD-1042 --output markdown > report.md`,
	}
	cmd.Args = checkArguments(cmd.Use, cmd.Example)
	failures := false
	cmd.Flags().BoolVar(&failures, "failures", false, "only failures and missing callbacks")
	build := func(a *accountView) (*timeline.TimelineReport, string, error) {
		return buildTimeline(a, failures)
	}
	return reportCommand(cmd, (*Call).viewSubject, build)
}

// buildTimeline returns a report with the timeline of the order or mission in the view, and its heading. If
// onlyFailures is set, the timeline has only failures and missing callbacks.
func buildTimeline(a *accountView, onlyFailures bool) (r *timeline.TimelineReport, heading string, err error) {
	r, facts, err := readReport(a, "Timeline of ")
	if err != nil {
		return nil, "", err
	}
	if onlyFailures {
		filterFailures(r, facts)
	}
	return r, facts.SubjectCode() + "  " + subjectName(facts), nil
}

// filterFailures removes all entries from a report except failures and missing callbacks.
func filterFailures(r *timeline.TimelineReport, facts *timeline.SubjectFacts) {
	count := len(r.Entries)
	r.Entries = slices.DeleteFunc(r.Entries, func(e timeline.TimelineEntry) bool {
		return !e.Failed && e.Source != timeline.FromMissing
	})
	r.Left = count - len(r.Entries)
	r.Wrong = timeline.DeliveryVerdicts(facts, r.Entries)
}

// viewSubject is like [Call.ViewAccount], but returns an error if the name does not belong to an order or a
// mission. With the operations key, the name of a part of an order, such as a callback or a file, is accepted
// too.
func (c *Call) viewSubject(name string) (*accountView, error) {
	errNoSubject := wrongUsage("%s: no such order or mission; use a code such as ORD-1042", format.Clean(name))
	view, err := c.ViewAccount(name)
	if err != nil {
		isCode := codePattern.MatchString(orderCode(name))
		hasOpsKey := c.Service != nil && c.Service.Ops != nil
		if !isCode && !hasOpsKey {
			return nil, errNoSubject
		}
		return nil, err
	}
	if view.Subject.Order == "" {
		return nil, errNoSubject
	}
	return view, nil
}

// reportCommand defines cmd as a command that prints a report. The function find finds the object with the name
// in the arguments, and buildReport returns a report about the object. The heading is printed only for people.
func reportCommand(
	cmd *cobra.Command,
	find func(c *Call, name string) (*accountView, error),
	buildReport func(*accountView) (r *timeline.TimelineReport, heading string, err error),
) *cobra.Command {
	outputFlag(cmd, "table", "json", "markdown")
	profileFlag(cmd)
	return defineCommand(cmd, func(c *Call) error {
		name := ""
		if len(c.Args) > 0 { // the only argument, which inspect does not require
			name = c.Args[0]
		}
		a, err := find(c, name)
		if err != nil {
			return err
		}
		r, heading, err := buildReport(a)
		if err != nil {
			return err
		}
		if err := printReport(a, heading, r); err != nil {
			return err
		}
		return checkComplete(r)
	})
}

// printReport prints a report in the format of --output.
func printReport(a *accountView, heading string, r *timeline.TimelineReport) error {
	if a.call.Output == "markdown" {
		return r.WriteMarkdown(a.call.Out()) // also finishes the report
	}
	finished := r.Finish()
	return a.call.PrintParts(finished, func(to *textWriter) { writeReport(a, to, heading, finished) })
}

// writeReport writes a report for people: the heading, the problems, and the parts of the report. A report
// without parts has entries, which are written as a table.
func writeReport(a *accountView, to *textWriter, heading string, r *timeline.TimelineReport) {
	fmt.Fprintln(to, format.Clean(heading))
	source := fmt.Sprintf("%s · %s · %s", r.Account, r.Service, r.Made.Format("2006-01-02 15:04:05 -07:00"))
	fmt.Fprintln(to, to.paintText(format.Muted, source))
	writeProblems(to, r)
	for i := range r.Parts {
		writePart(to, &r.Parts[i])
	}
	if r.Check != nil {
		writePart(to, r.Check)
	}
	if len(r.Parts) == 0 {
		fmt.Fprintln(to)
		entries := newSheet("entry", timeline.EntryColumns(a.Subject), "")
		if r.Left > 0 {
			entries.Nothing = "no failures or missing callbacks"
		}
		writeTable := entries.tablePart(a.call, columns.Pointers(r.Entries))
		writeTable(to)
	}
}

// writeProblems writes what is wrong with the subject of a report, and what could not be read about it.
func writeProblems(to *textWriter, r *timeline.TimelineReport) {
	if len(r.Wrong)+len(r.Faults) > 0 {
		fmt.Fprintln(to)
	}
	for _, verdict := range r.Wrong {
		fmt.Fprintln(to, to.paintText(verdict.Role, "▲ "+verdict.Text))
	}
	for _, fault := range r.Faults {
		text := strings.TrimSpace("could not load: "+string(fault.Source)+" "+fault.About) + ": " + fault.Text
		fmt.Fprintln(to, to.paintText(format.Attention, "▲ "+text))
	}
}

// checkComplete returns an error if sources of a report could not be read.
func checkComplete(r *timeline.TimelineReport) error {
	if len(r.Faults) == 0 {
		return nil
	}
	return fmt.Errorf("%s could not be read; the report is incomplete",
		format.Count(len(r.Faults), "source"))
}

// readReport reads all data about the order or mission in the view. It returns a report and the data. The title
// of the report is the code of the order or mission with titlePrefix in front.
func readReport(a *accountView, titlePrefix string) (*timeline.TimelineReport, *timeline.SubjectFacts, error) {
	stopProgress := a.call.ShowWaiting("loading the timeline")
	defer stopProgress()
	facts := a.readFacts()
	if a.call.Err() != nil {
		return nil, nil, a.call.Err()
	}
	if facts.Order == nil && facts.OrderErr != nil {
		return nil, nil, prefixError(a.Subject.Order, facts.OrderErr)
	}
	r := facts.BuildReport(newReport(a, titlePrefix+facts.SubjectCode()))
	r.Entries = timeline.BuildEntries(facts, a.call.Service.Now())
	r.Wrong = timeline.DeliveryVerdicts(facts, r.Entries)
	appState := session.OpenUIState(session.UIStatePath(a.call.program.Env.Dirs.State, a.call.Service.StateName()))
	r.Check = facts.CheckPart(checking.OpenResults(appState), a.call.Service.Now())
	return r, facts, nil
}

// readFacts reads all data about the subject of the view.
func (a *accountView) readFacts() *timeline.SubjectFacts {
	reader := &timeline.Reader{
		Cache:     a.Cache,
		Host:      a.call.Service.Host(),
		ChangeLog: a.call.program.OpenChanges(),
		Units:     a.call.Service.Units,
	}
	a.Cache.LoadNeeds(a.call, func() []cache.Need { return reader.DataNeeds(a.Subject) })
	return reader.ReadFacts(a.Subject)
}

// newReport returns a report with a title and the account.
func newReport(a *accountView, title string) timeline.TimelineReport {
	return timeline.TimelineReport{
		Title:   title,
		Account: a.Company,
		Service: a.call.Service.Host(),
		Made:    a.call.Service.Now(),
		Mask:    a.Mask,
	}
}

// subjectName returns the name and the state of the subject of a report.
func subjectName(facts *timeline.SubjectFacts) string {
	name, state := facts.SubjectState()
	return strings.TrimSpace(name + "  " + state.Glyph + " " + state.Label + " · " + state.Description)
}

// inspectCommand returns the command that prints the state of an account, an order, a mission or an
// endpoint.
func inspectCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "inspect [NAME]",
		Short: "Diagnose an account, order, mission or endpoint",
		Long: `Prints what Inspect shows in the app. For an account: failed and missing callbacks of the last 7 days, overdue
and stalled missions, endpoints, failed requests (with the operations key), key permissions and orders. For an order or a mission: problems, missions, failed and
missing callbacks, and the callbacks to each endpoint. For an endpoint, by its ID: its health and failures. Without
NAME, inspects the profile's account. --output markdown and json print the report that the app exports.` + anyAccountHelp + " NAME can then be anything that flightdesk find finds.",
		Example: `# the account of the profile
flightdesk inspect

# an order
flightdesk inspect ORD-1042

# another account, with the operations key
flightdesk inspect "Nordwind AG"

# a report for a ticket
flightdesk inspect MSN-2001 --output markdown > report.md`,
	}
	return reportCommand(cmd, (*Call).ViewAccount, inspectSubject)
}

// inspectSubject returns a report about the order, mission, endpoint or account in the view, and its
// heading.
func inspectSubject(a *accountView) (r *timeline.TimelineReport, heading string, err error) {
	if a.Subject.Order == "" {
		r, err = inspectAccount(a)
	} else {
		r, err = inspectOrder(a)
	}
	if err != nil {
		return nil, "", err
	}
	return r, r.Title, nil
}

// inspectOrder returns a report about the order or mission in the view. The report has parts, which
// summarize the entries of the timeline, instead of the entries.
func inspectOrder(a *accountView) (*timeline.TimelineReport, error) {
	const titlePrefix = "" // the title is the code
	r, facts, err := readReport(a, titlePrefix)
	if err != nil {
		return nil, err
	}
	r.State = subjectName(facts)
	r.Parts = facts.ReportParts(r.Entries, a.call.Service.Now())
	r.Entries = nil
	return r, nil
}

// inspectAccount returns a report about the account or, if the argument was the ID of an endpoint, about
// that endpoint.
func inspectAccount(a *accountView) (*timeline.TimelineReport, error) {
	stopProgress := a.call.ShowWaiting("loading the account")
	defer stopProgress()
	a.Cache.LoadNeeds(a.call, func() []cache.Need { return inspectionNeeds(a) })
	health := timeline.AccountHealth{Units: a.call.Service.Units}
	health.Update(a.Cache, a.call.Service.Now())
	r := newReport(a, "Account "+a.Company)
	if a.Endpoint != nil {
		r.Title = "Endpoint " + a.Endpoint.UUID
		r.Parts = health.EndpointParts(a.Endpoint.UUID)
	} else {
		r.Parts = a.accountParts(&health)
	}
	if err := a.call.Err(); err != nil {
		return nil, err // the parts are incomplete after an interruption
	}
	if health.State.Err != nil && health.Known.Err != nil {
		return nil, health.Known.Err // neither the endpoints nor the orders could be read
	}
	return &r, nil
}

// accountParts returns the parts of a report about the account. They include the permissions of the account's
// key, if the profile has it.
func (a *accountView) accountParts(health *timeline.AccountHealth) []timeline.ReportPart {
	if a.call.Service.Client == nil {
		return health.AccountParts()
	}
	grants, err := a.call.Service.Client.Scopes(a.call)
	permissions := session.Permissions{}.WithGrants(grants, err)
	return health.AccountParts(timeline.ScopesPart(permissions))
}

// inspectionNeeds returns which data must be read for the report about an account. This includes the missions of
// all orders that matter for the report.
func inspectionNeeds(a *accountView) []cache.Need {
	needs := timeline.AccountNeeds(a.Cache, a.call.Service.Now())
	known := a.Cache.Now()
	for i := range known.Orders {
		order := &known.Orders[i]
		if timeline.IsRelevant(order, a.call.Service.Now()) {
			needs = append(needs, a.Cache.NeedMissions(order))
		}
	}
	return needs
}

func writePart(to *textWriter, p *timeline.ReportPart) {
	fmt.Fprintf(to, "\n%s  %s\n", p.Title, to.paintText(format.Muted, p.Note))
	var rows [][]columns.Cell
	for _, line := range p.Lines {
		rows = append(rows, []columns.Cell{
			columns.TextCell("  " + line.Glyph).WithTone(line.Role),
			columns.TextCell(line.About),
			columns.TextCell(line.What),
			columns.TextCell(line.Right),
		})
	}
	// Lines that are wider than the terminal are shortened in the third column.
	specs := []columns.ColumnSpec{{}, {}, {Least: 20}, {}}
	for _, line := range to.alignRows(rows, specs) {
		fmt.Fprintln(to, line)
	}
}
