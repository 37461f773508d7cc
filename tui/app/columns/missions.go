package columns

import (
	"slices"
	"strings"
	"time"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/kmlcsv"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
)

// Missions returns the columns of a table of missions.
func Missions() []Column[*api.Mission] {
	return MakeColumns("missions", Values[*api.Mission]{
		"flightDate": flightCell,
	})
}

// flightCell returns a cell with the flight date of a mission. It can be shown in the time zone of the site. For a
// cancelled mission tables show no date, because it would read as flown; copies and exports still have the date.
func flightCell(m *api.Mission) Cell {
	cell := TimeCell(m.FlightDate)
	if cell.Known {
		cell.Zone = cache.ZoneOf(m)
	}
	if m.Status == api.MissionCancelled && cell.Known {
		cell.Text = format.None
	}
	return cell
}

// MissionsBelow returns the columns of a table of missions that is displayed below their order.
// stateOf returns the glyph and the label for the status of a mission.
func MissionsBelow(stateOf func(*api.Mission) format.StatusLabel) []Column[*api.Mission] {
	return MakeColumns("missionsBelow", Values[*api.Mission]{
		"status":     func(m *api.Mission) Cell { return MissionStateCell(m.Status, stateOf(m)) },
		"flightDate": flightCell,
		"areaSize": func(m *api.Mission) Cell {
			length := LineLength(m)
			if length > 0 && format.ValueOf(m.AreaSize) == 0 {
				return TextCell(format.Length(length))
			}
			return AreaOf(m.AreaSize, m.Extra)
		},
	})
}

// LineLength returns the length of a mission along a line in metres, or 0 for other missions.
func LineLength(m *api.Mission) float64 {
	if m.MissionType != api.MissionLinear {
		return 0
	}
	line, isLine := ordering.MissionShape(m.MissionType, m.LocationMap).(orb.LineString)
	if !isLine {
		return 0
	}
	return kmlcsv.LengthOf(line)
}

// MissionsOfOrders returns the columns of a table of missions from several orders, with the order of
// each mission. stateOf returns the glyph and the label for the status of a mission.
func MissionsOfOrders(
	now func() time.Time, stateOf func(*cache.Mission) format.StatusLabel,
) []Column[*cache.Mission] {
	ofMission := ColumnsOf(Missions(), func(m *cache.Mission) *api.Mission { return &m.Mission })
	ofMission = WithState(ofMission, stateOf)
	all := append(MakeColumns("missionsOfOrders", Values[*cache.Mission]{
		"late": func(m *cache.Mission) Cell {
			if t, ok := m.TroubleAt(now()); ok { // the code makes a filter find stalled missions too
				return Cell{Text: t.Text, Data: t.Text, Code: "late", Role: TroubleTone(t)}
			}
			return Cell{}
		},
		"deadline": func(m *cache.Mission) Cell { return EndCell(m.Order.Deadline) },
	}), ofMission...)
	return PickFirst(all, "missionCode missionName status flightDate deadline country operatorName "+
		"orderCode late city areaSize missionType orderName updatedAt")
}

// TroubleTone returns the tone in which a problem of a mission is shown.
func TroubleTone(t cache.MissionTrouble) format.Tone {
	if t.Late {
		return format.Bad
	}
	return format.Attention
}

// PlaceOf returns a text with the location of a mission: its label, city and country.
func PlaceOf(m *api.Mission) string {
	parts := []string{m.LocationLabel, TextAt(m.City).Text, m.Country}
	isEmpty := func(s string) bool { return s == "" || s == format.None }
	return strings.Join(slices.DeleteFunc(parts, isEmpty), ", ")
}

// MissionState returns a cell with a mission's status. Statuses are sorted in the order in which a
// mission goes through them.
func MissionState(s api.MissionStatus) Cell { return MissionStateCell(s, format.Status(s)) }

// MissionStateCell returns a cell with a mission's status. Unlike [MissionState], it shows the
// given label.
func MissionStateCell(s api.MissionStatus, label format.StatusLabel) Cell {
	return StateCell(label, rank(api.MissionStatuses(), s))
}

