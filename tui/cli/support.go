package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/session"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
)

const anyAccount = " With the operations key, all accounts are searched; the account's key is not needed."

// timelineCommand returns the command that prints the events of an order or a mission.
func timelineCommand() *cobra.Command {
	cmd := newCommand(
		"timeline CODE",
		"Print the timeline of an order or a mission",
		`Prints the timeline of an order or a mission from all sources, oldest first, as in the app: changes,
planning, flight permissions, deliveries, quotes, decisions made on this machine, callbacks and missing callbacks.
With the operations key also who issued quotes and changed something, and what the account sent or failed to send.
Problems are listed above the timeline. --output markdown and json print the report that the app exports.`+anyAccount,
		`# an order
flightdesk timeline ORD-1042

# only failures and missing callbacks
flightdesk timeline MSN-2001 --failures

# a report for a ticket
flightdesk timeline ORD-1042 --output markdown > report.md`,
	)
	cmd.Args = func(_ *cobra.Command, args []string) error {
		err := checkArguments(cmd.Use, cmd.Example)(cmd, args)
		if err == nil && !codeForm.MatchString(orderCode(args[0])) {
			err = wrongUsage("%s: no such order or mission; use a code such as ORD-1042", args[0])
		}
		return err
	}
	failures := false
	addFlag(cmd, "failures,only failures and missing callbacks", &failures)
	return reportCommand(cmd,
		func(l *viewedAccount) (*timeline.TimelineReport, string, error) {
			r, f, err := reportSubject(l, "Timeline of ")
			if err != nil {
				return nil, "", err
			}
			all := len(r.Entries)
			if failures {
				r.Entries = slices.DeleteFunc(r.Entries, func(e timeline.TimelineEntry) bool {
					return !e.Failed && e.Source != timeline.FromMissing
				})
				r.Left, r.Wrong = all-len(r.Entries), timeline.DeliveryVerdicts(f, r.Entries)
			}
			return r, f.SubjectCode() + "  " + subjectName(f), nil
		},
	)
}

// reportCommand completes cmd, which prints a report of what its argument names, for people below a heading.
func reportCommand(
	cmd *cobra.Command,
	report func(*viewedAccount) (r *timeline.TimelineReport, heading string, err error),
) *cobra.Command {
	outputFlag(cmd, "table", "json", "markdown")
	profileFlag(cmd)
	return defineCommand(cmd, func(c *Call) error {
		l, err := c.ViewAccount(strings.Join(c.Args, ""))
		if err != nil {
			return err
		}
		r, heading, err := report(l)
		switch {
		case err != nil:
			return err
		case c.Output == "markdown":
			return cmp.Or(r.WriteMarkdown(c.Out()), incompleteReport(r))
		}
		r = r.Finish()
		err = c.PrintParts(r, func(to *paper) { writeReport(l, to, heading, r) })
		return cmp.Or(err, incompleteReport(r))
	})
}

// writeReport writes a report for people: its subject, the problems and the parts.
func writeReport(l *viewedAccount, to *paper, heading string, r *timeline.TimelineReport) {
	linePart(heading)(to)
	from := fmt.Sprintf("%s · %s · %s", r.Account, r.Service, r.Made.Format("2006-01-02 15:04:05 -07:00"))
	fmt.Fprintln(to, to.paintText(format.Muted, from))
	for i, v := range r.Wrong {
		if i == 0 {
			fmt.Fprintln(to)
		}
		fmt.Fprintln(to, to.paintText(v.Role, "▲ "+v.Text))
	}
	for i, f := range r.Faults {
		if i == 0 && len(r.Wrong) == 0 {
			fmt.Fprintln(to)
		}
		text := strings.TrimSpace("could not load: "+string(f.Source)+" "+f.About) + ": " + f.Text
		fmt.Fprintln(to, to.paintText(format.Attention, "▲ "+text))
	}
	for i := range r.Parts {
		writePart(to, &r.Parts[i])
	}
	if len(r.Parts) == 0 {
		fmt.Fprintln(to)
		newSheet("entry", timeline.EntryColumns(l.Of), "").tablePart(l.Call, columns.Pointers(r.Entries))(to)
	}
}

// incompleteReport returns an error if sources of a printed report could not be read, or nil.
func incompleteReport(r *timeline.TimelineReport) error {
	if len(r.Faults) == 0 {
		return nil
	}
	return fmt.Errorf("%s could not be read; the report is incomplete",
		format.Count(len(r.Faults), "source"))
}

