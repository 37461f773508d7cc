package kmlcsv

// Code names a kind of [Warning] or [Error]. Codes are stable: programs may
// depend on them, messages may change.
type Code string

// Codes of errors: nothing of the file can be used.
const (
	NothingUsable   Code = "no-usable-placemark"   // every placemark was skipped; the warnings say why
	NoPlacemarks    Code = "no-placemarks"         // there is none in the file
	NoColumns       Code = "no-columns"            // no column of a CSV was recognised as coordinates
	NoRows          Code = "no-rows"               // a CSV has a header only
	EmptyFile       Code = "empty-file"            // not a byte, or nothing but white space
	TooLarge        Code = "too-large"             // over the byte limit, or a KMZ inflates past it
	WrongType       Code = "wrong-type"            // another kind of file: PDF, HTML, a workbook, ...
	NotText         Code = "not-text"              // binary data
	BadEncoding     Code = "bad-encoding"          // a declared encoding that is not known
	BadXML          Code = "bad-xml"               // not well-formed
	BadJSON         Code = "bad-json"              // damaged GeoJSON
	Truncated       Code = "truncated"             // ends inside an element
	HasDTD          Code = "dtd-not-allowed"       // an internal document type subset
	TooDeep         Code = "too-deep"              // more than 256 nested elements
	TooComplex      Code = "too-complex"           // a tag over 1 MiB, hundreds of namespaces, over 1,000 columns
	OnlyLinks       Code = "only-links"            // the placemarks are elsewhere on the network
	BadArchive      Code = "bad-archive"           // a damaged KMZ
	NoKML           Code = "no-kml"                // a KMZ without a KML file
	OpenQuote       Code = "open-quote"            // a quoted cell that never ends
	ProjectedCoords Code = "projected-coordinates" // metres of a projection in place of degrees
	Stopped         Code = "stopped"               // the context ended
	NeedsAnswer     Code = "needs-answer"          // it can be read in several ways; Result.Questions has them
)

// Codes of warnings about coordinates and geometry.
const (
	CoordinatesMissing    Code = "coordinates-missing"       // a placemark or row without a position
	CoordinatesUnreadable Code = "coordinates-unreadable"    // not a number, or ambiguous
	CoordinatesNotFinite  Code = "coordinates-not-finite"    // NaN, an infinity, or too large a number
	OutOfRange            Code = "coordinates-out-of-range"  // not on the globe either way round
	Swapped               Code = "coordinates-swapped"       // valid only with latitude and longitude exchanged
	MaybeSwapped          Code = "coordinates-maybe-swapped" // at sea as they are, on land with the axes exchanged
	LongitudeWrapped      Code = "longitude-wrapped"         // 180 to 360 degrees either way
	TuplesJoined          Code = "tuples-joined"             // commas between the tuples, read as triples
	ExtraPoints           Code = "extra-points"              // a point with several positions
	VertexUnreadable      Code = "vertex-unreadable"         // of rows that make one placemark
	CornersMissing        Code = "corners-missing"           // of a row: one or two of the corners of an area
	SinglePoint           Code = "single-point-line"         // a line of one point, read as a point
	PointsMissing         Code = "positions-missing"         // a track with positions left out
	RingTooShort          Code = "ring-too-short"            // fewer than three distinct points
	NoBoundary            Code = "no-boundary"               // a polygon without its boundary
	BoundaryCrosses       Code = "boundary-crosses"          // it crosses itself: the area is uncertain
	BoundaryNotChecked    Code = "boundary-not-checked"      // for crossing itself: too many edges side by side
	ZeroArea              Code = "boundary-without-area"     // all its points are on one line
	HolesIgnored          Code = "holes-ignored"             // subtracted from the area, but not sent
	HoleUnreadable        Code = "hole-unreadable"           // not even subtracted
	RoundAPole            Code = "round-a-pole"              // the boundary goes round it
	SeveralGeometries     Code = "several-geometries"        // in one placemark, without a MultiGeometry
	WaypointsJoined       Code = "waypoints-joined"          // of a DJI flight, to one line
	CountryConflict       Code = "country-conflict"          // the vertices, or file and place, are not of one country
	NoCountry             Code = "no-country"                // none is near
)

