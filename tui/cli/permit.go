package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/config/atomicfile"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
)

// savedPermit is the output of mission permit --output json.
type savedPermit struct {
	MissionCode string `json:"missionCode"`
	Path        string `json:"path"`
	Size        int    `json:"size"` // bytes
}

func missionPermit() *cobra.Command {
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
	to := ""
	cmd.Flags().StringVar(&to, "to", "", "output file; - for standard output")
	check := func([]string) error {
		return flagRules{
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
	return defineService(cmd, check, func(c *Call) error { return c.savePermit(to) })
}

// savePermit saves the permit of the mission in the arguments in a file, or writes it to standard output
// if the path is "-". If the path is "", the file has the name of the mission.
func (c *Call) savePermit(path string) error {
	code, document, err := c.loadPermit()
	if err != nil {
		return prefixError(c.Args[0], err)
	}
	if path == "-" {
		_, err := c.Out().Write(document)
		return err
	}
	if path == "" {
		path = permitName(code, document)
	}
	return saveNewFile(c, path, document, savedPermit{code, path, len(document)})
}

// loadPermit downloads the permit of the mission in the arguments, and returns it with the
// code of the mission. It fails if there is no flight permission or no permit.
func (c *Call) loadPermit() (code string, document []byte, err error) {
	stopWaiting := c.ShowWaiting("searching the orders")
	defer stopWaiting()
	m, err := fetch.FindMission(c, c.Service.Client, orderCode(c.Args[0]))
	if err != nil {
		return "", nil, err
	}
	c.Names.AddRow(&m)
	permission, err := c.Service.Client.Missions.FlightPermission(c, m.UUID)
	if api.IsStatus(err, http.StatusNotFound) {
		return "", nil, errors.New("no flight permission recorded")
	}
	if err != nil {
		return "", nil, err
	}
	if permission.PermitFileURL == nil {
		return "", nil, fmt.Errorf("no permit; the flight permission is %s", commands.InText(permission.Status))
	}
	document, err = c.Service.Client.Missions.Permit(c, permission)
	return m.MissionCode, document, err
}

// permitName returns the name for the file of a mission's permit, such as MSN-2001-permit.pdf. The extension
// is left out if the document is not a PDF. The code comes from the service and is not trusted: characters
// that are unsafe in file names are replaced.
func permitName(code string, document []byte) string {
	name := fetch.SafeName(code) + "-permit"
	if bytes.HasPrefix(document, []byte("%PDF")) {
		name += ".pdf"
	}
	return name
}

// saveNewFile writes a new file and prints its path and size. With --output json it prints the value instead.
func saveNewFile(c *Call, path string, content []byte, value any) error {
	if err := writeNewFile(path, content); err != nil {
		return prefixError(path, err)
	}
	return c.PrintResult(value, "saved "+path+", "+format.Bytes(int64(len(content))))
}

// writeNewFile writes a file, or returns an error if the file exists. The file gets its name only
// when it is complete, so that an interrupted run leaves no partial file.
func writeNewFile(path string, content []byte) error {
	err := atomicfile.WriteFile(path, false, func(to io.Writer) error {
		_, err := to.Write(content)
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		return errors.New("file already exists; choose another with --to")
	}
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("folder not found; create it first")
	}
	return explainFileError(err)
}
