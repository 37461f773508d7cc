package kmlcsv

import "slices"

// Code names a kind of [Warning] or [Error]. Codes are stable: programs may
// depend on them, messages may change.
type Code string

// Codes of errors: nothing of the file can be used.
const (
	BadCoordinates  Code = "no-usable-placemark" // every placemark was skipped; the warnings say why
	NoPlacemarks    Code = "no-placemarks"       // there is none in the file
	NoColumns       Code = "no-columns"          // no column of a CSV could be told to hold coordinates
	NoRows          Code = "no-rows"             // a CSV has a header only
	EmptyFile       Code = "empty-file"
	TooLarge        Code = "too-large"       // over the byte limit, or a KMZ inflates past it
	WrongType       Code = "wrong-type"      // another kind of file: PDF, HTML, a workbook, ...
	NotText         Code = "not-text"        // binary data
	BadEncoding     Code = "bad-encoding"    // a declared encoding that is not known
	BadXML          Code = "bad-xml"         // not well-formed
	Truncated       Code = "truncated"       // ends inside an element
	HasDTD          Code = "dtd-not-allowed" // an internal document type subset
	TooDeep         Code = "too-deep"        // more than 256 elements inside one another
	TooComplex      Code = "too-complex"     // a tag over 1 MiB or with hundreds of namespaces
	OnlyLinks       Code = "only-links"      // the placemarks are elsewhere on the network
	BadArchive      Code = "bad-archive"     // a damaged KMZ
	NoKML           Code = "no-kml"          // a KMZ without a KML file
	OpenQuote       Code = "open-quote"      // a quoted cell that never ends
	ProjectedCoords Code = "projected-coordinates"
)

// Codes of warnings about coordinates and geometry.
const (
	CoordinatesMissing    Code = "coordinates-missing"
	CoordinatesUnreadable Code = "coordinates-unreadable" // not a number, or ambiguous
	CoordinatesNotFinite  Code = "coordinates-not-finite"
	OutOfRange            Code = "coordinates-out-of-range"
	Swapped               Code = "coordinates-swapped" // valid only with latitude and longitude exchanged
	MaybeSwapped          Code = "coordinates-maybe-swapped"
	LongitudeWrapped      Code = "longitude-wrapped"  // 180 to 360 degrees either way
	TuplesJoined          Code = "tuples-joined"      // commas between the tuples, read as triples
	ExtraPoints           Code = "extra-points"       // a point with several positions
	VertexUnreadable      Code = "vertex-unreadable"  // of rows that make one placemark
	SinglePoint           Code = "single-point-line"  // a line of one point, read as a point
	PointsMissing         Code = "positions-missing"  // a track with positions left out
	RingTooShort          Code = "ring-too-short"     // fewer than three distinct points
	RingOpen              Code = "ring-without-outer" // a polygon without its boundary
	Crosses               Code = "boundary-crosses"   // it crosses itself: the area is uncertain
	NotChecked            Code = "boundary-not-checked"
	ZeroArea              Code = "boundary-without-area"
	HolesIgnored          Code = "holes-ignored"   // subtracted from the area, but not sent
	HoleUnreadable        Code = "hole-unreadable" // not even subtracted
	Pole                  Code = "round-a-pole"
	SeveralGeometries     Code = "several-geometries" // in one placemark, without a MultiGeometry
	WaypointsJoined       Code = "waypoints-joined"
	CountryConflict       Code = "country-conflict" // the vertices, or file and place, are not of one country
	NoCountry             Code = "no-country"
)

// Codes of warnings about what a KML file is made of.
const (
	EncodingGuessed   Code = "encoding-guessed"
	EncodingMismatch  Code = "encoding-mismatch" // the bytes are not what the file declares
	UnknownNamespace  Code = "unknown-namespace"
	UndeclaredPrefix  Code = "undeclared-prefix"
	UnusualRoot       Code = "unusual-root" // not kml
	UnusualElement    Code = "unusual-element"
	BareAmpersand     Code = "bare-ampersand"
	HTMLEntity        Code = "html-entity"
	CharactersDropped Code = "characters-dropped" // control characters in a name
	NameCut           Code = "name-cut"
	TrailingBytes     Code = "trailing-bytes"
	ModelSkipped      Code = "model-skipped"
	OverlaySkipped    Code = "overlay-skipped"
	LinkIgnored       Code = "network-link-ignored"
	UpdateSkipped     Code = "update-skipped"
	MoreWarnings      Code = "more-warnings" // how many were left out
)

// Codes of warnings about a CSV file.
const (
	DuplicateColumn    Code = "duplicate-column"
	ExtraCells         Code = "extra-cells"
	ShortRow           Code = "short-row"
	WrongHemisphere    Code = "wrong-hemisphere" // a letter that contradicts its column
	GeometryUnreadable Code = "geometry-unreadable"
	OtherReference     Code = "other-reference-system" // an SRID that is not 4326
	BadSequence        Code = "bad-sequence"
	RadiusIgnored      Code = "radius-ignored"
	StrayQuote         Code = "stray-quote"
)

var codes = []Code{
	BadCoordinates, NoPlacemarks, NoColumns, NoRows, EmptyFile, TooLarge, WrongType, NotText, BadEncoding, BadXML,
	Truncated, HasDTD, TooDeep, TooComplex, OnlyLinks, BadArchive, NoKML, OpenQuote, ProjectedCoords,

	CoordinatesMissing, CoordinatesUnreadable, CoordinatesNotFinite, OutOfRange, Swapped, MaybeSwapped,
	LongitudeWrapped, TuplesJoined, ExtraPoints, VertexUnreadable, SinglePoint, PointsMissing, RingTooShort, RingOpen, Crosses,
	NotChecked, ZeroArea, HolesIgnored, HoleUnreadable, Pole, SeveralGeometries, WaypointsJoined, CountryConflict,
	NoCountry,

	EncodingGuessed, EncodingMismatch, UnknownNamespace, UndeclaredPrefix, UnusualRoot, UnusualElement, BareAmpersand, HTMLEntity,
	CharactersDropped, NameCut, TrailingBytes, ModelSkipped, OverlaySkipped, LinkIgnored, UpdateSkipped, MoreWarnings,

	DuplicateColumn, ExtraCells, ShortRow, WrongHemisphere, GeometryUnreadable, OtherReference, BadSequence,
	RadiusIgnored, StrayQuote,
}

// Codes returns every code, those of errors first.
func Codes() []Code { return slices.Clone(codes) }