// reportSubject reads everything about the order or mission in the arguments and returns a report.
func reportSubject(l *viewedAccount, title string) (*timeline.TimelineReport, *timeline.SubjectFacts, error) {
	done := l.ShowWaiting("loading the timeline")
	defer done()
	f := l.readFacts()
	if l.Err() != nil {
		return nil, nil, l.Err()
	}
	if f.Order == nil && f.OrderErr != nil {
		return nil, nil, inName(l.Of.Order, f.OrderErr)
	}
	r := f.BuildReport(baseReport(l, title+f.SubjectCode()))
	r.Entries = timeline.BuildEntries(f, l.Now())
	r.Wrong = timeline.DeliveryVerdicts(f, r.Entries)
	return r, f, nil
}

// readFacts reads everything about the order or mission in the arguments.
func (l *viewedAccount) readFacts() *timeline.SubjectFacts {
	reader := &timeline.Reader{
		Cache:     l.Cache,
		Host:      l.Host(),
		Decisions: l.OpenChanges(),
		Units:     l.Units,
	}
	l.Cache.FillNeeds(l, func() []cache.Need { return reader.DataNeeds(l.Of) })
	return reader.ReadFacts(l.Of)
}

// baseReport returns a report with the account only.
func baseReport(l *viewedAccount, title string) timeline.TimelineReport {
	return timeline.TimelineReport{
		Title: title, Account: l.Company, Service: l.Host(), Made: l.Now(), Mask: l.Mask,
	}
}

// subjectName returns the name and the state of the subject of a report.
func subjectName(f *timeline.SubjectFacts) string {
	name, st := f.SubjectState()
	return strings.TrimSpace(name + "  " + st.Glyph + " " + st.Label + " · " + st.Description)
}

// inspectCommand returns the command that prints the state of an account, an order, a mission or an
// endpoint.
func inspectCommand() *cobra.Command {
	cmd := newCommand(
		"inspect [NAME]",
		"Diagnose an account, order, mission or endpoint",
		`Prints what Inspect shows in the app. For an account: failed and missing callbacks of the last 7 days, overdue
and stalled missions, endpoints, failed requests (with the operations key), key permissions and orders. For an order or a mission: problems, missions, failed and
missing callbacks, and the callbacks to each endpoint. For an endpoint, by its ID: its health and failures. Without
NAME, inspects the profile's account. --output markdown and json print the report that the app exports.`+anyAccount+" NAME can then be anything that flightdesk find finds.",
		`# the account of the profile
flightdesk inspect

# an order
flightdesk inspect ORD-1042

# another account, with the operations key
flightdesk inspect "Nordwind AG"

# a report for a ticket
flightdesk inspect MSN-2001 --output markdown > report.md`,
	)
	return reportCommand(cmd,
		func(l *viewedAccount) (*timeline.TimelineReport, string, error) {
			if l.Of.Order == "" {
				r, err := inspectAccount(l)
				return r, r.Title, err
			}
			r, f, err := reportSubject(l, "")
			if err != nil {
				return nil, "", err
			}
			r.State, r.Parts, r.Entries = subjectName(f), f.ReportParts(r.Entries, l.Now()), nil
			return r, r.Title, nil
		},
	)
}

func inspectAccount(l *viewedAccount) (*timeline.TimelineReport, error) {
	done := l.ShowWaiting("loading the account")
	defer done()
	l.Cache.FillNeeds(l, func() []cache.Need {
		needs, known := timeline.AccountNeeds(l.Cache, l.Now()), l.Cache.Now()
		for i := range known.Orders {
			if known.Orders[i].Status.IsLive() {
				needs = append(needs, l.Cache.NeedMissions(&known.Orders[i]))
			}
		}
		return needs
	})
	a := timeline.AccountHealth{Units: l.Units}
	a.RereadFrom(l.Cache, l.Now())
	r := baseReport(l, "Account "+l.Company)
	switch {
	case l.Endpoint != nil:
		r.Title, r.Parts = "Endpoint "+l.Endpoint.UUID, a.EndpointParts(l.Endpoint.UUID)
	case l.Client != nil:
		grants, err := l.Client.Scopes(l)
		r.Parts = a.AccountParts(timeline.ScopesPart(session.Permissions{}.WithGrants(grants, err)))
	default:
		r.Parts = a.AccountParts()
	}
	err := l.Err()
	if err == nil && a.State.Err != nil {
		err = a.Known.Err
	}
	return &r, err
}

// writePart writes a part of a report.
func writePart(to *paper, p *timeline.ReportPart) {
	fmt.Fprintf(to, "\n%s  %s\n", p.Title, to.paintText(format.Muted, p.Note))
	var rows [][]columns.Cell
	for _, l := range p.Lines {
		rows = append(rows, []columns.Cell{
			columns.TextCell("  " + l.Glyph).WithTone(l.Role),
			columns.TextCell(l.About),
			columns.TextCell(l.What),
			columns.TextCell(l.Right),
		})
	}
	in := make([]columns.ColumnSpec, 4)
	in[2].Least = 20 // what does not fit is cut before the end
	for _, line := range to.alignRows(rows, in) {
		fmt.Fprintln(to, line)
	}
}
