package labels

import (
	"strings"

	"flightdesk/api"
)

// Word is a value of the wire in words.
type Word struct {
	Label       string // short: LiDAR
	Description string // a sentence for the help line
}

var orderTypes = map[api.OrderType]Word{
	api.SingleLocation: {"One site", "exactly one mission"},
	api.MultiLocation:  {"Several sites", "one mission or more"},
}

var missionTypes = map[api.MissionType]Word{
	api.MissionArea:   {"area", "a polygon that is flown over"},
	api.MissionLinear: {"linear", "a line that is followed"},
	api.MissionAsset:  {"asset", "a thing that is flown around"},
}

var sensors = map[api.Sensor]Word{
	"rgbSensor":           {"RGB camera", "photos in natural colour"},
	"thermalSensor":       {"Thermal", "surface temperatures"},
	"multispectralSensor": {"Multispectral", "some bands beyond visible light, for plants"},
	"hyperspectralSensor": {"Hyperspectral", "many narrow bands, for materials"},
	"lidarSensor":         {"LiDAR", "laser distances, through leaves to the ground"},
	"groundCapture":       {"On the ground", "photos taken from the ground"},
}

var deliverables = map[api.Deliverable]Word{
	"jpg":                 {"Photos (jpg)", "the single photos, always included"},
	"_2dMap":              {"2D map", "orthomosaic: one flat picture to scale"},
	"_3dMap":              {"3D map", "terrain and buildings as a 3D map"},
	"_3dModel":            {"3D model", "a textured model of the thing itself"},
	"digitalTerrainModel": {"Terrain model", "heights of the bare ground"},
	"digitalSurfaceModel": {"Surface model", "heights with buildings and trees"},
	"topographicMap":      {"Contours", "topographic map with contour lines"},
	"thermalMap":          {"Thermal map", "surface temperatures as a map"},
	"ndvi":                {"NDVI", "plant health as a map"},
	"multispectral":       {"Multispectral", "the single bands"},
	"hyperspectral":       {"Hyperspectral", "the single narrow bands"},
	"streamedData":        {"Live video", "the flight as streamed footage"},
	"raw":                 {"Raw photos", "unprocessed .dng files"},
	"panoramas":           {"Panoramas", "360 degrees from single points"},
	"LiDAR":               {"LiDAR", "the laser point cloud"},
	"pointCloud":          {"Point cloud", "points computed from photos"},
}

var objectives = map[api.MissionObjective]Word{
	"mapAndSurvey":     {"Map and survey", "measure a place"},
	"assetInspection":  {"Inspect assets", "look for damage"},
	"siteProgress":     {"Site progress", "see what has changed"},
	"visualsMarketing": {"Visuals", "pictures to show"},
}

var assetTypes = map[api.IndustryAssetType]Word{
	"telecom": {"Telecom", "masts and antennas"}, "solarPanels": {"Solar panels", "solar farms and roofs"},
	"windTurbines": {"Wind turbines", "towers and blades"}, "powerLines": {"Power lines", "lines and pylons"},
	"construction": {"Construction", "building sites"}, "forest": {"Forest", "woods and plantations"},
	"agriculture": {"Agriculture", "fields and orchards"}, "mining": {"Mining", "quarries and heaps"},
	"railways": {"Railways", "tracks and yards"}, "roadsBridges": {"Roads, bridges", "carriageways and structures"},
	"oilGas": {"Oil and gas", "plants and pipelines"}, "ports": {"Ports", "quays and harbours"},
	"realEstateProperty": {"Real estate", "buildings and plots"},
	"waterManagement":    {"Water", "levees, dams, rivers"}, "other": {"Other", "anything else"},
}

var events = map[api.EventName]Word{
	api.EventOperatorAssigned: {"operator assigned", "an operator has the mission"},
	api.EventFlightScheduled:  {"flight scheduled", "a flying date was set, or another one"},
	api.EventDataDelivered:    {"data delivered", "a delivery package can be fetched"},
	api.EventMissionCompleted: {"completed", "the mission is done"},
}

// Event says an event.
func Event(e api.EventName) Word { return word(events, e) }

// OrderType says an order type.
func OrderType(t api.OrderType) Word { return word(orderTypes, t) }

// MissionType says a mission type.
func MissionType(t api.MissionType) Word { return word(missionTypes, t) }

// Sensor says a sensor.
func Sensor(s api.Sensor) Word { return word(sensors, s) }

