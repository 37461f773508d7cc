// Package scenario reads and plays scenarios: text files of times and events
// that a training or a demo is made of. A file is checked as a whole before
// anything of it is played.
//
// A line has a time since the beginning and an event; the first line that is no
// comment may have the title:
//
//	title Late flight
//	0s place levee "Elbe levee, km 3 to 9" due 6d
//	2h issue-quote levee Economy expires 14d
package scenario
