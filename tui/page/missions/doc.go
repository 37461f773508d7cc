// Package missions shows the missions of all orders as a list, on a map and in a
// calendar, and the page of one mission. Missions come from [cache.Cache] and are shown
// by [MissionList]; [MissionPage] adds planning, permission, deliveries and callbacks.
package missions
