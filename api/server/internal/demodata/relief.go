package demodata

import (
	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// reliefMapping returns a humanitarian mapping team: anywhere, at once, for people
// who need a map by tomorrow.
func reliefMapping() demoAccount {
	return demoAccount{
		Account: store.Account{
			UUID: "018b61c4-9e00-7f2e-a3d8-07c95be41703", CompanyName: "Open Ground Relief Mapping",
			ClientName: "Achieng' Odhiambo", ClientEmail: "achieng@open-ground.example", Currency: "USD",
		},
		orders: reliefOrders,
		endpoints: []demoEndpoint{
			{"https://dispatch.open-ground.invalid/flights", "field teams' calendar", []api.EventName{api.EventOperatorAssigned, api.EventFlightScheduled}, 190, often, ""},
			{"https://tiles.open-ground.invalid/new-imagery", "starts the tile server", nil, 140, seldom, ""},
		},
		datasets: []demoDataset{
			{
				"Kutupalong, two dry seasons before", "Shelters and paths before the last extension.", "Kutupalong",
				[]string{"settlement", "shelter"},
				[]string{"1 No poverty", "11 Sustainable cities"},
				[]api.Deliverable{"jpg", "_2dMap", "digitalSurfaceModel"},
				areaShape{21.2080, 92.1500, 900, 700, 14},
				22,
			},
			{
				"Beira, drainage channels", "For hydraulic models of the lower town.", "Beira, Chota",
				[]string{"water"},
				[]string{"6 Clean water and sanitation", "13 Climate action"},
				[]api.Deliverable{"jpg", "digitalTerrainModel", "topographicMap"},
				areaShape{-19.8300, 34.8600, 800, 600, 5},
				11,
			},
		},
		imports: "imagery for volunteers who draw maps of it",
		wishes:  "a bot that posts new flights into the coordination channel",
	}
}

var reliefOrders = []demoOrder{
	{
		name: "花蓮 earthquake, collapsed slopes", status: api.OrderBiddingWithQuote, daysAgo: 0.4,
		startIn: 2, days: 3, objective: "mapAndSurvey", asset: "roadsBridges",
		sensors: []api.Sensor{"rgbSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "digitalSurfaceModel"},
		sites: []demoSite{
			{"蘇花公路 km 160–163", "蘇花公路 崇德段", "Taiwan", "花蓮縣", corridorShape{120, []api.Point{
				{Lat: 24.1702, Lng: 121.6588},
				{Lat: 24.1795, Lng: 121.6631},
				{Lat: 24.1887, Lng: 121.6702},
				{Lat: 24.1969, Lng: 121.6770},
			}}},
			{"市區 damage", "花蓮市 中心", "Taiwan", "花蓮市", areaShape{23.9770, 121.6060, 900, 700, 30}},
		},
	},
	{
		name: "Cox's Bazar: drainage before the monsoon", status: api.OrderPendingOperator, daysAgo: 2.7,
		startIn: 6, days: 9, objective: "mapAndSurvey", asset: "waterManagement",
		sensors: []api.Sensor{"rgbSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "digitalTerrainModel"},
		sites: []demoSite{
			{"Camp 4", "Kutupalong, camp 4", "Bangladesh", "Ukhia", areaShape{21.2110, 92.1420, 1100, 900, 10}},
			{"Camp 5", "Kutupalong, camp 5", "Bangladesh", "Ukhia", areaShape{21.2030, 92.1460, 1000, 800, -5}},
			{"Camp 17", "Kutupalong, camp 17", "Bangladesh", "Ukhia", areaShape{21.2075, 92.1350, 950, 700, 22}},
		},
	},
	{
		name: "Beira, Praia Nova after the cyclone", status: api.OrderOperatorAssigned, daysAgo: 5.2,
		startIn: 4, days: 6, objective: "mapAndSurvey", asset: "realEstateProperty", ahead: 1,
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap"},
		sites: []demoSite{
			{"Praia Nova", "Bairro da Praia Nova", "Mozambique", "Beira", areaShape{-19.8420, 34.8280, 720, 480, 35}},
			{"Munhava", "Bairro da Munhava", "Mozambique", "Beira", areaShape{-19.8130, 34.8500, 1300, 900, 15}},
		},
	},
	{
		name: "Antakya, debris volumes", status: api.OrderFlyingDateSet, daysAgo: 12.5,
		startIn: 8, days: 12, objective: "mapAndSurvey", asset: "construction",
		sensors: []api.Sensor{"rgbSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "_3dModel", "digitalSurfaceModel", "pointCloud"},
		sites: []demoSite{
			{"Old town", "Antakya eski şehir", "Turkey", "Antakya", areaShape{36.2010, 36.1640, 1000, 700, -30}},
		},
	},
	{
		name: "Port Vila, roofs and jetties", status: api.OrderCompleted, daysAgo: 29,
		startIn: 3, days: 5, objective: "mapAndSurvey", asset: "ports", ahead: 1,
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap"},
		sites: []demoSite{
			{"Seafront", "Port Vila seafront", "Vanuatu", "Port Vila", corridorShape{150, []api.Point{
				{Lat: -17.7308, Lng: 168.3100}, {Lat: -17.7362, Lng: 168.3125}, {Lat: -17.7420, Lng: 168.3141}, {Lat: -17.7479, Lng: 168.3133},
			}}},
			{"Freswota", "Freswota", "Vanuatu", "Port Vila", areaShape{-17.7290, 168.3290, 900, 620, 5}},
		},
	},
	{
		name: "Jérémie, schools for shelter", status: api.OrderCompleted, daysAgo: 51,
		startIn: 2, days: 6, objective: "assetInspection", asset: "realEstateProperty",
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg", "panoramas"},
		sites: []demoSite{
			{"Three school roofs", "Jérémie, centre ville", "Haiti", "Jérémie", mastsShape{
				{Lat: 18.6437, Lng: -74.1166}, {Lat: 18.6461, Lng: -74.1143}, {Lat: 18.6412, Lng: -74.1120},
			}},
		},
	},
	{
		name: "Petrópolis landslide scars", status: api.OrderCancelled, daysAgo: 84,
		startIn: 1, days: 4, objective: "mapAndSurvey", asset: "realEstateProperty",
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap"},
		sites: []demoSite{
			{"Morro da Oficina", "Alto da Serra", "Brazil", "Petrópolis", areaShape{-22.5180, -43.1720, 520, 380, 48}},
		},
	},
	{
		name: "साँखु rebuilding, ten years on", status: api.OrderArchived, before: api.OrderCompleted,
		reason: "handed over to the municipality", daysAgo: 160, startIn: 12, days: 20,
		objective: "siteProgress", asset: "realEstateProperty",
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "_3dModel"},
		sites: []demoSite{
			{"Sankhu bazaar", "शंखरापुर, साँखु बजार", "Nepal", "Sankhu", areaShape{27.7290, 85.4640, 620, 540, 12}},
		},
	},
	{
		name: "Mocoa, upper Sangoyaco", status: api.OrderBiddingWithQuote, bids: bidsMixed, daysAgo: 4.6,
		startIn: 5, days: 8, objective: "mapAndSurvey", asset: "waterManagement",
		sensors: []api.Sensor{"rgbSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "digitalTerrainModel", "topographicMap"},
		sites: []demoSite{
			{"Quebrada Sangoyaco", "Mocoa, barrios altos", "Colombia", "Mocoa", corridorShape{140, []api.Point{
				{Lat: 1.14310, Lng: -76.65060}, {Lat: 1.14790, Lng: -76.65390}, {Lat: 1.15280, Lng: -76.65810},
			}}},
		},
	},
	{
		name: "Enga, the slope above the village", status: api.OrderPendingOperator, daysAgo: 3.4,
		startIn: 3, days: 6, objective: "mapAndSurvey", asset: "other",
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "digitalSurfaceModel"},
		sites: []demoSite{
			{"Scar and toe", "Enga Province, Maip-Mulitaka", "Papua New Guinea", "Porgera", areaShape{-5.3810, 143.3670, 900, 500, 62}},
		},
	},
	{
		name: "Goma, the flow of 2021 and the road", status: api.OrderNotFeasible, reason: "the airspace is closed except to the UN mission",
		daysAgo: 20, startIn: 3, days: 8, objective: "mapAndSurvey", asset: "roadsBridges",
		sensors: []api.Sensor{"rgbSensor", "thermalSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "thermalMap"},
		sites: []demoSite{
			{"Buhene", "Route Goma–Rutshuru, Buhene", "Democratic Republic of the Congo", "Goma", corridorShape{160, []api.Point{
				{Lat: -1.62200, Lng: 29.25310}, {Lat: -1.63090, Lng: 29.25020}, {Lat: -1.64010, Lng: 29.24760},
			}}},
		},
	},
	{
		name: "Sittwe after the storm", status: api.OrderRejected, reason: "sanctions prevent us from hiring an operator there",
		daysAgo: 34, startIn: 2, days: 5, objective: "mapAndSurvey", asset: "realEstateProperty",
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap"},
		sites: []demoSite{
			{"Old town", "Sittwe, old town", "Myanmar", "Sittwe", areaShape{20.1450, 92.8960, 800, 600, 8}},
		},
	},
	{
		name: "Training flight, do not quote", status: api.OrderDeleted, daysAgo: 41,
		startIn: 2, days: 2, objective: "visualsMarketing", asset: "forest",
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg"},
		sites: []demoSite{
			{"Clearing", "Karura forest", "Kenya", "Nairobi", areaShape{-1.2400, 36.8300, 200, 150, 0}},
		},
	},
	{
		name: "Paiporta, the ravine after the flood", status: api.OrderCompleted, daysAgo: 58, ahead: 1, twice: true,
		startIn: 2, days: 6, objective: "mapAndSurvey", asset: "waterManagement",
		sensors: []api.Sensor{"rgbSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "digitalTerrainModel", "streamedData"},
		sites: []demoSite{
			{"Barranc del Poio", "Paiporta, barranc del Poio", "Spain", "Paiporta", corridorShape{120, []api.Point{
				{Lat: 39.42590, Lng: -0.42520}, {Lat: 39.42740, Lng: -0.41960}, {Lat: 39.42870, Lng: -0.41390}, {Lat: 39.42960, Lng: -0.40810},
			}}},
			{"Town", "Paiporta, casc antic", "Spain", "Paiporta", areaShape{39.4290, -0.4165, 700, 500, 15}},
		},
	},
	{
		name: "Derna, wadi and harbour", status: api.OrderCompleted, daysAgo: 102,
		startIn: 4, days: 8, objective: "mapAndSurvey", asset: "ports",
		sensors: []api.Sensor{"rgbSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "digitalSurfaceModel", "pointCloud"},
		sites: []demoSite{
			{"Wadi mouth", "درنة, مصب الوادي", "Libya", "Darnah", areaShape{32.7640, 22.6390, 700, 420, 78}},
		},
	},
	{
		name: "Palu, five years of new houses", status: api.OrderArchived, before: api.OrderCompleted,
		reason: "the series has ended", daysAgo: 205, startIn: 10, days: 14,
		objective: "siteProgress", asset: "realEstateProperty",
		sensors: []api.Sensor{"rgbSensor", "multispectralSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "ndvi"},
		sites: []demoSite{
			{"Balaroa", "Palu, Balaroa", "Indonesia", "Palu", areaShape{-0.9030, 119.8420, 620, 480, 12}},
		},
	},
}
