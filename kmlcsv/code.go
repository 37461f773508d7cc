package kmlcsv

// Code identifies a kind of [Warning] or [Error]. Codes do not change, so programs may compare them. Messages may
// change.
type Code string

// Codes of errors. A file with an error gives no placemarks.
const (
	NothingUsable   Code = "no-usable-placemark"   // every placemark was skipped; the warnings say why
	NoPlacemarks    Code = "no-placemarks"         // the file has no placemark
	NoColumns       Code = "no-columns"            // no column of a CSV was recognised as coordinates
	NoRows          Code = "no-rows"               // a CSV has only a header
	EmptyFile       Code = "empty-file"            // the file is empty, or has only white space
	TooLarge        Code = "too-large"             // the file, or its unpacked data, is over the byte limit
	WrongType       Code = "wrong-type"            // another kind of file: PDF, HTML, a workbook, ...
	NotText         Code = "not-text"              // binary data
	BadEncoding     Code = "bad-encoding"          // the declared encoding is not known
	BadXML          Code = "bad-xml"               // the XML is not well-formed
	BadJSON         Code = "bad-json"              // damaged GeoJSON
	Truncated       Code = "truncated"             // the file ends inside an element
	HasDTD          Code = "dtd-not-allowed"       // a DOCTYPE with declarations
	TooDeep         Code = "too-deep"              // more than 256 nested elements
	TooComplex      Code = "too-complex"           // a tag over 1 MiB, hundreds of namespaces, over 1,000 columns
	OnlyLinks       Code = "only-links"            // the file has only links to placemarks on the network
	BadArchive      Code = "bad-archive"           // a damaged archive, shapefile or database
	NoKML           Code = "no-kml"                // an archive without a survey file
	OpenQuote       Code = "open-quote"            // a quoted cell without a closing quote
	ProjectedCoords Code = "projected-coordinates" // projected coordinates of an unknown reference system
	Stopped         Code = "stopped"               // the context ended
	NeedsAnswer     Code = "needs-answer"          // the file can be read in several ways; Result.Questions has them
)

// Codes of warnings about coordinates and geometry.
const (
	CoordinatesMissing    Code = "coordinates-missing"       // a placemark or row without a position
	CoordinatesUnreadable Code = "coordinates-unreadable"    // a coordinate is ambiguous or not a number
	CoordinatesNotFinite  Code = "coordinates-not-finite"    // NaN, an infinity, or too large a number
	OutOfRange            Code = "coordinates-out-of-range"  // not on the globe, even with the axes exchanged
	Swapped               Code = "coordinates-swapped"       // valid only with latitude and longitude exchanged
	MaybeSwapped          Code = "coordinates-maybe-swapped" // far from towns, but near a town with the axes exchanged
	LongitudeWrapped      Code = "longitude-wrapped"         // a longitude beyond 180 degrees was changed by 360
	TuplesJoined          Code = "tuples-joined"             // commas separate the tuples, which were read as triples
	ExtraPoints           Code = "extra-points"              // a point with several positions
	VertexUnreadable      Code = "vertex-unreadable"         // one of several rows that make a placemark is unreadable
	CornersMissing        Code = "corners-missing"           // a row has only one or two corners of an area
	SinglePoint           Code = "single-point-line"         // a line of one point, read as a point
	PointsMissing         Code = "positions-missing"         // a track with empty positions
	RingTooShort          Code = "ring-too-short"            // fewer than three distinct points
	NoBoundary            Code = "no-boundary"               // a polygon without its boundary
	BoundaryCrosses       Code = "boundary-crosses"          // the boundary crosses itself, so its area is uncertain
	BoundaryNotChecked    Code = "boundary-not-checked"      // too many edges side by side to look for crossings
	ZeroArea              Code = "boundary-without-area"     // all points of a boundary are on one line
	HolesIgnored          Code = "holes-ignored"             // holes are subtracted from the area, but not sent
	HoleUnreadable        Code = "hole-unreadable"           // a hole could not be subtracted from the area
	RoundAPole            Code = "round-a-pole"              // a boundary encloses a pole
	SeveralGeometries     Code = "several-geometries"        // a placemark with several geometries without MultiGeometry
	WaypointsJoined       Code = "waypoints-joined"          // the waypoints of a DJI flight became one line
	CountryConflict       Code = "country-conflict"          // vertices in several countries, or not in the stated one
	NoCountry             Code = "no-country"                // not near any country
)

