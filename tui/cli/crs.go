package cli

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/kmlcsv/crs"
	"flightdesk/tui/app/columns"
)

// maxSystems is the largest number of reference systems that are listed.
const maxSystems = 50

// listedSystem is a coordinate reference system as the command crs prints it in JSON.
type listedSystem struct {
	Code     string   `json:"code"`
	Name     string   `json:"name"`
	Area     string   `json:"area"`
	Unit     string   `json:"unit"`
	Accuracy *float64 `json:"accuracy"` // metres; null if unknown
	Note     string   `json:"note,omitempty"`
	Bounds   areaBox  `json:"bounds"`
}

// areaBox has the bounds of an area in degrees. If east is less than west, the area crosses the
// antimeridian.
type areaBox struct {
	West  float64 `json:"west"`
	South float64 `json:"south"`
	East  float64 `json:"east"`
	North float64 `json:"north"`
}

// crsCommand returns the command that finds coordinate reference systems.
func crsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "crs QUERY...",
		Short: "Find a coordinate reference system",
		Long: fmt.Sprintf(`Lists the coordinate reference systems that match a code or a part of a name, the best match first and at most %d,
with their area of use, their unit, and the accuracy of the conversion to WGS 84 in the middle of the area. --crs of
parse and place accepts the code. --output json prints a system per line: {"code", "name", "area", "unit", "accuracy",
"note", "bounds"}. The accuracy is in metres, or null if no transformation is known; bounds are in degrees.`, maxSystems),
		Example: `# by name
flightdesk crs utm 32n
flightdesk crs california zone 5

# by code
flightdesk crs EPSG:2056`,
	}
	outputFlag(cmd, "table", "json")
	return defineCommand(cmd, listSystems)
}

// listSystems prints the reference systems that match the query in the arguments.
func listSystems(c *Call) error {
	systems, err := findSystems(strings.Join(c.Args, " "))
	if err != nil {
		return err
	}
	rows := make([]listedSystem, len(systems))
	for i, system := range systems {
		rows[i] = *describeSystem(system)
	}
	all := columns.MakeColumns("systems", columns.Values[*listedSystem]{
		"accuracy": func(s *listedSystem) columns.Cell { return columns.TextCell(s.describeAccuracy()) },
	})
	return printFormattedRows(c, "system", all, "", listRows(rows))
}

// findSystems returns the reference systems that match a query, best first and at most maxSystems. If none
// matches, the error says why.
func findSystems(query string) ([]*crs.System, error) {
	var systems []*crs.System
	for _, match := range crs.Search(query, maxSystems) {
		systems = append(systems, match.System)
	}
	if len(systems) > 0 {
		return systems, nil
	}
	// Search leaves out deprecated systems, but Find finds them by their full name.
	system, err := crs.Find(query)
	if unknown, isUnknown := errors.AsType[*crs.UnknownError](err); isUnknown {
		return nil, fmt.Errorf("%s; search for a part of its name", unknown.Problem)
	}
	if err != nil {
		return nil, err
	}
	return []*crs.System{system}, nil
}

func describeSystem(s *crs.System) *listedSystem {
	bounds := s.Bounds()
	listed := &listedSystem{
		Code: s.Reference(), Name: s.Name(), Area: s.Area(), Unit: s.Unit().Name,
		Bounds: areaBox(bounds),
	}
	accuracy := s.Accuracy()
	if accuracy.Metres >= 0 {
		listed.Accuracy = &accuracy.Metres
	}
	listed.Note = s.Note()
	if listed.Note != "" && accuracy.Warning != "" {
		listed.Note += "; "
	}
	listed.Note += accuracy.Warning
	return listed
}

// describeAccuracy returns the accuracy for people, rounded up to metres.
func (s *listedSystem) describeAccuracy() string {
	if s.Accuracy == nil {
		return "unknown"
	}
	return fmt.Sprintf("%.0f m", math.Max(1, math.Ceil(*s.Accuracy)))
}
