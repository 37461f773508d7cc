package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/config/atomicfile"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
)

func (p *program) missionCommand() *cobra.Command {
	return p.group(
		&cobra.Command{
			Use: "mission", Short: "Look at a mission; save its flight permit",
			Example: "flightdesk mission show MSN-2001",
		},
		p.missionShow(), p.missionPermit(),
	)
}

// missionStory is a mission with all that belongs to it, as mission show
// prints it.
type missionStory struct {
	Mission          *api.Mission          `json:"mission"`
	Planning         []api.PlanningEntry   `json:"planning"`         // newest first
	FlightPermission *api.FlightPermission `json:"flightPermission"` // null: none is recorded
	Packages         []api.DeliveryPackage `json:"packages"`         // newest first
}

func (p *program) missionShow() *cobra.Command {
	cmd := &cobra.Command{
		Use: "show MISSION", Short: "Print a mission with its planning, flight permission and packages",
		Long: "Prints a mission by its code, each version of its planning, its flight permission and what was delivered. --output json " +
			"prints {\"mission\", \"planning\", \"flightPermission\", \"packages\"}.",
		Example:           "flightdesk mission show MSN-2001\nflightdesk mission show MSN-2001 --output json",
		ValidArgsFunction: p.completeCodes([]string{"MSN"}),
	}
	output := outputFlag(cmd, "table", "json")
	profile := profileFlag(cmd)
	return p.command(cmd, takes(cmd.Use, cmd.Example), func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		o, err := p.connect(ctx, *profile)
		if err != nil {
			return err
		}
		defer p.remember(o)
		done := waiting(cmd.ErrOrStderr(), "looking through the orders")
		story, err := o.story(ctx, args[0])
		done()
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		if output.value == "json" {
			return printValue(cmd.OutOrStdout(), story)
		}
		return o.printStory(cmd.OutOrStdout(), story)
	})
}

// story reads a mission and what belongs to it.
func (o *online) story(ctx context.Context, code string) (*missionStory, error) {
	m, err := fetch.FindMission(ctx, o.client, orderCode(code))
	if err != nil {
		return nil, err
	}
	o.seen.note(m.OrderCode)
	o.seen.note(m.MissionCode)
	story := &missionStory{Mission: &m}
	if story.Planning, err = o.client.Missions.Planning(ctx, m.UUID); err != nil {
		return nil, err
	}
	story.FlightPermission, err = o.client.Missions.FlightPermission(ctx, m.UUID)
	if err != nil && !api.IsStatus(err, 404) { // 404: none is recorded
		return nil, err
	}
	story.Packages, err = o.client.Missions.Packages(ctx, m.UUID)
	return story, err
}

func (o *online) printStory(to io.Writer, s *missionStory) error {
	out := bufio.NewWriter(to)
	m, now := s.Mission, o.client.Now
	facts := [][2]string{
		{"Mission", m.MissionCode + "  " + m.MissionName},
		{"Order", m.OrderCode},
		{"Status", string(m.Status)},
		{"Type", string(m.MissionType)},
		{"Place", strings.Join(filled(m.LocationLabel, text(m.City), m.Country), ", ")},
		{"Area", areaOf(m.AreaSize)},
		{"Operator", text(m.OperatorName)},
		{"Flight", columns.Moment(m.FlightDate)},
		{"Permission", "none recorded"},
	}
	if p := s.FlightPermission; p != nil {
		facts[len(facts)-1][1] = string(p.Status)
		document := ""
		if p.PermitFileURL != nil {
			document = "flightdesk mission permit " + m.MissionCode + " saves it"
		}
		facts = append(facts, [2]string{"Authority", strings.Join(filled(text(p.Authority), text(p.Reference)), ", ")},
			[2]string{"Holds from", columns.Moment(p.ValidFrom)}, [2]string{"Holds until", columns.Moment(p.ValidTo)}, [2]string{"Document", document})
	}
	writeFacts(out, shellTheme(to), facts)
	fmt.Fprintln(out)
	planning := sheetOf("plan", "plans", columns.Planning(), now, "version schedulingStatus flightDate scheduledBy note createdAt", "")
	planning.printTable(out, pointers(s.Planning), to)
	fmt.Fprintln(out)
	packages := sheetOf("package", "packages", columns.Packages(), now, "version name status fileCount totalSize createdAt", "")
	packages.printTable(out, pointers(s.Packages), to)
	return out.Flush()
}

