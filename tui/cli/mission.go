package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
)

// missionCommand returns the group of commands that show a mission and save its permit.
func missionCommand() *cobra.Command {
	return defineGroup(
		&cobra.Command{
			Use:   "mission",
			Short: "Show a mission or save its flight permit",
			Example: `# a mission by its code
flightdesk mission show MSN-2001`,
		},
		missionShow(), missionPermit(),
	)
}

// missionStory is a mission with its planning, flight permission and packages. It is the output of
// mission show --output json.
type missionStory struct {
	Mission          *api.Mission          `json:"mission"`
	Planning         []api.PlanningEntry   `json:"planning"`         // newest first
	FlightPermission *api.FlightPermission `json:"flightPermission"` // nil if none is recorded
	Packages         []api.DeliveryPackage `json:"packages"`         // newest first

	planningErr, permissionErr, packagesErr error // why a part could not be read
}

func missionShow() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show MISSION",
		Short: "Print a mission with its planning, flight permission and packages",
		Long: `Prints a mission by its code, with all versions of its planning, its flight permission and its packages.
--output json prints {"mission", "planning", "flightPermission", "packages"}.`,
		Example: `# for people
flightdesk mission show MSN-2001

# for programs
flightdesk mission show MSN-2001 --output json`,
	}
	return defineService(cmd, nil, showMission)
}

// showMission prints the mission in the arguments. If a part of it could not be read, it prints the other parts and
// returns an error.
func showMission(c *Call) error {
	story, err := c.loadStory()
	if err != nil {
		return prefixError(c.Args[0], err)
	}
	if err := printStory(c, story); err != nil {
		return err
	}
	missing := &api.PartsError{}
	missing.Add(story.planningErr)
	missing.Add(story.permissionErr)
	missing.Add(story.packagesErr)
	return prefixError(c.Args[0], missing.ErrorOrNil())
}

// loadStory reads the mission in the arguments with its planning, flight permission and
// packages. It returns an error only if the mission itself cannot be read.
func (c *Call) loadStory() (*missionStory, error) {
	stopWaiting := c.ShowWaiting("searching the orders")
	defer stopWaiting()
	mission, err := fetch.FindMission(c, c.Service.Client, orderCode(c.Args[0]))
	if err != nil {
		return nil, err
	}
	c.Names.AddRow(&mission)
	parts := loadParts(c, mission.UUID)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return &missionStory{
		Mission:          &mission,
		Planning:         parts.Planning,
		FlightPermission: parts.Permission,
		Packages:         parts.Packages,
		planningErr:      parts.PlanningErr,
		permissionErr:    parts.PermissionErr,
		packagesErr:      parts.PackagesErr,
	}, nil
}

// loadParts reads the planning, the flight permission and the packages of a mission. The result has the errors of
// the parts that could not be read.
func loadParts(c *Call, mission string) timeline.MissionParts {
	data := cache.New(c.Service.Client, c.Service.Client.Now)
	partsInCache := func() timeline.MissionParts {
		const packagesWithFiles = 0
		parts, _ := timeline.PartsOf(data, mission, packagesWithFiles)
		return parts
	}
	data.LoadNeeds(c, func() []cache.Need { return partsInCache().Needs })
	return partsInCache()
}

func printStory(c *Call, s *missionStory) error {
	mission := s.Mission
	missionColumns := columns.WithState(columns.Missions(), c.stateOf)
	facts := columns.RowFacts(columns.InUnits(missionColumns, c.Service.Units), mission, c.Service.Now())
	facts = append(facts, permissionFacts(c, s)...)
	facts = append(facts, columns.UnknownMembers(mission.Extra)...)
	planning := newSheet("planning version", columns.Planning(), "")
	packages := newSheet("package", columns.Packages(), "")
	return c.PrintParts(
		s,
		factsPart(facts),
		tableIfKnown(c, planning, s.Planning, s.planningErr),
		tableIfKnown(c, packages, s.Packages, s.packagesErr),
	)
}

// stateOf returns the label of a mission's status. For people, a mission that waits for a pilot gets another label if
// its order has no accepted quote yet, so stateOf reads the order and its quotes. If the order cannot be read, the
// mission has the label of its own status.
func (c *Call) stateOf(m *api.Mission) format.StatusLabel {
	code := cmp.Or(m.OrderCode, m.OrderUID)
	isForPeople := c.Output != "json"
	if !isForPeople || code == "" || m.Status != api.MissionAwaitingPilot {
		return format.Status(m.Status)
	}
	order, err := c.Service.Client.Orders.Get(c, code)
	if err != nil && !api.IsPartial(err) {
		return format.Status(m.Status)
	}
	return missionState(m, order, c.readQuoteState)
}

// readQuoteState reads the quotes of an order and returns whether there are open quotes, and whether all of them have
// expired. It returns [format.QuotesUnread] if they cannot be read.
func (c *Call) readQuoteState(orderID string) format.QuoteState {
	if c.Service.LegacyBaseURL == "" {
		return format.QuotesUnread
	}
	record, err := c.Service.Client.Records.Get(c, orderID)
	if err != nil {
		return format.QuotesUnread
	}
	return quoting.StateOf(record, c.Service.Now())
}

// permissionFacts returns the fields of a mission's flight permission, or a field that says that none is
// recorded or that it could not be read.
func permissionFacts(c *Call, s *missionStory) [][2]string {
	if s.permissionErr != nil {
		return [][2]string{{"Permission", "not known"}}
	}
	permission := s.FlightPermission
	if permission == nil {
		return [][2]string{{"Permission", "not recorded"}}
	}
	facts := columns.RowFacts(columns.Permissions(), permission, c.Service.Now())
	if permission.PermitFileURL != nil {
		facts = append(facts, [2]string{"Permit", "flightdesk mission permit " + s.Mission.MissionCode})
	}
	return append(facts, columns.UnknownMembers(permission.Extra)...)
}

// tableIfKnown returns a table of rows. If there are no rows because of an error, it returns a line that says
// that they are not known.
func tableIfKnown[T any](c *Call, sheet *rowSheet[*T], rows []T, err error) part {
	if err != nil && len(rows) == 0 {
		return linePart(sheet.plural + ": not known")
	}
	return sheet.tablePart(c, columns.Pointers(rows))
}