// WithState replaces the labels in the status column by the labels that stateOf returns. It changes
// and returns the given columns.
func WithState[T any](all []Column[T], stateOf func(T) format.StatusLabel) []Column[T] {
	for i := range all {
		if all[i].MachineName() == "status" {
			all[i].Value = func(m T) Cell {
				label := stateOf(m)
				return MissionStateCell(api.MissionStatus(label.Wire), label)
			}
		}
	}
	return all
}

// OpsMissions returns the columns of a table of missions in the operations API. Unlike [Missions], it
// includes the flight permission and the numbers of flight dates and packages.
func OpsMissions() []Column[*ops.Mission] {
	all := ColumnsOf(Missions(), func(m *ops.Mission) *api.Mission { return &m.Mission })
	return append(all, MakeColumns("opsMissions", Values[*ops.Mission]{
		"plans":      func(m *ops.Mission) Cell { return NumberCell(len(m.Planning)) },
		"permission": PermissionOf,
		"packages":   func(m *ops.Mission) Cell { return NumberCell(len(m.Packages)) },
	})...)
}

// PermissionOf returns a cell with the status of a mission's flight permission.
func PermissionOf(m *ops.Mission) Cell {
	if m.FlightPermission == nil {
		return NoCell()
	}
	return StateCell(format.Status(m.FlightPermission.Status), 0)
}

// Permissions returns the columns of a table of flight permissions.
func Permissions() []Column[*api.FlightPermission] {
	return MakeColumns("permissions", Values[*api.FlightPermission]{
		"validFrom": func(p *api.FlightPermission) Cell { return StartCell(p.ValidFrom) },
		"validTo":   func(p *api.FlightPermission) Cell { return EndCell(p.ValidTo) },
	})
}

// Planning returns the columns of a table with the history of a mission's flight date.
func Planning() []Column[*api.PlanningEntry] {
	return MakeColumns("planning", Values[*api.PlanningEntry]{
		"flightDate": func(e *api.PlanningEntry) Cell { return TextCell(FormatMoment(e.FlightDate)) },
	})
}

// Packages returns the columns of a table of delivery packages.
func Packages() []Column[*api.DeliveryPackage] {
	return MakeColumns[*api.DeliveryPackage]("packages", nil)
}

// knownCell returns a cell with a count or a size, or NoCell if n is negative, which means unknown.
func knownCell[T int | int64](n T) Cell {
	if n < 0 {
		return NoCell()
	}
	return NumberCell(n)
}

// ListedFile is a row of a table of delivered files: a file with the IDs of its package, mission and order.
type ListedFile struct {
	OrderCode   string           `json:"orderCode"`
	MissionCode string           `json:"missionCode"`
	PackageUID  string           `json:"packageUid"`
	Version     int              `json:"version"` // version of the package
	Package     api.ExtraMembers `json:"-"`       // members of the package that this program does not know
	api.DeliveryFile
}

// Files returns the columns of a table of delivered files.
func Files() []Column[*ListedFile] {
	return MakeColumns[*ListedFile]("files", nil)
}

// Datasets returns the columns of a table of datasets. local returns the cell of the column Local,
// which shows how much of a dataset is on this machine. If local is nil, the column is left out.
func Datasets(local func(*api.Dataset) Cell) []Column[*api.Dataset] {
	all := MakeColumns("datasets", Values[*api.Dataset]{
		"baseFiles": func(d *api.Dataset) Cell { return NumberCell(d.DeliveryFiles.Len()) },
	})
	if local == nil {
		return all
	}
	return append(all, Column[*api.Dataset]{ColumnSpec{Title: "Local", Kind: Status, Width: 9}, local})
}

// FindMission returns the order's mission with the given UUID, or nil. o may be nil.
func FindMission(o *api.Order, uuid string) *api.Mission {
	for i := range format.ValueOf(o).Missions {
		if o.Missions[i].UUID == uuid {
			return &o.Missions[i]
		}
	}
	return nil
}

// MissionsIn returns the missions of the given orders.
func MissionsIn(orders []api.Order) []*cache.Mission {
	var missions []*cache.Mission
	for i := range orders {
		for j := range orders[i].Missions {
			missions = append(missions, cache.MissionOf(&orders[i].Missions[j], &orders[i]))
		}
	}
	return missions
}
