package labels

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strings"

	"flightdesk/api"
	"flightdesk/tui/format"
)

// unknown follows values that are not known here: they are shown unchanged.
const unknown = "?"

// WireWord is a value of the wire in words.
type WireWord struct {
	Label       string // short: LiDAR
	Description string // a sentence for the help line
}

// words are the values of the wire that are no statuses, of all kinds.
var words = map[string]WireWord{
	"singleLocation": {"Single site", "exactly one mission"},
	"multiLocation":  {"Multiple sites", "one mission or more"},

	"area":   {"Area", "polygon to cover"},
	"linear": {"Line", "route to follow"},
	"asset":  {"Asset", "points to inspect"},

	"rgbSensor":           {"RGB camera", "natural colour"},
	"thermalSensor":       {"Thermal", "surface temperature"},
	"multispectralSensor": {"Multispectral", "a few bands, for plants"},
	"hyperspectralSensor": {"Hyperspectral", "many narrow bands, for materials"},
	"lidarSensor":         {"LiDAR", "laser ranging"},
	"groundCapture":       {"Ground capture", "from the ground"},

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

	"mapAndSurvey":     {"Map and survey", "measure a place"},
	"assetInspection":  {"Asset inspection", "find damage"},
	"siteProgress":     {"Site progress", "track changes"},
	"visualsMarketing": {"Marketing visuals", "pictures to show"},

	"telecom":      {"Telecom", "masts and antennas"},
	"solarPanels":  {"Solar panels", "solar farms and roofs"},
	"windTurbines": {"Wind turbines", "towers and blades"},
	"powerLines":   {"Power lines", "lines and pylons"},
	"construction": {"Construction", "building sites"},
	"forest":       {"Forest", "woods and plantations"},
	"agriculture":  {"Agriculture", "fields and orchards"},
	"mining":       {"Mining", "quarries and heaps"},
	"railways": {
		"Railways",
		"tracks and yards",
	},
	"roadsBridges":       {"Roads and bridges", "carriageways and structures"},
	"oilGas":             {"Oil and gas", "plants and pipelines"},
	"ports":              {"Ports", "quays and harbours"},
	"realEstateProperty": {"Real estate", "buildings and plots"},
	"waterManagement":    {"Water management", "levees, dams, rivers"},
	"other":              {"Other", "anything else"},

	"mission.operator_assigned": {"Operator assigned", "an operator was assigned to the mission"},
	"mission.flight_scheduled":  {"Flight scheduled", "a flight date was set or moved"},
	"mission.data_delivered":    {"Data delivered", "a delivery package is ready to download"},
	"mission.completed":         {"Mission completed", "the data was accepted"},

	"active": {"Active", "receives callbacks"},

	"orders:read":    {"orders:read", "read orders, missions and planning"},
	"orders:write":   {"orders:write", "place, cancel, archive and reject orders; decide quotes"},
	"files:read":     {"files:read", "list and download files"},
	"webhooks:read":  {"webhooks:read", "read endpoints and their logs"},
	"webhooks:write": {"webhooks:write", "register and delete endpoints"},

	"read":    {"Read", "read orders, accounts and callbacks"},
	"operate": {"Operate", "also quotes, flights, deliveries, callbacks and datasets"},
	"admin":   {"Admin", "also accounts, keys, operators, the audit trail and test controls"},

	"drop":      {"Dropped", "never sent; all attempts fail"},
	"delay":     {"Delayed", "by the delay, or 5 s"},
	"duplicate": {"Duplicated", "sent twice with the same ID"},
	"reorder":   {"Reordered", "sent after later ones"},
}

// Word says a value of the wire.
func Word[T ~string](v T) WireWord {
	if st, ok := statuses[v]; ok {
		return WireWord{st.Label, st.Description}
	}
	w, ok := words[string(v)]
	switch {
	case ok:
		return w
	case v == "":
		return WireWord{Label: format.None}
	}
	return WireWord{Label: unknown + " " + string(v)}
}

// WordList says values one after the other.
func WordList[T ~string](values []T) string {
	labels := make([]string, len(values))
	for i, v := range values {
		labels[i] = Word(v).Label
	}
	return strings.Join(labels, ", ")
}

// ExplainError says what an error of the service means and what to do about it.
func ExplainError(err error) (what, advice string) {
	if errors.Is(err, api.ErrNoLegacy) {
		return "Quotes and the library need the v2 API.", "Add legacy_base_url to the profile."
	}
	var lost *api.TransportError
	if errors.As(err, &lost) {
		if advice = "Check that the service is running and the address is correct."; lost.Sent &&
			!lost.Timeout() {
			advice = ""
		}
		return asSentence(lost.Reason()), advice
	}
	var e *api.Error
	if !errors.As(err, &e) {
		return asSentence(err.Error()), ""
	}
	return explainRefusal(e)
}

// FaultText returns what went wrong and what to do about it, in a line.
func FaultText(err error) string {
	what, advice := ExplainError(err)
	return strings.TrimSpace(strings.TrimSuffix(what, ".") + ". " + advice)
}

// explainRefusal says what an answer of the service means that is an error.
func explainRefusal(e *api.Error) (what, advice string) {
	switch {
	case e.Status == http.StatusUnauthorized:
		return "API key rejected: " + e.Message, "It may be mistyped, expired or revoked; check the profile's credential."
	case e.Code == api.CodeMissingScope || e.Status == http.StatusForbidden && e.Code == "":
		return "Not permitted: " + e.Message, "Use a key with this scope or another profile."
	case e.Status == http.StatusForbidden:
		return "Not in this account: " + e.Message, "Switch to the account's profile."
	case e.Status == http.StatusAccepted:
		return "The service is still working on it (HTTP 202).", ""
	case e.Foreign:
		what = fmt.Sprintf("Unexpected response: %s (HTTP %d)", e.Message, e.Status)
		return what, "Check base_url; a proxy or login page may have answered."
	case len(e.Fields) > 0:
		return fmt.Sprintf("%s rejected: %s", pluralSuffix(len(e.Fields)), e.Message), ""
	case e.RequestID != "":
		return fmt.Sprintf(
			"%s (HTTP %d)",
			asSentence(e.Message),
			e.Status,
		), "Request ID for support: " + e.RequestID
	default:
		return fmt.Sprintf("%s (HTTP %d)", asSentence(e.Message), e.Status), ""
	}
}

func pluralSuffix(n int) string {
	if n == 1 {
		return "one value"
	}
	return fmt.Sprintf("%d values", n)
}

func asSentence(s string) string {
	return format.CapitalizeFirst(cmp.Or(s, "unexpected error"))
}

// Tone is what a text means; a theme gives each tone one colour everywhere.
type Tone int

// The tones.
const (
	Text       Tone = iota // everything read
	Muted                  // labels, ages, rows that are off, ended states
	Accent                 // focus, keys, links, what is chosen
	Pending                // the service has the ball
	Attention              // the user must decide; warnings
	InProgress             // on its way
	Good                   // done, verified
	Bad                    // failed, refused, late
	Tones                  // their number
)

// DescribeFileFault returns what is wrong with a file or folder, without its path.
func DescribeFileFault(err error) string {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		err = link.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "no such folder"
	}
	return err.Error()
}
