// Package timeline draws the steps of a way with the days they were reached:
// beside each other where there is room, else one below the other. It knows
// nothing of what the steps are.
package steps
