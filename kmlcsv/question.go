package kmlcsv

// QuestionKind says which choice of [Options] answers a question.
type QuestionKind string

// The kinds of question.
const (
	AskSystem     QuestionKind = "system"     // Options.CRS
	AskAxes       QuestionKind = "axes"       // Options.Axes
	AskHemisphere QuestionKind = "hemisphere" // Options.Hemisphere: of a UTM zone without one
	AskLetterO    QuestionKind = "letterO"    // Options.LetterO: O means east (Ost) or west (Oeste, Ouest)
	AskEncoding   QuestionKind = "encoding"   // Options.Encoding
	AskSheet      QuestionKind = "sheet"      // Options.Sheet: of a workbook, layer of a GIS file
	AskColumns    QuestionKind = "columns"    // Options.Columns
	AskUnit       QuestionKind = "unit"       // Options.Unit: of coordinates, such as degrees or gon
)

// Question is something about a file that can be read in more than one way. A file
// with a question that decides where its sites are is not read until the question is
// answered: [Parse] returns an error of the code [NeedsAnswer], or [ProjectedCoords] if
// the reference system is open, and the questions.
type Question struct {
	Kind    QuestionKind
	Line    int      // row or line that raised it, 0 for the whole file
	Text    string   // the question as a person reads it, one line
	Choices []Choice // the likely one first; empty if only a person can know
	Certain bool     // the first choice was used; the question only allows another one
}

// Choice is a possible answer to a question.
type Choice struct {
	Value string // what the option is set to, as the command line takes it
	Label string // the choice as a person reads it
	Town  string // where the first site would be, "" if that is unknown or beside the point
}

// AxisOrder says which coordinate of an unnamed position is first.
type AxisOrder string

// The orders; the zero value takes the order that the file says, or else assumes the
// latitude first.
const (
	LatLng AxisOrder = "lat-lng" // the latitude, or the northing
	LngLat AxisOrder = "lng-lat" // the longitude, or the easting
)

// Hemisphere is the half of the Earth that UTM zones without a letter are in.
type Hemisphere string

// The hemispheres; the zero value asks.
const (
	Northern Hemisphere = "north"
	Southern Hemisphere = "south"
)

// LetterO is what the letter O means with a longitude.
type LetterO string

// The meanings; the zero value decides by the language of the header, or asks.
const (
	OEast LetterO = "east" // Ost, Oost, Øst
	OWest LetterO = "west" // Oeste, Ouest, Ovest
)
