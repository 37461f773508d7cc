package columns

import (
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
)

// Missions are the columns of a mission.
func Missions() []Column[api.Mission] {
	return []Column[api.Mission]{
		{Spec{Title: "Mission", Name: "missionCode", Width: 10}, func(m *api.Mission) Cell { return TextOr(m.MissionCode) }},
		{Spec{Title: "Name", Name: "missionName", Width: 12, Fill: 1, Least: 12}, func(m *api.Mission) Cell { return TextOr(m.MissionName) }},
		{Spec{Title: "Status", Name: "status", Kind: Status, Width: 19}, func(m *api.Mission) Cell { return MissionState(m.Status) }},
		{Spec{Title: "Flight", Name: "flightDate", Kind: Date}, func(m *api.Mission) Cell { return At(m.FlightDate) }},
		{Spec{Title: "Country", Name: "country", Width: 11, Drop: 4, Least: 7}, func(m *api.Mission) Cell { return TextOr(m.Country) }},
		{Spec{Title: "Operator", Name: "operatorName", Width: 14, Drop: 3, Least: 8}, func(m *api.Mission) Cell { return TextAt(m.OperatorName) }},
		{Spec{Title: "City", Name: "city", Width: 12, Drop: 8, Off: true}, func(m *api.Mission) Cell { return TextAt(m.City) }},
		{Spec{Title: "Area", Name: "areaSize", Kind: Area, Drop: 8, Off: true}, func(m *api.Mission) Cell { return AreaOf(m.AreaSize, m.Extra) }},
		{Spec{Title: "Type", Name: "missionType", Width: 8, Drop: 9, Off: true}, func(m *api.Mission) Cell { return labelOf(m.MissionType, labels.MissionType) }},
		{Spec{Title: "Updated", Name: "updatedAt", Kind: Date, Drop: 9, Off: true}, func(m *api.Mission) Cell { return At(m.UpdatedAt) }},
		{Spec{Title: "Order", Name: "orderCode", Shell: true}, func(m *api.Mission) Cell { return TextOr(m.OrderCode) }},
		{Spec{Name: "uuid", Shell: true}, func(m *api.Mission) Cell { return Text(m.UUID) }},
	}
}

// MissionsOfOrders are the columns of a mission that is shown with its order;
// flights are told by the clock of their site where that is chosen.
func MissionsOfOrders(now func() time.Time) []Column[cache.Mission] {
	all := Of(Missions(), func(m *cache.Mission) *api.Mission { return &m.Mission })
	flight := Column[cache.Mission]{Spec{Title: "Flight", Name: "flightDate", Kind: Date}, func(m *cache.Mission) Cell {
		cell := At(m.FlightDate)
		if cell.Known {
			cell.Zone = m.Zone()
		}
		return cell
	}}
	due := Column[cache.Mission]{Spec{Title: "Due", Name: "deadline", Kind: Date, Drop: 5}, func(m *cache.Mission) Cell { return At(m.Order.Deadline) }}
	code := Column[cache.Mission]{Spec{Title: "Order", Name: "orderCode", Width: 10, Drop: 6}, func(m *cache.Mission) Cell { return TextOr(m.Order.OrderCode) }}
	late := Column[cache.Mission]{Spec{Title: "Late", Name: "late", Width: 24, Drop: 7, Fill: 1}, func(m *cache.Mission) Cell {
		t, ok := m.Trouble(now())
		if !ok {
			return Cell{}
		}
		return Cell{Text: t.Text, Data: t.Text, Code: "late"}.In(TroubleTone(t)) // a filter finds what is stuck, too
	}}
	order := Column[cache.Mission]{Spec{Title: "Order name", Name: "orderName", Width: 16, Drop: 9, Off: true}, func(m *cache.Mission) Cell { return TextOr(m.Order.OrderName) }}
	columns := append(Pick(all, "missionCode", "missionName", "status"), flight, due)
	columns = append(columns, Pick(all, "country", "operatorName")...)
	columns = append(columns, code, late)
	columns = append(columns, Pick(all, "city", "areaSize", "missionType")...)
	return append(append(columns, order), Pick(all, "updatedAt")...)
}

// TroubleTone is the tone of what is wrong with a mission.
func TroubleTone(t cache.Trouble) labels.Tone {
	if t.Late {
		return labels.Bad
	}
	return labels.Attention
}

// MissionState is a mission's status, ordered as the life of a mission goes.
func MissionState(s api.MissionStatus) Cell {
	return State(labels.MissionStatus(s), rank(api.MissionStatuses(), s))
}

// OpsMissions are the columns of a mission with all that belongs to it.
func OpsMissions() []Column[api.OpsMission] {
	return append(Of(Missions(), func(m *api.OpsMission) *api.Mission { return &m.Mission }),
		Column[api.OpsMission]{Spec{Title: "Planning", Name: "plans", Kind: Number}, func(m *api.OpsMission) Cell { return Num(len(m.Planning)) }},
		Column[api.OpsMission]{Spec{Title: "Permission", Name: "permission"}, func(m *api.OpsMission) Cell {
			if m.FlightPermission == nil {
				return None()
			}
			return Label(labels.Permission(m.FlightPermission.Status).Label, string(m.FlightPermission.Status))
		}},
		Column[api.OpsMission]{Spec{Title: "Packages", Name: "packages", Kind: Number}, func(m *api.OpsMission) Cell { return Num(len(m.Packages)) }},
	)
}

// Planning are the columns of a version of a flight date.
func Planning() []Column[api.PlanningEntry] {
	return []Column[api.PlanningEntry]{
		{Spec{Title: "Planning", Name: "version", Kind: Number}, func(e *api.PlanningEntry) Cell { return Num(e.Version) }},
		{Spec{Title: "Status", Name: "schedulingStatus"}, func(e *api.PlanningEntry) Cell {
			return Label(labels.Schedule(e.SchedulingStatus).Label, string(e.SchedulingStatus))
		}},
		{Spec{Title: "Flight", Name: "flightDate"}, func(e *api.PlanningEntry) Cell { return Text(Moment(e.FlightDate)) }},
		{Spec{Title: "By", Name: "scheduledBy", Least: 8}, func(e *api.PlanningEntry) Cell { return TextAt(e.ScheduledBy) }},
		{Spec{Title: "Note", Name: "note", Least: 8}, func(e *api.PlanningEntry) Cell { return TextAt(e.Note) }},
		{Spec{Title: "Created", Name: "createdAt", Kind: Date, Ago: true}, func(e *api.PlanningEntry) Cell { return At(e.CreatedAt) }},
	}
}
