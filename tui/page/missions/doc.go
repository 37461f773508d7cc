// Package missions has the pages of the missions of all orders: as a list, on a
// map and as a month, and one of them with its story.
package missions