// Deliverable says a deliverable.
func Deliverable(d api.Deliverable) Word { return word(deliverables, d) }

// Objective says a mission objective.
func Objective(o api.MissionObjective) Word { return word(objectives, o) }

// AssetType says an industry asset type.
func AssetType(t api.IndustryAssetType) Word { return word(assetTypes, t) }

func word[K ~string](known map[K]Word, k K) Word {
	if w, ok := known[k]; ok {
		return w
	}
	if k == "" {
		return Word{Label: "–"}
	}
	return Word{Label: string(k)}
}

// List says values one after the other.
func List[T any](values []T, word func(T) Word) string {
	labels := make([]string, len(values))
	for i, v := range values {
		labels[i] = word(v).Label
	}
	return strings.Join(labels, ", ")
}

// Status is how a status is shown: one glyph and one role everywhere.
type Status struct {
	Glyph string
	Role  Tone
	Word  string // the service's own word
	Means string
}

var orderStatuses = map[api.OrderStatus]Status{
	api.OrderBiddingWithQuote: {"◇", Pending, "", "under review, quotes will follow"},
	api.OrderPendingOperator:  {"◌", Pending, "", "no operator yet"},
	api.OrderOperatorAssigned: {"◔", InProgress, "", "operator assigned, no date yet"},
	api.OrderFlyingDateSet:    {"◎", InProgress, "", "flight date set"},
	api.OrderCompleted:        {"●", Good, "", "done, the data is delivered"},
	api.OrderNotFeasible:      {"△", Bad, "", "cannot be captured as asked"},
	api.OrderCancelled:        {"⊖", Muted, "", "cancelled by the client"},
	api.OrderRejected:         {"✗", Bad, "", "rejected, with a reason"},
	api.OrderArchived:         {"□", Muted, "", "put away"},
	api.OrderDeleted:          {"⊗", Muted, "", "deleted by an admin"},
}

var missionStatuses = map[api.MissionStatus]Status{
	api.MissionAwaitingPilot:   {"◌", Pending, "", "no operator yet"},
	api.MissionPilotAssigned:   {"◔", InProgress, "", "operator assigned, no date yet"},
	api.MissionFlightScheduled: {"◎", InProgress, "", "flight date set"},
	api.MissionDataDelivered:   {"◕", Good, "", "data to fetch and accept"},
	api.MissionCompleted:       {"●", Good, "", "done"},
	api.MissionCancelled:       {"⊖", Muted, "", "cancelled"},
}

var schedules = map[api.SchedulingStatus]Status{
	api.ScheduleProposed:    {"◌", Pending, "", "a date that is not agreed on"},
	api.ScheduleConfirmed:   {"◎", InProgress, "", "the date is agreed on"},
	api.ScheduleRescheduled: {"◔", Attention, "", "another date than before"},
	api.ScheduleCancelled:   {"⊖", Muted, "", "the date was taken away"},
}

var permissions = map[api.PermissionStatus]Status{
	api.PermissionNotRequired: {"–", Muted, "", "nobody needs to permit the flight"},
	api.PermissionPending:     {"◇", Pending, "", "asked for, not answered"},
	api.PermissionGranted:     {"✓", Good, "", "the flight is permitted"},
	api.PermissionRefused:     {"✗", Bad, "", "the flight is not permitted"},
}

// OrderStatus tells how an order's status is shown.
func OrderStatus(s api.OrderStatus) Status { return status(orderStatuses, s) }

// OrderState tells how an order's status is shown where it may be known that
// its quotes are to be decided, which the status does not say.
func OrderState(s api.OrderStatus, quoted bool) Status {
	st := OrderStatus(s)
	if quoted && s == api.OrderBiddingWithQuote {
		st.Glyph, st.Role, st.Means = "◆", Attention, "quotes to decide"
	}
	return st
}

// MissionStatus tells how a mission's status is shown.
func MissionStatus(s api.MissionStatus) Status { return status(missionStatuses, s) }

// Schedule tells how the status of a planning entry is shown.
func Schedule(s api.SchedulingStatus) Status { return status(schedules, s) }

// Permission tells how the status of a flight permission is shown.
func Permission(s api.PermissionStatus) Status { return status(permissions, s) }

func status[K ~string](known map[K]Status, k K) Status {
	st, ok := known[k]
	if !ok {
		st = Status{Glyph: "?", Role: Text, Means: "as sent, not known here"}
	}
	st.Word = string(k)
	return st
}
