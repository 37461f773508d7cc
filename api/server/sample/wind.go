package sample

import (
	"flightdesk/api"
	"flightdesk/api/server/store"
)

// windFarms is an operator of wind farms on four continents: few sites, many
// masts, inspections that come back every year.
func windFarms() account {
	return account{
		Account: store.Account{
			UUID: "01890c3a-7c00-7a11-8e4d-5b1f60c2d901", CompanyName: "Nordlicht Windkraft GmbH",
			ClientName: "Käthe Brüggemann", ClientEmail: "kaethe.brueggemann@nordlicht-windkraft.example", Currency: "EUR",
		},
		orders: windOrders,
	}
}

var windOrders = []order{
	{
		name: "Reußenköge: Rotorblätter vor dem Winter", status: api.OrderBiddingWithQuote, daysAgo: 0.15,
		startIn: 9, days: 12, objective: "assetInspection", asset: "windTurbines",
		sensors: []api.Sensor{"rgbSensor", "thermalSensor"}, deliverables: []api.Deliverable{"jpg", "thermalMap"},
		sites: []site{
			{"Reihe Nord, WEA 1–6", "Windpark Reußenköge Nord", "Germany", "Bredstedt", row{54.6275, 8.8420, 6, 410, -35}},
			{"Reihe Süd, WEA 7–12", "Windpark Reußenköge Süd", "Germany", "Bredstedt", row{54.6130, 8.8460, 6, 405, -30}},
		},
	},
	{
		name: "苫前 blade inspection after the typhoon", status: api.OrderBiddingWithQuote, daysAgo: 1.3,
		startIn: 5, days: 8, objective: "assetInspection", asset: "windTurbines",
		sensors: []api.Sensor{"rgbSensor", "thermalSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "_3dModel", "LiDAR"},
		sites: []site{
			{"苫前 ridge, turbines 1–9", "苫前グリーンヒル", "Japan", "苫前町", row{44.2870, 141.6610, 9, 60, 290}},
		},
	},
	{
		name: "Alpha Ventus yearly inspection", status: api.OrderPendingOperator, daysAgo: 6.4,
		startIn: 14, days: 21, objective: "assetInspection", asset: "windTurbines",
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg", "raw"},
		sites: []site{
			{"AV1–AV6", "Alpha Ventus, northern half", "Germany", "", row{54.0270, 6.5870, 6, 720, -60}},
			{"AV7–AV12", "Alpha Ventus, southern half", "Germany", "", row{54.0040, 6.5890, 6, 715, -55}},
			{"Substation", "Alpha Ventus offshore substation", "Germany", "", masts{{Lat: 53.9967, Lng: 6.6240}}},
		},
	},
	{
		name: "Smøla access roads", status: api.OrderOperatorAssigned, daysAgo: 11.2,
		startIn: 10, days: 20, objective: "mapAndSurvey", asset: "roadsBridges", ahead: 1,
		sensors: []api.Sensor{"rgbSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "digitalTerrainModel"},
		sites: []site{
			{"Main road", "Smøla vindpark, adkomstvei", "Norway", "Smøla", corridor{30, []api.Point{
				{Lat: 63.3985, Lng: 7.9560},
				{Lat: 63.4031, Lng: 7.9412},
				{Lat: 63.4078, Lng: 7.9301},
				{Lat: 63.4125, Lng: 7.9188},
				{Lat: 63.4190, Lng: 7.9120},
			}}},
			{"Northern spur", "Smøla vindpark, nordre arm", "Norway", "Smøla", corridor{30, []api.Point{
				{Lat: 63.4125, Lng: 7.9188}, {Lat: 63.4172, Lng: 7.9315}, {Lat: 63.4221, Lng: 7.9402},
			}}},
		},
	},
	{
		name: "Lake Turkana: erosion around the foundations", status: api.OrderFlyingDateSet, daysAgo: 17.8,
		startIn: 12, days: 25, objective: "mapAndSurvey", asset: "windTurbines", ahead: 1,
		sensors: []api.Sensor{"rgbSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "digitalSurfaceModel", "pointCloud"},
		sites: []site{
			{"Block A", "Lake Turkana Wind Power, block A", "Kenya", "Loiyangalani", plot{2.4960, 36.8130, 2400, 900, 18}},
			{"Block B", "Lake Turkana Wind Power, block B", "Kenya", "Loiyangalani", plot{2.5130, 36.8290, 2200, 850, 18}},
		},
	},
	{
		name: "Tarfaya substation and lines", status: api.OrderCompleted, daysAgo: 44,
		startIn: 8, days: 14, objective: "assetInspection", asset: "powerLines", ahead: 2,
		sensors: []api.Sensor{"thermalSensor", "rgbSensor"}, deliverables: []api.Deliverable{"jpg", "thermalMap", "_3dModel"},
		sites: []site{
			{"Line to the coast road", "Parc éolien de Tarfaya, ligne 225 kV", "Morocco", "Tarfaya", corridor{50, []api.Point{
				{Lat: 27.8470, Lng: -12.8680}, {Lat: 27.8612, Lng: -12.8571}, {Lat: 27.8760, Lng: -12.8466}, {Lat: 27.8902, Lng: -12.8350},
			}}},
			{"Substation", "Poste de Tarfaya", "Morocco", "Tarfaya", plot{27.8460, -12.8690, 260, 190, 35}},
		},
	},
	{
		name: "Macarthur lightning damage", status: api.OrderCompleted, daysAgo: 63,
		startIn: 3, days: 7, objective: "assetInspection", asset: "windTurbines",
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg"},
		sites: []site{
			{"Turbines 41–45", "Macarthur Wind Farm, western row", "Australia", "Macarthur", row{-38.0520, 142.1530, 5, -40, 430}},
		},
	},
	{
		name: "Middelgrunden publicity film", status: api.OrderCancelled, daysAgo: 71,
		startIn: 20, days: 5, objective: "visualsMarketing", asset: "windTurbines",
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg", "panoramas"},
		sites: []site{
			{"The arc of twenty", "Middelgrunden", "Denmark", "København", row{55.7040, 12.6640, 10, 22, -178}},
		},
	},
	{
		name: "Holtriem repowering survey", status: api.OrderArchived, before: api.OrderCompleted,
		reason: "superseded by the survey of this spring", daysAgo: 210, startIn: 10, days: 18,
		objective: "siteProgress", asset: "windTurbines",
		sensors: []api.Sensor{"rgbSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "digitalSurfaceModel"},
		sites: []site{
			{"Baufeld Westerholt", "Windpark Holtriem", "Germany", "Westerholt", plot{53.6070, 7.4290, 1700, 1100, -12}},
		},
	},
}
