package columns

import (
	"slices"
	"strings"

	"flightdesk/api"
	"flightdesk/tui/format"
)

// OrderSize returns the number of an order's missions, their area, the length of the lines to fly, and the number of
// sites that are points, or "" if all are unknown. Points are left out if all sites are points.
func OrderSize(o *api.Order, units format.Units) string {
	missions := max(len(o.Missions), format.ValueOf(o.MissionCount))
	length := 0.0
	assets := 0
	for i := range o.Missions {
		length += LineLength(&o.Missions[i])
		if o.Missions[i].MissionType == api.MissionAsset && len(o.Missions[i].LocationMap) == 1 {
			assets++
		}
	}
	var parts []string
	if missions > 0 {
		parts = append(parts, format.Count(missions, "mission"))
	}
	if format.ValueOf(o.AreaSize) > 0 {
		parts = append(parts, units.Area(*o.AreaSize))
	}
	if length > 0 {
		parts = append(parts, format.Length(length))
	}
	if assets > 0 && assets < len(o.Missions) {
		parts = append(parts, format.Count(assets, "point"))
	}
	return strings.Join(parts, " · ")
}

// Products returns the labels of an order's products, or "" if they are unknown. Photos are first: they are always
// included, although the v2 API does not list them.
func Products(products []api.Deliverable) string {
	if len(products) == 0 {
		return ""
	}
	others := slices.DeleteFunc(slices.Clone(products), func(product api.Deliverable) bool {
		return product == api.DeliverableJPG
	})
	return format.WordList(append([]api.Deliverable{api.DeliverableJPG}, others...))
}

// NotAccepted returns how many missions have delivered data that is not accepted yet, such as "2 deliveries not accepted
// yet", or "" if none has. An order is completed although the service has not recorded the acceptance of its data.
func NotAccepted(missions []api.Mission) string {
	count := 0
	for i := range missions {
		if missions[i].Status == api.MissionDataDelivered {
			count++
		}
	}
	if count == 0 {
		return ""
	}
	return format.Count(count, "delivery", "deliveries") + " not accepted yet"
}
