// Package basemap has the coasts and borders of the world at two scales, for maps of a
// few thousand dots. The data is embedded.
//
// The program in gen creates the data from Natural Earth 4.1.0 (1:110 million and 1:50
// million, public domain) and the data of package places. See NOTICE.txt.
package basemap
