package cache_test

import (
	"testing"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
)

func TestTheShapeHashDependsOnThePoints(t *testing.T) {
	ring := []api.Point{{Lat: 53, Lng: 9}, {Lat: 53, Lng: 9.1}, {Lat: 53.1, Lng: 9.1}}
	for _, points := range [][]api.Point{
		{ring[1], ring[2], ring[0]},
		{ring[2], ring[1], ring[0]},
		{ring[0], ring[1], ring[2], ring[0]},
		{{Lat: 53.0000001, Lng: 9}, ring[1], ring[2]},
	} {
		if cache.ShapeHash(points) != cache.ShapeHash(ring) {
			t.Errorf("%v is not %v", points, ring)
		}
	}
	for _, points := range [][]api.Point{
		nil, ring[:2], {{Lat: 9, Lng: 53}, ring[1], ring[2]}, {ring[0], ring[0], ring[1], ring[2]}, {{Lat: 53.00001, Lng: 9}, ring[1], ring[2]},
	} {
		if cache.ShapeHash(points) == cache.ShapeHash(ring) {
			t.Errorf("%v is %v", points, ring)
		}
	}
	if cache.ShapeHash(nil) != 0 {
		t.Error("nothing has a shape")
	}
}
