package api

// OrderType says whether an order surveys one place or several.
type OrderType string

// The accepted order types.
const (
	SingleLocation OrderType = "singleLocation" // exactly one mission
	MultiLocation  OrderType = "multiLocation"  // one mission or more
)

// MissionType is the kind of geometry of a mission's location.
type MissionType string

// The accepted mission types.
const (
	MissionArea   MissionType = "area"   // a polygon of 3 points or more
	MissionLinear MissionType = "linear" // a line of 2 points or more
	MissionAsset  MissionType = "asset"  // one point or several
)

// MinPoints returns the minimum number of points in the locationMap of a mission of the type,
// 1 for unknown types.
func (t MissionType) MinPoints() int {
	switch t {
	case MissionArea:
		return 3
	case MissionLinear:
		return 2
	default:
		return 1
	}
}

// Sensor is an instrument that an order asks for.
type Sensor string

// The accepted sensors.
const (
	SensorRGB           Sensor = "rgbSensor"
	SensorThermal       Sensor = "thermalSensor"
	SensorMultispectral Sensor = "multispectralSensor"
	SensorHyperspectral Sensor = "hyperspectralSensor"
	SensorLidar         Sensor = "lidarSensor"
	SensorGroundCapture Sensor = "groundCapture"
)

// Deliverable is a product that an order asks for.
type Deliverable string

// The accepted deliverables.
const (
	DeliverableJPG            Deliverable = "jpg" // always part of an order
	Deliverable2DMap          Deliverable = "_2dMap"
	Deliverable3DMap          Deliverable = "_3dMap"
	Deliverable3DModel        Deliverable = "_3dModel"
	DeliverableTerrainModel   Deliverable = "digitalTerrainModel"
	DeliverableSurfaceModel   Deliverable = "digitalSurfaceModel"
	DeliverableTopographicMap Deliverable = "topographicMap"
	DeliverableThermalMap     Deliverable = "thermalMap"
	DeliverableNDVI           Deliverable = "ndvi"
	DeliverableMultispectral  Deliverable = "multispectral"
	DeliverableHyperspectral  Deliverable = "hyperspectral"
	DeliverableStreamedData   Deliverable = "streamedData"
	DeliverableRaw            Deliverable = "raw"
	DeliverablePanoramas      Deliverable = "panoramas"
	DeliverableLiDAR          Deliverable = "LiDAR"
	DeliverablePointCloud     Deliverable = "pointCloud"
)

// DeliverableElevationMap is the v2 API's name of [DeliverableTopographicMap]. It can be
// delivered and used as a filter, but not ordered.
const DeliverableElevationMap Deliverable = "elevationMap"

// IsSameProduct reports whether two names mean the same product: they are equal, or both are
// elevation or topographic maps.
func (d Deliverable) IsSameProduct(other Deliverable) bool {
	return d == other || d.isElevationMap() && other.isElevationMap()
}

func (d Deliverable) isElevationMap() bool {
	return d == DeliverableElevationMap || d == DeliverableTopographicMap
}

// MissionObjective is the purpose of a survey.
type MissionObjective string

// The accepted objectives.
const (
	ObjectiveMapAndSurvey     MissionObjective = "mapAndSurvey"
	ObjectiveAssetInspection  MissionObjective = "assetInspection"
	ObjectiveSiteProgress     MissionObjective = "siteProgress"
	ObjectiveVisualsMarketing MissionObjective = "visualsMarketing"
)

// IndustryAssetType is the kind of asset that is surveyed.
type IndustryAssetType string

// The accepted asset types.
const (
	AssetTelecom         IndustryAssetType = "telecom"
	AssetSolarPanels     IndustryAssetType = "solarPanels"
	AssetWindTurbines    IndustryAssetType = "windTurbines"
	AssetPowerLines      IndustryAssetType = "powerLines"
	AssetConstruction    IndustryAssetType = "construction"
	AssetForest          IndustryAssetType = "forest"
	AssetAgriculture     IndustryAssetType = "agriculture"
	AssetMining          IndustryAssetType = "mining"
	AssetRailways        IndustryAssetType = "railways"
	AssetRoadsBridges    IndustryAssetType = "roadsBridges"
	AssetOilGas          IndustryAssetType = "oilGas"
	AssetPorts           IndustryAssetType = "ports"
	AssetRealEstate      IndustryAssetType = "realEstateProperty"
	AssetWaterManagement IndustryAssetType = "waterManagement"
	AssetOther           IndustryAssetType = "other"
)

// OrderTypes lists the accepted order types.
func OrderTypes() []OrderType { return []OrderType{SingleLocation, MultiLocation} }

// MissionTypes lists the accepted mission types.
func MissionTypes() []MissionType { return []MissionType{MissionArea, MissionLinear, MissionAsset} }

// Sensors lists the accepted sensors.
func Sensors() []Sensor {
	return []Sensor{
		SensorRGB,
		SensorThermal,
		SensorMultispectral,
		SensorHyperspectral,
		SensorLidar,
		SensorGroundCapture,
	}
}

// Deliverables lists the accepted deliverables.
func Deliverables() []Deliverable {
	return []Deliverable{
		DeliverableJPG,
		Deliverable2DMap,
		Deliverable3DMap,
		Deliverable3DModel,
		DeliverableTerrainModel,
		DeliverableSurfaceModel,
		DeliverableTopographicMap,
		DeliverableThermalMap,
		DeliverableNDVI,
		DeliverableMultispectral,
		DeliverableHyperspectral,
		DeliverableStreamedData,
		DeliverableRaw,
		DeliverablePanoramas,
		DeliverableLiDAR,
		DeliverablePointCloud,
	}
}

