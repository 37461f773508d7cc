// Package support has the commands that say what happened: the timeline of an
// order or a mission, and how an account, an order, a mission or an endpoint is.
package support

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/session"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

const anyAccount = " With the operations key, the code is found in every account; no key of the account is needed."

// TimelineCommand prints what happened to an order or a mission.
func TimelineCommand(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "timeline CODE",
		Short: "Print the timeline of an order or a mission",
		Long: "Prints the timeline of an order or a mission from all sources, oldest first, as in the app: changes, planning, " +
			"flight permissions, deliveries, quotes, decisions made on this machine, callbacks and missing callbacks. Problems come first. " +
			"--output markdown and json print the report that the app exports." + anyAccount,
		Example: "# an order\nflightdesk timeline ORD-1042\n\n# only failures and missing callbacks\nflightdesk timeline MSN-2001 --failures\n\n" +
			"# a report for a ticket\nflightdesk timeline ORD-1042 --output markdown > report.md",
		ValidArgsFunction: p.CompleteArguments([]run.NameKind{run.Orders, run.Missions}),
	}
	failures := cmd.Flags().Bool("failures", false, "only failures and missing callbacks")
	return reportCommand(p, cmd, func(ctx context.Context, l *run.ViewedAccount, name string) (*shellReport, error) {
		if l.Of.Order == "" {
			return nil, run.WrongUsage(cmd, "%q is not an order or mission code; use flightdesk inspect", name)
		}
		f, entries, err := readFacts(ctx, p, cmd, l)
		if err != nil {
			return nil, err
		}
		all := len(entries)
		if *failures {
			entries = failedEntries(entries)
		}
		r := f.BuildReport("Timeline of "+f.SubjectCode(), l.Company, l.Host(), l.Now(), l.Mask)
		r.Entries, r.Left, r.Wrong = entries, all-len(entries), timeline.DeliveryVerdicts(f, entries)
		heading := f.SubjectCode() + "  " + subjectName(f)
		return &shellReport{r, heading, func(out *bufio.Writer, to io.Writer) { printEntries(out, to, l, r) }}, nil
	})
}

// shellReport is a report for people: its heading, and what it says below what is wrong.
type shellReport struct {
	*timeline.TimelineReport
	heading   string
	printBody func(out *bufio.Writer, to io.Writer)
}

// reportCommand completes cmd, which prints a report of what its argument names.
func reportCommand(
	p *run.Program,
	cmd *cobra.Command,
	report func(ctx context.Context, l *run.ViewedAccount, name string) (*shellReport, error),
) *cobra.Command {
	output, profile := run.OutputFlag(cmd, "table", "json", "markdown"), run.ProfileFlag(cmd)
	return p.Command(cmd, func(cmd *cobra.Command, args []string) error {
		ctx, to, name := cmd.Context(), cmd.OutOrStdout(), strings.Join(args, "")
		l, err := p.ViewAccount(ctx, *profile, name)
		if err != nil {
			return err
		}
		defer p.RememberLooked(l)
		r, err := report(ctx, l, name)
		switch {
		case err != nil:
			return err
		case output.Value == "json":
			return run.PrintJSON(to, r.ReportValue())
		case output.Value == "markdown":
			return r.WriteMarkdown(to)
		}
		return printReport(to, l, r)
	})
}

// printReport prints a report for people: what it is about, what is wrong there, and
// what it says.
func printReport(to io.Writer, l *run.ViewedAccount, r *shellReport) error {
	out, th := bufio.NewWriter(to), run.ShellTheme(to)
	fmt.Fprintln(out, layout.Clean(r.heading))
	from := fmt.Sprintf("%s · %s · %s", l.Company, r.Service, r.Made.Format("2006-01-02 15:04:05 -07:00"))
	fmt.Fprintln(out, run.StyleText(th, labels.Muted, layout.Clean(from)))
	for i, v := range r.Wrong {
		if i == 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintln(out, run.StyleText(th, v.Role, "▲ "+layout.Clean(l.Mask(v.Text))))
	}
	r.printBody(out, to)
	for _, f := range r.Faults {
		what, _ := labels.ExplainError(f.Err)
		fmt.Fprintln(out, layout.Clean(strings.TrimSpace("could not load: "+string(f.Source)+" "+f.About)+": "+what))
	}
	return out.Flush()
}

