package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/config/atomicfile"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
)

// MissionCommand looks at missions.
func MissionCommand(p *Program) *cobra.Command {
	return p.Group(
		&cobra.Command{
			Use: "mission", Short: "Show a mission or save its flight permit",
			Example: "# a mission by its code\nflightdesk mission show MSN-2001",
		},
		missionShow(p), missionPermit(p),
	)
}

// MissionStory is a mission with all that belongs to it, as mission show
// prints it.
type MissionStory struct {
	Mission          *api.Mission          `json:"mission"`
	Planning         []api.PlanningEntry   `json:"planning"`         // newest first
	FlightPermission *api.FlightPermission `json:"flightPermission"` // null: none is recorded
	Packages         []api.DeliveryPackage `json:"packages"`         // newest first
}

func missionShow(p *Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show MISSION",
		Short: "Print a mission with its planning, flight permission and packages",
		Long: `Prints a mission by its code, with all versions of its planning, its flight permission and its packages.
--output json prints {"mission", "planning", "flightPermission", "packages"}.`,
		Example: "# for people\nflightdesk mission show MSN-2001\n\n# for programs\nflightdesk mission show MSN-2001 --output json",
	}
	return p.ServiceCommand(cmd, nil, func(ctx context.Context, c *Call) error {
		done := c.ShowWaiting("searching the orders")
		story, err := loadStory(ctx, c.Service, c.Args[0])
		done()
		switch {
		case err != nil:
			return InName(c.Args[0], err)
		case c.Output == "json":
			return PrintValue(c.Out(), story)
		}
		return printStory(c, story)
	})
}

// story reads a mission and what belongs to it.
func loadStory(ctx context.Context, s *Service, code string) (*MissionStory, error) {
	m, err := fetch.FindMission(ctx, s.Client, OrderCode(code))
	if err != nil {
		return nil, err
	}
	s.Seen.NoteRow(&m)
	known := cache.New(s.Client, s.Client.Now)
	var parts timeline.MissionParts
	known.FillNeeds(ctx, func() []cache.Need {
		parts, _ = timeline.PartsOf(known, m.UUID, 0)
		return parts.Needs
	})
	if err := cmp.Or(ctx.Err(), parts.PlanningErr, parts.PermissionErr, parts.PackagesErr); err != nil {
		return nil, err
	}
	return &MissionStory{&m, parts.Planning, parts.Permission, parts.Packages}, nil
}

func printStory(c *Call, s *MissionStory) error {
	to, out := c.Out(), bufio.NewWriter(c.Out())
	m, p, now := s.Mission, s.FlightPermission, c.Now
	facts := columns.RowFacts(columns.InUnits(columns.Missions(), c.Units), m, now())
	if p == nil {
		facts = append(facts, [2]string{"Permission", "not recorded"})
	} else {
		facts = append(facts, columns.RowFacts(columns.Permissions(), p, now())...)
		if p.PermitFileURL != nil {
			facts = append(facts, [2]string{"Permit", "flightdesk mission permit " + m.MissionCode})
		}
		facts = append(facts, columns.UnknownMembers(p.Extra)...)
	}
	WriteFacts(out, ShellTheme(to), append(facts, columns.UnknownMembers(m.Extra)...))
	fmt.Fprintln(out)
	planning := NewSheet("plan", "plans", columns.Planning(), now, "")
	planning.PrintTable(out, PointersTo(s.Planning), to)
	fmt.Fprintln(out)
	packages := NewSheet("package", "packages", columns.Packages(), now, "")
	packages.PrintTable(out, PointersTo(s.Packages), to)
	return out.Flush()
}

// SavedPermit is what mission permit --output json prints.
type SavedPermit struct {
	MissionCode string `json:"missionCode"`
	Path        string `json:"path"`
	Size        int    `json:"size"` // bytes
}

func missionPermit(p *Program) *cobra.Command {
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
	to := cmd.Flags().String("to", "", "output file; - for standard output")
	check := func([]string) error {
		switch {
		case *to != "-":
			return nil
		case cmd.Flag("output").Value.String() == "json":
			return errors.New("--to - and --output json both write to standard output; use one")
		case IsTerminal(cmd.OutOrStdout()):
			return errors.New("--to - cannot write a binary file to a terminal; use a pipe or a file")
		}
		return nil
	}
	return p.ServiceCommand(cmd, check, func(ctx context.Context, c *Call) error {
		done := c.ShowWaiting("searching the orders")
		code, document, err := loadPermit(ctx, c.Service, c.Args[0])
		done()
		if err != nil {
			return InName(c.Args[0], err)
		}
		if *to == "-" {
			_, err = c.Out().Write(document)
			return err
		}
		path := cmp.Or(*to, permitName(code, document))
		return saveNew(c, path, document, SavedPermit{code, path, len(document)})
	})
}

// permit downloads the document of a mission's flight permission.
func loadPermit(ctx context.Context, s *Service, typed string) (code string, document []byte, err error) {
	m, err := fetch.FindMission(ctx, s.Client, OrderCode(typed))
	if err != nil {
		return "", nil, err
	}
	s.Seen.NoteRow(&m)
	permission, err := s.Client.Missions.FlightPermission(ctx, m.UUID)
	switch {
	case api.IsStatus(err, 404):
		return "", nil, errors.New("no flight permission recorded")
	case err != nil:
		return "", nil, err
	case permission.PermitFileURL == nil:
		return "", nil, fmt.Errorf("no permit; the flight permission is %s", permission.Status)
	}
	document, err = s.Client.Missions.Permit(ctx, permission)
	return m.MissionCode, document, err
}

// permitName returns the name of a document's file. A code that is none names
// nothing: it comes from outside.
func permitName(code string, document []byte) string {
	if !CodeForm.MatchString(code) {
		code = "mission"
	}
	if code += "-permit"; bytes.HasPrefix(document, []byte("%PDF")) {
		code += ".pdf"
	}
	return code
}

// saveNew saves a file, and says so; saved is what JSON has of it.
func saveNew(c *Call, path string, content []byte, saved any) error {
	if err := writeNew(path, content); err != nil {
		return InName(path, err)
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
	return FileAdvice(err)
}
