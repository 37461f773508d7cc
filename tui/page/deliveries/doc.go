// Package deliveries has the pages of what was delivered: the packages of all
// orders, and the files of one purchased dataset. Both fetch, show and open
// files the same way.
package deliveries
