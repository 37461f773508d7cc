package sample

import (
	"flightdesk/api"
	"flightdesk/api/server/store"
)

// cityPlanning is a city's planning office: everything within a few
// kilometres, building sites that are flown again and again.
func cityPlanning() account {
	return account{
		Account: store.Account{
			UUID: "018a2f71-3400-7c52-9b07-e2a4416f8802", CompanyName: "Stadtplanungsamt Köln",
			ClientName: "Jürgen Weiß", ClientEmail: "juergen.weiss@stadtplanung-koeln.example", Currency: "EUR",
		},
		orders: cityOrders,
	}
}

var cityOrders = []order{
	{
		name: "Deutzer Hafen, Baufortschritt", status: api.OrderBiddingWithQuote, daysAgo: 0.8,
		startIn: 7, days: 10, objective: "siteProgress", asset: "construction",
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "_3dModel"},
		sites: []site{
			{"Hafenbecken und Kaimauern", "Deutzer Hafen", "Germany", "Köln", plot{50.9240, 6.9810, 880, 260, 68}},
		},
	},
	{
		name: "Dachkataster Ehrenfeld", status: api.OrderPendingOperator, daysAgo: 4.1,
		startIn: 12, days: 21, objective: "mapAndSurvey", asset: "realEstateProperty",
		sensors: []api.Sensor{"rgbSensor", "thermalSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "thermalMap", "digitalSurfaceModel"},
		sites: []site{
			{"Neuehrenfeld", "Neuehrenfeld, östlicher Teil", "Germany", "Köln", plot{50.9590, 6.9270, 900, 620, 40}},
			{"Helios-Viertel", "Helios-Gelände", "Germany", "Köln", plot{50.9493, 6.9135, 420, 260, 25}},
		},
	},
	{
		name: "Brückenprüfung Severinsbrücke", status: api.OrderOperatorAssigned, daysAgo: 9.6,
		startIn: 10, days: 14, objective: "assetInspection", asset: "roadsBridges",
		sensors: []api.Sensor{"rgbSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "_3dModel", "pointCloud"},
		sites: []site{
			{"Überbau und Pylon", "Severinsbrücke", "Germany", "Köln", corridor{40, []api.Point{
				{Lat: 50.9289, Lng: 6.9602}, {Lat: 50.9305, Lng: 6.9655}, {Lat: 50.9319, Lng: 6.9706}, {Lat: 50.9330, Lng: 6.9748},
			}}},
		},
	},
	{
		name: "Parkstadt Süd, Urgelände", status: api.OrderFlyingDateSet, daysAgo: 15,
		startIn: 11, days: 18, objective: "mapAndSurvey", asset: "construction", ahead: 0,
		sensors: []api.Sensor{"rgbSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "digitalTerrainModel", "LiDAR"},
		sites: []site{
			{"Großmarkt", "Großmarkthalle und Vorfeld", "Germany", "Köln", plot{50.9160, 6.9560, 620, 480, -20}},
			{"Grüner Ring", "Innerer Grüngürtel, Verlängerung", "Germany", "Köln", plot{50.9178, 6.9430, 760, 210, 12}},
		},
	},
	{
		name: "Colonius, Richtfunkantennen", status: api.OrderNotFeasible,
		reason: "the control zone of the helipad leaves no flight level open", daysAgo: 23,
		startIn: 9, days: 6, objective: "assetInspection", asset: "telecom",
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg"},
		sites: []site{
			{"Turmkopf", "Colonius", "Germany", "Köln", masts{{Lat: 50.94736, Lng: 6.93167}}},
		},
	},
	{
		name: "Rheinboulevard, Hochwasserschutz", status: api.OrderCompleted, daysAgo: 38,
		startIn: 6, days: 12, objective: "mapAndSurvey", asset: "waterManagement", ahead: 1,
		sensors: []api.Sensor{"rgbSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "digitalTerrainModel"},
		sites: []site{
			{"Ufertreppe Deutz", "Rheinboulevard", "Germany", "Köln", corridor{60, []api.Point{
				{Lat: 50.9421, Lng: 6.9679}, {Lat: 50.9399, Lng: 6.9688}, {Lat: 50.9373, Lng: 6.9697}, {Lat: 50.9348, Lng: 6.9706},
			}}},
			{"Rodenkirchener Ufer", "Uferstraße Rodenkirchen", "Germany", "Köln", corridor{60, []api.Point{
				{Lat: 50.9001, Lng: 6.9919}, {Lat: 50.8958, Lng: 6.9944}, {Lat: 50.8915, Lng: 6.9971},
			}}},
		},
	},
	{
		name: "Fühlinger See, Vegetation", status: api.OrderRejected,
		reason: "bird protection period until the end of July; please place it again after that", daysAgo: 96,
		startIn: 4, days: 10, objective: "mapAndSurvey", asset: "forest",
		sensors: []api.Sensor{"multispectralSensor"}, deliverables: []api.Deliverable{"jpg", "ndvi", "multispectral"},
		sites: []site{
			{"Regattabahn und Ufer", "Fühlinger See", "Germany", "Köln", plot{51.0215, 6.9205, 2100, 700, -8}},
		},
	},
}