// MissionObjectives lists the accepted objectives.
func MissionObjectives() []MissionObjective {
	return []MissionObjective{
		ObjectiveMapAndSurvey,
		ObjectiveAssetInspection,
		ObjectiveSiteProgress,
		ObjectiveVisualsMarketing,
	}
}

// IndustryAssetTypes lists the accepted asset types.
func IndustryAssetTypes() []IndustryAssetType {
	return []IndustryAssetType{
		AssetTelecom,
		AssetSolarPanels,
		AssetWindTurbines,
		AssetPowerLines,
		AssetConstruction,
		AssetForest,
		AssetAgriculture,
		AssetMining,
		AssetRailways,
		AssetRoadsBridges,
		AssetOilGas,
		AssetPorts,
		AssetRealEstate,
		AssetWaterManagement,
		AssetOther,
	}
}

// OrderStatus is the state of an order. The service can send values outside the list, which
// should be shown unchanged.
type OrderStatus string

// The known order statuses.
const (
	OrderBiddingWithQuote OrderStatus = "biddingWithQuote" // until a quote is accepted
	OrderPendingOperator  OrderStatus = "pendingOperator"
	OrderOperatorAssigned OrderStatus = "operatorAssigned"
	OrderFlyingDateSet    OrderStatus = "flyingDateSet"
	OrderCompleted        OrderStatus = "completed"
	OrderNotFeasible      OrderStatus = "orderNotFeasible"
	OrderCancelled        OrderStatus = "cancelled"
	OrderRejected         OrderStatus = "rejected"
	OrderArchived         OrderStatus = "archived"
	OrderDeleted          OrderStatus = "deleted"
)

// OrderStatuses lists the known order statuses in chronological order.
func OrderStatuses() []OrderStatus {
	return []OrderStatus{
		OrderBiddingWithQuote, OrderPendingOperator, OrderOperatorAssigned, OrderFlyingDateSet, OrderCompleted,
		OrderNotFeasible, OrderCancelled, OrderRejected, OrderArchived, OrderDeleted,
	}
}

// MissionStatus is the state of a mission. Like an [OrderStatus], it can have unknown values.
type MissionStatus string

// The known mission statuses.
const (
	MissionAwaitingPilot   MissionStatus = "awaitingPilot"
	MissionPilotAssigned   MissionStatus = "pilotAssigned"
	MissionFlightScheduled MissionStatus = "flightScheduled"
	MissionDataDelivered   MissionStatus = "dataDelivered"
	MissionCompleted       MissionStatus = "completed"
	MissionCancelled       MissionStatus = "cancelled"
)

// MissionStatuses lists the known mission statuses in chronological order.
func MissionStatuses() []MissionStatus {
	return []MissionStatus{
		MissionAwaitingPilot, MissionPilotAssigned, MissionFlightScheduled, MissionDataDelivered,
		MissionCompleted, MissionCancelled,
	}
}

// Scope is a permission of an API key.
type Scope string

// The scopes.
const (
	ScopeOrdersRead    Scope = "orders:read"
	ScopeOrdersWrite   Scope = "orders:write"
	ScopeFilesRead     Scope = "files:read"
	ScopeWebhooksRead  Scope = "webhooks:read"
	ScopeWebhooksWrite Scope = "webhooks:write"
)

// Scopes lists all scopes.
func Scopes() []Scope {
	return []Scope{ScopeOrdersRead, ScopeOrdersWrite, ScopeFilesRead, ScopeWebhooksRead, ScopeWebhooksWrite}
}

// Direction is the direction in which a list continues from its cursor.
type Direction string

// The directions. Pages are sorted newest first in both.
const (
	Next Direction = "next" // towards older items, the default
	Prev Direction = "prev" // towards newer items
)

// SchedulingStatus is the state of one version of a mission's schedule. Like an [OrderStatus],
// it can have unknown values.
type SchedulingStatus string

// The known scheduling statuses.
const (
	ScheduleProposed    SchedulingStatus = "proposed"
	ScheduleConfirmed   SchedulingStatus = "confirmed"
	ScheduleRescheduled SchedulingStatus = "rescheduled"
	ScheduleCancelled   SchedulingStatus = "cancelled"
)

// SchedulingStatuses lists the known scheduling statuses.
func SchedulingStatuses() []SchedulingStatus {
	return []SchedulingStatus{ScheduleProposed, ScheduleConfirmed, ScheduleRescheduled, ScheduleCancelled}
}

// PermissionStatus is the state of a flight permission. Like an [OrderStatus], it can have
// unknown values.
type PermissionStatus string

// The known statuses of a flight permission.
const (
	PermissionNotRequired PermissionStatus = "notRequired"
	PermissionPending     PermissionStatus = "pending"
	PermissionGranted     PermissionStatus = "granted"
	PermissionRefused     PermissionStatus = "refused"
)

// PermissionStatuses lists the known statuses of a flight permission.
func PermissionStatuses() []PermissionStatus {
	return []PermissionStatus{PermissionNotRequired, PermissionPending, PermissionGranted, PermissionRefused}
}

// DeliveryStatus is the state of a delivery package or file. Like an [OrderStatus], it can have
// unknown values.
type DeliveryStatus string

// The known statuses of packages and files.
const (
	DeliveryDelivered DeliveryStatus = "delivered"
	DeliveryAccepted  DeliveryStatus = "accepted"
)

// DeliveryStatuses lists the known statuses of packages and files.
func DeliveryStatuses() []DeliveryStatus {
	return []DeliveryStatus{DeliveryDelivered, DeliveryAccepted}
}
