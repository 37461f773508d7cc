// Package sitemap is the map that pages with sites or missions share: the map
// widget in the theme's colours, moved by the map's keys.
package sitemap
