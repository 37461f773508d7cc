package changes

import "strings"

// State is the progress of a change, from not sent to confirmed or failed.
type State string

// The states of a change.
const (
	Held      State = ""          // not sent yet; only damaged entries of the log have it
	Sent      State = "sent"      // the outcome is looked for on the service
	Confirmed State = "confirmed" // the service has made the change
	Failed    State = "failed"    // the service did not make the change, or made another one
	Unknown   State = "unknown"   // the user ended looking for the outcome
)

// Outcome is the state of a change with an explanation. The zero value is the outcome of a change that was
// not sent yet.
type Outcome struct {
	State State  `json:"state,omitempty"`
	Text  string `json:"outcome,omitempty"` // for the user; earlier versions also derive the state from it
}

// The texts of outcomes. The text of a failed change says why it failed.
const (
	sentText      = "sent; outcome unknown"
	confirmedText = "confirmed" // can be followed by a note
	closedText    = "closed; outcome unknown"
)

// NewConfirmed returns the outcome of a change that the service has made. The note may be empty.
func NewConfirmed(note string) Outcome {
	text := confirmedText
	if note != "" {
		text += "; " + note
	}
	return Outcome{State: Confirmed, Text: text}
}

// NewFailed returns the outcome of a change that the service did not make.
func NewFailed(reason string) Outcome {
	if reason == "" {
		reason = "failed"
	}
	if stateOfText(reason) != Failed {
		reason = "failed: " + reason // earlier versions read the state from the text
	}
	return Outcome{State: Failed, Text: reason}
}

// withState fills in the state of a log entry of an earlier version, which has only the text.
func (o Outcome) withState() Outcome {
	if o.State == "" {
		o.State = stateOfText(o.Text)
	}
	return o
}

// stateOfText derives the state of a change from the text of its outcome, as earlier versions do.
func stateOfText(text string) State {
	switch {
	case text == "":
		return Held
	case text == sentText:
		return Sent
	case text == closedText:
		return Unknown
	case strings.HasPrefix(text, confirmedText):
		return Confirmed
	default:
		return Failed
	}
}
