package webhooks

import (
	"cmp"
	"slices"
	"time"

	"flightdesk/api"
)

// FeedRow is an event in its place.
type FeedRow struct {
	ReceivedEvent
	Late bool // its mission was further already when it came
}

// InFeedOrder puts the events where they belong: the mission that something came of
// last stands first, and the events of each mission by how far it was, the
// furthest first, in whatever order they came.
func InFeedOrder(heard []ReceivedEvent) []FeedRow {
	type mission struct {
		last     time.Time
		furthest int
	}
	missions := map[string]*mission{}
	rows := make([]FeedRow, len(heard))
	for i, h := range heard { // in the order in which they came
		id, rank := h.Event.Data.Mission.UUID, statusRank(h.Event.Data.Mission.Status)
		m := missions[id]
		if m == nil {
			m = &mission{furthest: -1}
			missions[id] = m
		}
		rows[i] = FeedRow{h, rank >= 0 && rank < m.furthest}
		m.furthest = max(m.furthest, rank)
		if h.At.After(m.last) {
			m.last = h.At
		}
	}
	slices.SortStableFunc(rows, func(a, b FeedRow) int {
		x, y := &a.Event.Data.Mission, &b.Event.Data.Mission
		if x.UUID != y.UUID {
			return cmp.Or(missions[y.UUID].last.Compare(missions[x.UUID].last), cmp.Compare(x.UUID, y.UUID))
		}
		return cmp.Or(statusRank(y.Status)-statusRank(x.Status), b.Event.Timestamp.Compare(a.Event.Timestamp.Time))
	})
	return rows
}

// statusRank returns how far a status is; one that is not known is before all.
func statusRank(s api.MissionStatus) int { return slices.Index(api.MissionStatuses(), s) }