// failedEntries returns the entries of what failed or is missing.
func failedEntries(entries []timeline.TimelineEntry) (all []timeline.TimelineEntry) {
	for i := range entries {
		if entries[i].Failed() || entries[i].Source == timeline.FromGap {
			all = append(all, entries[i])
		}
	}
	return all
}

// readFacts reads all that is known of what was named.
func readFacts(
	ctx context.Context,
	p *run.Program,
	cmd *cobra.Command,
	l *run.ViewedAccount,
) (*timeline.SubjectFacts, []timeline.TimelineEntry, error) {
	done := run.ShowWaiting(cmd.ErrOrStderr(), "loading the timeline")
	defer done()
	reader := &timeline.Reader{Cache: l.Cache, Host: l.Host(), Decisions: p.OpenLedger()}
	l.Cache.FillNeeds(ctx, func() []cache.Need { return reader.DataNeeds(l.Of) })
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	f := reader.ReadFacts(l.Of)
	if f.Order == nil && f.OrderErr != nil {
		return nil, nil, fmt.Errorf("%s: %w", l.Of.Order, f.OrderErr)
	}
	return f, timeline.MaskEntries(timeline.BuildEntries(f, l.Now()), l.Mask), nil
}

func printEntries(out *bufio.Writer, to io.Writer, l *run.ViewedAccount, r *timeline.TimelineReport) {
	names := "When Source About What"
	if l.Of.Mission != "" {
		names = "When Source What"
	}
	s := run.NewSheet("entry", "entries", timeline.EntryColumns(l.Now, l.Of), l.Now, names, "")
	fmt.Fprintln(out)
	s.PrintTable(out, run.PointersTo(r.Entries), to)
}

// subjectName returns what was named, and how it stands.
func subjectName(f *timeline.SubjectFacts) string {
	if f.Order == nil {
		return ""
	}
	name, st := f.Order.OrderName, labels.OrderStatus(f.Order.Status)
	if f.Subject.Mission != "" && len(f.Missions) > 0 {
		name, st = f.Missions[0].MissionName+", "+f.Order.OrderCode, labels.MissionStatus(f.Missions[0].Status)
	}
	return strings.TrimSpace(name + "  " + st.Glyph + " " + st.Label + " · " + st.Description)
}

// InspectCommand prints how an account, an order, a mission or an endpoint is.
func InspectCommand(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "inspect [NAME]",
		Short: "Diagnose an account, order, mission or endpoint",
		Long: "Prints what Inspect shows in the app. For an account: failed and missing callbacks of the last 7 days, late and " +
			"stalled missions, endpoints, key permissions and orders. For an order or a mission: problems, missions, failed and missing callbacks, " +
			"and the callbacks to each endpoint. For an endpoint, by its ID: its health and failures. Without NAME, it is the profile's account. " +
			"--output markdown and json print the report that the app exports." + anyAccount + " Accounts are then found by company as well.",
		Example: "# the account of the profile\nflightdesk inspect\n\n# an order\nflightdesk inspect ORD-1042\n\n# another account, with the operations key\nflightdesk inspect \"Nordwind AG\"\n\n" +
			"# a report for a ticket\nflightdesk inspect MSN-2001 --output markdown > report.md",
		ValidArgsFunction: p.CompleteArguments([]run.NameKind{run.Orders, run.Missions, run.Endpoints}),
	}
	cmd.Args = run.CheckArguments(cmd.Use, "flightdesk inspect ORD-1042")
	return reportCommand(p, cmd, func(ctx context.Context, l *run.ViewedAccount, _ string) (*shellReport, error) {
		var r *timeline.TimelineReport
		var err error
		if l.Of.Order != "" {
			r, err = inspectSubject(ctx, p, cmd, l)
		} else {
			r, err = inspectAccount(ctx, cmd, l)
		}
		if err != nil {
			return nil, err
		}
		return &shellReport{r, r.Title, func(out *bufio.Writer, to io.Writer) { printParts(out, to, l, r) }}, nil
	})
}