// filled are those of the texts that are not empty.
func filled(texts ...string) (some []string) {
	for _, s := range texts {
		if s != "" {
			some = append(some, s)
		}
	}
	return some
}

// savedPermit is what mission permit --output json prints.
type savedPermit struct {
	MissionCode string `json:"missionCode"`
	Path        string `json:"path"`
	Size        int    `json:"size"` // bytes
}

func (p *program) missionPermit() *cobra.Command {
	cmd := &cobra.Command{
		Use: "permit MISSION", Short: "Save the document of a mission's flight permission",
		Long: "Saves the document of a flight permission as MISSION-permit.pdf, or as --to says; - is standard output. A file that is " +
			"there is not overwritten. --output json prints {\"missionCode\", \"path\", \"size\"}.",
		Example:           "flightdesk mission permit MSN-2001\nflightdesk mission permit MSN-2001 --to - > permit.pdf",
		ValidArgsFunction: p.completeCodes([]string{"MSN"}),
	}
	to := cmd.Flags().String("to", "", "file to write; - is standard output")
	output := outputFlag(cmd, "table", "json")
	profile := profileFlag(cmd)
	return p.command(cmd, takes(cmd.Use, cmd.Example), func(cmd *cobra.Command, args []string) error {
		if *to == "-" && output.value == "json" {
			return wrongUsage(cmd, "--to - has the document on standard output, where --output json would be, too; name one")
		}
		if *to == "-" && isTerminal(cmd.OutOrStdout()) {
			return wrongUsage(cmd, "--to - is for a pipe or a file; a terminal would obey what the document has")
		}
		ctx := cmd.Context()
		o, err := p.connect(ctx, *profile)
		if err != nil {
			return err
		}
		defer p.remember(o)
		done := waiting(cmd.ErrOrStderr(), "looking through the orders")
		code, document, err := o.permit(ctx, args[0])
		done()
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		if *to == "-" {
			_, err = cmd.OutOrStdout().Write(document)
			return err
		}
		path := *to
		if path == "" {
			path = permitName(code, document)
		}
		if err := writeNew(path, document); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if output.value == "json" {
			return printValue(cmd.OutOrStdout(), savedPermit{code, path, len(document)})
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), layout.Clean("saved "+path+", "+format.Bytes(int64(len(document)))))
		return err
	})
}

// permit downloads the document of a mission's flight permission.
func (o *online) permit(ctx context.Context, typed string) (code string, document []byte, err error) {
	m, err := fetch.FindMission(ctx, o.client, orderCode(typed))
	if err != nil {
		return "", nil, err
	}
	o.seen.note(m.MissionCode)
	permission, err := o.client.Missions.FlightPermission(ctx, m.UUID)
	switch {
	case api.IsStatus(err, 404):
		return "", nil, errors.New("no flight permission is recorded yet")
	case err != nil:
		return "", nil, err
	case permission.PermitFileURL == nil:
		return "", nil, fmt.Errorf("its flight permission is %s, and has no document", permission.Status)
	}
	document, err = o.client.Missions.Permit(ctx, permission)
	return m.MissionCode, document, err
}

// permitName is the name of a document's file. A code that is none names
// nothing: it comes from outside.
func permitName(code string, document []byte) string {
	if !codeForm.MatchString(code) {
		code = "mission"
	}
	if bytes.HasPrefix(document, []byte("%PDF")) {
		return code + "-permit.pdf"
	}
	return code + "-permit"
}

// writeNew writes a file that was not there before. It has its name once it is
// whole, so that a run that is killed leaves none that looks finished.
func writeNew(path string, content []byte) error {
	if _, err := os.Lstat(path); err == nil {
		return errThere
	}
	f, err := atomicfile.Create(path, 0o600)
	if err != nil {
		return advice(err)
	}
	if _, err := f.Write(content); err != nil {
		return advice(errors.Join(err, f.Discard()))
	}
	err = f.CommitNew()
	if errors.Is(err, fs.ErrExist) {
		return errThere
	}
	return advice(err)
}

var errThere = errors.New("there is such a file already; name another with --to")
