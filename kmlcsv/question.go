package kmlcsv

// QuestionKind says what a question is about.
type QuestionKind string

// The kinds of questions. Each comment names the field of [Options] for the answer.
const (
	AskSystem     QuestionKind = "system"     // Options.CRS
	AskAxes       QuestionKind = "axes"       // Options.Axes
	AskHemisphere QuestionKind = "hemisphere" // Options.Hemisphere, for a UTM zone without a letter
	AskLetterO    QuestionKind = "letterO"    // Options.LetterO: O means east (Ost) or west (Oeste, Ouest)
	AskEncoding   QuestionKind = "encoding"   // Options.Encoding
	AskSheet      QuestionKind = "sheet"      // Options.Sheet
	AskColumns    QuestionKind = "columns"    // Options.Columns
	AskUnit       QuestionKind = "unit"       // Options.Unit, such as degrees or gon
)

// Question asks how to read ambiguous data. If the positions of the sites depend on the answer, the file is not read
// without it: [Parse] returns a result with the questions, and an error with the code [NeedsAnswer], or
// [ProjectedCoords] if the reference system is unknown.
type Question struct {
	Kind    QuestionKind
	Line    int      // row or line with the ambiguous data, 0 for the whole file
	Text    string   // text for the user, one line
	Choices []Choice // possible answers, the likeliest first; empty if there are too many
	Certain bool     // the file was read with the first choice, but the user may choose another
}

// Choice is one of the possible answers to a question.
type Choice struct {
	Value string // value for the field of Options that answers the question, in the form used on the command line
	Label string // text for the user
	Town  string // town near the first site if this choice is right, "" if unknown or not relevant
}

// AxisOrder is the order of the two coordinates of a position.
type AxisOrder string

// The orders. The zero value means the order that the file shows. If the file shows none, the latitude is assumed to
// be first.
const (
	LatLng AxisOrder = "lat-lng" // the latitude, or the northing
	LngLat AxisOrder = "lng-lat" // the longitude, or the easting
)

// Hemisphere is the hemisphere of UTM zones without a letter.
type Hemisphere string

// The hemispheres. The zero value means the hemisphere that the file shows. If the file shows none, there is a
// question.
const (
	Northern Hemisphere = "north"
	Southern Hemisphere = "south"
)

// LetterO is the meaning of the letter O in a longitude.
type LetterO string

// The meanings of O. With the zero value, the other longitudes or the language of the header decide. If they do not,
// there is a question.
const (
	OEast LetterO = "east" // Ost, Oost, Øst
	OWest LetterO = "west" // Oeste, Ouest, Ovest
)