func inspectSubject(
	ctx context.Context,
	p *run.Program,
	cmd *cobra.Command,
	l *run.ViewedAccount,
) (*timeline.TimelineReport, error) {
	f, entries, err := readFacts(ctx, p, cmd, l)
	if err != nil {
		return nil, err
	}
	r := f.BuildReport(f.SubjectCode(), l.Company, l.Host(), l.Now(), l.Mask)
	r.State = subjectName(f)
	r.Wrong, r.Parts = timeline.DeliveryVerdicts(f, entries), f.ReportParts(entries, l.Now())
	return r, nil
}

func inspectAccount(ctx context.Context, cmd *cobra.Command, l *run.ViewedAccount) (*timeline.TimelineReport, error) {
	done := run.ShowWaiting(cmd.ErrOrStderr(), "loading the account")
	defer done()
	l.Cache.FillNeeds(ctx, func() []cache.Need {
		needs := timeline.AccountNeeds(l.Cache, l.Now())
		known := l.Cache.Now()
		for i := range known.Orders {
			if known.Orders[i].Status.IsLive() {
				needs = append(needs, l.Cache.NeedMissions(&known.Orders[i]))
			}
		}
		return needs
	})
	var a timeline.AccountHealth
	a.RereadFrom(l.Cache, l.Now())
	title, parts := "Account "+l.Company, []timeline.ReportPart{
		a.UndeliveredPart(),
		a.TroubledPart(),
		a.EndpointsPart(),
	}
	if l.Endpoint != "" {
		title, parts = "Endpoint "+l.Endpoint, a.EndpointParts(l.Endpoint)
	} else {
		if l.Client != nil {
			grants, err := l.Client.Scopes(ctx)
			parts = append(parts, timeline.ScopesPart(session.Permissions{}.WithGrants(grants, err)))
		}
		parts = append(parts, a.ByStatus())
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if a.EndpointsErr != nil && a.Known.Err != nil {
		return nil, a.Known.Err
	}
	r := timeline.AccountReport(parts, l.Company, l.Host(), l.Now(), l.Mask)
	r.Title = title
	return r, nil
}

// printParts prints the parts of a report below each other.
func printParts(out *bufio.Writer, to io.Writer, l *run.ViewedAccount, r *timeline.TimelineReport) {
	th, width := run.ShellTheme(to), run.TerminalWidth(to)
	for i := range r.Parts {
		printPart(out, th, l, &r.Parts[i], width)
	}
}

func printPart(out io.Writer, th *theme.Theme, l *run.ViewedAccount, p *timeline.ReportPart, width int) {
	fmt.Fprintf(out, "\n%s  %s\n", p.Title, run.StyleText(th, labels.Muted, layout.Clean(p.Note)))
	code, text := 0, 0
	for i := range p.Lines {
		x := &p.Lines[i]
		code, text = max(code, layout.Width(x.Code)), max(text, layout.Width(layout.Clean(x.Text)))
	}
	if width > 0 { // what does not fit is cut in the middle of the line, not its end
		right := 0
		for i := range p.Lines {
			right = max(right, layout.Width(p.Lines[i].Right))
		}
		text = max(20, min(text, width-code-right-8))
	}
	for i := range p.Lines {
		x := &p.Lines[i]
		parts := []string{run.StyleText(th, x.Role, x.Glyph)}
		if code > 0 {
			parts = append(parts, layout.FitLeft(layout.Clean(x.Code), code))
		}
		parts = append(
			parts,
			layout.FitLeft(layout.CutLine(layout.Clean(l.Mask(x.Text)), text), text),
			layout.Clean(l.Mask(x.Right)),
		)
		fmt.Fprintln(out, strings.TrimRight("  "+strings.Join(parts, "  "), " "))
	}
}
