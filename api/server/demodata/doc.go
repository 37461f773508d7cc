// Package sample is the demo's world: three accounts of different character
// with orders at every stage, at real places. Dates are relative to the moment
// of filling, everything else is the same each time.
package demodata
