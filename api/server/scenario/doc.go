// Package scenario reads and plays scenarios: text files with times and events for trainings
// and demos. A file is checked completely before any of it is played.
//
// A line has a time since the start and an event. The first line that is not a comment
// can have the title:
//
//	title Late flight
//	0s place levee "Elbe levee, km 3 to 9" due 6d
//	2h issue-quote levee Economy expires 14d
package scenario