// Codes of warnings about what a KML file is made of.
const (
	EncodingGuessed   Code = "encoding-guessed"     // neither valid UTF-8 nor declared as something else
	EncodingMismatch  Code = "encoding-mismatch"    // the bytes are not what the file declares
	UnknownNamespace  Code = "unknown-namespace"    // of the root
	UndeclaredPrefix  Code = "undeclared-prefix"    // taken by the name behind it
	UnusualRoot       Code = "unusual-root"         // not kml
	UnusualElement    Code = "unusual-element"      // of another standard, with a plain meaning
	BareAmpersand     Code = "bare-ampersand"       // a & that is not &amp;, kept as &
	HTMLEntity        Code = "html-entity"          // &nbsp; and the like, which XML does not have
	CharactersDropped Code = "characters-dropped"   // control characters in a name
	NameCut           Code = "name-cut"             // to 200 characters
	TrailingBytes     Code = "trailing-bytes"       // NULs behind the document
	ModelSkipped      Code = "model-skipped"        // a 3D model
	OverlaySkipped    Code = "overlay-skipped"      // an image on the ground, or a photo
	LinkIgnored       Code = "network-link-ignored" // nothing is fetched
	UpdateSkipped     Code = "update-skipped"       // a change to another file
	MoreWarnings      Code = "more-warnings"        // how many were left out
)

// Codes of warnings about a CSV file.
const (
	DuplicateColumn    Code = "duplicate-column"       // the first one of a name counts
	ExtraCells         Code = "extra-cells"            // beyond the header
	ShortRow           Code = "short-row"              // it ends before the coordinates
	WrongHemisphere    Code = "wrong-hemisphere"       // a letter that contradicts its column
	GeometryUnreadable Code = "geometry-unreadable"    // neither WKT nor GeoJSON nor pairs
	OtherReference     Code = "other-reference-system" // an SRID that is not 4326
	BadSequence        Code = "bad-sequence"           // a number twice, so that the order is not known
	SystemConverted    Code = "reference-converted"    // from another reference system, with the accuracy
	PlaceGuessed       Code = "place-guessed"          // by the values of columns, or of a link to a map
	RadiusIgnored      Code = "radius-ignored"         // rows are points, whatever their radius
	AreaIgnored        Code = "area-ignored"           // rows are points, whatever the size that the file says
	LetterAmbiguous    Code = "letter-ambiguous"       // O with a longitude, which can be east or west
	StrayQuote         Code = "stray-quote"            // text behind the closing quote of a cell
)

// Codes of warnings about the containers of files: archives, workbooks, layers and
// missions.
const (
	LayerSkipped        Code = "layer-skipped"         // a layer of a GeoPackage that is no ordinary table
	SheetSkipped        Code = "sheet-skipped"         // a sheet of a workbook that was not read
	SeveralSheets       Code = "several-sheets"        // of a workbook, whose sites were joined
	FormulaWithoutValue Code = "formula-without-value" // a workbook that no spreadsheet program has saved
	DecimalCommas       Code = "decimal-commas"        // numbers with decimal commas that were cut into cells
	MergedRows          Code = "merged-rows"           // rows with one merged name cell, joined to a site
	HiddenRows          Code = "hidden-rows"           // rows that a spreadsheet does not show
	FenceIgnored        Code = "fence-ignored"         // the geofence of a mission
	NotLinked           Code = "not-linked"            // a document of a KMZ that doc.kml does not link to
	Repeated            Code = "repeated"              // a file of an archive with the sites of another one
	RecordDeleted       Code = "record-deleted"        // a record of a shapefile that somebody deleted
)
