// Package demodata creates the demo world: three accounts of different kinds, with orders
// in every status at real places. It also has the simulator that moves orders on. Dates
// are relative to the time at which the store is filled; everything else is the same each
// time.
package demodata
