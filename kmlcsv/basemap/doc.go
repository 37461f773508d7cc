// Package basemap holds the coasts and borders of the world at two scales, for
// maps of a few thousand dots. The data is embedded; nothing is fetched.
//
// It is made from Natural Earth 4.1.0 (1:110 million and 1:50 million, public
// domain) by the program in gen, with the data of package places; see NOTICE.txt.
package basemap
