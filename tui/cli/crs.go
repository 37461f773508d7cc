package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/kmlcsv/crs"
	"flightdesk/tui/app/columns"
)

// maxSystems is how many reference systems are listed.
const maxSystems = 50

// listedSystem is a reference system as the crs command prints it.
type listedSystem struct {
	Code     string   `json:"code"`
	Name     string   `json:"name"`
	Area     string   `json:"area"`
	Unit     string   `json:"unit"`
	Accuracy *float64 `json:"accuracy"` // metres; null if unknown
	Note     string   `json:"note,omitempty"`
	Bounds   areaBox  `json:"bounds"`
}

// areaBox bounds an area in degrees. It crosses the antimeridian if east is less than west.
type areaBox struct {
	West  float64 `json:"west"`
	South float64 `json:"south"`
	East  float64 `json:"east"`
	North float64 `json:"north"`
}

// crsCommand finds reference systems.
func crsCommand() *cobra.Command {
	cmd := newCommand(
		"crs QUERY...",
		"Find a coordinate reference system",
		`Lists the coordinate reference systems that a code or a part of a name fits, the best match first and at most 50,
with their area of use, their unit, and the accuracy of the conversion to WGS 84 in the middle of the area. --crs of
parse and place accepts the code. --output json prints a system per line: {"code", "name", "area", "unit", "accuracy",
"note", "bounds"}. The accuracy is in metres, or null if no transformation is known; bounds are in degrees.`,
		`# by name
flightdesk crs utm 32n
flightdesk crs california zone 5

# by code
flightdesk crs EPSG:2056`,
	)
	outputFlag(cmd, "table", "json")
	return defineCommand(cmd, func(c *Call) error {
		query := strings.Join(c.Args, " ")
		found := crs.Search(query, maxSystems)
		if len(found) == 0 {
			_, err := crs.Find(query)
			return err
		}
		rows := make([]listedSystem, len(found))
		for i, m := range found {
			rows[i] = *describeSystem(m.System)
		}
		all := columns.MakeColumns("systems", columns.Values[*listedSystem]{
			"accuracy": func(s *listedSystem) columns.Cell { return columns.TextCell(s.describeAccuracy()) },
		})
		return printList(c, "system", all, "", listRows(rows))
	})
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
	notes := slices.DeleteFunc([]string{s.Note(), accuracy.Warning}, func(note string) bool { return note == "" })
	listed.Note = strings.Join(notes, "; ")
	return listed
}

func (s *listedSystem) describeAccuracy() string {
	if s.Accuracy == nil {
		return "unknown"
	}
	return fmt.Sprintf("%.0f m", math.Max(1, math.Ceil(*s.Accuracy)))
}
