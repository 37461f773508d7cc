package labels

import (
	"strings"

	"flightdesk/api"
	"flightdesk/tui/format"
)

// unknown follows values that are not known here: they are shown unchanged.
const unknown = "?"

// Word is a value of the wire in words.
type Word struct {
	Label       string // short: LiDAR
	Description string // a sentence for the help line
}

var orderTypes = map[api.OrderType]Word{
	api.SingleLocation: {"Single site", "exactly one mission"},
	api.MultiLocation:  {"Multiple sites", "one mission or more"},
}

var missionTypes = map[api.MissionType]Word{
	api.MissionArea:   {"Area", "polygon to cover"},
	api.MissionLinear: {"Line", "route to follow"},
	api.MissionAsset:  {"Asset", "points to inspect"},
}

var sensors = map[api.Sensor]Word{
	"rgbSensor":           {"RGB camera", "natural colour"},
	"thermalSensor":       {"Thermal", "surface temperature"},
	"multispectralSensor": {"Multispectral", "a few bands, for plants"},
	"hyperspectralSensor": {"Hyperspectral", "many narrow bands, for materials"},
	"lidarSensor":         {"LiDAR", "laser ranging"},
	"groundCapture":       {"Ground capture", "from the ground"},
}

var deliverables = map[api.Deliverable]Word{
	"jpg":                 {"Photos (JPEG)", "always included"},
	"_2dMap":              {"2D map", "orthomosaic"},
	"_3dMap":              {"3D map", "3D model or point cloud"},
	"_3dModel":            {"3D model", "textured model"},
	"digitalTerrainModel": {"Terrain (DTM)", "bare ground"},
	"digitalSurfaceModel": {"Surface (DSM)", "with buildings and trees"},
	"topographicMap":      {"Topographic map", "contour lines"},
	"elevationMap":        {"Elevation map", "contour values"},
	"thermalMap":          {"Thermal map", "surface temperature as a map"},
	"ndvi":                {"NDVI", "plant health"},
	"multispectral":       {"Multispectral", "separate bands"},
	"hyperspectral":       {"Hyperspectral", "separate bands"},
	"streamedData":        {"Live video", "streamed during the flight"},
	"raw":                 {"Raw photos (DNG)", "unprocessed photos"},
	"panoramas":           {"360° panoramas", "360° views from fixed points"},
	"LiDAR":               {"LiDAR points", "laser point cloud"},
	"pointCloud":          {"Point cloud", "from photos"},
}

var objectives = map[api.MissionObjective]Word{
	"mapAndSurvey":     {"Map and survey", "measure a place"},
	"assetInspection":  {"Asset inspection", "find damage"},
	"siteProgress":     {"Site progress", "track changes"},
	"visualsMarketing": {"Marketing visuals", "pictures to show"},
}

var assetTypes = map[api.IndustryAssetType]Word{
	"telecom": {"Telecom", "masts and antennas"}, "solarPanels": {"Solar panels", "solar farms and roofs"},
	"windTurbines": {"Wind turbines", "towers and blades"}, "powerLines": {"Power lines", "lines and pylons"},
	"construction": {"Construction", "building sites"}, "forest": {"Forest", "woods and plantations"},
	"agriculture": {"Agriculture", "fields and orchards"}, "mining": {"Mining", "quarries and heaps"},
	"railways": {"Railways", "tracks and yards"}, "roadsBridges": {"Roads and bridges", "carriageways and structures"},
	"oilGas": {"Oil and gas", "plants and pipelines"}, "ports": {"Ports", "quays and harbours"},
	"realEstateProperty": {"Real estate", "buildings and plots"},
	"waterManagement":    {"Water management", "levees, dams, rivers"}, "other": {"Other", "anything else"},
}

var events = map[api.EventName]Word{
	api.EventOperatorAssigned: {"Operator assigned", "an operator was assigned to the mission"},
	api.EventFlightScheduled:  {"Flight scheduled", "a flight date was set or moved"},
	api.EventDataDelivered:    {"Data delivered", "a delivery package is ready to download"},
	api.EventMissionCompleted: {"Mission completed", "the data was accepted"},
}

var endpointStatuses = map[string]Word{"active": {"Active", "receives callbacks"}}

// Endpoint says the status of a webhook endpoint.
func Endpoint(status string) Word { return word(endpointStatuses, status) }

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
		return Word{Label: format.None}
	}
	return Word{Label: unknown + " " + string(k)}
}

// List says values one after the other.
func List[T any](values []T, word func(T) Word) string {
	labels := make([]string, len(values))
	for i, v := range values {
		labels[i] = word(v).Label
	}
	return strings.Join(labels, ", ")
}
