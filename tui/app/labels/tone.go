package labels

// Tone is what a text means; a theme gives each tone one colour everywhere.
type Tone int

// The tones.
const (
	Text       Tone = iota // everything read
	Muted                  // labels, ages, rows that are off, ended states
	Accent                 // focus, keys, links, what is chosen
	Pending                // the service has the ball
	Attention              // the user must decide; warnings
	InProgress             // on its way
	Good                   // done, verified
	Bad                    // failed, refused, late
	Tones                  // their number
)
