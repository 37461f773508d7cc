// Package places returns the country and the nearest town of a position, offline. The
// borders (country-coder) and the populated places with at least 1,000 people (GeoNames)
// are embedded.
//
// Positions are longitude and latitude in degrees, WGS 84. Distances are in metres. The
// first call takes about 3 ms. Borders and names are inflated by region on first use,
// which takes 20 ms in total for the whole world. All functions are safe for concurrent
// use. An invalid position such as NaN is in no country.
package places
