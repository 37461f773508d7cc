package api

// EventName says what an event reports. Values outside the list may arrive and
// are to be shown as sent.
type EventName string

// The known events. Each reports that a mission has reached a milestone.
const (
	EventOperatorAssigned EventName = "mission.operator_assigned"
	EventFlightScheduled  EventName = "mission.flight_scheduled"
	EventDataDelivered    EventName = "mission.data_delivered"
	EventMissionCompleted EventName = "mission.completed"
)

// EventNames lists the known events in the order of a mission's life.
func EventNames() []EventName {
	return []EventName{EventOperatorAssigned, EventFlightScheduled, EventDataDelivered, EventMissionCompleted}
}

// Event is the body of a callback.
type Event struct {
	ID        string       `json:"id"` // of the delivery, the same in every try
	Event     EventName    `json:"event"`
	Timestamp Time         `json:"timestamp"`
	Data      EventData    `json:"data"`
	Extra     ExtraMembers `json:",embed"`
}

// EventData is what an event is about.
type EventData struct {
	Mission EventMission `json:"mission"`
	Extra   ExtraMembers `json:",embed"`
}

// EventMission is a mission as it stood when the event was written. Events may
// arrive in another order; Status says how far the mission is.
type EventMission struct {
	UUID        string        `json:"uuid"`
	MissionCode string        `json:"missionCode"` // MSN- and digits
	Status      MissionStatus `json:"status"`
	OrderUID    string        `json:"orderUid"`
	OrderCode   string        `json:"orderCode"` // ORD- and digits
	Extra       ExtraMembers  `json:",embed"`
}
