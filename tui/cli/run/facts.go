package run

import (
	"strings"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
)

// OrderFacts are what an order is, for people.
func OrderFacts(o *api.Order) [][2]string {
	return [][2]string{
		{"Order", o.OrderCode + "  " + o.OrderName},
		{"Company", o.CompanyName},
		{"Status", labels.OrderStatus(o.Status).Detail()},
		{"Reason", strings.TrimSpace(TextOf(o.RejectionReason) + " " + TextOf(o.ArchiveReason))},
		{"Placed", columns.Moment(o.CreatedAt)},
		{"Wanted", columns.Moment(o.StartDate) + " to " + columns.Moment(o.Deadline)},
		{"Area", AreaOf(o.AreaSize)},
		{"Sensors", labels.List(o.Sensors, labels.Sensor)},
		{"Deliverables", labels.List(o.Deliverables, labels.Deliverable)},
		{"Objective", labels.Objective(o.MissionObjective).Label},
		{"Asset type", labels.AssetType(o.IndustryAssetType).Label},
	}
}
