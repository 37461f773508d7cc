// Package timeline lists what happened to an order or a mission, sorted by time, from all
// sources. A [Reader] reads the sources, and [BuildEntries] computes the entries from
// what was read.
package timeline
