// Package places says in which country and at which town a position is,
// offline: from borders (country-coder) and populated places of 1,000 people
// and more (GeoNames) that are embedded in the program.
//
// Positions are longitude and latitude in degrees, WGS 84; distances metres.
// The first use takes some 3 ms. Borders and names are inflated by regions, where they
// are asked for: 20 ms in all for the world, once. Everything is safe for concurrent
// use. What is not a position, such as NaN, is nowhere.
package places
