package demodata

import (
	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// cityPlanning returns a city's planning office: everything within a few
// kilometres, building sites that are flown again and again.
func cityPlanning() demoAccount {
	return demoAccount{
		Account: store.Account{
			UUID: "018a2f71-3400-7c52-9b07-e2a4416f8802", CompanyName: "Stadtplanungsamt Köln",
			ClientName: "Jürgen Weiß", ClientEmail: "juergen.weiss@stadtplanung-koeln.example", Currency: "EUR",
		},
		orders: cityOrders,
		endpoints: []demoEndpoint{
			{"https://bauakte.stadtplanung-koeln.invalid/ereignisse", "Bauakte, Terminkalender", nil, 210, seldom, ""},
			{
				"https://geoportal.stadtplanung-koeln.invalid/eingang", "Geoportal, Datenübernahme",
				[]api.EventName{api.EventDataDelivered},
				160, often, "",
			},
		},
		datasets: []demoDataset{
			{
				"Stadtbaumbestand Lindenthal", "Kronen und Vitalität der Straßenbäume.", "Köln-Lindenthal",
				[]string{"Vegetation", "Stadtklima"},
				[]string{"11 Sustainable cities", "15 Life on land"},
				[]api.Deliverable{"jpg", "ndvi", "multispectral"},
				areaShape{50.9290, 6.9170, 800, 600, 30},
				7,
			},
			{
				"Hitzeinseln Innenstadt", "Oberflächentemperaturen einer Augustnacht.", "Köln-Altstadt-Nord",
				[]string{"Stadtklima"},
				[]string{"11 Sustainable cities", "13 Climate action"},
				[]api.Deliverable{"jpg", "thermalMap"},
				areaShape{50.9410, 6.9540, 700, 500, 10},
				12,
			},
			{
				"Rheinufer, Hochwasser 2021", "Pegel 8,06 m; zum Vergleich mit späteren Ereignissen.", "Rodenkirchener Riviera",
				[]string{"Wasser", "Katastrophenschutz"},
				[]string{"11 Sustainable cities"},
				[]api.Deliverable{"jpg", "_2dMap", "topographicMap", "pointCloud"},
				areaShape{50.8930, 6.9960, 500, 300, 65},
				30,
			},
		},
		imports: "Übernahme der Befliegungen ins Geoportal",
		wishes:  "Aushang der Flugtermine für Anwohner",
	}
}

var cityOrders = []demoOrder{
	{
		name: "Deutzer Hafen, Baufortschritt", status: api.OrderBiddingWithQuote, bids: bidsOpen, daysAgo: 0.8,
		startIn: 7, days: 10, objective: "siteProgress", asset: "construction",
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "_3dModel"},
		sites: []demoSite{
			{"Hafenbecken und Kaimauern", "Deutzer Hafen", "Germany", "Köln", areaShape{50.9240, 6.9810, 880, 260, 68}},
		},
	},
	{
		name: "Dachkataster Ehrenfeld", status: api.OrderPendingOperator, daysAgo: 4.1,
		startIn: 12, days: 21, objective: "mapAndSurvey", asset: "realEstateProperty",
		sensors: []api.Sensor{"rgbSensor", "thermalSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "thermalMap", "digitalSurfaceModel"},
		sites: []demoSite{
			{"Neuehrenfeld", "Neuehrenfeld, östlicher Teil", "Germany", "Köln", areaShape{50.9590, 6.9270, 900, 620, 40}},
			{"Helios-Viertel", "Helios-Gelände", "Germany", "Köln", areaShape{50.9493, 6.9135, 420, 260, 25}},
		},
	},
	{
		name: "Brückenprüfung Severinsbrücke", status: api.OrderOperatorAssigned, daysAgo: 9.6,
		startIn: 10, days: 14, objective: "assetInspection", asset: "roadsBridges",
		sensors: []api.Sensor{"rgbSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "_3dModel", "pointCloud"},
		sites: []demoSite{
			{"Überbau und Pylon", "Severinsbrücke", "Germany", "Köln", corridorShape{40, []api.Point{
				{Lat: 50.9289, Lng: 6.9602}, {Lat: 50.9305, Lng: 6.9655}, {Lat: 50.9319, Lng: 6.9706}, {Lat: 50.9330, Lng: 6.9748},
			}}},
		},
	},
	{
		name: "Parkstadt Süd, Urgelände", status: api.OrderFlyingDateSet, daysAgo: 15,
		startIn: 11, days: 18, objective: "mapAndSurvey", asset: "construction", ahead: 0,
		sensors: []api.Sensor{"rgbSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "digitalTerrainModel", "LiDAR"},
		sites: []demoSite{
			{"Großmarkt", "Großmarkthalle und Vorfeld", "Germany", "Köln", areaShape{50.9160, 6.9560, 620, 480, -20}},
			{"Grüner Ring", "Innerer Grüngürtel, Verlängerung", "Germany", "Köln", areaShape{50.9178, 6.9430, 760, 210, 12}},
		},
	},
	{
		name: "Colonius, Richtfunkantennen", status: api.OrderNotFeasible,
		reason: "the helipad's control zone allows no flights", daysAgo: 23,
		startIn: 9, days: 6, objective: "assetInspection", asset: "telecom",
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg"},
		sites: []demoSite{
			{"Turmkopf", "Colonius", "Germany", "Köln", mastsShape{{Lat: 50.94736, Lng: 6.93167}}},
		},
	},
	{
		name: "Rheinboulevard, Hochwasserschutz", status: api.OrderCompleted, daysAgo: 38,
		startIn: 6, days: 12, objective: "mapAndSurvey", asset: "waterManagement", ahead: 1,
		sensors: []api.Sensor{"rgbSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "digitalTerrainModel"},
		sites: []demoSite{
			{"Ufertreppe Deutz", "Rheinboulevard", "Germany", "Köln", corridorShape{60, []api.Point{
				{Lat: 50.9421, Lng: 6.9679}, {Lat: 50.9399, Lng: 6.9688}, {Lat: 50.9373, Lng: 6.9697}, {Lat: 50.9348, Lng: 6.9706},
			}}},
			{"Rodenkirchener Ufer", "Uferstraße Rodenkirchen", "Germany", "Köln", corridorShape{60, []api.Point{
				{Lat: 50.9001, Lng: 6.9919}, {Lat: 50.8958, Lng: 6.9944}, {Lat: 50.8915, Lng: 6.9971},
			}}},
		},
	},
	{
		name: "Fühlinger See, Vegetation", status: api.OrderRejected,
		reason: "bird protection period until the end of July; please place it again after that", daysAgo: 96,
		startIn: 4, days: 10, objective: "mapAndSurvey", asset: "forest",
		sensors: []api.Sensor{"multispectralSensor"}, deliverables: []api.Deliverable{"jpg", "ndvi", "multispectral"},
		sites: []demoSite{
			{"Regattabahn und Ufer", "Fühlinger See", "Germany", "Köln", areaShape{51.0215, 6.9205, 2100, 700, -8}},
		},
	},
	{
		name: "Neumarkt, Ost-West-Achse vor dem Umbau", status: api.OrderBiddingWithQuote, bids: bidsMixed, daysAgo: 6.2,
		startIn: 16, days: 20, objective: "mapAndSurvey", asset: "roadsBridges",
		sensors: []api.Sensor{"rgbSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "digitalSurfaceModel", "pointCloud"},
		sites: []demoSite{
			{"Hahnenstraße bis Heumarkt", "Ost-West-Achse", "Germany", "Köln", corridorShape{45, []api.Point{
				{Lat: 50.93640, Lng: 6.94020}, {Lat: 50.93585, Lng: 6.94640}, {Lat: 50.93590, Lng: 6.95120}, {Lat: 50.93640, Lng: 6.95880},
			}}},
		},
	},
	{
		name: "Max-Becker-Areal, Altlasten", status: api.OrderBiddingWithQuote, bids: bidsTurnedDown, daysAgo: 10.4,
		startIn: 25, days: 21, objective: "mapAndSurvey", asset: "construction",
		sensors: []api.Sensor{"rgbSensor", "thermalSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "thermalMap"},
		sites: []demoSite{
			{"Werksgelände", "Widdersdorfer Straße", "Germany", "Köln", areaShape{50.9436, 6.8968, 620, 240, -14}},
		},
	},
	{
		name: "Bonner Straße, Nord-Süd-Stadtbahn", status: api.OrderFlyingDateSet, moved: true, daysAgo: 13,
		startIn: 9, days: 20, objective: "siteProgress", asset: "railways",
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "_3dMap"},
		sites: []demoSite{
			{"Marktstraße bis Verteilerkreis", "Bonner Straße", "Germany", "Köln", corridorShape{40, []api.Point{
				{Lat: 50.91440, Lng: 6.95910}, {Lat: 50.91010, Lng: 6.95960}, {Lat: 50.90480, Lng: 6.96030}, {Lat: 50.89890, Lng: 6.96160},
			}}},
		},
	},
	{
		name: "Rheinauhafen, Sommerfest", status: api.OrderCancelled, daysAgo: 27,
		startIn: 12, days: 3, objective: "visualsMarketing", asset: "ports",
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg", "streamedData"},
		sites: []demoSite{
			{"Kranhäuser", "Rheinauhafen", "Germany", "Köln", areaShape{50.9268, 6.9668, 420, 120, 68}},
		},
	},
	{
		name: "Doppelt: Dachkataster Ehrenfeld", status: api.OrderDeleted, daysAgo: 30,
		startIn: 12, days: 21, objective: "mapAndSurvey", asset: "realEstateProperty",
		sensors: []api.Sensor{"rgbSensor", "thermalSensor"}, deliverables: []api.Deliverable{"jpg", "_2dMap", "thermalMap"},
		sites: []demoSite{
			{"Neuehrenfeld", "Neuehrenfeld, östlicher Teil", "Germany", "Köln", areaShape{50.9590, 6.9270, 900, 620, 40}},
		},
	},
	{
		name: "Kalkberg, Setzungen der Kuppe", status: api.OrderCompleted, daysAgo: 46, ahead: 1, twice: true,
		startIn: 7, days: 14, objective: "siteProgress", asset: "construction",
		sensors: []api.Sensor{"rgbSensor", "lidarSensor"}, deliverables: []api.Deliverable{"jpg", "digitalTerrainModel", "topographicMap", "LiDAR"},
		sites: []demoSite{
			{"Kuppe und Flanken", "Kalkberg Buchforst", "Germany", "Köln", areaShape{50.9497, 7.0084, 380, 300, 25}},
		},
	},
	{
		name: "Solarkataster Chorweiler", status: api.OrderCompleted, daysAgo: 67,
		startIn: 10, days: 15, objective: "assetInspection", asset: "solarPanels",
		sensors: []api.Sensor{"rgbSensor", "thermalSensor"}, deliverables: []api.Deliverable{"jpg", "thermalMap", "_2dMap"},
		sites: []demoSite{
			{"Zentrum", "Pariser Platz und Umgebung", "Germany", "Köln", areaShape{51.0212, 6.8976, 520, 420, 5}},
			{"Gewerbegebiet", "Feldkassel", "Germany", "Köln", areaShape{51.0330, 6.9140, 700, 380, -20}},
		},
	},
	{
		name: "Worringer Bruch, Vegetation und Wasserstände", status: api.OrderCompleted, daysAgo: 131, ahead: 1,
		startIn: 14, days: 20, objective: "mapAndSurvey", asset: "forest",
		sensors: []api.Sensor{"multispectralSensor", "rgbSensor"}, deliverables: []api.Deliverable{"jpg", "ndvi", "multispectral", "_2dMap"},
		sites: []demoSite{
			{"Alter Rheinarm", "Worringer Bruch", "Germany", "Köln", areaShape{51.0610, 6.8760, 1300, 700, 35}},
		},
	},
	{
		name: "Mülheimer Brücke, zweiter Abschnitt", status: api.OrderArchived, before: api.OrderCompleted,
		reason: "Bauabschnitt abgenommen", daysAgo: 190, startIn: 8, days: 14,
		objective: "siteProgress", asset: "roadsBridges",
		sensors: []api.Sensor{"rgbSensor"}, deliverables: []api.Deliverable{"jpg", "_3dModel", "panoramas"},
		sites: []demoSite{
			{"Strombrücke", "Mülheimer Brücke", "Germany", "Köln", corridorShape{40, []api.Point{
				{Lat: 50.96240, Lng: 6.99080}, {Lat: 50.96330, Lng: 6.99520}, {Lat: 50.96430, Lng: 6.99990},
			}}},
		},
	},
}