// Codes of warnings about the format of a KML file.
const (
	EncodingGuessed   Code = "encoding-guessed"     // not valid UTF-8, and no usable encoding is declared
	EncodingMismatch  Code = "encoding-mismatch"    // the bytes contradict the declared encoding
	UnknownNamespace  Code = "unknown-namespace"    // the root has a namespace other than those of KML
	UndeclaredPrefix  Code = "undeclared-prefix"    // a prefix without a declaration was ignored
	UnusualRoot       Code = "unusual-root"         // the root is not <kml>
	UnusualElement    Code = "unusual-element"      // an element of another standard with a clear meaning
	BareAmpersand     Code = "bare-ampersand"       // an & that should be &amp; was kept
	HTMLEntity        Code = "html-entity"          // &nbsp; or another entity that XML does not have
	CharactersDropped Code = "characters-dropped"   // control characters were removed from a name
	NameCut           Code = "name-cut"             // a name was cut to 200 characters
	TrailingBytes     Code = "trailing-bytes"       // bytes after the end of the data
	ModelSkipped      Code = "model-skipped"        // a 3D model
	OverlaySkipped    Code = "overlay-skipped"      // an image on the ground, or a photo
	LinkIgnored       Code = "network-link-ignored" // a network link; nothing is fetched
	UpdateSkipped     Code = "update-skipped"       // a change to another file
	MoreWarnings      Code = "more-warnings"        // the number of warnings that are not listed
)

// Codes of warnings about a CSV file.
const (
	DuplicateColumn    Code = "duplicate-column"       // of several columns with one name, only the first is used
	ExtraCells         Code = "extra-cells"            // a row has more cells than the header
	ShortRow           Code = "short-row"              // a row ends before the coordinates
	WrongHemisphere    Code = "wrong-hemisphere"       // a letter that does not fit its column, such as E for a latitude
	GeometryUnreadable Code = "geometry-unreadable"    // a geometry in an unknown form, or damaged
	OtherReference     Code = "other-reference-system" // a reference system that is unknown or not used
	BadSequence        Code = "bad-sequence"           // a sequence number is repeated, so the order is not known
	SystemConverted    Code = "reference-converted"    // converted from another reference system, with the accuracy
	PlaceGuessed       Code = "place-guessed"          // an assumption was needed to read the coordinates
	RadiusIgnored      Code = "radius-ignored"         // a radius is not used; each row is a point
	AreaIgnored        Code = "area-ignored"           // a size of an area is not used; each row is a point
	LetterAmbiguous    Code = "letter-ambiguous"       // an O in a longitude, which can mean east or west
	StrayQuote         Code = "stray-quote"            // text after the closing quote of a cell
)

// Codes of warnings about the containers of files: archives, workbooks, layers and
// missions.
const (
	LayerSkipped        Code = "layer-skipped"         // a layer of a GeoPackage that is not an ordinary table
	SheetSkipped        Code = "sheet-skipped"         // a sheet of a workbook that was not read
	SeveralSheets       Code = "several-sheets"        // the sites of several sheets were joined
	FormulaWithoutValue Code = "formula-without-value" // a workbook that no spreadsheet program has saved
	DecimalCommas       Code = "decimal-commas"        // numbers with decimal commas that were split into cells
	MergedRows          Code = "merged-rows"           // rows with a merged name cell were joined into one site
	HiddenRows          Code = "hidden-rows"           // rows that a spreadsheet does not show
	FenceIgnored        Code = "fence-ignored"         // the geofence of a mission
	NotLinked           Code = "not-linked"            // a document of a KMZ without a link from doc.kml
	Repeated            Code = "repeated"              // a file of an archive with the same sites as another file
	RecordDeleted       Code = "record-deleted"        // a record of a shapefile that is marked as deleted
)
