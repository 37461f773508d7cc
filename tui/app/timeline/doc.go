// Package timeline tells what happened to an order or a mission, in the order of
// time, from every source that knows something of it. Reading the sources and
// telling their story are apart: telling is a function of what was read.
package timeline
