package server

import (
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv/places"
)

// cityOf suggests the city of a mission.
func cityOf(kind api.MissionType, location []api.Point) string {
	points := make([]orb.Point, len(location))
	for i, p := range location {
		points[i] = orb.Point{p.Lng, p.Lat}
	}
	switch kind {
	case api.MissionArea:
		return places.SuggestPlace(orb.Polygon{append(points, points[0])}).City
	case api.MissionLinear:
		return places.SuggestPlace(orb.LineString(points)).City
	default:
		return places.Lookup(points[0]).City
	}
}
