package api

import "encoding/json"

// ExtraMembers has the members of a record that this package does not know, unchanged. It also has the members that
// could not be decoded; their fields are empty. [IsUnread] reports whether a member is one of these. Encoding the
// record writes all of them.
type ExtraMembers = map[string]json.RawMessage

// Point is a position in WGS 84, in degrees.
type Point struct {
	Lat float64 `json:"lat" check:"required,lat"`
	Lng float64 `json:"lng" check:"required,lng"`
}

// OrderInput is the order of a create request; all fields are required.
type OrderInput struct {
	CompanyName       string            `json:"companyName" check:"required,name"`
	OrderName         string            `json:"orderName" check:"required,name"`
	OrderType         OrderType         `json:"orderType" check:"required"`
	Sensors           []Sensor          `json:"sensors" check:"required"`      // at least one
	Deliverables      []Deliverable     `json:"deliverables" check:"required"` // jpg is added by the service
	MissionObjective  MissionObjective  `json:"missionObjective" check:"required"`
	IndustryAssetType IndustryAssetType `json:"industryAssetType" check:"required"`
	StartDate         Time              `json:"startDate" check:"required"`
	Deadline          Time              `json:"deadline" check:"required"` // not before StartDate
}

// MissionInput is one mission of a create request; all fields are required.
type MissionInput struct {
	MissionName   string      `json:"missionName" check:"required,name"`
	MissionType   MissionType `json:"missionType" check:"required"`
	Country       string      `json:"country" check:"required,name"`
	LocationLabel string      `json:"locationLabel" check:"required,name"`
	AreaSize      float64     `json:"areaSize" check:"required,area"` // square metres, 0 or more
	LocationMap   []Point     `json:"locationMap" check:"required"`   // see [MissionType.MinPoints] and [MaxPoints]
}

// CreateOrderRequest is the body that places an order.
type CreateOrderRequest struct {
	Order    OrderInput     `json:"order"`
	Missions []MissionInput `json:"missions"` // 1 to [MaxMissions]
}

// Order is an order of the public API. A single order has Missions; an order in a list has
// MissionCount instead.
type Order struct {
	UUID              string            `json:"uuid"`
	OrderCode         string            `json:"orderCode"` // ORD- and digits
	OrderName         string            `json:"orderName"`
	Status            OrderStatus       `json:"status"`
	OrderType         OrderType         `json:"orderType"`
	StartDate         Time              `json:"startDate"`
	Deadline          Time              `json:"deadline"`
	CreatedAt         Time              `json:"createdAt"`
	UpdatedAt         Time              `json:"updatedAt"`
	CompanyName       string            `json:"companyName"`
	Sensors           []Sensor          `json:"sensors"`
	Deliverables      []Deliverable     `json:"deliverables"`
	MissionObjective  MissionObjective  `json:"missionObjective"`
	IndustryAssetType IndustryAssetType `json:"industryAssetType"`
	AreaSize          *float64          `json:"areaSize"` // square metres, of all missions
	RejectionReason   *string           `json:"rejectionReason"`
	ArchiveReason     *string           `json:"archiveReason"`
	MissionCount      *int              `json:"missionCount,omitzero"`
	Missions          []Mission         `json:"missions,omitzero"`
	Extra             ExtraMembers      `json:",embed"`
}

// Mission is one location to survey, in the public API.
type Mission struct {
	UUID          string        `json:"uuid"`
	MissionCode   string        `json:"missionCode"` // MSN- and digits
	Status        MissionStatus `json:"status"`
	OrderUID      string        `json:"orderUid"`
	OrderCode     string        `json:"orderCode"`
	MissionName   string        `json:"missionName"`
	MissionType   MissionType   `json:"missionType"`
	Country       string        `json:"country"`
	City          *string       `json:"city"` // suggested by the service
	LocationLabel string        `json:"locationLabel"`
	AreaSize      *float64      `json:"areaSize"` // square metres
	LocationMap   []Point       `json:"locationMap"`
	OperatorName  *string       `json:"operatorName"`
	FlightDate    Time          `json:"flightDate"`
	CreatedAt     Time          `json:"createdAt"`
	UpdatedAt     Time          `json:"updatedAt"`
	Extra         ExtraMembers  `json:",embed"`
}

// Placemark is one location in a parsed survey file.
type Placemark struct {
	LocationLabel string       `json:"locationLabel"`
	Country       string       `json:"country"`
	City          string       `json:"city"`
	LocationMap   []Point      `json:"locationMap"`
	Extra         ExtraMembers `json:",embed"`
}

// ParseResult is the result of parsing a survey file at the service.
type ParseResult struct {
	Placemarks []Placemark `json:"placemarks"`
	Message    string      `json:"-"` // which locations were skipped, and why
}

// CSVTemplate is an example of a CSV file that the service can parse.
type CSVTemplate struct {
	FileName    string `json:"fileName"`
	ContentType string `json:"contentType"`
	Content     string `json:"content"` // text of the file
}
