package demodata

import (
	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// windFarms returns an operator of wind farms on four continents: few sites, many
// masts, inspections that come back every year.
func windFarms() demoAccount {
	return demoAccount{
		Account: store.Account{
			UUID: "01890c3a-7c00-7a11-8e4d-5b1f60c2d901", CompanyName: "Nordlicht Windkraft GmbH",
			ClientName: "Käthe Brüggemann", ClientEmail: "kaethe.brueggemann@nordlicht-windkraft.example", Currency: "EUR",
		},
		orders: windOrders,
		recorded: []demoOrder{{
			code: "ORD-100200", name: "Fehmarn cable route, sites to be agreed", status: api.OrderBiddingWithQuote, bids: bidsMixed, daysAgo: 3.6,
			startIn: 12, days: 20, objective: "mapAndSurvey", asset: "powerLines",
			sensors: []api.Sensor{"rgbSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "digitalTerrainModel"},
			sites: []demoSite{{"", "", "Germany", "", areaShape{54.4370, 11.1890, 2600, 300, 20}}},
		}},
		endpoints: []demoEndpoint{
			{"https://hooks.nordlicht-windkraft.invalid/flightdesk", "maintenance planning", nil, 300, seldom, api.EventFlightScheduled},
			{
				"https://gis.nordlicht-windkraft.invalid/ingest/survey", "fetches the data into the GIS",
				[]api.EventName{api.EventDataDelivered, api.EventMissionCompleted},
				120, often, "",
			},
			{"https://alt.windpark-sued.invalid/hook", "the old portal, to be removed", nil, 260, always, ""},
		},
		datasets: []demoDataset{
			{
				"Gode Wind approach corridor", "Sea bed cables come ashore here; dunes and groynes before the works.", "Norderney, Südstrand",
				[]string{"coast", "infrastructure"},
				[]string{"7 Affordable and clean energy", "14 Life below water"},
				[]api.Deliverable{"jpg", "_2dMap", "digitalSurfaceModel"},
				areaShape{53.7030, 7.1700, 900, 400, 12},
				9,
			},
			{
				"Turkana wind corridor, terrain", "Bare ground model of the ridge that the wind comes through.", "Lake Turkana, south-eastern shore",
				[]string{"terrain"},
				[]string{"7 Affordable and clean energy", "13 Climate action"},
				[]api.Deliverable{"jpg", "digitalTerrainModel", "LiDAR", "elevationMap"},
				areaShape{2.5300, 36.8000, 1400, 700, 20},
				15,
			},
		},
		imports: "nightly import into the maintenance system",
		wishes:  "screens in the control room that show which turbines are being flown",
	}
}

var windOrders = []demoOrder{
	{
		name: "Reußenköge: Rotorblätter vor dem Winter", status: api.OrderBiddingWithQuote, daysAgo: 0.15,
		startIn: 9, days: 12, objective: "assetInspection", asset: "windTurbines",
		sensors: []api.Sensor{"rgbSensor", "thermalSensor"}, deliverables: []api.Deliverable{"jpg", "thermalMap"},
		sites: []demoSite{
			{"Reihe Nord, WEA 1–6", "Windpark Reußenköge Nord", "Germany", "Bredstedt", mastRow{54.6275, 8.8420, 6, 410, -35}},
			{"Reihe Süd, WEA 7–12", "Windpark Reußenköge Süd", "Germany", "Bredstedt", mastRow{54.6130, 8.8460, 6, 405, -30}},
		},
	},
	{
		name: "苫前 blade inspection after the typhoon", status: api.OrderBiddingWithQuote, bids: bidsOpen, daysAgo: 1.3,
		startIn: 5, days: 8, objective: "assetInspection", asset: "windTurbines",
		sensors: []api.Sensor{"rgbSensor", "thermalSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "_3dModel", "LiDAR"},
		sites: []demoSite{
			{"苫前 ridge, turbines 1–9", "苫前グリーンヒル", "Japan", "苫前町", mastRow{44.2870, 141.6610, 9, 60, 290}},
		},
	},
	{
		name: "Alpha Ventus yearly inspection", status: api.OrderPendingOperator, daysAgo: 6.4,
		startIn: 14, days: 21, objective: "assetInspection", asset: "windTurbines",
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg", "raw"},
		sites: []demoSite{
			{"AV1–AV6", "Alpha Ventus, northern half", "Germany", "", mastRow{54.0270, 6.5870, 6, 720, -60}},
			{"AV7–AV12", "Alpha Ventus, southern half", "Germany", "", mastRow{54.0040, 6.5890, 6, 715, -55}},
			{"Substation", "Alpha Ventus offshore substation", "Germany", "", mastsShape{{Lat: 53.9967, Lng: 6.6240}}},
		},
	},
	{
		name: "Smøla access roads", status: api.OrderOperatorAssigned, daysAgo: 11.2,
		startIn: 10, days: 20, objective: "mapAndSurvey", asset: "roadsBridges", ahead: 1,
		sensors: []api.Sensor{"rgbSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "digitalTerrainModel"},
		sites: []demoSite{
			{"Main road", "Smøla vindpark, adkomstvei", "Norway", "Smøla", corridorShape{30, []api.Point{
				{Lat: 63.3985, Lng: 7.9560},
				{Lat: 63.4031, Lng: 7.9412},
				{Lat: 63.4078, Lng: 7.9301},
				{Lat: 63.4125, Lng: 7.9188},
				{Lat: 63.4190, Lng: 7.9120},
			}}},
			{"Northern spur", "Smøla vindpark, nordre arm", "Norway", "Smøla", corridorShape{30, []api.Point{
				{Lat: 63.4125, Lng: 7.9188}, {Lat: 63.4172, Lng: 7.9315}, {Lat: 63.4221, Lng: 7.9402},
			}}},
		},
	},
	{
		name: "Lake Turkana: erosion around the foundations", status: api.OrderFlyingDateSet, daysAgo: 17.8,
		startIn: 12, days: 25, objective: "mapAndSurvey", asset: "windTurbines", ahead: 1, notice: noticesTaken,
		otherMap: "erosion around each foundation, in four classes",
		sensors:  []api.Sensor{"rgbSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "digitalSurfaceModel", "pointCloud"},
		sites: []demoSite{
			{"Block A", "Lake Turkana Wind Power, block A", "Kenya", "Loiyangalani", areaShape{2.4960, 36.8130, 2400, 900, 18}},
			{"Block B", "Lake Turkana Wind Power, block B", "Kenya", "Loiyangalani", areaShape{2.5130, 36.8290, 2200, 850, 18}},
		},
	},
	{
		name: "Tarfaya substation and lines", status: api.OrderCompleted, daysAgo: 44,
		startIn: 8, days: 14, objective: "assetInspection", asset: "powerLines", ahead: 2,
		sensors: []api.Sensor{"thermalSensor", "rgbSensor"}, deliverables: []api.Deliverable{"jpg", "thermalMap", "_3dModel"},
		sites: []demoSite{
			{"Line to the coast road", "Parc éolien de Tarfaya, ligne 225 kV", "Morocco", "Tarfaya", corridorShape{50, []api.Point{
				{Lat: 27.8470, Lng: -12.8680}, {Lat: 27.8612, Lng: -12.8571}, {Lat: 27.8760, Lng: -12.8466}, {Lat: 27.8902, Lng: -12.8350},
			}}},
			{"Substation", "Poste de Tarfaya", "Morocco", "Tarfaya", areaShape{27.8460, -12.8690, 260, 190, 35}},
		},
	},
	{
		name: "Macarthur lightning damage", status: api.OrderCompleted, daysAgo: 63, notice: noticesTaken,
		startIn: 3, days: 7, objective: "assetInspection", asset: "windTurbines",
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg"},
		sites: []demoSite{
			{"Turbines 41–45", "Macarthur Wind Farm, western row", "Australia", "Macarthur", mastRow{-38.0520, 142.1530, 5, -40, 430}},
		},
	},
	{
		name: "Middelgrunden publicity film", status: api.OrderCancelled, daysAgo: 71,
		startIn: 20, days: 5, objective: "visualsMarketing", asset: "windTurbines",
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg", "panoramas"},
		sites: []demoSite{
			{"The arc of twenty", "Middelgrunden", "Denmark", "København", mastRow{55.7040, 12.6640, 10, 22, -178}},
		},
	},
	{
		name: "Holtriem repowering survey", status: api.OrderArchived, before: api.OrderCompleted,
		reason: "superseded by the survey of this spring", daysAgo: 210, startIn: 10, days: 18,
		objective: "siteProgress", asset: "windTurbines",
		sensors: []api.Sensor{"rgbSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "digitalSurfaceModel"},
		sites: []demoSite{
			{"Baufeld Westerholt", "Windpark Holtriem", "Germany", "Westerholt", areaShape{53.6070, 7.4290, 1700, 1100, -12}},
		},
	},
	{
		name: "Whitelee blade inspection, spring", status: api.OrderBiddingWithQuote, bids: bidsPassed, daysAgo: 24,
		startIn: 30, days: 25, objective: "assetInspection", asset: "windTurbines",
		sensors: []api.Sensor{"rgbSensor", "thermalSensor"}, deliverables: []api.Deliverable{"jpg", "thermalMap", "raw"},
		sites: []demoSite{
			{"Turbines 60–67", "Whitelee, southern extension", "United Kingdom", "Eaglesham", mastRow{55.6700, -4.2620, 8, 330, 70}},
		},
	},
	{
		name: "Østerild test site, night lights", status: api.OrderFlyingDateSet, moved: true, daysAgo: 8.5,
		startIn: 9, days: 15, objective: "assetInspection", asset: "windTurbines",
		sensors: []api.Sensor{"thermalSensor"}, deliverables: []api.Deliverable{"jpg", "thermalMap", "streamedData"},
		sites: []demoSite{
			{"Stands 1–7", "Testcenter Østerild", "Denmark", "Thisted", mastRow{57.0480, 8.8810, 7, -8, 560}},
		},
	},
	{
		name: "Jaisalmer park, whole survey", status: api.OrderNotFeasible, reason: "the air base keeps the airspace closed below 150 m",
		daysAgo: 33, startIn: 14, days: 30, objective: "mapAndSurvey", asset: "windTurbines",
		sensors: []api.Sensor{"rgbSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "digitalTerrainModel"},
		sites: []demoSite{
			{"Amarsagar", "Jaisalmer Wind Park, Amarsagar", "India", "Jaisalmer", areaShape{26.9240, 70.8650, 2300, 1200, 28}},
			{"Badabaug", "Jaisalmer Wind Park, Badabaug", "India", "Jaisalmer", areaShape{26.9720, 70.8890, 1800, 1100, 20}},
		},
	},
	{
		name: "Probeauftrag Büro Husum", status: api.OrderDeleted, daysAgo: 37, startIn: 5, days: 5,
		objective: "visualsMarketing", asset: "other",
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg"},
		sites: []demoSite{
			{"Parkplatz", "Hafenstraße, Hof", "Germany", "Husum", areaShape{54.4740, 9.0480, 90, 60, 10}},
		},
	},
	{
		name: "La Ventosa after the norte", status: api.OrderCompleted, daysAgo: 52, twice: true, notice: noticesFailed,
		startIn: 6, days: 12, objective: "assetInspection", asset: "windTurbines",
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg", "panoramas"},
		sites: []demoSite{
			{"Fila 3", "Parque eólico La Ventosa, fila 3", "Mexico", "La Ventosa", mastRow{16.5640, -94.9700, 8, 180, -95}},
		},
	},
	{
		name: "Guazhou rows 12 and 13", status: api.OrderRejected, reason: "we have no operator with a permit for this county",
		daysAgo: 88, startIn: 20, days: 30, objective: "assetInspection", asset: "windTurbines",
		sensors: []api.Sensor{"rgbSensor", "thermalSensor"}, deliverables: []api.Deliverable{"jpg", "thermalMap"},
		sites: []demoSite{
			{"Row 12", "瓜州 北大桥 第12排", "China", "瓜州县", mastRow{40.6100, 95.9000, 9, 420, 30}},
			{"Row 13", "瓜州 北大桥 第13排", "China", "瓜州县", mastRow{40.6180, 95.8960, 9, 420, 30}},
		},
	},
	{
		name: "Rio do Fogo, dunes on the move", status: api.OrderCompleted, daysAgo: 118, ahead: 1,
		startIn: 10, days: 16, objective: "mapAndSurvey", asset: "windTurbines",
		sensors: api.Sensors(), deliverables: api.Deliverables(), // every kind of data, to look at
		sites: []demoSite{
			{"Duna norte", "Parque eólico Rio do Fogo, duna norte", "Brazil", "Touros", areaShape{-5.2860, -35.3980, 900, 500, -35}},
		},
	},
	{
		name: "Gullen Range, bird flight diverters", status: api.OrderArchived, before: api.OrderCancelled,
		reason: "the line is being moved underground", daysAgo: 240, startIn: 15, days: 20,
		objective: "assetInspection", asset: "powerLines",
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg"},
		sites: []demoSite{
			{"Line to Crookwell", "Gullen Range, 330 kV line", "Australia", "Crookwell", corridorShape{40, []api.Point{
				{Lat: -34.6120, Lng: 149.4600}, {Lat: -34.6045, Lng: 149.4688}, {Lat: -34.5962, Lng: 149.4772}, {Lat: -34.5880, Lng: 149.4861},
			}}},
		},
	},
}
