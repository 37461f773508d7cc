// Package places says in which country and at which town a position is,
// offline: from borders (country-coder) and populated places of 1,000 people
// and more (GeoNames) that are embedded in the program.
//
// Positions are longitude and latitude in degrees, WGS 84; distances metres.
// The data is read where it is embedded, after some 2 ms at the first use;
// everything is safe for concurrent use. What is not a position, such as NaN, is
// nowhere.
package places
