package run

import (
	"strings"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
)

// OrderFacts returns what an order is, for people.
func OrderFacts(o *api.Order) [][2]string {
	return [][2]string{
		{"Order", o.OrderCode + "  " + o.OrderName},
		{"Company", o.CompanyName},
		{"Status", labels.OrderStatus(o.Status).DetailText()},
		{"Reason", strings.TrimSpace(TextOf(o.RejectionReason) + " " + TextOf(o.ArchiveReason))},
		{"Placed", columns.FormatMoment(o.CreatedAt)},
		{"Wanted", columns.FormatMoment(o.StartDate) + " to " + columns.FormatMoment(o.Deadline)},
		{"Area", AreaOf(o.AreaSize)},
		{"Sensors", labels.WordList(o.Sensors, labels.SensorWord)},
		{"Deliverables", labels.WordList(o.Deliverables, labels.DeliverableWord)},
		{"Objective", labels.ObjectiveWord(o.MissionObjective).Label},
		{"Asset type", labels.AssetType(o.IndustryAssetType).Label},
	}
}
