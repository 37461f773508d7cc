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

// Missions returns the columns of a mission.
func Missions() []Column[*api.Mission] {
	return MakeColumns("missions", Values[*api.Mission]{
		"flightDate": flightCell,
	})
}

// flightCell returns when a mission flies, and the zone of its site.
func flightCell(m *api.Mission) Cell {
	cell := TimeCell(m.FlightDate)
	if cell.Known {
		cell.Zone = cache.ZoneOf(m)
	}
	return cell
}

// MissionsBelow returns the columns of a mission that is shown below its order.
func MissionsBelow() []Column[*api.Mission] {
	return MakeColumns("missionsBelow", Values[*api.Mission]{
		"flightDate": flightCell,
		"areaSize": func(m *api.Mission) Cell {
			if length := LineLength(m); length > 0 && (m.AreaSize == nil || *m.AreaSize == 0) {
				return TextCell(format.Length(length))
			}
			return AreaOf(m.AreaSize, m.Extra)
		},
	})
}

// LineLength returns the length of a linear mission in metres, 0 for any other.
func LineLength(m *api.Mission) float64 {
	line, is := ordering.MissionShape(m.MissionType, m.LocationMap).(orb.LineString)
	if !is || m.MissionType != api.MissionLinear {
		return 0
	}
	return kmlcsv.LengthOf(line)
}

// MissionsOfOrders returns the columns of a mission that is shown with its order.
func MissionsOfOrders(now func() time.Time) []Column[*cache.Mission] {
	all := append(MakeColumns("missionsOfOrders", Values[*cache.Mission]{
		"late": func(m *cache.Mission) Cell {
			if t, ok := m.TroubleAt(now()); ok { // a filter finds what is stuck, too
				return Cell{Text: t.Text, Data: t.Text, Code: "late", Role: TroubleTone(t)}
			}
			return Cell{}
		},
		"deadline": func(m *cache.Mission) Cell { return EndCell(m.Order.Deadline) },
	}), ColumnsOf(Missions(), func(m *cache.Mission) *api.Mission { return &m.Mission })...)
	return PickFirst(all, "missionCode missionName status flightDate deadline country operatorName "+
		"orderCode late city areaSize missionType orderName updatedAt")
}

// TroubleTone returns the tone of what is wrong with a mission.
func TroubleTone(t cache.MissionTrouble) format.Tone {
	if t.Late {
		return format.Bad
	}
	return format.Attention
}

// PlaceOf returns where a mission is: its label, city and country.
func PlaceOf(m *api.Mission) string {
	parts := []string{m.LocationLabel, TextAt(m.City).Text, m.Country}
	return strings.Join(
		slices.DeleteFunc(parts, func(s string) bool { return s == "" || s == format.None }),
		", ",
	)
}

// MissionState returns a mission's status, ordered as the life of a mission goes.
func MissionState(s api.MissionStatus) Cell {
	return StateCell(format.Status(s), rankOf(api.MissionStatuses(), s))
}

// OpsMissions returns the columns of a mission with all that belongs to it.
func OpsMissions() []Column[*ops.Mission] {
	all := ColumnsOf(Missions(), func(m *ops.Mission) *api.Mission { return &m.Mission })
	return append(all, MakeColumns("opsMissions", Values[*ops.Mission]{
		"plans":      func(m *ops.Mission) Cell { return NumberCell(len(m.Planning)) },
		"permission": PermissionOf,
		"packages":   func(m *ops.Mission) Cell { return NumberCell(len(m.Packages)) },
	})...)
}

// PermissionOf returns the status of a mission's flight permission.
func PermissionOf(m *ops.Mission) Cell {
	if m.FlightPermission == nil {
		return NoCell()
	}
	return StateCell(format.Status(m.FlightPermission.Status), 0)
}

// Permissions returns the columns of a flight permission.
func Permissions() []Column[*api.FlightPermission] {
	return MakeColumns("permissions", Values[*api.FlightPermission]{
		"validFrom": func(p *api.FlightPermission) Cell { return StartCell(p.ValidFrom) },
		"validTo":   func(p *api.FlightPermission) Cell { return EndCell(p.ValidTo) },
	})
}

// Planning returns the columns of a version of a flight date.
func Planning() []Column[*api.PlanningEntry] {
	return MakeColumns("planning", Values[*api.PlanningEntry]{
		"flightDate": func(e *api.PlanningEntry) Cell { return TextCell(FormatMoment(e.FlightDate)) },
	})
}

// Packages returns the columns of a delivery package.
func Packages() []Column[*api.DeliveryPackage] {
	return MakeColumns[*api.DeliveryPackage]("packages", nil)
}

// knownCell returns a count or a size, none where it is not known.
func knownCell[T int | int64](n T) Cell {
	if n < 0 {
		return NoCell()
	}
	return NumberCell(n)
}

// ListedFile is a delivered file with what it belongs to.
type ListedFile struct {
	OrderCode   string           `json:"orderCode"`
	MissionCode string           `json:"missionCode"`
	PackageUID  string           `json:"packageUid"`
	Version     int              `json:"version"` // of the package
	Package     api.ExtraMembers `json:"-"`       // members of the package that this program does not know
	api.DeliveryFile
}

// Files returns the columns of a delivered file.
func Files() []Column[*ListedFile] {
	return MakeColumns[*ListedFile]("files", nil)
}

// Datasets returns the columns of a purchased dataset. local is how much of it is
// on this machine; nil leaves that column out.
func Datasets(local func(*api.Dataset) Cell) []Column[*api.Dataset] {
	all := MakeColumns("datasets", Values[*api.Dataset]{
		"baseFiles": func(d *api.Dataset) Cell { return NumberCell(d.DeliveryFiles.Len()) },
	})
	if local == nil {
		return all
	}
	return append(all, Column[*api.Dataset]{ColumnSpec{Title: "Local", Kind: Status, Width: 9}, local})
}

// FindMission returns the mission of an order that has an ID, nil for none and for no order.
func FindMission(o *api.Order, uuid string) *api.Mission {
	for i := range format.ValueOf(o).Missions {
		if m := &o.Missions[i]; m.UUID == uuid {
			return m
		}
	}
	return nil
}

// MissionsIn returns the missions of orders.
func MissionsIn(orders []api.Order) []*cache.Mission {
	var missions []*cache.Mission
	for i := range orders {
		for j := range orders[i].Missions {
			missions = append(missions, cache.MissionOf(&orders[i].Missions[j], &orders[i]))
		}
	}
	return missions
}
