// Package deliveries has the pages of data to download: the packages of all
// orders, the data library, and the files of one purchased dataset. They fetch,
// show and open files the same way.
package deliveries
