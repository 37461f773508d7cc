// Package demodata is the demo's world: three accounts of different character
// with orders at every stage, at real places, and the simulator that moves
// orders on. Dates are relative to the moment of filling, everything else is
// the same each time.
package demodata
